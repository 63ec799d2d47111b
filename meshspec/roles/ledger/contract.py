"""The contract of the role `ledger`: how a policy is made, what it is asked, and what it may answer.

A ledger is made with the path of a folder, its durable store: empty at first, and all that outlives its process. If
the class or function that makes it takes ``lifetime`` as well, it is given how long, in seconds, a claim or a key may
hold before it expires; else the policy says so itself in an attribute ``lifetime``, with None for never.

An answer is a pair of a word and a value, plain so that a policy need not import meshspec:

- ``("DONE", value)``: this call performed the effect, and this is what came back.
- ``("DUPLICATE", value)``: it was done before and is not done again; this is what came back then.
- ``("FAILED", why)``: it did not happen.
- ``("UNKNOWN", why)``: whether it happened is not known to anybody.
- ``("PENDING", why)``: somebody has it in hand, as far as is known.
- ``("CONFLICT", why)``: its key stands for another effect.

What `perform` raises may also come out of `run` as it is. Nothing else may.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from meshspec.roles.effects import Effect

Word = Literal["DONE", "DUPLICATE", "FAILED", "UNKNOWN", "PENDING", "CONFLICT"]
Outcome = tuple[Word, object]
"""What `run` answers."""

IN_DOUBT = ("UNKNOWN", "PENDING")
"""The words that claim nothing about the world; a second effect is not silent where one of them announces it."""


class Ledger(Protocol):
    """A policy that has effects performed, each at most once. A class with this method needs no adapter.

    ``run`` may take a third argument ``key``: the caller's own name for the effect, None where it has none.
    """

    def run(self, effect: Effect, perform: Callable[[], object], /) -> Outcome:
        """Have the effect performed, or say why not. ``perform`` acts on the world each time it is called."""
        ...
