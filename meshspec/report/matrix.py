"""A kill matrix and a coverage as text: small tables, survivors with what to do about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from meshspec.answer import Answer
from meshspec.engines.coverage import Coverage
from meshspec.engines.mutate import summary
from meshspec.engines.mutation import Fate, MutationReport, Run
from meshspec.lang.guards import GUARD
from meshspec.report.text import WIDTH, clean, paragraph

SHOWN = 160
"""The most characters of a change that are shown."""

MOST_VALUES = 12
"""The most values of one variable that are shown."""


def table(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Rows in columns, the first row being the heads; columns of numbers stand to the right.

    >>> print("\\n".join(table([("word", "n"), ("a", "10"), ("b", "9")])))
    word   n
    a     10
    b      9
    """
    plain = [[clean(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in plain) for column in range(len(plain[0]))]
    right = [all(row[column].replace(",", "").isdecimal() for row in plain[1:]) for column in range(len(widths))]
    lines: list[str] = []
    for row in plain:
        cells = [
            cell.rjust(width) if numbers else cell.ljust(width)
            for cell, width, numbers in zip(row, widths, right, strict=True)
        ]
        lines.append(f"{indent}{'  '.join(cells)}".rstrip())
    return lines


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 4]} ..."


# -- mutants ---------------------------------------------------------------------------------------------------


def mutation_lines(report: MutationReport, width: int = WIDTH, matrix: bool = False) -> list[str]:
    """What a mutation run came to; with `matrix`, a line for every mutant that was run."""
    lines = paragraph(summary(report), width)
    if not report.all_tried and not report.stopped:
        lines += paragraph(f"a sample over the methods, drawn with seed {report.seed}", width)
    if by_lemmas := report.by_lemmas:
        what = f"{len(by_lemmas)} of the dead are noticed by lemmas alone, and a lemma promises nothing to anyone"
        lines += paragraph(what, width)
    lines += [line for why in report.unread for line in paragraph(f"rows only: {why}", width)]
    marks = letters(report)
    lines += ["", *table(property_rows(report, marks))]
    if matrix:
        lines += ["", *_matrix(report, marks, width)]
    lines += _survivors(report, width)
    for fate, head in (
        (Fate.UNDECIDED, "undecided: the search was cut before anything noticed them"),
        (Fate.NOT_MADE, "not made, and counted nowhere:"),
    ):
        if runs := report.of(fate):
            lines += ["", head, *_listed(runs, width, remarks=True)]
    broken = {found.property for found in report.base if found.answer is Answer.VIOLATED}  # by the model itself
    if otherwise := [run for run in report.runs if not broken.issuperset(run.otherwise)]:
        lines += ["", "violated, but not by the change, so no kill:"]
        for run in otherwise:
            lines += _listed([run], width)
            lines += [
                line
                for name, why in run.otherwise.items()
                for line in _deeper(f"{name}: {why}", width)
            ]  # fmt: skip
    return lines


def letters(report: MutationReport) -> dict[str, str]:
    """A letter for every property; beyond the alphabet, a letter and a number."""
    names = [found.property for found in report.base]
    return {name: f"{chr(65 + n % 26)}{n // 26 or ''}" for n, name in enumerate(names)}


def property_rows(report: MutationReport, marks: Mapping[str, str]) -> list[tuple[str, ...]]:
    """How many mutants each property refutes (or loses its witness in), and how many of them nothing else does."""
    rows: list[tuple[str, ...]] = [("", "property", "kind", "kills", "lost in", "alone")]
    for found in report.base:
        name = found.property
        kills = [run for run in report.runs if name in run.kills]
        lost = [run for run in report.runs if name in run.notices]
        alone = [run for run in (*kills, *lost) if {*run.kills, *run.notices} == {name}]
        rows.append((marks[name], name, found.kind, str(len(kills)), str(len(lost)), str(len(alone))))
    return rows


