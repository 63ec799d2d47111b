"""Evidence for start-up recovery."""

from meshspec import evidence, promise
from meshspec.models.incidents.startup_recovery import ClaimWithoutCompare, MineIsLeftOver, NameGivenAgain
from meshspec.models.startup_recovery import Name, Runner, StartupRecovery, Work

CLAIMED = ["start(runner0, name0)", "enqueue(work0)", "claim(runner0, work0)"]
RUN_TWICE = [*CLAIMED, "recover(runner0, work0)"]
TWO_ARE_UP = ["start(runner0, name0)", "start(runner1, name1)", "enqueue(work0)", "claim(runner0, work0)"]
CLAIMED_TWICE = [*TWO_ARE_UP, "claim(runner1, work0)"]
STUCK = [*TWO_ARE_UP, "end(runner0)"]

EVIDENCE = evidence(
    StartupRecovery,
    scope={Runner: 2, Name: 2, Work: 1},
    states=98,
    deadlocks=20,
    promises={
        "one_body_runs": promise(
            stands_for=["LEASE-UNIQUE"],
            proved=True,
            refuted_by={MineIsLeftOver: RUN_TWICE, ClaimWithoutCompare: CLAIMED_TWICE},
        ),
        "a_name_is_given_once": promise(
            stands_for=["LEASE-IDENTITY"],
            proved=True,
            refuted_by={NameGivenAgain: ["start(runner0, name0)", "end(runner0)", "start(runner1, name0)"]},
        ),
        "what_nobody_runs_is_found_again": promise(
            stands_for=["LEASE-ORPHAN"],
            refuted_by={MineIsLeftOver: STUCK, NameGivenAgain: [*CLAIMED, "end(runner0)", "start(runner1, name0)"]},
        ),
        "it_is_finished_by_another": promise(stands_for=["LEASE-ORPHAN"]),
    },
)
