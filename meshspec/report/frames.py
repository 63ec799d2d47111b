"""Anything of ours as a table of pandas: plain values, one fact a cell. This file alone knows pandas.

Numbers and truth values are such; everything else is the text that a report prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from meshspec.answer import Counterexample, Finding
from meshspec.engines.check import Answered
from meshspec.engines.coverage import Coverage
from meshspec.engines.graph import Graph
from meshspec.engines.mutation import MutationReport
from meshspec.engines.walk import Walk
from meshspec.errors import UsageError
from meshspec.lang.declare import Method, is_model
from meshspec.lang.lift import LiftedModel
from meshspec.report.agreement import Agreement
from meshspec.report.checked import Checked
from meshspec.report.html import found
from meshspec.report.html_tables import entries
from meshspec.report.judged import Judged
from meshspec.report.text import strength_text
from meshspec.topology import Topology

if TYPE_CHECKING:
    from pandas import DataFrame

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

_LITERAL = {"True": True, "False": False, "None": None}


def frame(thing: object) -> DataFrame:
    """The object as a table; raises :class:`UsageError` for what has none, and where pandas is not installed."""
    if is_model(type(thing)):
        return _table([{"variable": name, "of": key, "value": plain(value)} for name, key, value in entries(thing)])
    return cast("DataFrame", found(VIEWS, thing, __name__)(thing))


def _table(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None) -> DataFrame:
    try:
        import pandas
    except ImportError:
        raise UsageError("to_dataframe() needs pandas: pip install 'meshspec[notebook]'") from None
    return pandas.DataFrame(list(rows), columns=list(columns) if columns is not None else None)


def _states(rows: Sequence[Mapping[str, object]]) -> DataFrame:
    """A table of states, in which None is a value like others."""
    made: Any = _table(rows)
    empty = {name: None for row in rows for name, value in row.items() if value is None}
    for name in empty:
        held = made[name].astype(object)
        held[:] = [row.get(name) for row in rows]
        made[name] = held
    return cast("DataFrame", made)


def plain(text: str) -> object:
    """A value as a report prints it, as a value of Python where it is a truth value, a number or None.

    >>> plain("3"), plain("True"), plain("job0")
    (3, True, 'job0')
    """
    if text in _LITERAL:
        return _LITERAL[text]
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text


# -- answers ---------------------------------------------------------------------------------------------------


def _finding(one: Finding) -> dict[str, object]:
    return {
        "model": one.subject,
        "property": one.property,
        "kind": one.kind,
        "answer": one.answer.value,
        "strength": one.strength.value if one.strength else None,
        "told": strength_text(one),
        "engine": one.engine,
        "states": one.states,
        "steps": len(one.counterexample.steps) if one.counterexample else None,
        "path": ", ".join(one.counterexample.actions) if one.counterexample else None,
        "failed": one.counterexample.failed if one.counterexample else None,
        "reason": one.reason,
        "where": one.where,
        "replay": one.replay,
    }


def finding(one: Finding) -> DataFrame:
    """One row."""
    return _table([_finding(one)])


def answered(one: Answered) -> DataFrame:
    """A row for each engine that spoke of the property."""
    return _table([_finding(said) for said in one.findings or (one.answer,)])


def checked(all_: Checked) -> DataFrame:
    """A row for each property, with its one answer."""
    heads = list(_finding(all_.answered[0].answer)) if all_.answered else ["model", "property", "answer"]
    return _table([_finding(one.answer) for one in all_.answered], heads)


def judged(all_: Judged) -> DataFrame:
    """A row for each obligation, then for each rule of conduct."""
    rows = [_finding(one.answer) for one in all_.answered]
    for row in rows:
        row["policy"] = row.pop("model")
    return _table(rows)


def agreement(all_: Agreement) -> DataFrame:
    """A row for each property, a column for each engine: its answer and strength, or nothing."""
    rows: list[dict[str, object]] = []
    for one in all_.answered:
        said = {engine: all_.said(one, engine) for engine in all_.engines}
        told = {engine: _word(finding) if finding else None for engine, finding in said.items()}
        rows.append({"property": one.answer.property, **told, "together": _word(one.answer)})
    return _table(rows, ["property", *all_.engines, "together"]).set_index("property")


def _word(one: Finding) -> str:
    return " ".join(part for part in (one.answer.value, strength_text(one)) if part)


# -- paths and states ------------------------------------------------------------------------------------------

_OURS = ("step", "action", "note", "state", "next")


def _cells(values: Mapping[str, str]) -> dict[str, object]:
    """The state by cell; a variable that is called like a column of ours is told apart."""
    return {f"self.{name}" if name in _OURS else name: plain(value) for name, value in values.items()}


def counterexample(path: Counterexample) -> DataFrame:
    """A row for the first state and one after each step: the action, and the whole state where it is known."""
    values = dict(path.initial)
    rows: list[dict[str, object]] = [{"step": 0, "action": "", "note": "", **_cells(values)}]
    for number, step in enumerate(path.steps, 1):
        values |= {name: new for name, (_, new) in step.changes.items()}
        at = number if step.at is None else step.at
        rows.append({"step": at, "action": step.action, "note": step.note, **_cells(values)})
    return _states(rows).set_index("step")


def walk(one: Walk) -> DataFrame:
    """As of a path: a row for the first state and one after each step."""
    first = one.state
    for step in reversed(one.steps):
        first |= {name: old for name, (old, _) in step.changes.items()}
    return counterexample(Counterexample(first, one.steps, ""))


def states(graph: Graph) -> DataFrame:
    """A row for every step: the state it leaves with all its values, the action, the state it leads to.

    A state that no step leaves has a row with neither.
    """
    ground, layout = graph.layout.ground_actions(), graph.layout

    def rows() -> Iterator[dict[str, object]]:
        for number, one in enumerate(graph.states):
            cells = _cells(layout.show(one))
            steps = [(ground[action], target) for action, target in graph.after(number)]
            for (lifted, arguments), target in steps:
                yield {"state": number, "action": lifted.called(arguments), "next": target, **cells}
            if not steps:
                yield {"state": number, "action": None, "next": None, **cells}

    made = _states(list(rows()))
    made["next"] = made["next"].astype("Int64")
    return made


# -- models ----------------------------------------------------------------------------------------------------


def model(lifted: LiftedModel) -> DataFrame:
    """A row for each sort, constant, variable, action and claim."""
    rows: list[dict[str, object]] = [{"kind": "sort", "name": s.__name__} for s in lifted.sorts]
    for variable in lifted.declared.variables:
        symbol = variable.symbol
        bounds = variable.range.of(lifted.instance) if variable.range else None
        inside = f" in {bounds[0]}..{bounds[-1]}" if bounds is not None else ""
        rows.append(
            {
                "kind": "constant" if variable.constant else "variable",
                "name": symbol.name,
                "of": ", ".join(map(str, symbol.keys)),
                "type": f"{symbol.type}{inside}{' or None' if symbol.optional else ''}",
            }
        )
    rows += [_method(one.method) for one in (*lifted.actions, *lifted.claims)]
    heads = ["kind", "name", "of", "type", "says", "where"]
    return _table([dict.fromkeys(heads, "") | row for row in rows], heads)


def _method(method: Method) -> dict[str, object]:
    of = ", ".join(f"{p.name}: {p.type}" for p in method.parameters)
    said = method.doc.partition("\n")[0]
    return {"kind": method.kind, "name": method.name, "of": of, "says": said, "where": str(method.where)}


def topology(whole: Topology) -> DataFrame:
    """A row for each component; of each relation the names it leads to, with commas between."""
    rows = [
        {
            "component": one.name,
            "kind": one.kind,
            "owner": one.owner,
            **{how: ", ".join(whole.links(one.name, how)) for how in whole.RELATIONS},
        }
        for one in whole.components
    ]
    return _table(rows, ["component", "kind", "owner", *whole.RELATIONS]).set_index("component")


# -- mutants and coverage --------------------------------------------------------------------------------------


def mutation(report: MutationReport) -> DataFrame:
    """The kill matrix: a row for each mutant, a column for each property: ``kills``, ``loses`` or nothing."""
    names = [one.property for one in report.base]

    def row(run: Any) -> dict[str, object]:
        mutant = run.mutant
        told = {
            f"by {name}": "kills" if name in run.kills else "loses" if name in run.notices else "" for name in names
        }
        return {
            "method": mutant.method,
            "where": str(mutant.where),
            "level": mutant.level,
            "change": mutant.change,
            "fate": run.fate.value,
            **told,
            "remark": run.remark,
        }

    heads = ["method", "where", "level", "change", "fate", *(f"by {name}" for name in names), "remark"]
    return _table([row(run) for run in report.runs], heads)


def coverage(all_: Coverage) -> DataFrame:
    """One row a count: of what kind, of what, where; how often, or how often true and false."""

    def row(kind: str, of: str, count: int, **more: object) -> dict[str, object]:
        return {"kind": kind, "of": of, "where": "", "count": count, "missing": "", **more}

    rows = [row("action", name, count) for name, count in all_.fired.items()]
    for one in all_.guards:
        told = {"where": str(one.site.where), "missing": one.word, "true": one.true, "false": one.false}
        rows.append(row(one.site.kind, one.site.text, one.true + one.false, **told))
    rows += [row("antecedent", claim, n, where=place) for (claim, place), n in all_.antecedents.items()]
    rows += [row("witness", name, count) for name, count in all_.witnesses.items()]
    rows += [row("depth", str(depth), count) for depth, count in all_.depths.items()]
    rows += [row("value", f"{name} = {value}", n) for name, held in all_.values.items() for value, n in held.items()]
    made = _table(rows, ["kind", "of", "where", "count", "true", "false", "missing"])
    numbers = ["count", "true", "false"]
    made[numbers] = made[numbers].astype("Int64")
    return made
