"""Packing: a state as a few words of 64 bits, one field for each cell; no field straddles a word.

The highest bit of the first word is always set, so that no state is zero and an empty slot of a table is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import attrs

from meshspec.backends.layout import CellAt, Layout, State
from meshspec.errors import Disagreement, UsageError
from meshspec.expr.nodes import BoolType, IntType

Rows = Any
"""A NumPy array of uint64, one state a row, one column a word."""

WORD = 64
VALID = 1 << (WORD - 1)
"""The bit of the first word that every state has."""

MAX_WIDTH = 48
"""Bits of the widest field: sums of a few such fields still fit an int64."""


@attrs.frozen
class Field:
    """Where a cell is kept: the code ``value - lo`` in ``width`` bits of ``word`` from ``shift`` on.

    ``size`` is the number of codes that stand for a value; an optional cell has one more, ``size``, for ``None``.
    """

    word: int
    shift: int
    width: int
    lo: int
    size: int
    optional: bool

    @property
    def codes(self) -> int:
        """How many codes mean something, ``None`` included."""
        return self.size + self.optional


class Packing:
    """How the states of `layout` are packed.

    `bounds` has the range of every int variable, by name, declared or inferred. The cells of each of `blocks` are
    laid out side by side in one word, in the order given, the first one highest, so that comparing blocks is
    comparing them cell by cell. Raises :class:`meshspec.errors.UsageError` for an int without bounds, for one with
    too many values, and for a block that no word holds.
    """

    layout: Layout
    fields: tuple[Field, ...]
    words: int

    def __init__(self, layout: Layout, bounds: Mapping[str, range], blocks: Sequence[Sequence[int]] = ()) -> None:
        self.layout = layout
        self.blocks = tuple(tuple(block) for block in blocks)
        shapes = [_shape(layout, cell, bounds) for cell in layout.cells]
        widths = [(size + optional - 1).bit_length() for _, size, optional in shapes]
        self.fields, self.words = _placed(layout, shapes, widths, self.blocks)

    def pack(self, states: Sequence[State]) -> Rows:
        """Raises :class:`meshspec.errors.Disagreement` for a value that its field cannot hold."""
        import numpy as np

        rows = np.zeros((len(states), self.words), dtype=np.uint64)
        rows[:, 0] = np.uint64(VALID)
        for cell, (field, values) in enumerate(zip(self.fields, zip(*states, strict=True), strict=False)):
            if field.optional:
                values = tuple(field.lo + field.size if value is None else value for value in values)
            try:
                codes = np.fromiter(values, dtype=np.int64, count=len(states)) - field.lo
                fits = len(codes) == 0 or (codes.min() >= 0 and codes.max() < field.codes)
            except (TypeError, OverflowError):  # an absent value where there may be none, or one beyond 64 bits
                codes, fits = np.zeros(0, dtype=np.int64), False
            if not fits or (field.optional and any(state[cell] == field.lo + field.size for state in states)):
                self._refuse(cell, field, [state[cell] for state in states])
            rows[:, field.word] |= codes.astype(np.uint64) << np.uint64(field.shift)
        return rows

    def _refuse(self, cell: int, field: Field, values: Iterable[Any]) -> NoReturn:
        inside = range(field.lo, field.lo + field.size)
        value = next(v for v in values if (v is None and not field.optional) or (v is not None and v not in inside))
        text = f"{self.layout.cells[cell]} = {value} is outside {inside[0]}..{inside[-1]}"
        raise Disagreement(f"{text}, where it was proved to stay")

    def unpack(self, rows: Rows) -> list[State]:
        columns: list[list[Any]] = []
        for cell, field in enumerate(self.fields):
            column = self.column(rows, cell)
            bools = isinstance(self.layout.cells[cell].variable.symbol.type, BoolType)
            values: list[Any] = (column == 1).tolist() if bools else column.tolist()
            if field.optional:
                gone = (column == field.lo + field.size).tolist()
                values = [None if absent else value for value, absent in zip(values, gone, strict=True)]
            columns.append(values)
        return list(zip(*columns, strict=True)) if columns else [()] * len(rows)

    def column(self, rows: Rows, cell: int) -> Any:
        """The values of one cell as int64 (an absent one is ``lo + size``)."""
        import numpy as np

        field = self.fields[cell]
        codes = (rows[:, field.word] >> np.uint64(field.shift)) & np.uint64((1 << field.width) - 1)
        return codes.astype(np.int64) + np.int64(field.lo)


def _shape(layout: Layout, cell: CellAt, bounds: Mapping[str, range]) -> tuple[int, int, bool]:
    """The least value of a cell, how many values it has, and whether it may be ``None``."""
    symbol = cell.variable.symbol
    if not isinstance(symbol.type, IntType):
        return 0, len(layout.values(symbol.type)), symbol.optional
    within = bounds.get(symbol.name)
    if within is None:
        raise UsageError(
            f"{symbol.name} has no bounds, and a packed state needs some: Annotated[int, Range(lo, hi)] gives them"
        )
    size = within.stop - within.start
    if size.bit_length() > MAX_WIDTH or max(abs(within.start), abs(within.stop)).bit_length() > MAX_WIDTH:
        raise UsageError(
            f"{symbol.name} goes from {within.start} to {within.stop - 1}, too far for a packed state "
            f"({MAX_WIDTH} bits): a narrower Range"
        )
    return within.start, size, symbol.optional


def _placed(
    layout: Layout, shapes: list[tuple[int, int, bool]], widths: list[int], blocks: Sequence[Sequence[int]]
) -> tuple[tuple[Field, ...], int]:
    """Blocks, then what is in none of them, each in the first word with room; entries of one member side by side.

    Where the widest first takes fewer words, they go first.
    """
    loose = sorted(set(range(len(shapes))).difference(*blocks))
    ranks: dict[object, int] = {}
    for cell in loose:
        keys = layout.cells[cell].keys
        ranks.setdefault(keys[0] if keys else None, len(ranks))

    def rank(cell: int) -> int:
        keys = layout.cells[cell].keys
        return ranks[keys[0]] if keys else len(ranks)

    first = sorted(blocks, key=lambda block: (-sum(widths[cell] for cell in block), list(block)))
    together = _filled(layout, [*first, *([cell] for cell in sorted(loose, key=rank))], widths)
    densely = _filled(layout, [*first, *([cell] for cell in sorted(loose, key=lambda cell: -widths[cell]))], widths)
    places, words = densely if densely[1] < together[1] else together
    fields = [Field(*places[cell], widths[cell], lo, size, maybe) for cell, (lo, size, maybe) in enumerate(shapes)]
    return tuple(fields), words


def _filled(
    layout: Layout, groups: Sequence[Sequence[int]], widths: list[int]
) -> tuple[dict[int, tuple[int, int]], int]:
    """Word and shift of every cell, and how many words it takes."""
    used: list[int] = [1]  # of the first word, the highest bit
    places: dict[int, tuple[int, int]] = {}
    for group in groups:
        wide = sum(widths[cell] for cell in group)
        if wide > WORD - 1:
            raise UsageError(
                f"{layout.cells[group[0]]} and what belongs to it take {wide} bits, more than a word holds: "
                "narrower Ranges, or no symmetry"
            )
        word = next((at for at, bits in enumerate(used) if bits + wide <= WORD), len(used))
        if word == len(used):
            used.append(0)
        shift = WORD - used[word]
        used[word] += wide
        for cell in group:
            shift -= widths[cell]
            places[cell] = word, min(shift, WORD - 1)
    return places, len(used)
