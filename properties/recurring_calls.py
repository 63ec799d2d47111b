"""Evidence for the breaker that counts recurring calls, in a row or not."""

from meshspec import evidence, promise
from meshspec.models.incidents.recurring_calls import ConsecutiveOnly, TripsEarly
from meshspec.models.progress_breaker import Answer, Call, Session
from meshspec.models.recurring_calls import RecurringCalls

ONE = "call(session0, call0, answer0)"
OTHER = "call(session0, call1, answer0)"

EVIDENCE = evidence(
    RecurringCalls,
    scope={Session: 1, Call: 2, Answer: 1},
    states=31,
    deadlocks=14,
    promises={
        "nothing_is_asked_and_answered_too_often": promise(
            stands_for=["PB-TRIP-BOUND"],
            proved=True,
            refuted_by={ConsecutiveOnly: [ONE, ONE, OTHER, ONE, ONE]},
        ),
        "only_what_recurs_is_stopped": promise(
            stands_for=["PB-TRIP-BOUND"],
            proved=True,
            refuted_by={TripsEarly: [ONE, ONE]},
        ),
        "another_call_is_made": promise(stands_for=["PB-TRIP-BOUND"]),
    },
)
