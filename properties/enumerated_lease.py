"""Evidence for the list of what is under a lease."""

from meshspec import evidence, promise
from meshspec.models.enumerated_lease import EnumeratedLease
from meshspec.models.environment import Attempt, Effect
from meshspec.models.incidents.enumerated_lease import LeaseIsReadLater

EVIDENCE = evidence(
    EnumeratedLease,
    scope={Attempt: 2, Effect: 1},
    states=17,
    deadlocks=3,
    promises={
        "what_is_listed_is_done_once": promise(
            stands_for=["LEASE-UNIQUE"],
            proved=True,
            refuted_by={
                LeaseIsReadLater: [
                    "dispatch(attempt0, effect0)",
                    "dispatch_again(attempt1, effect0)",
                    "do(attempt0, effect0)",
                    "do(attempt1, effect0)",
                ]
            },
        ),
        "what_is_listed_is_done": promise(stands_for=["LEASE-UNIQUE"]),
        "what_is_not_listed_is_done_twice": promise(stands_for=["LEASE-UNIQUE"]),
    },
)
