"""Packed states stepped by rows and a kernel: the space for large searches.

Each worker keeps a share of the states in a table of its own, told apart by their hash; which states are new does not
depend on how many workers there are, only their order does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from meshspec.backends.compiled import Kernel, available, load, unavailable
from meshspec.backends.dispatch import tables_of
from meshspec.backends.grounding import Grounding, first_failures
from meshspec.backends.intervals import bounds_of
from meshspec.backends.layout import Layout, State
from meshspec.backends.orbits import Orbits
from meshspec.backends.packed import PackedSpace
from meshspec.backends.packing import Packing, Rows
from meshspec.backends.rows import Lowering
from meshspec.backends.space import Arguments, Batch, Odd, Stepped, Test
from meshspec.backends.symmetry import Symmetry
from meshspec.errors import Disagreement, UsageError
from meshspec.expr.nodes import Node

__all__ = ["RowSpace", "available", "unavailable"]

FACTOR = 0x9E3779B97F4A7C15
"""Of the hash: odd, its bits without a pattern (the golden ratio)."""

_FULL = 0.55  # how full a table may be
_GROWTH = 1.6  # it is 0.34 full then: at one word a state, 23 bytes for each state
_BUFFER = 1 << 15  # successors between two visits to the table: they stay in the cache
_TOGETHER = 1 << 17  # the same where workers wait for each other in between
_DIGIT = 24  # bits of a weight that are added up at once where sums would leave 64 bits
_ALONE = 512  # fewer states than this are not worth a second thread


class _Table:
    """An exact set of packed states."""

    def __init__(self, kernel: Kernel, words: int, factor: Any, slots: int = 1 << 12) -> None:
        self.kernel, self.words, self.factor = kernel, words, factor
        self.slots: Any = np.zeros(slots * words, dtype=np.uint64)
        self.held = 0

    def insert(self, states: Rows, count: int, scratch: Any, new: _Pile) -> None:
        """Remember the first `count` states; those not met before go on the pile."""
        begin = 0
        while True:
            room = int(len(self.slots) // self.words * _FULL) - self.held
            new.ensure(min(room, count - begin))
            most = new.size + room
            begin, size = self.kernel.insert(
                self.slots, states, begin, count, self.words, self.factor, scratch, new.flat, new.size, most
            )
            self.held += size - new.size
            new.size = size
            if begin == count:
                return
            self._grow()

    def _grow(self) -> None:
        slots = len(self.slots) // self.words
        larger = int(slots * (4 if slots < 1 << 20 else _GROWTH))
        old, self.slots = self.slots, np.zeros(larger * self.words, dtype=np.uint64)
        dump, scratch = np.empty(_BUFFER * self.words, dtype=np.uint64), np.empty(_BUFFER, dtype=np.uint32)
        for begin in range(0, slots, _BUFFER):
            part = old[begin * self.words : (begin + _BUFFER) * self.words]
            many = len(part) // self.words
            self.kernel.insert(self.slots, part, 0, many, self.words, self.factor, scratch, dump, 0, many)


class _Pile:
    """States that were found to be new, in order."""

    def __init__(self, words: int) -> None:
        self.words, self.size = words, 0
        self.flat: Any = np.empty(words << 10, dtype=np.uint64)

    def ensure(self, more: int) -> None:
        wanted = (self.size + more) * self.words
        if wanted > len(self.flat):
            larger = np.empty(2 * wanted, dtype=np.uint64)
            larger[: self.size * self.words] = self.flat[: self.size * self.words]
            self.flat = larger

    def taken(self) -> Rows:
        found = self.flat[: self.size * self.words].reshape(self.size, self.words).copy()
        self.size = 0
        return found


class _Worker:
    """What one thread works in, made once."""

    def __init__(self, words: int, room: int, sums: int, actions: int, shards: int) -> None:
        self.out: Any = np.empty(room * words, dtype=np.uint64)
        self.shared: Any = np.empty(room * words, dtype=np.uint64) if shards > 1 else self.out
        self.source: Any = np.empty(room, dtype=np.int32)
        self.scratch: Any = np.empty(room, dtype=np.uint32)
        self.odd: Any = np.empty(2 * (2 * actions + 1024), dtype=np.int64)
        self.added: Any = np.zeros(sums, dtype=np.int64)
        self.stamps: Any = np.empty(sums, dtype=np.int64)
        self.taken: Any = np.zeros(actions, dtype=np.int64)
        self.counts: Any = np.zeros(3, dtype=np.int64)
        self.ends: Any = np.zeros(shards + 1, dtype=np.int64)
        self.stuck: Any = np.empty(0, dtype=np.int64)
        self.at = self.end = 0
        self.found: tuple[list[Any], list[Any]] = [], []


class RowSpace(PackedSpace):
    """A batch is a NumPy array with one packed state a row; what is met is kept in open-addressing tables.

    ``bounds`` has the range of every int variable, by default what :func:`bounds_of` finds. Raises
    :class:`meshspec.errors.UsageError` without numba, for an int without bounds, and for a ground action that takes
    too many rows; :class:`Disagreement` where a step leaves bounds that were inferred.
    """

    name = "rows and kernel"

    def __init__(
        self,
        layout: Layout,
        symmetry: Symmetry | None = None,
        bounds: Mapping[str, range] | None = None,
        workers: int = 1,
        factor: int = FACTOR,
    ) -> None:
        super().__init__(layout, symmetry)
        if not available():
            raise UsageError(f"no kernel: {unavailable()}")
        blocks = [cells for members in symmetry.columns for cells in members] if symmetry is not None else []
        self.packing = Packing(layout, bounds_of(layout) if bounds is None else bounds, blocks)
        self.rows = Lowering(layout, self.packing).rows
        self._tables = tables_of(self.rows, self.packing)
        self._kernel = load()
        self._factor = np.uint64(factor)
        self._grounding: Grounding | None = None
        self._orbits = _Orbits(self._kernel, self.packing, symmetry) if symmetry is not None else None
        words, actions = self.packing.words, len(layout.ground_actions())
        room = max(_BUFFER if workers == 1 else _TOGETHER, 2 * actions)
        self._shards = [_Table(self._kernel, words, self._factor) for _ in range(workers)]
        self._piles = [_Pile(words) for _ in range(workers)]
        self._workers = [_Worker(words, room, len(self._tables.sums) // 2, actions, workers) for _ in range(workers)]
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self._asked: tuple[Any, _Table | None] = (None, None)

    # -- batches ---------------------------------------------------------------------------------------------------

    def pack(self, states: Sequence[State]) -> Batch:
        rows = self.packing.pack(states)
        if self._orbits is not None:
            self._orbits.canonical(_flat(rows), len(rows))
        return rows

    def weights(self, batch: Batch) -> Sequence[int]:
        found: Any = np.ones(len(batch), dtype=np.int64) if self._orbits is None else self._orbits.sizes(batch)
        return found  # type: ignore[no-any-return]  # an array is what a sequence of ints is here

    def member(self, state: State, batch: Batch) -> bool:
        if not all(
            field.optional if value is None else field.lo <= value < field.lo + field.size
            for field, value in zip(self.packing.fields, state, strict=True)
        ):
            return False
        if self._asked[0] is not batch:  # the same batch is asked many times in a row
            self._asked = batch, self._table(batch)
        table, row, found = self._asked[1], self.pack([state]), np.zeros(1, dtype=np.bool_)
        assert table is not None
        self._kernel.find(table.slots, _flat(row), 1, self.packing.words, self._factor, _places(1), found)
        return bool(found[0])

    def test(self, node: Node, arguments: Arguments) -> Test:
        if self._grounding is None:
            self._grounding = Grounding(self.layout, self.packing)
        return first_failures(self._grounding, node, arguments)

    def shares(self) -> list[int]:
        """How many states each worker keeps."""
        return [table.held for table in self._shards]

    def bytes_held(self) -> int:
        return sum(table.slots.nbytes for table in self._shards)

    # -- steps -----------------------------------------------------------------------------------------------------

    def add(self, batch: Batch) -> Batch:
        if len(self._shards) == 1:
            self._shards[0].insert(_flat(batch), len(batch), np.empty(len(batch), dtype=np.uint32), self._piles[0])
            return self._piles[0].taken()
        first = self._table(batch[:0])
        pile, scratch = _Pile(self.packing.words), np.empty(len(batch), dtype=np.uint32)
        first.insert(_flat(batch), len(batch), scratch, pile)
        once = pile.taken()
        known, words = np.zeros(len(once), dtype=np.bool_), self.packing.words
        for table in self._shards:
            self._kernel.find(table.slots, _flat(once), len(once), words, self._factor, _places(len(once)), known)
        shared, ends = np.empty_like(_flat(once)), np.zeros(len(self._shards) + 1, dtype=np.int64)
        self._kernel.share(_flat(once), len(once), words, self._factor, len(self._shards), shared, ends)
        for number, table in enumerate(self._shards):
            part = shared[ends[number] * words : ends[number + 1] * words]
            table.insert(part, len(part) // words, scratch, self._piles[number])
            self._piles[number].taken()
        return once[~known]

    def step(self, batch: Batch, weights: Sequence[int]) -> Stepped:
        first, *more = _digits(weights)
        odd, stuck = list[Any](), list[Any]()
        self._taken()
        for _ in self._rounds(batch, first, odd, stuck):
            self._all(self._keep, range(len(self._shards)), len(batch))
        taken = self._taken()
        for place, digit in enumerate(more, 1):  # only sums beyond 64 bits have any
            for _ in self._rounds(batch, digit, [], [], share=False):
                pass
            taken = [before + (here << place * _DIGIT) for before, here in zip(taken, self._taken(), strict=True)]
        new = self.joined([pile.taken() for pile in self._piles])
        idle: Any = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *stuck]))
        return Stepped(new, idle, self._odd(odd), taken)

    def _taken(self) -> list[int]:
        """How often each ground action was taken since this was last asked."""
        total: Any = np.sum([worker.taken for worker in self._workers], axis=0)
        for worker in self._workers:
            worker.taken[:] = 0
        found: list[int] = total.tolist()
        return found

    def leading(self, batch: Batch, targets: Batch) -> Sequence[int]:
        table, found = self._table(targets), np.zeros(len(batch), dtype=np.bool_)
        words = self.packing.words

        def find(number: int) -> None:
            worker = self._workers[number]
            count = int(worker.counts[0])
            self._kernel.find(table.slots, worker.out, count, words, self._factor, worker.source, found)

        for _ in self._rounds(batch, np.zeros(len(batch), dtype=np.int64), [], [], share=False):
            self._all(find, range(len(self._workers)), len(batch))
        leads: Any = np.flatnonzero(found)
        return leads  # type: ignore[no-any-return]  # an array is what a sequence of ints is here

    def _rounds(
        self, batch: Batch, weights: Any, odd: list[Any], stuck: list[Any], share: bool = True
    ) -> Iterator[None]:
        """Expand the batch, each worker a slice of it, as far as its buffer goes; yields when all have done so."""
        workers, total = self._workers, len(batch)
        flat = _flat(batch)
        for number, worker in enumerate(workers):
            worker.at, worker.end = total * number // len(workers), total * (number + 1) // len(workers)
            worker.stamps[:] = -1
            worker.stuck = np.empty(worker.end - worker.at, dtype=np.int64)

        def expand(number: int) -> None:
            self._expand(workers[number], flat, weights, share)

        while any(worker.at < worker.end for worker in workers):
            self._all(expand, range(len(workers)), total)
            for worker in workers:
                odd.append(worker.odd[: 2 * worker.counts[1]].reshape(-1, 2).copy())
                stuck.append(worker.stuck[: worker.counts[2]].copy())
            yield

    def _expand(self, worker: _Worker, flat: Any, weights: Any, share: bool) -> None:
        t, words = self._tables, self.packing.words
        worker.at = self._kernel.expand(
            flat, worker.at, worker.end, weights, words, t.groups, t.windows, t.starts, t.listing, t.rows, t.parts,
            t.checks, t.guards, t.sums, t.moves, t.terms, t.coefficients, t.tables, worker.added, worker.stamps,
            worker.out, worker.source, worker.odd, worker.stuck, worker.taken, worker.counts,
        )  # fmt: skip
        count = int(worker.counts[0])
        if self._orbits is not None:
            self._orbits.canonical(worker.out, count)
        if len(self._shards) > 1 and share:
            self._kernel.share(worker.out, count, words, self._factor, len(self._shards), worker.shared, worker.ends)
        else:
            worker.ends[1] = count

    def _keep(self, shard: int) -> None:
        """Put what every worker found for one shard into its table."""
        for worker in self._workers:
            words, begin, end = self.packing.words, int(worker.ends[shard]), int(worker.ends[shard + 1])
            part = worker.shared[begin * words : end * words]
            self._shards[shard].insert(part, end - begin, self._workers[shard].scratch, self._piles[shard])

    def _all(self, work: Callable[[int], None], numbers: Sequence[int], size: int) -> None:
        if self._pool is None or size < _ALONE:
            for number in numbers:
                work(number)
        else:
            for _ in self._pool.map(work, numbers):
                pass

    def _odd(self, found: Sequence[Any]) -> list[Odd]:
        steps: list[Odd] = []
        edges: list[tuple[int, int]] = [tuple(edge) for part in found for edge in part.tolist()]
        for source, number in edges:
            row = self.rows[number]
            if row.leaves >= 0 and self.layout.cells[row.leaves].variable.range is None:
                lifted, arguments = self.layout.ground_actions()[row.action]
                told = f"{lifted.called(arguments)} takes {self.layout.cells[row.leaves]}"
                raise Disagreement(f"{told} out of the bounds that were inferred for it")
            steps.append(Odd(source, row.action))
        return sorted(steps, key=lambda one: (one.source, one.action))

    def _table(self, batch: Batch) -> _Table:
        """A table of its own for a batch."""
        words = self.packing.words
        table = _Table(self._kernel, words, self._factor, max(16, 2 * len(batch)))
        table.insert(_flat(batch), len(batch), np.empty(len(batch), dtype=np.uint32), _Pile(words))
        return table


def _digits(weights: Sequence[int]) -> list[Any]:
    """Weights as int64 arrays whose sums fit 64 bits: one, or as many digits as it takes, the lowest first."""
    given: Any = np.asarray(weights)
    if given.sum(dtype=np.float64) < 2.0**62:
        return [given.astype(np.int64)]
    left: list[int] = given.tolist()
    digits: list[Any] = []
    while any(left):
        digits.append(np.array([weight & ((1 << _DIGIT) - 1) for weight in left], dtype=np.int64))
        left = [weight >> _DIGIT for weight in left]
    return digits


def _flat(batch: Batch) -> Any:
    return np.ascontiguousarray(batch).reshape(-1)


def _places(count: int) -> Any:
    return np.arange(count, dtype=np.int32)


class _Orbits:
    """Canonical forms, and how many states each stands for."""

    def __init__(self, kernel: Kernel, packing: Packing, symmetry: Symmetry) -> None:
        self.kernel, self.words, self.packing, self.symmetry = kernel, packing.words, packing, symmetry
        fields = packing.fields
        groups, places = list[list[int]](), list[list[int]]()
        for members in symmetry.columns:
            width = sum(fields[cell].width for cell in members[0])
            groups.append([len(places), len(members), (1 << width) - 1])
            places += [[fields[cells[-1]].word, fields[cells[-1]].shift] for cells in members]
        keep, ranges, parts, labels = list[list[int]](), list[list[int]](), list[list[int]](), list[int]()
        for image in symmetry.images:
            kept, first = [(1 << 64) - 1] * packing.words, len(parts)
            for cell, (origin, label) in enumerate(zip(image.cells, image.labels, strict=True)):
                to, of = fields[cell], fields[origin]
                if origin == cell and label is None:
                    continue
                mask = (1 << to.width) - 1
                kept[to.word] &= ~(mask << to.shift)
                parts.append([to.word, to.shift, of.word, of.shift, mask, -1 if label is None else len(labels)])
                labels += [] if label is None else [*label, len(label)]
            keep.append(kept)
            ranges.append([first, len(parts)])

        def table(entries: list[list[int]], width: int) -> Any:
            return np.array(entries, dtype=np.int64).reshape(len(entries), width)

        self.tables = (
            table(groups, 3), table(places, 2), np.array(keep, dtype=np.uint64).reshape(len(keep), packing.words),
            table(ranges, 2), table(parts, 6), np.array(labels or [0], dtype=np.int64),
        )  # fmt: skip
        self.longest = max((len(members) for members in symmetry.columns), default=1)
        self.order = (len(ranges) + 1) * math.prod(math.factorial(len(members)) for members in symmetry.columns)

    def canonical(self, states: Rows, count: int, fixing: Any = None) -> None:
        here, least, block = (np.empty(size, dtype=np.uint64) for size in (self.words, self.words, self.longest))
        fixed = np.empty(0, dtype=np.int64) if fixing is None else fixing
        self.kernel.canonical(states, count, self.words, *self.tables, block, here, least, fixed)

    def sizes(self, states: Rows) -> Any:
        if self.order.bit_length() > 62:  # as many permutations as a state may be kept by
            return Orbits(self.packing, self.symmetry).sizes(states)
        fixing = np.empty(len(states), dtype=np.int64)
        self.canonical(_flat(states.copy()), len(states), fixing)
        return np.int64(self.order) // fixing
