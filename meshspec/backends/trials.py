"""What a lifted method is tried on: its raw paths, what they look at, and the states that must be met on each."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends.layout import CellAt, Key, Layout, Values
from meshspec.backends.solver import AnySize, AtScope, Solver, Unsat
from meshspec.errors import Where
from meshspec.expr.build import ONE, ZERO, conj, const, disj, equal, int_of, less, negate, operate, quantify
from meshspec.expr.nodes import (
    BOOL,
    INT,
    Absent,
    BoolType,
    Cell,
    Const,
    EnumType,
    Name,
    Node,
    Op,
    Quant,
    SortType,
    Symbol,
)
from meshspec.expr.walk import free_names, parts
from meshspec.lang.declare import Variable
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Does, Outcome, Split, Tree, Write, WriteAll, answer_is
from meshspec.sorts import Sort

MAX_SIZE = 8
RLIMIT = 400_000
HUGE = (-(2**63), 2**63 + 1)
SMALL = (-1, 0, 1, 2, 3)


@attrs.frozen
class RawPath:
    """One raw path: which answers, under which condition, with which outcome, last asked where."""

    answers: tuple[int, ...]
    condition: tuple[Node, ...]
    outcome: Outcome
    where: Where | None


def raw_paths(tree: Tree[Outcome]) -> Iterator[RawPath]:
    stack: list[tuple[tuple[int, ...], tuple[Node, ...], Where | None, Tree[Outcome]]] = [((), (), None, tree)]
    while stack:
        answers, condition, where, top = stack.pop()
        if not isinstance(top, Split):
            yield RawPath(answers, condition, top.value, where)
            continue
        below = [
            ((*answers, number), (*condition, answer_is(top.question, option)), top.where or where, child)
            for number, (option, child) in enumerate(zip(top.options, top.below, strict=True))
        ]
        stack.extend(reversed(below))


def looked_at(path: RawPath) -> Iterator[Node]:
    """The expressions that a path asks about or assigns, parts included."""
    nodes = list(path.condition)
    if isinstance(path.outcome, Does):
        for update in path.outcome.updates:
            for write in update.writes:
                nodes += [write.value, write.absent, *(() if isinstance(write, WriteAll) else write.keys)]
    found: dict[Node, None] = {}
    for node in nodes:
        found.update((part, None) for part in parts(node))
    return iter(found)


def sizes_for(model: LiftedModel, lifted: Lifted) -> dict[type[Sort], int]:
    """Members enough for all that the method names to be different, and one that it does not name."""
    named: dict[Node, None] = dict.fromkeys(lifted.reads)
    named.update((Name(p.name, p.type), None) for p in lifted.parameters)
    for path in raw_paths(lifted.raw):
        for part in looked_at(path):
            if isinstance(part, Quant):
                named[part.bound] = None
            elif isinstance(part, Cell):
                named[part] = None
    sizes: dict[type[Sort], int] = {}
    for sort in model.sorts:
        members = sum(1 for node in named if node.type == SortType(sort))
        sizes[sort] = min(max(members + 1, 2), MAX_SIZE)
    return sizes


def _defined(node: Node) -> Iterator[Node]:
    """Under which conditions an expression has a value: no ``None`` inside, no division by zero."""
    for part in parts(node):
        if isinstance(part, Cell) and part.symbol.optional:
            yield negate(Absent(part.symbol, part.keys))
        elif isinstance(part, Op) and part.op in ("//", "%"):
            yield negate(equal(part.args[1], ZERO))


def goals_of(lifted: Lifted, path: RawPath) -> list[tuple[Node, ...]]:
    """What a path is to be tried on; each goal lists conditions, the first that can be met is enough."""
    tests: list[tuple[Node, ...]] = []
    seen = list(looked_at(path))
    reads = dict.fromkeys(read for read in lifted.reads if not isinstance(read, Const))
    reads.update((part, None) for part in seen if isinstance(part, (Cell, Absent)))
    for read in reads:
        match read.type:
            case BoolType():
                tests += [(read,), (negate(read),)]
            case EnumType(cls):
                tests += [(equal(read, const(member)),) for member in cls]
            case SortType():
                pass
            case _:
                tests += [(equal(read, const(number)),) for number in (*SMALL, *HUGE)]
    for left, right in itertools.combinations(reads, 2):
        if left.type == right.type and (left.type == INT or isinstance(left.type, SortType)):
            same = equal(left, right)
            small = conj(same, less(ZERO, left, or_equal=True), less(left, const(9)))
            tests += [(small, same) if left.type == INT else (same,), (negate(same),)]
    for part in seen:
        if isinstance(part, Op) and part.op in ("<", "<=", "==") and part.args[0].type == INT:
            difference = Op("-", part.args, INT)
            tests += [(equal(difference, const(number)),) for number in (-1, 0, 1)]
    for write in _writes(path):  # a write of what is there already would hide one that is lost or wrong
        entry, value = write
        tests += [(negate(equal(entry, value)),)]
    known = set(path.condition)
    goals: dict[tuple[Node, ...], None] = {}
    for test in tests:
        open_ = tuple(conj(*_defined(t), t) for t in test if t not in known and negate(t) not in known)
        if open_:
            goals[open_] = None
    return list(goals)


def _writes(path: RawPath) -> Iterator[tuple[Node, Node]]:
    """Every entry that a path writes, as it was, with the value it gets."""
    for update in path.outcome.updates if isinstance(path.outcome, Does) else ():
        for write in update.writes:
            if isinstance(write, Write):
                yield Cell(update.symbol, write.keys), write.value


def counted(path: RawPath) -> int:
    """Members enough for everything that a path compares with a count to be counted apart."""
    seen = list(looked_at(path))
    numbers = [abs(int_of(part)) for part in seen if isinstance(part, Const) and part.type == INT]
    compared = sum(1 for part in seen if isinstance(part, Op) and part.args[0].type == INT and part.type == BOOL)
    return compared * (max(numbers, default=0) + 1) + 1


def laws_of(quant: Quant) -> Iterator[Node]:
    """What is true of a count or total, whatever the number of members, which is at least one."""
    bound, body = quant.bound, quant.body
    many = Name(f"how many {bound.type}", INT)
    yield less(ZERO, many)
    if quant.kind == "count":
        yield equal(less(ZERO, quant), quantify("exists", bound, body))
        yield equal(equal(quant, many), quantify("forall", bound, body))
        yield less(quant, many, or_equal=True)
    if quant.kind == "total":
        for least in (ZERO, ONE):
            every = quantify("forall", bound, less(least, body, or_equal=True))
            yield disj(negate(every), less(least, quant, or_equal=True))
        if isinstance(body, Const):
            yield equal(quant, operate("*", (body, many)))


def possible_in_numbers(path: RawPath, free: Sequence[Name], ranges: Sequence[Node]) -> bool:
    """Whether the path's condition can be met in any scope, as far as a few laws of counting tell."""
    terms = AnySize()
    solver = Solver(terms)
    quants = dict.fromkeys(part for part in looked_at(path) if isinstance(part, Quant))
    laws = [law for quant in quants if free_names(quant) <= set(free) for law in laws_of(quant)]
    for node in (*ranges, *path.condition, *laws):
        solver.add(terms.term(node))
    return not isinstance(solver.check(), Unsat)