def _matrix(report: MutationReport, marks: Mapping[str, str], width: int) -> list[str]:
    lines = ["killed by (small letters: noticed by vacuity)"]
    runs = [run for run in report.runs if run.counts]
    told = [_told(run, marks) for run in runs]
    column = max(map(len, told), default=0)
    for run, mark in zip(runs, told, strict=True):
        first, *rest = paragraph(f"{run.mutant.where}  {_short(run.mutant.name)}", max(width - column - 2, 40))
        lines.append(f"{mark:<{column}}  {first}")
        lines += [f"{'':<{column}}  {line}" for line in rest]
    return lines


def _told(run: Run, marks: Mapping[str, str]) -> str:
    if run.kills or run.notices:
        kills, notices = (marks[name] for name in run.kills), (marks[name].lower() for name in run.notices)
        return "".join((*kills, *notices))
    return {Fate.EQUIVALENT: "=", Fate.UNDECIDED: "?"}.get(run.fate, "-")


def _survivors(report: MutationReport, width: int) -> list[str]:
    """Survivors under what there is to say of them."""
    if not report.survivors:
        return []
    lines = [
        "",
        *paragraph("survivors: state a claim that forbids the change, or drop what makes no difference", width),
    ]
    for remark in dict.fromkeys(run.remark for run in report.survivors):
        lines += [f"  {line}" for line in paragraph(f"{remark}:", width - 2)]
        lines += _listed([run for run in report.survivors if run.remark == remark], width)
    return lines


def _listed(runs: Iterable[Run], width: int, remarks: bool = False) -> list[str]:
    lines: list[str] = []
    for run in runs:
        text = f"{run.mutant.where}  {_short(run.mutant.name)}"
        lines += [f"    {line}" for line in paragraph(text, width - 4)]
        lines += _deeper(run.remark, width) if remarks and run.remark else []
    return lines


def _deeper(text: str, width: int) -> list[str]:
    return [f"        {line}" for line in paragraph(text, width - 8)]


# -- coverage --------------------------------------------------------------------------------------------------


def coverage_lines(found: Coverage, width: int = WIDTH) -> list[str]:
    """Actions, guards, antecedents, witnesses, depths and values as small tables."""
    lines = table([("action", "fired"), *((name, f"{count:,}") for name, count in found.fired.items())])
    if found.guards:
        rows = [("guard", "true", "false", "", "method", "at")]
        for one in found.guards:
            text = one.site.text if one.site.kind == GUARD else f"if {one.site.text}"
            word = "" if found.cut else one.word  # of a search that was cut, what is missing may yet be seen
            if one.site.kind == GUARD:
                word = {"never false": "redundant in scope", "never true": "dead"}.get(word, word)
            site = one.site
            rows.append((_short(text), f"{one.true:,}", f"{one.false:,}", word, site.method, str(site.where)))
        lines += ["", *table(rows)]
    lines += [line for why in found.unread for line in paragraph(f"guards not read: {why}", width)]
    if found.antecedents:
        rows_ = [("antecedent of", "states", "at")]
        rows_ += [(claim, f"{count:,}", place) for (claim, place), count in found.antecedents.items()]
        lines += ["", *table(rows_)]
    if found.witnesses:
        lines += ["", *table([("witnessed", "states"), *((n, f"{c:,}") for n, c in found.witnesses.items())])]
    if found.depths:
        lines += ["", *table([("depth", "states"), *((str(d), f"{c:,}") for d, c in found.depths.items())])]
    if found.values:
        lines += ["", "states that hold a value"]
        for variable, counts in found.values.items():
            shown = [f"{value} {count:,}" for value, count in list(counts.items())[:MOST_VALUES]]
            more = len(counts) - len(shown)
            shown += [f"and {more:,} more values"] if more > 0 else []
            lines += [f"  {line}" for line in paragraph(f"{variable}: {', '.join(shown)}", width - 2)]
    return lines
