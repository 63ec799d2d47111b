"""``meshspec diff``: what changed between two JSON reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from meshspec.cli import runs
from meshspec.report import files
from meshspec.report.diff import diff as compared
from meshspec.report.diff import diff_object, lines_of
from meshspec.report.json import text
from meshspec.report.read import read_report


def diff(
    old: Path,
    new: Path,
    *,
    json: Annotated[Path | None, Parameter(help="Write the differences to this file as JSON.")] = None,
) -> int:
    """Compare two reports that --json wrote: exit 1 if a property got worse, is gone, or is new and does not hold.

    Exit 4 if neither has a property, else 0. A claim whose text is another is told as changed.
    """
    report = runs.Report()
    if json is not None:
        files.refuse_unwritable(json, "diff")
    found = compared(read_report(old), read_report(new))
    for line in lines_of(found, report.width):
        report.say(line)
    report.say(f"exit {found.exit_code}")
    if json is not None:
        files.write(json, text(diff_object(found, str(old), str(new))))
    return found.exit_code
