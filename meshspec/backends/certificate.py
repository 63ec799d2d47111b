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
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends import certified_cache, inherited
from meshspec.backends.evaluate import Meaning, Names, apply, evaluate, meaning
from meshspec.backends.fingerprint import fingerprint
from meshspec.backends.layout import Layout, Values
from meshspec.backends.native import Native, Next, Value, call, dump, load, told
from meshspec.backends.solver import Sat, Unknown
from meshspec.backends.trials import (
    HUGE,
    MAX_SIZE,
    Noting,
    Random,
    RawPath,
    Trials,
    counted,
    goals_of,
    looked_at,
    possible_in_numbers,
    raw_paths,
    sizes_for,
    smaller_scopes,
)
from meshspec.errors import CertificateError, UsageError, Where
from meshspec.expr.build import conj, const, less
from meshspec.expr.nodes import INT, Absent, Cell, Const, Name, Node, Quant
from meshspec.expr.text import cell_text, text, value_text
from meshspec.expr.walk import free_names
from meshspec.lang.declare import PARTS
from meshspec.lang.lift import Lifted, LiftedModel, instantiate, lift
from meshspec.lang.outcomes import Blocks, Does, Outcome, Raises, Split

SEED, RANDOM_STATES = 0, 200
MAX_COUNTED = 64
MAX_SHOWN = 16
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

    def record(self) -> dict[str, object]:
        """The counts, without where the methods stand."""
        return attrs.asdict(self, filter=lambda field, _: field.name != "where")


def certified(model: Any) -> LiftedModel:
    """Lift a model (a class, or an instance with its constants chosen) and certify it: the door for engines.

    Lifted once for a class and its constants; certified unless the very same is on record
    (:mod:`meshspec.backends.certified_cache`), and of that only what was not tried in a model it was inherited from
    (:mod:`meshspec.backends.inherited`). Raises what `lift` does, and :class:`errors.CertificateError`.
    """
    instance: object = instantiate(model)
    cls = type(instance)
    memo: list[tuple[object, LiftedModel]] = vars(cls).get(_MEMO, [])
    try:
        constants = inherited.constants_of(instance)
    except TypeError:  # a constant that may change
        return _certified(lift(instance))
    for held, found in memo:
        if inherited.same(held, constants):
            return found
    made = _certified(lift(instance))
    setattr(cls, _MEMO, [*memo, (constants, made)])
    return made


def _certified(model: LiftedModel) -> LiftedModel:
    key = fingerprint(model, f"seed {SEED}, {RANDOM_STATES} random states") if certified_cache.folder() else None
    if key is None or certified_cache.recall(key) is None:
        certificate = certify(model, inherit=True)
        if key is not None:
            certified_cache.remember(key, certificate.record())
    return model


def certify(
    model: LiftedModel, *, seed: int = SEED, random_states: int = RANDOM_STATES, inherit: bool = False
) -> Certificate:
    """Hold every method of a lifted model against CPython; to `inherit` is to leave out what was tried elsewhere.

    Raises :class:`meshspec.errors.CertificateError` at the first disagreement, and where a path could not be checked.
    """
    scopes: dict[tuple[int, ...], Trials] = {}
    methods: list[MethodCertificate] = []
    for lifted in (*model.actions, *model.claims):
        if inherit and isinstance(known := inherited.found(model, lifted), MethodCertificate):
            methods.append(known)
            continue
        sizes = sizes_for(model, lifted)
        key = tuple(sizes.values())
        if key not in scopes:
            scopes[key] = Trials(Layout(model, sizes))
        methods.append(_Check(model, lifted, scopes[key], random.Random(seed)).all(random_states))
        if inherit:
            inherited.keep(model, lifted, methods[-1])
    return Certificate(model.name, seed, tuple(methods))


# -- one method ------------------------------------------------------------------------------------------------


@attrs.frozen
class _Reading:
    """Merged paths (their conditions, and what they come to) and a claim, ready for one layout."""

    merged: list[tuple[list[Meaning], Outcome]]
    claim: Meaning | None


def _fails(condition: list[Meaning], values: Values, names: Names) -> bool:
    return any(not conjunct(values, names) for conjunct in condition)


