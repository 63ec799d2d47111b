"""What is driven: a model in a scope, what leads on from each of its states, what refutes it and how that is told.

Which actions are enabled and what a state settles is read from the lifted model, on tuples, once for each state. The
steps are taken by :mod:`meshspec.engines.course`.
"""

from __future__ import annotations

import importlib
import itertools
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from meshspec.answer import Answer, Counterexample, Finding
from meshspec.backends.generated import Generator
from meshspec.backends.layout import NO_RAISE, Layout, State, range_name
from meshspec.engines.check import Answered
from meshspec.engines.explore import ENDS
from meshspec.engines.walk import Walk
from meshspec.errors import Disagreement, MeshspecError, UsageError
from meshspec.expr.build import negate
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.sorts import Sort

if TYPE_CHECKING:
    from meshspec.engines.beside import Implementation, Memory, Side

MAX_INITIAL = 100_000
MAX_KNOWN = 200_000  # states of which it is remembered what is open there
AGREES = "the implementation agrees"


@attrs.frozen
class Watched:
    """What a state can settle: ``test`` says for which arguments, cell or action it does, or -1.

    It settles ``property``: a witness in its favour, anything else against it.
    """

    name: str
    property: str
    kind: str
    test: Callable[[State], int]
    lifted: Lifted | None = None
    witness: bool = False


@attrs.frozen
class Here:
    """What is known of one state: the ground actions that lead on, with where to, and what it settles."""

    ways: tuple[tuple[int, State], ...]
    settles: tuple[Watched, ...]


@attrs.frozen
class Trace:
    """The way of one example: the number of its initial state, and the ground actions taken since."""

    start: int
    actions: tuple[int, ...]


class Refuted(AssertionError):
    """A step refuted a property: what a driven machine fails with. Its text is the path as a numbered argument.

    Attributes:
        property: the name of what is refuted.
        trace: how it got there.
        failed, sign: of an implementation, how it differs from the model, and the same without values.
    """

    def __init__(self, plan: Plan, property: str, trace: Trace, failed: str = "", sign: str = "") -> None:
        super().__init__(property)
        self.plan, self.property, self.trace, self.failed, self.sign = plan, property, trace, failed, sign

    def add_note(self, note: str, /) -> None:
        """Notes are kept, but for the program of integers: the argument tells the same in the model's words."""
        if not note.startswith(("state = ", "state.", STEP, "Failing test case: <")):
            super().add_note(note)

    @cached_property
    def finding(self) -> Finding:
        """What is refuted, with its counterexample, the path run on CPython once more."""
        return self.plan.refutation(self)

    @cached_property
    def shrunk(self) -> Trace:
        """What is left of the way; a step that an implementation took stays, since it was seen with it."""
        if self.property == AGREES:
            return self.trace
        return self.plan.shorter(self.trace, lambda one: one.property == self.property and not one.witness)

    @cached_property
    def _text(self) -> str:
        return self.plan.told(self.finding, self.shrunk)

    def __str__(self) -> str:
        return self._text


class NothingTried(MeshspecError):
    """No step was taken, so that nothing was tried and nothing compared: neither a pass nor a skip, but an error."""

    answer = Answer.VACUOUS

    def __init__(self, plan: Plan, why: str = "") -> None:
        beside = plan.against is not None
        stuck = all(not plan.here(state).ways for state in plan.initial)
        usual = (
            "the model is stuck where it starts"
            if stuck
            else "give it more steps and examples, and refuse none of them with assume() or a skip"
        )
        super().__init__(
            f"{plan.model.name} is VACUOUS: no step was {'compared' if beside else 'taken'} in "
            f"{plan.examples:,} examples, so nothing was tried; {why or usual}"
        )


def _silent() -> None:
    """Show nothing."""


def fewest(actions: list[int], as_far: Callable[[list[int]], list[int] | None]) -> list[int]:
    """Actions without every one, and every two, that they do without; `as_far` cuts them off where they do it."""
    position = 0
    while position < len(actions):
        for other in (None, *range(position + 1, len(actions))):
            fewer = as_far([a for i, a in enumerate(actions) if i not in (position, other)])
            if fewer is not None:
                actions, position = fewer, -1
                break
        position += 1
    return actions


STEP = "    step "
"""What a line begins with that tells of one step while Hypothesis is verbose."""


