"""The strict reader of reports: it takes what we write, and refuses everything else with a sentence."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshspec.engines.check import Answered
from meshspec.errors import UsageError
from meshspec.report import read
from meshspec.report.json import report_object, text
from meshspec.report.read import read_report, report_of
from tests.report.hostile import EACH, NASTY, SOME, answered
from tests.report.test_json import SCHEMA, errors_of

REPORT: dict[str, Any] = report_object(EACH, seed=3, exit_code=1, notes=["a note"], again="meshspec check")


NESTED: Any = json.loads("[" * 70 + "]" * 70)


def data_of(report: object) -> bytes:
    return json.dumps(report).encode()


def changed(*path: object, to: object) -> dict[str, Any]:
    """The report with one value replaced."""
    report: dict[str, Any] = copy.deepcopy(REPORT)
    inner: Any = report
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return report


def keys_of(value: Any) -> list[Any]:
    """What can be looked up in a piece of JSON; nothing in what holds nothing."""
    if isinstance(value, dict):
        return list(cast("dict[str, Any]", value))
    if isinstance(value, list):
        return [*range(len(cast("Sequence[Any]", value)))]
    return []


def refused(data: bytes) -> str:
    with pytest.raises(UsageError) as error:
        report_of(data)
    return str(error.value)


def test_what_we_write_is_read_as_it_is() -> None:
    report = report_of(text(REPORT).encode())
    assert (report.seed, report.exit_code, report.notes, report.again) == (3, 1, ("a note",), "meshspec check")
    assert [one.property for one in report.properties] == [one.answer.property for one in EACH]
    first = report.properties[0]
    assert (first.answer, first.scope, first.states) == ("VIOLATED", {"Job": 2}, 49)
    assert first.counterexample is not None
    assert [(step.action, step.where) for step in first.counterexample][:2] == [
        ("charge(job0)", "charging.py:20"), ("crash", "charging.py:31"),
    ]  # fmt: skip
    assert [one.waived for one in report.properties] == [one.answer.waived for one in EACH]


@SOME
@given(answered)
def test_every_report_that_we_can_write_is_valid_and_is_read(many: list[Answered]) -> None:
    report = report_object(many, seed=0, exit_code=1, notes=list(NASTY))
    assert errors_of(report) == []
    assert len(report_of(text(report).encode()).properties) == len(many)


def test_the_words_of_the_reader_are_those_of_the_schema() -> None:
    properties = SCHEMA["$defs"]["finding"]["properties"]
    assert set(get_args(read.Kind)) == set(properties["kind"]["enum"])
    assert set(get_args(read.AnswerWord)) == set(properties["answer"]["enum"])
    assert {*get_args(read.StrengthWord), None} == set(properties["strength"]["enum"])
    assert set(get_args(read.State)) == set(SCHEMA["$defs"]["waiver"]["properties"]["state"]["enum"])
    for struct, fields in (
        (read.ReadReport, SCHEMA["properties"]),
        (read.ReadProperty, properties),
        (read.ReadStep, SCHEMA["$defs"]["step"]["properties"]),
        (read.ReadRecord, SCHEMA["$defs"]["record"]["properties"]),
    ):
        assert set(struct.__struct_fields__) == set(fields)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no JSON (cut short?)"),
        (b"{", "no JSON (cut short?)"),
        (text(REPORT).encode()[:-40], "no JSON (cut short?)"),
        (b"[]", "no report of meshspec"),
        (b'{"format": "junit"}', "no report of meshspec"),
        (b'{"runs": []}', "no report of meshspec"),
        (b"null", "no report of meshspec"),
        (b"\xff\xfe{}", "no UTF-8"),
        (data_of(changed("version", to=2)), "made by version 2 of the format; this reads 3"),
        (data_of(changed("version", to=4)), "made by version 4 of the format; this reads 3"),
        (data_of(changed("version", to="3")), "without a version"),
        (data_of(changed("version", to=True)), "without a version"),
        (data_of(changed("version", to=3.0)), "without a version"),
        (data_of(changed("seed", to="0")), "`$.seed`"),
        (data_of(changed("exit_code", to=5)), "exit_code"),
        (data_of(changed("extra", to=1)), "`extra`"),
        (data_of(changed("properties", 0, "extra", to=1)), "`extra`"),
        (data_of(changed("properties", 0, "answer", to="FINE")), "FINE"),
        (data_of(changed("properties", 0, "states", to=-1)), "states"),
        (data_of(changed("properties", 0, "states", to=True)), "states"),
        (data_of(changed("properties", 0, "strength", to="tested")), "VIOLATED with the strength tested"),
        (data_of(changed("properties", 0, "answer", to="HOLDS")), "HOLDS with the strength None"),
        (data_of(changed("properties", 0, "initial", to=None)), "a part of a counterexample without the rest"),
        (data_of(changed("properties", 1, "loop", to=1)), "a part of a counterexample without the rest"),
        (data_of(changed("properties", 3, "waiver", to={**REPORT["properties"][5]["waiver"]})), "that excuses HOLDS"),
        (b'{"format": "meshspec-report", "format": "x"}', "has 'format' twice"),
        (data_of(changed("seed", to=1)).replace(b'"seed": 1', b'"seed": NaN'), "holds NaN"),
        (data_of(changed("seed", to=1)).replace(b'"seed": 1', b'"seed": -Infinity'), "holds -Infinity"),
        (data_of(changed("seed", to=1)).replace(b'"seed": 1', b'"seed": 1e999'), "holds 1e999"),
        (data_of(changed("seed", to=1)).replace(b'"seed": 1', b'"seed": ' + b"9" * 5000), "thousands of digits"),
        (b"[" * 200_000, "nested"),
        (b'{"a":' * 200_000, "nested"),
        (
            data_of(changed("properties", 0, "facts", "deep", to=json.loads("[" * 70 + "]" * 70))),
            "nested more than 64",
        ),
        (b"[" + b" " * read.LARGEST, "larger than"),
    ],
)
def test_what_is_no_report_of_ours_is_refused_with_a_reason(data: bytes, said: str) -> None:
    assert said in refused(data)


def test_an_object_with_a_name_twice_is_refused_in_no_time() -> None:
    many = ",".join(f'"{n}":0' for n in range(100_000))
    assert "has '99999' twice" in refused(f'{{{many},"99999":1}}'.encode())


def test_the_file_is_named_in_the_refusal(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_bytes(b"{}")
    with pytest.raises(UsageError, match=r"old\.json: it is no report"):
        read_report(path)
    for missing in (tmp_path / "none.json", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            read_report(missing)
    with pytest.raises(UsageError, match="no name of a file"):
        read_report(Path("a\0b"))


@SOME
@given(st.data())
def test_what_was_changed_anywhere_is_read_if_and_only_if_it_is_still_valid(data: st.DataObject) -> None:
    report: dict[str, Any] = copy.deepcopy(REPORT)
    inner: Any = report
    while True:
        key: Any = data.draw(st.sampled_from(keys_of(inner)))
        if not keys_of(inner[key]) or data.draw(st.integers(0, 4)) == 0:
            break
        inner = inner[key]
    values = st.sampled_from([None, True, 0, -1, 1.5, "", "HOLDS", "tested", [], {}, [1], {"a": 1}, "2027-01-31", 70])
    if data.draw(st.booleans()):
        inner[key] = data.draw(values)
    else:
        del inner[key]
    try:
        report_of(data_of(report))
        taken = True
    except UsageError as error:
        taken = False
        assert 0 < len(str(error)) < 5000
    if taken:
        assert errors_of(report) == []
    elif errors_of(report) == []:  # the schema cannot say that answers, paths and waivers belong together
        assert "no meshspec wrote this" in refused(data_of(report))


@SOME
@given(st.binary(max_size=60), st.integers(0, 10_000), st.integers(0, 60))
def test_bytes_that_were_damaged_never_give_a_traceback(noise: bytes, start: int, cut: int) -> None:
    whole = text(REPORT).encode()
    start %= len(whole)
    try:
        report_of(whole[:start] + noise + whole[start + cut :])
    except UsageError as error:
        assert str(error)