class _Check:
    """One method against CPython."""

    def __init__(self, model: LiftedModel, lifted: Lifted, scope: Trials, rnd: random.Random) -> None:
        self.model, self.lifted, self.scope, self.rnd = model, lifted, scope, rnd
        self.paths = list(raw_paths(lifted.raw))
        self.number = {path.answers: number for number, path in enumerate(self.paths)}
        self.merged = lifted.paths
        self.claim = lifted.claim if lifted.method.kind not in PARTS else None
        self.open = [goals_of(lifted, path) for path in self.paths]
        self.reached: set[int] = set()
        self.witnesses = self.dead = 0
        every = {part for path in self.paths for part in looked_at(path)}
        free = {name for goals in self.open for goal in goals for test in goal for name in free_names(test)}
        free |= {Name(p.name, p.type) for p in lifted.parameters}
        self.free = sorted(free, key=lambda name: name.name)
        numbers = {part.value for part in every if isinstance(part, Const) and part.type == INT}
        self.bounds = {p.name: p.range.of(model.instance) for p in lifted.parameters if p.range is not None}
        ints = sorted({*range(-3, 8), *self._near(numbers), *HUGE})
        self.random = Random(rnd, ints, self.free, self.bounds)
        self.readings: dict[Layout, _Reading] = {}

    def all(self, random_states: int) -> MethodCertificate:
        several = self.scope.layout
        alone = Layout(self.model, dict.fromkeys(self.model.sorts, 1)) if self.model.sorts else several
        for number in range(random_states):
            layout = alone if number % 5 == 4 else several  # the only member is a case of its own
            self._try(layout, self.random.values(layout), self.random.names(layout))
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

    def _completed(
        self, layout: Layout, found: Values, names: Names, held: Sequence[Node]
    ) -> tuple[Values, Values, dict[str, Any]]:
        """What the solver found, with all that `held` does not depend on made random, and with all of that otherwise.

        What is written unseen shows in one of the two: it cannot stand there already in both.
        """
        noting, noted = Noting(found), Noting(names)
        if not all(evaluate(node, layout, noting, noted) for node in held):
            raise AssertionError(f"{self.lifted.name}: the solver's state does not satisfy what it was asked for")
        values = self.random.values(layout)
        others = self.random.others(layout, values)
        for state in (values, others):
            state.update((key, found[key]) for key in noting.seen if key in found)
        arguments = self.random.names(layout)
        arguments.update((name, names[name]) for name in noted.seen)
        return values, others, arguments

    # -- comparing ---------------------------------------------------------------------------------------------

    def _try(self, layout: Layout, values: Values, names: Mapping[str, Any], twice: bool = False) -> int:
        """Compare one state; the number of the raw path that it takes."""
        arguments = [names[p.name] for p in self.lifted.parameters]
        instance = load(layout, values)
        native = call(layout, self.lifted, instance, arguments)
        path: RawPath | None = None

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
        try:
            number = self._walk(layout, values, names)
            path = self.paths[number]
            if (read := apply(path.outcome, layout, values, names)) != native:
                raise disagree("the lifted reading", read)
            reading = self._reading(layout)
            fitting = [outcome for condition, outcome in reading.merged if not _fails(condition, values, names)]
            if len(fitting) != 1:
                raise disagree("the merged paths", f"{len(fitting)} of them fit and exactly one must")
            if (read := apply(fitting[0], layout, values, names)) != native:
                raise disagree("the merged reading", read)
            if reading.claim is not None:
                said = bool(reading.claim(values, names))
                if said != (isinstance(native, Value) and native.value):
                    raise disagree("the claim as an expression", Value(said))
        except (ZeroDivisionError, TypeError) as error:  # a division by zero, a number that is None
            raise disagree("the reading", f"has no value ({error})") from error
        self.reached.add(number)
        self.open[number] = [g for g in self.open[number] if not evaluate(g[0], layout, values, names)]
        return number

    def _reading(self, layout: Layout) -> _Reading:
        found = self.readings.get(layout)
        if found is None:
            merged = [([meaning(c, layout) for c in path.condition], path.outcome) for path in self.merged]
            claim = None if self.claim is None else meaning(self.claim, layout)
            found = self.readings[layout] = _Reading(merged, claim)
        return found

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
        path: RawPath | None,
        native: Native,
        who: str,
        other: object,
    ) -> CertificateError:
        shown = {k: v for k, v in values.items() if k[0] in self._names_read()} or values
        entries = [f"{cell_text(n, tuple(map(value_text, k)))}={value_text(v)}" for (n, k), v in shown.items()]
        state = ", ".join(entries[:MAX_SHOWN]) + (", ..." if len(entries) > MAX_SHOWN else "")
        names = [p.name for p in (*self.lifted.method.parameters, *self.lifted.choices)]
        parts = itertools.chain(*self.lifted.assembled(arguments))
        given = ", ".join(f"{name}={value_text(value)}" for name, value in zip(names, parts, strict=True))
        return CertificateError(
            f"{self.lifted.name} cannot be trusted as it was read: CPython {told(native, values)}; {who}: "
            f"{told(other, values)}. State: {state or 'no variables'}; arguments: {given or 'none'}. Near this "
            "line the body looks at something that lifting cannot see (`is`, type(), id() on an int, hidden state, "
            "a C function): write it with == and values of the model",
            (path and path.where) or self.lifted.method.where,
        )

    def _names_read(self) -> set[str]:
        found = {part.symbol.name for p in self.paths for part in looked_at(p) if isinstance(part, (Cell, Absent))}
        for path in self.paths:
            if isinstance(path.outcome, Does):
                found.update(update.symbol.name for update in path.outcome.updates)
        return found

    # -- the solver --------------------------------------------------------------------------------------------

    def _with_solver(self, scope: Trials, numbers: Iterable[int]) -> list[int]:
        """A witness for every path and every goal not met by then; what is unsatisfiable is looked into."""
        terms = scope.terms
        ranges = self._ranges()
        for number in (numbers := list(numbers)):  # every term first: what is true of terms is stated once
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

    def _witness(self, scope: Trials, number: int, held: Sequence[Node]) -> bool:
        reply = scope.solver.check()
        if isinstance(reply, Unknown) and number not in self.reached:
            raise self._uncertified(number, f"{reply.reason}, and no random state took it")
        if not isinstance(reply, Sat):
            return False
        found = scope.values(reply.model)
        names = {name.name: scope.terms.value(reply.model, name) for name in self.free}
        first, second, names = self._completed(scope.layout, found, names, held)
        for state in (first, second):
            taken = self._try(scope.layout, state, names, twice=state is first)
            if taken != number:
                raise AssertionError(f"{self.lifted.name}: a state found for path {number} takes path {taken}")
        self.witnesses += 1
        return True

    def _meet_goals(self, scope: Trials, number: int, condition: tuple[Node, ...]) -> None:
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
        quants = [part for part in looked_at(path) if isinstance(part, Quant)]
        counts = [quant for quant in quants if quant.kind in ("count", "total")]
        capped = any(size >= MAX_SIZE for size in scope.layout.sizes.values())
        if capped and not quants:
            raise self._uncertified(number, f"it names too many members of one sort (more than {MAX_SIZE - 1})")
        if quants:
            for other in (*smaller_scopes(self.model, scope, path), self._larger(path, bool(counts))):
                scope = other
                if not self._with_solver(scope, [number]):
                    return
        most = max(scope.layout.sizes.values(), default=0)
        if counts and counted(path) > most and possible_in_numbers(path, self.free, self._ranges()):
            raise self._uncertified(number, f"it takes more than {most} members, or none of them take it")
        self.dead += 1

    def _larger(self, path: RawPath, counting: bool) -> Trials:
        needed = min(counted(path), MAX_COUNTED) if counting else 0
        sizes = dict.fromkeys(self.model.sorts, max(MAX_SIZE, needed))
        try:
            return Trials(Layout(self.model, sizes))
        except UsageError as error:
            raise self._uncertified(self.number[path.answers], str(error)) from None

    def _uncertified(self, number: int, why: str) -> CertificateError:
        path = self.paths[number]
        condition = " and ".join(text(node) for node in path.condition) or "True"
        return CertificateError(
            f"{self.lifted.name} is not certified: no state was found for the path where {condition}: {why}. "
            "Split the action, or write the test in smaller steps",
            path.where or self.lifted.method.where,
        )
