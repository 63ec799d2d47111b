"""Models, states, kill matrices, coverages and agreements as tables of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from meshspec.answer import Finding
from meshspec.engines.check import Answered
from meshspec.engines.coverage import Coverage
from meshspec.engines.mutate import summary
from meshspec.engines.mutation import Fate, MutationReport, Run
from meshspec.expr.text import value_text
from meshspec.lang.containers import Map, SetOf, fits
from meshspec.lang.declare import declared
from meshspec.lang.guards import GUARD
from meshspec.lang.lift import LiftedModel
from meshspec.report import text
from meshspec.report.agreement import Agreement
from meshspec.report.html_findings import answers, line, word
from meshspec.report.html_parts import Html, code, element, joined, part, some, table
from meshspec.report.matrix import MOST_VALUES, letters, property_rows
from meshspec.report.words import described

SHORT = 300
"""The most characters of a change or a guard that are shown in a cell."""


def _short(said: str) -> Html:
    return code(said if len(said) <= SHORT else f"{said[:SHORT]} …")


def _title(*parts: object) -> Html:
    return element("p", *parts, class_="ms-title")


def _scope(scope: Mapping[str, int]) -> Html:
    sizes = text.scope_text(scope)
    return element("span", f"[scope {sizes}]", class_="ms-quiet") if sizes else Html()


# -- a model and its states ------------------------------------------------------------------------------------


def model(lifted: LiftedModel) -> Html:
    """What a model holds, what its actions ask and do, what it claims, in the words of ``meshspec show``."""
    first, *rest = described(lifted)
    parts: list[Html] = [_title(first)]
    block: list[str] = []
    for said in [*rest, ""]:
        if said:
            block.append(said)
        elif block:
            parts += [part(block[0].removesuffix(":")), _nested(block[1:])]
            block = []
    return joined(parts)


def _nested(lines: Sequence[str]) -> Html:
    """Lines that stand further in belong to the line above them."""
    roots: list[tuple[str, list[str]]] = []
    margin = min((len(said) - len(said.lstrip()) for said in lines), default=0)
    for said in lines:
        if len(said) - len(said.lstrip()) == margin or not roots:
            roots.append((said.strip(), []))
        else:
            roots[-1][1].append(said)

    def shown(root: tuple[str, list[str]]) -> Html:
        head, below = root
        return element("li", code(head), *([_nested(below)] if below else []))

    return element("ul", some(roots, shown, lambda more: element("li", more)), class_="ms-plain")


def entries(instance: object) -> Iterator[tuple[str, str, str]]:
    """What a model's instance holds: variable (dots for nested machines), key as text, value as text.

    A map tells the entries that it has; those that are not named are its ``else``.
    """
    known = declared(type(instance))
    for name in known.constants:
        if not isinstance(getattr(instance, name), Map):
            yield name, "", value_text(getattr(instance, name))
    for variable in known.variables:
        holder: Any = instance
        for name in variable.path:
            holder = getattr(holder, name)
        symbol = variable.symbol
        if isinstance(holder, SetOf):
            yield symbol.name, "", repr(cast("SetOf[object]", holder)).removeprefix("SetOf(").removesuffix(")")
            continue
        if not isinstance(holder, Map):
            yield symbol.name, "", value_text(holder)
            continue
        inside = vars(cast("Map[object, object]", holder))
        rest = inside["_default"]
        told = {key: value for key, value in inside["_entries"].items() if value != rest}
        for key, value in told.items():
            keys = cast("tuple[object, ...]", key) if isinstance(key, tuple) else (key,)
            yield symbol.name, ", ".join(map(value_text, keys)), value_text(value)
        if fits(rest, symbol.type) or (rest is None and symbol.optional):
            yield symbol.name, "else" if told else "every one", value_text(rest)


def instance(one: object) -> Html:
    """A model's instance: one state, with the constants it was made with."""
    rows = [(code(name), code(key), code(value)) for name, key, value in entries(one)]
    return joined([_title(type(one).__name__), table("a state", ("variable", "of", "value"), rows)])


# -- mutants ---------------------------------------------------------------------------------------------------


def mutation(report: MutationReport) -> Html:
    """A kill matrix: what each property notices, every mutant that was run, and what survives."""
    marks = letters(report)
    heads, *rows = property_rows(report, marks)
    parts = [_title(f"{report.model}: mutants ", _scope(report.scope)), line(summary(report))]
    parts += [line(f"rows only: {why}", quiet=True) for why in report.unread]
    named = ("letter", *heads[1:])
    parts.append(table("what each property notices", named, rows, row_heads=2))
    runs = [run for run in report.runs if run.counts]
    caption = "every mutant that was run; kills: it is refuted; loses: a witness is lost"
    at = ("change", "in", "at", *(element("abbr", mark, title=name) for name, mark in marks.items()), "fate")
    parts.append(table(caption, at, [_run(run, marks) for run in runs]))
    for fate, head in ((Fate.SURVIVED, "survivors"), (Fate.UNDECIDED, "undecided"), (Fate.NOT_MADE, "not made")):
        if found := report.of(fate):
            parts += [part(f"{head}: {len(found):,}"), _listed(found)]
    return joined(parts)


