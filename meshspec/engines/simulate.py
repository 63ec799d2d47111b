"""simulate: does a seeded random walk break it?

Walks from an initial state, one enabled action after another, chosen with a seeded generator; a walk that refutes
something is shrunk by leaving steps out while it stays refuted.

Sound when it refutes: every step is one of the model. Misses whatever the walks did not meet; its HOLDS is *tested*
and nothing more, and it does not look for what is vacuous. Of very many initial states it takes the first.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.backends.evaluate import failed_clause
from meshspec.backends.generated import Generator, Successor
from meshspec.backends.layout import NO_RAISE, Layout, State, range_name
from meshspec.engines.explore import ENDS
from meshspec.engines.limits import INTERRUPTED
from meshspec.errors import UsageError
from meshspec.expr.build import negate
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

MAX_INITIAL = 100_000


@attrs.frozen
class _Watched:
    """What a state can settle: ``test`` says for which arguments, cell or action it does, or -1."""

    name: str
    kind: str
    test: Callable[[State], int]
    lifted: Lifted | None = None
    arguments: list[tuple[Any, ...]] = attrs.field(factory=list[tuple[Any, ...]])
    raises: bool = False


@attrs.frozen
class _Settled:
    """A walk to a state that settles something, shrunk from ``walked`` steps."""

    start: State
    actions: list[int]
    walked: int


def simulate(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    *,
    walks: int = 200,
    steps: int = 100,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Finding]:
    """One finding for every claim and range, for `no action raises` and for where the model may end.

    `walks` walks of at most `steps` steps each; the same seed gives the same walks on every machine. Raises
    :class:`UsageError` unless both are at least 1.
    """
    if walks < 1 or steps < 1:
        raise UsageError("--walks and --steps must be at least 1")
    walker = _Walker(model, sizes)
    watched = list(walker.watched())
    source, unsettled, settled, taken, cut = random.Random(seed), list(watched), dict[str, _Settled](), 0, ""
    try:
        for number in range(walks):
            progress(f"simulate {model.name}: walk {number + 1} of {walks}")
            start, actions, states = walker.walk(source, steps)
            taken += len(actions)
            for one in tuple(unsettled):
                at = next((i for i, state in enumerate(states) if one.test(state) >= 0), None)
                if at is not None:
                    settled[one.name] = _Settled(start, walker.shrunk(start, actions[:at], one.test), at)
                    unsettled.remove(one)
    except KeyboardInterrupt:
        cut = INTERRUPTED
    progress("")
    say = _Sayer(walker, taken, seed, cut)
    found: dict[str, Finding] = {}
    for one in watched:
        if one.raises and one.name not in settled:
            continue
        finding = say.finding(one, settled.get(one.name))
        if found.setdefault(finding.property, finding).answer is Answer.HOLDS:
            found[finding.property] = finding
    return [*found.values(), *(say.unanswered(c) for c in model.claims if c.method.kind == "eventually")]


class _Walker:
    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int]) -> None:
        self.model, self.layout = model, Layout(model, sizes)
        self.generator = Generator(self.layout)
        self.successors = self.generator.successors()
        self.initial = list(itertools.islice(self.layout.initial_states(), MAX_INITIAL))
        self.out_of_range = self.generator.out_of_range()
        self.ground = self.layout.ground_actions()

    def watched(self) -> Iterator[_Watched]:
        for lifted in self.model.claims:
            kind, arguments = lifted.method.kind, self.layout.arguments(lifted.parameters)
            names = [self.generator.names(lifted, one) for one in arguments]
            if kind in ("always", "lemma"):
                test = self.generator.first_failure(lifted.claim, names)
                yield _Watched(lifted.name, kind, test, lifted, arguments)
            elif kind == "sometimes":
                sound = self.generator.first_failure(negate(lifted.raising), names)
                yield _Watched(f"{lifted.name} raises", kind, sound, lifted, arguments, raises=True)
                for one, its in zip(arguments, names, strict=True):
                    never = self.generator.first_failure(negate(lifted.claim), [its])
                    yield _Watched(lifted.called(one), kind, never, lifted, [one])
            elif kind == "terminal":
                test = self._bad_end(self.generator.first_failure(lifted.claim, names))
                yield _Watched(ENDS, kind, test, lifted, arguments)
        for variable in self.model.declared.variables:
            if variable.range is not None and not variable.constant:
                yield _Watched(range_name(variable, self.model.instance), "range", self._left(variable.symbol.name))
        yield _Watched(NO_RAISE, "total", self._raising)

    def _left(self, symbol: str) -> Callable[[State], int]:
        def test(state: State) -> int:
            out = self.out_of_range(state)
            return next((cell for cell in out if self.layout.cells[cell].variable.symbol.name == symbol), -1)

        return test

    def _bad_end(self, may_end: Callable[[State], int]) -> Callable[[State], int]:
        return lambda state: -1 if self.out_of_range(state) or self.successors(state) else may_end(state)

    def _raising(self, state: State) -> int:
        return next((action for action, reached, _ in self.after(state) if reached is None), -1)

    def after(self, state: State) -> list[Successor]:
        """The steps from a state; there is none from one that has left a Range."""
        return [] if self.out_of_range(state) else self.successors(state)

    def walk(self, source: random.Random, steps: int) -> tuple[State, list[int], list[State]]:
        state = self.initial[source.randrange(len(self.initial))]
        start, actions, states = state, list[int](), [state]
        while len(actions) < steps:
            open_ways = [(action, reached) for action, reached, _ in self.after(state) if reached is not None]
            if not open_ways:
                break
            action, state = open_ways[source.randrange(len(open_ways))]
            actions.append(action)
            states.append(state)
        return start, actions, states

    def follow(self, start: State, actions: list[int]) -> list[State] | None:
        """The states on the way, or ``None`` where a step is not enabled."""
        states = [start]
        for action in actions:
            reached = next((s for number, s, _ in self.after(states[-1]) if number == action), None)
            if reached is None:
                return None
            states.append(reached)
        return states

    def shrunk(self, start: State, actions: list[int], test: Callable[[State], int]) -> list[int]:
        """The walk without every step, and every two steps, that it does without, and with no needless detour."""
        while True:
            fewer = self._short_cut(start, self._fewer(start, actions, test), test)
            if len(fewer) == len(actions):
                return fewer
            actions = fewer

    def _fewer(self, start: State, actions: list[int], test: Callable[[State], int]) -> list[int]:
        position = 0
        while position < len(actions):
            others = [None, *range(position + 1, len(actions))]
            for other in others:
                fewer = [a for i, a in enumerate(actions) if i not in (position, other)]
                states = self.follow(start, fewer)
                at = next((i for i, state in enumerate(states or ()) if test(state) >= 0), None)
                if at is not None:
                    actions, position = fewer[:at], -1
                    break
            position += 1
        return actions

    def _short_cut(self, start: State, actions: list[int], test: Callable[[State], int]) -> list[int]:
        """The shortest walk through the states of this one and those next to them."""
        near = set(self.follow(start, actions) or ())
        near |= {reached for state in near for _, reached, _ in self.after(state) if reached is not None}
        ways, seen = [(start, list[int]())], {start}
        for state, way in ways:
            if test(state) >= 0:
                return way
            for action, reached, _ in self.after(state) if state in near else ():
                if reached is not None and reached not in seen:
                    seen.add(reached)
                    ways.append((reached, [*way, action]))
        return actions


class _Sayer:
    """Puts what the walks settled into findings."""

    def __init__(self, walker: _Walker, taken: int, seed: int, cut: str) -> None:
        self.walker, self.layout, self.taken, self.cut = walker, walker.layout, taken, cut
        self.facts = {"seed": seed, "unit": "steps", "cut": cut}

    def _finding(self, name: str, kind: str, answer: Answer, lifted: Lifted | None, **more: Any) -> Finding:
        return Finding(
            self.walker.model.name,
            lifted.name if kind == "sometimes" and lifted else name,
            answer,
            "simulate",
            kind=kind,
            scope=self.layout.scope_names,
            tested=self.taken,
            where=str(lifted.method.where) if lifted else "",
            facts=self.facts,
            **more,
        )

    def finding(self, one: _Watched, settled: _Settled | None) -> Finding:
        if settled is not None and one.kind == "sometimes" and not one.raises:
            walk = ", ".join(self._action(action) for action in settled.actions) or "the initial state"
            return self._holds(one, f"witness: {walk}")
        if settled is not None:
            path = self._argument(one, settled)
            return self._finding(one.name, one.kind, Answer.VIOLATED, one.lifted, counterexample=path)
        if self.cut or one.kind == "sometimes" or self.taken == 0:
            known = f"{self.taken:,} steps walked"
            why = self.cut or f"no walk met {one.name}"
            if self.taken == 0 and not self.cut:
                why = "no walk took a step: the model is stuck where it starts"
            settles = "letting it run to its end" if self.cut else "explore, which visits every state of a scope"
            return self._finding(
                one.name, one.kind, Answer.UNDETERMINED, one.lifted, reason=why, known=known, settles=settles
            )
        return self._holds(one)

    def _holds(self, one: _Watched, reason: str = "") -> Finding:
        return self._finding(one.name, one.kind, Answer.HOLDS, one.lifted, strength=Strength.TESTED, reason=reason)

    def unanswered(self, lifted: Lifted) -> Finding:
        why, settles = "no walk shows what must come about", "the engine live"
        return self._finding(lifted.name, "eventually", Answer.UNDETERMINED, lifted, reason=why, settles=settles)

    def _action(self, number: int) -> str:
        lifted, arguments = self.walker.ground[number]
        return lifted.called(arguments)

    def _argument(self, one: _Watched, settled: _Settled) -> Counterexample:
        states = self.walker.follow(settled.start, settled.actions)
        assert states is not None
        steps = [
            Step(self._action(action), self.layout.changes(before, after))
            for action, before, after in zip(settled.actions, states, states[1:], strict=False)
        ]
        which = one.test(states[-1])
        if one.kind == "total":
            error = next(error for action, _, error in self.walker.after(states[-1]) if action == which)
            steps.append(Step(self._action(which), note=f"raises {error}"))
            failed = f"{self._action(which)} raises {error}"
        elif one.kind == "range":
            value = self.layout.show(states[-1])[str(self.layout.cells[which])]
            failed = f"{self.layout.cells[which]} = {value} leaves its Range"
        elif one.lifted is not None:
            arguments = one.arguments[which]
            clause = failed_clause(one.lifted, self.layout, self.layout.decode(states[-1]), arguments)
            failed = f"{one.lifted.called(arguments)}: {clause}"
            failed = f"a deadlock where {failed}" if one.kind == "terminal" else failed
        else:
            raise AssertionError(f"nothing says why {one.name} fails")
        return Counterexample(self.layout.show(settled.start), tuple(steps), failed, self._how(settled))

    @staticmethod
    def _how(settled: _Settled) -> str:
        fewer = settled.walked - len(settled.actions)
        return f"shrunk from {settled.walked} steps" if fewer else "as walked"
