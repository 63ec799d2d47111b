"""Evidence for looking before sending again: right with a bound and the patience for it, wrong without either."""

import itertools

from meshspec import evidence, promise
from meshspec.answer import Answer, Strength
from meshspec.engines.explore import explore
from meshspec.engines.prove import prove
from meshspec.lang.lift import lift
from meshspec.models.environment import Effect
from meshspec.models.incidents.verified_retry import ClosedAfterWaiting, Impatient, LooksForEver, WithoutBound
from meshspec.models.verified_retry import VerifiedRetry
from meshspec.settle import shows

UNANSWERED = ["send(effect0)", "lose_reply(effect0)"]
OVERTAKEN = ["look(effect0)", "act(effect0)", "send(effect0)", "act(effect0)"]
UNBOUNDED = [*UNANSWERED, "tick", "tick", "tick", *OVERTAKEN]
TOO_SOON = [*UNANSWERED, "tick", "tick", *OVERTAKEN]

EVIDENCE = evidence(
    VerifiedRetry,
    scope={Effect: 2},
    states=400,  # 20**2: the clock couples nothing that a state shows, and CPython alone finds 20 for one effect
    orbits=210,  # 20 * 21 / 2: unordered pairs
    deadlocks=0,
    promises={
        "at_most_once": promise(
            stands_for=["EL-AT-MOST-ONCE"],
            proved=True,
            refuted_by={WithoutBound: UNBOUNDED, Impatient: TOO_SOON},
        ),
        "recorded_is_done_once": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],
            proved=True,
            refuted_by={
                WithoutBound: [*UNBOUNDED, "record(effect0)"],
                Impatient: [*TOO_SOON, "record(effect0)"],
                ClosedAfterWaiting: ["send(effect0)", "lose_request(effect0)", *["tick"] * 3, "look(effect0)"],
            },
        ),
        "it_is_recorded": promise(
            stands_for=["EL-EXACTLY-ONCE-COND"],
            refuted_by={
                LooksForEver: [
                    "send(effect0)", "send(effect1)", "lose_request(effect0)", "lose_request(effect1)",
                    *["tick"] * 3, "look(effect0)", "look(effect1)",
                ],
            },
        ),
        "it_was_done_in_doubt": promise(stands_for=["EL-UNRESOLVED"]),
    },
)  # fmt: skip


@shows("EL-AT-MOST-ONCE")
def patience_must_exceed_the_bound() -> None:
    """For bounds of up to three ticks, on both sides: patience that equals the bound, and one tick more of it."""
    for bound, more in itertools.product(range(4), range(2)):
        model = lift(VerifiedRetry(bound=bound, patience=bound + more))
        found = {one.property: one.answer for one in explore(model, {Effect: 1})}
        assert (found["at_most_once"] is Answer.HOLDS) == (more > 0), (bound, more)


@shows("EL-AT-MOST-ONCE")
def a_long_bound_is_proved_as_a_short_one() -> None:
    """A thousand ticks cannot be walked through, and need not be: for any number of effects, with patience for it."""
    for patience, expected in ((1_001, Strength.EVERY_SIZE), (1_000, None)):
        model = lift(VerifiedRetry(bound=1_000, patience=patience))
        assert {one.property: one.strength for one in prove(model)}["at_most_once"] is expected
