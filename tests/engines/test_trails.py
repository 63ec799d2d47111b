"""Trails are those that a search with parents finds: the first of the shortest, whatever holds the states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from meshspec import Map, Sort, action, always, any_of, model, require, var
from meshspec.answer import Answer, Counterexample, Finding
from meshspec.backends.generated import Generator
from meshspec.backends.layout import NO_RAISE, Layout, State, range_name
from meshspec.engines.explore import ENDS, explore
from meshspec.engines.limits import Limits, Options
from meshspec.engines.search import search_states
from meshspec.engines.trails import Goal
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import LiftedModel, lift
from tests.agreement.models import corners, generated
from tests.engines.spaces import spaces
from tests.engines.test_explore import Board, CountdownWithAnEnd, Divides, Place, Several, TwoRanges
from tests.models.jugs import Jugs
from tests.models.lock import KeepTheTurn
from tests.models.plain_ledger import Effect, ResendInDoubt

Path = tuple[dict[str, str], tuple[str, ...]]


class WithParents:
    """Breadth first, state by state, each with the state and the action that it was first reached by."""

    def __init__(self, model: LiftedModel, sizes: dict[type[Sort], int]) -> None:
        self.model, self.layout = model, Layout(model, sizes)
        self.generator = Generator(self.layout)
        self.successors, self.out_of_range = self.generator.successors(), self.generator.out_of_range()
        self.parents: dict[State, tuple[State, int] | None] = {}
        self.raising: list[tuple[State, int]] = []
        self.stuck: list[State] = []
        for state in self.layout.initial_states():
            self.parents.setdefault(state, None)
        todo = list(self.parents)
        for state in todo:
            if self.out_of_range(state):
                continue
            after = self.successors(state)
            self.stuck += [state] if not after else []
            for number, reached, _ in after:
                if reached is None:
                    self.raising.append((state, number))
                elif reached not in self.parents:
                    self.parents[reached] = (state, number)
                    todo.append(reached)

    def path(self, state: State, *last: int) -> Path:
        actions = list(last)
        while (parent := self.parents[state]) is not None:
            state = parent[0]
            actions.insert(0, parent[1])
        ground = self.layout.ground_actions()
        return self.layout.show(state), tuple(ground[number][0].called(ground[number][1]) for number in actions)

    def refuted(self) -> Iterator[tuple[str, Path]]:
        for lifted in self.model.claims:
            test = self._test(lifted.claim, lifted)
            if lifted.method.kind in ("always", "lemma"):
                yield from ((lifted.name, self.path(state)) for state in self._first(self.parents, test))
            elif lifted.method.kind == "terminal":
                yield from ((ENDS, self.path(state)) for state in self._first(self.stuck, test))
        for variable in self.model.declared.variables:
            if variable.range is not None and not variable.constant:
                left = self._left(variable.symbol.name)
                name = range_name(variable, self.model.instance)
                yield from ((name, self.path(state)) for state in self._first(self.parents, left))
        yield from ((NO_RAISE, self.path(state, number)) for state, number in self.raising[:1])

    def _test(self, node: Any, lifted: Any) -> Callable[[State], bool]:
        names = [self.generator.names(lifted, one) for one in self.layout.arguments(lifted.parameters)]
        first = self.generator.first_failure(node, names)
        return lambda state: first(state) >= 0

    def _left(self, name: str) -> Callable[[State], bool]:
        cells = self.layout.cells
        return lambda state: any(cells[at].variable.symbol.name == name for at in self.out_of_range(state))

    @staticmethod
    def _first(states: Iterable[State], bad: Callable[[State], bool]) -> Iterator[State]:
        yield from list(filter(bad, states))[:1]


def paths(findings: list[Finding]) -> dict[str, Path]:
    return {
        f.property: (dict(f.counterexample.initial), f.counterexample.actions)
        for f in findings
        if f.answer is Answer.VIOLATED and f.counterexample is not None
    }


def check(lifted: LiftedModel, sizes: dict[type[Sort], int]) -> int:
    """Hold every trail against the path with parents; how many there were."""
    expected = dict(WithParents(lifted, sizes).refuted())
    for space in spaces():
        for symmetry in (True, False):
            try:
                found = explore(lifted, sizes, options=Options(symmetry=symmetry, space=space))
            except UsageError:  # an int without bounds
                if space == "tuples":
                    raise
                continue
            assert paths(found) == expected, (lifted.name, space, symmetry)
    return len(expected)


@pytest.mark.parametrize(
    ("target", "sizes"),
    [
        (ResendInDoubt, {Effect: 2}), (Jugs, {}), (KeepTheTurn, {}), (Board, {Place: 3}), (TwoRanges, {}),
        (Divides, {}), (Several, {}), (CountdownWithAnEnd, {}),
    ],
)  # fmt: skip
def test_a_trail_is_the_path_of_a_search_with_parents(target: Any, sizes: dict[type[Sort], int]) -> None:
    assert check(lift(target), sizes) >= 1


def test_trails_in_corners_and_generated_models_are_paths_of_a_search_with_parents() -> None:
    subjects = [(m, {sort: 2 + place for place, sort in enumerate(m.sorts)}) for m in corners()]
    subjects += [(generated(seed).lifted, dict(generated(seed).scope)) for seed in range(100, 110)]
    assert sum(check(lifted, sizes) for lifted, sizes in subjects) > 15


@model
class Twins:
    """From the first start one twin of the end is near, from the second the other: the first start is taken."""

    at: Place = var(any_of(Place))
    marked: Map[Place, bool] = var(False)
    left: bool = var(False)

    @action
    def mark(self, p: Place) -> None:
        require(not self.left)
        self.marked[p] = True

    @action
    def leave(self) -> None:
        require(self.marked[self.at])
        self.left = True

    @always
    def stays(self) -> bool:
        return not self.left


@pytest.mark.parametrize("space", spaces())
@pytest.mark.parametrize("symmetry", [True, False])
def test_a_trail_under_symmetry_is_one_of_states_as_they_are(space: str, symmetry: bool) -> None:
    options = Options(symmetry=symmetry, space=space)
    found = {f.property: f for f in explore(lift(Twins), {Place: 3}, options=options)}["stays"]
    assert isinstance(found.counterexample, Counterexample)
    assert found.counterexample.actions == ("mark(place0)", "leave")
    assert found.counterexample.initial["at"] == "place0"


def test_a_trail_goes_back_where_the_first_way_leads_to_a_twin_of_what_is_wanted() -> None:
    """Only the end that is accepted as it is will do; the sets under symmetry are near for all twins of it."""
    search, _ = search_states(lift(Twins), {Place: 3}, Limits())
    assert search.reduced
    (marked,) = [i for i, s in enumerate(search.space.unpack(search.layers[1])) if s[0] == s[1:4].index(True)]
    at = search.layout.index["at", ()]
    trail = search.trails.first(Goal(1, [marked]), lambda state: state[at] == 2)
    ground = search.layout.ground_actions()
    assert [ground[number][0].called(ground[number][1]) for number in trail.actions] == ["mark(place2)"]
    assert search.layout.show(trail.start)["at"] == "place2"


@model
class Maze:
    """Two ways through the middle look alike; only the second leads to the member that is wanted."""

    first: Place | None = var(None)
    second: Place | None = var(None)

    @action
    def enter(self, p: Place) -> None:
        require(self.first is None)
        self.first = p

    @action
    def leave(self, p: Place) -> None:
        require(self.first is not None and self.second is None and p is not self.first)
        self.second = p


def test_a_trail_goes_back_from_the_middle_too() -> None:
    search, _ = search_states(lift(Maze), {Place: 3}, Limits())
    assert search.reduced and search.space.size(search.layers[2]) == 1
    first, second = search.layout.index["first", ()], search.layout.index["second", ()]
    trail = search.trails.first(Goal(2, [0]), lambda state: (state[first], state[second]) == (1, 0))
    ground = search.layout.ground_actions()
    called = [ground[number][0].called(ground[number][1]) for number in trail.actions]
    assert called == ["enter(place1)", "leave(place0)"]


def test_a_goal_that_no_path_leads_to_is_a_disagreement() -> None:
    search, _ = search_states(lift(Twins), {Place: 2}, Limits())
    with pytest.raises(Disagreement, match="no path leads to a state"):
        search.trails.first(Goal(2, [0]), lambda state: False)
