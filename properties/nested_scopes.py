"""Evidence for nested scopes: capped each, they end; one without a cap, and they do not."""

from meshspec import evidence, promise
from meshspec.models.incidents.nested_scopes import OneTooMany, StrategyWithoutCap
from meshspec.models.nested_scopes import NestedScopes

SPENT = ["begin", "give_up"]  # the calls of one session

EVIDENCE = evidence(
    NestedScopes,
    scope={},
    states=127,  # 1 + 2 + 2**2 + ... + 2**6: all ended, or at a turn with all inside spent and the rest at 0 or 1
    deadlocks=1,
    promises={
        "it_ends": promise(
            stands_for=["BL-TERM"],
            refuted_by={StrategyWithoutCap: [*SPENT, "begin", *SPENT, "give_up", "begin"]},
        ),
        "no_scope_exceeds_its_cap": promise(
            stands_for=["BL-CAP"], proved=True, refuted_by={OneTooMany: ["begin"] * 2}
        ),
        "a_session_begins_anew": promise(stands_for=["BL-CAP"]),
    },
)
