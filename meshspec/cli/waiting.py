"""The process that waits for a fenced one, whatever becomes of it.

It imports no user's file. It hands on signals, watches the pulse of the child (:class:`meshspec.lang.pulse.Pulse`),
ends it where C code does not come back, and says in one line what became of a child that died without its answer.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

import attrs

from meshspec.lang.places import is_authors, shown
from meshspec.lang.pulse import Pulse
from meshspec.progress import CLEAR
from meshspec.report.text import clean

USAGE, VIOLATED, UNDETERMINED = 2, 1, 3
GRACE = 3.0
"""Seconds that a call may go on after it was interrupted, before its process is ended."""

PATIENCE = 3
"""So many times Ctrl-C, and the child is ended whatever it is doing."""

HANDED_ON = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
STOPS = [getattr(signal, name) for name in ("SIGTSTP",) if hasattr(signal, name)]
DUMP = getattr(signal, "SIGUSR1", None)
_KEPT = 200
_TRACE = 1 << 16


@attrs.frozen
class Pipes:
    """``aside`` takes what is written past Python's streams, ``trace`` where the child was when it died.

    Of ``alive`` the parent has the end to write to, and never writes: that it is gone tells the child.
    """

    aside: tuple[int, int] = attrs.field(factory=os.pipe)
    trace: tuple[int, int] = attrs.field(factory=os.pipe)
    alive: tuple[int, int] = attrs.field(factory=os.pipe)


class Parent:
    """Waits for the child, whatever becomes of it."""

    def __init__(self, child: int, pulse: Pulse, pipes: Pipes, reads: bool) -> None:
        self.child, self.pulse, self.reads = child, pulse, reads
        self.aside, self.trace = pipes.aside[0], pipes.trace[0]
        os.close(pipes.aside[1])
        os.close(pipes.trace[1])
        os.close(pipes.alive[0])
        os.set_blocking(self.aside, False)
        os.set_blocking(self.trace, False)
        if not reads:
            with contextlib.suppress(OSError):  # the child did it first
                os.setpgid(child, child)
        self.written, self.start, self.left = 0, b"", b""
        self.asked = 0
        self.ended = ""
        self.call, self.since = 0, time.monotonic()

    def watch(self, mask: set[int]) -> int:
        """Wait for the end of the child; its exit code, or what stands for it."""
        woken, wake = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (*HANDED_ON, *STOPS, signal.SIGCHLD):
            if signal.getsignal(number) is not signal.SIG_IGN or number == signal.SIGCHLD:
                signal.signal(number, _woken)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        listening = [woken, self.aside]
        status: int | None = None
        while status is None:
            ready, _, _ = select.select(listening, [], [], 0.5)
            if self.aside in ready and not self._drain():
                listening.remove(self.aside)
            if woken in ready:
                for number in os.read(woken, 512):
                    self._hand_on(number)
            self._overdue()
            gone, how = os.waitpid(self.child, os.WNOHANG)
            status = how if gone else None
        for number in HANDED_ON:  # all is said: the interpreter, going down, would take one for its default
            signal.signal(number, signal.SIG_IGN)
        self._kill_rest()
        self._drain()
        signal.set_wakeup_fd(-1)
        return self._told(os.waitstatus_to_exitcode(status))

    def _hand_on(self, number: int) -> None:
        if number in STOPS:
            self._send(signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGSTOP)  # until the shell says to go on
            self._send(signal.SIGCONT)
            self.call = 0
        elif number in HANDED_ON:
            self.asked += 1
            if self.asked >= PATIENCE:
                self.ended = "it was told to stop again and again, and its process was ended"
            if self.asked >= PATIENCE or not self.reads or number != signal.SIGINT:  # else the terminal tells it too
                self._send(signal.SIGKILL if self.asked >= PATIENCE else number)

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            (os.kill if self.reads else os.killpg)(self.child, number)

    def _overdue(self) -> None:
        """End a child that has been in one and the same call for longer than it may interrupt itself."""
        call, limit = self.pulse.cells[Pulse.CALL], self.pulse.cells[Pulse.LIMIT] / 1000
        now = time.monotonic()
        if not call or call != self.call or not limit:
            self.call, self.since = call, now
        elif now - self.since > limit + GRACE and not self.ended:
            self.ended = (
                f"it did not come back in {limit:g} s, nor when it was interrupted, and its process was ended"
            )
            if DUMP is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.child, DUMP)
                while select.select([self.trace], [], [], 0.5)[0] and (more := os.read(self.trace, _TRACE)):
                    self.left += more
            self._send(signal.SIGKILL)

    def _drain(self) -> bool:
        """Take what was written aside; whether more may come."""
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.aside, 1 << 16):
                self.written += len(data)
                self.start = (self.start + data)[:_KEPT]
                if len(data) < 1 << 16:
                    return True
            return False
        return True

    def _kill_rest(self) -> None:
        """End what the child started and left."""
        if not self.reads:
            self._send(signal.SIGKILL)

    def _told(self, code: int) -> int:
        """Say what has to be said of the child beside its own words."""
        if self.written:
            start = self.start.decode("utf-8", "replace")
            self._say(f"what was checked wrote {self.written:,} bytes past Python's streams, kept apart: {start!r}")
        said = self.pulse.cells[Pulse.WORST] - 1
        if self.pulse.cells[Pulse.CUT]:
            return self._unheard("the author's code closed or replaced the channels of the check", said)
        if code >= 0 and self.pulse.cells[Pulse.DONE] == code + 1:
            if self.pulse.cells[Pulse.WORDS]:
                return code
            return self._unheard(f"the check ended ({code}) without a word", said)
        place = self._place()
        how = self.ended or (
            f"its process was ended by {_name(-code)}" if code < 0 else f"its process exited ({code})"
        )
        stage = self.pulse.stage
        during = f"while {stage}" if stage else "while it was checked"
        asked = "; that may be for want of memory" if code == -signal.SIGKILL and not self.ended else ""
        if said < 0 and self.asked < PATIENCE:
            self._say(f"{place}{during}, {how}{asked}; nothing was concluded")
            return USAGE
        self._say(f"{place}{during}, {how}{asked}; what stands above was found before, and no report was written")
        return VIOLATED if said == VIOLATED else UNDETERMINED

    def _unheard(self, why: str, said: int) -> int:
        """The exit code where nobody can know that what the child said arrived."""
        if said < 0:
            self._say(f"{why}; nothing was concluded")
            return USAGE
        self._say(f"{why}; what was found before may be missing above, and no report can be relied on")
        return UNDETERMINED

    def _place(self) -> str:
        """Where the child was, by what it left behind: the innermost line of an author's, as ``mine.py:3: ``."""
        with contextlib.suppress(BlockingIOError):
            self.left += os.read(self.trace, _TRACE)
        for line in self.left.decode("utf-8", "replace").splitlines():
            head, quote, rest = line.strip().partition('", line ')
            if quote and head.startswith('File "') and is_authors(file := head.removeprefix('File "')):
                return f"{shown(file)}:{rest.split()[0]}: "
        return ""

    @staticmethod
    def _say(line: str) -> None:
        with contextlib.suppress(OSError, AttributeError):  # where standard error is closed, the exit code says it
            line_left = CLEAR if sys.stderr.isatty() else ""  # of progress, by a child that is gone
            print(f"{line_left}meshspec: {clean(line)}", file=sys.stderr)


def _woken(_number: int, _frame: object) -> None:
    """The wake-up descriptor has the number already."""


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
