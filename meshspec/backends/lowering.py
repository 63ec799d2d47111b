"""Lowering: expressions without names, and sums of small tables over the fields of a packed state.

A :class:`Ground` expression reads cells and nothing else: its names have values, its quantifiers are written out. All
values are ints, as a state holds them: a bool is 0 or 1, a member its position. A :class:`Form` is what the kernel
can add up: coefficients times codes, and tables of a few fields each.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import attrs

from meshspec.backends.layout import Layout
from meshspec.backends.packing import Packing
from meshspec.errors import UsageError
from meshspec.expr.build import disj, fold_ints
from meshspec.expr.nodes import Absent, Cell, Const, Name, Node, Op, Quant, SortType
from meshspec.expr.walk import free_names
from meshspec.lang.outcomes import Does, Outcome, Split, Tree, WriteAll, answer_is

MAX_TABLE = 4096
"""Entries of the largest table, and the most rows that one ground action may take."""
MAX_PIECES = 1_000_000
FEW = 256  # a table of up to this many entries is taken rather than a case for each key or condition


@attrs.frozen(cache_hash=True)
class Ground:
    """An expression over cells: ``op`` is an operator, or ``const``, ``cell``, ``absent``, ``pick`` or ``sum``.

    ``at`` is the value of a ``const`` (``None`` for an absent one) and the cell of a ``cell`` or ``absent``. A
    ``pick`` has an index and then what is chosen from.
    """

    op: str
    at: int | None = None
    args: tuple[Ground, ...] = ()

    @property
    def known(self) -> bool:
        return self.op == "const"


def known(value: int | None) -> Ground:
    return Ground("const", value if value is None else int(value))


YES, NO, ZERO = known(1), known(0), known(0)


def made(op: str, args: Sequence[Ground]) -> Ground:
    """The operation, folded where its arguments are known.

    What no guard lets through may mean nothing, such as an order on an absent value: it is 0 then.
    """
    match op, args:
        case "not", (a,):
            return known(not a.at) if a.known else a.args[0] if a.op == "not" else Ground("not", None, (a,))
        case "and" | "or", _:
            return _junction(op, args)
        case "ite", (condition, then, otherwise):
            if condition.known:
                return then if condition.at else otherwise
            return then if then == otherwise else Ground("ite", None, (condition, then, otherwise))
        case "pick", (index, *entries):
            if index.known:
                inside = index.at is not None and 0 <= index.at < len(entries)
                return entries[cast("int", index.at)] if inside else ZERO
            return entries[0] if all(entry == entries[0] for entry in entries) else Ground("pick", None, tuple(args))
        case "sum", _:
            constant = sum(arg.at or 0 for arg in args if arg.known)
            open_parts = [arg for arg in args if not arg.known]
            if not open_parts:
                return known(constant)
            return Ground("sum", None, (*open_parts, known(constant)) if constant else tuple(open_parts))
        case _, (a, b):
            if a.known and b.known:
                return known(meant(lambda: binary(op, a.at, b.at)))
            return Ground(op, None, (a, b))
        case _:
            raise AssertionError(f"{op} on {len(args)} arguments")


def meant(value: Callable[[], int]) -> int:
    """A value, or 0 where there is none: no state that the guards let through is asked for it."""
    try:
        return int(value())
    except (TypeError, ZeroDivisionError):
        return 0


def binary(op: Any, x: Any, y: Any) -> int:
    match op:
        case "==":
            return int(x == y)
        case "<":
            return int(x < y)
        case "<=":
            return int(x <= y)
        case _:
            return fold_ints(op, x, y)


def _junction(op: str, args: Iterable[Ground]) -> Ground:
    absorbing = op == "or"
    left: dict[Ground, None] = {}
    for arg in args:
        if arg.known:
            if bool(arg.at) is absorbing:
                return known(absorbing)
        else:
            left[arg] = None
    if not left:
        return known(not absorbing)
    return next(iter(left)) if len(left) == 1 else Ground(op, None, tuple(left))


class Grounder:
    """Makes ground expressions of the expressions of one layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.written = 0
        self.symbols = {v.symbol.name: v.symbol for v in layout.model.declared.variables}
        self.sizes = {
            name: tuple(len(layout.values(key)) for key in symbol.keys) for name, symbol in self.symbols.items()
        }

    def ground(self, node: Node, names: Mapping[str, int]) -> Ground:
        """The expression with values for its names; raises :class:`UsageError` where a scope makes too much of it."""
        self._wrote(1)
        match node:
            case Const(value):
                return known(self.layout.encode_value(value))
            case Name(name):
                return known(names[name])
            case Cell(symbol, keys):
                return self._entry("cell", symbol.name, [self.ground(key, names) for key in keys])
            case Absent(symbol, keys):
                return self._entry("absent", symbol.name, [self.ground(key, names) for key in keys])
            case Quant(kind, bound, body):
                assert isinstance(bound.type, SortType)
                members = range(self.layout.sizes[bound.type.cls])
                each = [self.ground(body, {**names, bound.name: member}) for member in members]
                return made({"forall": "and", "exists": "or"}.get(kind, "sum"), each)
            case Op(op, args):
                return made("sum" if op == "+" else op, [self.ground(arg, names) for arg in args])

    def _wrote(self, pieces: int) -> None:
        self.written += pieces
        if self.written > MAX_PIECES:
            sizes = ",".join(f"{name}={size}" for name, size in self.layout.scope_names.items())
            raise UsageError(
                f"--scope {sizes} makes more of {self.layout.model.name} than rows are built of "
                f"({MAX_PIECES:,} pieces): take a smaller scope"
            )

    def _entry(self, op: str, name: str, keys: Sequence[Ground]) -> Ground:
        def leaf(place: int) -> Ground:
            if name in self.layout.tables:
                value: Any = self.layout.tables[name][place]
                return known(value if op == "cell" else value is None)
            return Ground(op, self.layout.base[name] + place)

        def under(place: int, rest: int) -> Ground:
            self._wrote(1)
            if rest == len(keys):
                return leaf(place)
            size, key = self.sizes[name][rest], keys[rest]
            if key.known:
                return under(place * size + cast("int", key.at), rest + 1)
            return made("pick", (key, *(under(place * size + one, rest + 1) for one in range(size))))

        return under(0, 0)


