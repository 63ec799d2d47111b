"""What a search has seen: its layers, counts, and where it stopped; and what the steps from one layer came to."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from meshspec.backends.layout import Layout, State
from meshspec.backends.space import Batch, Space
from meshspec.backends.tuples import TupleSpace
from meshspec.engines.trails import Trail, Trails
from meshspec.engines.watch import Settled

_UNPACKED = 1 << 16  # states turned into tuples at a time


@attrs.frozen
class Counts:
    """What a search has counted, at the end of a layer.

    ``states`` are distinct states and ``orbits`` those held, one of each orbit; without symmetry they are equal.
    ``deadlocks``, ``transitions``, ``fired`` (by ground action) and ``closed`` (the states in which a Range is left)
    count every state of an orbit. ``layers`` are those that all this is about.
    """

    states: int = 0
    orbits: int = 0
    transitions: int = 0
    depth: int = 0
    deadlocks: int = 0
    closed: int = 0
    fired: tuple[int, ...] = ()
    layers: int = 0


@attrs.define
class Exploration:
    """What a search has seen: layers of states as its space holds them, and counts.

    ``outside`` has the states in which a Range is left, canonical, each with its depth. ``cut`` is why the search
    stopped early, ``symmetry_off`` why no state stands for others, ``ordered`` that steps were left
    out whose order does not matter, ``order_off`` why none were, ``stayed`` why states were not packed,
    ``kept`` what became of its checkpoint.
    """

    layout: Layout
    space: Space
    plain: TupleSpace
    counts: Counts = attrs.field(factory=Counts)
    layers: list[Batch] = attrs.field(factory=list[Batch])
    outside: dict[State, int] = attrs.field(factory=dict[State, int])
    deadlock: Settled = attrs.field(factory=Settled)
    cut: str = ""
    symmetry_off: str = ""
    ordered: bool = False
    order_off: str = ""
    stayed: str = ""
    kept: str = ""

    @property
    def complete(self) -> bool:
        return not self.cut

    @property
    def states(self) -> int:
        return self.counts.states

    @property
    def orbits(self) -> int:
        return self.counts.orbits

    @property
    def transitions(self) -> int:
        return self.counts.transitions

    @property
    def depth(self) -> int:
        return self.counts.depth

    @property
    def deadlocks(self) -> int:
        return self.counts.deadlocks

    @property
    def closed(self) -> int:
        return self.counts.closed

    @property
    def fired(self) -> tuple[int, ...]:
        return self.counts.fired

    @property
    def reduced(self) -> bool:
        """Whether one state stands for its orbit."""
        return self.space.symmetry is not None

    @property
    def trails(self) -> Trails:
        return Trails(self.layout, self.space, self.layers, self.plain)

    @property
    def first_deadlock(self) -> Trail | None:
        """The first of the shortest paths to a state without any step."""
        return self.trails.first(self.deadlock.found) if self.deadlock.found is not None else None

    def visited(self) -> Iterator[State]:
        """The states that are held and in which no Range is left, layer by layer; of each orbit one."""
        for layer in self.layers:
            size = self.space.size(layer)
            for begin in range(0, size, _UNPACKED):
                yield from self.space.unpack(self.space.take(layer, range(begin, min(begin + _UNPACKED, size))))


@attrs.define
class Found:
    """What the steps from one layer have come to so far. Indexes are of that layer; nothing counts before its end."""

    depth: int
    taken: list[int]
    new: list[Batch] = attrs.field(factory=list[Batch])
    orbits: int = 0
    stuck: list[int] = attrs.field(factory=list[int])
    deadlocks: int = 0
    raising: list[int] = attrs.field(factory=list[int])
    outside: dict[State, list[int]] = attrs.field(factory=dict[State, list[int]])
    closed: int = 0

    @property
    def held(self) -> int:
        return self.orbits + len(self.outside)
