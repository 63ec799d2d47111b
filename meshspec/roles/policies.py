"""Breakers to learn from: the shipped one keeps every obligation, and for each there is one that breaks it.

Each incident is :class:`meshspec.policies.breaker.ProgressBreaker` with one decision changed, and the decision is one
that real breakers take.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from meshspec.policies.breaker import CONTINUE, Decision, ProgressBreaker
from meshspec.roles.story import Call

PATIENCE = 12
"""Steps (or rounds of a check) without progress before the reference trips."""


class Reference(ProgressBreaker):
    """Trips when nothing new has come back for a while, or when checks have not moved for a while."""


# -- what it takes for progress --------------------------------------------------------------------------------------


class CountsErrorsOnly(Reference):
    """An error-rate breaker: success, however often it is repeated, is no reason to stop."""

    def counted(self, step: Call) -> tuple[int, int]:
        return (self.stale, self.stuck) if step.success else super().counted(step)


class TakesNewTextForProgress(Reference):
    """Any new result resets everything, so an edit that moves no check hides one that is stuck."""

    def counted(self, step: Call) -> tuple[int, int]:
        stale, stuck = super().counted(step)
        return stale, 0 if step.rank is None and self.is_new(step) else stuck


class ReadsWhatTheCheckPrints(Reference):
    """A check that prints something new is taken to have moved: a seed or a time in its output is enough."""

    def improved(self, step: Call) -> bool:
        return super().improved(step) or (step.tool, step.text) not in self.seen

    def remember(self, step: Call) -> None:
        super().remember(step)
        self.seen.add((step.tool, step.text))


class ComparesWithTheLastStep(Reference):
    """Only the very same step twice running is a repetition."""

    last: Call | None = None

    def decided(self, step: Call, probe: bool) -> Decision:
        if self.last is not None and step != self.last:
            self.stale = self.stuck = 0
            self.seen.clear()
            self.best.clear()
        self.last = step
        return super().decided(step, probe)


class ReadsEveryArgument(Reference):
    """A call with a new argument is a new call, whatever came back: a request id is enough to evade it."""

    def is_new(self, step: Call) -> bool:
        return super().is_new(step) or ("call", f"{step.tool} {step.arguments}") not in self.seen

    def remember(self, step: Call) -> None:
        super().remember(step)
        self.seen.add(("call", f"{step.tool} {step.arguments}"))


class CountsFailingOnly(Reference):
    """Compares the number failing and forgets the phase: the first failures of a later phase look like a relapse."""

    def improved(self, step: Call) -> bool:
        return super().improved(self.without_phase(step))

    def remember(self, step: Call) -> None:
        super().remember(self.without_phase(step))

    def without_phase(self, step: Call) -> Call:
        return step if step.rank is None else step._replace(rank=(0, step.rank[1]))


class CountsCallsOfATool(Reference):
    """A tool used many times over is taken for a loop."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.calls: dict[str, int] = {}

    def decided(self, step: Call, probe: bool) -> Decision:
        if step.rank is None:
            self.calls[step.tool] = self.calls.get(step.tool, 0) + 1
            if self.calls[step.tool] > 2 * PATIENCE:
                self.tripped = f"{step.tool} was called {self.calls[step.tool]} times"
                return ("TRIP", self.tripped)
        return super().decided(step, probe)


# -- its life --------------------------------------------------------------------------------------------------------


class SaysItOnce(Reference):
    """It halts the run once; whoever catches that and goes on is not halted again."""

    said = False

    def decided(self, step: Call, probe: bool) -> Decision:
        answer = super().decided(step, probe)
        if answer != CONTINUE and self.said:
            return CONTINUE
        self.said = answer != CONTINUE
        return answer


class CountsInItsOwnThread(Reference):
    """It holds its counts for the thread that made it; what a worker does is nobody's."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.home = threading.get_ident()

    def decided(self, step: Call, probe: bool) -> Decision:
        return super().decided(step, probe) if threading.get_ident() == self.home else CONTINUE


class ForgetsOvernight(Reference):
    """Counts are for a day, by the clock on the wall."""

    day = ""

    def decided(self, step: Call, probe: bool) -> Decision:
        if self.day not in ("", today := time.strftime("%Y-%m-%d")):
            self.stale = self.stuck = 0
        self.day = today
        return super().decided(step, probe)


class KeepsItsCountsOverAReset(Reference):
    """A reset takes the trip back and none of the counts that led to it: the next step trips again."""

    def reset(self) -> None:
        stale, stuck = self.stale, self.stuck
        super().reset()
        self.stale, self.stuck = stale, stuck


class SnapshotsWithoutCounts(Reference):
    """A snapshot keeps what was seen and not how long it was looked at in vain."""

    def snapshot(self) -> dict[str, Any]:
        return {**super().snapshot(), "stale": 0, "stuck": 0}


class SharesItsSessions(Reference):
    """One breaker for all sessions."""

    def session(self, name: str) -> ProgressBreaker:
        return self


class CountsWhatItIsAsked(Reference):
    """Asking is observing: whoever looks before each step pays twice."""

    def ask(self, step: Call) -> Decision:
        return self.observe(step)


class AdmitsWhoeverIsThere(Reference):
    """Once rested it lets through whoever calls, until the first of them has come back."""

    def refuses(self) -> bool:
        return not self.rested()


class LosesItsProbe(Reference):
    """A probe that ends in an error that says nothing is never given back: no other is let through."""

    def ended(self, error: BaseException, probe: bool) -> None:
        if not self.says_nothing(error):
            super().ended(error, probe)


class ForgetsHowLongItRested(Reference):
    """What it learned about the rest expires with time, and not with success."""

    def answered(self, progress: bool) -> Decision:
        if self.clock() - self.since >= 2 * self.wait:
            self.wait = self.rest / 2
        return super().answered(progress)


class CountsInterruptions(Reference):
    """Whatever comes out of a call is a failure, an operator's stop included."""

    def says_nothing(self, error: BaseException) -> bool:
        return isinstance(error, self.ignores)


class AcceptsAPatienceItDoesNotHave(Reference):
    """It takes a threshold, and compares with another."""

    def __init__(self, patience: int = PATIENCE, **settings: Any) -> None:
        super().__init__(PATIENCE, **settings)


INCIDENTS: dict[str, type[Reference]] = {
    "trips-on-identical-success": CountsErrorsOnly,
    "trips-on-stuck-loop": TakesNewTextForProgress,
    "trips-on-stuck-loop-with-noisy-output": ReadsWhatTheCheckPrints,
    "trips-on-alternation": ComparesWithTheLastStep,
    "not-evaded-by-irrelevant-field": ReadsEveryArgument,
    "lets-converging-repair-run": CountsFailingOnly,
    "lets-distinct-work-run": CountsCallsOfATool,
    "trip-keeps-holding": SaysItOnce,
    "sees-calls-of-worker-threads": CountsInItsOwnThread,
    "independent-of-wall-clock": ForgetsOvernight,
    "goes-on-after-reset": KeepsItsCountsOverAReset,
    "snapshot-keeps-what-was-counted": SnapshotsWithoutCounts,
    "sessions-do-not-trip-each-other": SharesItsSessions,
    "asking-changes-nothing": CountsWhatItIsAsked,
    "half-open-admits-one": AdmitsWhoeverIsThere,
    "open-leads-to-another-probe": LosesItsProbe,
    "backs-off-until-success": ForgetsHowLongItRested,
    "correct-traffic-passes": CountsInterruptions,
    "knobs-are-live": AcceptsAPatienceItDoesNotHave,
}
"""For each obligation the policy that breaks it. Some break more: what is blind to success is blind to much else."""