def support(ground: Ground, memo: dict[Ground, frozenset[int]]) -> frozenset[int]:
    """The cells that an expression reads."""
    found = memo.get(ground)
    if found is None:
        if ground.op in ("cell", "absent"):
            found = frozenset((cast("int", ground.at),))
        else:
            found = frozenset[int]().union(*(support(arg, memo) for arg in ground.args))
        memo[ground] = found
    return found


def replaced(ground: Ground, by: Mapping[Ground, Ground]) -> Ground:
    """The expression with some of its parts exchanged, folded anew."""
    if ground in by:
        return by[ground]
    if not ground.args:
        return ground
    args = [replaced(arg, by) for arg in ground.args]
    return ground if all(a is b for a, b in zip(args, ground.args, strict=True)) else made(ground.op, args)


def value_of(ground: Ground, at: Mapping[int, int | None]) -> int | None:
    """The value of an expression; ``at`` has one for each cell that it reads."""
    if ground.op == "const":
        return ground.at
    if ground.op == "cell":
        return at[cast("int", ground.at)]
    if ground.op == "absent":
        return at[cast("int", ground.at)] is None
    match ground.op, ground.args:
        case "and", args:
            return all(value_of(arg, at) for arg in args)
        case "or", args:
            return any(value_of(arg, at) for arg in args)
        case "not", (a,):
            return not value_of(a, at)
        case "ite", (condition, then, otherwise):
            return value_of(then if value_of(condition, at) else otherwise, at)
        case "pick", (index, *entries):
            return value_of(entries[cast("int", value_of(index, at))], at)
        case "sum", args:
            return sum(cast("int", value_of(arg, at)) for arg in args)
        case op, (a, b):
            return binary(op, value_of(a, at), value_of(b, at))
        case _:
            raise AssertionError(f"not an expression: {ground!r}")


def choice_in(ground: Ground) -> Ground | None:
    """The outermost ``ite`` or ``pick`` of an expression."""
    layer: list[Ground] = [ground]
    while layer:
        found = next((part for part in layer if part.op in ("ite", "pick")), None)
        if found is not None:
            return found
        layer = [arg for part in layer for arg in part.args]
    return None


@attrs.frozen(cache_hash=True)
class Term:
    """``coefficient * code`` of one cell, or the entry of a ``table`` at the codes of some, the last one fastest."""

    cells: tuple[int, ...]
    coefficient: int = 0
    table: tuple[int, ...] = ()

    def times(self, factor: int) -> Term:
        return Term(self.cells, self.coefficient * factor, tuple(entry * factor for entry in self.table))


