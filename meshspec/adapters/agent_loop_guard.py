"""agent-loop-guard 0.1.1: sliding-window similarity over tool, arguments and output, with default thresholds.

Its WARN asks for another approach and lets the run go on, so only STOP and ESCALATE are a TRIP.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.breaker import Decision
    from meshspec.roles.story import Call

PACKAGE = "agent-loop-guard==0.1.1"
PROMISES = (  # its README: exact repeats, cycles, near-identical arguments and stagnant output are detected
    "trips-on-identical-success",
    "trips-on-stuck-loop",
    "trips-on-alternation",
    "not-evaded-by-irrelevant-field",
    "lets-distinct-work-run",  # "kills long legitimate tasks" is what it says of its rival
)


class Adapter:
    """The guard, told what each call returned."""

    def __init__(self) -> None:
        self.guard = import_module("loop_guard").LoopGuard()

    def observe(self, step: Call) -> Decision:
        decision = self.guard.check(step.tool, step.arguments, step.text)
        return ("TRIP", f"{decision.strategy}: {decision.reason}") if decision.is_loop else "CONTINUE"
