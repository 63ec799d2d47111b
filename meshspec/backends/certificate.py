"""The lift certificate: no engine reads a lifted method that has not been held against CPython.

Checked on the raw paths, before any merging can hide one: a state for every path, found by the solver; on every
path a state for each value of each finite thing that was read, for equal and different of each two members and each
two ints that were read, for small and huge ints and for both sides of every comparison; and random states. In each
of them CPython, the raw tree, the merged paths (of which exactly one must fit) and a claim's expression must agree.

A path that no state can take is dropped quietly. One that the solver gave up on, or that would take more members
than were tried, fails the certificate unless a random state took it. It is testing: what it cannot see is left to
:mod:`meshspec.lang.scan` and to eager splitting.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends.evaluate import Names, apply, evaluate
from meshspec.backends.layout import Key, Layout, Values
from meshspec.backends.native import Native, Next, Value, call, dump, load
from meshspec.backends.solver import AtScope, Sat, Solver, Unknown
from meshspec.errors import CertificateError, UsageError, Where
from meshspec.expr.build import ZERO, conj, const, equal, less, negate
from meshspec.expr.nodes import INT, Absent, BoolType, Cell, Const, EnumType, Name, Node, Op, Quant, SortType
from meshspec.expr.text import cell_text, text, value_text
from meshspec.expr.walk import free_names, parts
from meshspec.lang.declare import PARTS, Parameter
from meshspec.lang.lift import Lifted, LiftedModel, instantiate, lift
from meshspec.lang.outcomes import Blocks, Does, Outcome, Raises, Split, Tree, WriteAll, answer_is
from meshspec.sorts import Sort

MAX_SIZE = 8
MAX_COUNTED = 64
HUGE = (-(2**63), 2**63 + 1)
SMALL = (-1, 0, 1, 2, 3)
_MEMO = "_meshspec_certified"


@attrs.frozen
class MethodCertificate:
    """What one method was checked on: states by origin, and the paths no state can take."""

    name: str
    where: Where
    paths: int
    witnesses: int
    random_states: int
    dead: int
    sizes: tuple[tuple[str, int], ...]


@attrs.frozen
class Certificate:
    """Every method of a model, with its constants, agreed with CPython wherever it was tried."""

    model: str
    seed: int
    methods: tuple[MethodCertificate, ...]

    @property
    def states(self) -> int:
        return sum(method.witnesses + method.random_states for method in self.methods)


def certified(model: Any) -> LiftedModel:
    """Lift a model (a class, or an instance with its constants chosen) and certify it: the door for engines.

    Done once for a class and its constants, where those can be hashed. Raises
    :class:`meshspec.errors.LiftError` and :class:`meshspec.errors.CertificateError`.
    """
    instance = instantiate(model)
    memo: dict[object, LiftedModel] = vars(type(instance)).get(_MEMO, {})
    key = _constants(instance)
    try:
        found = memo.get(key)
    except TypeError:  # a constant that cannot be hashed
        lifted = lift(instance)
        certify(lifted)
        return lifted
    if found is None:
        found = lift(instance)
        certify(found)
        memo[key] = found
        setattr(type(instance), _MEMO, memo)
    return found


def _constants(instance: Any) -> tuple[object, ...]:
    from meshspec.lang.declare import declared

    known = declared(type(instance))
    own = [(type(vars(instance)[name]), vars(instance)[name]) for name in known.constants]
    return (*own, *(_constants(vars(instance)[name]) for name, _ in known.submachines))


def certify(model: LiftedModel, *, seed: int = 0, random_states: int = 200) -> Certificate:
    """Hold every method of a lifted model against CPython.

    Raises :class:`meshspec.errors.CertificateError` at the first disagreement, and for a path that could not be
    checked.
    """
    scopes: dict[tuple[int, ...], _Scope] = {}
    methods: list[MethodCertificate] = []
    for lifted in (*model.actions, *model.claims):
        sizes = _sizes(model, lifted)
        key = tuple(sizes.values())
        if key not in scopes:
            scopes[key] = _Scope(Layout(model, sizes))
        methods.append(_Check(model, lifted, scopes[key], random.Random(seed)).all(random_states))
    return Certificate(model.name, seed, tuple(methods))


# -- what there is to look at ----------------------------------------------------------------------------------


@attrs.frozen
class _RawPath:
    """One raw path: which answers, under which condition, with which outcome, last asked where."""

    answers: tuple[int, ...]
    condition: tuple[Node, ...]
    outcome: Outcome
    where: Where | None


def _raw_paths(tree: Tree[Outcome]) -> Iterator[_RawPath]:
    stack: list[tuple[tuple[int, ...], tuple[Node, ...], Where | None, Tree[Outcome]]] = [((), (), None, tree)]
    while stack:
        answers, condition, where, top = stack.pop()
        if not isinstance(top, Split):
            yield _RawPath(answers, condition, top.value, where)
            continue
        below = [
            ((*answers, number), (*condition, answer_is(top.question, option)), top.where or where, child)
            for number, (option, child) in enumerate(zip(top.options, top.below, strict=True))
        ]
        stack.extend(reversed(below))


def _looked_at(path: _RawPath) -> Iterator[Node]:
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


def _sizes(model: LiftedModel, lifted: Lifted) -> dict[type[Sort], int]:
    """Members enough for all that the method names to be different, and one that it does not name."""
    named: dict[Node, None] = dict.fromkeys(lifted.reads)
    named.update((Name(p.name, p.type), None) for p in lifted.parameters)
    for path in _raw_paths(lifted.raw):
        for part in _looked_at(path):
            if isinstance(part, Quant):
                named[part.bound] = None
            elif isinstance(part, Cell):
                named[part] = None
    sizes = {}
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


def _goals(lifted: Lifted, path: _RawPath) -> list[tuple[Node, ...]]:
    """What a path is to be tried on; each goal lists conditions, the first that can be met is enough."""
    tests: list[tuple[Node, ...]] = []
    looked_at = list(_looked_at(path))
    reads = dict.fromkeys(read for read in lifted.reads if not isinstance(read, Const))
    reads.update((part, None) for part in looked_at if isinstance(part, (Cell, Absent)))
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
    for part in looked_at:
        if isinstance(part, Op) and part.op in ("<", "<=", "==") and part.args[0].type == INT:
            left, right = part.args
            difference = Op("-", (left, right), INT)
            tests += [(equal(difference, const(number)),) for number in (-1, 0, 1)]
    known = set(path.condition)
    goals: dict[tuple[Node, ...], None] = {}
    for test in tests:
        open_ = tuple(conj(*_defined(t), t) for t in test if t not in known and negate(t) not in known)
        if open_:
            goals[open_] = None
    return list(goals)


# -- states ----------------------------------------------------------------------------------------------------


class _Scope:
    """A layout with the solver's reading of it, shared by the methods that need the same sizes."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.terms = AtScope(layout.sizes)
        self.solver = Solver(self.terms)
        for cell in layout.cells:
            self._ground(cell.variable.symbol, cell.keys)
        for variable in layout.model.declared.variables:
            if variable.constant:
                self._pin(variable)

    def _ground(self, symbol: Any, keys: tuple[object, ...]) -> tuple[int, ...]:
        at = tuple(int(self.layout.encode_value(key)) for key in keys)
        self.terms.ground(symbol, at)
        if symbol.optional:
            self.terms.ground(symbol, at, absent=True)
        return at

    def _pin(self, variable: Any) -> None:
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

    def values(self, model: Any) -> dict[Key, object]:
        """The state that the solver found."""
        return {
            cell.key: self.terms.value_of_cell(
                model, cell.variable.symbol, tuple(int(self.layout.encode_value(key)) for key in cell.keys)
            )
            for cell in self.layout.cells
        }


class _Noting(Mapping[Any, Any]):
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
