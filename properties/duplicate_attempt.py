"""Evidence for what becomes of a duplicate."""

from meshspec import evidence, promise
from meshspec.models.duplicate_attempt import DuplicateAttempt
from meshspec.models.environment import Attempt
from meshspec.models.incidents.duplicate_attempt import DuplicateIsFatal, DuplicateIsSuccess, OnlySuccessIsAdopted

TWICE = ["start(attempt0)", "dispatch_again(attempt1, attempt0)"]

UNHEARD = ["start(attempt1)", "dispatch_again(attempt0, attempt1)", "fail(attempt1)"]

EVIDENCE = evidence(
    DuplicateAttempt,
    scope={Attempt: 2},
    states=25,
    deadlocks=8,
    promises={
        "a_duplicate_is_no_failure": promise(
            stands_for=["VC-DUP-NOT-FAIL", "EL-VERDICT"], proved=True, refuted_by={DuplicateIsFatal: TWICE}
        ),
        "what_is_adopted_is_the_holders": promise(
            stands_for=["VC-DUP-NOT-FAIL"],
            proved=True,
            refuted_by={DuplicateIsSuccess: [*TWICE, "adopt(attempt1, attempt0)"]},
        ),
        "a_duplicate_gets_a_result": promise(
            stands_for=["VC-DUP-NOT-FAIL"], refuted_by={OnlySuccessIsAdopted: UNHEARD}
        ),
        "its_holder_fails": promise(stands_for=["VC-DUP-NOT-FAIL"]),
    },
)
