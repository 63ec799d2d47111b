"""Progress of long work: one line on a terminal, with what is going on and for how long; silent on a pipe.

The line is on standard error and is redrawn by a thread, since what takes long may be a single call. Whoever prints
anything else calls :func:`erase` first.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from typing import TextIO

Progress = Callable[[str], None]

QUIET = 0.5
"""Seconds without any output after which progress is shown."""

EVERY = 0.25
"""Seconds between two drawings of it."""

CLEAR = "\r\x1b[K"
"""Back to the beginning of the line, and nothing on it."""


def silent(message: str) -> None:
    """Show nothing."""


def on_terminal() -> Progress:
    """Shows what is going on, until it is called with nothing; silent where standard error is no terminal."""
    stream = sys.stderr
    if stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb":  # pyright: ignore[reportUnnecessaryComparison]
        return silent
    return _line.show


def erase() -> None:
    """Take the line away, if there is one: something else is about to be printed."""
    _line.erase()


@contextlib.contextmanager
def showing(message: str) -> Generator[Progress, None, None]:
    """Progress of a block of work that begins with this message; nothing is left of it at the end."""
    show = on_terminal()
    show(message)
    try:
        yield show
    finally:
        show("")


def fitted(message: str, elapsed: float, width: int) -> str:
    """The message and the time, in less than `width` columns of a terminal; wide characters take two.

    >>> fitted("explore Ledger: 1,200 states", 3.4, 80)
    'explore Ledger: 1,200 states  3 s'
    >>> fitted("explore \\x1b[31mLedger: 1,200 states", 75, 24)
    'explore ?[31mL...  75 s'
    """
    from rich.cells import cell_len, set_cell_size

    plain, time_ = "".join(c if c.isprintable() else "?" for c in message), f"  {elapsed:.0f} s"
    room = max(width - 1 - len(time_), 8)
    if cell_len(plain) > room:
        plain = set_cell_size(plain, room - 3).rstrip() + "..."
    return plain + time_


class _Line:
    """The line of this process; all that is here happens under its lock, in the thread that works or that draws."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.wanted = threading.Event()
        self.thread: threading.Thread | None = None
        self.message, self.drawn = "", False
        self.stream: TextIO = sys.stderr
        self.quiet_since = self.begun = time.monotonic()
        self.last = 0.0

    def show(self, message: str) -> None:
        with self.lock:
            if not message:
                self._clear()
                return
            now = time.monotonic()
            if _about(message) != _about(self.message):
                self.begun = now
            self.message = message
            self.stream = sys.stderr  # kept: while an author's code runs, another stands there
            self._draw(now)
            if self.thread is None:
                self.thread = threading.Thread(target=self._redraw, name="meshspec progress", daemon=True)
                self.thread.start()
            self.wanted.set()

    def erase(self) -> None:
        with self.lock:
            self._clear()
            self.quiet_since = time.monotonic()

    def _clear(self) -> None:
        self.message = ""
        self.wanted.clear()
        if self.drawn:
            self.drawn = False
            self._write(CLEAR)

    def _draw(self, now: float) -> None:
        if now - self.quiet_since >= QUIET and now - self.last >= EVERY:
            self.last, self.drawn = now, True
            self._write(CLEAR + fitted(self.message, now - self.begun, self._width()))

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # the terminal is gone; the work is not
            self.stream.write(text)
            self.stream.flush()

    def _redraw(self) -> None:
        while True:
            self.wanted.wait()
            time.sleep(EVERY)
            with self.lock:
                if self.message:
                    self._draw(time.monotonic())


def _about(message: str) -> str:
    """What is being done, without how far it has come."""
    return message.partition(":")[0]


_line = _Line()
