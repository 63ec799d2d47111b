"""drive: Hypothesis breaks what can be broken, shrinks it, and the engine claims no more than its examples met."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, cast

import pytest
from hypothesis.errors import FailedHealthCheck

from meshspec import Sort, action, always, any_of, fault, model, require, sometimes, var
from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.layout import NO_RAISE
from meshspec.engines import machine
from meshspec.engines.check import check, without
from meshspec.engines.drive import drive
from meshspec.engines.driven import Plan
from meshspec.engines.explore import ENDS, FIRES, STRIKES, explore
from meshspec.errors import UsageError
from meshspec.lang.lift import lift
from tests.engines.test_simulate import BROKEN, Lift, Place, Stuck, Visits
from tests.models.lock import KeepTheTurn, Peterson
from tests.models.plain_ledger import Effect, EffectLedger, ResendInDoubt
from tests.models.two_phase_commit import TwoPhase
from tests.oracle import Oracle


def driven(target: Any, sizes: Mapping[type[Sort], int] | None = None, **more: Any) -> dict[str, Finding]:
    told: dict[str, Any] = {"examples": 25, "steps": 25, **more}
    return {finding.property: finding for finding in drive(lift(target), sizes or {}, **told)}


@pytest.mark.parametrize(("target", "sizes", "claim"), BROKEN[1:])
def test_what_is_refuted_is_a_shrunk_path_of_the_model_that_ends_where_the_claim_is_false(
    target: type, sizes: Mapping[type[Sort], int], claim: str
) -> None:
    found = driven(target, sizes)[claim]
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert found.counterexample.how == "shrunk"
    oracle = Oracle(lift(target), sizes)
    values = oracle.starts()[0]
    for taken in found.counterexample.actions:
        assert oracle.holds(claim, values)
        values = dict(oracle.steps(values))[taken]
    assert not oracle.holds(claim, values)
    explored = {f.property: f for f in explore(lift(target), sizes)}[claim]
    assert explored.answer is Answer.VIOLATED and explored.counterexample is not None
    assert len(found.counterexample.steps) <= len(explored.counterexample.steps) + 2


@pytest.mark.parametrize("target", [Peterson, TwoPhase, EffectLedger])
def test_it_refutes_nothing_that_explore_checked_exhaustively(target: type) -> None:
    lifted = lift(target)
    sizes = dict.fromkeys(lifted.sorts, 2)
    found = drive(lifted, sizes, examples=15, seed=5)
    assert {finding.answer for finding in found} <= {Answer.HOLDS, Answer.UNDETERMINED}


def test_after_one_property_is_refuted_every_other_has_its_own_answer() -> None:
    found = driven(Lift)
    refuted = {name for name, finding in found.items() if finding.answer is Answer.VIOLATED}
    assert refuted == {"floor stays in 0..3", NO_RAISE, ENDS, "divides"}
    assert found["not_below"].answer is Answer.HOLDS
    assert (found["on_top"].answer, found["on_top"].reason) == (Answer.HOLDS, "witness: up")
    assert found["stops"].settles == "the engine live"
    explored = {f.property: f for f in explore(lift(Lift), {})}
    for name in refuted:
        mine, theirs = found[name].counterexample, explored[name].counterexample
        assert mine is not None and theirs is not None
        assert mine.failed.startswith(theirs.failed.removesuffix(" is false"))
    last = found[NO_RAISE].counterexample
    assert last is not None and last.steps[-1].note == "raises ZeroDivisionError"


def test_what_holds_is_tested_by_so_many_examples_and_the_steps_are_counted_by_action() -> None:
    found = driven(EffectLedger, {Effect: 2}, examples=10, steps=20)
    holds = found["at_most_once"]
    assert (holds.answer, holds.strength, holds.tested) == (Answer.HOLDS, Strength.TESTED, 10)
    assert (holds.facts["unit"], holds.facts["never taken"]) == ("examples", [])
    taken = holds.facts["taken"]
    assert isinstance(taken, dict)
    assert sum(cast("dict[str, int]", taken).values()) == holds.facts["steps"]
    assert found[FIRES].reason.startswith(f"intend {taken['intend']}, send ")
    assert found[STRIKES].reason == f"crash {taken['crash']}"


@model
class Rare:
    """Nothing leads to the fault, nor to the claim."""

    n: bool = var(False)

    @action
    def flip(self) -> None:
        self.n = not self.n

    @action
    def never(self) -> None:
        require(self.n and not self.n)

    @fault
    def strike(self) -> None:
        require(self.n and not self.n)

    @sometimes
    def both(self) -> bool:
        return self.n and not self.n


def test_an_action_or_fault_that_no_example_took_is_named_and_undetermined_as_only_explore_knows_more() -> None:
    found = driven(Rare, examples=5)
    assert {found[name].answer for name in (FIRES, STRIKES, "both")} == {Answer.UNDETERMINED}
    assert found[FIRES].reason == "no example took never"
    assert found[STRIKES].reason == "no example took strike"
    assert found["both"].reason == "no example met both"
    assert found[NO_RAISE].facts["never taken"] == ["never", "strike"]


def test_a_fault_taken_away_is_not_taken() -> None:
    lifted = without(lift(EffectLedger), ["crash"])
    found = {f.property: f for f in drive(lifted, {Effect: 1}, examples=5, steps=10)}
    assert STRIKES not in found and "crash" not in str(found[NO_RAISE].facts["taken"])


def test_where_no_step_is_taken_nothing_was_tried() -> None:
    found = driven(Stuck)
    assert {finding.answer for finding in found.values()} == {Answer.VACUOUS}
    assert "stuck where it starts" in found["down"].reason


def test_what_is_false_at_the_start_is_refuted_although_nothing_can_be_done() -> None:
    @model
    class Broken(Stuck):
        @always
        def down(self) -> bool:
            return self.up

    found = driven(Broken)["down"]
    assert found.answer is Answer.VIOLATED
    assert found.counterexample is not None and found.counterexample.steps == ()


def test_a_witness_is_owed_for_every_value_of_the_parameters() -> None:
    assert driven(Visits, {Place: 2})["visited"].reason == "no example met visited(place0, place1)"


@model
class Starts:
    """Bad only from one of its beginnings."""

    n: int = var(any_of(*range(10)))
    up: bool = var(False)

    @action
    def go(self) -> None:
        require(not self.up)
        self.up = True

    @always
    def fine(self) -> bool:
        return not (self.up and self.n == 7)


def test_initial_states_are_drawn_too() -> None:
    found = driven(Starts, examples=60, steps=2)["fine"].counterexample
    assert found is not None and found.initial["n"] == "7" and found.actions == ("go",)


def test_ctrl_c_leaves_what_was_not_refuted_undetermined() -> None:
    def interrupts(message: str) -> None:
        if "example 3 " in message:
            raise KeyboardInterrupt

    found = driven(EffectLedger, {Effect: 2}, progress=interrupts)["at_most_once"]
    assert (found.answer, found.reason) == (Answer.UNDETERMINED, "interrupted")
    assert found.known.endswith("steps in 2 examples")
    stopped = check(lift(EffectLedger), {Effect: 1}, ("drive", "simulate"), progress=interrupts)
    assert {f.engine for one in stopped for f in one.findings} == {"drive"}


def test_what_hypothesis_cannot_go_on_with_is_undetermined(monkeypatch: pytest.MonkeyPatch) -> None:
    def unhealthy(*_: Any) -> BaseException:
        return FailedHealthCheck("too many were filtered out\nand more")

    monkeypatch.setattr(machine, "drawn", unhealthy)
    found = driven(EffectLedger, {Effect: 1})["at_most_once"]
    assert (found.answer, found.reason) == (Answer.UNDETERMINED, "FailedHealthCheck: too many were filtered out")


def test_the_same_seed_gives_the_same_answers_and_another_seed_another_path() -> None:
    once, again = driven(KeepTheTurn, seed=3), driven(KeepTheTurn, seed=3)
    assert once == again and once["one_inside"].answer is Answer.VIOLATED
    taken = {
        str(driven(EffectLedger, {Effect: 1}, examples=3, seed=seed)[NO_RAISE].facts["taken"]) for seed in (1, 2)
    }
    assert len(taken) == 2


PROGRAM = """
import json, {more}
from meshspec.engines.drive import drive
from meshspec.lang.lift import lift
from tests.models.lock import KeepTheTurn
found = drive(lift(KeepTheTurn), {{}}, examples=30, steps=30)
paths = [(f.property, f.answer.value, f.tested, f.counterexample and f.counterexample.actions) for f in found]
print(json.dumps([paths, found[0].facts["taken"]]))
"""


def test_the_hash_seed_and_the_modules_that_are_loaded_change_nothing() -> None:
    said: list[str] = []
    for hash_seed, more in (("0", "math"), ("1", "tests.models.published, tests.oracle")):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(more=more)],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(done.stdout)
    assert said[0] == said[1]
    assert json.loads(said[0])[0][0][1] == "VIOLATED"


def test_a_path_that_is_given_is_the_only_one_taken() -> None:
    path = ["intend(effect0)", "send(effect0)", "crash", "recover", "settle(effect0)", "send( effect0 )"]
    found = driven(ResendInDoubt, {Effect: 2}, path=path)
    refuted = [f for f in found.values() if f.answer is Answer.VIOLATED]
    assert [f.property for f in refuted] == ["at_most_once", "done_is_known_or_doubted"]
    assert refuted[0].counterexample is not None and refuted[0].counterexample.how == "as given"
    assert (len(refuted[0].counterexample.steps), found["sent_is_done"].tested) == (6, 1)
    assert FIRES not in found
    with pytest.raises(UsageError, match="is not enabled"):
        driven(ResendInDoubt, {Effect: 2}, path=["crash", "crash"])
    with pytest.raises(UsageError, match="no initial state 1"):
        driven(ResendInDoubt, {Effect: 2}, path=[], start=1)


def test_a_path_may_end_in_a_step_that_raises() -> None:
    found = driven(Lift, path=["down", "divide"], start=1)[NO_RAISE]
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert found.counterexample.actions == ("down", "divide")


def test_fewer_than_one_example_or_step_and_more_than_fit_are_refused() -> None:
    for examples, steps in ((0, 1), (1, 0), (1, 1001)):
        with pytest.raises(UsageError, match="must be at least 1"):
            driven(Peterson, examples=examples, steps=steps)


def test_weights_are_of_actions_and_whole_numbers() -> None:
    lifted = lift(KeepTheTurn)
    with pytest.raises(UsageError, match="has no action 'crash'; it has ask"):
        Plan(lifted, {}, weights={"crash": 2})
    with pytest.raises(UsageError, match="a weight is a whole number from 1"):
        Plan(lifted, {}, weights={"ask": 0})


def test_hypothesis_is_loaded_only_to_drive() -> None:
    loads = "import sys, meshspec.engines.check, meshspec.engines.drive, meshspec.cli.drive, tests.models.lock"
    program = f"{loads}; print('hypothesis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