def _run(run: Run, marks: Mapping[str, str]) -> tuple[object, ...]:
    def cell(name: str) -> object:
        if name in run.kills:
            return element("span", "kills", class_="ms-good")
        return element("span", "loses", class_="ms-void") if name in run.notices else ""

    survived = run.fate is Fate.SURVIVED
    fate = element("span", run.fate.value, class_="ms-open") if survived else run.fate.value
    mutant = run.mutant
    return (_short(mutant.change), code(mutant.method), code(mutant.where), *map(cell, marks), fate)


def _listed(runs: Sequence[Run]) -> Html:
    def shown(run: Run) -> Html:
        remark = [" ", element("span", run.remark, class_="ms-quiet")] if run.remark else []
        return element("li", code(run.mutant.where), " ", _short(run.mutant.name), *remark)

    return element("ul", some(runs, shown, lambda more: element("li", more)))


# -- coverage --------------------------------------------------------------------------------------------------


def coverage(found: Coverage) -> Html:
    """Actions, guards, antecedents, witnesses, depths and values, and what follows from them."""
    cut = f" (cut: {found.cut})" if found.cut else ""
    parts = [_title(f"{found.model}: coverage ", _scope(found.scope)), line(f"{found.states:,} states{cut}")]
    fired = [(code(name), f"{count:,}") for name, count in found.fired.items()]
    parts.append(table("how often each action is taken", ("action", "fired"), fired))
    if found.guards:
        heads, guards = ("guard", "true", "false", "missing", "method", "at"), list(_guards(found))
        shown = [at for at, head in enumerate(heads) if head != "missing" or any(row[at] for row in guards)]
        left = [[row[at] for at in shown] for row in guards]
        parts.append(table("how often each guard is true and false", [heads[at] for at in shown], left))
    parts += [line(f"guards not read: {why}", quiet=True) for why in found.unread]
    if found.antecedents:
        rows = [(code(claim), f"{count:,}", code(place)) for (claim, place), count in found.antecedents.items()]
        parts.append(table("in how many states an antecedent is true", ("antecedent of", "states", "at"), rows))
    if found.witnesses:
        parts.append(_counts("in how many states it is witnessed", "witnessed", found.witnesses))
    if found.depths:
        depths = {str(depth): count for depth, count in found.depths.items()}
        parts.append(_counts("how many states lie how deep", "depth", depths))
    if found.values:
        values = [(code(name), joined(_values(counts), ", ")) for name, counts in found.values.items()]
        parts.append(table("in how many states a value is held", ("variable", "value and states"), values))
    return joined([*parts, answers([Answered(one, (one,)) for one in found.findings()])])


def _counts(caption: str, what: str, counts: Mapping[str, int]) -> Html:
    return table(caption, (what, "states"), [(code(name), f"{count:,}") for name, count in counts.items()])


def _guards(found: Coverage) -> Iterator[tuple[object, ...]]:
    for one in found.guards:
        site = one.site
        missing = "" if found.cut else one.word
        if site.kind == GUARD:
            missing = {"never false": "redundant in scope", "never true": "dead"}.get(missing, missing)
        said = site.text if site.kind == GUARD else f"if {site.text}"
        told = element("span", missing, class_="ms-open") if missing else ""
        yield _short(said), f"{one.true:,}", f"{one.false:,}", told, code(site.method), code(site.where)


def _values(counts: Mapping[str, int]) -> Iterable[Html]:
    for value, count in list(counts.items())[:MOST_VALUES]:
        yield joined([code(value), f" {count:,}"])
    if (more := len(counts) - MOST_VALUES) > 0:
        yield joined([f"… and {more:,} more values"])


# -- agreement -------------------------------------------------------------------------------------------------


def agreement(found: Agreement) -> Html:
    """What each engine said of each property, and whether they contradict each other."""
    rows = [
        (one.answer.property, *(_said(found.said(one, engine)) for engine in found.engines), _said(one.answer))
        for one in found.answered
    ]
    caption = "what each engine said of each property"
    parts = [_title(f"{found.model}: agreement"), table(caption, ("property", *found.engines, "together"), rows)]
    return joined([*parts, line(found.verdict)])


def _said(finding: Finding | None) -> object:
    if finding is None:
        return element("span", "said nothing", class_="ms-quiet")
    return joined([word(finding.answer), " ", text.strength_text(finding)])
