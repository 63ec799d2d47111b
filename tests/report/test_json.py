"""The JSON report: valid by its published schema, ASCII, and with the fact of every line of text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, cast

import attrs
import pytest
from jsonschema import Draft202012Validator

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.engines.check import Answered, check, scope_of
from meshspec.errors import UsageError
from meshspec.lang.lift import lift
from meshspec.report.json import finding_object, refuse_unwritable, report_object, write
from meshspec.report.text import lines_of
from tests.models.jugs import Jugs
from tests.models.lock import KeepTheTurn, Peterson
from tests.models.plain_ledger import EffectLedger, ResendInDoubt
from tests.models.two_phase_commit import TwoPhase

SCHEMA: dict[str, Any] = json.loads((resources.files("meshspec.report") / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def errors_of(report: dict[str, Any]) -> list[str]:
    validator: Any = VALIDATOR
    return [str(error.message) for error in validator.iter_errors(report)]


def report_on(model: type, engines: tuple[str, ...]) -> tuple[list[Answered], dict[str, Any]]:
    lifted = lift(model)
    answered = check(lifted, scope_of(lifted, {}), engines)
    return answered, report_object(answered, seed=0, exit_code=0, notes=["a note"], again="meshspec check")


def texts(value: Any) -> list[str]:
    """Every word in a piece of JSON, names included."""
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        return [text for name, inner in entries.items() for text in (name, *texts(inner))]
    if isinstance(value, list):
        return [text for inner in cast("Sequence[Any]", value) for text in texts(inner)]
    return [str(value)]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["version"] == {"const": 2}


@pytest.mark.parametrize("model", [EffectLedger, ResendInDoubt, Jugs, Peterson, KeepTheTurn, TwoPhase])
@pytest.mark.parametrize("engines", [("explore",), ("prove",), ("explore", "prove", "simulate")])
def test_what_the_engines_say_is_valid_by_the_schema(model: type, engines: tuple[str, ...]) -> None:
    _, report = report_on(model, engines)
    assert errors_of(report) == []


WORDING = """
    for every size in scope tested known so far would settle it stated at so shortest shrunk from as walked not proved
    the state if that cannot be reached a @lemma excludes settles step steps states makes false
"""


def words(text: str) -> set[str]:
    """The words of a text, with no sign between or after them, and numbers without thousands separators."""
    text = re.sub(r"(?<=\d),(?=\d)", "", text)
    return {word.rstrip(".") for word in re.split(r"[\s,;:()=>]+", text)} - {""}


@pytest.mark.parametrize("model", [EffectLedger, ResendInDoubt, KeepTheTurn])
def test_every_line_of_text_has_its_facts_in_the_report(model: type) -> None:
    answered, report = report_on(model, ("explore", "prove", "simulate"))
    for one, entry in zip(answered, report["properties"], strict=True):
        steps = {str(number) for number in range(len(entry["counterexample"] or ()) + 1)}
        told = words(" ".join(texts(entry))) | words(WORDING) | steps | {"-"}  # the arrow from before to after
        for line in lines_of(one, 100):
            assert words(line) <= told, line


def test_the_facts_of_a_counterexample() -> None:
    answered, report = report_on(ResendInDoubt, ("explore",))
    entry = report["properties"][0]
    assert (entry["model"], entry["property"], entry["answer"]) == ("ResendInDoubt", "at_most_once", "VIOLATED")
    assert (entry["strength"], entry["engine"], entry["states"]) == (None, "explore", answered[0].answer.states)
    assert entry["scope"] == {"Effect": 2}
    assert entry["counterexample"][0] == {
        "action": "intend(effect0)",
        "at": None,
        "changes": {"intended[effect0]": {"before": "False", "after": "True"}},
        "note": "",
    }
    assert entry["initial"]["up"] == "True"


FULL = Finding(
    "M",
    "p",
    Answer.VIOLATED,
    "explore",
    scope={"Effect": 2},
    states=3,
    counterexample=Counterexample(
        {"x": "0"}, (Step("s\u00f6nd\x1b", {"x": ("0", "1")}, "raises X"),), "x \U0001f4a5"
    ),
    reason="why",
    known="known",
    settles="settles",
    replay="meshspec explore M",
    where="m.py:1",
    facts={"set": frozenset({"b", "a"}), "tuple": (1, None, True), "inner": {"one": 1.5}, "other": Answer.HOLDS},
)


def test_every_field_of_a_finding_is_told() -> None:
    told = finding_object(FULL)
    assert {field.name for field in attrs.fields(Finding)} - {"subject"} <= set(told)
    assert told["model"] == "M"
    assert told["facts"] == {
        "set": ["a", "b"],
        "tuple": [1, None, True],
        "inner": {"one": 1.5},
        "other": "Answer.HOLDS",
    }


def test_the_file_is_ascii_and_reads_back_as_it_was(tmp_path: Path) -> None:
    report = report_object([Answered(FULL, (FULL,))], seed=7, exit_code=1, notes=["n\u00f6te"], again="")
    assert errors_of(report) == []
    write(tmp_path / "report.json", report)
    text = (tmp_path / "report.json").read_bytes()
    assert text.isascii()
    assert json.loads(text) == report


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("answer", "FINE"),
        ("strength", "exhaustive"),  # belongs to HOLDS
        ("kind", "something"),
        ("states", -1),
        ("scope", {"Effect": 0}),
        ("more", 1),
        ("counterexample", [{"action": "a"}]),
    ],
)
def test_the_schema_refuses_what_is_no_report(field: str, value: object) -> None:
    report = report_object([Answered(FULL, (FULL,))], seed=0, exit_code=1, notes=[], again="")
    report["properties"][0][field] = value
    assert errors_of(report)


@pytest.mark.parametrize("code", [0, 1, 3, 4, 70])
def test_the_exit_codes_of_a_report(code: int) -> None:
    assert errors_of(report_object([], seed=0, exit_code=code, notes=[], again="")) == []
    assert errors_of(report_object([], seed=0, exit_code=2, notes=[], again=""))


def test_every_kind_answer_and_strength_of_ours_is_in_the_schema() -> None:
    properties = SCHEMA["$defs"]["finding"]["properties"]
    assert set(properties["answer"]["enum"]) == {answer.value for answer in Answer}
    assert set(properties["strength"]["enum"]) == {*(strength.value for strength in Strength), None}
    assert {"check", "evidence", "terminal"} <= set(properties["kind"]["enum"])


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "report.json"):
        with pytest.raises(UsageError, match="cannot be written"):
            refuse_unwritable(path)
        with pytest.raises(UsageError, match="cannot be written"):
            write(path, {})
    refuse_unwritable(tmp_path / "report.json")
    assert list(tmp_path.iterdir()) == []
