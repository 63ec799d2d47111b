"""Findings as JSON, by a published, versioned schema (``schema.json`` beside this file).

What is written here is read back by :mod:`meshspec.report.read`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from meshspec.answer import Counterexample, Finding, Waiver
from meshspec.engines.check import Answered
from meshspec.waivers import Record, State

FORMAT = "meshspec-report"
VERSION = 3


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
        "claim": finding.claim,
        "replay": finding.replay,
        "waiver": _waiver(finding),
        "facts": _plain(finding.facts),
    }


def _waiver(finding: Finding) -> dict[str, Any] | None:
    waiver = finding.waiver
    if waiver is None:
        return None
    return _excuse(waiver, "expired" if waiver.ended else "used" if finding.waived else "unused")


def _excuse(waiver: Waiver, state: State) -> dict[str, Any]:
    return {
        "owner": waiver.owner,
        "reason": waiver.reason,
        "expires": waiver.expires.isoformat(),
        "answer": waiver.answer.value,
        "state": state,
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
                "where": step.where,
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
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def report_object(
    answered: Sequence[Answered],
    *,
    seed: int,
    exit_code: int,
    notes: Sequence[str],
    again: str = "",
    waivers: Sequence[Record] = (),
    fences: Sequence[str] = (),
) -> dict[str, Any]:
    """A whole report: one entry a property, and beside it what each engine said.

    ``waivers`` are all that were written and what became of each, ``fences`` what was kept from what was checked.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "seed": seed,
        "exit_code": exit_code,
        "notes": list(notes),
        "again": again,
        "waivers": [
            {
                "model": one.waiver.model,
                "property": one.waiver.property,
                **_excuse(one.waiver, one.state),
                "where": one.waiver.where,
            }
            for one in waivers
        ],
        "fences": list(fences),
        "properties": [
            {**finding_object(one.answer), "findings": [finding_object(f) for f in one.findings]} for one in answered
        ],
    }


def text(value: object) -> str:
    """A piece of JSON as it is written to a file: ASCII, in lines, the same for the same value."""
    return json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
