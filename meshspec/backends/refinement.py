"""What is known of expressions in some states, as intervals: what follows from a condition, what a value can be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from meshspec.backends.layout import Layout
from meshspec.backends.spans import ANY, FAR, NONE, TRUTH, Span, arithmetic, exactly, plus
from meshspec.expr.nodes import BOOL, INT, Cell, Const, Name, Node, Op, Quant, SortType
from meshspec.expr.walk import free_names

TRUE, FALSE = exactly(1), exactly(0)
_Spans = dict[Node, Span]


@attrs.frozen(eq=False)
class Known:
    """Bounds of the entries of variables, and facts about expressions; a bool is 0 or 1.

    Every expression is read in one state, the one before a step.
    """

    layout: Layout
    variables: Mapping[str, Span]
    facts: Mapping[Node, Span] = attrs.field(factory=dict[Node, Span])
    _memo: _Spans = attrs.field(factory=_Spans, init=False, repr=False)

    def span(self, node: Node) -> Span:
        """All that an expression can be; an optional one, where it is not ``None``."""
        found = self._memo.get(node)
        if found is None:
            found = self._span(node).meet(self.facts.get(node, TRUTH if node.type == BOOL else ANY))
            self._memo[node] = found
        return found

    def _span(self, node: Node) -> Span:
        match node:
            case Const(value):
                return exactly(int(value)) if isinstance(value, int) else ANY
            case Cell(symbol):
                if symbol.type != INT:
                    return ANY
                table = self.layout.tables.get(symbol.name)
                return self.variables.get(symbol.name, ANY) if table is None else _hull(table)
            case Quant():
                return self._quantified(node)
            case Op("+" | "-" | "*" | "//" | "%" as op, (left, right)):
                return arithmetic(op, self.span(left), self.span(right))
            case Op("ite", (condition, then, otherwise)):
                found = NONE
                for truth, branch in ((True, then), (False, otherwise)):
                    if (there := self.assuming(condition, truth)) is not None:
                        found = found.hull(there.span(branch))
                return found
            case Op("not", (arg,)):
                inner = self.span(arg)
                return Span(1 - inner.hi, 1 - inner.lo) if inner.inside(TRUTH) else TRUTH
            case Op("and" | "or" as op, args):
                settles = FALSE if op == "and" else TRUE
                every = [self.span(arg) for arg in args]
                if settles in every:
                    return settles
                other = TRUE if op == "and" else FALSE
                return other if all(one == other for one in every) else TRUTH
            case Op("==" | "<" | "<=" as op, (left, right)) if left.type == INT:
                return _compared(op, self.span(left), self.span(right))
            case _:
                return ANY if node.type == INT else TRUTH

    def _quantified(self, node: Quant) -> Span:
        assert isinstance(node.bound.type, SortType)
        if node.kind in ("forall", "exists"):
            return TRUTH
        inside = self.without(node.bound).span(node.body)
        return arithmetic("*", exactly(self.layout.sizes[node.bound.type.cls]), inside)

    def without(self, bound: Name) -> Known:
        """What is known where a quantifier gives this name another meaning."""
        kept = {node: span for node, span in self.facts.items() if bound not in free_names(node)}
        return self if len(kept) == len(self.facts) else attrs.evolve(self, facts=kept)

    def _with(self, node: Node, span: Span) -> Known | None:
        """With one more fact; ``None`` where it contradicts what is known."""
        here = self.span(node).meet(span)
        if here.empty:
            return None
        return self if here == self.facts.get(node) else attrs.evolve(self, facts={**self.facts, node: here})

    def assuming(self, node: Node, truth: bool) -> Known | None:
        """What is known where a condition has this value; ``None`` where it cannot have it."""
        told = self._with(node, TRUE if truth else FALSE)
        if told is None:
            return None
        match node:
            case Op("not", (arg,)):
                return told.assuming(arg, not truth)
            case Op("and" | "or" as op, args):
                if (op == "and") is truth:
                    for arg in args:
                        further = told.assuming(arg, truth)
                        if further is None:
                            return None
                        told = further
                    return told
                return told._one_of([told.assuming(arg, truth) for arg in args])
            case Op("<" | "<=" as op, (left, right)) if truth:
                return told._at_most(left, right, -1 if op == "<" else 0)
            case Op("<" | "<=" as op, (left, right)):
                return told._at_most(right, left, 0 if op == "<" else -1)
            case Op("==", (left, right)) if left.type == INT:
                return told._equal(left, right) if truth else told._different(left, right)
            case _:
                return told

    def _one_of(self, cases: list[Known | None]) -> Known | None:
        possible = [case for case in cases if case is not None]
        if not possible:
            return None
        facts = dict(possible[0].facts)
        for other in possible[1:]:
            facts = {node: span.hull(other.facts[node]) for node, span in facts.items() if node in other.facts}
        return attrs.evolve(self, facts=facts)

    def _at_most(self, left: Node, right: Node, more: int) -> Known | None:
        """``left <= right + more``."""
        narrowed = self._narrowed(left, Span(-FAR, plus(self.span(right).hi, more)))
        if narrowed is None:
            return None
        return narrowed._narrowed(right, Span(plus(narrowed.span(left).lo, -more), FAR))

    def _equal(self, left: Node, right: Node) -> Known | None:
        narrowed = self._narrowed(left, self.span(right))
        return narrowed._narrowed(right, narrowed.span(left)) if narrowed is not None else None

    def _different(self, left: Node, right: Node) -> Known | None:
        found: Known | None = self
        for one, other in ((left, right), (right, left)):
            here, there = self.span(one), self.span(other)
            if found is not None and there.lo == there.hi:
                lo = plus(here.lo, 1) if here.lo == there.lo else here.lo
                hi = plus(here.hi, -1) if here.hi == there.lo else here.hi
                found = found._narrowed(one, Span(lo, hi))
        return found

    def _narrowed(self, node: Node, span: Span) -> Known | None:
        """With an int expression inside `span`, and what follows for the operands of a sum or difference."""
        if isinstance(node, Const):
            return None if self.span(node).meet(span).empty else self
        told = self._with(node, span)
        if told is None or not (isinstance(node, Op) and node.op in ("+", "-")):
            return told
        left, right = node.args
        here = told.span(node)
        first = arithmetic("-" if node.op == "+" else "+", here, told.span(right))
        second = arithmetic("-", here, told.span(left)) if node.op == "+" else arithmetic("-", told.span(left), here)
        after = told._narrowed(left, first)
        return after._narrowed(right, second) if after is not None else None


def _hull(values: Any) -> Span:
    present = [value for value in values if value is not None]
    return Span(min(present), max(present)) if present else NONE


def _compared(op: str, a: Span, b: Span) -> Span:
    if a.empty or b.empty:
        return TRUTH
    if op == "==":
        if a.meet(b).empty:
            return FALSE
        return TRUE if a == b and a.lo == a.hi else TRUTH
    if (a.hi < b.lo) or (op == "<=" and a.hi == b.lo):
        return TRUE
    return FALSE if a.lo > b.hi or (op == "<" and a.lo == b.hi) else TRUTH
