"""The reference for the role `lease`: who may work on something now, until when, and under which number."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable


class Leases:
    """At most one live lease a key; each grant has a number greater than all before it, which fences those.

    ``clock`` tells seconds and never runs backwards; a lease lives ``seconds`` from its grant, or from its last
    renewal, and not one instant longer: the end is the granter's and the holder's alike. Whoever asks again under a
    name that holds the lease is taken for somebody else, since two processes may go by one name, and gets nothing.

    It lives in one process. For several, the same four decisions belong into one transaction of a store that all of
    them share, and ``commit`` belongs to whatever is written to: there the number is compared with the greatest that
    was ever seen.

    >>> now = [0.0]
    >>> leases = Leases(lambda: now[0], seconds=10)
    >>> leases.acquire("job", "ada"), leases.acquire("job", "ben")
    (1, None)
    >>> now[0] = 10.0
    >>> leases.acquire("job", "ben"), leases.commit("job", 1), leases.commit("job", 2)
    (2, False, True)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, seconds: float = 30.0) -> None:
        self.clock = clock
        self.seconds = seconds
        self.lock = threading.Lock()
        self.granted: dict[Hashable, int] = {}
        self.ends: dict[Hashable, float] = {}

    def acquire(self, key: Hashable, holder: str) -> int | None:
        """The number of a new lease, or None while there is one."""
        with self.lock:
            if self.live(key):
                return None
            self.granted[key] = self.granted.get(key, 0) + 1
            self.ends[key] = self.clock() + self.seconds
            return self.granted[key]

    def renew(self, key: Hashable, token: int) -> bool:
        """Whether the lease of that number was live; it then lives its whole time from now."""
        with self.lock:
            if not self.holds(key, token):
                return False
            self.ends[key] = self.clock() + self.seconds
            return True

    def release(self, key: Hashable, token: int) -> bool:
        """Whether the lease of that number was live; it then ends now."""
        with self.lock:
            if not self.holds(key, token):
                return False
            del self.ends[key]
            return True

    def commit(self, key: Hashable, token: int) -> bool:
        """Whether whoever has that number may act now."""
        with self.lock:
            return self.holds(key, token)

    def live(self, key: Hashable) -> bool:
        """Whether there is a lease of that key now."""
        return key in self.ends and self.clock() < self.ends[key]

    def holds(self, key: Hashable, token: int) -> bool:
        """Whether the live lease of that key has that number."""
        return self.live(key) and self.granted[key] == token
