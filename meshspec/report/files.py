"""Files that a command was asked to write: refused before anything runs, and never left half written."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from meshspec.errors import UsageError

_LOOKED_AT = 400


def refuse_unwritable(path: Path, mark: str) -> None:
    """Raise :class:`UsageError`, before anything runs, for a file that could not be written afterwards.

    A file that is there is only replaced if it begins like one of ours: `mark` stands in its first lines.
    """
    try:
        if path.is_file():
            if (head := _head(path)) and mark.encode() not in head:
                raise UsageError(
                    f"{path} is there already and is no report, so it is not overwritten: name another file"
                )
            with path.open("ab"):
                return
        if path.exists() and not path.is_dir():
            return  # a device or a pipe: whoever named it knows
        if path.is_dir():
            raise UsageError(f"{path} cannot be written: it is a folder")
        with tempfile.NamedTemporaryFile(prefix=".meshspec-", dir=path.parent):
            return
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


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
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
