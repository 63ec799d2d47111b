"""Effect ledger: the outside world sees each effect at most once, and what is recorded was done.

A worker writes its intent down, sends, and records the receipt; it may crash between any two of these, the reply may
be lost, the service may act when nobody waits any more, and the queue may hand the same work over again. Back up,
the worker cannot tell "never sent" from "sent, receipt lost": the effect is in doubt, and what is done about doubt
decides everything. Doubt itself is written down and told as doubt, neither success nor failure.
"""

from enum import Enum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    action,
    always,
    each,
    eventually,
    implies,
    leads_to,
    lemma,
    model,
    require,
    sometimes,
    var,
)
from meshspec.models.environment import CrashAndRestart, Effect, LateCommit, Redelivery


class Recovery(Enum):
    """What is done about an effect in doubt."""

    ASK = 0  # the service can say whether it has acted, once nothing is on the way to it
    SKIP = 1  # never act twice, at the price of perhaps never acting
    RESEND = 2  # the naive retry


class Told(Enum):
    """What the caller was told of an effect."""

    NOTHING = 0
    SUCCESS = 1
    FAILURE = 2
    UNKNOWN = 3


@model
class EffectLedger(CrashAndRestart, Redelivery, LateCommit):
    """One worker, its durable log, and a service that acts on every request it gets."""

    recovery: Recovery = Recovery.ASK
    intended: Map[Effect, bool] = var(False)  # durable: written before the request leaves
    doubtful: Map[Effect, bool] = var(False)  # durable: sent perhaps, done perhaps
    recorded: Map[Effect, bool] = var(False)  # durable: closed, never to be sent again
    told: Map[Effect, Told] = var(Told.NOTHING)
    applied: Map[Effect, Annotated[int, Range(0, 2)]] = var(0)  # what the world saw; 2 is "more than once"

    def forget(self) -> None:
        self.awaiting = each(Effect, lambda e: False)

    def read_back(self) -> None:
        self.doubtful = each(Effect, lambda e: self.intended[e] and not self.recorded[e])
        self.told = each(Effect, lambda e: Told.UNKNOWN if self.doubtful[e] else self.told[e])

    def timed_out(self, e: Effect) -> None:
        self.doubtful[e] = True
        self.told[e] = Told.UNKNOWN

    def take_effect(self, e: Effect) -> None:
        self.applied[e] = min(self.applied[e] + 1, 2)

    @action
    def intend(self, e: Effect) -> None:
        """Write down what is about to happen, before it can."""
        require(self.up and self.waiting[e] and not self.intended[e])
        self.waiting[e] = False
        self.intended[e] = True

    @action
    def suppress(self, e: Effect) -> None:
        """Work that the log knows already is a duplicate, whatever became of it."""
        require(self.up and self.waiting[e] and self.intended[e])
        self.waiting[e] = False

    @action
    def send(self, e: Effect) -> None:
        """Only what is intended, not closed, not under way and not in doubt."""
        require(self.up and self.intended[e] and not self.recorded[e])
        require(not self.awaiting[e] and not self.doubtful[e])
        self.on_the_way[e] = True
        self.awaiting[e] = True

    @action
    def record(self, e: Effect) -> None:
        """The reply arrived."""
        require(self.up and self.awaiting[e] and not self.on_the_way[e])
        self.awaiting[e] = False
        self.recorded[e] = True
        self.told[e] = Told.SUCCESS

    @action
    def settle(self, e: Effect) -> None:
        """Resolve a doubt as the recovery policy says."""
        require(self.up and self.doubtful[e])
        require(self.recovery != Recovery.ASK or not self.on_the_way[e])
        self.doubtful[e] = False
        if self.recovery == Recovery.ASK and self.applied[e] > 0:
            self.recorded[e] = True
            self.told[e] = Told.SUCCESS
        elif self.recovery == Recovery.SKIP:
            self.recorded[e] = True

    @always
    def at_most_once(self, e: Effect) -> bool:
        return self.applied[e] <= 1

    @always
    def recorded_is_done_once(self, e: Effect) -> bool:
        return implies(self.recorded[e], self.applied[e] == 1)

    @always
    def doubt_is_told_as_doubt(self, e: Effect) -> bool:
        return implies(self.doubtful[e], self.told[e] == Told.UNKNOWN)

    @always
    def success_is_told_truly(self, e: Effect) -> bool:
        return implies(self.told[e] == Told.SUCCESS, self.applied[e] > 0)

    @always
    def only_delivered_work_is_done(self, e: Effect) -> bool:
        """Nothing happens, nor is anybody told that it has, which was never asked for."""
        return implies(self.applied[e] > 0 or self.told[e] == Told.SUCCESS, self.delivered[e])

    @always
    def delivered_work_is_not_lost(self, e: Effect) -> bool:
        return implies(self.delivered[e], self.waiting[e] or self.intended[e])

    @always
    def a_success_is_told(self, e: Effect) -> bool:
        return implies(self.recorded[e], self.told[e] == Told.SUCCESS)

    @eventually
    def a_dead_worker_comes_back(self) -> bool:
        """Fairness is not needed: while it is down there is little else that can happen, and none of it for ever."""
        return leads_to(not self.up, self.up)

    @eventually(weak=("recover", "act", "record"), strong=("intend", "send"))
    def delivered_work_is_told_of(self, e: Effect) -> bool:
        """If only as being in doubt: that a request which nobody waits for arrives at last, nobody can owe."""
        return leads_to(self.delivered[e], self.told[e] != Told.NOTHING)

    @eventually(weak=("recover",), strong=("settle",))
    def a_doubt_is_settled(self, e: Effect) -> bool:
        """Once nothing is on its way to the service any more, which then can say whether it has acted."""
        return leads_to(self.doubtful[e] and not self.on_the_way[e], not self.doubtful[e])

    @sometimes
    def it_gets_done(self, e: Effect) -> bool:
        return self.recorded[e] and self.applied[e] == 1

    @sometimes
    def doubt_is_about_something_done(self, e: Effect) -> bool:
        return self.doubtful[e] and self.applied[e] == 1

    @lemma
    def who_waits_is_up_and_not_in_doubt(self, e: Effect) -> bool:
        return implies(self.awaiting[e], self.up and not self.doubtful[e])

    @lemma
    def intent_comes_first(self, e: Effect) -> bool:
        started = self.on_the_way[e] or self.applied[e] > 0 or self.recorded[e]
        return implies(started or self.awaiting[e] or self.doubtful[e], self.intended[e])

    @lemma
    def intent_comes_of_delivery(self, e: Effect) -> bool:
        return implies(self.intended[e] or self.waiting[e], self.delivered[e])

    @lemma
    def what_is_awaited_was_sent_once(self, e: Effect) -> bool:
        return implies(self.awaiting[e], self.on_the_way[e] != (self.applied[e] == 1))

    @lemma
    def one_request_at_a_time(self, e: Effect) -> bool:
        return implies(self.on_the_way[e], self.applied[e] == 0 and not self.recorded[e])

    @lemma
    def done_is_known_or_doubted(self, e: Effect) -> bool:
        acted = self.on_the_way[e] or self.applied[e] > 0
        return implies(self.up and acted, self.recorded[e] or self.awaiting[e] or self.doubtful[e])

    @lemma
    def what_is_closed_is_not_open(self, e: Effect) -> bool:
        return implies(self.recorded[e], not self.awaiting[e] and not self.doubtful[e])
