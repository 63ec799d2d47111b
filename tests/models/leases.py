"""Models with something to wait for: a lease whose holder may die, a ledger that recovers, two philosophers."""

from __future__ import annotations

from meshspec import (
    Map,
    Sort,
    action,
    always,
    eventually,
    fault,
    leads_to,
    model,
    require,
    var,
)
from tests.models.lock import OTHER, At, Process


class Worker(Sort):
    """Whoever may hold the lease."""


@model
class OrphanedLease:
    """A lease that is given back by its holder alone: when the holder dies, nobody ever gets it again."""

    holder: Worker | None = var(None)
    waits: Map[Worker, bool] = var(False)
    dead: Map[Worker, bool] = var(False)

    @action
    def ask(self, w: Worker) -> None:
        require(not self.waits[w] and self.holder is not w and not self.dead[w])
        self.waits[w] = True

    @action
    def acquire(self, w: Worker) -> None:
        require(self.waits[w] and self.holder is None and not self.dead[w])
        self.holder = w
        self.waits[w] = False

    @action
    def release(self, w: Worker) -> None:
        require(self.holder is w and not self.dead[w])
        self.holder = None

    @fault
    def die(self, w: Worker) -> None:
        require(not self.dead[w])
        self.dead[w] = True
        self.waits[w] = False

    @eventually(weak=("release",), strong=("acquire",))
    def whoever_waits_gets_it(self, w: Worker) -> bool:
        return leads_to(self.waits[w], self.holder is w or self.dead[w])


@model
class ExpiringLease(OrphanedLease):
    """The lease of a dead holder runs out."""

    @action
    def expire(self, w: Worker) -> None:
        require(self.holder is w and self.dead[w])
        self.holder = None

    @eventually(weak=("release", "expire"), strong=("acquire",))
    def whoever_waits_gets_it(self, w: Worker) -> bool:
        return leads_to(self.waits[w], self.holder is w or self.dead[w])


class Effect(Sort):
    """One logical effect."""


@model
class RecoveringLedger:
    """Every effect that was written down is recorded in the end, if the worker does come back and crashes stop."""

    intended: Map[Effect, bool] = var(False)
    applied: Map[Effect, bool] = var(False)
    recorded: Map[Effect, bool] = var(False)
    up: bool = var(True)
    crashed: bool = var(False)

    @action
    def intend(self, e: Effect) -> None:
        require(self.up and not self.intended[e])
        self.intended[e] = True

    @action
    def send(self, e: Effect) -> None:
        require(self.up and self.intended[e] and not self.applied[e])
        self.applied[e] = True

    @action
    def record(self, e: Effect) -> None:
        require(self.up and self.applied[e] and not self.recorded[e])
        self.recorded[e] = True

    @fault
    def crash(self) -> None:
        require(self.up and not self.crashed)
        self.up = False
        self.crashed = True

    @action
    def recover(self) -> None:
        require(not self.up)
        self.up = True

    @action
    def look(self) -> None:
        """Something that a worker can always do instead, and that changes nothing."""

    @eventually(weak=("send", "record", "recover"))
    def what_is_intended_is_recorded(self, e: Effect) -> bool:
        return leads_to(self.intended[e], self.recorded[e])

    @eventually
    def without_any_fairness(self, e: Effect) -> bool:
        return leads_to(self.intended[e], self.recorded[e])


@model
class SpinningPeterson:
    """Progress of Peterson's lock: a process that may not enter looks again, and again, as real ones do."""

    at: Map[Process, At] = var(At.IDLE)
    wants: Map[Process, bool] = var(False)
    turn: Process = var(Process.LEFT)

    @action
    def ask(self, p: Process) -> None:
        require(self.at[p] is At.IDLE)
        self.wants[p] = True
        self.at[p] = At.ASKED

    @action
    def give_way(self, p: Process) -> None:
        require(self.at[p] is At.ASKED)
        self.turn = OTHER[p]
        self.at[p] = At.WAITING

    @action
    def enter(self, p: Process) -> None:
        require(self.at[p] is At.WAITING and (not self.wants[OTHER[p]] or self.turn is p))
        self.at[p] = At.INSIDE

    @action
    def leave(self, p: Process) -> None:
        require(self.at[p] is At.INSIDE)
        self.wants[p] = False
        self.at[p] = At.IDLE

    @action
    def look_again(self, p: Process) -> None:
        require(self.at[p] is At.WAITING and self.wants[OTHER[p]] and self.turn is not p)

    @eventually(weak=("give_way", "enter", "leave"))
    def who_asks_gets_in(self, p: Process) -> bool:
        return leads_to(self.at[p] is At.ASKED, self.at[p] is At.INSIDE)

    @always
    def one_inside(self) -> bool:
        return not (self.at[Process.LEFT] is At.INSIDE and self.at[Process.RIGHT] is At.INSIDE)

    @eventually
    def who_asks_gets_in_anyway(self, p: Process) -> bool:
        return leads_to(self.at[p] is At.ASKED, self.at[p] is At.INSIDE)


@model
class Diners:
    """Two philosophers who each take the fork at their left first: both may end with one in hand."""

    owner: Map[Process, Process | None] = var(None)

    @action
    def take_left(self, p: Process) -> None:
        require(self.owner[p] is None)
        self.owner[p] = p

    @action
    def take_right(self, p: Process) -> None:
        require(self.owner[p] is p and self.owner[OTHER[p]] is None)
        self.owner[OTHER[p]] = p

    @action
    def put_back(self, p: Process) -> None:
        require(self.owner[p] is p and self.owner[OTHER[p]] is p)
        self.owner[p] = None
        self.owner[OTHER[p]] = None

    @eventually(strong=("take_left", "take_right", "put_back"))
    def who_has_one_gets_both(self, p: Process) -> bool:
        return leads_to(self.owner[p] is p, self.owner[p] is p and self.owner[OTHER[p]] is p)


@model
class OneTurnsRound(Diners):
    """The right one takes the other's first fork first: somebody always gets both."""

    @action
    def take_left(self, p: Process) -> None:
        require(self.owner[Process.LEFT] is None)
        self.owner[Process.LEFT] = p

    @action
    def take_right(self, p: Process) -> None:
        require(self.owner[Process.LEFT] is p and self.owner[Process.RIGHT] is None)
        self.owner[Process.RIGHT] = p

    @eventually(strong=("take_left", "take_right", "put_back"))
    def who_has_one_gets_both(self, p: Process) -> bool:
        return leads_to(self.owner[Process.LEFT] is p, self.owner[p] is p and self.owner[OTHER[p]] is p)
