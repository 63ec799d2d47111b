"""A limit on the time that one call takes: who asks a function of somebody's must get an answer, or go on without."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Generator

CALL_LIMIT = 10.0
"""Seconds, as elsewhere; a policy and a model's method have the same."""


class Late(BaseException):
    """There was no answer in time. No :class:`Exception`: ``except Exception`` in the function lets it pass."""


@contextlib.contextmanager
def limited(seconds: float) -> Generator[None, None, None]:
    """Raise :class:`Late` in what runs here once the time is over, and every quarter of a second from then on.

    A timer that was running goes on afterwards with what is left of it. *Misses*: what runs in another thread than
    the main one, or where there is no such timer, has no limit; nor has one call into C that gives nothing back.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    running = True

    def ring(number: int, frame: object) -> None:
        if running:
            raise Late

    before, began = signal.signal(signal.SIGALRM, ring), time.monotonic()
    left, every = signal.setitimer(signal.ITIMER_REAL, seconds, 0.25)
    try:
        yield
    finally:
        running = False
        rest = max(left - (time.monotonic() - began), 1e-6) if left else 0.0
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, rest, every)
