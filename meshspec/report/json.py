"""Findings as JSON, by a published, versioned schema (``schema.json`` beside this file)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from meshspec.answer import Counterexample, Finding
from meshspec.engines.check import Answered
from meshspec.errors import UsageError

VERSION = 2


def finding_object(finding: Finding) -> dict[str, Any]:
    """One finding, every fact of its text included."""
    path = finding.counterexample
    return {
        "model": finding.subject,
        "property": finding.property,
        "kind": finding.kind,
        "answer": finding.answer.value,
        "strength": finding.strength.value if finding.strength else None,
        "scope": dict(finding.scope),
        "states": finding.states,
        "orbits": finding.orbits,
        "tested": finding.tested,
        **_path(path),
        "more": [_path(other) for other in finding.more],
        "reason": finding.reason,
        "known": finding.known,
        "settles": finding.settles,
        "engine": finding.engine,
        "where": finding.where,
        "replay": finding.replay,
        "facts": _plain(finding.facts),
    }


def _path(path: Counterexample | None) -> dict[str, Any]:
    """The parts of a counterexample, each ``None`` where there is none."""
    if path is None:
        return dict.fromkeys(("counterexample", "initial", "failed", "how", "loop"))
    return {
        "counterexample": [
            {
                "action": step.action,
                "at": step.at or None,
                "changes": {name: {"before": old, "after": new} for name, (old, new) in step.changes.items()},
                "note": step.note,
            }
            for step in path.steps
        ],
        "initial": dict(path.initial),
        "failed": path.failed,
        "how": path.how,
        "loop": path.loop,
    }


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [_plain(inner) for inner in cast("Iterable[object]", value)]
        return items if isinstance(value, (list, tuple)) else sorted(items, key=str)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def report_object(
    answered: Sequence[Answered], *, seed: int, exit_code: int, notes: Sequence[str], again: str = ""
) -> dict[str, Any]:
    """A whole report: one entry a property, and beside it what each engine said."""
    return {
        "format": "meshspec-report",
        "version": VERSION,
        "seed": seed,
        "exit_code": exit_code,
        "notes": list(notes),
        "again": again,
        "properties": [
            {**finding_object(one.answer), "findings": [finding_object(f) for f in one.findings]} for one in answered
        ],
    }


def refuse_unwritable(path: Path) -> None:
    """Raise :class:`UsageError`, before anything runs, for a file that could not be written afterwards."""
    there = path.exists()
    try:
        if path.is_file() and (head := path.read_bytes()[:200]) and b'"meshspec-report"' not in head:
            raise UsageError(f"{path} is there already and is no report, so it is not overwritten: name another file")
        path.open("ab").close()
        if not there:
            path.unlink()
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def write(path: Path, report: Mapping[str, Any]) -> None:
    """Write a report; raises :class:`UsageError` where the file cannot be written after all."""
    try:
        path.write_text(json.dumps(report, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
