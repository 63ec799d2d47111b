"""Leases that misbehave, to be judged by path."""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from meshspec.policies.lease import Leases
else:  # by its path: without the package a child starts sooner
    _spec = importlib.util.spec_from_file_location("_lease", Path(__file__).parents[2] / "meshspec/policies/lease.py")
    _module = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)
    Leases = _module.Leases


class Hangs(Leases):
    def release(self, key: Any, token: int) -> bool:
        time.sleep(60)
        return True


class Exits(Leases):
    def renew(self, key: Any, token: int) -> bool:
        os._exit(3)


class Raises(Leases):
    def commit(self, key: Any, token: int) -> bool:
        raise KeyError(key)


class AnswersInWords(Leases):
    def acquire(self, key: Any, holder: str) -> Any:
        token = super().acquire(key, holder)
        return None if token is None else f"token {token}"


class AnswersOne(Leases):
    """True is no number, and 1 is not True."""

    def renew(self, key: Any, token: int) -> Any:
        return int(super().renew(key, token))


class NeverGrants(Leases):
    def acquire(self, key: Any, holder: str) -> int | None:
        return None


class ReadsItsOwnClock(Leases):
    def __init__(self, clock: Any, seconds: float) -> None:
        super().__init__(time.monotonic, seconds)


class Moody(Leases):
    def commit(self, key: Any, token: int) -> bool:
        return super().commit(key, token) and random.SystemRandom().random() < 0.5


class StartsOver(Leases):
    """Its numbers start again with each lease."""

    def acquire(self, key: Any, holder: str) -> int | None:
        if not self.live(key):
            self.granted.pop(key, None)
        return super().acquire(key, holder)


class OneTooLong(Leases):
    """Renewing adds to the old lease instead of beginning a new one, so it lasts ever longer."""

    def renew(self, key: Any, token: int) -> bool:
        end = self.ends.get(key, 0.0)
        renewed = super().renew(key, token)
        if renewed:
            self.ends[key] = end + self.seconds
        return renewed


class Chatty(Leases):
    def commit(self, key: Any, token: int) -> bool:
        print("hello", file=sys.stdout)
        return super().commit(key, token)


class NoClock:
    def __init__(self) -> None: ...


class NoRelease:
    def __init__(self, clock: Any, seconds: float) -> None: ...

    def acquire(self, key: Any, holder: str) -> int | None:
        return None

    def renew(self, key: Any, token: int) -> bool:
        return False

    commit = renew
