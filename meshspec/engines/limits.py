"""How far an engine may go before its answer is UNDETERMINED, and by what means a search goes there."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path
from typing import Any

import attrs

from meshspec.errors import UsageError

try:
    import resource
except ImportError:  # pragma: no cover  # Windows has no such module; memory is then not watched, and this is said
    resource = None  # type: ignore[assignment]

INTERRUPTED = "interrupted"
MUTANTS = 12  # how many small changes of a model `check` tries
LEAST_MEMORY = 1_000_000  # less holds no state, with what belongs to it
TURNED_OFF = "it was turned off"


@attrs.frozen
class Limits:
    """Bounds of a search: states held (under symmetry orbits), and bytes of memory it may add to the process."""

    max_states: int = 1_000_000
    max_memory: int = 4 * 10**9

    def __attrs_post_init__(self) -> None:
        if self.max_states < 1 or self.max_memory < 1:
            raise UsageError("--max-states and --max-memory must be at least 1")


@attrs.frozen
class Driving:
    """What `drive` is told.

    Attributes:
        examples, steps: how many examples, and how long each may be.
        against: the :class:`meshspec.engines.beside.Implementation` to drive beside the model, if any.
        path: the only actions to take, as counterexamples print them, from the initial state numbered `start`.
    """

    examples: int = 100
    steps: int = 50
    against: Any = None
    path: tuple[str, ...] | None = None
    start: int = 0


SPACES = ("tuples", "numpy", "kernel")


@attrs.frozen
class Options:
    """By what means a search goes: none of them changes an answer.

    Attributes:
        symmetry: visit one state of each orbit where that is sound.
        space: how states are held, one of :data:`SPACES`; ``None`` begins with tuples and packs what grows.
        workers: how many threads step packed states.
        counterexamples: how many that end in different states (orbits) to collect for each refuted property.
        partial_order: leave out interleavings where that is sound.
        checkpoint: the file that an unfinished search is kept in, and taken up from.
    """

    symmetry: bool = True
    space: str | None = None
    workers: int = 1
    counterexamples: int = 1
    partial_order: bool = False
    checkpoint: Path | None = None

    def __attrs_post_init__(self) -> None:
        if self.space is not None and self.space not in SPACES:
            raise UsageError(f"--space {self.space}: write {', '.join(SPACES[:-1])} or {SPACES[-1]}")
        for option, given in (("--workers", self.workers), ("--counterexamples", self.counterexamples)):
            if given < 1:
                raise UsageError(f"{option} must be at least 1")
        if self.partial_order and (self.space not in (None, "tuples") or self.workers > 1):
            raise UsageError("--partial-order chooses among the steps of tuples: leave --space and --workers out")
        if self.workers > 1 and self.space not in (None, "kernel"):
            raise UsageError(f"--workers {self.workers}: only the kernel has several, not --space {self.space}")


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
