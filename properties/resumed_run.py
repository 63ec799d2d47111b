"""Evidence for runs that start again: what is finished is answered from the record, under a lasting name."""

from meshspec import evidence, promise
from meshspec.models.environment import Effect
from meshspec.models.incidents.resumed_run import ActsBeforeItLooks, RecordedUnderTheSession, RetriedFromNothing
from meshspec.models.resumed_run import ResumedRun

ACTED = ["think_of(effect0)", "make(effect0)"]
FINISHED = ["look", *ACTED]

EVIDENCE = evidence(
    ResumedRun,
    scope={Effect: 2},
    states=74,  # 2 names * (4**2 before it looks + 3**2 that found nothing + 4**2 - 2**2 that found something)
    orbits=46,  # 2 * (10 + 6 + 10 - 3): the same with unordered pairs
    deadlocks=0,
    promises={
        "finished_work_is_not_done_again": promise(
            stands_for=["EL-AT-MOST-ONCE"],
            proved=True,
            refuted_by={
                RetriedFromNothing: [*FINISHED, "begin_again", *FINISHED],
                RecordedUnderTheSession: [
                    *FINISHED, "begin_again", "think_of(effect0)", "rename", "look", "make(effect0)"
                ],
                ActsBeforeItLooks: [*ACTED, "begin_again", *ACTED],
            },
        ),
        "an_attempt_looks_before_it_acts": promise(
            stands_for=["DL-LEDGER-FIRST"],
            proved=True,
            refuted_by={ActsBeforeItLooks: ACTED},
        ),
        "nothing_found_is_nothing_recorded": promise(
            stands_for=["DL-ID"],
            proved=True,
            refuted_by={RecordedUnderTheSession: [*FINISHED, "begin_again", "rename", "look"]},
        ),
        "a_record_is_found": promise(stands_for=["DL-ID"]),
    },
)  # fmt: skip
