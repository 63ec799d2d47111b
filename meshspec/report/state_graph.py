"""Every reachable state of a scope and every step, as a drawing needs them: labels, starts, what is refuted where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from meshspec.backends.generated import Generator
from meshspec.backends.layout import NO_RAISE, State, range_name
from meshspec.engines.explore import ENDS
from meshspec.engines.graph import Graph, build
from meshspec.engines.limits import INTERRUPTED, Limits
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

FULL = 6  # a state with so few cells is always shown whole


@attrs.frozen
class Node:
    """A state: its cells as text (of one that is no start only those unlike the first start), what it refutes."""

    cells: tuple[str, ...]
    initial: bool
    refutes: tuple[str, ...]

    @property
    def label(self) -> str:
        return ", ".join(self.cells) or "as at the start, in all cells"


@attrs.frozen
class Edge:
    """All steps from one state to another: the actions, in order, and whether all of them are faults."""

    source: int
    target: int
    actions: tuple[str, ...]
    fault: bool

    @property
    def label(self) -> str:
        return ", ".join(self.actions)


@attrs.frozen
class StateGraph:
    name: str
    scope: Mapping[str, int]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def state_graph(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    most: int,
    *,
    otherwise: str = "",
    only: str = "",
    progress: Progress = silent,
) -> StateGraph:
    """The graph of a scope with at most `most` states.

    With `only`, the name of a property, just what refutes that one is marked. Raises :class:`UsageError` for a model
    with more states, saying what to do instead (`otherwise` is a further thing to do).
    """
    graph = build(model, sizes, Limits(max_states=most), progress)
    if graph.cut == INTERRUPTED:
        raise KeyboardInterrupt
    if graph.cut:
        scope = ",".join(f"{sort}={size}" for sort, size in graph.layout.scope_names.items())
        smaller = [f"a smaller --scope than {scope}"] if any(size > 1 for size in sizes.values()) else []
        instead = ", or ".join([*smaller, *([otherwise] if otherwise else []), "meshspec step, which walks it"])
        raise UsageError(f"{model.name} has more than {most:,} states, too many to be drawn: take {instead}")
    return _Drawn(model, graph, only).drawn()


class _Drawn:
    def __init__(self, model: LiftedModel, graph: Graph, only: str) -> None:
        self.model, self.graph, self.layout, self.only = model, graph, graph.layout, only
        self.ground = self.layout.ground_actions()
        self.called = [lifted.called(arguments) for lifted, arguments in self.ground]
        generator = Generator(self.layout)
        self.outside, self.successors = generator.out_of_range(), generator.successors()
        self.claims = [
            (lifted, generator.first_failure(lifted.claim, [generator.names(lifted, a) for a in arguments]))
            for lifted in model.claims
            if lifted.method.kind in ("always", "lemma", "terminal")
            for arguments in [self.layout.arguments(lifted.parameters)]
        ]

    def drawn(self) -> StateGraph:
        first = self.layout.show(self.graph.states[0])
        nodes = tuple(self._node(number, state, first) for number, state in enumerate(self.graph.states))
        return StateGraph(self.model.name, self.layout.scope_names, nodes, tuple(self._edges()))

    def _node(self, number: int, state: State, first: Mapping[str, str]) -> Node:
        shown, initial = self.layout.show(state), number < self.graph.initial
        whole = initial or len(shown) <= FULL
        cells = tuple(f"{cell} = {value}" for cell, value in shown.items() if whole or value != first[cell])
        refuted = [name for name in self._refuted(state) if self.only in ("", name)]
        return Node(cells, initial, tuple(refuted))

    def _refuted(self, state: State) -> Iterator[str]:
        if out := self.outside(state):  # no claim is asked of a state in which a Range is left
            variables = [self.layout.cells[cell].variable for cell in out]
            yield from dict.fromkeys(range_name(variable, self.model.instance) for variable in variables)
            return
        after = self.successors(state)
        if any(reached is None for _, reached, _ in after):
            yield NO_RAISE
        for lifted, fails in self.claims:
            terminal = lifted.method.kind == "terminal"
            if (not terminal or not after) and fails(state) >= 0:
                yield ENDS if terminal else lifted.name

    def _edges(self) -> Iterator[Edge]:
        for source in range(len(self.graph.states)):
            actions: dict[int, list[int]] = {}
            for action, target in self.graph.after(source):
                actions.setdefault(target, []).append(action)
            for target, taken in actions.items():
                faults = all(self.ground[action][0].method.kind == "fault" for action in taken)
                yield Edge(source, target, tuple(self.called[action] for action in taken), faults)
