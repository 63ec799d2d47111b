"""What a generated model declares, as far as the writer of its bodies must know it."""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import contextmanager

import attrs

ENUMS = {"Phase": ("IDLE", "BUSY", "DONE"), "Mode": ("SLOW", "FAST"), "Level": ("LOW", "HIGH")}


@attrs.frozen
class Held:
    """A variable, constant or constant table: ``path`` follows ``self.``, ``type`` is an annotation's name.

    ``top`` is the highest value of an int (``None`` where it has no Range), ``table`` a constant.
    """

    path: str
    type: str
    keys: tuple[str, ...] = ()
    optional: bool = False
    is_set: bool = False
    top: int | None = None
    constant: bool = False

    @property
    def own(self) -> bool:
        """Whether the model itself, and not a nested machine, holds it."""
        return "." not in self.path


Helper = tuple[str, tuple[str, ...]]
"""A method's name and the types of its parameters."""


@attrs.define
class World:
    """The declarations of one model, in the order in which they are made."""

    sorts: tuple[str, ...]
    enums: tuple[str, ...]
    held: list[Held] = attrs.field(factory=list[Held])
    tests: list[Helper] = attrs.field(factory=list[Helper])  # plain methods that return a bool
    moves: list[Helper] = attrs.field(factory=list[Helper])  # plain methods that write

    def of(self, type: str, *, optional: bool = False) -> list[Held]:
        """What can be read for a value of this type."""
        return [one for one in self.held if one.type == type and one.optional == optional and not one.is_set]

    @property
    def variables(self) -> list[Held]:
        return [one for one in self.held if not one.constant]


@attrs.define
class Body:
    """Where an expression is written: which names it may use and how many questions it may still ask.

    Every question (a bool, an enum, an optional, a comparison) may double the number of runs of the body, so what a
    body may ask is bounded.
    """

    rnd: random.Random
    questions: float
    names: dict[str, str] = attrs.field(factory=dict[str, str])
    quantifiers: int = 0
    claim: bool = False
    fresh: int = 0

    def spend(self, cost: float) -> bool:
        """Whether so much may still be asked; it is then taken off."""
        if self.questions < cost:
            return False
        self.questions -= cost
        return True

    def chance(self, share: float) -> bool:
        return self.rnd.random() < share

    def name(self, of: str) -> str:
        self.fresh += 1
        return f"{of}{self.fresh}"

    def called(self, type: str) -> list[str]:
        return [name for name, its in self.names.items() if its == type]

    @contextmanager
    def within(self, **names: str) -> Generator[None]:
        """Names that are known inside the block only."""
        before = dict(self.names)
        self.names.update(names)
        try:
            yield
        finally:
            self.names = before
