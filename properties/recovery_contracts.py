"""Evidence for the three recovery contracts: with each the effect happens exactly once, and each is needed."""

from meshspec import evidence, promise
from meshspec.models.environment import Effect
from meshspec.models.incidents.recovery_contracts import (
    AnswerTooSoon,
    ClosedUnasked,
    CommittedApart,
    KeyForgottenEarly,
    KeyIgnored,
)
from meshspec.models.recovery_contracts import ContractLedger

SENT_AGAIN = [
    "intend(effect0)", "send(effect0)", "act(effect0)", "lose_reply(effect0)", "settle(effect0)", "send(effect0)"
]  # fmt: skip
DONE_TWICE = [*SENT_AGAIN, "act(effect0)"]
FORGOTTEN = [*SENT_AGAIN, "forget_key(effect0)", "act(effect0)"]
COMMITTED_TWICE = ["intend(effect0)", "commit(effect0)", "lose_reply(effect0)", "settle(effect0)", "commit(effect0)"]
OVERTAKEN = [
    "intend(effect0)", "send(effect0)", "lose_reply(effect0)", "settle(effect0)", "send(effect0)",
    "act(effect0)", "act(effect0)",
]  # fmt: skip
CLOSED = ["intend(effect0)", "crash", "recover", "settle(effect0)"]

EVIDENCE = evidence(
    ContractLedger,
    scope={Effect: 1},
    states=49,  # 32 with a living worker and 17 with a dead one: CPython alone, and 32**2 + 17**2 with two effects
    deadlocks=0,
    promises={
        "at_most_once": promise(
            stands_for=["EL-AT-MOST-ONCE", "EL-EXACTLY-ONCE-COND"],
            proved=True,
            refuted_by={
                KeyIgnored: DONE_TWICE,
                KeyForgottenEarly: FORGOTTEN,
                CommittedApart: COMMITTED_TWICE,
                AnswerTooSoon: OVERTAKEN,
            },
        ),
        "closed_is_done": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],
            proved=True,
            refuted_by={
                KeyIgnored: [*DONE_TWICE, "record(effect0)"],
                KeyForgottenEarly: [*FORGOTTEN, "record(effect0)"],
                CommittedApart: [*COMMITTED_TWICE, "record(effect0)"],
                AnswerTooSoon: [*OVERTAKEN, "record(effect0)"],
                ClosedUnasked: CLOSED,
            },
        ),
        "what_is_intended_is_done": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],
            refuted_by={ClosedUnasked: CLOSED},
        ),
        "it_is_done_and_closed": promise(stands_for=["EL-EXACTLY-ONCE-COND"]),
    },
)
