"""simulate: does a seeded random walk break it?

Walks from an initial state, one enabled action after another, chosen with a seeded generator; a walk that refutes
a claim is shrunk by leaving steps out while the claim stays refuted.

Sound when it refutes: every step is one of the model. Misses whatever the walks did not meet; its HOLDS is
*tested* and nothing more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.backends.evaluate import failed_clause
from meshspec.backends.generated import Generator, Successor
from meshspec.backends.layout import Layout, State, range_name
from meshspec.errors import UsageError
from meshspec.lang.lift import Lifted, LiftedModel, label
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort


@attrs.frozen
class _Claim:
    """A property that is tested in every state: a claim, or the ranges of the variables."""

    name: str
    kind: str
    test: Callable[[State], int]
    lifted: Lifted | None
    arguments: list[tuple[Any, ...]]


def simulate(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    *,
    walks: int = 200,
    steps: int = 100,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Finding]:
    """One finding for every ``always`` claim, lemma and range; `walks` walks of at most `steps` steps each.

    The same seed gives the same walks on every machine. Raises :class:`UsageError` unless both are at least 1.
    """
    if walks < 1 or steps < 1:
        raise UsageError("--walks and --steps must be at least 1")
    walker = _Walker(model, sizes)
    source = random.Random(seed)
    open_claims, refuted, taken, cut = list(walker.claims), dict[str, tuple[State, list[int], int]](), 0, ""
    try:
        for number in range(walks):
            progress(f"simulate {model.name}: walk {number + 1} of {walks}")
            start, actions, states = walker.walk(source, steps)
            taken += len(actions)
            for claim in tuple(open_claims):
                at = next((i for i, state in enumerate(states) if claim.test(state) >= 0), None)
                if at is not None:
                    shrunk = walker.shrunk(start, actions[:at], claim)
                    refuted[claim.name] = (start, shrunk, len(actions[:at]))
                    open_claims.remove(claim)
    except KeyboardInterrupt:
        cut = "interrupted"
    progress("")
    return [walker.finding(claim, refuted.get(claim.name), taken, seed, cut) for claim in walker.claims]


class _Walker:
    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int]) -> None:
        self.model, self.layout = model, Layout(model, sizes)
        generator = Generator(self.layout)
        self.successors = generator.successors()
        self.initial = list(self.layout.initial_states())
        self.out_of_range = generator.out_of_range()
        self.claims: list[_Claim] = []
        for lifted in model.claims:
            if lifted.method.kind in ("always", "lemma"):
                arguments = self.layout.arguments(lifted.parameters)
                names = [generator.names(lifted, one) for one in arguments]
                test = generator.first_failure(lifted.claim, names)
                self.claims.append(_Claim(lifted.name, lifted.method.kind, test, lifted, arguments))
        for variable in model.declared.variables:
            if variable.range is not None and not variable.constant:
                name = range_name(variable, model.instance)
                self.claims.append(_Claim(name, "range", self._left(variable.symbol.name), None, []))

    def _left(self, symbol: str) -> Callable[[State], int]:
        def test(state: State) -> int:
            out = self.out_of_range(state)
            return next((cell for cell in out if self.layout.cells[cell].variable.symbol.name == symbol), -1)

        return test

    def _next(self, state: State) -> list[Successor]:
        return [one for one in self.successors(state) if one[1] is not None]

    def walk(self, source: random.Random, steps: int) -> tuple[State, list[int], list[State]]:
        state = self.initial[source.randrange(len(self.initial))]
        start, actions, states = state, list[int](), [state]
        while len(actions) < steps and not self.out_of_range(state):
            after = self._next(state)
            if not after:
                break
            action, reached, _ = after[source.randrange(len(after))]
            assert reached is not None
            state = reached
            actions.append(action)
            states.append(state)
        return start, actions, states

    def follow(self, start: State, actions: list[int]) -> list[State] | None:
        """The states on the way, or ``None`` where a step is not enabled."""
        states = [start]
        for action in actions:
            reached = next((s for number, s, _ in self._next(states[-1]) if number == action), None)
            if reached is None:
                return None
            states.append(reached)
        return states

    def shrunk(self, start: State, actions: list[int], claim: _Claim) -> list[int]:
        """The walk without every step, and every two steps, that the refutation does not need."""
        position = 0
        while position < len(actions):
            others = [None, *range(position + 1, len(actions))]
            for other in others:
                fewer = [a for i, a in enumerate(actions) if i not in (position, other)]
                states = self.follow(start, fewer)
                at = next((i for i, state in enumerate(states or ()) if claim.test(state) >= 0), None)
                if at is not None:
                    actions, position = fewer[:at], -1
                    break
            position += 1
        return actions

    def finding(
        self, claim: _Claim, refuted: tuple[State, list[int], int] | None, taken: int, seed: int, cut: str
    ) -> Finding:
        common: dict[str, Any] = {
            "kind": claim.kind,
            "scope": self.layout.scope_names,
            "tested": taken,
            "where": str(claim.lifted.method.where) if claim.lifted else "",
            "facts": {"seed": seed, "unit": "steps"},
        }
        name = self.model.name
        if refuted is not None:
            start, actions, original = refuted
            path = self._argument(claim, start, actions, original)
            return Finding(name, claim.name, Answer.VIOLATED, "simulate", counterexample=path, **common)
        if cut or taken == 0:
            why = cut or "no walk took a step: the model is stuck at the start"
            answer = Answer.UNDETERMINED if cut else Answer.VACUOUS
            return Finding(name, claim.name, answer, "simulate", reason=why, **common)
        return Finding(name, claim.name, Answer.HOLDS, "simulate", strength=Strength.TESTED, **common)

    def _argument(self, claim: _Claim, start: State, actions: list[int], original: int) -> Counterexample:
        ground = self.layout.ground_actions()
        states = self.follow(start, actions)
        assert states is not None
        steps = tuple(
            Step(label(ground[action][0].name, ground[action][1]), self.layout.changes(before, after))
            for action, before, after in zip(actions, states, states[1:], strict=False)
        )
        which = claim.test(states[-1])
        if claim.lifted is None:
            failed = f"{self.layout.cells[which]} leaves its Range"
        else:
            arguments = claim.arguments[which]
            clause = failed_clause(claim.lifted, self.layout, self.layout.decode(states[-1]), arguments)
            failed = f"{label(claim.name, arguments)}: {clause}"
        return Counterexample(self.layout.show(start), steps, failed, f"shrunk from {original} steps")
