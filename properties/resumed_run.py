"""Evidence for runs that start again: what is finished is answered from the record, under a lasting name."""

from meshspec import evidence, promise
from meshspec.models.environment import Effect
from meshspec.models.incidents.resumed_run import RecordedUnderTheSession, RetriedFromNothing
from meshspec.models.resumed_run import ResumedRun

FINISHED = ["think_of(effect0)", "make(effect0)"]

EVIDENCE = evidence(
    ResumedRun,
    scope={Effect: 2},
    states=60,  # 2 names * (3**2 before it looks + 3**2 that found nothing + 4**2 - 2**2 that found something)
    orbits=38,  # 2 * (6 + 6 + 10 - 3): the same with unordered pairs
    deadlocks=0,
    promises={
        "finished_work_is_not_done_again": promise(
            stands_for=["EL-AT-MOST-ONCE", "DL-LEDGER-FIRST", "DL-WINDOW"],
            proved=True,
            refuted_by={
                RetriedFromNothing: [*FINISHED, "begin_again", *FINISHED],
                RecordedUnderTheSession: [*FINISHED, "rename", "begin_again", *FINISHED],
            },
        ),
        "nothing_found_is_nothing_recorded": promise(
            stands_for=["DL-ID"],
            proved=True,
            refuted_by={RecordedUnderTheSession: [*FINISHED, "rename", "begin_again"]},
        ),
        "it_is_answered_from_the_record": promise(stands_for=["DL-ID"]),
    },
)
