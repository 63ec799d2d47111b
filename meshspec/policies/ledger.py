"""A ledger to use and to learn from: each effect is performed at most once, and what is not known is said to be so.

Before an effect is performed its intent is on the disk, with the name of whoever holds it; afterwards comes how it
ended. What is found held is never performed again: while its holder lives (it says so three times in every
`lifetime`) the effect is pending; once it does not, whether the effect happened is unknown, for good. Somebody has to
look, and then `settle` it or `forget` it; nothing here looks by itself.

*Keeps*: at most once for one identity, across threads, processes and kills, as long as the store is one and stays.
*Cannot*: get an effect done at least once as well. Where a holder died, the log looks the same whether the world saw
the effect or not; who needs both needs a service that takes the key, or can be asked.

Plain Python and sqlite3. It imports nothing of meshspec, and can be copied.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Literal, Protocol, cast

Outcome = tuple[Literal["DONE", "DUPLICATE", "FAILED", "UNKNOWN", "PENDING", "CONFLICT"], object]


class Effect(Protocol):
    """What is to happen, in the parts that tell one effect from another."""

    @property
    def tool(self) -> str: ...
    @property
    def arguments(self) -> Any: ...
    @property
    def tenant(self) -> str: ...
    @property
    def session(self) -> str: ...
    @property
    def occurrence(self) -> int: ...


def identity(effect: Effect) -> str:
    """One text for each effect; raises TypeError or ValueError for arguments that JSON cannot tell apart."""
    refuse_keys(effect.arguments)
    parts = [effect.tenant, effect.session, effect.tool, effect.occurrence, effect.arguments]
    return json.dumps(parts, sort_keys=True, allow_nan=False)


def refuse_keys(value: Any) -> None:
    """Raise TypeError for a mapping with a key that is no text: in JSON it would be one, and another's perhaps."""
    if isinstance(value, dict):
        for key, held in cast("dict[object, object]", value).items():
            if type(key) is not str:
                raise TypeError(f"the key {key!r} of an argument is no text, and JSON would make it one")
            refuse_keys(held)
    elif isinstance(value, (list, tuple)):
        for held in cast("list[object]", value):
            refuse_keys(held)


class Ledger:
    """A ledger over a folder.

    Args:
        store: the folder; all processes that share effects share it.
        lifetime: seconds after which a holder that says nothing is taken to be dead. Wall clock: where clocks jump,
            what is pending may be called unknown too soon, and nothing is performed twice for that.
        refusals: the errors of `perform` that say that nothing happened. After any other it is not known.
    """

    refusals: tuple[type[BaseException], ...] = (ConnectionRefusedError,)

    def __init__(
        self, store: str, lifetime: float = 30.0, refusals: tuple[type[BaseException], ...] | None = None
    ) -> None:
        self.file = Path(store) / "ledger.sqlite3"
        self.lifetime = lifetime
        self.refusals = self.refusals if refusals is None else refusals
        with self.opened() as table:
            table.execute(
                "CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, effect TEXT NOT NULL, state TEXT NOT NULL,"
                " said TEXT, holder TEXT NOT NULL, alive REAL NOT NULL)"
            )

    def run(self, effect: Effect, perform: Callable[[], object], key: str | None = None) -> Outcome:
        """Perform the effect, unless its key is taken; then say what is known of it."""
        written = identity(effect)
        key = written if key is None else f"key {key}"
        holder = f"{os.getpid()} {uuid.uuid4()}"
        if (found := self.claim(key, written, holder)) is not None:
            return self.known(written, *found)
        with self.beating(key, holder):
            try:
                value = perform()
            except self.refusals as error:
                return self.refused(key, holder, error)
            except Exception as error:
                return self.doubtful(key, holder, error)
            except BaseException as error:  # a stop, and not an answer: it goes on to whoever asked for it
                self.doubtful(key, holder, error)
                raise
            return self.done(key, holder, value)

    def claim(self, key: str, written: str, holder: str) -> tuple[str, str, str, float] | None:
        """Write the intent down; where the key is taken, what stands there instead."""
        with self.opened() as table:
            found = table.execute("SELECT effect, state, said, alive FROM effects WHERE key = ?", (key,)).fetchone()
            if found is not None and not self.free(*found):
                return found  # type: ignore[no-any-return]
            row = (key, written, holder, time.time())
            table.execute("INSERT OR REPLACE INTO effects VALUES (?, ?, 'held', NULL, ?, ?)", row)
        return None

    def free(self, effect: str, state: str, said: str | None, alive: float) -> bool:
        """Whether a key that stands in the table may be claimed again: only where nothing happened under it."""
        return state == "refused"

    def known(self, written: str, effect: str, state: str, said: str, alive: float) -> Outcome:
        """What is told of an effect whose key is taken."""
        if effect != written:
            return "CONFLICT", f"the key stands for {effect}"
        if state == "done":
            return "DUPLICATE", json.loads(said)
        if state == "doubtful":
            return "UNKNOWN", said
        if time.time() - alive < self.lifetime:
            return "PENDING", "it is in somebody's hands"
        return "UNKNOWN", "whoever had it in hand is gone, and did not say how it ended"

    def done(self, key: str, holder: str, value: object) -> Outcome:
        try:
            said = json.dumps(value)
        except (TypeError, ValueError, RecursionError):  # it happened all the same
            said = json.dumps(f"not kept, JSON cannot write it: {type(value).__name__}")
        self.end(key, holder, "done", said)
        return "DONE", value

    def refused(self, key: str, holder: str, error: BaseException) -> Outcome:
        self.end(key, holder, "refused", repr(error))
        return "FAILED", repr(error)

    def doubtful(self, key: str, holder: str, error: BaseException) -> Outcome:
        self.end(key, holder, "doubtful", repr(error))
        return "UNKNOWN", repr(error)

    def end(self, key: str, holder: str, state: str, said: str) -> None:
        """Write down how it ended, if it is still this holder's to say."""
        with self.opened() as table:
            table.execute(
                "UPDATE effects SET state = ?, said = ? WHERE key = ? AND holder = ?", (state, said, key, holder)
            )

    def settle(self, key: str, value: object) -> None:
        """Somebody looked, and it happened: this came of it."""
        with self.opened() as table:
            table.execute("UPDATE effects SET state = 'done', said = ? WHERE key = ?", (json.dumps(value), key))

    def forget(self, key: str) -> None:
        """Somebody looked, and it did not happen: it may be performed."""
        with self.opened() as table:
            table.execute("DELETE FROM effects WHERE key = ?", (key,))

    @contextlib.contextmanager
    def beating(self, key: str, holder: str) -> Generator[None]:
        """Say that the holder lives, for as long as it works."""
        over = threading.Event()

        def beat() -> None:
            while not over.wait(self.lifetime / 3):
                with contextlib.suppress(sqlite3.OperationalError), self.opened() as table:  # the next beat may do
                    table.execute(
                        "UPDATE effects SET alive = ? WHERE key = ? AND holder = ?", (time.time(), key, holder)
                    )

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    @contextlib.contextmanager
    def opened(self) -> Generator[sqlite3.Connection]:
        """The table, in one transaction, on the disk when it ends."""
        connection = sqlite3.connect(self.file, timeout=20.0, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()  # rolls back what was not committed
