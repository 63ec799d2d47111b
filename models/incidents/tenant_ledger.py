"""A ledger that tenants notice in each other, and duplicates that are told as something else."""

from meshspec import exists, model
from meshspec.models.tenant_ledger import Fingerprint, Heard, Tenant, TenantLedger


@model
class OneLedgerForAll(TenantLedger):
    """No partitions: what one tenant has done is suppressed for another, who never did it."""

    def is_known(self, t: Tenant, f: Fingerprint) -> bool:
        return exists(Tenant, lambda u: self.known[u, f])


@model
class DuplicateIsDone(TenantLedger):
    """A duplicate is told as done: nobody can count what was suppressed."""

    def told_of_a_duplicate(self) -> Heard:
        return Heard.DONE


@model
class DuplicateIsFailure(TenantLedger):
    """A duplicate ends in the one fatal outcome that all ends share, and the breaker hears of it."""

    def told_of_a_duplicate(self) -> Heard:
        return Heard.FAILED

    def count_a_duplicate(self, t: Tenant) -> None:
        self.counted[t] = min(self.counted[t] + 1, 2)


@model
class DuplicateTripsTheBreaker(TenantLedger):
    """A duplicate is told rightly, and counted as a failure all the same: the ledger's work opens the breaker."""

    def count_a_duplicate(self, t: Tenant) -> None:
        self.counted[t] = min(self.counted[t] + 1, 2)
