"""Where an author's prints go: apart from our own output."""

from __future__ import annotations

import io
from typing import Any

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
