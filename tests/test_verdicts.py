"""The shipped models of verdicts, counted by closed forms and by a search written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from meshspec.answer import Answer
from meshspec.engines.check import without
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.models.attempt_notice import AttemptNotice
from meshspec.models.environment import Attempt
from meshspec.models.parent_verdict import Listener, ParentVerdict, Part
from meshspec.models.tool_result import Call, ToolResult
from meshspec.models.verdict_channel import TO_DO, VERDICT_OF, Cause, Verdict, VerdictChannel
from meshspec.properties import attempt_notice, duplicate_attempt, parent_verdict, tool_result, verdict_channel
from meshspec.properties.verdict_claims import DUPLICATES_MOSTLY, STALLS_MOSTLY, precision
from tests.test_leases import Counts, by_hand, lifted, pinned, searched


def test_the_evidence_of_the_channel_pins_its_closed_form() -> None:
    """Done or not; going on with any causes; ended with some, and signalled or not unless it is a duplicate; done."""
    causes = len(Cause)
    any_met, some_met, duplicates = 2**causes, 2**causes - 1, 2 ** (causes - 1)
    refused = 2 * (duplicates + 2 * (some_met - duplicates))
    waits, passed = 2, 2  # signalled or not, each
    ends = 2 * some_met + passed  # nothing is left to do: a duplicate, or signalled; and done, either way
    assert pinned(verdict_channel.EVIDENCE) == (2 * any_met + refused + waits + passed, ends)


def test_the_evidence_of_duplicates_pins_its_closed_form() -> None:
    """Nobody; one of two, in three ways; both by themselves, not both at work; a duplicate of one of two."""
    by_themselves, of_one = 3**2 - 1, 1 + 2 * 2
    assert pinned(duplicate_attempt.EVIDENCE) == (1 + 2 * 3 + by_themselves + 2 * of_one, 2**2 + 2 * 2)


@pytest.mark.parametrize(("parts", "listeners"), [(1, 1), (2, 1), (2, 2)])
def test_the_verdict_on_a_whole_has_as_many_states_as_its_closed_form(parts: int, listeners: int) -> None:
    assert searched(ParentVerdict, {Part: parts, Listener: listeners}) == of_a_whole(parts, listeners)


def of_a_whole(parts: int, listeners: int) -> Counts:
    """A part is not wanted in three ways, and wanted it comes out in four; a listener listens or not, and hears."""
    configurations = (3 + 4) ** parts
    return configurations * (2**listeners + 3**listeners), configurations


def test_the_evidence_of_a_whole_pins_its_closed_form() -> None:
    assert pinned(parent_verdict.EVIDENCE) == of_a_whole(2, 2)


@pytest.mark.parametrize("calls", [1, 2])
def test_a_reply_has_as_many_states_as_its_closed_form(calls: int) -> None:
    """So many have arrived; open, or over as it was to be, or failed, and each of these reported or not."""
    arrived = sum(said + 1 for said in range(3))
    counted = ((arrived * (1 + 2 * 2)) ** calls, (arrived * 2) ** calls)
    assert searched(ToolResult, {Call: calls}) == counted
    assert calls != 1 or pinned(tool_result.EVIDENCE) == counted


# -- notices --------------------------------------------------------------------------------------------------------


class Try(NamedTuple):
    fate: str = "new"
    waiting: int = 0
    named: bool = False


Task = tuple[int | None, bool, bool, tuple[Try, ...]]
"""Present, success, failed, attempts."""


def task_after(state: Task) -> Iterator[Task]:
    present, success, failed, tries = state

    def with_try(i: int, one: Try) -> tuple[Try, ...]:
        return (*tries[:i], one, *tries[i + 1 :])

    for i, one in enumerate(tries):
        before = tries[present].fate if present is not None else "failed"
        if one.fate == "new" and not success and before in ("failed", "silent"):
            replaced = [
                other._replace(fate="replaced") if other.fate == "silent" and k == present else other
                for k, other in enumerate(tries)
            ]
            replaced[i] = one._replace(fate="runs")
            yield i, success, False, tuple(replaced)
        if one.fate == "runs":
            yield present, success, failed, with_try(i, Try("silent", 1, True))
            if present == i:
                yield present, True, failed, with_try(i, one._replace(fate="done"))
        if one.waiting == 1:
            yield present, success, failed, with_try(i, one._replace(waiting=2))
        if one.waiting:
            silent = one.fate == "silent"
            looked = one._replace(waiting=one.waiting - 1, fate="failed" if silent else one.fate)
            yield present, success, failed or silent, with_try(i, looked)


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_notices_are_counted_by_hand(attempts: int) -> None:
    start: Task = (None, False, False, (Try(),) * attempts)
    counted = by_hand([start], task_after)
    assert searched(AttemptNotice, {Attempt: attempts}) == counted
    assert attempts != 2 or pinned(attempt_notice.EVIDENCE) == counted


# -- what is told ---------------------------------------------------------------------------------------------------


def test_no_two_causes_have_one_word_and_every_word_is_told_or_done_about() -> None:
    assert len(set(VERDICT_OF.values())) == len(VERDICT_OF) == len(Cause)
    ends = {Verdict.DONE, Verdict.SUPPRESSED_AS_DUPLICATE}
    assert set(Verdict) - {Verdict.NOTHING} == ends | set(TO_DO)


def test_precision_is_a_share_of_what_the_breaker_stopped_and_of_nothing_else() -> None:
    assert precision(DUPLICATES_MOSTLY) < precision(STALLS_MOSTLY) < 1
    assert precision(DUPLICATES_MOSTLY) == precision(DUPLICATES_MOSTLY[5:]), "duplicates were not stopped by it"


def test_without_causes_it_is_vacuous_and_cut_off_it_is_undetermined() -> None:
    held = lifted(VerdictChannel)
    quiet = {one.property: one.answer for one in explore(without(held, ("meet", "waive")), {Attempt: 1})}
    assert quiet["a_bound_is_no_success"] is Answer.VACUOUS
    cut = {one.property: one.answer for one in explore(held, {Attempt: 1}, Limits(max_states=5))}
    assert cut["a_bound_is_no_success"] is Answer.UNDETERMINED
