"""Strict readers of what we write for Graphviz, Mermaid and TeX: they refuse whatever they do not know.

They are made from the grammars of these formats and not from our writers: a string that ends too soon, a brace that
closes nothing or a letter that begins a command is an error here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import attrs


class Malformed(Exception):
    """What was written is not of that format."""


@attrs.define
class Drawing:
    """Labels of nodes by their ids, steps, and what is marked."""

    nodes: dict[str, str] = attrs.field(factory=dict[str, str])
    edges: list[tuple[str, str, str]] = attrs.field(factory=list[tuple[str, str, str]])
    starts: set[str] = attrs.field(factory=set[str])
    refuting: set[str] = attrs.field(factory=set[str])

    def whole(self) -> Drawing:
        for source, target, _ in self.edges:
            if not {source, target} <= set(self.nodes):
                raise Malformed(f"a step between {source} and {target}, which are no nodes")
        if not (self.starts | self.refuting) <= set(self.nodes):
            raise Malformed("a mark on what is no node")
        return self


# -- Graphviz ----------------------------------------------------------------------------------------------------

_DOT = re.compile(r'\s*(?:(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<word>[A-Za-z_]\w*)|(?P<sign>->|[{}\[\]=,;]))')


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while text[at:].strip():
        found = _DOT.match(text, at)
        if found is None:
            raise Malformed(f"no token of DOT: {text[at : at + 40]!r}")
        yield found["string"] or found["word"] or found["sign"]
        at = found.end()


def read_dot(text: str) -> Drawing:
    """A digraph of one block: attributes of the graph, of all nodes, nodes and edges."""
    if not text.isascii():
        raise Malformed("what encoding it is in is not said")
    tokens = list(_tokens(text))
    drawing, at = Drawing(), 0

    def take(wanted: str = "") -> str:
        nonlocal at
        if at >= len(tokens) or (wanted and tokens[at] != wanted):
            raise Malformed(f"{wanted or 'more'} expected, not {tokens[at : at + 3]}")
        at += 1
        return tokens[at - 1]

    def attributes() -> dict[str, str]:
        held: dict[str, str] = {}
        if tokens[at] == "[":
            take("[")
            while tokens[at] != "]":
                key = take()
                take("=")
                held[key] = _plain(take())
                if tokens[at] == ",":
                    take(",")
            take("]")
        return held

    take("digraph")
    _plain(take())
    take("{")
    while tokens[at] != "}":
        first = take()
        if tokens[at] == "=":
            take("=")
            _plain(take())
        elif tokens[at] == "->":
            take("->")
            drawing.edges.append((first, take(), attributes()["label"]))
        else:
            held = attributes()
            if first != "node":
                drawing.nodes[first] = held["label"]
                drawing.starts |= {first} if held.get("style") == "bold" else set()
                drawing.refuting |= {first} if held.get("peripheries") == "2" else set()
        take(";")
    take("}")
    if at != len(tokens):
        raise Malformed("more after the end of the graph")
    return drawing.whole()


def _plain(token: str) -> str:
    """What a quoted string says: two backslashes are one, a quote is a quote, ``\\n`` a new line."""
    if not token.startswith('"'):
        raise Malformed(f"{token} is not quoted")
    said = re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], token[1:-1])
    return html.unescape(said)


# -- Mermaid -----------------------------------------------------------------------------------------------------

_STATE = re.compile(r'    state "(?P<label>[^"]*)" as (?P<id>s\d+)')
_STEP = re.compile(r"    (?P<from>s\d+|\[\*\]) --> (?P<to>s\d+)(?: : (?P<label>[^:\n]*))?")
_CODE = re.compile(r"#(\d+);")


def read_mermaid(text: str) -> Drawing:
    """A state diagram of states with labels, starts, steps, and one class."""
    head, *lines = text.splitlines()
    if head != "stateDiagram-v2":
        raise Malformed(f"no state diagram: {head!r}")
    drawing = Drawing()
    for line in lines:
        if found := _STATE.fullmatch(line):
            drawing.nodes[found["id"]] = _decoded(found["label"])
        elif found := _STEP.fullmatch(line):
            if found["from"] == "[*]":
                drawing.starts.add(found["to"])
            else:
                drawing.edges.append((found["from"], found["to"], _decoded(found["label"])))
        elif line.startswith("    class s"):
            drawing.refuting |= set(line.split()[1].split(","))
        elif not line.startswith("    classDef refuting "):
            raise Malformed(f"no line of a state diagram: {line!r}")
    return drawing.whole()


def _decoded(text: str) -> str:
    if strange := re.search(r"[^A-Za-z0-9 _.,=()\[\]-]", _CODE.sub("", text)):
        raise Malformed(f"{strange[0]!r} is not escaped in {text!r}")
    return _CODE.sub(lambda found: chr(int(found[1])), text)


# -- TeX ---------------------------------------------------------------------------------------------------------

_TEX = re.compile(r"\\(?P<command>[A-Za-z]+\*?|[^A-Za-z])|(?P<other>[^\\])", re.DOTALL)
_KNOWN = {
    *("documentclass", "usepackage", "allowdisplaybreaks", "section*", "paragraph", "text", "mathit", "mathrm"),
    *("quad", "backslash", "wedge", "sim", "prime", "in", "forall", "exists", "sum", "land", "lor", "lnot", "leq"),
    *("geq", "neq", "cdot", "bmod", "lfloor", "rfloor", "bot", "dots", "times", "cup", "to"),
}
_ENVIRONMENTS = {"document", "align*"}


def read_tex(text: str) -> None:
    """Raise :class:`Malformed` for what does not close, unknown commands, and specials that are not escaped."""
    groups: list[str] = []
    environments: list[str] = []
    math = False
    at = 0
    while at < len(text):
        found = _TEX.match(text, at)
        if found is None or not text[at].isascii():
            raise Malformed(f"cannot be read: {text[at : at + 20]!r}")
        at, command, other = found.end(), found["command"], found["other"]
        if command in ("begin", "end"):
            named = re.compile(r"\{([^{}]*)\}").match(text, at)
            if named is None or named[1] not in _ENVIRONMENTS:
                raise Malformed(f"\\{command} of what is no environment")
            at = named.end()
            if groups or (command == "end" and (not environments or environments.pop() != named[1])):
                raise Malformed(f"\\{command}{{{named[1]}}} does not fit")
            if command == "begin":
                environments.append(named[1])
        elif command is not None:
            if command[0].isalpha() and command not in _KNOWN:
                raise Malformed(f"\\{command} is no command of ours")
            if not command[0].isalpha() and command not in "\\{}$&#_% ":
                raise Malformed(f"\\{command!r} is no command of ours")
        elif other == "{":
            groups.append(text[max(0, at - 7) : at - 1])
        elif other == "}":
            if not groups:
                raise Malformed("a brace closes nothing")
            groups.pop()
        elif other == "$":
            math = not math
        elif other in "#~%" or (other in "^_&" and not (math or environments[-1:] == ["align*"])):
            raise Malformed(f"{other} is not escaped")
        elif other == "\n" and environments[-1:] == ["align*"] and text[at : at + 1] == "\n":
            raise Malformed("an empty line within a formula")
    if groups or environments or math:
        raise Malformed(f"left open: {groups} {environments} {math}")