class Plan:
    """A model in a scope, ready to be driven; what is counted here is counted over all examples.

    `weights` are by name of action: so often as an action of weight 1 is it picked. Raises :class:`UsageError` for a
    name that is no action, for a weight below 1, and for a scope that lacks a sort or is too large to build.
    """

    def __init__(
        self,
        model: LiftedModel,
        sizes: Mapping[type[Sort], int],
        *,
        weights: Mapping[str, int] | None = None,
        swarm: bool = True,
        without: Collection[str] = (),
        against: Implementation | None = None,
        target: object = None,
    ) -> None:
        self.model, self.layout, self.against = model, Layout(model, sizes), against
        self.without, self.target = tuple(without), target
        self.ground = self.layout.ground_actions()
        self.kinds = tuple(lifted.name for lifted in model.actions)
        self.kind_of = tuple(self.kinds.index(lifted.name) for lifted, _ in self.ground)
        self.swarm = swarm and len(self.kinds) > 1
        self._refuse_weights(weights or {})
        self.weights = tuple((weights or {}).get(kind, 1) for kind in self.kinds)
        self.even = all(weight == 1 for weight in self.weights)
        self.most = max(1, sum(self.weights[kind] for kind in self.kind_of))
        self.called = tuple(lifted.called(arguments) for lifted, arguments in self.ground)
        self.initial = tuple(itertools.islice(self.layout.initial_states(), MAX_INITIAL))
        self.generator = Generator(self.layout)
        self.successors, self.outside = self.generator.successors(), self.generator.out_of_range()
        self.watched = tuple(self._watched())
        self.open = {one.property for one in self.watched if not one.witness} | {AGREES}
        self._known: dict[State, Here] = {}
        self._errors: dict[str, type[Refuted]] = {}
        self.stuck: set[State] = set()
        self.taken: Counter[str] = Counter()
        self.witnessed: dict[str, Trace] = {}
        self.examples = self.steps = 0
        self.progress: Callable[[], None] = _silent

    def _refuse_weights(self, weights: Mapping[str, int]) -> None:
        for name, weight in weights.items():
            if name not in self.kinds:
                raise UsageError(f"weights: {self.model.name} has no action {name!r}; it has {', '.join(self.kinds)}")
            if type(weight) is not int or not 1 <= weight <= 1000:
                raise UsageError(
                    f"weights: {name} = {weight!r}: a weight is a whole number from 1 to 1000; "
                    "a fault that is never to strike is taken away: without=(...)"
                )

    @cached_property
    def beside(self) -> Memory:
        """What is known of the implementation over all examples."""
        assert self.against is not None
        return self.against.memory(self)

    def side(self) -> Side | None:
        """The implementation for one example, as long as it is still in question."""
        return self.against.side(self) if self.against is not None and AGREES in self.open else None

    def begin_count(self) -> None:
        """Count from nothing: one run of a machine is one test."""
        self.examples = self.steps = 0
        self.taken.clear()

    def count(self, path: Iterable[int]) -> None:
        """Count an example, and the actions that were taken in it."""
        self.examples += 1
        for number in path:
            self.taken[self.kinds[self.kind_of[number]]] += 1
            self.steps += 1

    # -- what a state settles ----------------------------------------------------------------------------------

    def _watched(self) -> Iterator[Watched]:
        for lifted in self.model.claims:
            kind, arguments = lifted.method.kind, self.layout.arguments(lifted.parameters)
            names = [self.generator.names(lifted, one) for one in arguments]
            if kind in ("always", "lemma"):
                test = self.generator.first_failure(lifted.claim, names)
                yield Watched(lifted.name, lifted.name, kind, test, lifted)
            elif kind == "sometimes":
                sound = self.generator.first_failure(negate(lifted.raising), names)
                yield Watched(f"{lifted.name} raises", lifted.name, kind, sound, lifted)
                for one, its in zip(arguments, names, strict=True):
                    never = self.generator.first_failure(negate(lifted.claim), [its])
                    yield Watched(lifted.called(one), lifted.name, kind, never, lifted, witness=True)
            elif kind == "terminal":
                test = self._bad_end(self.generator.first_failure(lifted.claim, names))
                yield Watched(ENDS, ENDS, kind, test, lifted)
        for variable in self.model.declared.variables:
            if variable.range is not None and not variable.constant:
                name = range_name(variable, self.model.instance)
                yield Watched(name, name, "range", self._left(variable.symbol.name))
        yield Watched(NO_RAISE, NO_RAISE, "total", self._raising)

    def _left(self, symbol: str) -> Callable[[State], int]:
        def test(state: State) -> int:
            out = self.outside(state)
            return next((cell for cell in out if self.layout.cells[cell].variable.symbol.name == symbol), -1)

        return test

    def _bad_end(self, may_end: Callable[[State], int]) -> Callable[[State], int]:
        return lambda state: -1 if self.successors(state) else may_end(state)

    def _raising(self, state: State) -> int:
        return next((action for action, reached, _ in self.successors(state) if reached is None), -1)

    def here(self, state: State) -> Here:
        """What is known of a state. One that has left a Range leads nowhere and settles nothing else."""
        known = self._known.get(state)
        if known is None:
            left = bool(self.outside(state))
            asked = [one for one in self.watched if (one.kind == "range") == left]
            settles = tuple(one for one in asked if one.test(state) >= 0)
            ways = () if left else tuple((n, s) for n, s, _ in self.successors(state) if s is not None)
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            known = self._known[state] = Here(ways, settles)
        return known

    # -- what is told ------------------------------------------------------------------------------------------

    def error(self, property: str) -> type[Refuted]:
        """The exception for one property: each has its own class, by which Hypothesis tells two failures apart."""
        found = self._errors.get(property)
        if found is None:
            named = {"__module__": Refuted.__module__, "__qualname__": "Refuted", "__doc__": Refuted.__doc__}
            found = self._errors[property] = type("Refuted", (Refuted,), named)
        return found

    def walk(self, trace: Trace) -> Walk:
        """The way of an example, taken once more on CPython; raises :class:`Disagreement` where it is none."""
        walk = Walk(self.model, self.layout.sizes, trace.start)
        for number in trace.actions:
            walk.take(self.called[number])
        return walk

    def shorter(self, trace: Trace, settles: Callable[[Watched], bool]) -> Trace:
        """The same without every step, and every two, that it does without while it still settles the same."""

        def as_far(actions: list[int]) -> list[int] | None:
            return self._as_far(trace.start, actions, settles)

        return Trace(trace.start, tuple(fewest(list(trace.actions), as_far)))

    def _as_far(self, start: int, actions: list[int], settles: Callable[[Watched], bool]) -> list[int] | None:
        """The actions up to where they settle it; ``None`` where they do not, or one is not enabled."""
        state = self.initial[start]
        for position in range(len(actions) + 1):
            here = self.here(state)
            if any(map(settles, here.settles)):
                return actions[:position]
            reached = dict(here.ways).get(actions[position]) if position < len(actions) else None
            if reached is None:
                return None
            state = reached
        return None

    def refutation(self, error: Refuted) -> Finding:
        """The finding that a refutation comes to; raises :class:`Disagreement` where CPython says otherwise."""
        walk, property = self.walk(error.shrunk), error.property
        if property == AGREES:
            path = Counterexample(self.layout.show(self.initial[error.trace.start]), walk.steps, error.failed)
            kind, where = "refines", ""
        else:
            if property == NO_RAISE:
                state = self.layout.encode(walk.values)
                walk.take(self.called[self._raising(state)])
            broken = next((one for one in walk.claims if one.property == property), None)
            if broken is None:
                told = ", ".join(walk.path) or "the initial state"
                raise Disagreement(f"{property} is refuted by {told}, and not on CPython. This is a bug of meshspec.")
            path, kind, where = walk.counterexample(property), broken.kind, broken.where
        return Finding(
            self.model.name,
            property,
            Answer.VIOLATED,
            "drive",
            kind=kind,
            scope=self.layout.scope_names,
            counterexample=attrs.evolve(path, how="shrunk"),
            where=where,
        )

    def told(self, finding: Finding, trace: Trace) -> str:
        """A finding as every door prints it, and the command that takes the same path again."""
        text = importlib.import_module("meshspec.report.text")  # stands above, and is needed only for a failure
        again = self.command(trace)
        lines: list[str] = [
            f"{self.model.name} ({self.name})" if self.name not in ("", self.model.name) else self.model.name,
            *(f"  {line}" for line in text.lines_of(Answered(finding, (finding,)), 98)),
        ]
        if not again and self.against is not None and trace.actions:
            path = ",".join("".join(self.called[number].split()) for number in trace.actions)
            again = f'drive_beside(..., path="{path}")'
        return "\n".join([*lines, *([f"  replay {finding.property}: {again}"] if again else [])])

    @property
    def name(self) -> str:
        """The name by which a command line reaches the model; empty where there is none."""
        targets = importlib.import_module("meshspec.targets")
        return str(targets.target_of(self.target).name) if self.target is not None else ""

    def command(self, trace: Trace) -> str:
        """What to type to take this path again; empty where no command line can name what was driven."""
        name = self.name
        if not name or (self.against is not None and not self.against.name):
            return ""
        words = ["meshspec", "drive", name]
        scope = ",".join(f"{sort}={size}" for sort, size in self.layout.scope_names.items())
        words += ["--scope", scope] if scope else []
        words += ["--without", ",".join(self.without)] if self.without else []
        words += ["--against", self.against.name] if self.against is not None else []
        words += ["--initial", str(trace.start + 1)] if trace.start else []
        return shlex.join([*words, "--take", ",".join(self.called[number] for number in trace.actions)])

    @property
    def never_taken(self) -> list[str]:
        """The actions and faults that no example took."""
        return [kind for kind in self.kinds if not self.taken[kind]]
