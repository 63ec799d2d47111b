"""Canonical forms and sizes of orbits under a symmetry, for many packed states at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from meshspec.backends.packing import VALID, Field, Packing, Rows
from meshspec.backends.sorted_runs import keys_of
from meshspec.backends.symmetry import Image, Symmetry

Block = tuple[Any, ...]
"""What a member owns, as arrays; compared part by part, the first decides first."""

_where: Any = np.where


class Orbits:
    """Canonical forms of rows under a symmetry, and the number of states that each stands for."""

    def __init__(self, packing: Packing, symmetry: Symmetry) -> None:
        self.words = packing.words
        columns = [_alike(packing, members) for members in symmetry.columns]
        self.columns = [members for members in columns if members[0]]  # others hold the same, whatever the state
        self.images = [_image(packing, image) for image in symmetry.images]
        order = (len(self.images) + 1) * math.prod(math.factorial(len(members)) for members in self.columns)
        self.exact: Any = np.int64 if order.bit_length() < 32 else object
        """Numbers of states that fit 64 bits in any sum that comes up; else Python's own."""

    def canonical(self, rows: Rows) -> Rows:
        """The least row of each orbit."""
        least: Any = self._sorted(rows)
        for image in self.images:
            other = self._sorted(image(rows))
            if self.words == 1:
                least = np.minimum(least, other)
            else:
                less: Any = keys_of(other) < keys_of(least)
                least = _where(less[:, None], other, least)
        return least

    def sizes(self, rows: Rows) -> Any:
        """How many states are in the orbit of each row."""
        found = np.ones(len(rows), dtype=self.exact)
        ordered = self._sorted(rows)
        for members in self.columns:
            found = found * self._arrangements([_read(ordered, parts) for parts in members])
        if self.images:
            keys = np.stack([keys_of(ordered), *(keys_of(self._sorted(image(rows))) for image in self.images)])
            keys = np.sort(keys, axis=0)
            found = found * (1 + (keys[1:] != keys[:-1]).sum(axis=0))
        return found

    def _arrangements(self, blocks: list[Block]) -> Any:
        """In how many ways sorted blocks can be put in a row."""
        size = len(blocks[0][0])
        same, equal = np.ones(size, dtype=np.int64), np.ones(size, dtype=self.exact)
        for before, after in itertools.pairwise(blocks):
            alike = np.logical_and.reduce([a == b for a, b in zip(before, after, strict=True)])
            same = np.where(alike, same + 1, 1)
            equal = equal * same.astype(self.exact)
        return math.factorial(len(blocks)) // equal

    def _sorted(self, rows: Rows) -> Rows:
        for members in self.columns:
            blocks = [_read(rows, parts) for parts in members]
            for low, high in _network(len(blocks)):
                blocks[low], blocks[high] = _exchanged(blocks[low], blocks[high])
            rows = rows.copy()
            for parts, block in zip(members, blocks, strict=True):
                for (word, shift, width), value in zip(parts, block, strict=True):
                    mask = np.uint64(((1 << width) - 1) << shift)
                    rows[:, word] = (rows[:, word] & ~mask) | (value << np.uint64(shift))
        return rows


Part = tuple[int, int, int]
"""Word, shift and width of some bits."""


def _part(field: Field) -> Part:
    return field.word, field.shift, field.width


def _parts(packing: Packing, cells: Sequence[int]) -> list[Part]:
    """The bits of some cells; cells that lie side by side, the first one highest, are one part."""
    found: list[Part] = []
    for cell in cells:
        word, shift, width = _part(packing.fields[cell])
        if found and width and found[-1][0] == word and found[-1][1] == shift + width:
            found[-1] = (word, shift, found[-1][2] + width)
        elif width:
            found.append((word, shift, width))
    return found


def _alike(packing: Packing, members: Sequence[Sequence[int]]) -> list[list[Part]]:
    """The same parts for every member, if need be cell by cell."""
    parts = [_parts(packing, cells) for cells in members]
    if len({tuple(width for *_, width in one) for one in parts}) == 1:
        return parts
    return [[_part(packing.fields[cell]) for cell in cells if packing.fields[cell].width] for cells in members]


def _read(rows: Rows, parts: Sequence[Part]) -> Block:
    return tuple((rows[:, word] >> np.uint64(shift)) & np.uint64((1 << width) - 1) for word, shift, width in parts)


def _exchanged(a: Block, b: Block) -> tuple[Block, Block]:
    """The lesser and the greater of two blocks, in every lane."""
    if len(a) == 1:
        return (np.minimum(a[0], b[0]),), (np.maximum(a[0], b[0]),)
    greater, equal = np.zeros(len(a[0]), dtype=np.bool_), np.ones(len(a[0]), dtype=np.bool_)
    for x, y in zip(a, b, strict=True):
        greater |= equal & (x > y)
        equal &= x == y
    low = tuple(_where(greater, y, x) for x, y in zip(a, b, strict=True))
    return low, tuple(_where(greater, x, y) for x, y in zip(a, b, strict=True))


def _network(size: int) -> list[tuple[int, int]]:
    """Comparisons that sort `size` things (Batcher's merge exchange: Knuth, TAOCP 3, 5.2.2, algorithm M).

    >>> _network(3)
    [(0, 2), (0, 1), (1, 2)]
    """
    found: list[tuple[int, int]] = []
    top = 1 << max(0, (size - 1).bit_length() - 1)
    p = top if size > 1 else 0
    while p:
        q, r, d = top, 0, p
        while True:
            found += [(i, i + d) for i in range(size - d) if i & p == r]
            if q == p:
                break
            q, r, d = q >> 1, p, q - p
        p >>= 1
    return found


def _image(packing: Packing, image: Image) -> Callable[[Rows], Rows]:
    """A function from rows to what one permutation makes of them."""
    moved: dict[tuple[int, int, int], int] = {}
    relabelled: list[tuple[Field, Field, Any]] = []
    for cell, (source, labels) in enumerate(zip(image.cells, image.labels, strict=True)):
        to, at = packing.fields[cell], packing.fields[source]
        if labels is not None:
            codes = np.array([*labels, at.size][: at.size + at.optional], dtype=np.uint64)
            relabelled.append((to, at, codes << np.uint64(to.shift)))
        else:
            mask = ((1 << at.width) - 1) << at.shift
            key = (at.word, to.word, to.shift - at.shift)
            moved[key] = moved.get(key, 0) | mask
    shifts = [(*key, np.uint64(mask)) for key, mask in moved.items() if mask]

    def of(rows: Rows) -> Rows:
        found = np.zeros_like(rows)
        found[:, 0] = np.uint64(VALID)
        for source, word, by, mask in shifts:
            bits = rows[:, source] & mask
            found[:, word] |= bits << np.uint64(by) if by >= 0 else bits >> np.uint64(-by)
        for to, at, codes in relabelled:
            held = (rows[:, at.word] >> np.uint64(at.shift)) & np.uint64((1 << at.width) - 1)
            found[:, to.word] |= codes[held.view(np.int64)]
        return found

    return of
