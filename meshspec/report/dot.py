"""The states of a scope as a graph for Graphviz.

Starts have a bold border, states that refute something two borders and a line that says what; a step that only a
fault takes is dashed. Nothing needs colour to be read.
"""

from __future__ import annotations

from meshspec.report.state_graph import StateGraph
from meshspec.report.text import clean

MOST = 5_000


def dot(graph: StateGraph) -> list[str]:
    """The lines of the file."""
    scope = ",".join(f"{sort}={size}" for sort, size in graph.scope.items())
    title = f"{graph.name}" + f"  [scope {scope}]" * bool(scope) + f"  {len(graph.nodes):,} states"
    lines = [f"digraph {quoted(graph.name)} {{", f"  label={quoted(title)};", '  node [shape="box"];']
    for number, node in enumerate(graph.nodes):
        refutes = [f"refutes {name}" for name in node.refutes]
        more = ', style="bold"' if node.initial else ""
        more += ', peripheries="2", color="red"' if refutes else ""
        lines.append(f"  s{number} [label={quoted(*(node.cells or (node.label,)), *refutes)}{more}];")
    for edge in graph.edges:
        more = ', style="dashed"' if edge.fault else ""
        lines.append(f"  s{edge.source} -> s{edge.target} [label={quoted(*edge.actions)}{more}];")
    return [*lines, "}"]


def quoted(*lines: str) -> str:
    r"""A string of Graphviz with these lines, in ASCII: nothing in it ends it, or is an entity of its own.

    >>> print(quoted('a "b" \\', "c & \u03c3"))
    "a \"b\" \\\nc &amp; &#963;"
    """
    return '"' + r"\n".join("".join(map(_escaped, clean(line))) for line in lines) + '"'


def _escaped(letter: str) -> str:
    known = {"\\": "\\\\", '"': '\\"', "&": "&amp;"}
    return known.get(letter, letter) if letter.isascii() else f"&#{ord(letter)};"
