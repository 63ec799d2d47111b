"""pybreaker 1.4.1: a circuit breaker that opens after five failures in a row, with its defaults.

Every step is replayed through one circuit as a call that returns or raises as the step did. It promises nothing of
loops: it guards a service that fails, not an agent that repeats itself.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.breaker import Decision
    from meshspec.roles.story import Call

PACKAGE = "pybreaker==1.4.1"
PROMISES = ("half-open-admits-one", "open-leads-to-another-probe")  # its README: after the timeout one trial call


class Adapter:
    """One circuit; open is a TRIP."""

    def __init__(self) -> None:
        self.library = import_module("pybreaker")
        self.circuit = self.library.CircuitBreaker()

    def call(self, perform: Callable[[], object]) -> Decision:
        try:
            self.circuit.call(perform)
        except self.library.CircuitBreakerError as opened:
            return ("TRIP", str(opened))
        return "CONTINUE"

    def observe(self, step: Call) -> Decision:
        try:
            return self.call(lambda: None if step.success else 1 / 0)
        except ZeroDivisionError:  # the step's own failure
            return "CONTINUE"
