"""Evidence for the verdict channel."""

from meshspec import evidence, promise
from meshspec.models.environment import Attempt
from meshspec.models.incidents.verdict_channel import (
    DroppedInSilence,
    LeftoverIsAnswer,
    OneFatalOutcome,
    OneWordForTwo,
    RetriedForEver,
    ToldAgain,
    WaitingIsAnEnd,
    WaiverNeverLapses,
)
from meshspec.models.verdict_channel import VerdictChannel

DUPLICATE = ["meet(attempt0, DUPLICATE)", "end(attempt0)"]
BOUND = ["meet(attempt0, EXHAUSTED)", "end(attempt0)"]
DROPPED = ["meet(attempt0, STALLED)", "drop(attempt0)"]
WAITING = ["work(attempt0)", "meet(attempt0, REJECTED)", "ask_for_waiver(attempt0)"]

EVIDENCE = evidence(
    VerdictChannel,
    scope={Attempt: 1},
    states=80,
    deadlocks=32,
    promises={
        "a_verdict_names_the_first_cause": promise(
            stands_for=["VC-DISTINCT", "VC-IDENTIFIABLE"],
            proved=True,
            refuted_by={
                OneFatalOutcome: DUPLICATE,
                LeftoverIsAnswer: BOUND,
                DroppedInSilence: DROPPED,
                WaitingIsAnEnd: WAITING,
            },
        ),
        "two_causes_have_two_words": promise(
            stands_for=["VC-DISTINCT", "VC-IDENTIFIABLE"],
            proved=True,
            refuted_by={OneFatalOutcome: DUPLICATE, OneWordForTwo: BOUND},
        ),
        "a_bound_is_no_success": promise(
            stands_for=["VC-BOUND-NOT-SUCCESS"], proved=True, refuted_by={LeftoverIsAnswer: BOUND}
        ),
        "done_is_told_of_what_is_done": promise(
            stands_for=["VC-BOUND-NOT-SUCCESS"], proved=True, refuted_by={LeftoverIsAnswer: BOUND}
        ),
        "who_has_ended_was_told_once": promise(
            stands_for=["VC-TOTAL-UNIQUE"],
            proved=True,
            refuted_by={
                ToldAgain: [*DUPLICATE, "end(attempt0)"],
                DroppedInSilence: DROPPED,
            },
        ),
        "waiting_is_no_end": promise(stands_for=["VC-WAIT"], proved=True, refuted_by={WaitingIsAnEnd: WAITING}),
        "only_a_stall_is_counted": promise(
            stands_for=["VC-DUP-NOT-FAIL", "EL-VERDICT"],
            proved=True,
            refuted_by={OneFatalOutcome: DUPLICATE},
        ),
        "what_is_stopped_reaches_who_can_act": promise(
            stands_for=["VC-ACTIONABLE"],
            refuted_by={
                RetriedForEver: ["meet(attempt0, STALLED)", "retry(attempt0)", "meet(attempt0, STALLED)"],
                DroppedInSilence: DROPPED,
            },
        ),
        "waiting_comes_to_an_end": promise(
            stands_for=["VC-WAIT"],
            refuted_by={WaiverNeverLapses: [*WAITING, "signal(attempt0)"]},
        ),
        "what_is_done_is_stopped": promise(stands_for=["VC-BOUND-NOT-SUCCESS"]),
        "what_is_not_done_is_stopped": promise(stands_for=["VC-BOUND-NOT-SUCCESS"]),
    },
)
