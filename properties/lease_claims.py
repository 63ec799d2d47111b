"""What the texts say of recovery leases, and what a period must be longer than.

Proved for any number of attempts, runners, jobs, keys and names: who holds a lease, who may commit, who is refused,
that a name is given once, and the inequality of the clock, whatever its numbers. In scope alone: that an orphan is
reclaimed, for what comes about is looked for on the runs of a scope, under the fairness that stands beside it.
"""

from __future__ import annotations

import itertools
from functools import cache

import attrs

from meshspec import Map, Sort, model, scope
from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.certificate import certified
from meshspec.engines.explore import explore
from meshspec.engines.live import live
from meshspec.engines.prove import prove
from meshspec.lang.lift import LiftedModel, lift
from meshspec.models.enumerated_lease import EnumeratedLease
from meshspec.models.environment import Attempt, Effect
from meshspec.models.incidents.lease_clock import ClockRunsWhileWaiting
from meshspec.models.incidents.lease_table import (
    CheckThenInsert,
    OverlooksBudget,
    OverlooksFailure,
    OverlooksStrategy,
    OverlooksVersion,
)
from meshspec.models.incidents.recovery_lease import AsksTheDead, NoFence
from meshspec.models.lease_clock import Job, LeaseClock
from meshspec.models.lease_table import Budget, Failure, LeaseTable, Part, Strategy, Version
from meshspec.models.recovery_lease import RecoveryLease
from meshspec.settle import Values, settles, shows

SORT_OF: dict[Part, type[Sort]] = {
    Part.FAILURE: Failure,
    Part.STRATEGY: Strategy,
    Part.VERSION: Version,
    Part.BUDGET: Budget,
}
OVERLOOKING: dict[Part, type] = {
    Part.FAILURE: OverlooksFailure,
    Part.STRATEGY: OverlooksStrategy,
    Part.VERSION: OverlooksVersion,
    Part.BUDGET: OverlooksBudget,
}
TWO: dict[type[Sort], int] = {Attempt: 2}


def named(findings: list[Finding], claim: str) -> Finding:
    return next(one for one in findings if one.property == claim)


@cache
def read(cls: type) -> LiftedModel:
    """The model as engines read it; the tables of its constants are looked up in the instance, whichever that is.

    That the reading of what is shipped agrees with CPython is certified by its evidence, of what stands here, here.
    """
    return certified(cls) if cls.__module__ == __name__ else lift(cls)


@cache
def explored(cls: type, claim: str, varied: Part | None = None) -> Answer:
    """What a table of leases says of a claim, where keys differ in one part alone, or in none."""
    sizes: dict[type[Sort], int] = {sort: 2 if part is varied else 1 for part, sort in SORT_OF.items()}
    sizes[Attempt] = 2
    return named(explore(read(cls), sizes), claim).answer


@cache
def proved(cls: type, claim: str) -> bool:
    found = named(prove(read(cls)), claim)
    return found.answer is Answer.HOLDS and found.strength is Strength.EVERY_SIZE


# -- the four parts, and the index ---------------------------------------------------------------------------------


@settles("F3.lease.key", "conditional")
def each_part_of_the_key_is_needed_and_no_other(values: Values) -> None:
    """Four, if a recovery is named by the parts that the table lists: failure, strategy, its version, and budget.

    Of these none can be spared: with any one overlooked a different key is refused, and with all compared only an
    equal one is. That there is no fifth rests on the list, which is the text's: nothing here could find one.
    """
    needed = [
        part
        for part, cls in OVERLOOKING.items()
        if explored(cls, "only_an_equal_key_is_refused", part) is Answer.VIOLATED
    ]
    assert proved(LeaseTable, "only_an_equal_key_is_refused")
    assert needed == list(Part)
    assert len(needed) == values.number("key_parts")


@settles("F3.lease.unique-index", "proved")
def an_index_leaves_no_moment_between_looking_and_inserting(values: Values) -> None:
    """One holder a key, for any number of attempts; looked up first and inserted later, two hold it."""
    assert proved(LeaseTable, "one_holds_it")
    assert explored(CheckThenInsert, "one_holds_it") is Answer.VIOLATED


