"""Evidence for the recovery lease."""

from meshspec import evidence, promise
from meshspec.models.environment import Attempt
from meshspec.models.incidents.recovery_lease import (
    AsksTheDead,
    FenceNotAbove,
    GrantOverTheSuspect,
    NoFence,
    TableInACache,
)
from meshspec.models.recovery_lease import RecoveryLease

RESTARTED = ["grant(attempt0)", "crash", "recover"]
REPLACED = [*RESTARTED, "give_up(attempt0)"]

EVIDENCE = evidence(
    RecoveryLease,
    scope={Attempt: 2},
    states=142,
    deadlocks=0,
    promises={
        "one_holds_it": promise(
            stands_for=["LEASE-UNIQUE"],
            proved=True,
            refuted_by={GrantOverTheSuspect: [*RESTARTED, "grant(attempt1)"]},
        ),
        "who_was_replaced_never_commits": promise(
            stands_for=["LEASE-FENCE"],
            proved=True,
            refuted_by={NoFence: [*REPLACED, "commit(attempt0)"], FenceNotAbove: [*REPLACED, "commit(attempt0)"]},
        ),
        "who_may_commit_is_who_the_table_says": promise(
            stands_for=["LEASE-AGREE"],
            proved=True,
            refuted_by={
                NoFence: REPLACED,
                FenceNotAbove: REPLACED,
                TableInACache: ["grant(attempt0)", "evict(attempt0)"],
            },
        ),
        "what_a_dead_holder_had_is_reclaimed": promise(
            stands_for=["LEASE-ORPHAN"], refuted_by={AsksTheDead: [*RESTARTED, "die(attempt0)"]}
        ),
        "a_zombie_runs_beside_the_holder": promise(stands_for=["LEASE-FENCE"]),
    },
)
