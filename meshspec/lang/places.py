"""Where something stands in a user's file."""

from __future__ import annotations

import inspect
import os
import sysconfig
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import FrameType

import attrs

from meshspec.errors import Where

_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep
_SHIPPED = tuple(_PACKAGE + name + os.sep for name in ("models", "properties", "roles", "adapters"))
_ATTRS = str(Path(attrs.__file__).resolve().parent.parent / "attr") + os.sep  # runs inside our own nodes
_PYTEST = tuple(
    f"{os.sep}{name}{os.sep}" for name in ("_pytest", "pluggy")
)  # run inside the asserts of a test module
_STDLIB = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})


def is_ours(file: str) -> bool:
    """Whether a file belongs to the toolkit itself (a shipped model does not: it is read like a user's)."""
    return file.startswith(_PACKAGE) and not file.startswith(_SHIPPED)


@lru_cache(maxsize=1 << 12)
def is_authors(file: str) -> bool:
    """Whether a file may hold an author's code: not ours, not the standard library's, not built in."""
    if file.startswith("<") and not file.startswith("<ipython"):
        return False
    return (
        not is_ours(file)
        and not file.startswith(_ATTRS)
        and not any(part in file for part in _PYTEST)
        and (not file.startswith(_STDLIB) or "site-packages" in file)
    )


def is_installed(file: str) -> bool:
    """Whether a file was installed as a package, and is no part of the toolkit."""
    return bool(_package(file)) and not file.startswith(_PACKAGE)


def same_package(file: str, other: str) -> bool:
    """Whether two files were installed as parts of one package or module."""
    return bool(_package(file)) and _package(file) == _package(other)


@lru_cache(maxsize=1 << 12)
def _package(file: str) -> str:
    """The path of the installed package or module that a file is part of, or nothing."""
    for folder in ("site-packages", "dist-packages"):
        before, found, after = file.rpartition(f"{os.sep}{folder}{os.sep}")
        if found:
            return f"{before}{found}{after.partition(os.sep)[0]}"
    return ""


_cells: list[Mapping[str, object]] = []  # of a notebook: the number of the cell by the name of its code's file


def number_cells(numbers: Mapping[str, object]) -> None:
    """From now on name the code of a notebook's cells by these numbers, ``In[3]``; the mapping may grow."""
    _cells[:] = [numbers]


def shown(file: str) -> str:
    """A path as messages print it: relative where the file lies below the present folder."""
    for numbers in _cells:
        if (number := numbers.get(file)) is not None:
            return f"In[{number}]"
    return _below(file, here())


def here() -> str:
    """The present folder; empty where it is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


@lru_cache(maxsize=1 << 12)
def _below(file: str, folder: str) -> str:
    try:
        return str(Path(file).relative_to(folder))
    except ValueError:
        return file


def where_is(thing: object) -> Where:
    """Where a class or function is written; a place without a line, and without a text, when it has no source."""
    try:
        target = inspect.unwrap(thing) if callable(thing) else thing
        if inspect.isfunction(target):
            return Where(shown(target.__code__.co_filename), target.__code__.co_firstlineno)
        file = inspect.getsourcefile(thing)  # type: ignore[arg-type]  # a TypeError is caught below
        _, line = inspect.getsourcelines(thing)  # type: ignore[arg-type]  # likewise
    except (TypeError, OSError):
        return Where("<unknown>", 0)
    return Where(shown(file or "<unknown>"), line)


def _authors_frame() -> FrameType | None:
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and not is_authors(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def where_now() -> Where | None:
    """The innermost frame that runs an author's code."""
    frame = _authors_frame()
    return Where(shown(frame.f_code.co_filename), frame.f_lineno) if frame is not None else None


def call_site() -> str:
    """The call that an author's code is making now: two on one line are told apart.

    For instance ``ledger.py:12`` and where in that line's code, ``ledger.py:12#88``.
    """
    frame = _authors_frame()
    return f"{shown(frame.f_code.co_filename)}:{frame.f_lineno}#{frame.f_lasti}" if frame is not None else ""


def where_raised(error: BaseException) -> Where | None:
    """The innermost line of an author's code that an exception came through."""
    found, trace = None, error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if is_authors(file):
            found = Where(shown(file), trace.tb_lineno)
        trace = trace.tb_next
    return found
