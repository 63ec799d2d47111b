"""What an author's code asks of the operating system while we run it, and what of that is refused.

CPython raises an audit event before it opens a file, starts a process, connects a socket, and so on. One hook, added
when fences first go up and never taken away (CPython offers no way), looks at those events while an author's code
runs and at nothing otherwise. What C code does by itself raises no event and is not observed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import get_ident
from typing import Any, cast

import attrs

from meshspec.lang.places import is_authors, where_now

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_PROCESSES = "start another process"
_SIGNALS = "send a signal"
_NETWORK = "use the network"
_LIMITS = "change what the process is watched by"
_REFUSED: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system",
            "pty.spawn", "subprocess.Popen",
        ),
        _PROCESSES,
    ),
    **dict.fromkeys(("os.kill", "os.killpg", "signal.pthread_kill"), _SIGNALS),
    **dict.fromkeys(
        (
            "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname",
            "socket.sendmsg", "socket.sendto",
        ),
        _NETWORK,
    ),
    **dict.fromkeys(
        ("resource.prlimit", "resource.setrlimit", "sys.addaudithook", "sys.setprofile", "sys.settrace"), _LIMITS
    ),
}  # fmt: skip
_TWO_PATHS = ("os.link", "os.rename", "os.symlink")
_ONE_PATH = (
    "os.chflags", "os.chmod", "os.chown", "os.lockf", "os.mkdir", "os.remove", "os.removexattr", "os.rmdir",
    "os.setxattr", "os.truncate", "os.utime", "shutil.rmtree",
)  # fmt: skip
_FROM_FOLDER = ("os.chmod", "os.chown", "os.mkdir", "os.remove", "os.rmdir", "os.utime")
_LIBRARIES = ("ctypes.dlopen",)


@attrs.frozen
class Permitted:
    """Where an author's code may write: below these folders, and the caches of compiled Python."""

    folders: tuple[str, ...] = ()

    def writing(self, path: object) -> bool:
        if isinstance(path, int):  # a descriptor: it was opened before
            return True
        try:
            full = os.path.realpath(os.fsdecode(cast("Any", path)))
        except (TypeError, ValueError):
            return True  # no path: the call itself will say so
        if full == os.devnull or Path(full).parent.name == "__pycache__" or Path(full).name == "__pycache__":
            return True
        return any(full == folder or full.startswith(folder + os.sep) for folder in self.folders)


def below(*folders: Path) -> Permitted:
    """Writing below these folders and the folder for temporary files."""
    places = [str(folder.resolve()) for folder in folders]
    with suppress(FileNotFoundError):  # no folder at all takes temporary files
        places.append(os.path.realpath(tempfile.gettempdir()))
    return Permitted(tuple(place for place in places if place != os.sep))


NOWHERE = Permitted()

Asked = Callable[[str, str], None]
"""Is told what was asked (``start another process``) and where (``mine.py:3``, or nothing)."""


@attrs.define
class Auditor:
    """What the hook consults: whether an author's code runs, on which thread, and what it may do."""

    running: bool = False
    thread: int = 0
    permitted: Permitted = NOWHERE
    asked: Asked | None = None

    def refuse(self, what: str) -> None:
        """Stop what was about to happen; a :class:`PermissionError`, which code that can do without it handles."""
        self.running = False  # finding the place may open files
        try:
            where = str(where_now() or "")
            if self.asked is not None:
                self.asked(what, where)
        finally:
            self.running = True
        raise PermissionError(f"it may not {what} while it is checked")


AUDITOR = Auditor()


@contextmanager
def aside() -> Generator[None, None, None]:
    """While we ourselves do what an author's code may not: a file that is imported may have a model lifted."""
    running, AUDITOR.running = AUDITOR.running, False
    try:
        yield
    finally:
        AUDITOR.running = running


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if not AUDITOR.running:
        return
    if (look := _LOOKS.get(event)) and get_ident() == AUDITOR.thread:
        look(event, args)


def _plain(event: str, args: tuple[Any, ...]) -> None:
    what = _REFUSED[event]
    if event == "socket.connect" and isinstance(args[1], (str, bytes)):
        what = f"connect to {_path(args[1])}"
    AUDITOR.refuse(what)


def _open(event: str, args: tuple[Any, ...]) -> None:
    path, mode, flags = args
    wants = any(letter in mode for letter in "wax+") if isinstance(mode, str) else bool(int(flags or 0) & _WRITES)
    if wants and not AUDITOR.permitted.writing(path):
        AUDITOR.refuse(f"open {_path(path)} for writing")


def _database(event: str, args: tuple[Any, ...]) -> None:
    name = args[0]
    if name not in (":memory:", b":memory:", "", b"") and not AUDITOR.permitted.writing(name):
        AUDITOR.refuse(f"open the database {_path(name)}")


def _one(event: str, args: tuple[Any, ...]) -> None:
    if not AUDITOR.permitted.writing(_from_folder(event, args)):
        AUDITOR.refuse(f"change {_path(args[0])} ({event.partition('.')[2]})")


def _from_folder(event: str, args: tuple[Any, ...]) -> object:
    """The path, seen from the folder that a descriptor stands for, where one was given and the system tells."""
    folder = args[-1]
    if event not in _FROM_FOLDER or not isinstance(folder, int) or folder < 0:
        return args[0]
    try:
        return Path(os.readlink(f"/proc/self/fd/{folder}")) / os.fsdecode(args[0])  # noqa: PTH115
    except (OSError, TypeError, ValueError):
        return args[0]


def _two(event: str, args: tuple[Any, ...]) -> None:
    for path in args[:2] if event != "os.symlink" else args[1:2]:
        if not AUDITOR.permitted.writing(path):
            AUDITOR.refuse(f"change {_path(path)} ({event.partition('.')[2]})")


def _library(event: str, args: tuple[Any, ...]) -> None:
    """A package may load the libraries it comes with; the author's own file, whose C code nobody sees, may not."""
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # what audits is C: the caller's frame is there
    while "ctypes" in frame.f_code.co_filename and frame.f_code.co_name != "<module>" and frame.f_back is not None:
        frame = frame.f_back
    if is_authors(frame.f_code.co_filename) and "site-packages" not in frame.f_code.co_filename:
        AUDITOR.refuse("load a library" if args[0] is None else f"load the library {_path(args[0])}")


def _path(given: object) -> str:
    try:
        return repr(os.fsdecode(cast("Any", given)))
    except (TypeError, ValueError):
        return "what it named"


_LOOKS: dict[str, Callable[[str, tuple[Any, ...]], None]] = {
    **dict.fromkeys(_REFUSED, _plain),
    **dict.fromkeys(_ONE_PATH, _one),
    **dict.fromkeys(_TWO_PATHS, _two),
    **dict.fromkeys(_LIBRARIES, _library),
    "open": _open,
    "sqlite3.connect": _database,
}


@cache
def listen() -> None:
    """Add the hook, once for the life of the process."""
    sys.addaudithook(_hook)
