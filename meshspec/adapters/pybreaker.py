"""pybreaker 1.4.1: a circuit breaker that opens after five failures in a row, with its defaults.

Every step is replayed through one circuit as a call that returns or raises as the step did. It promises none of
these obligations: it guards a service that fails, not an agent that repeats itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.breaker import Decision
    from meshspec.roles.story import Call

PACKAGE = "pybreaker==1.4.1"
PROMISES: tuple[str, ...] = ()


class Adapter:
    """One circuit; open is a TRIP."""

    def __init__(self) -> None:
        self.library = import_module("pybreaker")
        self.circuit = self.library.CircuitBreaker()

    def observe(self, step: Call) -> Decision:
        try:
            self.circuit.call(replay, step)
        except self.library.CircuitBreakerError as opened:
            return ("TRIP", str(opened))
        except RuntimeError:
            pass  # the step's own failure
        return "CONTINUE"


def replay(step: Call) -> None:
    if not step.success:
        raise RuntimeError(step.text)
