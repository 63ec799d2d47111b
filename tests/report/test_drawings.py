"""Formulas, documents and drawings of a model: what is written can be read, whatever the names."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import pytest

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    count,
    each,
    exists,
    fault,
    forall,
    implies,
    lemma,
    model,
    require,
    sometimes,
    terminal,
    total,
    var,
)
from meshspec.engines.check import scope_of
from meshspec.engines.graph import build
from meshspec.errors import UsageError
from meshspec.expr.latex import escaped, latex, prose
from meshspec.expr.nodes import BOOL, INT, Const, Name, Node, Op, Quant, SortType
from meshspec.lang.lift import lift
from meshspec.report.dot import dot
from meshspec.report.latex import document
from meshspec.report.state_graph import StateGraph, state_graph
from meshspec.report.states_mermaid import state_diagram
from meshspec.targets import shipped_models
from tests.report.drawing_readers import Drawing, Malformed, read_dot, read_mermaid, read_tex

HOSTILE = Enum(
    "HOSTILE", {'a"]; b -> c\n{': 0, "\x1b[31m<script>": 1, "\\end{document} $x_1^2$ %&#~": 2, "état : 変;-->%%": 3}
)

FIRST, SECOND, *_ = HOSTILE


class Job(Sort):
    """A job."""


@model
class Hostile:
    r"""Its names end strings: " ] } \n \end{document} % & # _ $ ^ ~ 変."""

    état: HOSTILE = var(FIRST)
    of_job: Map[Job, Annotated[int, Range(0, 1)]] = var(0)

    @action
    def änder_e(self, to: HOSTILE) -> None:
        require(self.état != to)
        self.état = to

    @fault
    def fall(self, j: Job) -> None:
        require(self.of_job[j] == 0)
        self.of_job[j] = 2

    @always
    def is_first_or_second(self) -> bool:
        return self.état in (FIRST, SECOND)


@model
class Plain:
    n: Annotated[int, Range(0, 3)] = var(0)

    @action
    def grow(self) -> None:
        if self.n == 2:
            raise ValueError
        self.n += 1

    @fault
    def fall(self) -> None:
        require(self.n > 0)
        self.n = 0

    @lemma
    def small(self) -> bool:
        return self.n < 2

    @terminal
    def nowhere(self) -> bool:
        return False


def graph_of(subject: Any, most: int = 60, only: str = "", **sizes: int) -> StateGraph:
    lifted = lift(subject)
    return state_graph(lifted, scope_of(lifted, sizes), most, only=only)


def both(graph: StateGraph) -> list[Drawing]:
    return [read_dot("\n".join(dot(graph))), read_mermaid("\n".join(state_diagram(graph)))]


def test_a_drawing_has_the_states_and_steps_of_the_graph_its_starts_and_what_is_refuted() -> None:
    for drawing in both(graph_of(Plain)):
        assert drawing.starts == {"s0"} and len(drawing.nodes) == 3
        assert drawing.refuting == {"s2"} and "n = 2" in drawing.nodes["s2"]
        assert "refutes no action raises" in drawing.nodes["s2"] and "refutes small" in drawing.nodes["s2"]
        assert sorted(drawing.edges) == [
            ("s0", "s1", "grow"),
            ("s1", "s0", "fall"),
            ("s1", "s2", "grow"),
            ("s2", "s0", "fall"),
        ]


def test_only_one_property_is_marked_where_one_is_asked_for() -> None:
    for drawing in both(graph_of(Plain, only="small")):
        assert "refutes small" in drawing.nodes["s2"] and "raises" not in drawing.nodes["s2"]
    assert all(not drawing.refuting for drawing in both(graph_of(Plain, only="nowhere")))


