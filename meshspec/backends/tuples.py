"""States as Python tuples, stepped by generated Python: needs no package, takes ints of any size."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, cast

from meshspec.backends.generated import Code, Generator, Successor
from meshspec.backends.layout import Layout, State
from meshspec.backends.space import Arguments, Batch, Odd, Space, Stepped, Test
from meshspec.backends.symmetry import Symmetry
from meshspec.expr.nodes import Node

Choose = Callable[[State, Sequence[Successor], Callable[[State], bool]], Sequence[Successor]]
"""Which steps of all that a state has to take; it may ask whether a state has not been met yet."""


class TupleSpace(Space):
    """A batch is a list of states; a state that is met is remembered as itself.

    ``successors`` and ``out_of_range`` are the functions that :class:`Generator` writes; ``canonical`` gives the
    state that stands for another's orbit (without a symmetry, itself). Engines ask them about single states. With
    `choose` a step from a batch takes only some of the steps there are.

    Raises :class:`meshspec.errors.UsageError` where a scope makes more code than can be built.
    """

    name = "generated Python"

    def __init__(self, layout: Layout, symmetry: Symmetry | None = None, choose: Choose | None = None) -> None:
        super().__init__(layout, symmetry)
        self._choose = choose
        self.generator = Generator(layout)
        self.successors = self.generator.successors()
        self.out_of_range = self.generator.out_of_range()
        self.canonical: Callable[[State], State] = symmetry.canonical() if symmetry is not None else _itself
        self._orbit_size: Callable[[State], int] | None = symmetry.orbit_size() if symmetry is not None else None
        self._actions = len(layout.ground_actions())
        self._known: set[State] = set()
        self._asked: tuple[list[State], set[State]] = ([], set())

    def pack(self, states: Sequence[State]) -> Batch:
        return [self.canonical(state) for state in states]

    def unpack(self, batch: Batch) -> list[State]:
        return list(batch)

    def size(self, batch: Batch) -> int:
        return len(batch)

    def take(self, batch: Batch, indexes: Sequence[int]) -> Batch:
        if isinstance(indexes, range) and indexes.step == 1:
            return batch[indexes.start : indexes.stop]
        return [batch[index] for index in indexes]

    def joined(self, batches: Sequence[Batch]) -> Batch:
        return [state for batch in batches for state in batch]

    def weights(self, batch: Batch) -> Sequence[int]:
        if self._orbit_size is None:
            return [1] * len(batch)
        return [self._orbit_size(state) for state in batch]

    def add(self, batch: Batch) -> Batch:
        known, new = self._known, list[State]()
        for state in batch:
            if state not in known:
                known.add(state)
                new.append(state)
        return new

    def step(self, batch: Batch, weights: Sequence[int]) -> Stepped:
        known, canonical, successors, left = self._known, self.canonical, self.successors, self.out_of_range
        choose = self._choose
        new, stuck, odd, taken = list[State](), list[int](), list[Odd](), [0] * self._actions
        for source, (state, weight) in enumerate(zip(batch, weights, strict=True)):
            after: Sequence[Successor] = successors(state)
            if not after:
                stuck.append(source)
            elif choose is not None:
                after = choose(state, after, lambda reached: reached not in known)
            for action, reached, _ in after:
                taken[action] += weight
                if reached is None:
                    odd.append(Odd(source, action))
                    continue
                if reached in known:
                    continue
                if left(reached):
                    odd.append(Odd(source, action))
                    continue
                one = canonical(reached)
                if one not in known:
                    known.add(one)
                    new.append(one)
        return Stepped(new, stuck, odd, taken)

    def leading(self, batch: Batch, targets: Batch) -> Sequence[int]:
        wanted, canonical, successors = set(targets), self.canonical, self.successors
        return [
            source
            for source, state in enumerate(batch)
            if any(reached is not None and canonical(reached) in wanted for _, reached, _ in successors(state))
        ]

    def member(self, state: State, batch: Batch) -> bool:
        if self._asked[0] is not batch:  # the same batch is asked many times in a row
            self._asked = (batch, set(batch))
        return self.canonical(state) in self._asked[1]

    def test(self, node: Node, arguments: Arguments) -> Test:
        names = [{name: self._code(value) for name, value in one.items()} for one in arguments]
        first = self.generator.first_failure(node, names)
        return lambda batch: [first(state) for state in batch]

    def forget(self) -> None:
        """Remember nothing any more, because another space does."""
        self._known, self._asked = set(), ([], set())

    def _code(self, value: Any) -> Code:
        encoded = self.layout.encode_value(value)
        return Code(f"({encoded!r})", encoded)

    def bytes_held(self) -> int:
        entry = sys.getsizeof(cast("State", (0,) * len(self.layout.cells)))
        return sys.getsizeof(self._known) + entry * len(self._known)


def _itself(state: State) -> State:
    return state
