"""Evidence for a crowd that is refused and told when to come back."""

from meshspec import evidence, promise
from meshspec.models.crowd import Crowd, Service
from meshspec.models.incidents.crowd import GivesUp, ImmediateRetry

EVIDENCE = evidence(
    Crowd,
    scope={Service: 1},
    states=12,  # before, and after each of 50 / 5 ticks and the arrival
    deadlocks=1,
    promises={
        "nobody_is_refused_twice": promise(
            stands_for=["PEER-429"],
            proved=True,
            refuted_by={ImmediateRetry: ["arrive(service0)", "tick(service0)", "tick(service0)"]},
        ),
        "refusals_are_no_more_than_clients": promise(
            stands_for=["PEER-429"],
            proved=True,
            refuted_by={ImmediateRetry: ["arrive(service0)", "tick(service0)", "tick(service0)"]},
        ),
        "nobody_is_lost": promise(
            stands_for=["PEER-429"],
            proved=True,
            refuted_by={GivesUp: ["arrive(service0)", "tick(service0)"]},
        ),
        "the_crowd_is_gone": promise(stands_for=["PEER-429"]),
    },
)
