"""Packing: a state as a few words of 64 bits, one field for each cell; no field straddles a word.

The highest bit of the first word is always set, so that no state is zero and an empty slot of a table is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends.layout import Layout, State

Rows = Any
"""A NumPy array of uint64, one state a row, one column a word."""


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


class Packing:
    """How the states of `layout` are packed.

    `bounds` has the range of every int variable, by name, declared or inferred. The cells of each of `blocks` are
    laid out side by side in one word, in the order given, the first one highest, so that comparing blocks is
    comparing them cell by cell. Raises :class:`meshspec.errors.UsageError` for an int without bounds.
    """

    layout: Layout
    fields: tuple[Field, ...]
    words: int

    def __init__(self, layout: Layout, bounds: Mapping[str, range], blocks: Sequence[Sequence[int]] = ()) -> None:
        raise NotImplementedError

    def pack(self, states: Sequence[State]) -> Rows:
        """Raises :class:`meshspec.errors.Disagreement` for a value that its field cannot hold."""
        raise NotImplementedError

    def unpack(self, rows: Rows) -> list[State]:
        raise NotImplementedError

    def column(self, rows: Rows, cell: int) -> Any:
        """The values of one cell as int64 (an absent one is ``lo + size``)."""
        raise NotImplementedError
