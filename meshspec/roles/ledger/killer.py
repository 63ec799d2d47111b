"""A process is killed right after its k-th write, whichever that is: nothing in it knows, and nothing of it goes on.

Linux only. The process is watched through ``ptrace``: it stops at the entry and exit of each call to the system, and
at the exit of the k-th that may change what outlives it, it gets SIGKILL, with its threads and whatever it started.
Calls that failed changed nothing and are not counted. What is counted: ``write``, ``pwrite64``, ``writev``,
``pwritev``, ``pwritev2``, ``sendfile``, ``copy_file_range``, ``fallocate``, ``truncate``, ``ftruncate``, ``fsync``,
``fdatasync``, ``sync_file_range``, ``msync``, ``rename``, ``link``, ``symlink``, ``unlink``, ``mkdir``, ``rmdir`` and
their ``at`` forms, and opening with ``O_CREAT``.

*Sound when* the process is killed where it says: the kernel tells of each call, and no thread of the process runs on
after the signal. *Misses*: what is written through mapped memory (the index of SQLite's write-ahead log), through
io_uring or to a socket is no call that is counted, so no kill falls between two of those; a write is whole or not at
all; and a kill is not a loss of power: what the kernel has taken survives it, synced or not.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import signal
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import attrs

INFO = 0x420E
_SYSCALL, _SEIZE, _INTERRUPT = 24, 0x4206, 0x4207
_OPTIONS = 1 | 2 | 4 | 8 | 16 | 0x100000  # SYSGOOD, FORK, VFORK, CLONE, EXEC, and EXITKILL: none outlives us
_ALL, _OURS = 0x40000000, 0x20000000  # __WALL, __WNOTHREAD: the children of this thread alone
_ENTRY, _EXIT = 1, 2

_X86 = {
    1: "write", 18: "pwrite64", 20: "writev", 296: "pwritev", 328: "pwritev2", 40: "sendfile",
    326: "copy_file_range", 285: "fallocate", 76: "truncate", 77: "ftruncate", 74: "fsync", 75: "fdatasync",
    277: "sync_file_range", 26: "msync", 82: "rename", 264: "renameat", 316: "renameat2", 86: "link", 265: "linkat",
    88: "symlink", 266: "symlinkat", 87: "unlink", 263: "unlinkat", 83: "mkdir", 258: "mkdirat", 84: "rmdir",
    85: "creat", 2: "open", 257: "openat",
}  # fmt: skip
_ARM = {
    64: "write", 68: "pwrite64", 66: "writev", 70: "pwritev", 287: "pwritev2", 71: "sendfile",
    285: "copy_file_range", 47: "fallocate", 45: "truncate", 46: "ftruncate", 82: "fsync", 83: "fdatasync",
    84: "sync_file_range", 227: "msync", 38: "renameat", 276: "renameat2", 37: "linkat", 36: "symlinkat",
    35: "unlinkat", 34: "mkdirat", 56: "openat",
}  # fmt: skip
_CALLS = {0xC000003E: _X86, 0xC00000B7: _ARM}  # by the kernel's own name for an architecture
_ON_DESCRIPTORS = {
    "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "fallocate", "ftruncate", "fsync", "fdatasync",
    "sync_file_range",
}  # fmt: skip
_FLAGS = {"open": 1, "openat": 2}  # which argument has them
_PATHS = {
    "open": 0, "creat": 0, "truncate": 0, "rename": 0, "link": 0, "unlink": 0, "mkdir": 0, "rmdir": 0, "symlink": 1,
    "openat": 1, "renameat": 1, "renameat2": 1, "linkat": 1, "unlinkat": 1, "mkdirat": 1, "symlinkat": 2,
}  # fmt: skip


class CannotKill(Exception):
    """No process can be watched here; the argument says why."""


@attrs.frozen
class Write:
    """A call that may have changed what outlives the process: its name, and the file where that is known."""

    call: str
    file: str = ""

    def __str__(self) -> str:
        return f"`{self.call}` of {self.file}" if self.file else f"`{self.call}`"


class _Info(ctypes.Structure):
    _fields_ = (
        ("op", ctypes.c_uint8),
        ("pad", ctypes.c_uint8 * 3),
        ("arch", ctypes.c_uint32),
        ("instruction", ctypes.c_uint64),
        ("stack", ctypes.c_uint64),
        (
            "words",
            ctypes.c_uint64 * 8,
        ),  # at an entry the number and six arguments; at an exit the result and is_error
    )


@cache
def _asking() -> Callable[[int, int, int, int], int]:
    ask = ctypes.CDLL(None, use_errno=True).ptrace
    ask.restype = ctypes.c_long
    ask.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    return ask


def ptrace(request: int, thread: int, address: int, data: int | ctypes.Structure) -> int:
    """Ask the kernel; the number of the error where it refuses, else 0."""
    where = data if isinstance(data, int) else ctypes.addressof(data)
    return 0 if _asking()(request, thread, address, where) >= 0 else ctypes.get_errno()


class Killer:
    """Watches one process that waits to be let go, counts its writes, and kills it after the k-th; 0: before any.

    Use it as a context: inside it the process is watched, and may be let go; at the end it is over. Raises
    :class:`CannotKill` where processes cannot be watched.
    """

    def __init__(self, process: int, k: int) -> None:
        self.writes: list[Write] = []
        """The calls that were counted, in order."""
        self.killed = False
        self._process, self._k = process, k
        self._refused = ""
        self._over = False
        self._seen: dict[int, None] = {}
        self._watching = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)  # ptrace is a matter of threads

    def __enter__(self) -> Killer:
        if sys.platform != "linux":
            raise CannotKill(f"processes are watched with ptrace on Linux, and this is {platform.system()}")
        self._thread.start()
        self._watching.wait()
        if self._refused:
            raise CannotKill(self._refused)
        return self

    def __exit__(self, *exc: object) -> None:
        """The life is over, or has to be: nothing of it stays, and the watch ends with it."""
        self._over = True
        self._signal()
        self._thread.join()

    def wait(self, seconds: float) -> bool:
        """Whether the process and all it started are over by then.

        Nobody else may wait for any child meanwhile: the kernel would tell them of stops that are told to the watch.
        """
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _watch(self) -> None:
        try:
            if number := ptrace(_SEIZE, self._process, 0, _OPTIONS):
                self._refused = f"ptrace is not permitted here: {os.strerror(number)}"
            elif number := ptrace(_INTERRUPT, self._process, 0, 0):
                self._refused = f"ptrace cannot stop the process: {os.strerror(number)}"
            else:
                self._first_stop()
        finally:
            self._watching.set()
        if not self._refused:
            self._follow()

    def _first_stop(self) -> None:
        """See that the process can be asked about its calls before it is let go."""
        os.waitpid(self._process, _ALL | _OURS)
        if ptrace(_SYSCALL, self._process, 0, 0):
            self._refused = "the process ended before it was let go"

    def _follow(self) -> None:
        begun: dict[int, Write | None] = {}
        while True:
            try:
                thread, status = os.waitpid(-1, _ALL | _OURS)
            except ChildProcessError:
                return
            self._seen[thread] = None
            if not os.WIFSTOPPED(status):
                self._seen.pop(thread)
                continue
            stopped, event, deliver = os.WSTOPSIG(status), status >> 16, 0
            if stopped == signal.SIGTRAP | 0x80:
                self._at_a_call(thread, begun)
            elif not event:
                deliver = stopped
            if self.killed or self._over:
                self._signal()  # what was begun meanwhile ends with the rest
            else:
                ptrace(_SYSCALL, thread, 0, deliver)  # where it is gone already, its end is told next

    def _at_a_call(self, thread: int, begun: dict[int, Write | None]) -> None:
        info = _Info()
        if number := ptrace(INFO, thread, ctypes.sizeof(info), info):
            if number != 3:  # ESRCH: it is gone
                self._refused = f"ptrace cannot say which call it is: {os.strerror(number)}"
                self._end()
            return
        if info.op == _ENTRY:
            calls = _CALLS.get(info.arch)
            if calls is None:
                self._refused = f"the calls of this architecture ({info.arch:#x}) are not known"
                self._end()
                return
            begun[thread] = write = self._write(thread, calls.get(info.words[0], ""), list(info.words)[1:])
            if write is not None and self._k == 0:
                self._end()
        elif info.op == _EXIT and (write := begun.pop(thread, None)) is not None and not info.words[1] & 0xFF:
            self.writes.append(write)
            if len(self.writes) == self._k:
                self._end()

    def _write(self, thread: int, name: str, arguments: list[int]) -> Write | None:
        if not name or (name in _FLAGS and not arguments[_FLAGS[name]] & os.O_CREAT):
            return None
        file = ""
        with contextlib.suppress(OSError, OverflowError):  # it is told for people, and nothing rests on it
            if name in _PATHS:
                with Path(f"/proc/{thread}/mem").open("rb", buffering=0) as memory:
                    memory.seek(arguments[_PATHS[name]])
                    file = Path(os.fsdecode(memory.read(512).partition(b"\0")[0])).name
            elif name in _ON_DESCRIPTORS:
                file = Path(f"/proc/{thread}/fd/{arguments[0]}").readlink().name
        return Write(name, file)

    def _end(self) -> None:
        """Kill it, its threads, and what it started and left in its session."""
        self.killed = True
        self._signal()

    def _signal(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)
        for thread in tuple(self._seen):  # and what moved into a session of its own
            with contextlib.suppress(ProcessLookupError):
                os.kill(thread, signal.SIGKILL)

    @property
    def refused(self) -> str:
        """Why the watch came to an end before its time, if it did."""
        return self._refused
