"""Bounds of int variables: the Ranges that a model declares, and what can be proved of the others.

Interval analysis of the lifted trees (Cousot and Cousot, "Abstract interpretation", POPL 1977): guards refine, writes
join, and what keeps growing is widened to the next constant of the model. A Range does not confine what an action
may write; but no step is taken from a state in which one is left, so every step starts inside them.

Sound when the lifted model is certified. Misses bounds that follow from how several variables hang together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping

from meshspec.backends.layout import Layout
from meshspec.backends.refinement import Known
from meshspec.backends.spans import FAR, NONE, End, Span, exactly
from meshspec.errors import UsageError, Where
from meshspec.expr.nodes import INT, Const, Name, Node
from meshspec.expr.walk import parts
from meshspec.lang.declare import Variable, declared
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Does, Leaf, Outcome, Tree, WriteAll, leaves
from meshspec.lang.places import where_is

_PLAIN, _STEPWISE, _TIGHTENED = 3, 60, 3
"""Rounds before anything is widened, rounds in which it is widened to a constant, rounds in the other direction."""

_Bounds = dict[str, Span]


def bounds_of(layout: Layout) -> Mapping[str, range]:
    """The range of every int variable, declared or proved, by name.

    Raises :class:`UsageError`, naming the line, for variables for which no bounds are found.
    """
    declared_ones = {v.symbol.name: v.range.of(layout.model.instance) for v in _ints(layout) if v.range is not None}
    return {**declared_ones, **inferred(layout)}


def inferred(layout: Layout) -> Mapping[str, range]:
    """The proved range of every int variable that declares none; raises :class:`UsageError` as `bounds_of` does."""
    wanted = [v for v in _ints(layout) if v.range is None]
    found: Mapping[str, Span] = _Analysis(layout).bounds() if wanted else {}
    open_ = [v for v in wanted if not found[v.symbol.name].bounded]
    if open_:
        told = ", ".join(
            f"{v.symbol.name} ({where})" if (where := _where(layout, v)) else v.symbol.name for v in open_
        )
        raise UsageError(
            f"{layout.model.name}: no bounds can be proved for {told}, and a packed state needs some: declare them, "
            f"{open_[0].path[-1]}: Annotated[int, Range(lo, hi)]"
        )
    return {v.symbol.name: _range(found[v.symbol.name]) for v in wanted}


def _ints(layout: Layout) -> list[Variable]:
    return [v for v in layout.model.declared.variables if v.symbol.type == INT and not v.constant]


def _range(span: Span) -> range:
    return range(1) if span.empty else range(int(span.lo), int(span.hi) + 1)  # empty: it is None in every state


def _where(layout: Layout, variable: Variable) -> Where | None:
    """The line on which a variable is declared."""
    cls = layout.model.declared.cls
    for part in variable.path[:-1]:
        cls = dict(declared(cls).submachines)[part]
    var = vars(cls)["_meshspec_vars"][variable.path[-1]]
    return var.where or where_is(cls)


class _Analysis:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        constants = layout.model.instance
        self.variables = _ints(layout)
        self.fixed: _Bounds = {}
        self.start: _Bounds = {}
        for v in self.variables:
            if v.range is not None:
                declared_one = v.range.of(constants)
                self.fixed[v.symbol.name] = Span(declared_one.start, declared_one.stop - 1)
            else:
                self.start[v.symbol.name] = _hull([value for value in v.initial if isinstance(value, int)])
        self.thresholds = sorted(self._constants())

    def _constants(self) -> set[int]:
        """Where widening stops: the constants of the model and their neighbours."""
        found = {0, *self.layout.sizes.values()}
        for span in (*self.fixed.values(), *self.start.values()):
            found |= {int(end) for end in (span.lo, span.hi) if not span.empty}
        for table in self.layout.tables.values():
            found |= {value for value in table if type(value) is int}
        for lifted in self.layout.model.actions:
            for node in _nodes(lifted):
                found |= {one.value for one in parts(node) if isinstance(one, Const) and type(one.value) is int}
        return {near for one in found for near in (one - 1, one, one + 1)}

    def bounds(self) -> Mapping[str, Span]:
        """A bound of every variable that no step leaves."""
        current, round_ = dict(self.start), 0
        while True:
            after = self._after(current)
            grown = {name: span.hull(after[name]) for name, span in current.items()}
            if grown == current:
                break
            if round_ >= _PLAIN:
                stops = self.thresholds if round_ < _STEPWISE else []
                grown = {name: _widened(current[name], span, stops) for name, span in grown.items()}
            current, round_ = grown, round_ + 1
        for _ in range(_TIGHTENED):  # what is reached from inside sound bounds is inside what one step makes of them
            after = self._after(current)
            current = {name: span.meet(self.start[name].hull(after[name])) for name, span in current.items()}
        return current

    def _after(self, current: Mapping[str, Span]) -> _Bounds:
        """What one step writes, from states inside these bounds."""
        found = dict.fromkeys(current, NONE)
        for lifted in self.layout.model.actions:
            facts: dict[Node, Span] = {}
            for p in lifted.parameters:
                if p.range is not None:
                    values = p.range.of(self.layout.model.instance)
                    facts[Name(p.name, p.type)] = Span(values.start, values.stop - 1)
            known = Known(self.layout, {**self.fixed, **current}, facts)
            for name, span in _written(lifted.tree, known):
                if name in found:
                    found[name] = found[name].hull(span)
        return found


def _nodes(lifted: Lifted) -> Iterator[Node]:
    for condition, outcome in leaves(lifted.tree):
        yield from condition
        if isinstance(outcome, Does):
            for update in outcome.updates:
                for write in update.writes:
                    yield from (write.value, write.absent)


def _written(tree: Tree[Outcome], known: Known) -> Iterator[tuple[str, Span]]:
    """Every int that is written, by variable, and all that it can be."""
    if isinstance(tree, Leaf):
        for update in tree.value.updates if isinstance(tree.value, Does) else ():
            if update.symbol.type != INT:
                continue
            for write in update.writes:
                here = known.without(write.bound) if isinstance(write, WriteAll) else known
                there = here.assuming(write.absent, truth=False)
                if there is not None:
                    yield update.symbol.name, there.span(write.value)
        return
    for option, child in zip(tree.options, tree.below, strict=True):
        there = known.assuming(tree.question, option) if isinstance(option, bool) else known
        if there is not None:
            yield from _written(child, there)


def _hull(values: list[int]) -> Span:
    found = NONE
    for value in values:
        found = found.hull(exactly(value))
    return found


def _widened(before: Span, now: Span, stops: list[int]) -> Span:
    """Ends that moved go on to the next stop, or without end."""
    lo: End = now.lo
    hi: End = now.hi
    if not before.empty and lo < before.lo:
        at = bisect_right(stops, lo)
        lo = stops[at - 1] if at else -FAR
    if not before.empty and hi > before.hi:
        at = bisect_left(stops, hi)
        hi = stops[at] if at < len(stops) else FAR
    return Span(lo, hi)
