"""Progress of long work: shown on a terminal, silent on a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

Progress = Callable[[str], None]


def silent(message: str) -> None:
    """Show nothing."""


def on_terminal() -> Progress:
    """A progress line on standard error, at most four times a second; silent where that is no terminal."""
    if not sys.stderr.isatty():
        return silent
    last = 0.0

    def show(message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 0.25 or not message:
            last = now
            sys.stderr.write("\r\x1b[K" + message[:78])
            sys.stderr.flush()

    return show
