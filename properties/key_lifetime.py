"""Evidence for keys that are forgotten: what holds while the wait is shorter, and what is left after."""

from meshspec import evidence, model, promise, sometimes
from meshspec.answer import Answer
from meshspec.engines.explore import explore
from meshspec.lang.lift import lift
from meshspec.models.environment import Effect
from meshspec.models.incidents.key_lifetime import LateAndNobodyTold, LateIsDone, ThreeDayApproval
from meshspec.models.key_lifetime import KeyLifetime
from meshspec.settle import shows

APPROVED_LATE = [
    "send(effect0)", "act(effect0)", "tick", "tick", "tick", "lose(effect0)", "approve(effect0)", "act(effect0)"
]  # fmt: skip
LOST = ["send(effect0)", "lose(effect0)", "tick", "tick", "tick"]

EVIDENCE = evidence(
    KeyLifetime,
    scope={Effect: 1},
    states=64,  # counted by CPython alone too (tests/test_ledger_family.py)
    deadlocks=0,
    promises={
        "at_most_once": promise(
            stands_for=["EL-TTL", "EL-AT-MOST-ONCE"],
            proved=True,
            refuted_by={ThreeDayApproval: APPROVED_LATE},
        ),
        "recorded_is_done_once": promise(
            stands_for=["EL-TTL", "EL-EXACTLY-ONCE-COND"],
            proved=True,
            refuted_by={
                ThreeDayApproval: [*APPROVED_LATE, "record(effect0)"],
                LateIsDone: [*LOST, "approve(effect0)"],
            },
        ),
        "unresolved_is_not_recorded": promise(
            stands_for=["EL-UNRESOLVED"],
            proved=True,
            refuted_by={LateIsDone: [*LOST, "approve(effect0)"]},
        ),
        "it_is_recorded_or_told_as_unresolved": promise(
            stands_for=["EL-TTL", "EL-UNRESOLVED"],
            refuted_by={LateAndNobodyTold: [*LOST, "tick"]},
        ),
        "a_forgotten_key_was_recorded": promise(stands_for=["EL-TTL"]),
    },
)


@model
class LateOutcome(KeyLifetime):
    """What may be true of an effect that is told as unresolved."""

    @sometimes
    def the_unresolved_may_be_done(self, e: Effect) -> bool:
        return self.unresolved[e] and self.applied[e] == 1

    @sometimes
    def the_unresolved_may_be_undone(self, e: Effect) -> bool:
        return self.unresolved[e] and self.applied[e] == 0


@shows("EL-TTL", "EL-UNRESOLVED")
def a_key_protects_exactly_while_the_wait_is_shorter_than_its_lifetime() -> None:
    """On both sides of the boundary: who does not heed it acts twice, who does ends with what may be done or not."""
    for lifetime, wait in ((1, 0), (1, 1), (3, 2), (3, 3)):
        in_time = wait < lifetime
        heedless = _answers(ThreeDayApproval(lifetime=lifetime, longest_wait=wait))
        heeding = _answers(LateOutcome(lifetime=lifetime, longest_wait=wait))
        assert (heedless["at_most_once"] is Answer.HOLDS) == in_time, (lifetime, wait)
        assert heeding["at_most_once"] is Answer.HOLDS, (lifetime, wait)
        for end in ("the_unresolved_may_be_done", "the_unresolved_may_be_undone"):
            assert heeding[end] is (Answer.VACUOUS if in_time else Answer.HOLDS), (lifetime, wait)


def _answers(waiting: KeyLifetime) -> dict[str, Answer]:
    return {one.property: one.answer for one in explore(lift(waiting), {Effect: 1})}
