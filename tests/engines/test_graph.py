"""graph: every state and every step, its strongly connected components, and what it says it does not hold."""

from __future__ import annotations

import importlib
import itertools
import random
from array import array
from collections.abc import Callable
from typing import Annotated, Any, cast

import pytest

from meshspec import Range, action, any_of, choose, model, require, var
from meshspec.backends.evaluate import run
from meshspec.backends.native import Next
from meshspec.engines import graph as graphs
from meshspec.engines.graph import Graph, Regions, build
from meshspec.engines.limits import INTERRUPTED, Limits
from meshspec.lang.lift import lift
from tests.models.leases import ExpiringLease, Worker
from tests.models.lock import Peterson
from tests.models.two_phase_commit import Manager, TwoPhase

nx: Any = importlib.import_module("networkx")  # its stubs are a package of their own


@pytest.mark.parametrize(("managers", "states"), [(1, 12), (2, 56), (3, 288)])
def test_it_holds_the_states_that_two_phase_commit_is_known_to_have(managers: int, states: int) -> None:
    graph = build(lift(TwoPhase), {Manager: managers})
    assert (len(graph.states), graph.expanded, graph.initial, graph.flaw) == (states, states, 1, "")


@pytest.mark.parametrize(("cls", "sizes"), [(Peterson, {}), (ExpiringLease, {Worker: 2}), (TwoPhase, {Manager: 2})])
def test_its_steps_are_those_of_the_interpreter(cls: type, sizes: Any) -> None:
    graph = build(lift(cls), sizes)
    layout = graph.layout
    for state, held in enumerate(graph.states):
        expected: list[tuple[int, int]] = []
        for number, (lifted, arguments) in enumerate(layout.ground_actions()):
            after = run(layout, lifted, layout.decode(held), arguments)
            if isinstance(after, Next):
                expected.append((number, graph.states.index(layout.encode(after.values))))
        assert list(graph.after(state)) == expected


def test_the_way_to_a_state_is_a_shortest_one_and_the_first_of_those() -> None:
    graph = build(lift(Peterson), {})
    ways: dict[int, list[tuple[int, ...]]] = {0: [()]}
    for length in itertools.count(1):
        longer: dict[int, list[tuple[int, ...]]] = {}
        for state, paths in ways.items():
            for action_, after in graph.after(state):
                longer.setdefault(after, []).extend((*path, action_) for path in paths if len(path) == length - 1)
        new = {state: [p for p in paths if p] for state, paths in longer.items() if state not in ways and paths}
        if not new:
            break
        ways |= new
    for state in range(len(graph.states)):
        start, path = graph.path(state)
        assert start == 0
        assert tuple(action_ for action_, _ in path) == min(ways[state])
    assert graph.way(0) == "no step"


@model
class Wild:
    """Two ways to begin, one to leave the Range, one to raise, and a choice that makes no difference twice."""

    n: Annotated[int, Range(0, 3)] = var(any_of(0, 2))

    @action
    def up(self) -> None:
        self.n += 1

    @action
    def divide(self) -> None:
        require(self.n == 1)
        self.n = 1 // (self.n - 1)

    @action
    def jump(self) -> None:
        to: int = choose(range(2))
        require(self.n == 0)
        self.n = to


def test_it_says_where_a_range_is_left_and_where_an_action_raises() -> None:
    graph = build(lift(Wild), {})
    assert [state[0] for state in graph.states] == [0, 2, 1, 3, 4]
    assert graph.initial == 2
    assert graph.odd == {2: "divide raises ZeroDivisionError", 4: "'n stays in 0..3' is left"}
    assert list(graph.after(4)) == []
    assert [state for state in range(5) if graph.whole(state)] == [0, 1, 3]
    assert [graph.layout.ground_actions()[a][0].name for a, _ in graph.after(0)] == ["up", "jump", "jump"]
    assert "divide raises ZeroDivisionError after up" in graph.flaw or "is left after up, up" in graph.flaw


