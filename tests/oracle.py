"""What CPython alone says of a model: every path, one after the other, with nothing that any engine uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from meshspec.backends import native
from meshspec.backends.layout import Layout, Values
from meshspec.lang.lift import LiftedModel
from meshspec.sorts import Sort

Path = tuple[str, ...]


class Oracle:
    """A model in a scope, run natively."""

    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int]) -> None:
        self.layout = Layout(model, sizes)

    def starts(self) -> list[Values]:
        return [self.layout.decode(state) for state in self.layout.initial_states()]

    def steps(self, values: Values) -> Iterator[tuple[str, Values]]:
        """Every step from a state, in the order of actions and members."""
        for lifted, arguments in self.layout.ground_actions():
            after = native.run(self.layout, lifted, values, arguments)
            if isinstance(after, native.Next):
                yield lifted.called(arguments), after.values

    def holds(self, claim: str, values: Values) -> bool:
        said = next(c for c in self.layout.model.claims if c.name == claim)
        every = self.layout.arguments(said.parameters)
        return all(native.run(self.layout, said, values, one) == native.Value(True) for one in every)

    def paths(self, length: int) -> Iterator[tuple[Path, Values]]:
        """Every path of exactly this length, in lexicographic order."""

        def from_here(values: Values, left: int, so_far: Path) -> Iterator[tuple[Path, Values]]:
            if left == 0:
                yield so_far, values
                return
            for action, after in self.steps(values):
                yield from from_here(after, left - 1, (*so_far, action))

        for start in self.starts():
            yield from from_here(start, length, ())

    def first_path(self, broken: Callable[[Values], bool], longest: int) -> Path | None:
        """The first of the shortest paths to a broken state, by trying every path of every length."""
        for length in range(longest + 1):
            for path, values in self.paths(length):
                if broken(values):
                    return path
        return None

    def reachable(self) -> set[tuple[tuple[Any, Any], ...]]:
        """Every reachable state."""
        seen: set[tuple[tuple[Any, Any], ...]] = set()
        todo = self.starts()
        while todo:
            values = todo.pop()
            frozen = tuple(values.items())
            if frozen not in seen:
                seen.add(frozen)
                todo += [after for _, after in self.steps(values)]
        return seen
