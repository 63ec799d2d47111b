"""agent-once 0.1.0: a digest of JSON with sorted keys, over tool, arguments and one scope.

Its scope is "usually a run, order, or step id": the session. It has no tenant and no number for an intended repeat.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.effects import Effect

PACKAGE = "agent-once==0.1.0"
ROLE = "identity"
PROMISES = (  # its key: no choice of tool name, arguments or scope can collide with another
    "different-effects-differ",
    "equal-effects-agree",
)


class Adapter:
    """Its key of a call."""

    def key(self, effect: Effect) -> object:
        return import_module("once.key").make_key(effect.tool, effect.arguments, effect.session)
