"""beginning: where does a path start that is told in words, and what of that cannot be?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import attrs

from meshspec.answer import Counterexample
from meshspec.backends.layout import CellAt, Key, Layout, Values
from meshspec.expr.text import value_text
from meshspec.sorts import is_sort

MANY = 6  # so many of what could be are named where something else was told


@attrs.frozen
class Stop:
    """Something that is otherwise than it was recorded, at a step counted from 1; 0 is the start, -1 the end."""

    step: int
    why: str

    def __str__(self) -> str:
        where = {0: "at the start", -1: "at the end"}.get(self.step, f"step {self.step}")
        return f"{where}: {self.why}"


class Start:
    """Where a path starts: the state that was recorded, and what of it cannot be."""

    def __init__(self, layout: Layout, path: Counterexample) -> None:
        self.layout = layout
        self.differs: list[Stop] = []
        self.closed: Stop | None = None
        self.values: dict[Key, list[object]] = {}
        left = dict(path.initial)
        for cell in layout.cells:
            options, text = self._options(cell), left.pop(str(cell), None)
            found = [option for option in options if value_text(option) == text]
            self.values[cell.key] = found or options[:1]
            if text is None:
                self._differs(f"{cell} is not recorded; it starts at {value_text(options[0])}")
            elif not found and self.closed is None:
                starts = " or ".join(map(value_text, options[:MANY]))
                self.closed = Stop(0, f"{cell} = {text} was recorded; it starts at {starts}")
        if left:
            self._differs(f"{next(iter(left))} is recorded, and the model has no such variable")

    def _differs(self, why: str) -> None:
        self.differs.append(Stop(0, why))

    def _options(self, cell: CellAt) -> list[object]:
        found: list[object] = []
        for value in cell.variable.initial:
            found += self.layout.values(cell.variable.symbol.type) if is_sort(value) else [value]
        return found

    def starts(self) -> Iterator[Values]:
        """Every state that is put into these words: there are several where a member is called ``None``."""
        for values in itertools.product(*self.values.values()):
            yield dict(zip(self.values, values, strict=True))
