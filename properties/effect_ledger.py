"""Evidence for the effect ledger's promise."""

from meshspec import evidence, promise
from meshspec.models.effect_ledger import EffectLedger
from meshspec.models.environment import Effect
from meshspec.models.incidents.effect_ledger import (
    AskTooSoon,
    ExecuteThenRecord,
    ResendInDoubt,
    SkipInDoubt,
    SuccessOnSilence,
    TimeoutIsFailure,
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

EVIDENCE = evidence(
    EffectLedger,
    scope={Effect: 2},
    states=968,  # 2 * 22**2
    orbits=506,  # 2 * (22 * 23 / 2): unordered pairs
    deadlocks=0,
    survivors=[
        "act: *",  # a reply that nobody awaits is act_late, which is the same to the world
        "act_late: *",
        "deliver: *",  # that delivered work is not lost on the way in, no claim says yet
        "redeliver: *",  # the queue may hand over what it likes
        "crash: *",  # a crash of what is down changes nothing
        "recover: *",  # a worker that stays down breaks no promise of safety
        "intend: *",  # writing an intent down once more, or unasked, is harmless
        "suppress: *",  # see deliver
        "record: *",  # that a success is told, no claim says yet: only that what is told is true
        "settle: *",  # see record; a doubt that is settled twice is settled as before
    ],
    promises={
        "at_most_once": promise(
            stands_for=["EL-AT-MOST-ONCE"],
            proved=True,
            refuted_by={ResendInDoubt: RESENT, AskTooSoon: ASKED_TOO_SOON, ExecuteThenRecord: EXECUTED_TWICE},
        ),
        "recorded_is_done_once": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],  # in its safety reading, with it_gets_done
            proved=True,
            refuted_by={
                SkipInDoubt: ["deliver(effect0)", "intend(effect0)", "crash", "recover", "settle(effect0)"],
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
        "it_gets_done": promise(stands_for=["EL-EXACTLY-ONCE-COND"]),
        "doubt_is_about_something_done": promise(stands_for=["EL-UNRESOLVED"]),
    },
)
