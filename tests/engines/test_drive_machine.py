"""Machines from models, as users of Hypothesis use machines: settings, seeds, the database, subclasses."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, Verbosity, reproduce_failure, seed, settings
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.errors import DidNotReproduce
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from meshspec import scope
from meshspec.backends.generated import Successor
from meshspec.backends.layout import State
from meshspec.engines import machine as machines
from meshspec.engines.course import Course
from meshspec.engines.driven import Refuted, Trace
from meshspec.engines.machine import ModelMachine, ModelTestCase, NeverTaken, machine
from meshspec.errors import Disagreement, ModelError, UsageError
from meshspec.lang.model import model
from tests.engines.test_drive import Rare
from tests.engines.test_simulate import Lift
from tests.models.lock import KeepTheTurn, Peterson
from tests.models.plain_ledger import Effect, EffectLedger, Recovery, ResendInDoubt

ROOT = Path(__file__).parent.parent.parent
FEW = settings(
    max_examples=25,
    stateful_step_count=20,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.reuse, Phase.generate, Phase.shrink],
)


def fails(made: type[ModelMachine], told: settings = FEW) -> Refuted:
    with pytest.raises(Refuted) as caught:
        run_state_machine_as_test(seed(1)(made), settings=told)
    return caught.value


def passes(made: type[ModelMachine], told: settings = FEW) -> None:
    run_state_machine_as_test(seed(1)(made), settings=told)


def notes(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


def test_a_failing_machine_tells_the_path_as_an_argument_and_what_replays_it() -> None:
    error = fails(machine(KeepTheTurn))
    lines = str(error).splitlines()
    assert lines[0].startswith("KeepTheTurn (")
    assert lines[1].split() == ["VIOLATED", "one_inside", "in", "6", "steps", "(shrunk,", "drive)"]
    assert lines[2].split()[:2] == ["1.", "ask(LEFT)"]
    assert any(line.strip().startswith("so one_inside: ") for line in lines)
    again = "replay one_inside: meshspec drive tests.models.lock:KeepTheTurn --take 'ask(LEFT),"
    assert lines[-1].strip().startswith(again)
    assert isinstance(error, AssertionError)


def test_a_path_is_told_without_the_steps_that_it_does_without() -> None:
    plan = machine(Lift).plan
    numbers = {called: number for number, called in enumerate(plan.called)}
    start = next(at for at, state in enumerate(plan.initial) if state == (2, False))
    way = Trace(start, tuple(numbers[called] for called in ("up", "down", "down", "up", "up", "up")))
    error = plan.error("floor stays in 0..3")(plan, "floor stays in 0..3", way)
    assert [plan.called[number] for number in error.shrunk.actions] == ["up", "up"]


def test_the_program_of_integers_is_not_among_what_is_told() -> None:
    assert not [note for note in notes(fails(machine(KeepTheTurn))) if "state" in note or "step" in note]


def untyped(thing: object) -> Any:
    """What a decorator adds, no checker sees."""
    return thing


def test_a_model_has_a_test_case_of_its_own() -> None:
    ledger, resend, skip = (
        untyped(one) for one in (EffectLedger, ResendInDoubt, EffectLedger(recovery=Recovery.SKIP))
    )
    made = ledger.TestCase
    assert made is ledger.TestCase and made is not resend.TestCase
    assert made.machine.plan.layout.scope_names == {"Effect": 2}
    assert issubclass(made, unittest.TestCase)
    assert skip.TestCase.machine.plan.model.instance.recovery is Recovery.SKIP


def test_an_author_may_have_use_for_the_name() -> None:
    @model
    class Own:
        TestCase = 3

    assert Own.TestCase == 3


def run(case: type[ModelTestCase]) -> unittest.TestResult:
    result = unittest.TestResult()
    case().run(result)
    return result


def test_settings_are_assigned_to_a_test_case() -> None:
    TestLock = machine(Peterson).TestCase
    TestLock.settings = settings(FEW, max_examples=3)
    assert run(TestLock).wasSuccessful()
    assert TestLock.machine.plan.examples == 3


def test_a_test_case_fails_with_an_assertion_and_not_with_an_error() -> None:
    TestLock = machine(KeepTheTurn).TestCase
    TestLock.settings = FEW
    result = run(TestLock)
    assert len(result.failures) == 1 and not result.errors
    assert "so one_inside: " in result.failures[0][1]


def test_a_test_case_warns_of_what_was_never_taken() -> None:
    TestRare = machine(Rare).TestCase
    TestRare.settings = settings(FEW, max_examples=3)
    with pytest.warns(NeverTaken, match="Rare: never taken in 3 examples: never, strike"):
        TestRare().runTest()


def test_steps_are_counted_by_action_whatever_runs_the_machine() -> None:
    made = machine(EffectLedger, scope={Effect: 1})
    passes(made, settings(FEW, max_examples=5))
    assert sum(made.plan.taken.values()) == made.plan.steps > 50


def test_the_same_seed_gives_the_same_failure() -> None:
    assert fails(machine(KeepTheTurn)).trace == fails(machine(KeepTheTurn)).trace


def test_a_failure_that_was_kept_is_replayed_first() -> None:
    kept = settings(FEW, database=InMemoryExampleDatabase())
    error = fails(machine(KeepTheTurn), kept)
    again = machine(KeepTheTurn)
    assert fails(again, settings(kept, max_examples=1)).trace == error.trace


def test_a_scope_has_failures_of_its_own() -> None:
    assert machine(EffectLedger).__name__ != machine(EffectLedger, scope={"Effect": 3}).__name__


def test_a_failure_is_reproduced_from_its_blob() -> None:
    error = fails(machine(KeepTheTurn), settings(FEW, print_blob=True))
    blob = next(note for note in notes(error) if "@reproduce_failure" in note)
    version, packed = blob.partition("@reproduce_failure(")[2].partition(")")[0].split(", ")
    decorated = reproduce_failure(version.strip("'"), packed[2:-1].encode())
    assert fails(decorated(machine(KeepTheTurn))).trace == error.trace
    with pytest.raises(DidNotReproduce):
        run_state_machine_as_test(decorated(machine(Peterson)), settings=FEW)


def test_a_verbose_run_tells_steps_in_the_words_of_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    passes(machine(Peterson), settings(FEW, max_examples=2, verbosity=Verbosity.debug))
    said = capsys.readouterr().out
    assert "    step 1. ask(LEFT)" in said and "state.step(" not in said


def checked(machine_: Any) -> None:
    with scope(machine_.sizes):
        assert machine_.model.up or not machine_.model.sent[Effect(0)]


def test_a_subclass_adds_an_invariant_on_the_live_instance_and_a_teardown() -> None:
    closed: list[tuple[str, ...]] = []

    class Mine(machine(EffectLedger)):  # type: ignore[misc]  # a class made at run time
        @invariant()
        def memory_is_volatile(self) -> None:
            checked(self)

        def teardown(self) -> None:
            closed.append(self.path)

    passes(Mine, settings(FEW, max_examples=4))
    assert Mine.plan.examples == len(closed) >= 4 and len(closed[-1]) > 10


def test_an_invariant_of_a_subclass_that_fails_shows_the_steps_in_the_words_of_the_model() -> None:
    class Mine(machine(EffectLedger)):  # type: ignore[misc]  # a class made at run time
        @invariant()
        def never_down(self) -> None:
            assert self.model.up

    with pytest.raises(AssertionError) as caught:
        passes(Mine)
    assert not isinstance(caught.value, Refuted)
    assert "    step 1. crash" in notes(caught.value)


def test_a_subclass_may_have_rules_of_its_own() -> None:
    called: list[int] = []

    class Mine(machine(Peterson)):  # type: ignore[misc]  # a class made at run time
        @rule()
        def look(self) -> None:
            called.append(len(self.path))

    passes(Mine)
    assert len(called) > 10 and Mine.plan.steps > 10


def test_terminal_states_are_idle_and_no_error_of_progress() -> None:
    made = machine(EffectLedger, scope={Effect: 1}, without=["crash"])
    passes(made, settings(FEW, max_examples=5))
    assert set(made.plan.taken) == {"intend", "send", "record"}


def picked(course: Course, count: int) -> Counter[str]:
    """Which kinds of action so many numbers stand for."""
    plan, found = course.plan, Counter[str]()
    for number in range(count):
        way = course.pick(number)
        assert way is not None
        found[plan.kinds[plan.kind_of[way[0]]]] += 1
    return found


def test_weights_say_how_often_an_action_is_picked() -> None:
    plan = machine(EffectLedger, weights={"crash": 3}).plan
    assert picked(Course(plan), 10) == {"intend": 4, "crash": 6}  # two effects may be intended
    assert picked(Course(machine(EffectLedger).plan), 9) == {"intend": 6, "crash": 3}


def test_a_swarm_leaves_kinds_of_action_aside_as_long_as_there_is_another() -> None:
    plan = machine(EffectLedger).plan
    course = Course(plan)
    course.off = frozenset({plan.kinds.index("crash"), plan.kinds.index("recover")})
    assert picked(course, 9) == {"intend": 9}
    crash = next(number for number, _ in plan.here(course.state).ways if plan.called[number] == "crash")
    course.take(crash, dict(plan.here(course.state).ways)[crash])
    assert picked(course, 3) == {"recover": 3}


def test_some_examples_are_a_swarm_and_some_are_not() -> None:
    seen: set[int] = set()

    class Mine(machine(EffectLedger)):  # type: ignore[misc]  # a class made at run time
        def teardown(self) -> None:
            seen.add(len(self._course.off))

    passes(Mine)
    assert 0 in seen and len(seen) > 2
    seen.clear()

    class Whole(machine(EffectLedger, swarm=False)):  # type: ignore[misc]  # a class made at run time
        def teardown(self) -> None:
            seen.add(len(self._course.off))

    passes(Whole)
    assert seen == {0}


def test_draws_are_nearly_even_for_few_ways_and_for_many() -> None:
    assert str(machines.digits(25)) == "integers(min_value=0, max_value=99)"
    assert [str(machines.digits(most)).count("integers") for most in (26, 2501)] == [2, 3]


def test_a_method_that_does_not_do_as_it_was_lifted_is_a_bug_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    made = machine(EffectLedger, scope={Effect: 1})
    right = made.plan.successors

    def wrong(state: State) -> list[Successor]:
        return [(number, state, error) for number, _, error in right(state)]

    monkeypatch.setattr(made.plan, "successors", wrong)
    with pytest.raises(Disagreement, match="on CPython it leads to"):
        passes(made)


def test_an_action_that_was_lifted_away_is_noticed_where_nothing_else_is_enabled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = machine(EffectLedger, scope={Effect: 1})

    def nowhere(_: State) -> list[Successor]:
        return []

    monkeypatch.setattr(made.plan, "successors", nowhere)
    with pytest.raises(Disagreement, match=r"intend\(effect0\) is enabled on CPython"):
        passes(made)


def test_what_is_no_model_and_a_sort_that_there_is_not_are_refused() -> None:
    with pytest.raises(ModelError, match="is not a model"):
        machine(int)
    with pytest.raises(UsageError, match="ranges over Effect"):
        machine(EffectLedger, scope={"Job": 2})
    with pytest.raises(UsageError, match="--without send"):
        machine(EffectLedger, without=["send"])


def test_a_machine_is_one_of_hypothesis() -> None:
    made = machine(Peterson)
    assert issubclass(made, RuleBasedStateMachine) and made().path == ()


THEIRS = """\
from hypothesis import settings
from meshspec.engines.machine import machine
from tests.models.lock import KeepTheTurn, Peterson

settings.register_profile("mine", max_examples=7)
settings.load_profile("mine")
TestGood = machine(Peterson).TestCase
TestBad = KeepTheTurn.TestCase


def test_the_profile_was_read():
    assert TestGood.settings.max_examples == 7
"""


def test_pytest_collects_it_with_the_profile_the_seed_and_statistics(tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(THEIRS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "--hypothesis-seed=5",
         "--hypothesis-show-statistics", "-p", "no:randomly", "test_theirs.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    said = done.stdout
    assert done.returncode == 1 and "1 failed, 2 passed" in said
    assert "%, give_way" in said  # per action
    assert "replay one_inside: meshspec drive" in said
    assert "state.step(" not in said and "course.look()" not in said
