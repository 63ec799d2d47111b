"""``engines/walk.py``: a model walked by hand says what explore says of the same path, and holds for nothing."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    any_of,
    choose,
    eventually,
    fault,
    implies,
    lemma,
    model,
    require,
    sometimes,
    terminal,
    var,
)
from meshspec.answer import Counterexample, Step
from meshspec.backends import native
from meshspec.backends.certificate import certified
from meshspec.engines.check import scope_of
from meshspec.engines.explore import explore
from meshspec.engines.walk import Walk
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import lift
from meshspec.lang.outcomes import Blocks
from meshspec.targets import shipped_evidence, shipped_models


class Job(Sort):
    """A job."""


@model
class Desk:
    """Jobs are taken and done; nothing of it is as it should be."""

    taken: Map[Job, bool] = var(False)
    done: Map[Job, Annotated[int, Range(0, 2)]] = var(0)
    level: Annotated[int, Range(0, 3)] = var(any_of(0, 2))

    @action
    def take(self, j: Job) -> None:
        """Take a job in hand."""
        require(not self.taken[j] and self.level < 3)
        self.taken[j] = True

    @action
    def finish(self, j: Job) -> None:
        """Finish it, with more or less effort."""
        require(self.taken[j])
        self.done[j] += choose(range(1, 3))

    @action
    def close(self) -> None:
        """Close the desk."""
        require(self.level < 3)
        assert not any([self.level == 1])
        self.level = 3

    @fault
    def rise(self) -> None:
        """Somebody moves the desk."""
        require(self.level < 2)
        self.level += 1

    @always
    def only_taken_is_done(self, j: Job) -> bool:
        return implies(self.done[j] > 0, self.taken[j])

    @lemma
    def level_is_low(self) -> bool:
        return self.level < 3

    @sometimes
    def one_is_done(self, j: Job) -> bool:
        return self.done[j] == 1

    @eventually
    def it_closes(self) -> bool:
        return self.level == 3

    @terminal
    def all_is_done(self) -> bool:
        return self.done_by_all()

    def done_by_all(self) -> bool:
        return self.level == 0


def walk(subject: Any = Desk, start: int = 0, **sizes: int) -> Walk:
    lifted = certified(subject)
    return Walk(lifted, scope_of(lifted, sizes), start)


def test_it_begins_in_the_initial_state_asked_for() -> None:
    assert walk().initials == 2
    assert walk().state["level"] == "0" and walk(start=1).state["level"] == "2"
    with pytest.raises(UsageError, match="there is no initial state 2: Desk has 2, counted from 0"):
        walk(start=2)


def test_actions_come_in_the_order_of_actions_and_members_and_faults_are_known() -> None:
    here = walk()
    assert here.enabled == ["take(job0)", "take(job1)", "close", "rise"]
    assert [here.is_fault(one) for one in here.enabled] == [False, False, False, True]
    assert "test_walk.py:" in here.where("rise")


def test_a_step_tells_only_what_changed_and_where_its_action_stands() -> None:
    here = walk()
    step = here.take("take( job1 )")
    assert (step.action, step.changes) == ("take(job1)", {"taken[job1]": ("False", "True")})
    assert step.where == here.where("take(job1)") and here.path == ("take(job1)",) and here.steps == (step,)
    assert here.take(1).action == "finish(job1, 1)", "by its place among the enabled ones, counted from 0"
    assert here.witnessed == ["one_is_done(job1)"]


def test_what_is_taken_can_be_taken_back_and_begun_anew() -> None:
    here = walk()
    first = here.state
    here.take("take(job0)")
    here.take("rise")
    assert here.back().action == "rise" and here.path == ("take(job0)",)
    here.reset()
    assert here.state == first and not here.path
    here.reset(1)
    assert here.state["level"] == "2"
    here.reset()
    assert here.state["level"] == "2", "the initial state last asked for"
    with pytest.raises(UsageError, match="no step to go back"):
        here.back()


def test_a_blocked_action_says_which_guard_fails_and_where() -> None:
    here = walk()
    why = here.why_not("finish(job1, 1)")
    assert "`self.taken[j]` is false at " in why and "test_walk.py:" in why and "not taken[job1]" in why
    assert here.why_not("take(job0)") == "", "it is enabled"
    here.take("take(job0)")
    assert "`not self.taken[j]` is false" in here.why_not("take(job0)")
    here.take("close")
    assert "`self.level < 3` is false" in here.why_not("close") and "level = 3" in here.why_not("close")
    with pytest.raises(UsageError, match=r"`self.level < 3` is false"):
        here.take("close")


@pytest.mark.parametrize("given", ["", "tak(job0)", "take(job7)", "no such thing", "\x1b[2J"])
def test_an_action_that_there_is_not_is_refused_with_those_that_there_are(given: str) -> None:
    with pytest.raises(UsageError, match="Desk has no action"):
        walk().take(given)
    with pytest.raises(UsageError, match="Desk has no action"):
        walk().why_not(given)


@pytest.mark.parametrize("number", [-1, 4, 10**9])
def test_a_number_beyond_the_enabled_actions_is_refused(number: int) -> None:
    with pytest.raises(UsageError, match="4 are enabled, counted from 0"):
        walk().take(number)


def test_a_false_claim_is_named_with_its_values_and_makes_a_counterexample() -> None:
    here = walk()
    assert here.claims == []
    steps = (here.take("take(job0)"), here.take("close"))
    (broken,) = here.claims
    assert (broken.property, broken.kind, broken.failed) == (
        "level_is_low",
        "lemma",
        "level_is_low: level >= 3, where level = 3",
    )
    assert "test_walk.py:" in broken.where
    path = here.counterexample("level_is_low")
    assert path == Counterexample(walk().state, steps, broken.failed, "as walked")
    with pytest.raises(UsageError, match=r"refutes only_taken_is_done: it refutes level_is_low"):
        here.counterexample("only_taken_is_done")
    here.back()
    with pytest.raises(UsageError, match="it refutes nothing"):
        here.counterexample("level_is_low")


def test_a_left_range_is_all_that_is_said_and_ends_the_walk() -> None:
    here = walk()
    for one in ("take(job0)", "finish(job0, 2)", "finish(job0, 1)"):
        here.take(one)
    assert [(one.property, one.failed) for one in here.claims] == [
        ("done stays in 0..2", "done[job0] = 3 leaves its Range")
    ]
    assert here.done and here.enabled == [] and here.witnessed == []
    assert "done stays in 0..2 is left" in here.why_not("rise")


def test_an_action_that_raises_is_a_step_and_the_last_one() -> None:
    here = walk()
    here.take("rise")
    before = here.state
    step = here.take("close")
    assert step == Step("close", note="raises AssertionError", where=here.where("close"))
    assert [(one.property, one.kind, one.failed) for one in here.claims] == [
        ("no action raises", "total", "close raises AssertionError")
    ]
    assert here.done and here.state == before and "ends where close raised" in here.why_not("rise")
    assert here.counterexample("no action raises").actions == ("rise", "close")
    here.back()
    assert "close" in here.enabled and here.claims == []


def test_an_end_that_may_not_be_is_a_deadlock_in_the_words_of_explore() -> None:
    stuck = walk(Stuck)
    assert stuck.claims == [], "it may end here, and does not"
    stuck.take("go")
    assert stuck.done
    assert [(one.property, one.failed) for one in stuck.claims] == [
        ("ends only where it may", "a deadlock where at_home is false")
    ]


@model
class Stuck:
    """It may end at home and ends elsewhere."""

    away: bool = var(False)

    @action
    def go(self) -> None:
        require(not self.away)
        self.away = True

    @terminal
    def at_home(self) -> bool:
        return not self.away


def test_a_shipped_incident_reads_as_explore_tells_it() -> None:
    evidence = shipped_evidence()["effect_ledger"]
    lifted = certified(shipped_models()["ResendInDoubt"])
    refuted = [one for one in explore(lifted, evidence.scope) if one.counterexample is not None]
    assert len(refuted) >= 2
    for one in refuted:
        path = one.counterexample
        assert path is not None
        here = Walk(lifted, evidence.scope)
        for step in path.steps:
            here.take(step.action)
        walked = here.counterexample(one.property)
        assert (walked.initial, walked.actions, walked.failed) == (path.initial, path.actions, path.failed)
        assert [step.changes for step in walked.steps] == [step.changes for step in path.steps]


def test_what_is_enabled_is_what_cpython_enables_along_a_walk_of_every_shipped_model() -> None:
    for evidence in shipped_evidence().values():
        here = Walk(lift(evidence.model), evidence.scope)
        for round_ in range(6):
            values = here.values
            expected = [
                lifted.called(arguments)
                for lifted, arguments in here.layout.ground_actions()
                if not isinstance(native.run(here.layout, lifted, values, arguments), Blocks)
            ]
            assert here.enabled == expected
            for blocked in [one for one in here.actions if one not in expected][:3]:
                assert " is false at meshspec/models/" in here.why_not(blocked)
            if here.done:
                break
            here.take(round_ % len(here.enabled))


def test_a_step_that_cpython_takes_otherwise_is_our_own_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    here = walk()

    def blocked(*_: object) -> Blocks:
        return Blocks()

    monkeypatch.setattr(native, "run", blocked)
    with pytest.raises(
        Disagreement, match="take\\(job0\\): lifted it leads to taken\\[job0\\]=True, on CPython it is blocked"
    ):
        here.take("take(job0)")
    assert here.path == ()


def test_a_body_without_source_still_says_why_it_is_blocked() -> None:
    made: dict[str, Any] = {"__name__": __name__}
    source = (
        "from meshspec import *\n\n@model\nclass Typed:\n    up: bool = var(True)\n"
        "    @action\n    def rise(self) -> None:\n        require(not self.up)\n        self.up = True\n"
        "    @always\n    def is_up(self) -> bool:\n        return self.up\n"
    )
    exec(source, made)
    assert walk(made["Typed"]).why_not("rise") == "rise is not enabled: its guard is false; here up"
