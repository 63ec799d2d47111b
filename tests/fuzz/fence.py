"""What a reader may not do while it reads: run code, start processes, connect, write outside its folder."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

_MEMORY = "/dev/shm"  # where a system has its memory as a folder: files come and go there by the million
HANGS = 20  # seconds after which a reader is taken to hang; the slowest of ours takes less than one

_ACTS = (
    "exec", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.kill", "subprocess.Popen", "pickle.find_class",
    "marshal.loads", "socket.connect", "socket.bind", "ctypes.dlopen", "code.__new__",
)  # fmt: skip
_LAZY = ("typing", "importlib._bootstrap", "importlib._bootstrap_external")  # annotations, and what is imported late
_WRITES = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod")


class Outside(BaseException):
    """A reader did what no reader may; no ``except Exception`` hides it."""


class Hangs(BaseException):
    """A reader gave no answer."""


@cache
def folder() -> Path:
    """Where readers find the files that are made up for them; gone with the process."""
    made = tempfile.TemporaryDirectory(prefix="meshspec-fuzz-", dir=_MEMORY if Path(_MEMORY).is_dir() else None)
    _kept.append(made)
    return Path(made.name).resolve()


_kept: list[tempfile.TemporaryDirectory[str]] = []
_up = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _up:
        return
    if event in _ACTS and not _late():
        raise Outside(event)
    if event in _WRITES or (event == "open" and _writing(arguments)):
        path = arguments[0]  # a number is of a file that was opened before
        if not isinstance(path, int) and not os.path.realpath(os.fsdecode(path)).startswith(str(folder())):
            raise Outside(f"{event} {path!r}")


def _late() -> bool:
    """Whether code runs because a module is imported on first use, or annotations are read."""
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_globals.get("__name__") != "tests.fuzz.reader":
        if frame.f_globals.get("__name__") in _LAZY:
            return True
        frame = frame.f_back
    return False


def _writing(arguments: tuple[object, ...]) -> bool:
    _, mode, flags = arguments
    by_mode = isinstance(mode, str) and bool(set(mode) & set("wax+"))
    return by_mode or (isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)))


@cache
def _install() -> None:
    folder()
    sys.addaudithook(_hook)  # cannot be taken away again, so it does nothing while no fence is up


@contextmanager
def fence(*, clock: bool = True) -> Generator[None, None, None]:
    """Raises :class:`Outside` for what a reader may not do, and :class:`Hangs` where it does not come back."""
    global _up
    _install()

    def late(_: int, __: FrameType | None) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, late) if clock else None
    try:
        if clock:
            signal.alarm(HANGS)
        _up = True
        yield
    finally:
        _up = False
        if clock:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
