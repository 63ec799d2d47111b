"""simulate: seeded walks that break what can be broken, shrink what they find, and claim no more than they tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pytest

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    any_of,
    eventually,
    lemma,
    model,
    require,
    sometimes,
    terminal,
    var,
)
from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.layout import NO_RAISE
from meshspec.engines.explore import ENDS, explore
from meshspec.engines.simulate import simulate
from meshspec.errors import UsageError
from meshspec.lang.lift import lift
from tests.models.jugs import Jugs
from tests.models.lock import KeepTheTurn, LookOnly, Peterson
from tests.models.plain_ledger import Effect, EffectLedger, ResendInDoubt
from tests.models.two_phase_commit import TwoPhase
from tests.oracle import Oracle


def simulated(target: Any, sizes: Mapping[type[Sort], int] | None = None, **more: Any) -> dict[str, Finding]:
    return {finding.property: finding for finding in simulate(lift(target), sizes or {}, **more)}


BROKEN: list[tuple[type, dict[type[Sort], int], str]] = [
    (ResendInDoubt, {Effect: 2}, "at_most_once"),
    (KeepTheTurn, {}, "one_inside"),
    (LookOnly, {}, "one_inside"),
]


@pytest.mark.parametrize(("target", "sizes", "claim"), BROKEN)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_walk_that_refutes_is_a_path_of_the_model_and_ends_where_the_claim_is_false(
    target: type, sizes: Mapping[type[Sort], int], claim: str, seed: int
) -> None:
    found = simulated(target, sizes, seed=seed)[claim]
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    oracle = Oracle(lift(target), sizes)
    values = oracle.starts()[0]
    for action_taken in found.counterexample.actions:
        assert oracle.holds(claim, values)
        values = dict(oracle.steps(values))[action_taken]
    assert not oracle.holds(claim, values)
    shortest = {f.property: f for f in explore(lift(target), sizes)}[claim].counterexample
    assert shortest is not None
    assert len(found.counterexample.steps) == len(shortest.steps)
    assert found.counterexample.how.startswith(("shrunk from ", "as walked"))


def test_the_same_seed_gives_the_same_walk_and_another_seed_another() -> None:
    once, again = simulated(ResendInDoubt, {Effect: 2}, seed=3), simulated(ResendInDoubt, {Effect: 2}, seed=3)
    assert once == again
    totals = {
        simulated(EffectLedger, {Effect: 1}, seed=seed, walks=3, steps=9)["at_most_once"].tested for seed in (1,)
    }
    assert totals == {27}


def test_what_holds_is_called_tested_with_the_number_of_steps() -> None:
    found = simulated(EffectLedger, {Effect: 2}, walks=10, steps=20)["at_most_once"]
    assert (found.answer, found.strength, found.tested) == (Answer.HOLDS, Strength.TESTED, 200)
    assert found.facts["seed"] == 0


@pytest.mark.parametrize("target", [Peterson, TwoPhase, EffectLedger])
def test_it_refutes_nothing_that_explore_checked_exhaustively(target: type) -> None:
    lifted = lift(target)
    sizes = dict.fromkeys(lifted.sorts, 2)
    assert all(finding.answer is not Answer.VIOLATED for finding in simulate(lifted, sizes, seed=5))


def test_the_jugs_are_solved_by_walking_and_shrunk_to_six_steps() -> None:
    found = simulated(Jugs)["unsolved"].counterexample
    assert found is not None and len(found.steps) == 6


@model
class Lift:
    """Breaks in every way: a Range is left, an action raises, it ends where it may not."""

    floor: Annotated[int, Range(0, 3)] = var(any_of(2, 1))
    stuck: bool = var(False)

    @action
    def up(self) -> None:
        require(not self.stuck)
        self.floor += 1

    @action
    def divide(self) -> None:
        require(self.floor == 0)
        self.floor = 1 // self.floor

    @action
    def down(self) -> None:
        require(self.floor > 0 and not self.stuck)
        self.floor -= 1

    @action
    def stop(self) -> None:
        require(self.floor == 3 and not self.stuck)
        self.stuck = True

    @terminal
    def on_the_ground(self) -> bool:
        return self.floor == 0

    @lemma
    def not_below(self) -> bool:
        return self.floor >= 0

    @sometimes
    def on_top(self) -> bool:
        return self.floor == 3

    @sometimes
    def in_the_cellar(self) -> bool:
        return self.floor == -1

    @sometimes
    def divides(self) -> bool:
        return 3 // self.floor == 1

    @sometimes
    def divides_where_it_can(self) -> bool:
        return self.floor != 0 and 3 // self.floor == 1

    @eventually
    def stops(self) -> bool:
        return self.stuck


def test_it_finds_a_range_left_an_action_that_raises_and_a_bad_end_and_agrees_with_explore() -> None:
    walked, explored = simulated(Lift), {f.property: f for f in explore(lift(Lift), {})}
    for name in (NO_RAISE, ENDS, "floor stays in 0..3"):
        mine, theirs = walked[name].counterexample, explored[name].counterexample
        assert mine is not None and theirs is not None
        assert len(mine.steps) <= len(theirs.steps) + 1  # the walk keeps the initial state it started from
        assert mine.failed.startswith(theirs.failed.removesuffix(" is false"))
    last = walked[NO_RAISE].counterexample
    assert last is not None and last.steps[-1].note == "raises ZeroDivisionError"
    assert walked["not_below"].answer is Answer.HOLDS


def test_a_witness_does_not_make_up_for_a_state_in_which_the_body_raises() -> None:
    walked = simulated(Lift)
    path = walked["divides"].counterexample
    assert walked["divides"].answer is Answer.VIOLATED and path is not None
    assert path.failed == "divides: its body raises ZeroDivisionError where floor == 0"
    assert walked["divides_where_it_can"].answer is Answer.HOLDS


def test_a_witness_met_holds_one_that_was_not_met_is_undetermined() -> None:
    found = simulated(Lift)
    assert (found["on_top"].answer, found["on_top"].strength) == (Answer.HOLDS, Strength.TESTED)
    assert found["on_top"].reason.startswith("witness: ")
    assert found["in_the_cellar"].answer is Answer.UNDETERMINED
    assert found["in_the_cellar"].reason == "no walk met in_the_cellar"
    assert found["stops"].answer is Answer.UNDETERMINED


class Place(Sort):
    """A place."""


@model
class Visits:
    seen: Map[Place, bool] = var(False)
    first: bool = var(True)

    @action
    def visit(self, p: Place) -> None:
        require(self.first)
        self.first = False
        self.seen[p] = True

    @sometimes
    def visited(self, p: Place, q: Place) -> bool:
        return self.seen[p] and self.seen[q]


def test_a_witness_is_owed_for_every_value_of_the_parameters() -> None:
    found = simulated(Visits, {Place: 2})["visited"]
    assert found.answer is Answer.UNDETERMINED
    assert found.reason == "no walk met visited(place0, place1)"


@model
class Stuck:
    up: bool = var(False)

    @action
    def work(self) -> None:
        require(self.up)

    @always
    def down(self) -> bool:
        return not self.up


def test_a_model_that_is_stuck_at_the_start_was_not_tested() -> None:
    found = simulated(Stuck)["down"]
    assert found.answer is Answer.UNDETERMINED
    assert "stuck where it starts" in found.reason


def test_ctrl_c_leaves_what_was_not_refuted_undetermined() -> None:
    def interrupts(message: str) -> None:
        if "walk 3 " in message:
            raise KeyboardInterrupt

    found = simulated(EffectLedger, {Effect: 2}, progress=interrupts)["at_most_once"]
    assert (found.answer, found.reason) == (Answer.UNDETERMINED, "interrupted")
    assert found.known == "200 steps walked"


def test_fewer_than_one_walk_or_step_is_refused() -> None:
    for walks, steps in ((0, 1), (1, 0)):
        with pytest.raises(UsageError, match="must be at least 1"):
            simulated(Peterson, walks=walks, steps=steps)
