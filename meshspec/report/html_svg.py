"""A small directed graph as inline SVG, in columns from left to right: no script, no tool, the same every time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import attrs

from meshspec.report.html_parts import Html, element, scrolling

MOST_NODES = 60
"""The most nodes of a drawing that anyone can still read."""

MOST_LABELS = 60
"""The most labels of edges; with more of them none is drawn, and each is told by its edge's title alone."""

MOST_EDGES = 1_500
"""The most edges that are drawn."""

_LETTER, _SMALL = 6.7, 6.1  # how wide a letter is, of a node's label and of an edge's
_HIGH, _LOOP = 26, 26
_LONGEST = 34


@attrs.frozen
class Node:
    """A node: its label, what is told when it is pointed at, and a word below it.

    One that is ``double`` has a second border, one that is ``bad`` a cross before its label and a heavier border.
    """

    label: str
    title: str = ""
    word: str = ""
    double: bool = False
    bad: bool = False

    @property
    def shown(self) -> str:
        return f"✗ {shortened(self.label)}" if self.bad else shortened(self.label)


@attrs.frozen
class Edge:
    """An edge between two nodes, by their numbers."""

    source: int
    target: int
    label: str = ""
    dashed: bool = False


@attrs.frozen
class _Place:
    x: float
    y: float
    wide: float = 0

    @property
    def left(self) -> float:
        return self.x - self.wide / 2

    @property
    def right(self) -> float:
        return self.x + self.wide / 2

    @property
    def top(self) -> float:
        return self.y - _HIGH / 2


@attrs.frozen
class _Line:
    """An edge: its path, where its tip is and which way that points, where its label stands, how high it goes."""

    path: str
    tip: tuple[float, float, int, int]
    label: tuple[float, float]
    top: float


def shortened(said: str) -> str:
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"


def merged(edges: Iterable[Edge]) -> list[Edge]:
    """One edge for all that lead from one node to another, with all their labels; dashed where all of them are."""
    found: dict[tuple[int, int], list[Edge]] = {}
    for edge in edges:
        found.setdefault((edge.source, edge.target), []).append(edge)
    return [
        Edge(*ends, ", ".join(dict.fromkeys(e.label for e in same if e.label)), all(e.dashed for e in same))
        for ends, same in found.items()
    ]


def drawn(nodes: Sequence[Node], edges: Sequence[Edge], columns: Sequence[int], about: str) -> Html:
    """The drawing; `columns` says in which column each node stands, counted from 0, and `about` what it shows."""
    edges = edges[:MOST_EDGES]
    labelled = sum(bool(edge.label) for edge in edges) <= MOST_LABELS
    places, ways = _placed(nodes, edges, columns, labelled)
    lines = [
        _line(edge, places, way, columns, number) for number, (edge, way) in enumerate(zip(edges, ways, strict=True))
    ]
    top = min([place.top for place in places] + [one.top for one in lines], default=0) - 16
    named = [(edge, one) for edge, one in zip(edges, lines, strict=True) if labelled and edge.label]
    ends = [one.label[0] + len(shortened(edge.label)) * _SMALL / 2 for edge, one in named]
    wide = max([place.right + 40 for place in places] + ends, default=0) + 8
    high = max((place.y for place in places), default=0) + 40 - top
    drawing = element(
        "svg",
        element("title", about),
        *(_edge(edge, nodes, one) for edge, one in zip(edges, lines, strict=True)),
        *map(_node, nodes, places),
        *(_label(edge, one) for edge, one in named),
        role="img",
        xmlns="http://www.w3.org/2000/svg",
        width=round(wide),
        height=round(high),
        viewBox=f"0 {round(top)} {round(wide)} {round(high)}",
    )
    return scrolling(drawing, about)


# -- where everything stands -----------------------------------------------------------------------------------


