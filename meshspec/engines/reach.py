"""Reach: every state within a scope, one by one, for engines that ask questions of states and not of a search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State
from meshspec.engines.limits import INTERRUPTED, Limits, memory_now
from meshspec.lang.lift import LiftedModel
from meshspec.sorts import Sort

_LOOK = 4_096
"""How many states are taken between two looks at the memory."""


@attrs.frozen(eq=False)
class Reached:
    """The states that were reached, in the order of their depth, and why there may be more (``cut``).

    ``closed`` are those in which a Range is left.
    """

    layout: Layout
    depths: Mapping[State, int]
    closed: frozenset[State]
    cut: str

    @property
    def inner(self) -> Iterator[State]:
        """The states from which steps are taken."""
        return (state for state in self.depths if state not in self.closed)

    @property
    def complete(self) -> bool:
        return not self.cut


def reach(model: LiftedModel, sizes: Mapping[type[Sort], int], limits: Limits | None = None) -> Reached:
    """Breadth first over all states; as in `explore`, no step is taken from one in which a Range is left.

    An interruption by the user is a cut. Raises :class:`meshspec.errors.UsageError` for a scope that cannot be built.
    """
    limits = limits or Limits()
    layout = Layout(model, sizes)
    generator = Generator(layout)
    successors, out_of_range = generator.successors(), generator.out_of_range()
    depths: dict[State, int] = {}
    closed: set[State] = set()
    start = memory_now()
    cut = ""
    layer: list[State] = []
    for state in layout.initial_states():
        if state not in depths and len(depths) >= limits.max_states:
            cut = f"{limits.max_states:,} states"
            break
        if state not in depths:
            depths[state] = 0
            layer.append(state)
    taken = depth = 0
    try:
        while layer and not cut:
            depth += 1
            found: list[State] = []
            for state in layer:
                taken += 1
                if taken % _LOOK == 0 and memory_now() - start > limits.max_memory:
                    cut = "memory"
                if cut:
                    break
                if out_of_range(state):
                    closed.add(state)
                    continue
                for _, reached, _ in successors(state):
                    if reached is None or reached in depths:
                        continue
                    if len(depths) >= limits.max_states:
                        cut = f"{limits.max_states:,} states"
                        break
                    depths[reached] = depth
                    found.append(reached)
            layer = found
    except KeyboardInterrupt:
        cut = INTERRUPTED
    return Reached(layout, depths, frozenset(closed), cut)
