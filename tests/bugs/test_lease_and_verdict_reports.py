"""Reports about leases that were held twice, and about ends that were told wrongly.

source: celery/kombu#337, dbos-inc/dbos-transact-java#491, amd/gaia#3750, apache/airflow#63726,
SlumperSan/agent-governed-vaults#309
"""

from __future__ import annotations

import attrs
import pytest

from meshspec import Map, Sort, action, model, require, sometimes, var
from meshspec.answer import Answer, Finding, Strength, overall
from meshspec.engines.check import check
from meshspec.engines.explore import explore
from meshspec.engines.prove import prove
from meshspec.models.attempt_notice import AttemptNotice
from meshspec.models.environment import Attempt
from meshspec.models.incidents.attempt_notice import EveryNoticeCounts, NoticeForTheTask
from meshspec.models.incidents.lease_clock import ClockRunsWhileWaiting
from meshspec.models.incidents.parent_verdict import NothingFailed
from meshspec.models.incidents.startup_recovery import MineIsLeftOver
from meshspec.models.incidents.verdict_channel import LeftoverIsAnswer
from meshspec.models.lease_clock import Job
from meshspec.models.parent_verdict import Listener, ParentVerdict, Part
from meshspec.models.startup_recovery import Name, Runner, StartupRecovery, Work
from meshspec.models.verdict_channel import VerdictChannel
from meshspec.properties.lease_claims import CoversTheWait, FromTheTaking, named
from tests.test_leases import lifted

Sizes = dict[type[Sort], int]

NOTICES: Sizes = {Attempt: 2}
RECOVERY: Sizes = {Runner: 2, Name: 2, Work: 1}


def explored(cls: type, sizes: Sizes, claim: str) -> Finding:
    return named(explore(lifted(cls), sizes), claim)


def path(found: Finding) -> tuple[str, ...]:
    assert found.answer is Answer.VIOLATED and found.counterexample is not None, found.reason
    return found.counterexample.actions


def holds_for_every_size(cls: type, claim: str) -> bool:
    found = named(prove(lifted(cls)), claim)
    return found.answer is Answer.HOLDS and found.strength is Strength.EVERY_SIZE


# -- celery/kombu#337: the clock of a lease runs while the job only waits for its time -----------------------------


def test_a_job_that_waits_is_run_twice_in_six_timed_steps() -> None:
    found = explored(ClockRunsWhileWaiting, {Attempt: 2, Job: 1}, "one_runs_at_a_time")
    assert path(found) == (
        "submit(job0)",
        "take(attempt0, job0)",
        "put_back(job0)",
        "take(attempt1, job0)",
        "begin(attempt0, job0)",
        "begin(attempt1, job0)",
    )
    assert found.counterexample is not None
    times = [step.changes.get("now[job0]") for step in found.counterexample.steps]
    assert [time for time in times if time] == [("0", "2"), ("2", "4")], "taken at 0, put back at 2, begun at 4"


def test_the_condition_is_that_delay_and_run_together_are_shorter_than_the_period() -> None:
    """Beside the report's own numbers; of a grid, and by proof of all numbers, it stands in ``properties/``."""
    for delay, run, period in ((4, 1, 2), (4, 1, 5), (4, 1, 6), (3, 1, 5), (4, 0, 5), (4, 2, 6)):
        table = FromTheTaking(delay=Map(delay), run=Map(run), period=Map(period))
        held = attrs.evolve(lifted(FromTheTaking), instance=table)
        found = named(explore(held, {Attempt: 2, Job: 1}), "one_runs_at_a_time")
        assert found.answer is (Answer.HOLDS if delay + run < period else Answer.VIOLATED)
    assert holds_for_every_size(CoversTheWait, "one_runs_at_a_time")


# -- dbos-inc/dbos-transact-java#491: recovery at start-up adopts what is running ----------------------------------


def test_what_bears_the_own_name_is_run_twice_in_four_steps_without_a_crash() -> None:
    found = path(explored(MineIsLeftOver, RECOVERY, "one_body_runs"))
    assert found == (
        "start(runner0, name0)",
        "enqueue(work0)",
        "claim(runner0, work0)",
        "recover(runner0, work0)",
    )


