"""State graphs, topologies and walks as HTML: a drawing where it can be read, tables below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from meshspec.engines.graph import Graph
from meshspec.engines.limits import INTERRUPTED
from meshspec.engines.walk import Broken, Walk
from meshspec.report import text
from meshspec.report.dot import MOST
from meshspec.report.html_findings import line, state, step_items
from meshspec.report.html_parts import Html, code, element, joined, part, some, table
from meshspec.report.html_svg import MOST_NODES, Edge, Node, drawn, merged
from meshspec.report.state_graph import state_graph
from meshspec.targets import target_of
from meshspec.topology import Topology


def refusal(graph: Graph) -> str:
    """Why a state graph is not drawn, and what to do instead; empty where it is."""
    if len(graph.states) <= MOST_NODES:
        return ""
    instead = ["to_dataframe() for every step as a table"]
    if any(size > 1 for size in graph.layout.sizes.values()):
        instead.insert(0, "a smaller scope")
    if graph.cut:
        instead.append("max_states=... for more of them")
    elif len(graph.states) <= MOST and (name := _reached(graph)):
        instead.append(f"meshspec show {name} --format dot for a tool")
    return (
        f"not drawn: {len(graph.states):,} states are more than the {MOST_NODES} that can be told apart. "
        f"Take {', or '.join(instead)}"
    )


def _reached(graph: Graph) -> str:
    """The name by which a command line reaches the model as it is, or nothing."""
    instance, known = graph.layout.model.instance, graph.layout.model.declared
    given: Any = known.cls
    usual = all(getattr(instance, f.name) == f.default for f in attrs.fields(given) if f.name in known.constants)
    return target_of(known.cls if usual else instance).name


def cut_text(graph: Graph) -> str:
    """Why a state graph was cut, in the words of a notebook, in brackets; empty where it was not."""
    why = graph.cut.replace("--max-states", "max_states").replace("--max-memory", "max_memory")
    return f" ({why if why == INTERRUPTED else f'cut off by {why}'})" if why else ""


def broken_text(broken: Broken) -> str:
    """What is false and why, with the name of the property once."""
    name, failed = broken.property, broken.failed
    return failed if failed.startswith((f"{name}:", f"{name}(")) else f"{name}: {failed}"


def states(graph: Graph) -> Html:
    """Every state and every step between them; a drawing of at most sixty states."""
    layout = graph.layout
    scope = text.scope_text(layout.scope_names)
    name = f"{layout.model.name}: state graph"
    title = element("p", name, *([" ", element("span", f"[scope {scope}]", class_="ms-quiet")] if scope else []),
                    class_="ms-title")  # fmt: skip
    many = len(graph.states)
    seen = f"{many:,} state{'s' * (many != 1)}, {graph.steps:,} step{'s' * (graph.steps != 1)}"
    head = [title, line(f"{seen}{cut_text(graph)}")]
    if why := refusal(graph):
        return joined([*head, line(why)])
    shown = [", ".join(f"{cell} = {value}" for cell, value in layout.show(one).items()) for one in graph.states]
    depths, words, false = _depths(graph), [_word(graph, number) for number in range(many)], _false(graph)
    nodes = [
        Node(str(number), told, words[number], number < graph.initial, bool(false[number]))
        for number, told in enumerate(shown)
    ]
    edges = merged(_edges(graph))
    key = "from left to right by the number of steps; a double border: an initial state; a dashed line: a fault"
    key += "; ✗: a claim is false there" if any(false) else ""
    rows = [
        (number, depth, words[number], ", ".join(false[number]), code(told))
        for number, (depth, told) in enumerate(zip(depths, shown, strict=True))
    ]
    heads = ("state", "steps away", "which", "false there", "values")
    steps = [(edge.source, edge.label, edge.target) for edge in edges]
    return joined(
        [
            *head,
            drawn(nodes, edges, depths, f"{name}, {seen}"),
            line(key, quiet=True),
            _folded("every state", table("every state", heads, rows)),
            _folded("every step", table("every step", ("from", "by", "to"), steps)),
        ]
    )


def _false(graph: Graph) -> list[tuple[str, ...]]:
    """For each state the properties that are false in it; nothing is said of a graph that was cut."""
    if graph.cut:
        return [() for _ in graph.states]
    return [node.refutes for node in state_graph(graph.layout.model, graph.layout.sizes, MOST_NODES).nodes]


def _folded(what: str, inside: Html) -> Html:
    return element("details", element("summary", what), inside)


def _word(graph: Graph, number: int) -> str:
    if number in graph.odd:
        return "raises" if "raises" in graph.odd[number] else "out of range"
    if number >= graph.expanded:
        return "not expanded"
    return "" if any(True for _ in graph.after(number)) else "end"


def _depths(graph: Graph) -> list[int]:
    found: list[int] = []
    for parent in graph.parents:
        found.append(found[parent] + 1 if parent >= 0 else 0)
    return found


def _edges(graph: Graph) -> Iterator[Edge]:
    ground = graph.layout.ground_actions()
    for source in range(len(graph.states)):
        for action, target in graph.after(source):
            lifted, arguments = ground[action]
            yield Edge(source, target, lifted.called(arguments), lifted.method.kind == "fault")


# -- topologies ------------------------------------------------------------------------------------------------


def topology(found: Topology) -> Html:
    """Components and who depends on whom, with their owners; a drawing of at most sixty components."""
    components = found.components
    title = element(
        "p", f"Topology of {len(components):,} component{'s' * (len(components) != 1)}", class_="ms-title"
    )
    cycles = [line(f"in a circle: {' -> '.join((*names, names[0]))}") for names in found.cycles]
    rows = [
        (one.name, one.kind, one.owner, *(", ".join(found.links(one.name, how)) for how in found.RELATIONS))
        for one in components
    ]
    heads = ("component", "kind", "owner", *(how.replace("-", " ") for how in found.RELATIONS))
    listed = table("components", heads, rows)
    if len(components) > MOST_NODES:
        told = f"not drawn: {len(components):,} components are more than the {MOST_NODES} that can be told apart"
        return joined([title, line(f"{told}; to_dataframe() has them as a table"), *cycles, listed])
    number = {one.name: at for at, one in enumerate(components)}
    nodes = [Node(one.name, f"{one.kind} {one.name}, owner {one.owner}", one.owner) for one in components]
    edges = [
        Edge(number[a], number[b], how.replace("-", " "), how != found.RELATIONS[0]) for a, b, how in found.edges
    ]
    told = "a line points at what a component depends on; a dashed one at whom it delegates to; below each its owner"
    drawing = drawn(nodes, [Edge(e.source, e.target, "", e.dashed) for e in edges], found.columns, "topology")
    return joined([title, drawing, line(told, quiet=True), *cycles, listed])


# -- a walk ----------------------------------------------------------------------------------------------------

_FALSE = joined([element("span", "false now:", class_="ms-word ms-bad"), " "])


def walk(found: Walk) -> Html:
    """Where a walk stands: its steps, the state with what the last one changed, what is false, what can be done."""
    scope = text.scope_text(found.scope)
    aside = [" ", element("span", f"[scope {scope}]", class_="ms-quiet")] if scope else []
    parts = [element("p", f"{found.model.name}, walked by hand", *aside, class_="ms-title")]
    steps = found.steps
    parts.append(step_items(steps) if steps else line("in the initial state"))
    parts.append(state("the state now", found.state, steps[-1].changes if steps else {}))
    parts += [line(_FALSE, broken_text(one)) for one in found.claims]
    parts += [line(f"witnessed now: {', '.join(found.witnessed)}")] if found.witnessed else []
    if found.done:
        parts.append(line("nothing is enabled"))
        return joined(parts)
    parts.append(part("enabled"))
    listed = some(found.enabled, lambda action: element("li", code(action), *_fault(found, action)),
                  lambda more: element("li", more), 100)  # fmt: skip
    return joined([*parts, element("ul", listed)])


def _fault(found: Walk, action: str) -> list[Html]:
    return [element("span", " (a fault)", class_="ms-quiet")] if found.is_fault(action) else []
