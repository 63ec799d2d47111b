"""Packed states stepped by NumPy: what explores fast where there is no numba."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from meshspec.backends.arrays import Lanes
from meshspec.backends.grounding import Grounding, first_failures, slices
from meshspec.backends.intervals import bounds_of
from meshspec.backends.layout import Layout, State
from meshspec.backends.moves import moves
from meshspec.backends.orbits import Orbits
from meshspec.backends.packed import PackedSpace
from meshspec.backends.packing import WORD, Packing, Rows
from meshspec.backends.sorted_runs import SortedRuns, contains, distinct, keys_of, rows_of
from meshspec.backends.space import Arguments, Batch, Odd, Stepped, Test
from meshspec.backends.symmetry import Symmetry
from meshspec.expr.nodes import Node

_REACHED = 1 << 22  # rows that steps may lead to before those that were met are dropped
_NOTHING: Any = np.empty(0, dtype=np.int64)


@attrs.frozen
class _Reached:
    """Where one path leads from some states of a slice: their indexes, and the rows, unless it is to nothing."""

    action: int
    sources: Any
    rows: Rows | None


class ColumnSpace(PackedSpace):
    """A batch is a NumPy array with one packed state a row; the states that are met are sorted arrays.

    ``bounds`` has the range of every int variable, by default what :func:`bounds_of` finds. A step to a value that
    its cell cannot hold is :class:`Odd`, also where the bounds were inferred. Raises
    :class:`meshspec.errors.UsageError` for an int without bounds, for a value that may leave 64 bits, and where a
    scope makes too much of a model.
    """

    name = "NumPy"

    def __init__(
        self, layout: Layout, symmetry: Symmetry | None = None, bounds: Mapping[str, range] | None = None
    ) -> None:
        super().__init__(layout, symmetry)
        bounds = bounds_of(layout) if bounds is None else bounds
        self.packing = Packing(layout, bounds, _blocks(Packing(layout, bounds), symmetry))
        self._grounding = Grounding(layout, self.packing)
        self._moves = moves(self._grounding)
        self._orbits = Orbits(self.packing, symmetry) if symmetry is not None else None
        self._actions = len(layout.ground_actions())
        self._met = SortedRuns()
        self._asked: tuple[Rows, Any] = (None, None)

    def pack(self, states: Sequence[State]) -> Batch:
        return self._canonical(self.packing.pack(states))

    def weights(self, batch: Batch) -> Sequence[int]:
        found: Any = np.ones(len(batch), dtype=np.int64)
        if self._orbits is not None:
            parts = [self._orbits.sizes(part) for _, part in slices(batch, self._grounding.lanes)]
            found = np.concatenate(parts) if parts else found
        return found  # type: ignore[no-any-return]  # an array is what a sequence of ints is here

    def add(self, batch: Batch) -> Batch:
        keys = keys_of(batch)
        order = np.argsort(keys, kind="stable")  # of equal ones the first comes first
        ordered = keys[order]
        first = np.ones(len(keys), dtype=np.bool_)
        first[1:] = ordered[1:] != ordered[:-1]
        new = order[first][self._met.absent(ordered[first])]
        self._met.insert(keys[new])
        return batch[np.sort(new)]

    def step(self, batch: Batch, weights: Sequence[int]) -> Stepped:
        counted: Any = np.asarray(weights)
        taken, new, odd, stuck = [0] * self._actions, list[Rows](), list[Odd](), list[Any]()
        for begin, part in slices(batch, self._grounding.lanes):
            here, idle, reached = counted[begin : begin + len(part)], np.ones(len(part), dtype=np.bool_), list[Rows]()
            for one in self._reached(part):
                taken[one.action] += int(here[one.sources].sum())
                idle[one.sources] = False
                if one.rows is None:
                    odd += [Odd(begin + int(source), one.action) for source in one.sources]
                else:
                    reached.append(one.rows)
                    if sum(map(len, reached)) > _REACHED:
                        reached = [rows_of(self._unmet(reached), self.packing.words)]
            stuck.append(begin + np.flatnonzero(idle))
            keys = self._unmet(reached)
            self._met.insert(keys)
            new.append(rows_of(keys, self.packing.words))
        odd.sort(key=lambda one: (one.source, one.action))
        ends: Any = np.concatenate([*stuck, _NOTHING])
        return Stepped(self.joined(new), ends, odd, taken)

    def leading(self, batch: Batch, targets: Batch) -> Sequence[int]:
        wanted = distinct(keys_of(targets))
        found: list[Any] = []
        for begin, part in slices(batch, self._grounding.lanes):
            leads = np.zeros(len(part), dtype=np.bool_)
            for one in self._reached(part):
                if one.rows is not None:
                    leads[one.sources] |= contains(wanted, keys_of(self._canonical(one.rows)))
            found.append(begin + np.flatnonzero(leads))
        joined: Any = np.concatenate([*found, _NOTHING])
        return joined  # type: ignore[no-any-return]  # an array is what a sequence of ints is here

    def member(self, state: State, batch: Batch) -> bool:
        if not self._holds(state):
            return False
        if self._asked[0] is not batch:  # the same batch is asked many times in a row
            self._asked = batch, distinct(keys_of(batch))
        return bool(contains(self._asked[1], keys_of(self.pack([state])))[0])

    def test(self, node: Node, arguments: Arguments) -> Test:
        return first_failures(self._grounding, node, arguments)

    def bytes_held(self) -> int:
        return self._met.nbytes

    # -- steps -------------------------------------------------------------------------------------------------

    def _reached(self, part: Rows) -> Iterator[_Reached]:
        """Every step from some states, path by path; what leaves its cell, and what raises, leads to nothing."""
        lanes = Lanes(part)
        for move in self._moves:
            sources = np.flatnonzero(np.broadcast_to(lanes.of(move.taken), lanes.size))
            if not len(sources):
                continue
            if move.becomes is None:
                yield _Reached(move.action, sources, None)
                continue
            chosen = lanes.at(sources)
            rows = move.becomes(chosen)
            if not move.leaves.known or move.leaves.value:
                leaves = np.broadcast_to(chosen.of(move.leaves), chosen.size)
                if leaves.any():
                    yield _Reached(move.action, sources[leaves], None)
                    sources, rows = sources[~leaves], rows[~leaves]
            yield _Reached(move.action, sources, rows)

    def _unmet(self, reached: Sequence[Rows]) -> Any:
        """The canonical forms of these that were not met before, in order, each once."""
        return self._met.missing(distinct(keys_of(self._canonical(self.joined(reached)))))

    def _canonical(self, rows: Rows) -> Rows:
        return self._orbits.canonical(rows) if self._orbits is not None and len(rows) else rows

    def _holds(self, state: State) -> bool:
        """Whether every value fits its cell."""
        return all(
            field.optional if value is None else field.lo <= value < field.lo + field.size
            for field, value in zip(self.packing.fields, state, strict=True)
        )


def _blocks(packing: Packing, symmetry: Symmetry | None) -> list[tuple[int, ...]]:
    """What a member owns lies side by side where a word holds it, so that columns are compared as a whole."""
    columns = symmetry.columns if symmetry is not None else ()
    every = [cells for members in columns for cells in members]
    return [cells for cells in every if sum(packing.fields[cell].width for cell in cells) < WORD]