class Trials:
    """A layout with the solver's reading of it, shared by the methods that need the same sizes."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.terms = AtScope(layout.sizes)
        self.solver = Solver(self.terms, RLIMIT)
        for cell in layout.cells:
            self._ground(cell.variable.symbol, cell.keys)
        for variable in layout.model.declared.variables:
            if variable.constant:
                self._pin(variable)

    def _ground(self, symbol: Symbol, keys: tuple[object, ...]) -> tuple[int, ...]:
        at = tuple(int(self.layout.encode_value(key)) for key in keys)
        self.terms.ground(symbol, at)
        if symbol.optional:
            self.terms.ground(symbol, at, absent=True)
        return at

    def _pin(self, variable: Variable) -> None:
        """A constant table holds what it holds."""
        symbol = variable.symbol
        every = itertools.product(*(self.layout.values(key) for key in symbol.keys))
        for keys, held in zip(every, self.layout.tables[symbol.name], strict=True):
            at = self._ground(symbol, keys)
            if symbol.optional:
                gone = self.terms.ground(symbol, at, absent=True)
                self.solver.add(gone if held is None else self.terms.no(gone))
            if held is not None:
                self.solver.add(self.terms.ground(symbol, at) == self.terms.literal(held))

    def values(self, model: Any) -> Values:
        """The state that the solver found, of which only what is asked for is worked out."""
        return _Found(self, model)

    def value_at(self, model: Any, cell: CellAt) -> object:
        at = tuple(int(self.layout.encode_value(key)) for key in cell.keys)
        return self.terms.value_of_cell(model, cell.variable.symbol, at)


class _Found(Mapping[Key, object]):
    """A state in a model of the solver's."""

    def __init__(self, trials: Trials, model: Any) -> None:
        self.trials, self.model = trials, model
        self.known: dict[Key, object] = {}

    def __getitem__(self, key: Key) -> object:
        if key not in self.known:
            layout = self.trials.layout
            self.known[key] = self.trials.value_at(self.model, layout.cells[layout.index[key]])
        return self.known[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self.trials.layout.index)

    def __len__(self) -> int:
        return len(self.trials.layout.index)