@pytest.mark.parametrize("name", ["ResendInDoubt", "ExecuteThenRecord", "EffectLedger"])
def test_every_state_and_step_of_a_shipped_model_is_drawn_once(name: str) -> None:
    lifted = lift(shipped_models()[name])
    sizes = scope_of(lifted, {"Effect": 1})
    graph = build(lifted, sizes)
    steps = {(f"s{source}", f"s{target}") for source in range(len(graph.states)) for _, target in graph.after(source)}
    for drawing in both(state_graph(lifted, sizes, 500)):
        assert list(drawing.nodes) == [f"s{number}" for number in range(len(graph.states))]
        assert len(drawing.edges) == len(steps) == len({edge[:2] for edge in drawing.edges})
        assert {edge[:2] for edge in drawing.edges} == steps
        assert len(set(drawing.nodes.values())) == len(drawing.nodes), "labels tell states apart"


def test_hostile_names_end_no_string_and_begin_no_command() -> None:
    graph = graph_of(Hostile, Job=1)
    inside_dot, inside_mermaid = both(graph)
    assert len(inside_dot.nodes) == len(inside_mermaid.nodes) == 8
    assert any('a"]; b -> c' in label for label in inside_dot.nodes.values())
    assert any('a"]; b -> c\n{' in label for label in inside_mermaid.nodes.values())
    assert any("état : 変;-->%%" in label for label in inside_mermaid.nodes.values())
    assert any("état : 変;-->%%" in label for label in inside_dot.nodes.values())
    assert all("\x1b" not in line and line.isascii() for line in [*dot(graph), *state_diagram(graph)])
    assert "refutes of_job stays in 0..1" in " ".join(inside_dot.nodes.values())
    lines = document(lift(Hostile))
    read_tex("\n".join(lines))
    assert r"\mathit{U{+}00E9tat}" in "\n".join(lines) and lines.count(r"\end{document}") == 1


def test_more_states_than_can_be_drawn_are_refused_with_what_to_do_instead() -> None:
    lifted = lift(shipped_models()["EffectLedger"])
    sizes = scope_of(lifted, {})
    with pytest.raises(
        UsageError, match="more than 60 states, too many to be drawn: take a smaller --scope than Effect=2, or X, or"
    ):
        state_graph(lifted, sizes, 60, otherwise="X")
    with pytest.raises(UsageError, match="more than 2 states, too many to be drawn: take meshspec step"):
        state_graph(lift(Plain), {}, 2)


@pytest.mark.parametrize("name", [n for n, cls in shipped_models().items() if ".incidents." not in cls.__module__])
def test_every_shipped_model_is_a_document_in_the_order_of_its_file(name: str) -> None:
    lifted = lift(shipped_models()[name])
    text = "\n".join(document(lifted))
    read_tex(text)
    heads = [
        rf"\text{{{one.method.kind} }} \mathit{{{escaped(one.name)}}}" for one in (*lifted.actions, *lifted.claims)
    ]
    places = [text.index(head) for head in heads]
    assert places == sorted(places)


E, N, X = SortType(Job), Name("n", INT), Name("x_y", BOOL)


