"""agent-loop-guard 0.1.1: sliding-window similarity over tool, arguments and output; its WARN lets the run go on."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.breaker import Decision
    from meshspec.roles.story import Call

PACKAGE = "agent-loop-guard==0.1.1"
PROMISES = (  # its README: repeats, cycles, near-identical arguments and stagnant output
    "trips-on-identical-success", "trips-on-stuck-loop", "trips-on-alternation",
    "not-evaded-by-irrelevant-field",
    "lets-distinct-work-run",  # "kills long legitimate tasks" is what it says of its rival
)  # fmt: skip
OTHERS = {"agent-loop-guard-without-output": "WithoutOutput"}


class Adapter:
    """The guard, told what each call returned."""

    output = True

    def __init__(self) -> None:
        self.guard = import_module("loop_guard").LoopGuard()
        self.reset = self.guard.reset

    def observe(self, step: Call) -> Decision:
        decision = self.guard.check(step.tool, step.arguments, step.text if self.output else None)
        return ("TRIP", f"{decision.strategy}: {decision.reason}") if decision.is_loop else "CONTINUE"


class WithoutOutput(Adapter):
    """The guard, told nothing of what came back, which it takes as well."""

    output = False
