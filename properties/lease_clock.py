"""Evidence for the clock of a lease."""

from meshspec import evidence, promise
from meshspec.models.environment import Attempt
from meshspec.models.incidents.lease_clock import ClockRunsWhileWaiting, LateAtEverything
from meshspec.models.lease_clock import Job, LeaseClock

LAPSED = ["submit(job0)", "take(attempt0, job0)", "put_back(job0)"]
RUN_TWICE = [*LAPSED, "take(attempt1, job0)", "begin(attempt0, job0)", "begin(attempt1, job0)"]

EVIDENCE = evidence(
    LeaseClock,
    scope={Attempt: 2, Job: 1},
    states=44,
    deadlocks=14,
    promises={
        "one_runs_at_a_time": promise(
            stands_for=["LEASE-UNIQUE", "LEASE-CLOCK"],
            proved=True,
            refuted_by={ClockRunsWhileWaiting: RUN_TWICE, LateAtEverything: RUN_TWICE},
        ),
        "who_is_at_work_is_who_the_table_says": promise(
            stands_for=["LEASE-AGREE"],
            proved=True,
            refuted_by={ClockRunsWhileWaiting: LAPSED, LateAtEverything: LAPSED},
        ),
        "a_job_is_taken_over": promise(stands_for=["LEASE-ORPHAN"]),
    },
)