def _int(number: int) -> Node:
    return Const(number, INT)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (Op("and", (X, Op("or", (X, X), BOOL)), BOOL), r"\mathit{x\_y} \land (\mathit{x\_y} \lor \mathit{x\_y})"),
        (Op("not", (Op("<=", (N, _int(3)), BOOL),), BOOL), r"\mathit{n} > 3"),
        (Op("not", (Op("==", (N, _int(-3)), BOOL),), BOOL), r"\mathit{n} \neq -3"),
        (Op("-", (N, Op("-", (N, _int(1)), INT)), INT), r"\mathit{n} - (\mathit{n} - 1)"),
        (Op("*", (Op("+", (N, _int(1)), INT), _int(-2)), INT), r"(\mathit{n} + 1) \cdot (-2)"),
        (Op("//", (Op("+", (N, N), INT), _int(2)), INT), r"\lfloor (\mathit{n} + \mathit{n}) / 2 \rfloor"),
        (Op("%", (N, _int(2)), INT), r"\mathit{n} \bmod 2"),
        (Quant("forall", Name("j", E), X), r"(\forall \mathit{j} \in \mathrm{Job} :\ \mathit{x\_y})"),
        (Quant("count", Name("j", E), X), r"\#\{\mathit{j} \in \mathrm{Job} : \mathit{x\_y}\}"),
        (
            Op("*", (Quant("total", Name("j", E), N), _int(2)), INT),
            r"(\sum_{\mathit{j} \in \mathrm{Job}} \mathit{n}) \cdot 2",
        ),
        (Op("ite", (X, N, _int(0)), INT), r"(\text{if } \mathit{x\_y} \text{ then } \mathit{n} \text{ else } 0)"),
        (Const(True, BOOL), r"\mathrm{true}"),
    ],
)
def test_formulas_keep_the_meaning_of_expressions(node: Node, expected: str) -> None:
    assert latex(node) == expected
    read_tex(f"\\begin{{align*}}{latex(node)}\\end{{align*}}")


@model
class Everything:
    """Every kind of expression and of update."""

    held: Map[Job, bool] = var(False)
    last: Job | None = var(None)
    n: Annotated[int, Range(-3, 9)] = var(0)

    @action
    def take(self, j: Job) -> None:
        require(not self.held[j] and self.last is None)
        self.held[j] = True
        self.last = j
        self.n = (self.n * 2 + 1) % 4

    @action
    def drop(self) -> None:
        require(self.last is not None and count(Job, lambda j: self.held[j]) > 0)
        self.held = each(Job, lambda j: self.held[j] and j != self.last)
        self.last = None

    @sometimes
    def all_held(self, j: Job) -> bool:
        return forall(Job, lambda k: self.held[k]) or exists(Job, lambda k: self.held[k])

    @always
    def adds_up(self) -> bool:
        return implies(self.n > 0, total(Job, lambda j: 1 if self.held[j] else 0) >= 0)


def test_every_kind_of_update_and_claim_is_written() -> None:
    text = "\n".join(document(lift(Everything)))
    read_tex(text)
    assert r"\mathit{last} : \mathrm{Job} \cup \{\bot\}, \quad \text{at first } \bot" in text
    assert r"\forall \mathit{job\_0} \in \mathrm{Job} :\ \mathit{held}[\mathit{job\_0}] :=" in text
    assert r"\mathit{last} := \bot" in text and r"\mathit{last} \neq \bot" in text


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "}",
        r"\begin{align*}",
        r"\end{document}",
        "$",
        "a_b",
        "50%",
        r"\input{x}",
        "é",
        r"\begin{align*} { \end{align*}",
        "\\",
    ],
)
def test_the_reader_of_tex_refuses_what_tex_would(text: str) -> None:
    with pytest.raises(Malformed):
        read_tex(text)


@pytest.mark.parametrize(
    "text",
    ['digraph "x" { s0 [label="a"b"]; }', 'digraph "x" { s0 -> s1 [label="a"]; }', "graph x {}", 'digraph "x" {} }'],
)
def test_the_reader_of_dot_refuses_what_graphviz_would(text: str) -> None:
    with pytest.raises(Malformed):
        read_dot(text)


@pytest.mark.parametrize(
    "line", ['    state "a"b" as s0', '    state "a;b" as s0', "    s0 --> s1 : a", "    s0 -> s1"]
)
def test_the_reader_of_mermaid_refuses_what_mermaid_would(line: str) -> None:
    with pytest.raises(Malformed):
        read_mermaid(f"stateDiagram-v2\n{line}")


@pytest.mark.parametrize("text", ["", "plain", "a_b{}\\$&#%^~'\"<>|`\n\x00\x1b é変", "\\" * 9])
def test_prose_and_names_are_escaped_whole(text: str) -> None:
    read_tex(prose(text))
    read_tex(f"${escaped(text)}$")
