"""Fences around an author's code: how long a call may take, what it may do, where its output goes, what is told.

A door (the command line, a test runner, a notebook) puts them up with :func:`watching`; every place that runs an
author's code does so inside :data:`calling`, or :func:`importing` for a whole file. Without fences both do nothing.

The time limit needs the main thread and a signal that interrupts it: it ends loops, sleeps and locks. C code that
does not look at signals is left to whoever started the process (:mod:`meshspec.cli.fenced`), who reads in shared
memory (:class:`meshspec.lang.pulse.Pulse`) that one and the same call has been going on for too long.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from threading import get_ident
from types import FrameType, TracebackType
from typing import Any, NoReturn

from meshspec.errors import ModelError, Where
from meshspec.lang import audit
from meshspec.lang.apart import Aside, Sink
from meshspec.lang.exits import no_way_out
from meshspec.lang.places import is_authors, shown, where_now
from meshspec.lang.pulse import Pulse
from meshspec.lang.untouched import Before

LIMIT = 10.0
"""Seconds that one call into an author's code may take."""

LOADING = 6.0
"""Importing a file may take this many times the limit: what it imports is slow."""

LOADING_MEMORY = 4 << 30
"""Bytes that the process may hold while an author's file is imported, where memory is limited."""

LARGEST_FILE = 1 << 30
"""Bytes that a file may get while an author's file is imported."""

_TOLD = 20  # notes; the rest is counted


class Fenced(ModelError):
    """An author's code did what the fences do not let it do, or did not come back."""


class _TooLong(BaseException):
    """Interrupts a call; a :class:`BaseException`, so that an ``except Exception`` in it does not swallow this."""


