"""Breakers to learn from: one that keeps every obligation, and for each obligation one that breaks it.

The reference measures progress and nothing else: a result not seen before, or a check that did better than ever.
Each incident is the reference with one decision changed, and the decision is one that real breakers take.
"""

from __future__ import annotations

from meshspec.roles.breaker import CONTINUE, TRIP, Decision
from meshspec.roles.story import Call

PATIENCE = 12
"""Steps (or rounds of a check) without progress before the reference trips."""


class Reference:
    """Trips when nothing new has come back for a while, or when checks have not moved for a while.

    Both are needed. Edits that measure nothing keep bringing new results, so checks are counted apart; and where
    there is no check, new results are all the progress there is to see. Arguments are not read at all, except to
    tell one check from another.
    """

    def __init__(self) -> None:
        self.seen: set[object] = set()
        self.best: dict[str, tuple[int, int]] = {}
        self.stale = 0
        self.stuck = 0

    def observe(self, step: Call) -> Decision:
        if step.rank is None:
            self.stale = 0 if self.is_new(step) else self.stale + 1
        elif self.improved(step, step.rank):
            self.stale = self.stuck = 0
        else:
            self.stale += 1
            self.stuck += 1
        if max(self.stale, self.stuck) >= PATIENCE:
            return TRIP(f"no progress: {self.stale} steps with nothing new, {self.stuck} checks with nothing better")
        return CONTINUE

    def is_new(self, step: Call) -> bool:
        """Whether this tool has never come back with that before."""
        result = (step.tool, step.text)
        new = result not in self.seen
        self.seen.add(result)
        return new

    def improved(self, step: Call, rank: tuple[int, int]) -> bool:
        """Whether this check did better than it ever did; the phase counts before the number failing.

        What a check says the first time is where it starts, and no progress yet: else a new argument in each round
        would make each round a new check.
        """
        name = f"{step.tool} {step.arguments}"
        best = self.best.get(name)
        self.best[name] = rank if best is None else min(best, rank)
        return best is not None and rank < best


class CountsErrorsOnly(Reference):
    """An error-rate breaker: success, however often it is repeated, is no reason to stop."""

    def observe(self, step: Call) -> Decision:
        return CONTINUE if step.success else super().observe(step)


class TakesNewTextForProgress(Reference):
    """Any new result resets everything, so an edit that moves no check hides one that is stuck."""

    def observe(self, step: Call) -> Decision:
        if step.rank is None and (step.tool, step.text) not in self.seen:
            self.stuck = 0
        return super().observe(step)


class ComparesWithTheLastStep(Reference):
    """Only the very same step twice running is a repetition."""

    def __init__(self) -> None:
        super().__init__()
        self.last: Call | None = None

    def observe(self, step: Call) -> Decision:
        if self.last is not None and step != self.last:
            self.stale = self.stuck = 0
            self.seen.clear()
            self.best.clear()
        self.last = step
        return super().observe(step)


class ReadsEveryArgument(Reference):
    """A call with a new argument is a new call, whatever came back: a request id is enough to evade it."""

    def is_new(self, step: Call) -> bool:
        call = f"{step.tool} {step.arguments}"
        new = call not in self.seen
        self.seen.add(call)
        return super().is_new(step) or new


class CountsFailingOnly(Reference):
    """Compares the number failing and forgets the phase: the first failures of a later phase look like a relapse."""

    def improved(self, step: Call, rank: tuple[int, int]) -> bool:
        return super().improved(step, (0, rank[1]))


class CountsCallsOfATool(Reference):
    """A tool used many times over is taken for a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[str, int] = {}

    def observe(self, step: Call) -> Decision:
        if step.rank is None:
            self.calls[step.tool] = self.calls.get(step.tool, 0) + 1
            if self.calls[step.tool] > 2 * PATIENCE:
                return TRIP(f"{step.tool} was called {self.calls[step.tool]} times")
        return super().observe(step)


INCIDENTS: dict[str, type[Reference]] = {
    "trips-on-identical-success": CountsErrorsOnly,
    "trips-on-stuck-loop": TakesNewTextForProgress,
    "trips-on-alternation": ComparesWithTheLastStep,
    "not-evaded-by-irrelevant-field": ReadsEveryArgument,
    "lets-converging-repair-run": CountsFailingOnly,
    "lets-distinct-work-run": CountsCallsOfATool,
}
"""For each obligation the policy that breaks it. Some break more: what is blind to success is blind to much else."""
