"""``meshspec replay``: a bundle, run again on CPython."""

from __future__ import annotations

from pathlib import Path

import attrs

from meshspec.cli import runs
from meshspec.cli.options import NOWHERE, Outputs
from meshspec.engines.check import Answered
from meshspec.errors import UsageError
from meshspec.lang.places import shown
from meshspec.report import text
from meshspec.report.bundle import read_all
from meshspec.report.bundle_replay import Replayed, replayed
from meshspec.report.bundled import Bundle


def replay(bundle: Path, *, outputs: Outputs = NOWHERE) -> int:
    """Run a counterexample again: every step on CPython, and the property at the end.

    A bundle is named by its .json, its trace (.itf.json), its test or its diagram, or by the folder it is in. This
    imports the model that it names. Violated is what is violated again; a path that the model no longer has is
    undetermined, for it tells of no other; a bundle that contradicts a model that has not changed is refused.
    """
    if outputs.out is not None:
        raise UsageError("--out writes what was found; a bundle that is replayed is there already")
    found = read_all(bundle)
    report = runs.Report(outputs=outputs)
    for name, one in found:
        _replay(name, one, report)
    return report.end()


def _replay(name: str, bundle: Bundle, report: runs.Report) -> None:
    how = "is told the story again" if bundle.of == "policy" else "is imported and run"
    about = bundle.target or bundle.subject  # what it is of is known once it is there
    for line in text.paragraph(f"{about}: what {name} names {how}", report.width):
        report.say(line)
    if (found := _file_of(name, bundle)) is not None:
        bundle, note = found
        report.note(note)
    try:
        came = replayed(bundle)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None
    for line in text.paragraph(_title(bundle), report.width):
        report.say(line)
    report.show([Answered(came.finding, (came.finding,))])
    report.note(_outcome(came))
    if came.note:
        report.note(came.note)
    if came.finding.replay:
        report.say(f"  replay {came.finding.property}: {came.finding.replay}")


def _file_of(name: str, bundle: Bundle) -> tuple[Bundle, str] | None:
    """The bundle with its model's file as it is reached from here, where that is not the present folder.

    It is looked for in the folder of the bundle and in those above it, as a bundle's test does.
    """
    head, colon, attribute = bundle.target.rpartition(":")
    path = Path(head if colon and head.endswith(".py") else bundle.target)
    if path.suffix != ".py" or path.is_absolute() or path.is_file():
        return None
    for folder in Path(name).resolve().parents:
        if (folder / path).is_file():
            there = shown(str(folder / path))
            target = f"{there}:{attribute}" if path == Path(head) and colon else there
            return attrs.evolve(bundle, target=target), f"{path} is not in this folder; {there} was taken"
    return None


def _title(bundle: Bundle) -> str:
    about = bundle.subject if bundle.subject == bundle.target else f"{bundle.subject} ({bundle.target})"
    return f"{about}  [scope {text.scope_text(bundle.scope)}]" if bundle.scope else about


def _outcome(came: Replayed) -> str:
    if not came.reproduced:
        return f"not reproduced: {came.finding.reason}"
    where = "told again to the policy" if came.bundle.of == "policy" else "reproduced on CPython"
    return f"{where}: {came.steps} step{'s' if came.steps != 1 else ''}"