class Fences:
    """The fences of one run. ``down`` names those that could not be put up, ``up`` the others."""

    def __init__(self, limit: float, pulse: Pulse | None = None) -> None:
        self.pulse = pulse or Pulse()
        self.up: list[str] = []
        self.down: list[str] = []
        self.memory: int | None = None
        self.limit_memory: Callable[[int], int] | None = None
        self.loaded = False
        self.aside: tuple[int, int, int] | None = None  # a pipe, and copies of descriptors 1 and 2
        self.intact: Callable[[], object] = bool  # ends the process where the author's code took our channels away
        self.around: list[str] = []  # those around policies, in processes of their own
        self.interrupted = False
        self.lost = False  # Ctrl-C, where nothing can be raised: at the end of an object, in a callback of C code
        self.thread = get_ident()
        self._notes: dict[str, None] = {}
        self._sink = Sink()
        self._out: Any = Aside(self._sink)
        self.hears = False  # whether Ctrl-C sets `interrupted`
        self._recursion = sys.getrecursionlimit()
        self._depth = self._calls = self._seen = 0
        self._since = 0.0
        self._trouble: tuple[str, Where | None] | None = None
        self._streams: tuple[Any, ...] = ()
        self._loading = False
        self._before: Before | None = None
        self.limit = limit

    @property
    def limit(self) -> float:
        """Seconds that one call may take; 0 for no limit."""
        return self._limit

    @limit.setter
    def limit(self, seconds: float) -> None:
        self._limit = seconds
        self.pulse.cells[Pulse.LIMIT] = round(seconds * 1000)

    # -- what is told ------------------------------------------------------------------------------------------

    def note(self, line: str) -> None:
        self._notes[line] = None

    def notes(self) -> list[str]:
        """What an author's code did and need not have done, one line each."""
        notes = list(self._notes)
        notes = notes[:_TOLD] + ([f"and {len(notes) - _TOLD} more like these"] if len(notes) > _TOLD else [])
        self._out.flush()
        if self._sink.count:
            start = self._sink.start.decode("utf-8", "replace")
            notes.append(f"what was checked printed {self._sink.count:,} bytes, kept apart: {start!r}")
        return notes

    def names(self) -> list[str]:
        """The fences that were up, those that were down, and what is not observed: for a report."""
        if self.around:
            return self.around
        up = list(self.up)
        up += [f"memory {_size(self.memory)}"] if self.memory is not None else []
        up += [f"{self._limit:g} s a call"] if self._limit else []
        unseen = ["what C code does by itself", "what other threads do"]
        return up + [f"down: {name}" for name in self.down] + [f"not observed: {name}" for name in unseen]

    def whole(self) -> None:
        """Raise :class:`Fenced` where what we run on was replaced since the last file was imported, by a body."""
        self.intact()
        if self._before is not None and (found := self._before.replaced()):
            raise Fenced(_replacing("what was checked", found))

    # -- one call ----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        if get_ident() != self.thread:
            return
        self._depth += 1
        if self._depth > 1:
            return
        self._calls += 1
        self._recursion = sys.getrecursionlimit()
        self.pulse.cells[Pulse.CALL] = self._calls
        self._streams = sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__
        sys.stdout = sys.stderr = self._out
        sys.__stdout__ = sys.__stderr__ = self._out  # type: ignore[misc]  # where the first two came from
        audit.AUDITOR.running = True

    def leave(self, error: BaseException | None) -> None:
        """Take stock of a call; raises :class:`Fenced` for what it did, whatever it made of being stopped."""
        if get_ident() != self.thread:
            return
        self._depth -= 1
        if self._depth:
            return
        audit.AUDITOR.running = False
        if not self._loading and sys.getrecursionlimit() != self._recursion:
            sys.setrecursionlimit(self._recursion)
            self._trouble = self._trouble or ("a body may not change the recursion limit of Python", None)
        self.pulse.cells[Pulse.CALL] = 0
        sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__ = self._streams  # type: ignore[misc]
        trouble, self._trouble = self._trouble, None
        if self.interrupted and not isinstance(error, KeyboardInterrupt):  # it was swallowed
            raise KeyboardInterrupt
        if trouble is not None:
            raise Fenced(*trouble) from None
        if isinstance(error, KeyboardInterrupt) and self.hears and not self.interrupted:
            raise Fenced("it raises KeyboardInterrupt, and nobody pressed Ctrl-C", _where(error)) from None
        if isinstance(error, MemoryError) and self.memory is not None:
            raise Fenced(f"it ran into the limit on memory, {_size(self.memory)}", _where(error)) from None

    def asked(self, what: str, where: str) -> None:
        """An author's code asked for what it may not have."""
        if self._loading:
            self.note(f"it may not {what} while it is imported: {where or 'at a place unknown'}")
        elif self._trouble is None:
            file, _, line = where.rpartition(":")
            place = Where(file, int(line)) if file else None
            self._trouble = f"a body may not {what}: it is run many times, to be read", place

    @contextlib.contextmanager
    def descriptors_aside(self) -> Generator[None, None, None]:
        """What is written to descriptors 1 and 2 goes aside; our own streams have others."""
        if self.aside is None:
            yield
            return
        aside, *ours = self.aside
        for number in (1, 2):
            os.dup2(aside, number)
        try:
            yield
        finally:
            self.intact()
            for number, kept in enumerate(ours, 1):
                os.dup2(kept, number)

    # -- time --------------------------------------------------------------------------------------------------

    def tick(self, _number: int, frame: FrameType | None) -> None:
        """Called a few times a second: whether one call has been going on for too long."""
        if self.lost:
            self.lost = False
            raise KeyboardInterrupt
        if not self._depth:
            return
        now = time.monotonic()
        if self._calls != self._seen:
            self._seen, self._since = self._calls, now
            return
        limit = self._limit * (LOADING if self._loading else 1)
        if not self._limit or now - self._since < limit:
            return
        self._trouble = f"it did not come back in {limit:g} s", _place(frame)
        raise _TooLong

    def break_here(self, *_: object, **__: object) -> NoReturn:
        """What ``breakpoint()`` does where nobody can answer a debugger."""
        self._trouble = "breakpoint(): nobody can answer here; call the method from a script or a test", where_now()
        raise _TooLong

    # -- one file ----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def loading(self, name: str, folder: Path) -> Generator[None, None, None]:
        before, auditor = Before(), audit.AUDITOR
        self._before, self.loaded = before, True
        memory = self.memory if self.limit_memory is not None else None
        if self.limit_memory is not None and memory is not None:
            self.memory = self.limit_memory(min(memory, LOADING_MEMORY))
        auditor.permitted = audit.below(folder)
        self.pulse.tell(f"importing {name}")
        self.pulse.cells[Pulse.LIMIT] = round(self._limit * LOADING * 1000)
        self._loading = True
        try:
            with _largest_file(LARGEST_FILE), self.descriptors_aside(), calling:
                yield
        except _TooLong:
            raise Fenced("it did not come back") from None  # a tick between two lines of ours
        finally:
            self._loading = False
            self.limit = self._limit
            if self.limit_memory is not None and memory is not None:
                self.memory = self.limit_memory(memory)
            auditor.permitted = audit.NOWHERE
            self.pulse.tell("")
            touched = before.put_back()
            for line in touched.told:
                self.note(f"{name}: {line}")
        if touched.refused:
            raise Fenced(_replacing(f"importing {name}", touched.refused))


