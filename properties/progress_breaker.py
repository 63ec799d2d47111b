"""Evidence for the breaker of identical calls, and for the blindness of the one that counts errors."""

from meshspec import evidence, promise
from meshspec.models.incidents.progress_breaker import CallAlone, OffByOne, StepBudgetAlone
from meshspec.models.progress_breaker import Answer, Call, ProgressBreaker, Session

SAME = "call(session0, call0, answer0)"
OTHER_ANSWER = "call(session0, call0, answer1)"

EVIDENCE = evidence(
    ProgressBreaker,
    scope={Session: 1, Call: 2, Answer: 2},
    states=348,
    deadlocks=65,
    promises={
        "a_loop_costs_no_more_than_its_patience": promise(
            stands_for=["PB-TRIP-BOUND"],
            proved=True,
            refuted_by={StepBudgetAlone: [SAME] * 5},
        ),
        "only_a_loop_is_stopped": promise(
            stands_for=["PB-TRIP-BOUND"],
            proved=True,
            refuted_by={CallAlone: [*[SAME] * 3, OTHER_ANSWER]},
        ),
        "without_errors_the_inherited_breaker_stays_shut": promise(
            stands_for=["PB-SUCCESS-BLIND"],
            proved=True,
            refuted_by={OffByOne: [SAME]},
        ),
        "a_loop_comes_to_its_bound": promise(stands_for=["PB-TRIP-BOUND"]),
        "the_inherited_breaker_can_open": promise(stands_for=["PB-SUCCESS-BLIND"]),
    },
)
