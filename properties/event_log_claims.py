"""What the texts claim of the event log of Figure 4: what it held, what a test saw, and who emptied it."""

import re

from meshspec import Map, Sort, always, model, scope
from meshspec.claims import load
from meshspec.models.event_log import EventLog, Log
from meshspec.models.incidents.event_log import CountsTheWholeLog, TruncatedByAnother, WrittenByAnother
from meshspec.properties.asking import broken, is_proved
from meshspec.properties.breaker_claims import printed, statement
from meshspec.properties.event_log import bars, checked, observations, readings
from meshspec.settle import Values, settles, shows

LAW = "every_event_is_of_an_invocation_or_was_there"
OWN = "a_check_sees_its_own_events_alone"
SIZES: dict[type[Sort], int] = {Log: 1}


@model
class Truncated(TruncatedByAnother):
    """Each log is emptied before each invocation."""

    @always
    def it_holds_one_invocation_at_the_most(self, log: Log) -> bool:
        return self.invoked[log] == 0 or self.published[log] + self.due[log] == self.per_invocation


@settles(
    "F3.log.21", "inconsistent", unread={"hours": "no rate is printed, so nothing follows from how long it took"}
)
def six_invocations_of_three_leave_three_events_unexplained(values: Values) -> None:
    """D01: what it holds is b + 3i, proved for any b and i, and of an empty log six invocations make three too few.

    Readings: three were there before, which is an earlier invocation; or seven invocations, one of them no check; or
    one published six, or another wrote three, and then the log breaks the law; or the number is misprinted.
    """
    assert is_proved(EventLog, LAW)
    events, invocations = values.number("events"), values.number("invocations")
    assert (events, invocations) == (printed("Fig4.axis", "max"), printed("Fig4.axis", "bars"))
    found = readings(events)
    assert (0, invocations) not in found, "an empty log does not come to that"
    assert [(b, i) for b, i in found if i in (invocations, invocations + 1)] == [(0, 7), (3, 6)]
    assert all(bars(held, count)[-1] == events for held, count in found if count)
    named = re.findall(r"\((\d+),(\d+)\)", load().claims["F3.log.21"].how_to_check)
    assert named and {(int(b), int(i)) for b, i in named} <= set(found)
    assert LAW in broken(WrittenByAnother, SIZES)


@settles("F3.three-per-invocation", "inconsistent")
def three_from_each_of_six_are_not_what_the_log_held(values: Values) -> None:
    """D01 again: a producer that publishes just so many leaves another number of events than is printed."""
    each = values.number("per_invocation")
    assert each == EventLog().per_invocation and "three" in statement("F3.three-per-invocation")
    events, invocations = printed("F3.log.21", "events"), printed("F3.log.21", "invocations")
    assert isinstance(events, int) and isinstance(invocations, int)
    assert bars(0, invocations, each)[-1] == each * invocations == events - each, "short by one invocation"


@settles("Fig4.axis", "inconsistent")
def six_bars_reach_the_top_only_over_a_log_that_was_not_empty(values: Values) -> None:
    """With three events before the first the bars go from 6 to the top, from an empty log they end below it."""
    top, count, line = values.number("max"), values.number("bars"), values.number("assert")
    reaching = [held for held in range(top + 1) if bars(held, count)[-1] == top]
    assert reaching == [EventLog().per_invocation] and bars(reaching[0], count)[0] == 2 * reaching[0]
    assert bars(0, count)[-1] == count * EventLog().per_invocation < top == printed("F3.log.21", "events")
    assert line == EventLog().matching == printed("F3.assert-one-saw-three", "expected")
    assert all(bar > line for bar in bars(0, count)), "counting all, the test fails at the first bar already"


@settles("F3.assert-one-saw-three", "conditional")
def leftovers_are_the_cause_if_one_event_of_each_invocation_matches(values: Values) -> None:
    """D02: with one match each, three are seen in the third check of a clean log, and not in the sixth.

    If all three of an invocation match, three are seen in a clean log in the first check: leftovers are no cause.
    """
    expected, observed = values.number("expected"), values.number("observed")
    assert expected == EventLog().matching
    found = observations(observed)
    assert [(b, i) for m, b, i in found if m == expected] == [(0, 3), (1, 2), (2, 1)]
    assert (EventLog().per_invocation, 0, 1) in found
    late = [after.observed[Log(0)] for after in checked(CountsTheWholeLog(most=Map(6)), 6)]
    assert late.index(observed) + 1 == 3 and late[-1] == 6
    assert is_proved(EventLog, "matching_events_add_up")
    assert is_proved(EventLog, OWN) and set(broken(CountsTheWholeLog, SIZES)) == {OWN}


@settles("F3.truncation-asymmetry", "proved")
def the_harness_that_truncates_never_holds_more_than_one_invocation(values: Values) -> None:
    """For any number of logs and invocations; the path that does not truncate grows with each."""
    assert is_proved(Truncated, "it_holds_one_invocation_at_the_most")
    assert is_proved(EventLog, LAW)
    assert {after.size(Log(0)) for after in checked(Truncated(most=Map(9)), 9)} == {3}
    assert bars(0, 9) == [3 * i for i in range(1, 10)]


@settles(
    "F3.35-logs",
    "not-checkable",
    unread={"logs": "how many there were is the authors' record", "oldest_days": "so is how old the oldest was"},
)
def many_logs_are_as_good_as_one(values: Values) -> None:
    """The law is of any number of logs, each for itself; and the claim says of itself that it is a record."""
    assert is_proved(EventLog, LAW)
    assert load().claims["F3.35-logs"].how_to_check.startswith("not checkable from the text")


@settles(
    "M.withdrawn-two",
    "not-checkable",
    unread={
        "named_withdrawn": "which diagnoses were withdrawn is the authors' record",
        "retry_executions": "so is how often the retry ran",
    },
)
def a_producer_that_publishes_twice_is_told_from_a_log_that_keeps_all(values: Values) -> None:
    """Both show the test two matches; one check of an empty log tells them apart, and so does an own id."""
    kept = checked(CountsTheWholeLog(held=Map(1), held_matching=Map(1)), 1)[-1]
    twice = checked(CountsTheWholeLog(per_invocation=6, matching=2), 1)[-1]
    assert kept.observed[Log(0)] == twice.observed[Log(0)] == 2
    assert checked(CountsTheWholeLog(), 1)[-1].observed[Log(0)] == 1
    assert checked(EventLog(held=Map(1), held_matching=Map(1)), 1)[-1].observed[Log(0)] == 1


@shows("EC-SCOPED-OBS", "EC-CLEAN-COVERS")
def what_nobody_cleans_is_counted_by_the_next_check() -> None:
    """Either mends it: an assertion that counts its own invocation, or a cleaner that covers the log."""
    assert is_proved(EventLog, OWN)
    with scope(SIZES):
        for cleaner, counts in ((CountsTheWholeLog, [1, 2, 3]), (CountsAfterTruncation, [1, 1, 1])):
            assert [after.observed[Log(0)] for after in checked(cleaner(), 3)] == counts


@model
class CountsAfterTruncation(TruncatedByAnother):
    """The assertion counts the whole log, of which a cleaner has left nothing."""

    def count_events(self, log: Log) -> int:
        return self.held_matching[log] + self.published_matching[log]
