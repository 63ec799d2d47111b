"""The states that a model can reach, as instances of it, for a function of evidence to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from meshspec.backends import native
from meshspec.backends.certificate import certified
from meshspec.engines.limits import Limits
from meshspec.engines.reach import reach
from meshspec.sorts import Sort


class States:
    """Every reachable state of a model in a scope, in the order of their depth; ``cut`` says why there may be more.

    Look at them inside ``with scope(...)``: members of a sort are those of the scope.
    """

    def __init__(self, model: Any, sizes: Mapping[type[Sort], int], most: int) -> None:
        self.sizes = {sort.__name__: size for sort, size in sizes.items()}
        self._reached = reach(certified(model), sizes, Limits(max_states=most))
        self.cut = self._reached.cut

    def __len__(self) -> int:
        return len(self._reached.depths)

    def told(self) -> Iterator[tuple[object, str]]:
        """Each state as an instance, and by what it differs from the first one."""
        layout, states = self._reached.layout, self._reached.depths
        first = next(iter(states))
        for state in states:
            changes = layout.changes(first, state)
            text = ", ".join(f"{name}={new}" for name, (_, new) in changes.items())
            yield native.load(layout, layout.decode(state)), text or "the first state"


def states_of(model: Any, sizes: Mapping[type[Sort], int], most: int = 100_000) -> States:
    """The reachable states of a model, or of an instance with its constants chosen.

    The model is certified first. Raises :class:`meshspec.errors.UsageError` for a scope that lacks a sort or cannot
    be built.
    """
    return States(model, sizes, most)
