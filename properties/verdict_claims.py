"""What the texts say of verdicts, and of failures that nobody is told of.

Proved for any number of attempts, parts, calls and duplicates: that a verdict names its cause, that there is one for
each end, that a bound is no success, that waiting is no end, what is counted and what is adopted, what a whole is
told, what a reply may say. In scope alone: whatever is to come about (a signal, an end of waiting, a duplicate's
result, a late listener's news), under the fairness that stands beside it.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

import attrs

from meshspec import Sort, scope
from meshspec.answer import Answer, Finding
from meshspec.claims import load
from meshspec.engines.explore import explore
from meshspec.engines.live import live
from meshspec.models.duplicate_attempt import DuplicateAttempt
from meshspec.models.environment import Attempt
from meshspec.models.incidents.duplicate_attempt import DuplicateIsFatal, DuplicateIsSuccess, OnlySuccessIsAdopted
from meshspec.models.incidents.startup_recovery import NameGivenAgain
from meshspec.models.incidents.tool_result import EmptyIsError, EndOfStreamIsComplete, FailureIsEmpty
from meshspec.models.incidents.verdict_channel import (
    DroppedInSilence,
    LeftoverIsAnswer,
    OneFatalOutcome,
    OneWordForTwo,
    RetriedForEver,
)
from meshspec.models.startup_recovery import Name, Runner, StartupRecovery, Work
from meshspec.models.tool_result import Call, ToolResult
from meshspec.models.verdict_channel import TO_DO, Cause, Verdict, VerdictChannel
from meshspec.properties.lease_claims import named, proved, read
from meshspec.settle import Values, settles, shows

SCOPE: dict[type, dict[type[Sort], int]] = {
    VerdictChannel: {Attempt: 1},
    DuplicateAttempt: {Attempt: 2},
    StartupRecovery: {Runner: 2, Name: 2, Work: 1},
    ToolResult: {Call: 1},
}


@cache
def answer(cls: type, claim: str) -> Finding:
    """What every run in the scope says of a claim."""
    sizes = next(sizes for parent, sizes in SCOPE.items() if issubclass(cls, parent))
    lifted = read(cls)
    waits = next(one for one in lifted.claims if one.name == claim).method.kind == "eventually"
    found = named(live(lifted, sizes) if waits else explore(lifted, sizes), claim)
    assert found.answer in (Answer.HOLDS, Answer.VIOLATED), found.reason
    return found


def holds(cls: type, claim: str) -> bool:
    return answer(cls, claim).answer is Answer.HOLDS


# -- what is told, run as plain Python -----------------------------------------------------------------------------


def ended(cls: type, causes: Iterable[Cause], done: bool = False) -> VerdictChannel:
    """A channel in which one attempt has met these causes, in this order, and was ended."""
    channel: VerdictChannel = cls()
    if done:
        channel.work(Attempt(0))
    for cause in causes:
        channel.meet(Attempt(0), cause)
    channel.end(Attempt(0))
    return channel


@cache
def told(cls: type, causes: tuple[Cause, ...], done: bool = False) -> Verdict:
    with scope({Attempt: 1}):
        return ended(cls, causes, done).verdict[Attempt(0)]


@cache
def waiting() -> Verdict:
    """What is told of an attempt that only a gate stops, and that somebody may let pass."""
    with scope({Attempt: 1}):
        channel = VerdictChannel()
        channel.work(Attempt(0))
        channel.meet(Attempt(0), Cause.REJECTED)
        channel.ask_for_waiver(Attempt(0))
        assert not channel.ended[Attempt(0)]
        return channel.verdict[Attempt(0)]


def ends(cls: type) -> dict[Cause, Verdict]:
    return {cause: told(cls, (cause,)) for cause in Cause}


def collapsed() -> list[Cause]:
    """The causes that one word is told for, where there is one fatal outcome."""
    words = Counter(ends(OneFatalOutcome).values())
    shared = [word for word, causes in words.items() if causes > 1]
    assert len(shared) == 1
    return [cause for cause, word in ends(OneFatalOutcome).items() if word is shared[0]]


# -- five, four and three (D11) ------------------------------------------------------------------------------------


@settles("Fig1.verdicts", "conditional")
def five_words_of_which_four_are_ends(values: Values) -> None:
    """Five, if waiting for a waiver counts: four causes have a word of their own, and the fifth word ends nothing.

    The text gives waiting no meaning. Here it leads to another word, under the fairness of whoever ends attempts.
    """
    words = {*ends(VerdictChannel).values(), waiting()}
    assert len(words) == values.number("verdicts") == len(Cause) + 1
    assert proved(VerdictChannel, "waiting_is_no_end") and holds(VerdictChannel, "waiting_comes_to_an_end")


@settles("P6.verdicts-distinct", "conditional")
def four_refusals_and_the_first_three_in_one_word(values: Values) -> None:
    """Four words for four causes; with one fatal outcome the first three share theirs, and precision is lost.

    That the causes have words of their own is proved, and lost where a word is shared. How many causes there are, and
    which of them the system told in one word, rests on the text: the channel lists four, and could not find a fifth.
    """
    assert len(set(ends(VerdictChannel).values())) == values.number("verdicts")
    assert collapsed() == list(Cause)[: values.number("collapsed")]
    assert proved(VerdictChannel, "a_verdict_names_the_first_cause")
    assert not holds(OneFatalOutcome, "a_verdict_names_the_first_cause")
    assert proved(VerdictChannel, "two_causes_have_two_words")
    assert not holds(OneFatalOutcome, "two_causes_have_two_words")
    assert not holds(OneWordForTwo, "two_causes_have_two_words")
    two_worlds_look_the_same_in_one_word_and_not_in_four.run()


@settles("T3.r10.verdicts", "conditional")
def stall_bound_and_duplicate_are_what_is_collapsed(values: Values) -> None:
    """Three, if what was collapsed is what the text lists: a stall's word is told for a bound and a duplicate too.

    In words of their own no two of them are told alike. That a system collapsed just these is history.
    """
    assert set(collapsed()) == {Cause.STALLED, Cause.EXHAUSTED, Cause.DUPLICATE}
    assert len(collapsed()) == values.number("collapsed")
    assert len({told(VerdictChannel, (cause,)) for cause in collapsed()}) == len(collapsed())


# -- duplicates ----------------------------------------------------------------------------------------------------


@settles("Fig1.dup-vs-stalled", "proved")
def a_duplicate_is_not_told_as_a_stall(values: Values) -> None:
    """Whatever else it met, what is a duplicate is told as one and counted by no breaker."""
    for more in itertools.permutations(Cause):
        assert told(VerdictChannel, more) is Verdict.SUPPRESSED_AS_DUPLICATE
    assert proved(VerdictChannel, "only_a_stall_is_counted") and proved(DuplicateAttempt, "a_duplicate_is_no_failure")
    assert not holds(OneFatalOutcome, "only_a_stall_is_counted")


@settles("Fig6.suppressed-verdict", "proved")
def only_the_word_tells_a_duplicate_from_a_stall(values: Values) -> None:
    """Both happen; told apart they differ, and in one word the two runs look alike to the last bit."""
    duplicate, stall = (Cause.DUPLICATE,), (Cause.STALLED,)
    assert told(VerdictChannel, duplicate) is not told(VerdictChannel, stall)
    assert told(OneFatalOutcome, duplicate) is told(OneFatalOutcome, stall)
    assert proved(VerdictChannel, "a_verdict_names_the_first_cause")
    assert seen(OneFatalOutcome, [Met(duplicate)]) == seen(OneFatalOutcome, [Met(stall)])
    assert seen(VerdictChannel, [Met(duplicate)]) != seen(VerdictChannel, [Met(stall)])


@settles("P6.lease-dup-works", "conditional")
def a_refused_lease_is_no_failure_and_the_holders_result_is_adopted(values: Values) -> None:
    """No counter moves, and the result is the holder's whichever it is; fatal, it counts one that was none.

    The first two are proved; that a result comes about is so in scope, if holders end and results are adopted. That a
    system took a duplicate for fatal is history, and rests on the text: here it is an incident.
    """
    assert proved(DuplicateAttempt, "a_duplicate_is_no_failure")
    assert proved(DuplicateAttempt, "what_is_adopted_is_the_holders")
    assert holds(DuplicateAttempt, "a_duplicate_gets_a_result")
    assert not holds(DuplicateIsFatal, "a_duplicate_is_no_failure")
    assert not holds(DuplicateIsSuccess, "what_is_adopted_is_the_holders")
    assert not holds(OnlySuccessIsAdopted, "a_duplicate_gets_a_result")


# -- two worlds ----------------------------------------------------------------------------------------------------


@attrs.frozen
class Met:
    """An attempt: what it met, and whether it was stuck in truth."""

    causes: tuple[Cause, ...]
    stuck: bool = False


World = list[Met]


def world(duplicates: int, stuck: int, not_stuck: int) -> World:
    """Attempts that were duplicates, that a breaker stopped rightly, and that it stopped wrongly."""
    stalled = (Cause.STALLED,)
    return [Met((Cause.DUPLICATE,))] * duplicates + [Met(stalled, True)] * stuck + [Met(stalled)] * not_stuck


def seen(cls: type, of: World) -> Counter[Verdict]:
    """What a reader of the channel sees: how often each word was told."""
    return Counter(told(cls, one.causes) for one in of)


def precision(of: World) -> Fraction:
    """How many of those that the breaker stopped were stuck."""
    stopped = [one for one in of if Cause.STALLED in one.causes]
    return Fraction(sum(one.stuck for one in stopped), len(stopped))


DUPLICATES_MOSTLY = world(8, 1, 1)
STALLS_MOSTLY = world(2, 7, 1)


@shows("VC-DISTINCT", "VC-IDENTIFIABLE")
def two_worlds_look_the_same_in_one_word_and_not_in_four() -> None:
    """In one word the two worlds of the registry look alike, and the breaker's precision in them is as it says.

    Nor is that a matter of these two: of all worlds with as many fatal ends, one word tells nothing of the precision,
    which may be anything from none to all.
    """
    worlds = (DUPLICATES_MOSTLY, STALLS_MOSTLY)
    said = re.findall(r"\d+\.\d+", load().invariants["VC-DISTINCT"].broken_by)
    assert [precision(one) for one in worlds] == [Fraction(figure) for figure in said]
    assert seen(OneFatalOutcome, worlds[0]) == seen(OneFatalOutcome, worlds[1])
    assert seen(VerdictChannel, worlds[0]) != seen(VerdictChannel, worlds[1])
    fatal = len(worlds[0])
    splits = [(stuck, wrong) for stuck in range(fatal + 1) for wrong in range(fatal + 1 - stuck) if stuck + wrong]
    every = [world(fatal - stuck - wrong, stuck, wrong) for stuck, wrong in splits]
    assert len({tuple(seen(OneFatalOutcome, one).items()) for one in every}) == 1
    assert (min(map(precision, every)), max(map(precision, every))) == (Fraction(0), Fraction(1))


@settles("N.unresolved", "reproduced")
def what_is_not_known_is_a_result_of_its_own(values: Values) -> None:
    """A bound is told alike of what was done and of what was not: folded either way, a rate is wrong in some world.

    Kept apart, the number of those that were done is known to lie between two figures, and each is met.
    """
    bound = (Cause.EXHAUSTED,)
    for unresolved in range(1, 5):
        truths = list(itertools.product((False, True), repeat=unresolved))
        looks = [Counter(told(VerdictChannel, bound, done) for done in truth) for truth in truths]
        assert all(look == looks[0] for look in looks), "one and the same report of all of them"
        done = sorted(sum(truth) for truth in truths)
        assert done[0] < done[-1], "so no one figure is right of all of them"
        assert (done[0], done[-1]) == (0, sum(looks[0].values()))


# -- silence -------------------------------------------------------------------------------------------------------


@settles("C.inv.meta", "conditional")
def whatever_stops_reaches_somebody_who_can_act(values: Values) -> None:
    """Each refusal has an owner and something to do, and reaches that owner if the channel is served.

    Dropped in silence, or forgotten and tried again, it reaches nobody.
    """
    refusals = {*ends(VerdictChannel).values(), waiting()}
    assert refusals - {Verdict.SUPPRESSED_AS_DUPLICATE} == set(TO_DO)
    assert all(owner and what for owner, what in TO_DO.values())
    assert holds(VerdictChannel, "what_is_stopped_reaches_who_can_act")
    assert not holds(DroppedInSilence, "what_is_stopped_reaches_who_can_act")
    assert not holds(RetriedForEver, "what_is_stopped_reaches_who_can_act")


@settles("C.sil.1.truncated", "reproduced")
def a_cut_result_is_reported_complete_without_a_frame(values: Values) -> None:
    """Where the end of the stream is the end of the result, a cut one is whole; with a frame, whole is all of it."""
    assert not holds(EndOfStreamIsComplete, "whole_is_all_there_was")
    assert proved(ToolResult, "whole_is_all_there_was")


@settles("C.sil.2.selector", "not-checkable")
def a_dropped_document_leaves_no_trace(values: Values) -> None:
    """The text gives no measure; that is for a reason: the answer from the second best looks as if it were the best.

    Two shelves, one of which had a better document that the selector dropped, give the same answer to the last bit.
    """

    def answered(shelf: dict[str, int], dropped: set[str]) -> str:
        return max((name for name in shelf if name not in dropped), key=lambda name: shelf[name])

    assert answered({"best": 2, "second": 1}, {"best"}) == answered({"second": 1}, set())


@settles("C.sil.3.bound-as-answer", "reproduced")
def leftover_text_is_told_as_handled(values: Values) -> None:
    """Stopped on a bound and told done, without having done anything; with verdicts of their own a bound never is."""
    assert told(LeftoverIsAnswer, (Cause.EXHAUSTED,)) is Verdict.DONE
    assert not holds(LeftoverIsAnswer, "done_is_told_of_what_is_done")
    assert proved(VerdictChannel, "a_bound_is_no_success")


@settles("C.sil.4.running-forever", "reproduced")
def a_task_is_retried_for_ever_and_its_status_does_not_change(values: Values) -> None:
    """Round and round without a word told; where a stall is not forgotten, something is told in the end."""
    lasso = answer(RetriedForEver, "what_is_stopped_reaches_who_can_act").counterexample
    assert lasso is not None and lasso.loop is not None and lasso.loop < len(lasso.steps)
    told_on_the_way = [name for step in lasso.steps for name in step.changes if name.startswith("verdict")]
    assert told_on_the_way == []
    assert holds(VerdictChannel, "what_is_stopped_reaches_who_can_act")


@settles("C.sil.5.empty-vs-error", "reproduced")
def nothing_found_and_something_failed_are_told_for_each_other(values: Values) -> None:
    """Each way round by one wrong branch; with a word for each, neither is told for the other."""
    assert not holds(EmptyIsError, "an_error_is_one") and not holds(FailureIsEmpty, "empty_is_that_there_was_nothing")
    assert proved(ToolResult, "an_error_is_one") and proved(ToolResult, "empty_is_that_there_was_nothing")


@settles("C.sil.6.orphan-checkpoint", "reproduced")
def what_a_dead_run_left_is_resumed_by_whoever_looks(values: Values) -> None:
    """Work whose runner is gone is found again by whoever is up; under a name that was given again, by nobody."""
    assert holds(StartupRecovery, "what_nobody_runs_is_found_again")
    assert not holds(NameGivenAgain, "what_nobody_runs_is_found_again")
