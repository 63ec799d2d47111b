"""Evidence for the verdict on a whole."""

from meshspec import evidence, promise
from meshspec.models.incidents.parent_verdict import (
    EndOfAPart,
    LiveFeedOnly,
    NothingFailed,
    OnePassIsEnough,
    SkippedIsPassed,
)
from meshspec.models.parent_verdict import Listener, ParentVerdict, Part

SKIPPED = ["run(part0, SKIPPED)", "tell"]

EVIDENCE = evidence(
    ParentVerdict,
    scope={Part: 2, Listener: 2},
    states=637,
    deadlocks=49,
    promises={
        "passed_means_that_all_passed": promise(
            stands_for=["VC-AGGREGATE"],
            proved=True,
            refuted_by={
                NothingFailed: ["tell"],
                SkippedIsPassed: SKIPPED,
                OnePassIsEnough: ["run(part0, PASSED)", "tell"],
            },
        ),
        "passed_means_that_something_ran": promise(
            stands_for=["VC-AGGREGATE"], proved=True, refuted_by={NothingFailed: ["tell"], SkippedIsPassed: SKIPPED}
        ),
        "a_failure_is_told": promise(
            stands_for=["VC-AGGREGATE"],
            proved=True,
            refuted_by={OnePassIsEnough: ["run(part0, PASSED)", "run(part1, FAILED)", "tell"]},
        ),
        "only_an_end_that_has_come_is_heard": promise(
            stands_for=["TERMINAL-SEEN"],
            proved=True,
            refuted_by={EndOfAPart: ["run(part0, SKIPPED)", "listen(listener0)", "hear(listener0)"]},
        ),
        "whoever_listens_hears_the_end": promise(
            stands_for=["TERMINAL-SEEN"],
            refuted_by={LiveFeedOnly: ["tell", "listen(listener0)", "listen(listener1)"]},
        ),
        "it_passes": promise(stands_for=["VC-AGGREGATE"]),
        "nothing_was_wanted": promise(stands_for=["VC-AGGREGATE"]),
    },
)
