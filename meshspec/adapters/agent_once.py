"""agent-once 0.1.0: no ttl, no verify, `stale_after` for the lifetime; its own hook tells a replay from a run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

ROLE = "ledger"
PACKAGE = "agent-once==0.1.0"
PROMISES = (  # its README: each call runs at most once, whatever came of it, and what is not known is never run again
    "retry-after-success-runs-once", "none-result-deduplicates", "unserialisable-result-deduplicates",
    "no-silent-duplicate-after-exception", "unknown-outcome-surfaces", "no-silent-duplicate-after-crash",
    "no-silent-duplicate-after-expiry", "concurrent-submits-run-once", "verdicts-distinguishable",
    "changed-payload-is-refused",
)  # fmt: skip


class Adapter:
    def __init__(self, store: str, lifetime: float = 30.0) -> None:
        self.once, self.here = import_module("once"), threading.local()
        hooks = self.once.Hooks(on_replay=self.replayed)
        self.ledger = self.once.Once(f"{store}/once.db", stale_after=lifetime, hooks=hooks)

    def replayed(self, event: object) -> None:
        self.here.word = "DUPLICATE"

    def run(self, effect: Any, perform: Callable[[], object], key: str | None = None) -> tuple[str, object]:
        def tool(arguments: object) -> object:
            return perform()

        self.here.word, scope = "DONE", repr((effect.tenant, effect.session, effect.occurrence))
        named = {"tool_name": effect.tool, "scope": scope, "key": key, "arguments": dict(effect.arguments)}
        try:
            value = self.ledger.execute(tool, **named)
        except self.once.OnceError as error:  # EffectPending, EffectFailed, EffectUnknown, KeyConflict
            return type(error).__name__.removeprefix("Effect").removeprefix("Key").upper(), str(error)
        return self.here.word, value
