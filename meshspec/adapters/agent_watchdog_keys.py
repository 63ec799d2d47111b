"""agent-watchdog 0.1.5: the tool, and eight digits of a hash of str(arguments), as its record of calls has it.

A watchdog watches one run, so it has no tenant and no session, and a repeat is what it is there to see.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.effects import Effect

PACKAGE = "agent-watchdog==0.1.5"
ROLE = "identity"
PROMISES: tuple[str, ...] = ()  # how it tells calls apart is not documented


class Adapter:
    """Its key of a call."""

    def key(self, effect: Effect) -> object:
        return (effect.tool, import_module("agent_watchdog.watchdog")._args_hash(effect.arguments))
