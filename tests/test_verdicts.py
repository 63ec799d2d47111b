"""The shipped models of verdicts, counted by closed forms and by a search written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from meshspec import Sort, action, model, require
from meshspec.answer import Answer
from meshspec.engines.check import without
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.models.attempt_notice import AttemptNotice, Fate
from meshspec.models.environment import Attempt
from meshspec.models.incidents.attempt_notice import NoticeClearsTheTask
from meshspec.models.incidents.verdict_channel import OneWordForTwo
from meshspec.models.parent_verdict import Listener, ParentVerdict, Part
from meshspec.models.tool_result import Call, Reported, ToolResult
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
    """The hand knows nothing of the two histories: they add no state, for what they look for never happens."""
    start: Task = (None, False, False, (Try(),) * attempts)
    counted = by_hand([start], task_after)
    assert searched(AttemptNotice, {Attempt: attempts}) == counted
    assert attempts != 2 or pinned(attempt_notice.EVIDENCE) == counted


@model
class NoticeForgetsWhoIsPresent(AttemptNotice):
    """A notice about one that was replaced leaves all fates alone, and nobody is present."""

    def look_at(self, a: Attempt) -> None:
        if self.fate[a] is Fate.REPLACED:
            self.present = None
        super().look_at(a)


@model
class NoticeReplacesWhoIsPresent(AttemptNotice):
    """A notice about one that was replaced has another replaced too."""

    def look_at(self, a: Attempt) -> None:
        if self.fate[a] is Fate.REPLACED and self.present is not None:
            self.fate[self.present] = Fate.REPLACED
        super().look_at(a)


def test_of_two_claims_about_a_late_notice_neither_says_what_the_other_does() -> None:
    """One is about fates, the other about the task: each is refuted by what the other lets pass."""
    claims = ("a_notice_changes_no_other_attempt", "a_late_notice_leaves_the_task_alone")
    for cls in (NoticeForgetsWhoIsPresent, NoticeClearsTheTask):
        found = {one.property: one.answer for one in explore(lifted(cls), {Attempt: 2})}
        assert [found[claim] for claim in claims] == [Answer.HOLDS, Answer.VIOLATED]
    replaced = {one.property: one.answer for one in explore(lifted(NoticeReplacesWhoIsPresent), {Attempt: 2})}
    assert [replaced[claim] for claim in claims] == [Answer.VIOLATED, Answer.HOLDS]


# -- what is told ---------------------------------------------------------------------------------------------------


def test_no_two_causes_have_one_word_and_every_word_is_told_or_done_about() -> None:
    assert len(set(VERDICT_OF.values())) == len(VERDICT_OF) == len(Cause)
    ends = {Verdict.DONE, Verdict.SUPPRESSED_AS_DUPLICATE}
    assert set(Verdict) - {Verdict.NOTHING} == ends | set(TO_DO)


def test_precision_is_a_share_of_what_the_breaker_stopped_and_of_nothing_else() -> None:
    assert precision(DUPLICATES_MOSTLY) < precision(STALLS_MOSTLY) < 1
    assert precision(DUPLICATES_MOSTLY) == precision(DUPLICATES_MOSTLY[5:]), "duplicates were not stopped by it"


@model
class NothingIsEmpty(ToolResult):
    """To have found nothing is told as an error, and empty of nothing at all."""

    def judge(self, c: Call) -> Reported:
        found = super().judge(c)
        return Reported.ERROR if found is Reported.EMPTY else found


@model
class CountsNothing(VerdictChannel):
    """What is told as a stall is not counted."""

    @action
    def end(self, a: Attempt) -> None:
        cause = self.first_met(a)
        require(not self.ended[a] and cause is not None)
        self.tell(a, self.told_for(cause))


@pytest.mark.parametrize(
    ("cls", "sort", "claim"),
    [(CountsNothing, Attempt, "only_a_stall_is_counted"), (NothingIsEmpty, Call, "empty_is_that_there_was_nothing")],
)
def test_a_claim_about_what_never_happens_is_vacuous(cls: type, sort: type[Sort], claim: str) -> None:
    found = {one.property: one.answer for one in explore(lifted(cls), {sort: 1})}
    assert found[claim] is Answer.VACUOUS


def test_a_word_that_two_causes_share_is_noticed_though_it_is_told_as_the_table_has_it() -> None:
    """Told is what the table says, so that the claim about the first cause is kept; the one about words is not."""
    found = {one.property: one.answer for one in explore(lifted(OneWordForTwo), {Attempt: 1})}
    assert found["a_verdict_names_the_first_cause"] is Answer.HOLDS
    assert found["two_causes_have_two_words"] is Answer.VIOLATED


def test_without_causes_it_is_vacuous_and_cut_off_it_is_undetermined() -> None:
    held = lifted(VerdictChannel)
    quiet = {one.property: one.answer for one in explore(without(held, ("meet", "waive")), {Attempt: 1})}
    assert quiet["a_bound_is_no_success"] is Answer.VACUOUS
    cut = {one.property: one.answer for one in explore(held, {Attempt: 1}, Limits(max_states=5))}
    assert cut["a_bound_is_no_success"] is Answer.UNDETERMINED
