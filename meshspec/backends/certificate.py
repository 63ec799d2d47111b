"""The lift certificate: no engine reads a lifted method that has not been held against CPython.

Checked on the raw paths, before any merging can hide one: a state for every path, found by the solver; on every
path a state for each value of each finite thing that was read, for equal and different of each two members and each
two ints that were read, for small and huge ints and for both sides of every comparison; and random states. In each
of them CPython, the raw tree, the merged paths (of which exactly one must fit) and a claim's expression must agree.

A path that no state can take, with few members or with many, is dropped quietly. One that the solver gave up on, or
that would take more members than were tried, fails the certificate unless a random state took it. It is testing: what
it cannot see is left to :mod:`meshspec.lang.scan` and to eager splitting.
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
from meshspec.backends.solver import AnySize, AtScope, Sat, Solver, Unknown, Unsat
from meshspec.errors import CertificateError, UsageError, Where
from meshspec.expr.build import ONE, ZERO, conj, const, disj, equal, int_of, less, negate, operate, quantify
from meshspec.expr.nodes import INT, Absent, BoolType, Cell, Const, EnumType, Name, Node, Op, Quant, SortType, Symbol
from meshspec.expr.text import cell_text, text, value_text
from meshspec.expr.walk import free_names, parts
from meshspec.lang.declare import PARTS, Variable, declared
from meshspec.lang.lift import Lifted, LiftedModel, instantiate, lift
from meshspec.lang.outcomes import Blocks, Does, Outcome, Raises, Split, Tree, WriteAll, answer_is
from meshspec.sorts import Sort

MAX_SIZE = 8
MAX_COUNTED = 64
MAX_SHOWN = 16
RLIMIT = 400_000
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
            difference = Op("-", part.args, INT)
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


# -- one method ------------------------------------------------------------------------------------------------


class _Check:
    """One method against CPython."""

    def __init__(self, model: LiftedModel, lifted: Lifted, scope: _Scope, rnd: random.Random) -> None:
        self.model, self.lifted, self.scope, self.rnd = model, lifted, scope, rnd
        self.paths = list(_raw_paths(lifted.raw))
        self.number = {path.answers: number for number, path in enumerate(self.paths)}
        self.merged = lifted.paths
        self.claim = lifted.claim if lifted.method.kind not in PARTS else None
        self.open = [_goals(lifted, path) for path in self.paths]
        self.reached: set[int] = set()
        self.witnesses = self.dead = 0
        every = {part for path in self.paths for part in _looked_at(path)}
        free = {name for goals in self.open for goal in goals for test in goal for name in free_names(test)}
        free |= {Name(p.name, p.type) for p in lifted.parameters}
        self.free = sorted(free, key=lambda name: name.name)
        numbers = {part.value for part in every if isinstance(part, Const) and part.type == INT}
        self.ints = sorted({*range(-3, 8), *self._near(numbers), *HUGE})
        self.bounds = {p.name: p.range.of(model.instance) for p in lifted.parameters if p.range is not None}
        self.options: dict[Layout, list[tuple[Key, list[Sequence[object]]]]] = {}

    def all(self, random_states: int) -> MethodCertificate:
        several = self.scope.layout
        alone = Layout(self.model, dict.fromkeys(self.model.sorts, 1)) if self.model.sorts else several
        for number in range(random_states):
            layout = alone if number % 5 == 4 else several  # the only member is a case of its own
            self._try(layout, self._random_values(layout), self._random_names(layout))
        for number in self._with_solver(self.scope, range(len(self.paths))):
            self._unmet(number)
        return MethodCertificate(
            self.lifted.name,
            self.lifted.method.where,
            len(self.paths),
            self.witnesses,
            random_states,
            self.dead,
            tuple((sort.__name__, size) for sort, size in self.scope.layout.sizes.items()),
        )

    @staticmethod
    def _near(numbers: Iterable[object]) -> set[int]:
        """The numbers that a body names, and those beside them."""
        return {int(number) + step for number in numbers if isinstance(number, int) for step in (-1, 0, 1)}

    # -- states ------------------------------------------------------------------------------------------------

    def _random_values(self, layout: Layout) -> dict[Key, object]:
        if layout not in self.options:
            self.options[layout] = [(cell.key, self._drawn_from(layout, cell.variable)) for cell in layout.cells]
        choice = self.rnd.choice
        return {key: choice(choice(kinds)) for key, kinds in self.options[layout]}

    def _drawn_from(self, layout: Layout, variable: Variable) -> list[Sequence[object]]:
        """What a random value is drawn from, once one of these is drawn."""
        symbol, bounds = variable.symbol, variable.range
        kinds: list[Sequence[object]] = [layout.values(symbol.type) if symbol.type != INT else self.ints]
        if bounds is not None:
            kinds += [bounds.of(self.model.instance)] * 3
        return [*kinds, (None,)] if symbol.optional else kinds

    def _random_names(self, layout: Layout) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for name in self.free:
            bounds = self.bounds.get(name.name)
            names[name.name] = self.rnd.choice(layout.values(name.type, bounds))
        return names

    def _completed(
        self, layout: Layout, found: Values, names: Names, held: Sequence[Node]
    ) -> tuple[Values, dict[str, Any]]:
        """What the solver found, with everything that `held` does not depend on made random."""
        noting, noted = _Noting(found), _Noting(names)
        if not all(evaluate(node, layout, noting, noted) for node in held):
            raise AssertionError(f"{self.lifted.name}: the solver's state does not satisfy what it was asked for")
        values, others = self._random_values(layout), self._random_names(layout)
        values.update((key, found[key]) for key in noting.seen if key in found)
        others.update((name, names[name]) for name in noted.seen)
        return values, others

    # -- comparing ---------------------------------------------------------------------------------------------

    def _try(self, layout: Layout, values: Values, names: Mapping[str, Any], twice: bool = False) -> int:
        """Compare one state; the number of the raw path that it takes."""
        number = self._walk(layout, values, names)
        path = self.paths[number]
        arguments = [names[p.name] for p in self.lifted.parameters]
        instance = load(layout, values)
        native = call(layout, self.lifted, instance, arguments)

        def disagree(who: str, other: object) -> CertificateError:
            return self._disagreement(layout, values, arguments, path, native, who, other)

        if twice and (again := call(layout, self.lifted, load(layout, values), arguments)) != native:
            raise disagree("CPython again, on the same state (hidden state?)", again)
        if (
            (twice or isinstance(native, Blocks))
            and not isinstance(native, (Next, Raises))
            and (after := dump(layout, instance)) != values
        ):
            raise disagree("the state after it, which must be unchanged", Next(after))
        if (read := apply(path.outcome, layout, values, names)) != native:
            raise disagree("the lifted reading", read)
        fitting = [p for p in self.merged if all(evaluate(c, layout, values, names) for c in p.condition)]
        if len(fitting) != 1:
            raise disagree("the merged paths", f"{len(fitting)} of them fit and exactly one must")
        if (read := apply(fitting[0].outcome, layout, values, names)) != native:
            raise disagree("the merged reading", read)
        if self.claim is not None:
            said = bool(evaluate(self.claim, layout, values, names))
            if said != (isinstance(native, Value) and native.value):
                raise disagree("the claim as an expression", Value(said))
        self.reached.add(number)
        self.open[number] = [g for g in self.open[number] if not evaluate(g[0], layout, values, names)]
        return number

    def _walk(self, layout: Layout, values: Values, names: Names) -> int:
        tree = self.lifted.raw
        answers: tuple[int, ...] = ()
        while isinstance(tree, Split):
            answer = tree.options.index(evaluate(tree.question, layout, values, names))
            tree, answers = tree.below[answer], (*answers, answer)
        return self.number[answers]

    def _disagreement(
        self,
        layout: Layout,
        values: Values,
        arguments: Sequence[object],
        path: _RawPath,
        native: Native,
        who: str,
        other: object,
    ) -> CertificateError:
        shown = {k: v for k, v in values.items() if k[0] in self._names_read()} or values
        entries = [f"{cell_text(n, tuple(map(value_text, k)))}={value_text(v)}" for (n, k), v in shown.items()]
        state = ", ".join(entries[:MAX_SHOWN]) + (", ..." if len(entries) > MAX_SHOWN else "")
        given = ", ".join(
            f"{p.name}={value_text(value)}" for p, value in zip(self.lifted.parameters, arguments, strict=True)
        )
        return CertificateError(
            f"{self.lifted.name} cannot be trusted as it was read: CPython {_told(native, values)}; {who}: "
            f"{_told(other, values)}. State: {state or 'no variables'}; arguments: {given or 'none'}. Near this "
            "line the body looks at something that lifting cannot see (`is`, type(), id() on an int, hidden state, "
            "a C function): write it with == and values of the model",
            path.where or self.lifted.method.where,
        )

    def _names_read(self) -> set[str]:
        found = {part.symbol.name for p in self.paths for part in _looked_at(p) if isinstance(part, (Cell, Absent))}
        for path in self.paths:
            if isinstance(path.outcome, Does):
                found.update(update.symbol.name for update in path.outcome.updates)
        return found

    # -- the solver --------------------------------------------------------------------------------------------

    def _with_solver(self, scope: _Scope, numbers: Iterable[int]) -> list[int]:
        """A witness for every path and every goal not met by then; what is unsatisfiable is looked into."""
        terms = scope.terms
        ranges = self._ranges()
        numbers = list(numbers)
        for number in numbers:  # every term before the first question: what is true of terms is stated once
            for node in (*self.free, *ranges, *self.paths[number].condition, *itertools.chain(*self.open[number])):
                terms.term(node)
        unmet: list[int] = []
        with scope.solver.within():
            for node in ranges:
                scope.solver.add(terms.term(node))
            for number in numbers:
                condition = self.paths[number].condition
                with scope.solver.within():
                    for node in condition:
                        scope.solver.add(terms.term(node))
                    if self._witness(scope, number, condition):
                        self._meet_goals(scope, number, condition)
                    elif number not in self.reached:
                        unmet.append(number)
        return unmet

    def _ranges(self) -> list[Node]:
        """That arguments are values that they may have."""
        return [
            conj(*(less(const(b[0]), name, or_equal=True), less(name, const(b[-1]), or_equal=True)))
            for name in self.free
            if (b := self.bounds.get(name.name)) is not None
        ]

    def _witness(self, scope: _Scope, number: int, held: Sequence[Node]) -> bool:
        reply = scope.solver.check()
        if isinstance(reply, Unknown) and number not in self.reached:
            raise self._uncertified(number, f"{reply.reason}, and no random state took it")
        if not isinstance(reply, Sat):
            return False
        found = scope.values(reply.model)
        names = {name.name: scope.terms.value(reply.model, name) for name in self.free}
        values, names = self._completed(scope.layout, found, names, held)
        taken = self._try(scope.layout, values, names, twice=True)
        if taken != number:
            raise AssertionError(f"{self.lifted.name}: a state found for path {number} takes path {taken}")
        self.witnesses += 1
        return True

    def _meet_goals(self, scope: _Scope, number: int, condition: tuple[Node, ...]) -> None:
        for goal in list(self.open[number]):
            if goal not in self.open[number]:
                continue  # an earlier witness met it
            for test in goal:
                with scope.solver.within():
                    scope.solver.add(scope.terms.term(test))
                    if self._witness(scope, number, (*condition, test)):
                        break

    def _unmet(self, number: int) -> None:
        """A path without a witness: dead, or in need of fewer or of more members."""
        path, scope = self.paths[number], self.scope
        quants = [part for part in _looked_at(path) if isinstance(part, Quant)]
        counts = [quant for quant in quants if quant.kind in ("count", "total")]
        capped = any(size >= MAX_SIZE for size in scope.layout.sizes.values())
        if capped and not quants:
            raise self._uncertified(number, f"it names too many members of one sort (more than {MAX_SIZE - 1})")
        if quants:
            for scope in (*self._smaller(path), self._larger(path, bool(counts))):
                if not self._with_solver(scope, [number]):
                    return
        most = max(scope.layout.sizes.values(), default=0)
        if counts and self._counts_beyond(most, path) and self._possible_in_numbers(path):
            raise self._uncertified(number, f"it takes more than {most} members, or none of them take it")
        self.dead += 1

    def _smaller(self, path: _RawPath) -> Iterator[_Scope]:
        """Scopes for what is true of few members only: one of some sorts, and as many of all as a number says."""
        sorts, mine = self.model.sorts, self.scope.layout.sizes
        numbers = {int_of(p) for p in _looked_at(path) if isinstance(p, Const) and p.type == INT}
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
                yield _Scope(Layout(self.model, sizes))

    def _larger(self, path: _RawPath, counting: bool) -> _Scope:
        numbers = [abs(int(p.value)) for p in _looked_at(path) if isinstance(p, Const) and isinstance(p.value, int)]
        needed = max((n + 2 for n in numbers if n + 2 <= MAX_COUNTED), default=0) if counting else 0
        sizes = dict.fromkeys(self.model.sorts, max(MAX_SIZE, needed))
        try:
            return _Scope(Layout(self.model, sizes))
        except UsageError as error:
            raise self._uncertified(self.number[path.answers], str(error)) from None

    def _counts_beyond(self, most: int, path: _RawPath) -> bool:
        """Whether a count may be compared with more members than were tried."""
        return any(isinstance(p, Const) and p.type == INT and abs(int_of(p)) >= most for p in _looked_at(path))

    def _possible_in_numbers(self, path: _RawPath) -> bool:
        """Whether the path's condition can be met in any scope, as far as a few laws of counting tell."""
        terms = AnySize()
        solver = Solver(terms)
        quants = dict.fromkeys(part for part in _looked_at(path) if isinstance(part, Quant))
        laws = [law for quant in quants if free_names(quant) <= set(self.free) for law in _laws(quant)]
        for node in (*self._ranges(), *path.condition, *laws):
            solver.add(terms.term(node))
        return not isinstance(solver.check(), Unsat)

    def _uncertified(self, number: int, why: str) -> CertificateError:
        path = self.paths[number]
        condition = " and ".join(text(node) for node in path.condition) or "True"
        return CertificateError(
            f"{self.lifted.name} is not certified: no state was found for the path where {condition}: {why}. "
            "Split the action, or write the test in smaller steps",
            path.where or self.lifted.method.where,
        )


def _laws(quant: Quant) -> Iterator[Node]:
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


def _told(outcome: object, values: Values) -> str:
    """An outcome in words: only what changed."""
    match outcome:
        case Blocks():
            return "is blocked"
        case Raises(error):
            return f"raises {error}"
        case Value(value):
            return f"says {value}"
        case Next(after):
            changed = [
                f"{cell_text(name, tuple(map(value_text, keys)))}={value_text(value)}"
                for (name, keys), value in after.items()
                if value != values[name, keys]
            ]
            return f"leads to {', '.join(changed) or 'the same state'}"
        case _:
            return str(outcome)
