"""Random states, reachable or not, and what one step from each comes to: by generated Python and by CPython."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import attrs

from meshspec.backends import native
from meshspec.backends.generated import Generator
from meshspec.backends.kernel import RowSpace
from meshspec.backends.layout import Layout, State
from meshspec.backends.packing import Field
from meshspec.expr.nodes import BoolType
from meshspec.lang.outcomes import Raises


@attrs.frozen
class Expected:
    """What one step from some states comes to, as a space would say it."""

    reached: frozenset[State]
    taken: tuple[int, ...]
    odd: tuple[tuple[int, int], ...]
    stuck: tuple[int, ...]


def random_states(layout: Layout, fields: Sequence[Field], count: int, seed: object) -> list[State]:
    """Any values that the fields can hold; the same for the same seed."""
    rnd = random.Random(f"{seed}")

    def value(cell: int, field: Field) -> Any:
        code = rnd.choice((0, field.codes - 1, rnd.randrange(field.codes)))
        if code == field.size:
            return None
        of_bool = isinstance(layout.cells[cell].variable.symbol.type, BoolType)
        return bool(code) if of_bool else field.lo + code

    return [tuple(value(cell, field) for cell, field in enumerate(fields)) for _ in range(count)]


def fits(state: State, fields: Sequence[Field]) -> bool:
    return all(v is None or f.lo <= v < f.lo + f.size for v, f in zip(state, fields, strict=True))


def by_generated(layout: Layout, fields: Sequence[Field], states: Sequence[State]) -> Expected:
    successors = Generator(layout).successors()
    return _expected(layout, fields, [[(a, s) for a, s, _ in successors(state)] for state in states])


def by_cpython(layout: Layout, fields: Sequence[Field], states: Sequence[State]) -> Expected:
    """Only for models without choices: a choice that is not looked at is counted more than once here."""
    steps: list[list[tuple[int, State | None]]] = []
    for state in states:
        here: list[tuple[int, State | None]] = []
        for number, (lifted, arguments) in enumerate(layout.ground_actions()):
            came_to = native.run(layout, lifted, layout.decode(state), arguments)
            if isinstance(came_to, native.Next):
                here.append((number, layout.encode(came_to.values)))
            elif isinstance(came_to, Raises):
                here.append((number, None))
        steps.append(here)
    return _expected(layout, fields, steps)


def _expected(
    layout: Layout, fields: Sequence[Field], steps: Sequence[Sequence[tuple[int, State | None]]]
) -> Expected:
    taken, reached = [0] * len(layout.ground_actions()), set[State]()
    odd, stuck = list[tuple[int, int]](), list[int]()
    for source, here in enumerate(steps):
        if not here:
            stuck.append(source)
        for number, state in here:
            taken[number] += 1
            if state is None or not fits(state, fields):
                odd.append((source, number))
            else:
                reached.add(state)
    return Expected(frozenset(reached), tuple(taken), tuple(odd), tuple(stuck))


def by_kernel(space: RowSpace, states: Sequence[State]) -> Expected:
    """One step of a space that has met nothing yet."""
    stepped = space.step(space.pack(states), [1] * len(states))
    found = space.unpack(stepped.new)
    assert len(found) == len(set(found)), "each new state once"
    odd = tuple((step.source, step.action) for step in stepped.odd)
    return Expected(frozenset(found), tuple(stepped.taken), odd, tuple(stepped.stuck))
