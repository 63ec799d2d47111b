"""Effect ledger: the outside world sees each effect at most once. The plainest form of it.

A worker writes its intent down, sends, and records the receipt; it may crash between any two of these.
Back up, it cannot tell "never sent" from "sent, receipt lost": the effect is in doubt, and what it does
about doubt decides everything.
"""

from enum import Enum
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, each, fault, implies, lemma, model, require, var


class Effect(Sort):
    """One logical effect; every attempt at it carries the same name."""


class Recovery(Enum):
    ASK = 0  # the service can say whether it has acted
    SKIP = 1  # never act twice, at the price of perhaps never acting
    RESEND = 2  # the naive retry


@model
class EffectLedger:
    recovery: Recovery = Recovery.ASK  # a constant: an attrs field
    intended: Map[Effect, bool] = var(False)
    applied: Map[Effect, Annotated[int, Range(0, 3)]] = var(0)  # what the world saw
    recorded: Map[Effect, bool] = var(False)
    sent: Map[Effect, bool] = var(False)  # volatile: what this worker remembers
    doubtful: Map[Effect, bool] = var(False)
    up: bool = var(True)

    @action
    def intend(self, e: Effect) -> None:
        """Write down what is about to happen, before it can."""
        require(self.up and not self.intended[e])
        self.intended[e] = True

    @action
    def send(self, e: Effect) -> None:
        """The service acts on every request it gets."""
        require(self.up and self.intended[e] and not self.recorded[e])
        require(not self.sent[e] and not self.doubtful[e])
        self.applied[e] += 1
        self.sent[e] = True

    @action
    def record(self, e: Effect) -> None:
        require(self.up and self.sent[e])
        self.recorded[e] = True
        self.sent[e] = False

    @fault
    def crash(self) -> None:
        """The worker dies; what only it knew is gone."""
        require(self.up)
        self.up = False
        self.sent = each(Effect, lambda e: False)

    @action
    def recover(self) -> None:
        require(not self.up)
        self.up = True
        self.doubtful = each(Effect, lambda e: self.intended[e] and not self.recorded[e])

    @action
    def settle(self, e: Effect) -> None:
        """Resolve a doubt as the recovery policy says."""
        require(self.up and self.doubtful[e])
        self.doubtful[e] = False
        if self.recovery == Recovery.SKIP or (self.recovery == Recovery.ASK and self.applied[e] > 0):
            self.recorded[e] = True

    @always
    def at_most_once(self, e: Effect) -> bool:
        return 0 <= self.applied[e] <= 1

    @always
    def recorded_is_done(self, e: Effect) -> bool:
        return implies(self.recorded[e], self.applied[e] >= 1)

    @always
    def memory_dies_with_the_worker(self, e: Effect) -> bool:
        return implies(self.sent[e], self.up)

    @lemma
    def intent_comes_first(self, e: Effect) -> bool:
        return implies(self.applied[e] > 0 or self.recorded[e], self.intended[e])

    @lemma
    def done_is_known_or_doubted(self, e: Effect) -> bool:
        return implies(self.up and self.applied[e] > 0, self.recorded[e] or self.sent[e] or self.doubtful[e])

    @lemma
    def sent_is_done(self, e: Effect) -> bool:
        return implies(self.sent[e], self.applied[e] > 0)


@model
class ResendInDoubt(EffectLedger):
    """The incident: what is in doubt is sent again, unasked."""

    recovery: Recovery = Recovery.RESEND