@attrs.frozen(cache_hash=True)
class Form:
    """A sum of terms and a constant."""

    constant: int
    terms: tuple[Term, ...] = ()

    def plus(self, other: Form, factor: int = 1) -> Form:
        terms = {term.cells: term for term in self.terms}
        for term in other.terms:
            mine, more = terms.get(term.cells), term.times(factor)
            terms[term.cells] = more if mine is None else _added(mine, more)
        kept = (terms[cells] for cells in sorted(terms))
        some = tuple(term for term in kept if term.coefficient or any(term.table))
        return Form(self.constant + factor * other.constant, some)


def _added(a: Term, b: Term) -> Term:
    if not a.table and not b.table:
        return Term(a.cells, a.coefficient + b.coefficient)
    size = max(len(a.table), len(b.table))
    return Term(a.cells, 0, tuple(_at(a, code) + _at(b, code) for code in range(size)))


def _at(term: Term, code: int) -> int:
    return term.table[code] if term.table else term.coefficient * code


class Forms:
    """Makes forms of ground expressions over the fields of a packing."""

    def __init__(self, packing: Packing) -> None:
        self.fields = packing.fields
        self.supports: dict[Ground, frozenset[int]] = {}
        self.work = 0  # entries of tables made or looked at so far
        self._known: dict[Ground, Form | None] = {}

    def codes(self, cell: int) -> int:
        return self.fields[cell].codes

    def value(self, cell: int, code: int) -> int | None:
        """What a code stands for."""
        field = self.fields[cell]
        return None if code == field.size else field.lo + code

    def support(self, ground: Ground) -> tuple[int, ...]:
        return tuple(sorted(support(ground, self.supports)))

    def small(self, ground: Ground, most: int = MAX_TABLE) -> bool:
        """Whether a table of it has no more entries than that."""
        return math.prod(self.codes(cell) for cell in self.support(ground)) <= most

    def tabled(self, ground: Ground) -> bool:
        """Whether a table of it is to be made; a large one only where no key or condition in it can be told first."""
        return self.small(ground, FEW) or (self.small(ground) and choice_in(ground) is None)

    def table(self, ground: Ground) -> Term:
        cells = self.support(ground)
        domains = [[self.value(cell, code) for code in range(self.codes(cell))] for cell in cells]
        entries = [
            meant(lambda: value_of(ground, dict(zip(cells, values, strict=True))) or 0)  # noqa: B023  # used at once
            for values in itertools.product(*domains)
        ]
        self.work += len(entries)
        return Term(cells, 0, tuple(entries))

    def form(self, ground: Ground) -> Form | None:
        """The form of an expression, or ``None`` where it would take too large a table."""
        if ground not in self._known:
            self._known[ground] = self._form(ground)
        return self._known[ground]

    def _form(self, ground: Ground) -> Form | None:
        match ground.op, ground.args:
            case "const", _:
                return Form(ground.at or 0)
            case "cell", _:
                cell = cast("int", ground.at)
                return Form(self.fields[cell].lo, (Term((cell,), 1),))
            case "not", (a,):
                inner = self.form(a)
                return None if inner is None else Form(1).plus(inner, -1)
            case "sum" | "-", args:
                total = Form(0)
                for place, arg in enumerate(args):
                    part = self.form(arg)
                    if part is None:
                        return None
                    total = total.plus(part, -1 if place and ground.op == "-" else 1)
                return total
            case "*", (a, b) if a.known or b.known:
                factor, other = (a.at, b) if a.known else (b.at, a)
                inner = self.form(other)
                return None if inner is None else Form(0).plus(inner, factor or 0)
            case _:
                return Form(0, (self.table(ground),)) if self.tabled(ground) else None


Answers = tuple[list[tuple[Node, Tree[Outcome]]], frozenset[str]]


def answers_of(tree: Split[Outcome]) -> Answers:
    """What follows for which answers, those with the same continuation taken together; what the question looks at."""
    groups: dict[Tree[Outcome], list[object]] = {}
    for option, child in zip(tree.options, tree.below, strict=True):
        groups.setdefault(child, []).append(option)
    each = [(disj(*(answer_is(tree.question, option) for option in some)), child) for child, some in groups.items()]
    return each, frozenset(name.name for name in free_names(tree.question))


def looked_at(outcome: Outcome) -> set[str]:
    """The names that what an action writes depends on."""
    if not isinstance(outcome, Does):
        return set()
    nodes: list[Node] = []
    for update in outcome.updates:
        for write in update.writes:
            nodes += [write.value, write.absent, *(() if isinstance(write, WriteAll) else write.keys)]
    return {name.name for node in nodes for name in free_names(node)}
