"""Certificates on disk: that a model was certified once need not be found out again.

One small file for each key, in ``$MESHSPEC_CACHE``, else ``$XDG_CACHE_HOME/meshspec``, else ``~/.cache/meshspec``;
with ``MESHSPEC_CACHE=off`` there is none. Only a success is ever written. A file that is malformed, cut short, of
another key, of another user or writable by others is taken for absent, and a folder that cannot be used is no error:
the model is certified again, and the answer is the same. What the key stands for is
:mod:`meshspec.backends.fingerprint`'s to say.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

FORMAT = 1
MAX_ENTRIES = 500
MAX_BYTES = 1 << 18  # of one entry; a certificate is a few thousand
_SUFFIX = ".certificate.json"


def folder() -> Path | None:
    """Where certificates are kept, or ``None`` where none are wanted."""
    asked = os.environ.get("MESHSPEC_CACHE", "")
    if asked == "off":
        return None
    if asked:
        return Path(asked)
    shared = os.environ.get("XDG_CACHE_HOME", "")
    if Path(shared).is_absolute():
        return Path(shared) / "meshspec"
    home = os.environ.get("HOME") or os.environ.get("USERPROFILE")
    return Path(home) / ".cache" / "meshspec" if home else None


def recall(key: str) -> Mapping[str, object] | None:
    """The record of the certificate under this key, if there is one that can be believed."""
    place = folder()
    if place is None:
        return None
    try:
        with _opened(place / f"{key}{_SUFFIX}") as file:
            if not (_mine(os.fstat(file.fileno())) and _mine(place.stat())):
                return None
            data = file.read(MAX_BYTES + 1)
            with contextlib.suppress(OSError):
                os.utime(file.fileno())  # the oldest that nobody asks for goes first
    except (OSError, ValueError, NotImplementedError):
        return None
    return _believed(data, key) if len(data) <= MAX_BYTES else None


def remember(key: str, record: Mapping[str, object]) -> None:
    """Keep the record of a success; where that cannot be done, nothing happens."""
    place = folder()
    if place is None:
        return
    temporary = ""
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _mine(place.stat()):
            return
        number, temporary = tempfile.mkstemp(dir=place, prefix="new-", suffix=_SUFFIX)
        with os.fdopen(number, "wb") as file:
            file.write(_sealed(key, record))
        Path(temporary).replace(place / f"{key}{_SUFFIX}")  # at once or not at all
        _prune(place)
    except (OSError, ValueError):
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _opened(path: Path) -> Any:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.fdopen(os.open(path, flags), "rb")


def _mine(found: os.stat_result) -> bool:
    """Whether a file or folder is ours and can be changed by nobody else."""
    if not hasattr(os, "getuid"):
        return True  # no such thing as an owner's number here
    plain = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return plain and found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _sealed(key: str, record: Mapping[str, object]) -> bytes:
    body = {"format": FORMAT, "key": key, "certificate": record}
    return json.dumps({**body, "checksum": checksum(body)}, indent=1).encode()


def checksum(body: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _believed(data: bytes, key: str) -> Mapping[str, object] | None:
    try:
        read: object = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    body = dict(cast("dict[str, object]", read))
    try:
        sealed = body.pop("checksum", None) == checksum(body)
    except (ValueError, RecursionError):
        return None
    record = body.get("certificate")
    known = sealed and body.get("format") == FORMAT and body.get("key") == key
    return cast("dict[str, object]", record) if known and isinstance(record, dict) else None


def _prune(place: Path) -> None:
    """Drop the entries that were asked for longest ago, down to three quarters of what may be kept."""
    entries = [entry for entry in os.scandir(place) if entry.name.endswith(_SUFFIX)]
    if len(entries) <= MAX_ENTRIES:
        return
    ages: list[tuple[float, str]] = []
    for entry in entries:
        with contextlib.suppress(OSError):  # another process dropped it
            ages.append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
    for _, path in sorted(ages)[: len(entries) - MAX_ENTRIES * 3 // 4]:
        Path(path).unlink(missing_ok=True)