def test_put_back_in_the_queue_and_claimed_by_compare_and_set_it_runs_once_for_any_number_of_recoverers() -> None:
    assert holds_for_every_size(StartupRecovery, "one_body_runs")
    wider: Sizes = {Runner: 3, Name: 3, Work: 1}
    assert explored(StartupRecovery, wider, "one_body_runs").answer is Answer.HOLDS


# -- amd/gaia#3750: a guard stops the agent, and "completed" is printed --------------------------------------------


def test_what_a_bound_stopped_is_told_as_done() -> None:
    found = explored(LeftoverIsAnswer, {Attempt: 1}, "a_bound_is_no_success")
    assert path(found) == ("meet(attempt0, EXHAUSTED)", "end(attempt0)")


@pytest.mark.parametrize("claim", ["what_is_done_is_stopped", "what_is_not_done_is_stopped"])
def test_a_stop_goes_with_done_and_with_not_done_so_that_failed_would_be_wrong_too(claim: str) -> None:
    assert explored(VerdictChannel, {Attempt: 1}, claim).answer is Answer.HOLDS


# -- apache/airflow#63726: a late death notice for attempt 1 fails attempt 2 ---------------------------------------


def test_a_late_notice_fails_a_task_that_has_succeeded_in_five_steps() -> None:
    """The fence is in place, for only the present attempt may succeed; it stops the holder, not a late observer."""
    assert path(explored(NoticeForTheTask, NOTICES, "a_success_stays")) == (
        "start(attempt0)",
        "fall_silent(attempt0)",
        "start(attempt1)",
        "succeed(attempt1)",
        "look(attempt0)",
    )


def test_three_notices_of_one_death_are_charged_with_more_than_one_retry() -> None:
    found = path(explored(EveryNoticeCounts, NOTICES, "a_death_is_charged_once"))
    assert found[-2:] == ("look(attempt0)", "look(attempt0)") and "start(attempt1)" not in found


def test_a_notice_that_names_its_attempt_changes_that_one_only_and_once_for_any_number_of_attempts() -> None:
    for claim in ("who_failed_was_named", "a_success_stays", "a_death_is_charged_once"):
        assert holds_for_every_size(AttemptNotice, claim)


# -- SlumperSan/agent-governed-vaults#309: a gate passes over zero steps -------------------------------------------


@model
class NothingSelected(ParentVerdict):
    """Two filters, each of which selects something or could, and nothing that both let through."""

    by_kind: Map[Part, bool] = var(False)


@model
class NothingSelectedAndGreen(NothingFailed):
    """The same, where passed is that nothing has failed."""

    by_kind: Map[Part, bool] = var(False)


def test_that_nothing_failed_is_true_of_nothing_and_passes_in_one_step() -> None:
    assert path(explored(NothingSelectedAndGreen, {Part: 2, Listener: 1}, "passed_means_that_something_ran")) == (
        "tell",
    )


def test_of_an_empty_selection_nothing_is_said_to_pass_and_the_answer_is_vacuous() -> None:
    found = explored(NothingSelected, {Part: 2, Listener: 1}, "passed_means_that_something_ran")
    assert found.answer is Answer.VACUOUS
    assert holds_for_every_size(ParentVerdict, "passed_means_that_something_ran")


@model
class Nothing:
    """It claims nothing."""

    on: bool = var(False)

    @action
    def switch(self) -> None:
        require(not self.on)
        self.on = True


@model
class NeverSeen(Nothing):
    """It claims what never comes about."""

    @sometimes
    def it_is_on_and_off(self) -> bool:
        return self.on and not self.on


@pytest.mark.parametrize("cls", [Nothing, NeverSeen])
def test_our_own_runner_says_vacuous_of_nothing(cls: type) -> None:
    assert Answer.VACUOUS in {one.answer.answer for one in check(lifted(cls), {})}


def test_our_own_sum_of_no_findings_is_no_finding() -> None:
    with pytest.raises(ValueError, match="nothing was evaluated"):
        overall([])
