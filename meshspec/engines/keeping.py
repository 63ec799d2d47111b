"""Keeping: when an exploration is written to its checkpoint, and how it is taken up from there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from meshspec.backends.layout import State
from meshspec.backends.symmetry import Symmetry
from meshspec.engines.checkpoint import Layer, Pace, described, discard, load, refuse_unwritable, save
from meshspec.engines.exploration import Exploration, Found
from meshspec.engines.limits import INTERRUPTED, Options
from meshspec.errors import UsageError

_WRITTEN = 1 << 14  # states turned into tuples at a time


class Keeper:
    """Keeps the finished layers of one exploration in a file, or does nothing where none is asked for.

    Raises :class:`UsageError` for a file that cannot be written or is no checkpoint of this exploration.
    """

    def __init__(self, result: Exploration, symmetry: Symmetry | None, options: Options) -> None:
        self.result, self.path = result, options.checkpoint
        self.layers: list[Layer] = []  # without their states, which the exploration holds
        self.pace = Pace(time.monotonic())
        if self.path is not None:
            ways = {"partial order": "on" if options.partial_order else "off"}
            self.about = described(result.layout, symmetry, ways)
            refuse_unwritable(self.path)

    def kept(self) -> Sequence[Layer]:
        """The layers that an earlier exploration finished; none where there is no file yet."""
        return (load(self.path, self.about, self.result.layout) or ()) if self.path is not None else ()

    def took_in(self, found: Found, count: int) -> None:
        """A layer is finished; now and then all of them are written."""
        if self.path is None or self.result.cut:
            return
        self.layers.append(
            Layer((), count, found.taken, found.stuck, found.deadlocks, found.raising, found.outside, found.closed)
        )
        begin = time.monotonic()
        if self.pace.due(begin):
            self._write(self.path)
            self.pace.wrote(begin, time.monotonic())

    def finish(self) -> None:
        """The end: an exploration that was cut is written, one that is complete needs its file no more."""
        if self.path is None:
            return
        if not self.result.complete:
            if self.layers and self._write(self.path):
                more = "" if self.result.cut == INTERRUPTED else " with a higher bound"
                self.result.kept = f"kept in {self.path}: the same command{more} goes on from there"
            return
        try:
            discard(self.path)
        except UsageError as error:
            self.result.kept = str(error)

    def _write(self, path: Path) -> bool:
        """Whether it could be written; where not, the exploration goes on, and says so at its end."""
        try:
            save(path, self.about, self._whole())
        except UsageError as error:
            self.result.kept = str(error)
            return False
        self.result.kept = ""
        return True

    def _whole(self) -> Iterator[Layer]:
        for depth, layer in enumerate(self.layers):
            yield attrs.evolve(layer, states=self._states(depth))

    def _states(self, depth: int) -> Iterator[list[State]]:
        space, layers = self.result.space, self.result.layers
        if depth < len(layers):  # the last one may have nothing but states in which a Range is left
            size = space.size(layers[depth])
            for begin in range(0, size, _WRITTEN):
                yield space.unpack(space.take(layers[depth], range(begin, min(begin + _WRITTEN, size))))
