"""agent-outbox 0.1.1: a SQLite outbox with a lease, which is the lifetime; who finds a call in progress waits 0.2 s.

A failure, and a call that is still pending, are both an error in its answer; the outbox's own row tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

ROLE = "ledger"
PACKAGE = "agent-outbox==0.1.1"
PROMISES = (  # its README: later calls replay, failures too, waiters do not run; after a crash it is at least once
    "retry-after-success-runs-once", "none-result-deduplicates", "no-silent-duplicate-after-exception",
    "live-holder-keeps-its-effect", "concurrent-submits-run-once", "changed-payload-is-refused",
)  # fmt: skip


class Adapter:
    def __init__(self, store: str, lifetime: float = 30.0) -> None:
        library = import_module("agent_outbox")
        self.outbox = library.OutboxStore(f"{store}/outbox.db")
        self.executor = library.ToolExecutor(self.outbox, wait_timeout=0.2, lease_seconds=lifetime)

    def run(self, effect: Any, perform: Callable[[], object]) -> tuple[str, object]:
        def act(**arguments: object) -> object:
            return perform()

        session = repr((effect.tenant, effect.session, effect.occurrence))
        done = self.executor.run(effect.tool, act, dict(effect.arguments), session)
        if done.ok:
            return ("DUPLICATE" if done.replay else "DONE"), done.result
        pending = self.outbox.get(done.key).status == "pending"
        return ("PENDING" if pending else "FAILED"), done.error
