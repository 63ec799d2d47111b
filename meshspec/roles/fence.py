"""The child's side of a fence: what a policy may not write, and whom it may not signal, refused and counted.

Loaded by path by :mod:`meshspec.roles.host`; standard library only, Python 3.9 and later.

Soundness: what CPython's audit events tell is refused before it happens. Misses: what C code does by itself.
"""

from __future__ import annotations

import os
import sys
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FIRST = (
    "os.chmod", "os.chown", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.setxattr", "os.truncate",
    "os.utime", "shutil.rmtree", "sqlite3.connect",
)  # fmt: skip
_FROM_FOLDER = ("os.chmod", "os.chown", "os.mkdir", "os.remove", "os.rmdir", "os.utime")
_SECOND = ("os.link", "os.rename", "os.symlink")


def _count(cells: memoryview, at: int) -> None:
    if cells[at + 3] > -(1 << 30) and cells[at] < 1 << 30:
        cells[at] += 1
        cells[at + 3] -= 1


def watch(folders: list[str], cells: memoryview) -> None:
    """Refuse, and count, what reaches beyond the policy: writing elsewhere, signals to others."""
    places = [os.path.realpath(folder) for folder in folders]
    places = [place for place in places if place != os.sep]
    realpath, fsdecode, getpid, count = os.path.realpath, os.fsdecode, os.getpid, _count

    def may(path: Any) -> bool:
        if isinstance(path, int):
            return True
        try:
            full = realpath(fsdecode(path))
        except (TypeError, ValueError):
            return True
        allowed = full == os.devnull or path in (":memory:", "") or f"{os.sep}__pycache__" in full
        return allowed or any(full == place or full.startswith(place + os.sep) for place in places)

    def folder_of(args: tuple[Any, ...]) -> Any:
        try:
            return os.path.join(os.readlink(f"/proc/self/fd/{args[-1]}"), fsdecode(args[0]))  # noqa: PTH115, PTH118
        except (OSError, TypeError, ValueError):
            return args[0]

    def hook(event: str, args: tuple[Any, ...]) -> None:
        paths: tuple[Any, ...] = ()
        if event == "open":
            path, mode, flags = args
            writes = any(c in mode for c in "wax+") if isinstance(mode, str) else bool((flags or 0) & _WRITES)
            paths = (path,) if writes else ()
        elif event in _FIRST or event in _SECOND:
            if event in _FROM_FOLDER and isinstance(args[-1], int) and args[-1] >= 0:  # a descriptor of a folder
                args = (folder_of(args), *args[1:])
            paths = (args[:1] if event in _FIRST else ()) + (args[1:2] if event in _SECOND else ())
        elif event == "os.killpg" or (event == "os.kill" and args[0] != getpid() and args[1]):  # 0 asks who lives
            count(cells, 3)
            raise PermissionError("it may not send signals to other processes while it is judged")
        for path in paths:
            if not may(path):
                count(cells, 2)
                raise PermissionError(f"it may not write outside its own folder while it is judged: {path!r}")

    sys.addaudithook(hook)
