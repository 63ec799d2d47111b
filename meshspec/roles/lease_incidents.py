"""Leases that each break one obligation, by a decision that real ones take: the reference with that one changed."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Hashable
from typing import Any

from meshspec.policies.lease import Leases


class ChecksThenInserts(Leases):
    """Looks whether there is a lease and then makes one, and nothing keeps a second one from looking in between."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, seconds: float = 30.0) -> None:
        super().__init__(clock, seconds)
        unlocked: Any = contextlib.nullcontext()
        self.lock = unlocked


class KeyedByFailure(Leases):
    """Reads the first part of the key and no other: one repair of a failure keeps out every other."""

    def acquire(self, key: Hashable, holder: str) -> int | None:
        return super().acquire(first(key), holder)

    def renew(self, key: Hashable, token: int) -> bool:
        return super().renew(first(key), token)

    def release(self, key: Hashable, token: int) -> bool:
        return super().release(first(key), token)

    def commit(self, key: Hashable, token: int) -> bool:
        return super().commit(first(key), token)


def first(key: Any) -> Hashable:
    part: Hashable = key[0]
    return part


class NeverReclaims(Leases):
    """A lease ends where it is released, and whoever crashed never does that."""

    def live(self, key: Hashable) -> bool:
        return key in self.ends


class TrustsWhoeverComes(Leases):
    """Asks whether there is a lease, and not whose: a holder that was away too long goes on writing."""

    def holds(self, key: Hashable, token: int) -> bool:
        return self.live(key)


class HolderHasGrace(Leases):
    """The holder may still act a little after the end, at which the lease is already given to others."""

    def commit(self, key: Hashable, token: int) -> bool:
        late = self.clock() < self.ends.get(key, 0.0) + self.seconds / 2
        return late and self.granted[key] == token


class CountsTheQueue(Leases):
    """The time runs from when the holder first asked, so who waited long for a lease has it for a moment."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, seconds: float = 30.0) -> None:
        super().__init__(clock, seconds)
        self.asked: dict[tuple[Hashable, str], float] = {}

    def acquire(self, key: Hashable, holder: str) -> int | None:
        since = self.asked.setdefault((key, holder), self.clock())
        token = super().acquire(key, holder)
        if token is not None:
            self.ends[key] = max(since + self.seconds, self.clock() + 1.0)
        return token


class KnowsTheName(Leases):
    """Who asks again under the name of the holder gets the holder's number, though it may be another process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, seconds: float = 30.0) -> None:
        super().__init__(clock, seconds)
        self.names: dict[Hashable, str] = {}

    def acquire(self, key: Hashable, holder: str) -> int | None:
        with self.lock:
            if self.live(key) and self.names.get(key) == holder:
                return self.granted[key]
        token = super().acquire(key, holder)
        if token is not None:
            self.names[key] = holder
        return token
