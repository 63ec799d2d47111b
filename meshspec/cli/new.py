"""``meshspec new``: a model, a policy or a role to begin with, which passes as it is."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from meshspec.cli import runs
from meshspec.errors import UsageError
from meshspec.report import templates
from meshspec.report.text import paragraph


def new(
    kind: Literal["model", "policy", "role"] | None = None,
    name: str | None = None,
    /,
    *,
    dir: Annotated[Path, Parameter(help="The folder to write into.")] = Path(),
) -> int:
    """Write a template that passes, and its test: a model, a policy (a loop breaker), or a role with its incident.

    NAME is the name of the file and of the class: retry-budget makes retry_budget.py with RetryBudget. No file is
    ever overwritten.
    """
    if kind is None or name is None:
        raise UsageError(f"write meshspec new {kind or 'model|policy|role'} NAME")
    chosen = templates.name_of(kind, name)
    written = _write(dir, templates.files(kind, chosen))
    report = runs.Report()
    for path in written:
        report.say(f"written: {path}")
    file, test = (shlex.quote(str(path)) for path in written)
    asks = {
        "model": [f"meshspec check {file}", f"meshspec step {file}"],
        "policy": [f"meshspec check {file}:{chosen.cls} --role breaker"],
        "role": [f"meshspec check {file}:{chosen.cls}", f"meshspec check {file}:{chosen.cls}TrustsOldChecks"],
    }
    says = {
        "model": "then change the story, the variables and the actions to yours; what no longer holds is told",
        "policy": "then change what it takes for progress; what it owes is told by meshspec explain breaker",
        "role": "the second is the incident, which breaks an obligation; your policies are subclasses like it",
    }
    report.say("next:")
    for line in (*asks[kind], f"pytest {test}"):
        report.say(f"  {line}")
    for line in paragraph(says[kind], report.width):
        report.say(line)
    return 0


def _write(folder: Path, files: dict[str, str]) -> list[Path]:
    """Write all files or none; raises :class:`UsageError` where one is there already or cannot be written."""
    if not folder.is_dir():
        why = "it is no folder" if folder.exists() else "there is no such folder"
        raise UsageError(f"--dir {folder}: {why}")
    written: list[Path] = []
    for path, text in ((folder / name, text) for name, text in files.items()):
        try:
            with path.open("x", encoding="utf-8") as file:
                written.append(path)
                file.write(text)
        except OSError as error:
            for begun in written:
                begun.unlink(missing_ok=True)
            there = isinstance(error, FileExistsError)
            why = "is there already, and nothing is overwritten" if there else f"cannot be written: {error.strerror}"
            raise UsageError(f"{path} {why}") from None
    return written
