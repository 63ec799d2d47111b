"""Which space a search is in: tuples while it is small, then packed states, stepped by a kernel or by NumPy."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import attrs

from meshspec.backends.layout import Layout
from meshspec.backends.space import Batch, Space
from meshspec.backends.symmetry import Symmetry, symmetry_of
from meshspec.engines.limits import TURNED_OFF, Options
from meshspec.engines.partial_order import PartialOrder, ample
from meshspec.errors import UsageError

GROWN = 8_000
"""From so many states held on it pays to load what steps packed ones."""

_CARRIED = 1 << 16  # states turned into tuples at a time


def symmetry_for(layout: Layout, options: Options) -> tuple[Symmetry | None, str]:
    """The symmetry to search with, and why there is none, or none for some of the sorts."""
    if not options.symmetry:
        return None, TURNED_OFF
    found = symmetry_of(layout)
    if isinstance(found, str):
        return None, found
    return found, "; ".join(f"{name}: {why}" for name, why in found.left_out.items())


def order_for(layout: Layout, symmetry: Symmetry | None, options: Options) -> tuple[PartialOrder | None, str]:
    """Which steps may be left out, and why none may where that was asked for."""
    if not options.partial_order:
        return None, ""
    found = ample(layout, symmetry)
    return (None, found) if isinstance(found, str) else (found, "")


def _kernel(layout: Layout, symmetry: Symmetry | None, options: Options) -> Space:
    if importlib.util.find_spec("numba") is None:  # asked before anything loads it, which takes a second
        raise UsageError("the kernel needs numba, which is not installed: pip install 'meshspec[fast]'")
    from meshspec.backends.kernel import RowSpace

    return RowSpace(layout, symmetry, workers=options.workers)


def _columns(layout: Layout, symmetry: Symmetry | None, options: Options) -> Space:
    from meshspec.backends.columns import ColumnSpace  # loads NumPy, which small searches do without

    return ColumnSpace(layout, symmetry)


Make = Callable[[Layout, "Symmetry | None", Options], Space]


@attrs.frozen
class Stage:
    """A space that a search moves to when it holds so many states."""

    states: int
    make: Make


def stages(options: Options) -> list[Stage]:
    """Where a search may go on, in order; it begins in the first that costs nothing, or in tuples.

    A space that was asked for is the only one. Where the kernel refuses or is not there, NumPy takes its place.
    """
    if options.space == "tuples":
        return []
    if options.space is not None:
        return [Stage(0, _kernel if options.space == "kernel" else _columns)]
    return [Stage(GROWN, _kernel), Stage(GROWN, _columns)]


def carried(old: Space, new: Space, batch: Batch) -> Batch:
    """States that one space holds, added to another in the same order."""
    size = old.size(batch)
    packing: Any = getattr(old, "packing", None)
    if packing is not None and old.symmetry is None and packing.fields == getattr(new, "packing").fields:  # noqa: B009
        return new.add(batch)  # the same words, and no symmetry of which each has a canonical form of its own
    parts = [
        new.add(new.pack(old.unpack(old.take(batch, range(begin, min(begin + _CARRIED, size))))))
        for begin in range(0, size, _CARRIED)
    ]
    return parts[0] if len(parts) == 1 else new.joined(parts)
