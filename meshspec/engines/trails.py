"""Trails: the shortest paths to where something fails, and of the shortest the first.

A search keeps its layers and no parents. From the states to be reached, layer by layer backward, comes the set of
states on a shortest path; then forward from an initial state, always by the first ground action that stays in that
set. Under symmetry the sets hold one state of each orbit and the trail is taken on states as they are, so it is the
same with and without it, in every representation and for every number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends.layout import Layout, State
from meshspec.backends.space import Batch, Space
from meshspec.backends.tuples import TupleSpace
from meshspec.errors import Disagreement

Accept = Callable[[State], bool]


@attrs.frozen
class Goal:
    """States that a trail of `depth` steps leads to.

    ``at`` are indexes into the layer of that depth. ``outside`` are states in which a Range is left, which no layer
    holds, in canonical form; each with the indexes, in the layer before, of the states with a step to it.
    """

    depth: int
    at: Sequence[int] = ()
    outside: Mapping[State, Sequence[int]] = attrs.field(factory=dict[State, Sequence[int]])

    def __len__(self) -> int:
        return len(self.at) + len(self.outside)


@attrs.frozen
class Trail:
    """A path on states as they are: where it starts, and each ground action with the state it leads to."""

    start: State
    steps: tuple[tuple[int, State], ...]

    @property
    def end(self) -> State:
        return self.steps[-1][1] if self.steps else self.start

    @property
    def actions(self) -> tuple[int, ...]:
        return tuple(action for action, _ in self.steps)


class Trails:
    """Finds trails in the layers of a search in `space`."""

    def __init__(self, layout: Layout, space: Space, layers: Sequence[Batch], plain: TupleSpace) -> None:
        self.layout, self.space, self.layers, self.plain = layout, space, layers, plain

    def first(self, goal: Goal, accept: Accept | None = None) -> Trail:
        """The first of the shortest trails to the goal, among the ends that are accepted as they are.

        Raises :class:`Disagreement` if there is none: then a space told of a step that no state has.
        """
        way = _Way(self, goal, accept or _any)
        for start in self.layout.initial_states():
            if way.is_near(start, 0) and (steps := way.walked(start)) is not None:
                return Trail(start, steps)
        raise Disagreement(f"{self.layout.model.name}: no path leads to a state that {self.space.name} found")

    def several(self, goals: Sequence[Goal], wanted: int) -> list[Trail]:
        """At most `wanted` trails to ends that differ (in their orbit), by length, then in order."""
        found: list[Trail] = []
        for goal in goals:
            left = goal
            while len(left) and len(found) < wanted:
                found.append(self.first(left))
                if len(found) < wanted:
                    left = self._without(left, found[-1].end)
        return found

    def _without(self, goal: Goal, end: State) -> Goal:
        if self.plain.out_of_range(end):
            gone = self.plain.canonical(end)
            return attrs.evolve(goal, outside={s: before for s, before in goal.outside.items() if s != gone})
        space = self.space
        (one,) = space.unpack(space.pack([end]))
        states = space.unpack(space.take(self.layers[goal.depth], goal.at))
        return attrs.evolve(goal, at=[at for at, state in zip(goal.at, states, strict=True) if state != one])

    def predecessors(self, goal: Goal) -> list[Batch]:
        """For each depth, the states from which the goal can be reached in the steps that are left."""
        space, layers = self.space, self.layers
        last = space.take(layers[goal.depth], goal.at) if len(goal.at) else space.joined([])
        sets = [last]
        for depth in range(goal.depth - 1, -1, -1):
            near = {*map(int, space.leading(layers[depth], sets[-1]))} if space.size(sets[-1]) else set[int]()
            if depth == goal.depth - 1:
                near.update(*goal.outside.values())
            sets.append(space.take(layers[depth], sorted(near)))
        return sets[::-1]

    def moves(self, state: State) -> Iterator[tuple[int, State]]:
        """Every step to a state, in the order of ground actions."""
        return ((action, reached) for action, reached, _ in self.plain.successors(state) if reached is not None)

    def outside(self, state: State) -> State | None:
        """The canonical form of a state in which a Range is left, ``None`` for any other."""
        return self.plain.canonical(state) if self.plain.out_of_range(state) else None


class _Way:
    """One walk to one goal: forward through the sets of states that are near enough to it."""

    def __init__(self, trails: Trails, goal: Goal, accept: Accept) -> None:
        self.trails, self.goal, self.accept = trails, goal, accept
        self.sets = trails.predecessors(goal)
        self.dead: set[tuple[int, State]] = set()  # under symmetry a near state may lead only to a twin of the end

    def is_near(self, state: State, depth: int) -> bool:
        """Whether the goal may be reached from here in the steps that are left."""
        last = depth == self.goal.depth
        outside = self.trails.outside(state)
        if outside is not None:
            near = last and outside in self.goal.outside
        else:
            near = self.trails.space.member(state, self.sets[depth])
        return near and (not last or self.accept(state))

    def walked(self, start: State) -> tuple[tuple[int, State], ...] | None:
        """The first way on from an initial state, or ``None``."""
        steps: list[tuple[int, State]] = []
        here: list[Iterator[tuple[int, State]]] = []
        state = start
        while True:
            if len(steps) == self.goal.depth:
                return tuple(steps)
            if len(here) == len(steps):
                here.append(self.trails.moves(state))
            depth = len(steps) + 1
            for action, reached in here[-1]:
                if (depth, reached) not in self.dead and self.is_near(reached, depth):
                    steps.append((action, reached))
                    state = reached
                    break
            else:
                self.dead.add((len(steps), state))
                here.pop()
                if not steps:
                    return None
                steps.pop()
                state = steps[-1][1] if steps else start


def _any(state: Any) -> bool:
    return True
