"""graph: every state of a model in a scope and every step between them, for engines that ask about whole runs.

States are tuples in the order in which a breadth-first search meets them, so the way by which each was met first is
a shortest one, and among the shortest the first in the order of actions and members. Steps are held in arrays, eight
bytes each.

Sound when the lifted model is certified. What it could not hold it says: why the search was ``cut``, and which states
are ``odd``, because a Range is left in them or an action raises there.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence

import attrs

from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State, range_name
from meshspec.display import Shown
from meshspec.engines.limits import INTERRUPTED, Limits, memory_now
from meshspec.lang.lift import LiftedModel
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

_BETWEEN_LOOKS = 1024


def _ints() -> array[int]:
    return array("i")


@attrs.define
class Graph(Shown):
    """States and steps; the steps of state ``s`` are those numbered ``first[s]`` to ``first[s + 1] - 1``.

    Attributes:
        states: in the order found, the ``initial`` first ones being the initial states.
        first: where the steps of each state begin; a state beyond ``expanded`` has none because of the cut.
        actions, targets: of each step the ground action's number and the state it leads to.
        parents, by: the state from which each was met first and the action that led there, -1 for initial states.
        odd: states whose steps are not all steps of the model: a Range is left, or an action raises; and which.
        cut: why the search stopped early, or nothing.
    """

    layout: Layout
    states: list[State] = attrs.field(factory=list[State])
    initial: int = 0
    first: array[int] = attrs.field(factory=lambda: array("q", [0]))
    actions: array[int] = attrs.field(factory=_ints)
    targets: array[int] = attrs.field(factory=_ints)
    parents: array[int] = attrs.field(factory=_ints)
    by: array[int] = attrs.field(factory=_ints)
    odd: dict[int, str] = attrs.field(factory=dict[int, str])
    cut: str = ""

    @property
    def expanded(self) -> int:
        """How many states have had their steps taken: the first so many."""
        return len(self.first) - 1

    @property
    def steps(self) -> int:
        return self.first[-1]

    @property
    def flaw(self) -> str:
        """Why nothing that needs every run can be concluded from this graph, or nothing."""
        if self.cut:
            return self.cut if self.cut == INTERRUPTED else f"cut off by {self.cut}"
        for state, why in self.odd.items():
            return f"{why} after {self.way(state)}: what follows is no run of the model"
        return ""

    def whole(self, state: int) -> bool:
        """Whether every step from this state is held, and it is one of the model."""
        return state < self.expanded and state not in self.odd

    def after(self, state: int) -> Iterator[tuple[int, int]]:
        """The steps from a state: (ground action, state reached)."""
        if state < self.expanded:
            for step in range(self.first[state], self.first[state + 1]):
                yield self.actions[step], self.targets[step]

    def path(self, state: int) -> tuple[int, list[tuple[int, int]]]:
        """The initial state from which this one is met first, and the steps: (ground action, state reached)."""
        steps: list[tuple[int, int]] = []
        while self.parents[state] >= 0:
            steps.append((self.by[state], state))
            state = self.parents[state]
        return state, steps[::-1]

    def way(self, state: int) -> str:
        ground = self.layout.ground_actions()
        called = [ground[action][0].called(ground[action][1]) for action, _ in self.path(state)[1]]
        return ", ".join(called) or "no step"


def build(
    model: LiftedModel, sizes: Mapping[type[Sort], int], limits: Limits | None = None, progress: Progress = silent
) -> Graph:
    """The graph of the model in this scope, or as much of it as the limits allow.

    Raises :class:`meshspec.errors.UsageError` for a scope that lacks a sort or is too large to build.
    """
    layout = Layout(model, sizes)
    graph = Graph(layout)
    try:
        _Build(graph, Generator(layout), limits or Limits(), progress).go()
    except KeyboardInterrupt:
        graph.cut = INTERRUPTED
    except MemoryError:
        graph.cut = "the end of memory"
    progress("")
    return graph


class _Build:
    def __init__(self, graph: Graph, generator: Generator, limits: Limits, progress: Progress) -> None:
        self.graph, self.limits, self.progress = graph, limits, progress
        self.successors = generator.successors()
        self.out_of_range = generator.out_of_range()
        self.ground = graph.layout.ground_actions()
        self.number: dict[State, int] = {}
        self.before = memory_now()

    def go(self) -> None:
        graph = self.graph
        for state in graph.layout.initial_states():
            if self._met(state, -1, -1) < 0:
                return
        graph.initial = len(graph.states)
        while (here := graph.expanded) < len(graph.states):
            if here % _BETWEEN_LOOKS == 0:
                self.progress(f"{graph.layout.model.name}: {len(graph.states):,} states, {graph.steps:,} steps")
            if not self._expand(here):
                return

    def _expand(self, here: int) -> bool:
        """Take the steps of one state; where a bound is reached, it is left as if it had not been looked at."""
        graph = self.graph
        closed = here in graph.odd  # a Range is left: what a model means ends there, and no step goes on
        for action, state, error in () if closed else self.successors(graph.states[here]):
            if state is None:
                lifted, arguments = self.ground[action]
                graph.odd.setdefault(here, f"{lifted.called(arguments)} raises {error}")
                continue
            reached = self._met(state, here, action)
            if reached < 0:
                return False
            graph.actions.append(action)
            graph.targets.append(reached)
        graph.first.append(len(graph.targets))
        return True

    def _met(self, state: State, parent: int, action: int) -> int:
        """The number of a state, taken in if it is new; -1 when a bound is reached."""
        number = self.number.get(state)
        if number is not None:
            return number
        graph, number = self.graph, len(self.graph.states)
        if number >= self.limits.max_states:
            graph.cut = f"--max-states of {self.limits.max_states:,}"
        elif number % _BETWEEN_LOOKS == 0 and memory_now() - self.before > self.limits.max_memory:
            graph.cut = f"--max-memory of {self.limits.max_memory:,} bytes"
        if graph.cut:
            return -1
        self.number[state] = number
        graph.states.append(state)
        graph.parents.append(parent)
        graph.by.append(action)
        for cell in self.out_of_range(state):
            name = range_name(graph.layout.cells[cell].variable, graph.layout.model.instance)
            graph.odd.setdefault(number, f"{name!r} is left")
        return number


class Regions:
    """Strongly connected components of parts of a graph.

    Tarjan's algorithm with a stack of its own (SIAM J. Comput. 1(2), 1972), on the graph's arrays and not networkx:
    fairness asks for the components of many parts, and to give networkx one of them as a graph of objects takes
    several times as long as to search it here, and some hundred bytes a step. Tests hold the two against each other.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        blank = bytes(4 * len(graph.states))
        self._group, self._index, self._low = array("i", blank), array("i", blank), array("i", blank)
        self._groups = 0

    def components(self, states: Sequence[int]) -> list[list[int]]:
        """Those of the part on `states` (all of them expanded) that hold a cycle, a step to itself included."""
        graph, group, index, low = self.graph, self._group, self._index, self._low
        first, targets = graph.first, graph.targets
        self._groups += 1
        mine, counter = self._groups, 0
        for state in states:
            group[state], index[state] = mine, 0
        found: list[list[int]] = []
        open_: list[int] = []
        for root in states:
            if group[root] != mine:
                continue  # in a component already: it has left the group
            counter += 1
            index[root] = low[root] = counter
            open_.append(root)
            calls, places = [root], [first[root]]
            while calls:
                state, step = calls[-1], places[-1]
                end = first[state + 1]
                while step < end:
                    target = targets[step]
                    step += 1
                    if group[target] != mine:
                        continue
                    if not index[target]:
                        places[-1] = step
                        counter += 1
                        index[target] = low[target] = counter
                        open_.append(target)
                        calls.append(target)
                        places.append(first[target])
                        break
                    low[state] = min(low[state], index[target])
                else:
                    calls.pop()
                    places.pop()
                    if low[state] == index[state]:
                        at = len(open_) - 1
                        while open_[at] != state:
                            at -= 1
                        part = open_[at:]
                        del open_[at:]
                        for member in part:
                            group[member] = 0
                        if len(part) > 1 or state in targets[first[state] : end]:
                            found.append(sorted(part))
                    if calls:
                        low[calls[-1]] = min(low[calls[-1]], low[state])
        return found
