"""Expressions and guards over many packed states at once, by NumPy.

What generated Python does for one tuple, this does for all rows of a batch: keys that the arguments name are folded
away, and what several expressions share is computed once for a batch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from meshspec.backends.arrays import Lanes, Term, Terms
from meshspec.backends.generated import MAX_PIECES
from meshspec.backends.layout import Layout
from meshspec.backends.packing import Field, Packing, Rows
from meshspec.errors import UsageError
from meshspec.expr.nodes import BOOL, Absent, BoolType, Cell, Const, Name, Node, Op, Quant, SortType, Symbol
from meshspec.expr.text import text

Names = Mapping[str, Term]

_LANES = 1 << 16  # states that are looked at together, at most: what is computed of them should stay in a cache
_HELD = 1 << 28  # bytes that may be held of what is computed of them, about


class Grounding:
    """Compiles expressions for one layout and one packing of it."""

    def __init__(self, layout: Layout, packing: Packing) -> None:
        self.layout, self.packing, self.terms = layout, packing, Terms()
        self._symbols = {v.symbol.name: v.symbol for v in layout.model.declared.variables}
        self._sizes = {name: [len(layout.values(key)) for key in s.keys] for name, s in self._symbols.items()}
        self._written = 0

    @property
    def lanes(self) -> int:
        """How many states to look at together."""
        return max(1 << 10, min(_LANES, _HELD // (8 * (len(self.terms) + 1))))

    def names(self, arguments: Mapping[str, Any]) -> dict[str, Term]:
        """Arguments as terms, from the values an author knows."""
        return {name: self.literal(value) for name, value in arguments.items()}

    def literal(self, value: object) -> Term:
        return self.terms.known(self.layout.encode_value(value))

    def fields(self, symbol: Symbol) -> Sequence[Field]:
        """Where the entries of a variable are kept, in the order of its keys."""
        base = self.layout.base[symbol.name]
        entries = 1
        for size in self._sizes[symbol.name]:
            entries *= size
        return self.packing.fields[base : base + entries]

    def term(self, node: Node, names: Names) -> Term:
        """An expression with values for its free names.

        Raises :class:`UsageError` where a value may leave 64 bits, and where the scope makes too much of it.
        """
        return self._term(node, names, {})

    def _term(self, node: Node, names: Names, memo: dict[Node, Term]) -> Term:
        found = memo.get(node)
        if found is None:
            self._written += 1
            if self._written > MAX_PIECES:
                sizes = ",".join(f"{name}={size}" for name, size in self.layout.scope_names.items())
                raise UsageError(
                    f"--scope {sizes} makes more of {self.layout.model.name} than NumPy can be given "
                    f"({MAX_PIECES:,} pieces): take a smaller scope"
                )
            found = memo[node] = self._made(node, names, memo)
        return found

    def _made(self, node: Node, names: Names, memo: dict[Node, Term]) -> Term:
        def of(part: Node) -> Term:
            return self._term(part, names, memo)

        terms = self.terms
        match node:
            case Const(value):
                return self.literal(value)
            case Name(name):
                return names[name]
            case Cell(symbol, keys):
                return self._cell(symbol, [of(key) for key in keys])
            case Absent(symbol, keys):
                return self._absent(symbol, [of(key) for key in keys])
            case Quant():
                return self._quantified(node, names)
            case Op("and", args):
                return functools.reduce(terms.both, map(of, args))
            case Op("or", args):
                return functools.reduce(terms.either, map(of, args))
            case Op("not", (arg,)):
                return terms.no(of(arg))
            case Op("ite", (condition, then, otherwise)):
                test = of(condition)
                if test.known:
                    return of(then if test.value else otherwise)
                return self._saying(node, lambda: terms.choice(test, of(then), of(otherwise)))
            case Op("==", (left, right)):
                return terms.equal(of(left), of(right))
            case Op("<" | "<=" as op, (left, right)):
                return terms.less(of(left), of(right), or_equal=op == "<=")
            case Op(op, (left, right)):
                a, b = of(left), of(right)
                return self._saying(node, lambda: terms.arith(op, a, b))
            case _:
                raise AssertionError(f"not an expression: {node!r}")

    def _saying(self, node: Node, make: Callable[[], Term]) -> Term:
        try:
            return make()
        except UsageError as error:
            raise UsageError(f"{self.layout.model.name}: {text(node)}: {error}") from None

    def _quantified(self, node: Quant, names: Names) -> Term:
        assert isinstance(node.bound.type, SortType)
        members = range(self.layout.sizes[node.bound.type.cls])
        each = (self.term(node.body, {**names, node.bound.name: self.terms.known(member)}) for member in members)
        match node.kind:
            case "forall":
                return functools.reduce(self.terms.both, each)
            case "exists":
                return functools.reduce(self.terms.either, each)
            case "count" | "total":
                zero = self.terms.known(0)
                return functools.reduce(
                    lambda a, b: self._saying(node, lambda: self.terms.arith("+", a, b)), each, zero
                )

    # -- entries of variables ----------------------------------------------------------------------------------

    def place(self, symbol: Symbol, keys: Sequence[Term]) -> Term:
        """The place of an entry among the entries of its variable."""
        terms, found = self.terms, self.terms.known(0)
        for key, size in zip(keys, self._sizes[symbol.name], strict=True):
            inside = key if key.known else terms.within(key, size)
            found = terms.arith("+", terms.arith("*", found, terms.known(size)), inside)
        return found

    def _cell(self, symbol: Symbol, keys: Sequence[Term]) -> Term:
        place, is_bool = self.place(symbol, keys), isinstance(symbol.type, BoolType)
        table = self.layout.tables.get(symbol.name)
        if table is not None:
            return self._saying(Cell(symbol, ()), lambda: self.terms.looked_up(table, place, is_bool))
        return self.terms.entry(self.fields(symbol), place, is_bool)

    def _absent(self, symbol: Symbol, keys: Sequence[Term]) -> Term:
        place = self.place(symbol, keys)
        table = self.layout.tables.get(symbol.name)
        if table is not None:
            return self.terms.looked_up_absent(table, place)
        return self.terms.entry_absent(self.fields(symbol), place)


def values(layout: Layout, packing: Packing, node: Node, arguments: Mapping[str, Any]) -> Callable[[Rows], Any]:
    """A function from rows to the values of an expression: bools as an array of bools, the rest as int64.

    Enum and sort members are their positions. Raises :class:`UsageError` as :meth:`Grounding.term` does.
    """
    grounding = Grounding(layout, packing)
    term = grounding.term(node, grounding.names(arguments))
    kind: Any = np.bool_ if node.type == BOOL else np.int64

    def of(rows: Rows) -> Any:
        found: Any = np.empty(len(rows), dtype=kind)
        for begin, part in slices(rows, grounding.lanes):
            found[begin : begin + len(part)] = Lanes(part).of(term)
        return found

    return of


def slices(rows: Rows, size: int) -> list[tuple[int, Rows]]:
    """The rows in pieces of at most `size`, each with the index of its first."""
    return [(begin, rows[begin : begin + size]) for begin in range(0, len(rows), size)]


def first_failures(grounding: Grounding, node: Node, arguments: Sequence[Mapping[str, Any]]) -> Callable[[Rows], Any]:
    """A function from rows to the first combination of arguments for which `node` is false, or -1, for each row.

    Raises :class:`UsageError` as :meth:`Grounding.term` does.
    """
    made = [grounding.term(node, grounding.names(one)) for one in arguments]
    asked = [(number, term) for number, term in enumerate(made) if not (term.known and term.value)]

    def of(rows: Rows) -> Any:
        found = np.full(len(rows), -1, dtype=np.int64)
        for begin, part in slices(rows, grounding.lanes):
            lanes, here = Lanes(part), found[begin : begin + len(part)]
            for number, term in asked:
                holds = lanes.of(term)
                if not holds.all():
                    here[(here < 0) & ~holds] = number
        return found

    return of
