"""How far an engine may go before its answer is UNDETERMINED."""

from __future__ import annotations

import attrs

from meshspec.errors import UsageError

try:
    import resource
except ImportError:  # pragma: no cover  # Windows has no such module; memory is then not watched, and this is said
    resource = None  # type: ignore[assignment]


@attrs.frozen
class Limits:
    """Bounds of a search: distinct states, and bytes of memory that it may add to the process."""

    max_states: int = 1_000_000
    max_memory: int = 4 << 30

    def __attrs_post_init__(self) -> None:
        if self.max_states < 1 or self.max_memory < 1:
            raise UsageError("--max-states and --max-memory must be at least 1")


def peak_memory() -> int:
    """The peak memory of this process so far, in bytes; 0 where the system does not tell."""
    if resource is None:
        return 0
    import sys

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
