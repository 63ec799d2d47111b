"""agent-watchdog 0.1.5: the same call several times running, or a pattern that fills a window, with its defaults.

A halt is an exception out of what records a call. The limit on the time of a run is off: no story takes any.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.breaker import Decision
    from meshspec.roles.story import Call

PACKAGE = "agent-watchdog==0.1.5"
PROMISES = (  # its README: identical calls and repeating patterns are halted, and recording is safe from any thread
    "trips-on-identical-success",
    "trips-on-alternation",
    "sees-calls-of-worker-threads",
)


class Adapter:
    """One watched run; a halt is a TRIP."""

    def __init__(self) -> None:
        self.library = import_module("agent_watchdog")
        self.watchdog = self.library.AgentWatchdog(timeout_seconds=None)
        self.run = self.watchdog.watch("run")
        self.run.__enter__()

    def observe(self, step: Call) -> Decision:
        try:
            self.watchdog.record_tool_call(step.tool, step.arguments, step.text)
        except self.library.WatchdogHalt as halt:
            return ("TRIP", halt.report.message)
        return "CONTINUE"
