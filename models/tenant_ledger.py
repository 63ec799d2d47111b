"""Tenant ledger: many tenants dedupe against one ledger, and none can tell from what it hears that others are there.

Two runs are watched side by side: the one that all tenants share, and for each tenant the one in which it makes the
same calls alone. What a tenant is told must be the same in both. A duplicate is told as a duplicate: it is neither a
failure nor a success of its own, and it moves no counter of failures, or the ledger doing its job would trip a
breaker.
"""

from enum import Enum
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, fault, implies, lemma, model, require, sometimes, var


class Tenant(Sort):
    """Whose work it is."""


class Fingerprint(Sort):
    """What an effect is known by; two tenants may well have the same."""


class Heard(Enum):
    """What the caller was told last."""

    NOTHING = 0
    DONE = 1
    DUPLICATE = 2
    FAILED = 3


@model
class TenantLedger:
    """A ledger with a partition for each tenant, and beside it a ledger that each tenant has to itself."""

    known: Map[tuple[Tenant, Fingerprint], bool] = var(False)  # in the shared ledger
    heard: Map[tuple[Tenant, Fingerprint], Heard] = var(Heard.NOTHING)
    suppressed: Map[tuple[Tenant, Fingerprint], bool] = var(False)  # the last call was not executed
    alone: Map[tuple[Tenant, Fingerprint], bool] = var(False)  # in the ledger of its own
    heard_alone: Map[tuple[Tenant, Fingerprint], Heard] = var(Heard.NOTHING)
    failures: Map[Tenant, Annotated[int, Range(0, 2)]] = var(0)  # really
    counted: Map[Tenant, Annotated[int, Range(0, 2)]] = var(0)  # by the tenant's breaker

    def is_known(self, t: Tenant, f: Fingerprint) -> bool:
        """Whether the shared ledger suppresses the call."""
        return self.known[t, f]

    def told_of_a_duplicate(self) -> Heard:
        return Heard.DUPLICATE

    def count_a_duplicate(self, t: Tenant) -> None:
        """What a duplicate does to the tenant's breaker: nothing."""

    @action
    def call(self, t: Tenant, f: Fingerprint) -> None:
        """It is executed, or suppressed as a duplicate; at the same time it is made in the world of one's own."""
        known = self.is_known(t, f)
        self.suppressed[t, f] = known
        self.heard[t, f] = self.told_of_a_duplicate() if known else Heard.DONE
        self.heard_alone[t, f] = self.told_of_a_duplicate() if self.alone[t, f] else Heard.DONE
        self.known[t, f] = True
        self.alone[t, f] = True
        if known:
            self.count_a_duplicate(t)

    @fault
    def fail(self, t: Tenant, f: Fingerprint) -> None:
        """The service refuses a call that no ledger knows; its breaker hears of that, in both worlds."""
        require(not self.is_known(t, f) and not self.alone[t, f] and self.failures[t] < 2)
        self.heard[t, f] = Heard.FAILED
        self.heard_alone[t, f] = Heard.FAILED
        self.suppressed[t, f] = False
        self.failures[t] = self.failures[t] + 1
        self.counted[t] = min(self.counted[t] + 1, 2)

    @always
    def no_tenant_can_tell_that_it_is_not_alone(self, t: Tenant, f: Fingerprint) -> bool:
        return self.heard[t, f] == self.heard_alone[t, f]

    @always
    def what_was_suppressed_is_told_as_a_duplicate(self, t: Tenant, f: Fingerprint) -> bool:
        return implies(self.suppressed[t, f], self.heard[t, f] == Heard.DUPLICATE)

    @always
    def a_breaker_counts_failures_alone(self, t: Tenant) -> bool:
        return self.counted[t] == self.failures[t]

    @sometimes
    def a_duplicate_is_suppressed(self, t: Tenant, f: Fingerprint) -> bool:
        return self.suppressed[t, f]

    @lemma
    def both_ledgers_know_the_same(self, t: Tenant, f: Fingerprint) -> bool:
        return self.known[t, f] == self.alone[t, f]
