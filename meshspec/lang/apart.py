"""Where an author's prints go: apart from our own output."""

from __future__ import annotations

import io
from typing import Any, NoReturn

_KEPT = 200  # bytes of what was printed


class Sink(io.RawIOBase):
    """Counts what is written, and keeps its beginning."""

    def __init__(self) -> None:
        super().__init__()
        self.count, self.start = 0, b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        size = len(data)
        self.count += size
        if len(self.start) < _KEPT:
            self.start += bytes(data[: _KEPT - len(self.start)])
        return size

    def close(self) -> None:
        """Stays open: every later call of an author's code prints here too."""


class _Buffer(io.BufferedWriter):
    def close(self) -> None:
        self.flush()

    def detach(self) -> NoReturn:
        raise io.UnsupportedOperation("detach")


class Aside(io.TextIOWrapper):
    """What ``sys.stdout`` and ``sys.stderr`` are while an author's code runs; it cannot be closed or taken apart."""

    def __init__(self, sink: Sink) -> None:
        super().__init__(_Buffer(sink), "utf-8", "backslashreplace", write_through=True)

    def close(self) -> None:
        """Stays open, as its :class:`Sink` does."""
        self.flush()

    def detach(self) -> NoReturn:
        raise io.UnsupportedOperation("detach")
