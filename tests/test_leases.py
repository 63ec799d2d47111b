"""The shipped models of leases, counted by searches written by hand on plain tuples, or by a closed form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import NamedTuple, TypeVar

import pytest

from meshspec import Sort, scope
from meshspec.engines.limits import Limits
from meshspec.engines.search import search_states
from meshspec.lang.evidence import Evidence
from meshspec.lang.lift import LiftedModel, lift
from meshspec.models.environment import Attempt
from meshspec.models.lease_clock import Job, LeaseClock
from meshspec.models.lease_table import Budget, Failure, LeaseTable, Strategy, Version
from meshspec.models.recovery_lease import RecoveryLease
from meshspec.models.startup_recovery import Name, Runner, StartupRecovery, Work
from meshspec.properties import enumerated_lease, lease_clock, lease_table, recovery_lease, startup_recovery

S = TypeVar("S", bound=Hashable)
Counts = tuple[int, int]
"""States and deadlocks."""


def by_hand(starts: list[S], after: Callable[[S], Iterator[S]]) -> Counts:
    seen, todo, deadlocks = set(starts), list(starts), 0
    while todo:
        found = set(after(todo.pop()))
        deadlocks += not found
        todo += found - seen
        seen |= found
    return len(seen), deadlocks


@cache
def lifted(model: type) -> LiftedModel:
    """As read; that what is read is what CPython does, the evidence of these models certifies."""
    return lift(model)


def searched(model: type, sizes: dict[type[Sort], int]) -> Counts:
    search, _ = search_states(lifted(model), sizes, Limits())
    assert search.complete
    return search.states, search.deadlocks


def pinned(evidence: Evidence) -> Counts:
    return evidence.states, evidence.deadlocks


# -- the table ------------------------------------------------------------------------------------------------------


@cache
def of_two_attempts(keys: int) -> Counts:
    """Idle, asking, holding and over are free where keys differ; where they are equal two cannot hold, and one may
    have been refused while the other holds, which may be over by now."""
    unequal, equal = keys * (keys - 1), keys
    return unequal * 4**2 + equal * (4**2 - 1 + 4), unequal + equal * (1 + 2)


@pytest.mark.parametrize("failures", [1, 3])
def test_the_table_has_as_many_states_as_its_closed_form(failures: int) -> None:
    sizes: dict[type[Sort], int] = {Attempt: 2, Failure: failures, Strategy: 1, Version: 1, Budget: 1}
    assert searched(LeaseTable, sizes) == of_two_attempts(failures)


def test_the_evidence_of_the_table_pins_the_closed_form() -> None:
    assert pinned(lease_table.EVIDENCE) == of_two_attempts(2**4)


def test_the_evidence_of_the_list_pins_its_closed_form() -> None:
    """Not listed: nothing started, one started, two started, and each may have done it; listed: not both."""
    free, guarded = 1 + 2 * 2 + 2**2, 1 + 2 * 2 + (2**2 - 1)
    assert pinned(enumerated_lease.EVIDENCE) == (free + guarded, 1 + 2)


# -- the lease of one key -------------------------------------------------------------------------------------------


class Holder(NamedTuple):
    held: bool = False
    suspect: bool = False
    running: bool = False
    token: int = 0
    committed: bool = False
    replaced: bool = False


Lease = tuple[bool, int, int, tuple[Holder, ...]]
"""Up, issued, fence, holders."""


def lease_after(state: Lease) -> Iterator[Lease]:
    up, issued, fence, holders = state
    yield not up, issued, fence, tuple(one._replace(suspect=not up and one.held) for one in holders)
    for i, one in enumerate(holders):
        before, rest = holders[:i], holders[i + 1 :]
        if up and one.token == 0 and not any(other.held for other in holders):
            granted = one._replace(held=True, running=True, token=issued + 1)
            yield up, issued + 1, fence, (*before, granted, *rest)
        if one.running and one.token >= fence:
            done = one._replace(held=False, suspect=False, running=False, committed=True)
            yield up, issued, fence, (*before, done, *rest)
        if one.running:
            yield up, issued, fence, (*before, one._replace(running=False), *rest)
        if up and one.suspect:  # from the dead, and by mistake from the living
            out = one._replace(held=False, suspect=False, replaced=one.replaced or one.running)
            yield up, issued, max(fence, one.token + 1), (*before, out, *rest)


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_the_lease_is_counted_by_hand(attempts: int) -> None:
    counted = by_hand([(True, 0, 1, (Holder(),) * attempts)], lease_after)
    assert searched(RecoveryLease, {Attempt: attempts}) == counted
    assert attempts != 2 or pinned(recovery_lease.EVIDENCE) == counted


# -- work that is found again ---------------------------------------------------------------------------------------

Found = tuple[tuple[tuple[int | None, bool, bool], ...], str, int | None]
"""Of each runner its name, whether it has ended, whether it runs the body; the row, and whose name is in it."""


def found_after(state: Found) -> Iterator[Found]:
    runners, row, owner = state
    up = [i for i, (name, ended, _) in enumerate(runners) if name is not None and not ended]

    def with_runner(i: int, name: int | None, ended: bool, runs: bool) -> tuple[tuple[int | None, bool, bool], ...]:
        return (*runners[:i], (name, ended, runs), *runners[i + 1 :])

    if row == "absent":
        yield runners, "queued", owner
    for i, (name, ended, runs) in enumerate(runners):
        if name is None:
            given = {other for other, _, _ in runners}
            for free in set(range(len(runners))) - given:
                yield with_runner(i, free, ended, runs), row, owner
        if i not in up:
            continue
        yield with_runner(i, name, True, runs), row, owner
        if row == "queued":
            yield with_runner(i, name, ended, True), "claimed", name
        if runs:
            yield with_runner(i, name, ended, False), "done", None
        if row == "claimed" and owner not in {runners[j][0] for j in up}:
            yield runners, "queued", None


@pytest.mark.parametrize("runners", [1, 2])
def test_start_up_recovery_is_counted_by_hand(runners: int) -> None:
    start: Found = (((None, False, False),) * runners, "absent", None)
    counted = by_hand([start], found_after)
    assert searched(StartupRecovery, {Runner: runners, Name: runners, Work: 1}) == counted
    assert runners != 2 or pinned(startup_recovery.EVIDENCE) == counted


# -- the clock ------------------------------------------------------------------------------------------------------


class Clock(NamedTuple):
    now: int = 0
    submitted: bool = False
    done: bool = False
    holder: int | None = None
    stamp: int = 0
    start: int = 0
    workers: tuple[tuple[str, int], ...] = ()  # what each does, and when it does what comes next


def clock_after(delay: int, run: int, period: int) -> Callable[[Clock], Iterator[Clock]]:
    def after(at: Clock) -> Iterator[Clock]:
        due = [time for doing, time in at.workers if doing in ("waits", "runs")]

        def with_worker(i: int, doing: str, time: int) -> tuple[tuple[str, int], ...]:
            return (*at.workers[:i], (doing, time), *at.workers[i + 1 :])

        if not at.submitted:
            yield at._replace(submitted=True, start=at.now + delay)
        lapse = max(at.stamp, at.start) + period
        if at.holder is not None and not at.done and all(lapse <= time for time in due):
            yield at._replace(now=max(at.now, lapse), holder=None)
        for i, (doing, time) in enumerate(at.workers):
            now = max(at.now, time)
            if doing == "nothing" and at.submitted and not at.done and at.holder is None:
                waits = with_worker(i, "waits", max(at.now, at.start))
                yield at._replace(holder=i, stamp=at.now, workers=waits)
            if doing in ("waits", "runs"):
                yield at._replace(workers=with_worker(i, "over", time))  # it dies
            if doing == "waits" and time <= min(due):
                yield at._replace(now=now, workers=with_worker(i, "runs", time + run))
            if doing == "runs" and time <= min(due):
                holder = None if at.holder == i else at.holder
                yield at._replace(now=now, done=True, holder=holder, workers=with_worker(i, "over", time))

    return after


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_clock_is_counted_by_hand(workers: int) -> None:
    start = Clock(workers=(("nothing", 0),) * workers)
    counted = by_hand([start], clock_after(*numbers_of_the_model()))
    assert searched(LeaseClock, {Attempt: workers, Job: 1}) == counted
    assert workers != 2 or pinned(lease_clock.EVIDENCE) == counted


def numbers_of_the_model() -> tuple[int, int, int]:
    with scope({Job: 1}):
        held, j = LeaseClock(), Job(0)
        return held.delay[j], held.run[j], held.period[j]
