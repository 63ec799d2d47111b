"""Packed states, stepped by NumPy and by rows, one state at a time against generated Python."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import attrs

from meshspec.backends.columns import ColumnSpace
from meshspec.backends.intervals import bounds_of
from meshspec.backends.kernel import RowSpace
from meshspec.backends.layout import Layout, State
from meshspec.backends.space import Space, Test
from meshspec.backends.tuples import TupleSpace
from meshspec.errors import UsageError

SPACES: dict[str, Callable[[Layout], Space]] = {"NumPy": ColumnSpace, "rows and kernel": RowSpace}


@attrs.define
class PackedReading:
    """One packed space of a layout, or why it refuses the model."""

    name: str
    reference: TupleSpace
    bounds: Mapping[str, range]
    space: Space | None = None
    refused: str = ""
    states: int = 0
    tests: list[tuple[str, Test, Test]] = attrs.field(factory=list[tuple[str, Test, Test]])
    _met: set[State] = attrs.field(factory=set[State])

    @classmethod
    def of(cls, name: str, layout: Layout, reference: TupleSpace | None = None) -> PackedReading:
        reading = cls(name, reference or TupleSpace(layout), {})
        try:
            reading.bounds = bounds_of(layout)
            reading.space = SPACES[name](layout)
            for lifted in layout.model.claims:
                every = [
                    {p.name: value for p, value in zip(lifted.parameters, arguments, strict=True)}
                    for arguments in layout.arguments(lifted.parameters)
                ]
                mine, theirs = (one.test(lifted.claim, every) for one in (reading.space, reading.reference))
                reading.tests.append((lifted.name, mine, theirs))
        except UsageError as error:
            reading.space, reading.refused = None, str(error)
        return reading

    def drawn(self, rnd: random.Random, count: int) -> list[State]:
        """States, reachable or not, whose ints lie within their bounds."""
        layout = self.reference.layout
        kinds = [
            self.bounds[symbol.name] if symbol.name in self.bounds else layout.values(symbol.type)
            for symbol in (cell.variable.symbol for cell in layout.cells)
        ]
        gone = [c.variable.symbol.optional for c in layout.cells]
        return [
            tuple(
                None if optional and rnd.random() < 0.3 else layout.encode_value(rnd.choice(values))
                for values, optional in zip(kinds, gone, strict=True)
            )
            for _ in range(count)
        ]

    def at(self, states: Sequence[State]) -> list[str]:
        """Every step and every claim, on those of the states that fit into the packing."""
        if self.space is None:
            return []
        fitting = [state for state in states if not self.reference.out_of_range(state) and self._fits(state)]
        self.states += len(fitting)
        problems: list[str] = []
        for state in fitting:
            problems += self._step(self.space, state)
        rows = self.space.pack(fitting)
        if self.space.unpack(rows) != fitting:
            problems.append(f"{self.name}: packed and unpacked, {fitting} is {self.space.unpack(rows)}")
        for claim, mine, theirs in self.tests:
            said, expected = [int(one) for one in mine(rows)], list(theirs(fitting))
            if said != expected:
                problems.append(f"{self.name}: {claim} in {fitting} fails at {expected}, not at {said}")
        return problems

    def _fits(self, state: State) -> bool:
        held = zip(self.reference.layout.cells, state, strict=True)
        bounds = self.bounds
        return all(v is None or (n := c.variable.symbol.name) not in bounds or v in bounds[n] for c, v in held)

    def _step(self, space: Space, state: State) -> list[str]:
        reference = self.reference
        expected, odd, taken = set[State](), list[int](), Counter[int]()
        for action, reached, _ in reference.successors(state):
            taken[action] += 1
            if reached is None or reference.out_of_range(reached):
                odd.append(action)
            else:
                expected.add(reached)
        stepped = space.step(space.pack([state]), [1])
        found = set(space.unpack(stepped.new))
        said = {action: int(times) for action, times in enumerate(stepped.taken) if times}
        problems: list[str] = []
        if found != expected - self._met:
            problems.append(f"leads to {sorted(map(repr, found))}, not to {sorted(map(repr, expected - self._met))}")
        if said != dict(taken):
            problems.append(f"takes {said}, not {dict(taken)}")
        if sorted(one.action for one in stepped.odd) != sorted(odd):
            problems.append(f"has the odd steps {list(stepped.odd)}, not those of {odd}")
        if [int(one) for one in stepped.stuck] != ([] if taken else [0]):
            problems.append(f"is stuck: {list(stepped.stuck)}")
        self._met |= found
        return [f"{self.name}: {state} {problem}" for problem in problems]
