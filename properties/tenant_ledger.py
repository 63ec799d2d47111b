"""Evidence for a ledger that tenants share without noticing, and for duplicates that are told as duplicates."""

from meshspec import evidence, promise
from meshspec.models.incidents.tenant_ledger import (
    DuplicateIsDone,
    DuplicateIsFailure,
    DuplicateTripsTheBreaker,
    OneLedgerForAll,
)
from meshspec.models.tenant_ledger import Fingerprint, Tenant, TenantLedger

TWICE = ["call(tenant0, fingerprint0)", "call(tenant0, fingerprint0)"]

EVIDENCE = evidence(
    TenantLedger,
    scope={Tenant: 2, Fingerprint: 1},
    states=81,  # 9**2: none, one or two failures, and the call not executed yet, executed, or suppressed
    orbits=45,  # 9 * 10 / 2: unordered pairs
    deadlocks=0,
    promises={
        "no_tenant_can_tell_that_it_is_not_alone": promise(
            stands_for=["EL-TENANT"],
            proved=True,
            refuted_by={OneLedgerForAll: ["call(tenant0, fingerprint0)", "call(tenant1, fingerprint0)"]},
        ),
        "what_was_suppressed_is_told_as_a_duplicate": promise(
            stands_for=["EL-VERDICT"],
            proved=True,
            refuted_by={DuplicateIsDone: TWICE, DuplicateIsFailure: TWICE},
        ),
        "a_breaker_counts_failures_alone": promise(
            stands_for=["EL-VERDICT"],
            proved=True,
            refuted_by={DuplicateIsFailure: TWICE, DuplicateTripsTheBreaker: TWICE},
        ),
        "a_duplicate_is_suppressed": promise(stands_for=["EL-VERDICT"]),
    },
)