@settles("F3.lease.class-limits", "conditional")
def what_is_listed_is_protected_and_nothing_else(values: Values) -> None:
    """Whatever the list: what is on it is done once, what is not is done twice, by one and the same schedule.

    The first is proved for any list; the second is run, of every list of three effects. That the harm which is told
    of came from what was not on a list is history, and rests on the text.
    """
    assert proved(EnumeratedLease, "what_is_listed_is_done_once")
    with scope({Effect: 3, Attempt: 2}):
        for listed in itertools.product((True, False), repeat=len(list(Effect))):
            assert [dispatched_twice(Effect(i), yes) for i, yes in enumerate(listed)] == [
                1 if on else 2 for on in listed
            ]


def dispatched_twice(e: Effect, listed: bool) -> int:
    """How often an effect is done that is handed out twice, run on the model as plain Python."""
    from meshspec import Blocked

    held = EnumeratedLease()
    held.listed[e] = listed
    held.dispatch(Attempt(0), e)
    held.dispatch_again(Attempt(1), e)
    for a in Attempt:
        try:
            held.do(a, e)
        except Blocked:
            continue
    return sum(held.did[a, e] for a in Attempt)


# -- orphans -------------------------------------------------------------------------------------------------------


@settles("F3.lease.orphans", "conditional")
def an_orphan_is_reclaimed_if_somebody_gets_to_it(values: Values) -> None:
    """Reclaimed if an orchestrator that dies is started again and gets to it in the end, and not if it asks the dead.

    That the old holder cannot act afterwards is no part of that: without a fence it commits.
    """
    claim = "what_a_dead_holder_had_is_reclaimed"
    found = named(live(read(RecoveryLease), TWO), claim)
    assert found.answer is Answer.HOLDS and "fairness" in str(found.facts)
    assert named(live(read(AsksTheDead), TWO), claim).answer is Answer.VIOLATED
    assert proved(RecoveryLease, "who_was_replaced_never_commits")
    assert named(explore(read(NoFence), TWO), "who_was_replaced_never_commits").answer is Answer.VIOLATED


# -- the clock -----------------------------------------------------------------------------------------------------


@model
class FromTheTaking(ClockRunsWhileWaiting):
    """The clock that runs while a job waits, and a promise without a condition."""

    def long_enough(self, j: Job) -> bool:
        return True


@model
class CoversTheWait(ClockRunsWhileWaiting):
    """The clock that runs while a job waits, where the period is longer than the wait and the run together."""

    def long_enough(self, j: Job) -> bool:
        return self.delay[j] + self.run[j] < self.period[j]


Numbers = tuple[int, int, int]
"""Delay, run and period."""

GRID: tuple[Numbers, ...] = tuple(itertools.product((0, 1, 3), (1, 2), (1, 2, 3, 5)))


@cache
def keeps_one(cls: type, numbers: Numbers) -> bool:
    """Whether one attempt runs at a time, with these numbers: every run that two workers can make of a job."""
    delay, run, period = numbers
    table: LeaseClock = cls(delay=Map(delay), run=Map(run), period=Map(period))
    found = named(explore(attrs.evolve(read(cls), instance=table), {Attempt: 2, Job: 1}), "one_runs_at_a_time")
    assert found.answer in (Answer.HOLDS, Answer.VIOLATED), found.reason
    return found.answer is Answer.HOLDS


def frontier(cls: type) -> set[Numbers]:
    """The points of the grid at which one attempt runs at a time."""
    return {numbers for numbers in GRID if keeps_one(cls, numbers)}


@shows("LEASE-CLOCK")
def a_period_is_longer_than_what_its_clock_covers() -> None:
    """Of a clock that runs while a job waits: enough for all numbers, by proof; on the grid nothing weaker will."""
    assert proved(CoversTheWait, "one_runs_at_a_time")
    assert frontier(FromTheTaking) == {(delay, run, period) for delay, run, period in GRID if delay + run < period}