class _Calling:
    """``with calling:`` around each call of an author's code."""

    __slots__ = ()

    def __enter__(self) -> None:
        if _now is not None:
            _now.enter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if _now is not None:
            _now.leave(error)


_now: Fences | None = None
calling = _Calling()


def present() -> Fences | None:
    """The fences that are up, if any are."""
    return _now


@contextlib.contextmanager
def reading(name: str) -> Generator[None, None, None]:
    """While a method is read: whoever has to tell of a process that died knows of it."""
    with no_way_out():
        if _now is None:
            yield
            return
        _now.pulse.tell(f"reading {name}")
        with _now.descriptors_aside():
            yield
        _now.pulse.tell("")


@contextlib.contextmanager
def importing(name: str, folder: Path) -> Generator[None, None, None]:
    """While an author's file is imported, which lies in `folder` and may write there."""
    with no_way_out():
        if _now is None:
            yield
        else:
            with _now.loading(name, folder):
                yield


@contextlib.contextmanager
def watching(limit: float = LIMIT, pulse: Pulse | None = None) -> Generator[Fences, None, None]:
    """Put up what fences one process can have around code that it runs itself.

    Inside another :func:`watching` the outer ones stay.
    """
    global _now
    if _now is not None:
        yield _now
        return
    fences = Fences(limit, pulse)
    audit.listen()
    auditor = audit.AUDITOR
    auditor.thread, auditor.asked = fences.thread, fences.asked
    with _ticking(fences), _no_farewell(fences):
        hook, sys.breakpointhook = sys.breakpointhook, fences.break_here
        _now = fences
        try:
            yield fences
        finally:
            _now, sys.breakpointhook, auditor.running, auditor.asked = None, hook, False, None


@contextlib.contextmanager
def _ticking(fences: Fences) -> Generator[None, None, None]:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        fences.limit = 0
        fences.down.append("a limit on time")
        yield
        return
    every = min(0.25, fences.limit / 4) if fences.limit else 0.25
    before = signal.signal(signal.SIGALRM, fences.tick)
    rest = signal.setitimer(signal.ITIMER_REAL, every, every)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *rest)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _no_farewell(fences: Fences) -> Generator[None, None, None]:
    """What an author's file wants done when the process ends is not done: the process is ours."""
    register = atexit.register

    def registered(function: Any, /, *args: Any, **named: Any) -> Any:
        caller = sys._getframe(1).f_code.co_filename  # pyright: ignore[reportPrivateUsage]
        if not is_authors(caller) or "site-packages" in caller:
            return register(function, *args, **named)
        fences.note(f"{shown(caller)} wants something done when the process ends, which is not done")
        return function

    atexit.register = registered
    try:
        yield
    finally:
        atexit.register = register


@contextlib.contextmanager
def _largest_file(most: int) -> Generator[None, None, None]:
    try:
        import resource
    except ImportError:  # not on this system
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    least = most if soft < 0 else min(most, soft)
    resource.setrlimit(resource.RLIMIT_FSIZE, (least, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _place(frame: FrameType | None) -> Where | None:
    """The innermost line of an author's that a frame stands below."""
    while frame is not None and not is_authors(frame.f_code.co_filename):
        frame = frame.f_back
    return Where(shown(frame.f_code.co_filename), frame.f_lineno) if frame is not None else None


def _where(error: BaseException) -> Where | None:
    found: Where | None = None
    trace = error.__traceback__
    while trace is not None:
        if is_authors(trace.tb_frame.f_code.co_filename):
            found = Where(shown(trace.tb_frame.f_code.co_filename), trace.tb_lineno)
        trace = trace.tb_next
    return found


def _replacing(what: str, names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{what} replaces {', '.join(names[:5])}{more}: what the check itself runs on must stay as it is"


def _size(count: int) -> str:
    return f"{count / (1 << 30):.3g} GiB"
