"""Evidence for the half-open breaker: it comes to probe again, however the last probe ended."""

from meshspec import evidence, promise
from meshspec.models.half_open_breaker import HalfOpenBreaker
from meshspec.models.incidents.half_open_breaker import SlotIsLost

LOST = ["wait", "probe", "end(IGNORED)"]

EVIDENCE = evidence(
    HalfOpenBreaker,
    scope={},
    states=4,
    deadlocks=0,
    promises={
        "a_taken_slot_has_a_probe_under_way": promise(
            stands_for=["BREAKER-RECOVER"], proved=True, refuted_by={SlotIsLost: LOST}
        ),
        "what_is_open_is_probed_again": promise(
            stands_for=["BREAKER-RECOVER"], refuted_by={SlotIsLost: [*LOST, "refuse"]}
        ),
        "it_closes_again": promise(stands_for=["BREAKER-RECOVER"]),
    },
)