def ordered(columns: Sequence[int], edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The nodes of each column, ordered so that fewer edges cross: each near the middle of its neighbours.

    Barycentres, to and fro (Sugiyama, Tagawa and Toda, 1981); ties stay in the order given.
    """
    rows: list[list[int]] = [[] for _ in range(max(columns, default=-1) + 1)]
    for node, column in enumerate(columns):
        rows[column].append(node)
    before: list[list[int]] = [[] for _ in columns]
    after: list[list[int]] = [[] for _ in columns]
    for source, target in edges:
        if columns[source] < columns[target]:
            before[target].append(source)
            after[source].append(target)
    for _ in range(4):
        for towards, near in ((rows, before), (rows[::-1], after)):
            place = _middles(rows)
            for row in towards:
                wish = {node: [place[other] for other in near[node]] or [place[node]] for node in row}
                mean = {node: sum(wish[node]) / len(wish[node]) for node in row}
                row.sort(key=mean.__getitem__)
                place |= _middles([row])
    return rows


def _middles(rows: Sequence[Sequence[int]]) -> dict[int, float]:
    return {node: (at + 0.5) / len(row) for row in rows for at, node in enumerate(row)}


def _placed(
    nodes: Sequence[Node], edges: Sequence[Edge], columns: Sequence[int], labelled: bool
) -> tuple[list[_Place], list[list[_Place]]]:
    """Where each node stands; and for each edge that passes columns by, the places that are kept free for it."""
    every, passing, hops = list(columns), list[list[int]](), list[tuple[int, int]]()
    for edge in edges:
        between = range(columns[edge.source] + 1, columns[edge.target])
        passing.append(list(range(len(every), len(every) + len(between))))
        every += between
        way = [edge.source, *passing[-1], edge.target]
        hops += pairwise(way)
    rows = ordered(every, hops)
    widths = [max(30.0, len(node.shown) * _LETTER + 16) for node in nodes]
    loops = {e.source: len(shortened(e.label)) * _SMALL for e in edges if labelled and e.source == e.target}
    tallest = max(map(len, rows), default=0)
    step = _HIGH + (46 if loops else 32 if labelled else 26) + (10 if any(node.word for node in nodes) else 0)
    found: dict[int, _Place] = {}
    left = 14.0
    for number, row in enumerate(rows):
        wide = max(max((widths[n] for n in row if n < len(nodes)), default=0), max(loops.get(n, 0) for n in row))
        for at, node in enumerate(row):
            y = (at + (tallest - len(row)) / 2) * step
            found[node] = _Place(left + wide / 2, y, widths[node] if node < len(nodes) else 0)
        leaving = [e.label for e in edges if columns[e.source] == number and e.source != e.target and labelled]
        longest = max((len(shortened(label)) for label in leaving), default=0)
        left += wide + max(56, longest * _SMALL * 1.3 + 44 if longest else 0)
    return [found[node] for node in range(len(nodes))], [[found[node] for node in way] for way in passing]


def _line(edge: Edge, places: Sequence[_Place], way: Sequence[_Place], columns: Sequence[int], number: int) -> _Line:
    source, target, back = places[edge.source], places[edge.target], columns[edge.source] - columns[edge.target]
    if edge.source == edge.target:
        x, y = source.x, source.top
        return _Line(
            f"M{_n(x - 8)} {_n(y)}C{_n(x - 16)} {_n(y - _LOOP)} {_n(x + 16)} {_n(y - _LOOP)} {_n(x + 8)} {_n(y - 5)}",
            (x + 8, y, 0, 1),
            (x, y - _LOOP * 0.85),
            y - _LOOP,
        )
    if back < 0:
        return _forward(source, way, target, number)
    if back == 0:
        far = max(source.right, target.right) + 28
        path = f"M{_n(source.right)} {_n(source.y)}C{_n(far)} {_n(source.y)} {_n(far)} {_n(target.y)} "
        middle = (far - 6, (source.y + target.y) / 2)
        return _Line(
            f"{path}{_n(target.right + 5)} {_n(target.y)}", (target.right, target.y, -1, 0), middle, target.top
        )
    bow, x = min(24 + 12.0 * back, 90), target.x + 6
    path = f"M{_n(source.x)} {_n(source.top)}C{_n(source.x)} {_n(source.top - bow)} {_n(x)} {_n(target.top - bow)} "
    middle = ((source.x + x) / 2, (source.top + target.top) / 2 - bow * 0.75)
    top = min(source.top, target.top) - bow * 0.8
    return _Line(f"{path}{_n(x)} {_n(target.top - 5)}", (x, target.top, 0, 1), middle, top)


def _forward(source: _Place, way: Sequence[_Place], target: _Place, number: int) -> _Line:
    """From left to right, through the places kept free in the columns between."""
    stops = [(source.right, source.y), *((place.x, place.y) for place in way), (target.left, target.y)]
    path = f"M{_n(stops[0][0])} {_n(stops[0][1])}"
    for (x, y), (to_x, to_y) in pairwise(stops):
        bend = (to_x - x) * 0.5
        end = to_x - 5 if (to_x, to_y) == stops[-1] else to_x
        path += f"C{_n(x + bend)} {_n(y)} {_n(to_x - bend)} {_n(to_y)} {_n(end)} {_n(to_y)}"
    along = (0.5, 0.42, 0.58)[number % 3]  # labels of neighbours do not stand in one line
    smooth = along * along * (3 - 2 * along)
    (x, y), (to_x, to_y) = stops[0], stops[1]
    label = (x + (to_x - x) * along, y + (to_y - y) * smooth + 4)
    return _Line(path, (target.left, target.y, 1, 0), label, min(source.top, target.top))


# -- ink -------------------------------------------------------------------------------------------------------


def _node(node: Node, place: _Place) -> Html:
    def box(by: float) -> Html:
        return element(
            "rect", x=_n(place.left - by), y=_n(place.top - by), width=_n(place.wide + 2 * by),
            height=_n(_HIGH + 2 * by), rx=6, class_="ms-node ms-wrong" if node.bad else "ms-node",
        )  # fmt: skip

    boxes = [box(3.5), box(0)] if node.double else [box(0)]
    label = element("text", node.shown, x=_n(place.x), y=_n(place.y + 4), text_anchor="middle")
    below = place.y + _HIGH / 2 + (16 if node.double else 13)
    word = element("text", shortened(node.word), x=_n(place.x), y=_n(below), text_anchor="middle", class_="ms-quiet")
    title = [element("title", node.title)] if node.title else []
    return element("g", *title, *boxes, label, *([word] if node.word else []))


def _edge(edge: Edge, nodes: Sequence[Node], line: _Line) -> Html:
    """A line with its head, which is drawn and not referred to, since a name would be the whole page's."""
    x, y, right, down = line.tip
    corners = [(x, y), *((x - 7 * right - side * down, y - 7 * down - side * right) for side in (3.5, -3.5))]
    head = element("polygon", points=" ".join(f"{_n(a)},{_n(b)}" for a, b in corners), class_="ms-tip")
    ends = f"{nodes[edge.source].label} -> {nodes[edge.target].label}"
    title = element("title", f"{ends}: {edge.label}" if edge.label else ends)
    return element("g", title, element("path", d=line.path, class_=f"ms-edge{' ms-dashed' * edge.dashed}"), head)


def _label(edge: Edge, line: _Line) -> Html:
    x, y = line.label
    said = shortened(edge.label)
    return element("text", said, x=_n(x), y=_n(y), text_anchor="middle", class_="ms-quiet ms-label")


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
