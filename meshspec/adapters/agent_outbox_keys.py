"""agent-outbox 0.1.1: a digest of session, tool and JSON with sorted keys, a line each; the rest goes through str().

It has no tenant and no number for an intended repeat.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.effects import Effect

PACKAGE = "agent-outbox==0.1.1"
ROLE = "identity"
PROMISES = (  # its key: stable whatever the order of the arguments, and different sessions never collide
    "equal-effects-agree",
    "scopes-tool-tenant-session",
)


class Adapter:
    """Its key of a call."""

    def key(self, effect: Effect) -> object:
        return import_module("agent_outbox").idempotency_key(effect.session, effect.tool, effect.arguments)