class Random:
    """States and values of names at random, the same for the same seed."""

    def __init__(
        self, rnd: random.Random, ints: Sequence[int], free: Sequence[Name], bounds: Mapping[str, range]
    ) -> None:
        self.rnd, self.ints, self.free, self.bounds = rnd, ints, free, bounds
        self.options: dict[Layout, list[tuple[Key, list[Sequence[object]]]]] = {}

    def values(self, layout: Layout) -> dict[Key, object]:
        if layout not in self.options:
            self.options[layout] = [(cell.key, self._kinds(layout, cell.variable)) for cell in layout.cells]
        one_of = self._one_of
        return {key: one_of(one_of(kinds)) for key, kinds in self.options[layout]}

    def names(self, layout: Layout) -> dict[str, Any]:
        return {name.name: self._one_of(layout.values(name.type, self.bounds.get(name.name))) for name in self.free}

    def others(self, layout: Layout, values: Values) -> dict[Key, object]:
        """Values of which each differs from the one given, where there is another."""
        drawn = self.values(layout)
        for key, kinds in self.options[layout]:
            if drawn[key] == values[key]:
                drawn[key] = next((other for kind in kinds for other in kind if other != values[key]), drawn[key])
        return drawn

    def _one_of(self, few: Sequence[Any]) -> Any:
        """What ``Random.choice`` gives, at a third of its price."""
        many = few.stop - few.start if isinstance(few, range) else len(few)  # a Range may be longer than len() tells
        return few[int(self.rnd.random() * many)]

    def _kinds(self, layout: Layout, variable: Variable) -> list[Sequence[object]]:
        """What a value is drawn from, once one of these is drawn."""
        symbol, bounds = variable.symbol, variable.range
        kinds: list[Sequence[object]] = [layout.values(symbol.type) if symbol.type != INT else self.ints]
        if bounds is not None:
            kinds += [bounds.of(layout.model.instance)] * 3
        return [*kinds, (None,)] if symbol.optional else kinds


class Noting(Mapping[Any, Any]):
    """A mapping that notes what was looked up in it."""

    def __init__(self, held: Mapping[Any, Any]) -> None:
        self.held = held
        self.seen: set[Any] = set()

    def __getitem__(self, key: Any) -> Any:
        self.seen.add(key)
        return self.held[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


def smaller_scopes(model: LiftedModel, scope: Trials, path: RawPath) -> Iterator[Trials]:
    """Scopes for what is true of few members only: one of some sorts, and as many of all as a number says."""
    sorts, mine = model.sorts, scope.layout.sizes
    numbers = {int_of(p) for p in looked_at(path) if isinstance(p, Const) and p.type == INT}
    few = {
        *range(1, max(mine.values(), default=1)),
        2,
        3,
        *(n + step for n in numbers if abs(n) <= MAX_SIZE for step in (-1, 0, 1)),
    }
    tried = [dict(zip(sorts, sizes, strict=True)) for sizes in itertools.product(*((1, mine[s]) for s in sorts))]
    tried += [dict.fromkeys(sorts, size) for size in sorted(few) if 1 <= size < MAX_SIZE]
    seen = [mine]
    for sizes in tried:
        if sizes not in seen:
            seen.append(sizes)
            yield Trials(Layout(model, sizes))
