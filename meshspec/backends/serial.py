"""States as bytes, column by column: how a file keeps them, and how they are read from one that nobody vouches for.

All values of a cell stand together in the fewest bytes that hold each of them, so most take one byte.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from meshspec.backends.layout import Layout, State
from meshspec.expr.nodes import BoolType, EnumType, IntType, SortType

MOST_STATES = 1 << 16
"""States of one chunk at most."""

_BYTES, _HUGE = "bytes", "huge"  # from 0 to 255, which is quick both ways; of any size
_INTS = (("b", 7), ("h", 15), ("i", 31), ("q", 63))  # how an int is kept, and how many bits it has without its sign

Column = tuple[str, bytes, bytes]
"""How the values of a cell are kept, the values, and if some are ``None`` a byte for each: whether it is."""

Check = Callable[[Sequence[Any]], bool]


class Chunk(msgspec.Struct, array_like=True, frozen=True):
    """Some states."""

    size: int
    columns: list[Column]


class Malformed(ValueError):
    """What no state of the model is kept as."""


def packed(states: Sequence[State]) -> Iterator[Chunk]:
    """The states in chunks."""
    rest = iter(states)
    while some := list(islice(rest, MOST_STATES)):
        yield Chunk(len(some), [_column(values) for values in zip(*some, strict=True)])


def _column(values: Sequence[Any]) -> Column:
    absent = b""
    if None in values:
        absent = bytes(value is None for value in values)
        values = [0 if value is None else value for value in values]
    with contextlib.suppress(ValueError):
        return _BYTES, bytes(values), absent
    bits = int(max(max(values), -1 - min(values))).bit_length()
    for kind, most in _INTS:
        if bits <= most:
            return kind, struct.pack(f"<{len(values)}{kind}", *values), absent
    return _HUGE, " ".join(map(hex, values)).encode(), absent


class Unpacker:
    """Takes chunks of states of `layout` apart, believing nothing.

    With `ranged`, an int outside the Range of its variable is refused too.
    """

    def __init__(self, layout: Layout, *, ranged: bool) -> None:
        self._cells = [_cell(layout, place, ranged) for place in range(len(layout.cells))]

    def __call__(self, chunk: Chunk) -> list[State]:
        """The states; raises :class:`Malformed` where the chunk cannot be of the model's states."""
        if len(chunk.columns) != len(self._cells) or not (self._cells or chunk.size in (0, 1)):
            raise Malformed
        columns = [read(column, chunk.size) for read, column in zip(self._cells, chunk.columns, strict=True)]
        return list(zip(*columns, strict=True)) if columns else [()] * chunk.size


def _cell(layout: Layout, place: int, ranged: bool) -> Callable[[Column, int], Sequence[Any]]:
    """Reads the column of one cell."""
    variable = layout.cells[place].variable
    optional, bounds, is_bool = variable.symbol.optional, None, False
    match variable.symbol.type:
        case BoolType():
            bounds, is_bool = range(2), True
        case EnumType(cls):
            bounds = range(len(cls))
        case SortType(cls):
            bounds = range(layout.sizes[cls])
        case IntType():
            if ranged and variable.range is not None:
                bounds = variable.range.of(layout.model.instance)

    def read(column: Column, size: int) -> Sequence[Any]:
        kind, data, absent = column
        values = _values(kind, data, size)
        if len(values) != size or (absent and (len(absent) != size or not optional)):
            raise Malformed
        known: Sequence[int] = (
            values if not absent else [v for v, gone in zip(values, absent, strict=True) if not gone]
        )
        if bounds is not None and known and not (min(known) in bounds and max(known) in bounds):
            raise Malformed
        values = list(map(bool, values)) if is_bool else values
        return [None if gone else value for value, gone in zip(values, absent, strict=True)] if absent else values

    return read


def _values(kind: str, data: bytes, size: int) -> Sequence[Any]:
    if kind == _BYTES:
        return data
    try:
        if kind == _HUGE:
            return [int(one, 16) for one in data.split(b" ")]
        if kind in {kind for kind, _ in _INTS}:
            return struct.unpack(f"<{size}{kind}", data)
    except (ValueError, struct.error):
        pass
    raise Malformed
