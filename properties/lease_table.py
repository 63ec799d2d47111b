"""Evidence for the table of leases."""

from meshspec import evidence, promise
from meshspec.models.environment import Attempt
from meshspec.models.incidents.lease_table import (
    CheckThenInsert,
    OverlooksBudget,
    OverlooksFailure,
    OverlooksStrategy,
    OverlooksVersion,
)
from meshspec.models.lease_table import Budget, Failure, LeaseTable, Strategy, Version

BOTH_ASK = ["ask(attempt0)", "ask(attempt1)", "insert(attempt0)"]
OVERLOOKED = [*BOTH_ASK, "refuse(attempt1, attempt0)"]

EVIDENCE = evidence(
    LeaseTable,
    scope={Attempt: 2, Failure: 2, Strategy: 2, Version: 2, Budget: 2},
    states=4_144,  # 240 pairs of keys that differ, 4**2 ways to be; 16 that are equal, 4**2 - 1 + 4 ways
    deadlocks=288,  # 240 where both are over; 16 where both are over, or one is and the other was refused
    promises={
        "one_holds_it": promise(
            stands_for=["LEASE-UNIQUE"],
            proved=True,
            refuted_by={CheckThenInsert: [*BOTH_ASK, "insert(attempt1)"]},
        ),
        "only_an_equal_key_is_refused": promise(
            stands_for=["LEASE-KEY"],
            proved=True,
            refuted_by={
                OverlooksFailure: OVERLOOKED,
                OverlooksStrategy: OVERLOOKED,
                OverlooksVersion: OVERLOOKED,
                OverlooksBudget: OVERLOOKED,
            },
        ),
        "two_hold_what_differs_in_one_part": promise(stands_for=["LEASE-KEY"]),
    },
)
