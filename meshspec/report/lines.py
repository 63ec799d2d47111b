"""Anything of ours as lines of plain text, for a notebook that shows no HTML and a shell that shows a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from meshspec.answer import Counterexample, Finding
from meshspec.engines.check import Answered
from meshspec.engines.coverage import Coverage
from meshspec.engines.graph import Graph
from meshspec.engines.mutation import MutationReport, counted
from meshspec.engines.walk import Walk
from meshspec.lang.lift import LiftedModel
from meshspec.report import text
from meshspec.report.agreement import Agreement
from meshspec.report.checked import Checked, replay_lines
from meshspec.report.html import found
from meshspec.report.html_graphs import broken_text, cut_text, refusal
from meshspec.report.judged import Judged
from meshspec.report.matrix import coverage_lines, mutation_lines, table
from meshspec.report.words import described
from meshspec.topology import Topology

VIEWS: Mapping[str, str] = {
    "meshspec.answer.Counterexample": ":counterexample",
    "meshspec.answer.Finding": ":finding",
    "meshspec.engines.check.Answered": ":answered",
    "meshspec.report.checked.Checked": ":checked",
    "meshspec.report.judged.Judged": ":judged",
    "meshspec.lang.lift.LiftedModel": ":model",
    "meshspec.engines.mutation.MutationReport": ":mutation",
    "meshspec.engines.coverage.Coverage": ":coverage",
    "meshspec.report.agreement.Agreement": ":agreement",
    "meshspec.engines.graph.Graph": ":states",
    "meshspec.engines.walk.Walk": ":walk",
    "meshspec.topology.Topology": ":topology",
}

MANY = 300
"""The most lines of one object."""


def lines(thing: object) -> list[str]:
    """The object as text; raises :class:`meshspec.errors.UsageError` for what has no such view."""
    view: Callable[[Any], Sequence[str]] = found(VIEWS, thing, __name__)
    every = [text.clean(line) for line in view(thing)]
    return every if len(every) <= MANY else [*every[:MANY], f"... and {counted(len(every) - MANY, 'line')} more"]


def counterexample(path: Counterexample) -> list[str]:
    return [f"a path of {counted(len(path.steps), 'step')} ({path.how})", *text.counterexample_lines(path)]


def finding(one: Finding) -> list[str]:
    return answered(Answered(one, (one,)))


def answered(one: Answered) -> list[str]:
    return [one.answer.subject, *(f"  {line}" for line in text.lines_of(one, text.WIDTH - 2)), *replay_lines(one)]


def checked(all_: Checked) -> list[str]:
    return all_.lines()


def judged(all_: Judged) -> list[str]:
    return all_.lines()


def model(lifted: LiftedModel) -> list[str]:
    return described(lifted)


def mutation(report: MutationReport) -> list[str]:
    return [_title(report.model, "mutants", report.scope), *mutation_lines(report)]


def coverage(all_: Coverage) -> list[str]:
    cut = f" (cut: {all_.cut})" if all_.cut else ""
    return [
        f"{_title(all_.model, 'coverage', all_.scope)}: {counted(all_.states, 'state')}{cut}",
        *coverage_lines(all_),
    ]


def agreement(all_: Agreement) -> list[str]:
    rows: list[tuple[str, ...]] = [("property", *all_.engines, "together")]
    for one in all_.answered:
        said = [all_.said(one, engine) for engine in all_.engines]
        cells = [finding.answer.value if finding else "said nothing" for finding in (*said, one.answer)]
        rows.append((one.answer.property, *cells))
    return [f"{all_.model}: agreement", *table(rows), all_.verdict]


def states(graph: Graph) -> list[str]:
    many = f"{counted(len(graph.states), 'state')}, {counted(graph.steps, 'step')}{cut_text(graph)}"
    drawn = "drawn where HTML is shown; to_dataframe() has every step as a table"
    return [
        f"{_title(graph.layout.model.name, 'state graph', graph.layout.scope_names)}: {many}",
        *text.paragraph(refusal(graph) or drawn),
    ]


def walk(one: Walk) -> list[str]:
    """The steps taken, the state, what is false now, and what can be done."""
    told = [_title(one.model.name, "walked by hand", one.scope)]
    told += text.counterexample_lines(Counterexample({}, one.steps, ""))
    told += text.paragraph(f"state: {', '.join(f'{name} = {value}' for name, value in one.state.items())}")
    for broken in one.claims:
        told += text.paragraph(f"false now: {broken_text(broken)}")
    told += text.paragraph(f"witnessed now: {', '.join(one.witnessed)}") if one.witnessed else []
    told += text.paragraph(f"enabled: {', '.join(one.enabled)}") if one.enabled else ["nothing is enabled"]
    return told


def topology(whole: Topology) -> list[str]:
    rows: list[tuple[str, ...]] = [("component", "kind", "owner", *whole.RELATIONS)]
    rows += [
        (one.name, one.kind, one.owner, *(", ".join(whole.links(one.name, how)) for how in whole.RELATIONS))
        for one in whole.components
    ]
    cycles = [f"in a circle: {' -> '.join((*names, names[0]))}" for names in whole.cycles]
    return [f"a topology of {counted(len(whole.components), 'component')}", *table(rows), *cycles]


def _title(name: str, what: str, scope: Mapping[str, int]) -> str:
    sizes = text.scope_text(scope)
    return f"{name}: {what}" + (f" [scope {sizes}]" if sizes else "")