@pytest.mark.parametrize("most", range(1, 57))
def test_a_cut_leaves_a_beginning_of_the_graph(most: int) -> None:
    whole = build(lift(TwoPhase), {Manager: 2})
    cut = build(lift(TwoPhase), {Manager: 2}, Limits(max_states=most))
    assert cut.states == whole.states[: len(cut.states)]
    assert len(cut.states) == most
    assert (cut.cut == "") == (most == len(whole.states))
    for state in range(cut.expanded):
        assert list(cut.after(state)) == list(whole.after(state))
    assert cut.expanded < most or most == len(whole.states)
    assert list(cut.after(most - 1)) == [] or most == len(whole.states)
    assert not cut.whole(most - 1) or most == len(whole.states)


def test_memory_and_ctrl_c_cut_it(monkeypatch: pytest.MonkeyPatch) -> None:
    used = iter(range(0, 10**9, 10**6))
    monkeypatch.setattr(graphs, "memory_now", lambda: next(used))
    graph = build(lift(Peterson), {}, Limits(max_memory=1))
    assert (graph.cut, graph.flaw) == ("--max-memory of 1 bytes", "cut off by --max-memory of 1 bytes")

    def stops(error: type[BaseException]) -> Callable[[], int]:
        def now() -> int:
            raise error

        return now

    for error, why in ((KeyboardInterrupt, INTERRUPTED), (MemoryError, "the end of memory")):
        calls = iter([lambda: 0, stops(error)])
        monkeypatch.setattr(graphs, "memory_now", lambda calls=calls: next(calls)())
        assert build(lift(Peterson), {}).cut == why


# -- components ------------------------------------------------------------------------------------------------


def plain(edges: list[list[int]]) -> Graph:
    """A graph of numbers alone."""
    graph = Graph(cast(Any, None), states=[(n,) for n in range(len(edges))])
    for targets in edges:
        graph.targets.extend(targets)
        graph.actions.extend(range(len(targets)))
        graph.first.append(len(graph.targets))
    return graph


def by_networkx(edges: list[list[int]], inside: set[int]) -> list[list[int]]:
    made: Any = nx.DiGraph()
    made.add_nodes_from(inside)
    made.add_edges_from((a, b) for a in inside for b in edges[a] if b in inside)
    every: list[list[int]] = [sorted(part) for part in nx.strongly_connected_components(made)]
    return sorted(part for part in every if len(part) > 1 or part[0] in edges[part[0]])


def test_components_are_those_of_networkx_on_many_parts_of_many_graphs() -> None:
    rnd = random.Random(5)
    sizes: set[int] = set()
    for _ in range(300):
        number = rnd.randrange(1, 12)
        density = rnd.choice((0.5, 1, 1.5, 3)) / number
        edges = [[b for b in range(number) if rnd.random() < density] for _ in range(number)]
        regions = Regions(plain(edges))
        for _ in range(4):  # one after the other: nothing may be left over from the part before
            inside = {n for n in range(number) if rnd.random() < 0.8}
            found = regions.components(sorted(inside))
            assert sorted(found) == by_networkx(edges, inside)
            sizes |= set(map(len, found))
    assert {1, 2, 3, 6} <= sizes


def test_components_of_a_model_are_those_of_networkx() -> None:
    graph = build(lift(ExpiringLease), {Worker: 3})
    edges = [[target for _, target in graph.after(state)] for state in range(len(graph.states))]
    every = range(len(graph.states))
    assert sorted(Regions(graph).components(every)) == by_networkx(edges, set(every))


def test_a_long_way_needs_no_deep_stack() -> None:
    number = 50_000
    ring = plain([[(n + 1) % number] for n in range(number)])
    (part,) = Regions(ring).components(range(number))
    assert len(part) == number
    assert isinstance(part, list)
    assert isinstance(ring.targets, array)
