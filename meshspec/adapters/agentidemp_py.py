"""agentidemp-py 0.1.0: a hash of the bytes it is given, under a scope and further parts.

It takes texts and bytes and says nothing of how arguments become bytes; so they are written as JSON as they come, the
way its README makes a request's body, and what JSON cannot write is refused before the package sees it. The tenant is
the scope; session, tool and body are the parts. It has no number for an intended repeat.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.effects import Effect

PACKAGE = "agentidemp-py==0.1.0"
ROLE = "identity"
PROMISES = (  # its README: the same content gives the same key, and adjacent parts do not collide
    "different-effects-differ",
    "equal-effects-agree",
    "scopes-tool-tenant-session",
)


class Adapter:
    """The key of one request."""

    def __init__(self) -> None:
        self.library = import_module("agentidemp")

    def key(self, effect: Effect) -> object:
        body = json.dumps(effect.arguments).encode()
        return self.library.scoped_key(effect.tenant, effect.session, effect.tool, body)
