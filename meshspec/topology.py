"""Who depends on whom: the components of a system, their owners, and what they depend on and delegate to.

Plain data in, questions about reach out. A graph of networkx holds it, which is loaded when there is one.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs

from meshspec.display import Shown
from meshspec.errors import UsageError

if TYPE_CHECKING:
    import networkx as nx


def _networkx() -> Any:
    return importlib.import_module("networkx")


@attrs.frozen
class Component:
    """A part of a system: its name, what kind of thing it is, and who owns it."""

    name: str
    kind: str
    owner: str


class Topology(Shown):
    """Components and the edges between them.

    `components` are objects or mappings with ``name``, ``kind`` and ``owner``; `edges` triples (from, to, relation),
    where the relation is one of :data:`RELATIONS`. Cycles are no error, they are told by :attr:`cycles`.

    Raises :class:`UsageError` for a name or an edge given twice, an end that is no component, and any other relation.

    >>> mesh = Topology(
    ...     [Component("ledger", "service", "payments"), Component("agent", "agent", "support")],
    ...     [("agent", "ledger", "depends-on")],
    ... )
    >>> mesh.upstream("agent"), mesh.downstream("ledger"), mesh.owners_of("agent")
    (('ledger',), ('agent',), ('support', 'payments'))
    """

    RELATIONS: ClassVar = ("depends-on", "delegates-to")

    def __init__(
        self,
        components: Iterable[Component | Mapping[str, str]],
        edges: Iterable[tuple[str, str, str]] = (),
    ) -> None:
        self._graph: nx.MultiDiGraph[str] = _networkx().MultiDiGraph()
        self._components: dict[str, Component] = {}
        for given in components:
            one = given if isinstance(given, Component) else _component(given)
            if one.name in self._components:
                raise UsageError(f"there are two components {one.name!r}: give each a name of its own")
            self._components[one.name] = one
            self._graph.add_node(one.name, kind=one.kind, owner=one.owner)
        for source, target, relation in edges:
            if relation not in self.RELATIONS:
                raise UsageError(
                    f"{source} -> {target}: {relation!r} is no relation; write {' or '.join(self.RELATIONS)}"
                )
            for end in (source, target):
                self._known(end, f"{source} -> {target}: ")
            if self._graph.has_edge(source, target, key=relation):
                raise UsageError(f"{source} {relation} {target} is given twice")
            self._graph.add_edge(source, target, key=relation)

    def _known(self, name: str, before: str = "") -> str:
        if name not in self._components:
            raise UsageError(
                f"{before}there is no component {name!r}; there are {', '.join(self._components) or 'none'}"
            )
        return name

    @property
    def components(self) -> tuple[Component, ...]:
        return tuple(self._components.values())

    @property
    def edges(self) -> tuple[tuple[str, str, str], ...]:
        """Every edge as (from, to, relation), in the order given."""
        return tuple((str(a), str(b), str(how)) for a, b, how in cast("Any", self._graph.edges(keys=True)))

    def links(self, name: str, relation: str) -> tuple[str, ...]:
        """The components that one depends on, or delegates to, directly."""
        return tuple(b for a, b, how in self.edges if a == self._known(name) and how == relation)

    def upstream(self, name: str) -> tuple[str, ...]:
        """All that a component rests on, however far away, in the order given; itself only in a cycle."""
        return self._reached(name, self._graph)

    def downstream(self, name: str) -> tuple[str, ...]:
        """All that rests on a component, however far away, in the order given; itself only in a cycle."""
        return self._reached(name, self._graph.reverse(copy=False))

    def _reached(self, name: str, graph: nx.MultiDiGraph[str]) -> tuple[str, ...]:
        nx = _networkx()
        found: set[str] = set()
        for first in graph.successors(self._known(name)):
            found |= {first, *nx.descendants(graph, first)}
        return tuple(one for one in self._components if one in found)

    def owners_of(self, name: str) -> tuple[str, ...]:
        """The owner of a component, then those of all that it rests on, each once."""
        return tuple(dict.fromkeys(self._components[one].owner for one in (self._known(name), *self.upstream(name))))

    @property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """A shortest cycle of each set of components that rest on each other, from the first of them on."""
        nx = _networkx()
        found: list[tuple[str, ...]] = []
        for tied in nx.strongly_connected_components(self._graph):
            first = next(name for name in self._components if name in tied)
            inside = nx.DiGraph([(a, b) for a, b, _ in self.edges if a in tied and b in tied])  # in the order given
            if first not in inside:
                continue
            ways = [nx.shortest_path(inside, after, first) for after in inside.successors(first)]
            found.append((first, *min(ways, key=len)[:-1]))
        return tuple(sorted(found, key=lambda names: list(self._components).index(names[0])))

    @property
    def columns(self) -> tuple[int, ...]:
        """For each component how many stand before it on a longest way, a cycle counting as one; for drawings."""
        nx = _networkx()
        whole = nx.condensation(nx.DiGraph(self._graph))
        layers = [set(layer) for layer in nx.topological_generations(whole)]
        of: dict[str, int] = whole.graph["mapping"]
        return tuple(next(n for n, layer in enumerate(layers) if of[name] in layer) for name in self._components)

    def to_networkx(self) -> nx.MultiDiGraph[str]:
        """A copy as a graph of networkx: ``kind`` and ``owner`` at each node, the relation as an edge's key."""
        return self._graph.copy()


def _component(given: Mapping[str, str]) -> Component:
    wanted = ("name", "kind", "owner")
    if sorted(given) != sorted(wanted):
        raise UsageError(
            f"a component has {', '.join(wanted)}, and this one has {', '.join(map(str, given)) or 'nothing'}"
        )
    return Component(**{key: given[key] for key in wanted})
