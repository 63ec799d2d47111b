"""Evidence for notices about attempts."""

from meshspec import evidence, promise
from meshspec.models.attempt_notice import AttemptNotice
from meshspec.models.environment import Attempt
from meshspec.models.incidents.attempt_notice import (
    EveryNoticeCounts,
    NoticeClearsTheTask,
    NoticeForTheTask,
    NoticeStartsOver,
)

NEXT_ONE = ["start(attempt0)", "fall_silent(attempt0)", "start(attempt1)"]

TOLD_TWICE = ["start(attempt0)", "fall_silent(attempt0)", "file_again(attempt0)", "look(attempt0)", "look(attempt0)"]

EVIDENCE = evidence(
    AttemptNotice,
    scope={Attempt: 2},
    states=99,
    deadlocks=10,
    promises={
        "who_failed_was_named": promise(
            stands_for=["VC-ATTEMPT-SCOPED"],
            proved=True,
            refuted_by={NoticeForTheTask: [*NEXT_ONE, "look(attempt0)"]},
        ),
        "a_notice_changes_no_other_attempt": promise(
            stands_for=["VC-ATTEMPT-SCOPED"],
            proved=True,
            refuted_by={
                NoticeForTheTask: [*NEXT_ONE, "look(attempt0)"],
                NoticeStartsOver: [*NEXT_ONE, "look(attempt0)"],
            },
        ),
        "a_late_notice_leaves_the_task_alone": promise(
            stands_for=["VC-ATTEMPT-SCOPED"],
            proved=True,
            refuted_by={
                NoticeForTheTask: [*NEXT_ONE, "look(attempt0)"],
                NoticeStartsOver: [*NEXT_ONE, "look(attempt0)"],
                NoticeClearsTheTask: [*NEXT_ONE, "fall_silent(attempt1)", "look(attempt1)", "look(attempt0)"],
            },
        ),
        "a_success_stays": promise(
            stands_for=["VC-ATTEMPT-SCOPED", "VC-TOTAL-UNIQUE"],
            proved=True,
            refuted_by={NoticeForTheTask: [*NEXT_ONE, "succeed(attempt1)", "look(attempt0)"]},
        ),
        "a_death_is_charged_once": promise(
            stands_for=["VC-ATTEMPT-SCOPED"],
            proved=True,
            refuted_by={EveryNoticeCounts: TOLD_TWICE},
        ),
        "a_notice_comes_too_late": promise(stands_for=["VC-ATTEMPT-SCOPED"]),
    },
)
