"""``meshspec claims``: the registry of claims as a table, and whether the evidence it refers to exists."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from meshspec import claims as registry_of
from meshspec.claims import Claim, Missing, Registry, Row
from meshspec.errors import UsageError
from meshspec.report import files


def claims(
    *names: str,
    status: str | None = None,
    kind: str | None = None,
    primitive: str | None = None,
    json: Path | None = None,
) -> int:
    """Print what the texts claim, under which names it is checked, and how far each claim is settled.

    All filters given must apply. Every reference to evidence in the registry is followed, whatever is shown; each
    that leads nowhere is named and makes the exit code 1.

    Args:
        names: ids or names, or parts of statements; ``*`` and ``?`` stand for any text, any character.
        status: only claims with this status.
        kind: only claims and invariants of this kind.
        primitive: only what belongs to this primitive, P1 to P7 or a word.
        json: also write the rows in full, the counts and the missing evidence to this file.

    Raises:
        UsageError: for a filter value that does not exist, a name that matches nothing, or a JSON file that cannot be
            written.
        ModelError: for a broken registry.
    """
    if json is not None:
        files.refuse_unwritable(json, "claims")
    registry = registry_of.load()
    rows = _chosen(registry, names, status, kind, primitive)
    missing, unexamined = registry_of.missing_evidence(registry), registry_of.unexamined(registry)
    last = [f"evidence does not exist: {lost}" for lost in missing]
    if unexamined:
        last.append(f"evidence not looked up, for an installed package has no tests: {len(unexamined)} references")
    last.append(_counts(registry, rows))
    width = _width()
    for line in (*_lines(rows, width), *(part for text in last for part in _wrapped(text, width))):
        _say(line)
    if json is not None:
        _write(json, registry, rows, missing, unexamined)
    return 1 if missing else 0


def _chosen(
    registry: Registry, names: Sequence[str], status: str | None, kind: str | None, primitive: str | None
) -> tuple[Row, ...]:
    for name in names:
        if not registry.select(name=name):
            raise UsageError(registry_of.unknown_names([name], registry)[0])
    wanted = {row.id for name in names or ("",) for row in registry.select(name=name)}
    filtered = registry.select(status=status, kind=kind, primitive=primitive)
    return tuple(row for row in filtered if row.id in wanted)


def _counts(registry: Registry, rows: Sequence[Row]) -> str:
    shown = sum(isinstance(row, Claim) for row in rows)
    counts = ", ".join(f"{count} {status}" for status, count in registry_of.summary(registry).items() if count)
    return (
        f"{shown} of {len(registry.claims)} claims and {len(rows) - shown} of {len(registry.invariants)} invariants; "
        f"of all claims {counts}"
    )


def _width() -> int | None:
    """The columns there are; none to keep to on a pipe, unless COLUMNS says so."""
    known = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return max(shutil.get_terminal_size().columns, 20) if known else None


def _lines(rows: Sequence[Row], width: int | None) -> Iterator[str]:
    """A line for each row, in columns; where they do not fit, a paragraph for each row."""
    cells = [registry_of.COLUMNS, *registry_of.table(rows)]
    sizes = [max(len(line[column]) for line in cells) for column in range(len(registry_of.COLUMNS) - 1)]
    padded = ([cell.ljust(size) for cell, size in zip(line, [*sizes, 0], strict=True)] for line in cells)
    lines = ["  ".join(line).rstrip() for line in padded]
    if width is None or max(map(len, lines)) <= width:
        yield from lines
        return
    for *head, statement, links in cells[1:]:
        for indent, text in (("", "  ".join(head)), ("    ", statement[: width - 4]), ("    ", links)):
            yield from _wrapped(text, width, indent)


def _wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    if width is None:
        return [text]
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent="    ", break_on_hyphens=False)


def _say(text: str) -> None:
    """Print, whatever the encoding of the output."""
    encoding = sys.stdout.encoding or "ascii"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def _write(
    path: Path, registry: Registry, rows: Sequence[Row], missing: Sequence[Missing], unexamined: Sequence[str]
) -> None:
    report = {
        "claims": [row for row in rows if isinstance(row, Claim)],
        "invariants": [row for row in rows if not isinstance(row, Claim)],
        "total": {"claims": len(registry.claims), "invariants": len(registry.invariants)},
        "statuses": registry_of.summary(registry),
        "missing_evidence": missing,
        "unexamined_evidence": unexamined,
    }
    files.write(path, msgspec.json.format(msgspec.json.encode(report, enc_hook=dict), indent=2).decode() + "\n")
