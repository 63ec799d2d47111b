"""Files that a command was asked to write: refused before anything runs, and never left half written."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
import tempfile
import threading
from collections.abc import Generator, Mapping
from pathlib import Path

from meshspec.errors import UsageError

_LOOKED_AT = 400
_ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

_BEGIN = {
    "json": rb'\{\s*"format": "meshspec-report"',
    "diff": rb'\{\s*"format": "meshspec-diff"',
    "claims": rb'\{\s*"claims": \[\s*[{\]]',
    "junit": rb'<\?xml [^>]*\?>\s*<testsuites name="meshspec"',
    "sarif": rb'\{\s*"\$schema": "[^"]*",\s*"version": "[^"]*",\s*"runs": \[\s*'
    rb'\{\s*"tool": \{\s*"driver": \{\s*"name": "meshspec"',
    "markdown": rb"<!-- meshspec report -->\r?\n",
}
"""How a file of each kind begins, if it is one of ours."""


def refuse_unwritable(path: Path, kind: str) -> None:
    """Raise :class:`UsageError`, before anything runs, for a file that could not be written afterwards.

    A file that is there is only replaced if it is empty or begins like one of ours of that `kind`; Python's never.
    """
    try:
        if path.is_dir():
            raise UsageError(f"{path} cannot be written: it is a folder")
        if any(one.suffix.lower() == ".py" for one in (path, path.resolve())):
            raise UsageError(f"{path} is not written: a report is no Python file, and a model may be; name another")
        if path.is_file():
            if (head := _head(path)) and not re.match(_BEGIN[kind], head):
                raise UsageError(
                    f"{path} is there already and is no report of this kind, so it is not overwritten: "
                    "name another file"
                )
            with path.open("ab"):
                return
        if path.exists():
            _refuse_special(path)
            return
        try_folder(path.parent)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    except (ValueError, RuntimeError) as error:  # no name that a file can have; links in a circle
        raise UsageError(f"{path} cannot be written: {error}") from None


def _refuse_special(path: Path) -> None:
    """A device may be written, and a pipe that somebody handed us as open; a named one may wait for ever."""
    mode = path.stat().st_mode
    if stat.S_ISCHR(mode) or (stat.S_ISFIFO(mode) and Path(os.path.abspath(path)).is_relative_to("/dev")):  # noqa: PTH100  # links stay as they are
        return
    what = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device that holds data"
    raise UsageError(f"{path} cannot be written: it is a {what}; name a file, or /dev/stdout")


def refuse_same(named: Mapping[str, Path]) -> None:
    """Raise :class:`UsageError` where two options name one file: the second would replace what the first wrote."""
    options = [(option, path) for option, path in named.items() if not path.exists() or path.is_file()]
    for number, (option, path) in enumerate(options):
        for other, earlier in options[:number]:
            if _same(earlier, path):
                raise UsageError(f"{other} {earlier} and {option} {path} name one file: give each its own")


def _same(one: Path, other: Path) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there yet
        return False


def try_folder(folder: Path) -> None:
    """Raise :class:`OSError` where no file can be made in a folder; leaves none there."""
    with undisturbed(), tempfile.NamedTemporaryFile(prefix=".meshspec-", dir=folder):
        pass


@contextlib.contextmanager
def undisturbed() -> Generator[None, None, None]:
    """Ctrl-C waits until a file that has no name yet has got it, or is gone.

    By the handlers and not by the mask of signals: another thread would take what this one masks.
    """
    if threading.current_thread() is not threading.main_thread():  # no handler runs in another
        yield
        return
    held: list[int] = []
    before = {number: handler for number in _ENDS if callable(handler := signal.getsignal(number))}
    for number in before:
        signal.signal(number, lambda got, _: held.append(got))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in held:
            signal.raise_signal(number)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_LOOKED_AT)


def write(path: Path, content: str) -> None:
    """Write a file in one step: beside its place, then moved there.

    Raises :class:`UsageError` where that cannot be done; what was there before is then as it was.
    """
    data = content.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        place = path.resolve()  # of a link, the file that it points to
        with undisturbed():
            _write_beside(place, data)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def _write_beside(place: Path, data: bytes) -> None:
    handle, beside = tempfile.mkstemp(prefix=".meshspec-", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mode = place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask()
        Path(beside).chmod(mode)
        Path(beside).replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(beside).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
