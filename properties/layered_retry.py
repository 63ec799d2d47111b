"""Evidence for retry in layers: with one budget for a call it holds, and each layer for itself makes the product."""

from meshspec import evidence, promise
from meshspec.models.incidents.layered_retry import EachForItself
from meshspec.models.layered_retry import LayeredRetry

CLIENT = ["refuse", "refuse"]

EVIDENCE = evidence(
    LayeredRetry,
    scope={},
    states=9,
    deadlocks=1,
    promises={
        "requests_stay_within_the_budget": promise(
            stands_for=[
                "RETRY-PRODUCT"
            ],  # its bound; that exactly one layer owns the delay is shown by no model here
            proved=True,
            refuted_by={EachForItself: ["begin", *CLIENT, "retry_in_library", *CLIENT, "retry_stream", *CLIENT]},
        ),
        "the_budget_is_used": promise(stands_for=["RETRY-PRODUCT"]),
    },
)
