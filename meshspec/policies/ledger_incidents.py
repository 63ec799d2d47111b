"""Ledgers that break: each is the reference with one decision changed, and it is one that real ledgers take."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Generator

from meshspec.policies.ledger import Effect, Ledger, Outcome, identity


class HandsAResultOutOnce(Ledger):
    """A mailbox: whoever asks for the result takes it along, and the ledger is rid of it."""

    def known(self, written: str, effect: str, state: str, said: str, alive: float) -> Outcome:
        told = super().known(written, effect, state, said, alive)
        if told[0] == "DUPLICATE":
            self.forget(written)
        return told


class TakesNoneForNothing(Ledger):
    """No result is taken for no effect."""

    def free(self, effect: str, state: str, said: str | None, alive: float) -> bool:
        return said == "null" or super().free(effect, state, said, alive)


class ForgetsWhatItCannotWrite(Ledger):
    """A result that cannot be kept is a failure like any other, and may be tried again."""

    def done(self, key: str, holder: str, value: object) -> Outcome:
        try:
            json.dumps(value)
        except (TypeError, ValueError) as error:
            return self.refused(key, holder, error)
        return super().done(key, holder, value)


class TakesAnErrorForARefusal(Ledger):
    """An error means that it did not happen; a timeout is left to the others."""

    refusals = (ConnectionError, RuntimeError)


class CallsATimeoutAFailure(Ledger):
    """What did not answer in time has failed, and stays failed."""

    def known(self, written: str, effect: str, state: str, said: str, alive: float) -> Outcome:
        told = super().known(written, effect, state, said, alive)
        return ("FAILED", said) if state == "doubtful" and said.startswith("TimeoutError") else told


class TakesOverFromTheDead(Ledger):
    """Whoever held it is gone, so it is free: whether the effect happened is not asked."""

    def claim(self, key: str, written: str, holder: str) -> tuple[str, str, str, float] | None:
        found = super().claim(key, written, holder)
        if found is None or found[1] != "held":
            return found
        with self.opened() as table:
            (dead,) = table.execute("SELECT holder FROM effects WHERE key = ?", (key,)).fetchone()
            try:
                os.kill(int(dead.split()[0]), 0)
            except ProcessLookupError:
                table.execute("UPDATE effects SET holder = ? WHERE key = ?", (holder, key))
                return None
        return found


class RecordsTheResultFirst(Ledger):
    """Done is written down before it is done, so that nothing can come between."""

    def claim(self, key: str, written: str, holder: str) -> tuple[str, str, str, float] | None:
        found = super().claim(key, written, holder)
        if found is None:
            self.end(key, holder, "done", "null")
        return found


class TakesOverWhatExpired(Ledger):
    """A claim that expired is free: at least once, where at most once was asked."""

    def free(self, effect: str, state: str, said: str | None, alive: float) -> bool:
        expired = state == "held" and time.time() - alive >= self.lifetime
        return expired or super().free(effect, state, said, alive)


class DoesNotBeat(TakesOverWhatExpired):
    """A claim expires while its holder is at work, and somebody else takes it over."""

    @contextlib.contextmanager
    def beating(self, key: str, holder: str) -> Generator[None]:
        yield


class LooksThenClaims(Ledger):
    """Two steps: see whether the key is free, then take it."""

    def claim(self, key: str, written: str, holder: str) -> tuple[str, str, str, float] | None:
        with self.opened() as table:
            found = table.execute("SELECT effect, state, said, alive FROM effects WHERE key = ?", (key,)).fetchone()
        if found is not None and not self.free(*found):
            return found  # type: ignore[no-any-return]
        time.sleep(0.05)
        with self.opened() as table:
            row = (key, written, holder, time.time())
            table.execute("INSERT OR REPLACE INTO effects VALUES (?, ?, 'held', NULL, ?, ?)", row)
        return None


class HasOneWordForNo(Ledger):
    """What is not performed is blocked, and blocked is all that is said."""

    def run(self, effect: Effect, perform: Callable[[], object], key: str | None = None) -> Outcome:
        told = super().run(effect, perform, key)
        return ("PENDING", "blocked") if told[0] in ("DUPLICATE", "PENDING") else told


class LooksAtTheKeyAlone(Ledger):
    """The key is the caller's word that it is the same effect, and is believed."""

    def known(self, written: str, effect: str, state: str, said: str, alive: float) -> Outcome:
        return super().known(effect, effect, state, said, alive)


class ExecutesThenRecords(Ledger):
    """The record is written when there is something to record, which is after the effect."""

    def run(self, effect: Effect, perform: Callable[[], object], key: str | None = None) -> Outcome:
        written = identity(effect)
        key = written if key is None else f"key {key}"
        with self.opened() as table:
            found = table.execute("SELECT effect, state, said, alive FROM effects WHERE key = ?", (key,)).fetchone()
        if found is not None:
            return self.known(written, *found)
        value = perform()
        self.claim(key, written, "nobody")
        return self.done(key, "nobody", value)
