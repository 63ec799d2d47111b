"""How far an engine may go before its answer is UNDETERMINED."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import attrs

from meshspec.errors import UsageError

try:
    import resource
except ImportError:  # pragma: no cover  # Windows has no such module; memory is then not watched, and this is said
    resource = None  # type: ignore[assignment]

INTERRUPTED = "interrupted"


@attrs.frozen
class Limits:
    """Bounds of a search: distinct states, and bytes of memory that it may add to the process."""

    max_states: int = 1_000_000
    max_memory: int = 4 * 10**9

    def __attrs_post_init__(self) -> None:
        if self.max_states < 1 or self.max_memory < 1:
            raise UsageError("--max-states and --max-memory must be at least 1")


def memory_now() -> int:
    """The memory this process holds, in bytes: its peak where the system tells no more, 0 where it tells nothing."""
    try:
        with Path("/proc/self/statm").open("rb") as told:
            return int(told.read().split()[1]) * mmap.PAGESIZE
    except OSError:
        pass
    if resource is None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def memory(text: str) -> int:
    """Read ``4G``, ``500M``, ``1000000`` as bytes.

    >>> memory("500M")
    500000000
    """
    units = {"K": 10**3, "M": 10**6, "G": 10**9}
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].upper() in units else (text, "")
    try:
        return int(float(number) * units.get(unit, 1))
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is no amount of memory: write 4G, 500M or a number of bytes") from None
