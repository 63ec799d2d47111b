"""Evidence for the effect ledger's promise."""

from meshspec import evidence, promise
from meshspec.models.effect_ledger import EffectLedger
from meshspec.models.environment import Effect
from meshspec.models.incidents.effect_ledger import (
    AskTooSoon,
    DiesOnWhatItReads,
    ExecuteThenRecord,
    ResendInDoubt,
    SkipInDoubt,
    SuccessOnSilence,
    TakenOffBeforeWritten,
    TimeoutIsFailure,
    WaitsForGoodNews,
    WorksAhead,
)

START = ["deliver(effect0)", "intend(effect0)", "send(effect0)"]
IN_DOUBT_THOUGH_DONE = [*START, "lose_reply(effect0)", "act_late(effect0)"]
RESENT = [*IN_DOUBT_THOUGH_DONE, "settle(effect0)", "send(effect0)", "act(effect0)"]
ASKED_TOO_SOON = [
    *START, "lose_reply(effect0)", "settle(effect0)", "act_late(effect0)", "send(effect0)", "act(effect0)"
]  # fmt: skip
EXECUTED_TWICE = [
    "deliver(effect0)", "send(effect0)", "act(effect0)", "crash", "recover", "send(effect0)", "act(effect0)"
]  # fmt: skip

SETTLED = ["deliver(effect0)", "intend(effect0)", "crash", "recover", "settle(effect0)"]

EVIDENCE = evidence(
    EffectLedger,
    scope={Effect: 2},
    states=968,  # 2 * 22**2
    orbits=506,  # 2 * (22 * 23 / 2): unordered pairs
    deadlocks=0,
    survivors=[
        "act: *awaiting[e]*",  # a reply that nobody awaits is act_late, which is the same to the world
        "act_late: *",  # that a late request arrives, or when, nobody can promise
        "intend: without `self.up`",  # a dying worker may still write,
        "intend: without `not self.intended[e]`",  # and write the same intent down once more,
        "intend: *self.waiting[e] = *",  # and leave the work in the queue, to meet it again as a duplicate
        "suppress: *waiting[e]*",  # a glance at work that is known changes nothing, however often
        "settle: *up*",  # who asks does not matter
        "settle: without `doubtful[e]`*",  # a doubt that is settled twice is settled as before
    ],
    promises={
        "at_most_once": promise(
            stands_for=["EL-AT-MOST-ONCE", "DL-WINDOW"],  # each assumption is dropped below; fences are the leases'
            proved=True,
            refuted_by={ResendInDoubt: RESENT, AskTooSoon: ASKED_TOO_SOON, ExecuteThenRecord: EXECUTED_TWICE},
        ),
        "recorded_is_done_once": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],  # in its safety reading, with it_gets_done
            proved=True,
            refuted_by={
                SkipInDoubt: SETTLED,
                ResendInDoubt: [*RESENT, "record(effect0)"],
                AskTooSoon: [*ASKED_TOO_SOON, "record(effect0)"],
                ExecuteThenRecord: [*EXECUTED_TWICE, "record(effect0)"],
            },
        ),
        "doubt_is_told_as_doubt": promise(
            stands_for=["EL-UNRESOLVED"],
            proved=True,
            refuted_by={TimeoutIsFailure: [*START, "lose_reply(effect0)"]},
        ),
        "success_is_told_truly": promise(
            stands_for=["EL-UNRESOLVED"],
            proved=True,
            refuted_by={SuccessOnSilence: START},
        ),
        "only_delivered_work_is_done": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],
            proved=True,
            refuted_by={WorksAhead: ["intend(effect0)", "send(effect0)", "act(effect0)"]},
        ),
        "delivered_work_is_not_lost": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],
            proved=True,
            refuted_by={TakenOffBeforeWritten: ["deliver(effect0)", "suppress(effect0)"]},
        ),
        "a_success_is_told": promise(
            stands_for=["EL-UNRESOLVED"],
            proved=True,
            refuted_by={SkipInDoubt: SETTLED},
        ),
        "a_dead_worker_comes_back": promise(refuted_by={DiesOnWhatItReads: ["crash", "recover"]}),
        "delivered_work_is_told_of": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],
            refuted_by={
                TakenOffBeforeWritten: ["deliver(effect0)", "suppress(effect0)", "crash", "recover"],
                DiesOnWhatItReads: ["deliver(effect0)", "crash", "recover"],
            },
        ),
        "a_doubt_is_settled": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],
            refuted_by={
                DiesOnWhatItReads: ["deliver(effect0)", "intend(effect0)", "crash", "recover", "recover"],
                WaitsForGoodNews: SETTLED,
            },
        ),
        "it_gets_done": promise(stands_for=["EL-EXACTLY-ONCE-COND"]),
        "doubt_is_about_something_done": promise(stands_for=["EL-UNRESOLVED"]),
    },
)
