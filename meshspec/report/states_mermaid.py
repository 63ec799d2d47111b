"""The states of a small scope as a Mermaid state diagram.

Every start is entered from ``[*]``; a state that refutes something says so and is of the class ``refuting``.
"""

from __future__ import annotations

from meshspec.report.state_graph import StateGraph

MOST = 60
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.,=()[]-")


def state_diagram(graph: StateGraph) -> list[str]:
    """The lines of the diagram."""
    lines = ["stateDiagram-v2"]
    for number, node in enumerate(graph.nodes):
        label = "; ".join([node.label, *(f"refutes {name}" for name in node.refutes)])
        lines.append(f'    state "{escaped(label)}" as s{number}')
    lines += [f"    [*] --> s{number}" for number, node in enumerate(graph.nodes) if node.initial]
    lines += [f"    s{edge.source} --> s{edge.target} : {escaped(edge.label)}" for edge in graph.edges]
    refuting = [f"s{number}" for number, node in enumerate(graph.nodes) if node.refutes]
    if refuting:
        lines += ["    classDef refuting stroke-width:4px,stroke:red", f"    class {','.join(refuting)} refuting"]
    return lines


def escaped(text: str) -> str:
    """Text in which nothing is Mermaid's: whatever is not plain is written by its code point.

    >>> escaped('a: "b"')
    'a#58; #34;b#34;'
    """
    return "".join(c if c in _PLAIN else f"#{ord(c)};" for c in text)
