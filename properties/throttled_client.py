"""Evidence for the throttled client: each of two repairs is refuted in its world, the doubling wait in none."""

from meshspec import evidence, promise
from meshspec.models.incidents.throttled_client import ForgottenOnExpiry, KeptOutOfTheBreaker, PutIntoTheBreaker
from meshspec.models.throttled_client import Client, ThrottledClient

REFUSED, TICK = "refuse(client0)", "tick(client0)"
THRICE = ["throttle(client0)", REFUSED, TICK, REFUSED, TICK, REFUSED]

EVIDENCE = evidence(
    ThrottledClient,
    scope={Client: 1},
    states=33,
    deadlocks=1,
    promises={
        "it_asks_in_vain_but_seldom": promise(
            stands_for=["PEER-429"],
            proved=True,
            refuted_by={KeptOutOfTheBreaker: [*THRICE, TICK, REFUSED], ForgottenOnExpiry: [*THRICE, TICK, REFUSED]},
        ),
        "a_free_service_does_not_wait_long": promise(
            stands_for=["PEER-429-BREAKER"],
            proved=True,
            refuted_by={PutIntoTheBreaker: [*THRICE, "free_up(client0)", TICK, TICK, TICK, TICK]},
        ),
        "only_success_shortens_a_pause": promise(
            stands_for=["BACKOFF-MONOTONE"],
            proved=True,
            refuted_by={
                KeptOutOfTheBreaker: THRICE[:2],
                ForgottenOnExpiry: THRICE[:3],
                PutIntoTheBreaker: THRICE[:2],
            },
        ),
        "it_recovers": promise(stands_for=["BREAKER-RECOVER"]),
    },
)
