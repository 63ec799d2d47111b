"""A JSON report read back, strictly: what is cut short, foreign, ambiguous or of another version is refused.

Nothing in a file is believed: its size, depth, numbers, names and types are checked before anything looks at it, and
whatever is wrong is a :class:`UsageError` that says what and where. A report that is read is valid by the published
schema, and its strengths, waivers and paths agree with its answers.
"""

from __future__ import annotations

import builtins
import json
import math
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, cast

import msgspec

from meshspec.errors import UsageError
from meshspec.report.json import FORMAT, VERSION

LARGEST = 32 << 20
"""How many bytes a report may have."""

DEEPEST = 64
"""How deep its values may be nested."""

AnswerWord = Literal["HOLDS", "VIOLATED", "UNDETERMINED", "VACUOUS"]
ExcusedWord = Literal["VIOLATED", "UNDETERMINED", "VACUOUS"]
StrengthWord = Literal["every size", "exhaustive", "k-induction", "tested"]
Kind = Literal[
    "always", "sometimes", "eventually", "lemma", "range", "total", "fires", "terminal", "refines", "obligation",
    "contract", "deterministic", "evidence", "waiver", "check",
]  # fmt: skip
State = Literal["used", "unused", "expired"]
Count = Annotated[int, msgspec.Meta(ge=0)]
Size = Annotated[int, msgspec.Meta(ge=1)]
Day = Annotated[str, msgspec.Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An object with exactly these fields."""


class Change(_Strict, frozen=True):
    """A value before and after a step."""

    before: str
    after: str


class ReadStep(_Strict, frozen=True):
    """One step of a counterexample."""

    action: str
    changes: dict[str, Change]
    note: str
    at: Size | None
    where: str


class ReadWaiver(_Strict, frozen=True):
    """Who answers for a property."""

    owner: str
    reason: str
    expires: Day
    answer: ExcusedWord
    state: State


class ReadRecord(_Strict, frozen=True):
    """A waiver, and what became of it."""

    model: str
    property: str
    owner: str
    reason: str
    expires: Day
    answer: ExcusedWord
    where: str
    state: State


class ReadPath(_Strict, frozen=True):
    """A further counterexample."""

    counterexample: tuple[ReadStep, ...]
    initial: dict[str, str]
    failed: str
    how: str
    loop: Count | None


class ReadFinding(_Strict, frozen=True):
    """What was said of a property."""

    model: str
    property: str
    kind: Kind
    answer: AnswerWord
    strength: StrengthWord | None
    scope: dict[str, Size]
    states: Count | None
    orbits: Count | None
    tested: Count | None
    counterexample: tuple[ReadStep, ...] | None
    initial: dict[str, str] | None
    failed: str | None
    how: str | None
    loop: Count | None
    more: tuple[ReadPath, ...]
    reason: str
    known: str
    settles: str
    engine: str
    where: str
    claim: str
    replay: str
    waiver: ReadWaiver | None
    facts: dict[str, Any]

    @builtins.property
    def waived(self) -> bool:
        """Whether it does not hold, and a waiver in force for this answer answers for that."""
        return self.waiver is not None and self.waiver.state == "used"


class ReadProperty(ReadFinding, frozen=True):
    """A property's one answer, and what each engine said."""

    findings: tuple[ReadFinding, ...]


class ReadReport(_Strict, frozen=True):
    """A whole report."""

    format: Literal["meshspec-report"]
    version: Literal[3]
    seed: int
    exit_code: Literal[0, 1, 2, 3, 4, 70]
    notes: tuple[str, ...]
    again: str
    waivers: tuple[ReadRecord, ...]
    fences: tuple[str, ...]
    properties: tuple[ReadProperty, ...]


def read_report(path: Path) -> ReadReport:
    """The report in a file; raises :class:`UsageError` for what is none, or none that this version reads."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:  # a NUL in the name
        raise UsageError(f"{path} cannot be read: that is no name of a file") from None
    try:
        return report_of(data)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def report_of(data: bytes) -> ReadReport:
    """The report in some bytes; raises :class:`UsageError`."""
    if len(data) > LARGEST:
        raise UsageError(f"it is larger than {LARGEST:,} bytes, and is not read")
    told = _parsed(data)
    if not isinstance(told, dict) or cast("dict[str, object]", told).get("format") != FORMAT:
        raise UsageError("it is no report of meshspec; one is written by --json")
    report = cast("dict[str, object]", told)
    version = report.get("version")
    if type(version) is not int or version != VERSION:
        made = f"made by version {version} of the format" if type(version) is int else "without a version"
        raise UsageError(f"{made}; this reads {VERSION}: make it again with this meshspec")
    _refuse_deep(report)
    try:
        read = msgspec.convert(report, ReadReport)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # the latter for half a character in a name
        raise UsageError(f"it is no report of meshspec that was left as it was written: {error}") from None
    for one in read.properties:
        for finding in (one, *one.findings):
            if wrong := _inconsistent(finding):
                raise UsageError(f"{finding.model}.{finding.property}: {wrong}; no meshspec wrote this")
    return read


def _parsed(data: bytes) -> object:
    try:
        return json.loads(
            data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_number, parse_float=_number
        )
    except UnicodeDecodeError as error:
        raise UsageError(f"it is no UTF-8 ({error.reason} at byte {error.start})") from None
    except json.JSONDecodeError as error:
        cut = "" if data.rstrip().endswith(b"}") else " (cut short?)"
        raise UsageError(f"it is no JSON{cut}: {error}") from None
    except RecursionError:
        raise UsageError(f"its values are nested more than {DEEPEST} deep") from None
    except ValueError:  # more digits than the interpreter converts
        raise UsageError("it holds a number of thousands of digits") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name in made if counts[name] > 1)
        raise UsageError(f"an object has {twice!r} twice, and which one counts is anyone's guess")
    return made


def _no_number(said: str) -> NoReturn:
    raise UsageError(f"it holds {said}, which is no number of JSON")


def _number(said: str) -> float:
    number = float(said)
    if not math.isfinite(number):
        raise UsageError(f"it holds {said[:40]}, which is more than a number can be")
    return number


def _refuse_deep(report: dict[str, object]) -> None:
    level: list[object] = [report]
    for _ in range(DEEPEST):
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inner += cast("dict[str, object]", value).values()
            elif isinstance(value, list):
                inner += cast("list[object]", value)
        if not inner:
            return
        level = inner
    raise UsageError(f"its values are nested more than {DEEPEST} deep")


def _inconsistent(finding: ReadFinding) -> str:
    """What of a finding contradicts its answer; empty where nothing does."""
    if (finding.strength is not None) != (finding.answer == "HOLDS"):
        return f"{finding.answer} with the strength {finding.strength}"
    path = (finding.counterexample, finding.initial, finding.failed, finding.how)
    if any(part is None for part in path) and any(part is not None for part in (*path, finding.loop)):
        return "a part of a counterexample without the rest"
    waiver = finding.waiver
    if waiver is not None and waiver.state == "used" and waiver.answer != finding.answer:
        return f"a waiver for {waiver.answer} that excuses {finding.answer}"
    if waiver is not None and waiver.state == "unused" and waiver.answer == finding.answer:
        return "a waiver that excuses nothing of what does not hold"
    return ""
