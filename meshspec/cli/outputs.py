"""The files that a command was asked to write, and the annotations that it was asked to print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from meshspec.answer import Answer, Finding
from meshspec.cli.options import NOWHERE, Outputs
from meshspec.engines.check import Answered
from meshspec.errors import Where
from meshspec.report import files
from meshspec.report.checked import Asked
from meshspec.report.json import text
from meshspec.waivers import Record

BUG = 70
_KINDS = ("json", "junit", "sarif", "markdown")


@attrs.frozen(eq=False)
class Told:
    """All that a report says: of each answer, by its place, the question about a model that it answers, if any."""

    answered: Sequence[Answered]
    asked: Mapping[int, Asked]
    seed: int
    code: int
    notes: Sequence[str]
    again: str
    fences: Sequence[str] = ()
    waivers: Sequence[Record] = ()


def _paths(outputs: Outputs) -> dict[str, Path]:
    named = {name: getattr(outputs, name) for name in _KINDS}
    return {name: path for name, path in named.items() if path is not None}


def refuse_unwritable(outputs: Outputs) -> None:
    """Raise :class:`meshspec.errors.UsageError`, before anything runs, for what could not be written afterwards."""
    refuse_same(outputs)
    for name, path in _paths(outputs).items():
        files.refuse_unwritable(path, name)
    if outputs.out is not None:
        from meshspec.report.bundle import refuse_unwritable_folder

        refuse_unwritable_folder(outputs.out)
    global _asked
    _asked = outputs


_asked: Outputs | None = None


def begin() -> None:
    """Before each run: no report is asked for yet."""
    global _asked
    _asked = None


def failed(message: str, where: Where | None, code: int) -> Iterator[str]:
    """Nothing was concluded: every report that was asked for says so, lest an older one be taken for this run's.

    Gives the lines that the terminal shows of it. Raises :class:`meshspec.errors.UsageError` for a file that cannot
    be written; the annotations come before.
    """
    outputs, place = _asked, str(where or "")
    if outputs is None:
        return
    finding = Finding(
        "meshspec",
        "the command ran to its end",
        Answer.UNDETERMINED,
        "check",
        kind="check",
        reason=message,
        settles="mending what the reason says" if code != BUG else "",
        where=place,
    )
    told = Told([Answered(finding, (finding,))], {}, 0, code, [message], "")
    if outputs.github:
        yield from write(attrs.evolve(NOWHERE, github=True), told)
    yield from write(attrs.evolve(outputs, out=None, github=False), told)


def refuse_same(outputs: Outputs, **more: Path | None) -> None:
    """Raise :class:`meshspec.errors.UsageError` where two options, or one of `more`, name the same file."""
    given = {f"--{name}": path for name, path in (_paths(outputs) | more).items() if path is not None}
    files.refuse_same(given)


def awaited(outputs: Outputs) -> bool:
    """Whether a file is still to be written, though nobody reads the terminal any more."""
    return bool(_paths(outputs)) or outputs.out is not None


def write(outputs: Outputs, told: Told) -> Iterator[str]:
    """Write the files; gives the lines that the terminal shows of it."""
    for name, path in _paths(outputs).items():
        files.write(path, _rendered(name, told))
    if outputs.out is not None:
        yield from _bundles(outputs.out, told)
    if outputs.github:
        from meshspec.report.github import annotations

        yield from annotations(told.answered, allow_undetermined=outputs.allow_undetermined)


def _rendered(name: str, told: Told) -> str:
    """A report in one format; only the formats that are asked for are imported."""
    if name == "json":
        from meshspec.report.json import report_object

        made = report_object(
            told.answered,
            seed=told.seed,
            exit_code=told.code,
            notes=told.notes,
            again=told.again,
            fences=told.fences,
            waivers=told.waivers,
        )
        return text(made)
    if name == "junit":
        from meshspec.report.junit import junit

        return junit(told.answered, notes=told.notes)
    if name == "sarif":
        from meshspec.report.sarif import sarif

        return text(sarif(told.answered, exit_code=told.code, notes=told.notes))
    from meshspec.report.markdown import summary

    return summary(told.answered, notes=told.notes, again=told.again)


def _bundles(folder: Path, told: Told) -> Iterator[str]:
    from meshspec.report.bundle import UNWRITTEN, bundle_of

    for place, one in enumerate(told.answered):
        question = told.asked.get(place)
        bundle = bundle_of(one.answer, question)
        if bundle is not None:
            written = bundle.write(folder)
            yield f"  bundle of {one.answer.property}: {written[0]}"
        elif one.answer.engine == "judge" and one.answer.answer is Answer.VIOLATED:
            yield f"  no bundle of {one.answer.property}: {UNWRITTEN}"
