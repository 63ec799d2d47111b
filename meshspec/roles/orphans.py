"""What a policy starts and leaves: its orphans become children of ours while it is judged, and are ended with it.

On Linux a process can ask to be given the orphans below it (``PR_SET_CHILD_SUBREAPER``). While a policy's process
lives, ours asks for them; when the last one is gone, every child of ours that came since is one of them, whatever
session it moved to and whatever it made of its environment. A child that we had before, or that is in our own
session, is none: a policy's process begins in a session of its own, and nobody can enter an older one.

*Sound when* nobody else starts children in new sessions in this process meanwhile. *Misses*: what is handed to a
process that was there before (a service that starts others); and everything, where :func:`observed` says no.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Collection
from functools import cache
from pathlib import Path

_SET, _GET = 36, 37
_PATIENCE = 2.0  # seconds until what was killed must be gone


@cache
def observed() -> bool:
    """Whether this system gives a process the orphans below it, and says which they are."""
    if not sys.platform.startswith("linux") or not Path("/proc/self/stat").exists():
        return False
    return given_orphans() is not None


def given_orphans() -> int | None:
    """Whether this process is given orphans; None where it cannot be."""
    given = ctypes.c_int()
    try:
        refused = ctypes.CDLL(None).prctl(_GET, ctypes.byref(given), 0, 0, 0)
    except (OSError, AttributeError):
        return None
    return None if refused else given.value


def _ask(wanted: int) -> None:
    ctypes.CDLL(None).prctl(_SET, ctypes.c_ulong(wanted), 0, 0, 0)


class _Watch:
    """Counts the policies' processes of this process, and asks for orphans while there are any."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.living = self.before = 0
        self.known: frozenset[int] = frozenset()
        self.groups: set[int] = set()

    def begin(self) -> None:
        with self.lock:
            if not self.living and observed():
                self.before, self.known = given_orphans() or 0, frozenset(_children())
                self.groups.clear()
                _ask(1)
            self.living += 1

    def end(self, group: int, ended: Collection[int]) -> set[int]:
        """One process is gone, with its group; with the last one go the orphans. Which of them were still running.

        Those that were `ended` already are not counted twice.
        """
        with self.lock:
            self.living -= 1
            self.groups.add(group)
            if self.living or not observed():
                return set()
            try:
                return self._end_orphans() - set(ended)
            finally:
                _ask(self.before)

    def _end_orphans(self) -> set[int]:
        running, latest = set[int](), time.monotonic() + _PATIENCE
        while time.monotonic() < latest:  # what is ended leaves orphans of its own
            orphans = {child: told for child, told in _children().items() if self._left(child, told)}
            if not orphans:
                break
            for child, (state, group, _) in orphans.items():
                if state not in "ZX" and group not in self.groups:  # that group was ended already
                    running.add(child)
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)
            time.sleep(0.002)
        return running

    def _left(self, child: int, told: tuple[str, int, int]) -> bool:
        return child not in self.known and told[2] != os.getsid(0)


def _children() -> dict[int, tuple[str, int, int]]:
    """The children of this process, with their state, process group and session."""
    found: dict[int, tuple[str, int, int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent, group, session = place.read_text(errors="replace").rpartition(")")[2].split()[:4]
            if int(parent) == os.getpid():
                found[int(place.parent.name)] = (state, int(group), int(session))
    return found


_WATCH = _Watch()
begin, end = _WATCH.begin, _WATCH.end
