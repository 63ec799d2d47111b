"""The JSON report: valid by its published schema, ASCII, and with the fact of every line of text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from importlib import resources
from typing import Any, cast

import attrs
import pytest
from jsonschema import Draft202012Validator

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength, Waiver
from meshspec.engines.check import Answered, check, scope_of
from meshspec.lang.lift import lift
from meshspec.report.json import finding_object, report_object, text
from meshspec.report.text import lines_of
from meshspec.waivers import waive
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
        return [word for name, inner in entries.items() for word in (name, *texts(inner))]
    if isinstance(value, list):
        return [word for inner in cast("Sequence[Any]", value) for word in texts(inner)]
    return [str(value)]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["version"] == {"const": 3}


@pytest.mark.parametrize("model", [EffectLedger, ResendInDoubt, Jugs, Peterson, KeepTheTurn, TwoPhase])
@pytest.mark.parametrize("engines", [("explore",), ("prove",), ("explore", "prove", "simulate")])
def test_what_the_engines_say_is_valid_by_the_schema(model: type, engines: tuple[str, ...]) -> None:
    _, report = report_on(model, engines)
    assert errors_of(report) == []


WORDING = """
    for every size in scope tested known so far would settle it stated at so shortest shrunk from as walked not proved
    the state if that cannot be reached a @lemma excludes settles step steps states makes false
"""


def words(line: str) -> set[str]:
    """The words of a text, with no sign between or after them, and numbers without thousands separators."""
    line = re.sub(r"(?<=\d),(?=\d)", "", line)
    return {word.rstrip(".") for word in re.split(r"[\s,;:()=>]+", line)} - {""}


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
        "where": "",
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


def test_the_file_is_ascii_and_reads_back_as_it_was() -> None:
    report = report_object([Answered(FULL, (FULL,))], seed=7, exit_code=1, notes=["n\u00f6te"], again="")
    assert errors_of(report) == []
    assert text(report).isascii()
    assert json.loads(text(report)) == report


def test_a_number_that_json_has_not_is_written_as_text() -> None:
    odd = attrs.evolve(FULL, facts={"ratio": float("nan"), "most": [float("inf")]})
    report = report_object([Answered(odd, (odd,))], seed=0, exit_code=1, notes=[])
    assert report["properties"][0]["facts"] == {"ratio": "nan", "most": ["inf"]}
    assert errors_of(json.loads(text(report))) == []


def test_where_the_steps_are_written_is_told() -> None:
    step = attrs.evolve(FULL, counterexample=Counterexample({}, (Step("go", where="m.py:7"),), ""))
    assert finding_object(step)["counterexample"][0]["where"] == "m.py:7"


WAIVER = Waiver("M", "p", "Ada", "being mended", date(2027, 1, 31), "pyproject.toml:5")


def test_a_waiver_stands_at_its_finding_and_among_all_of_them() -> None:
    answered, records, _ = waive(
        [Answered(FULL, (FULL,))], [WAIVER, attrs.evolve(WAIVER, model="N")], date(2026, 11, 29)
    )
    report = report_object(answered, seed=0, exit_code=0, notes=[], waivers=records, fences=["no network"])
    assert errors_of(report) == []
    told = {"owner": "Ada", "reason": "being mended", "expires": "2027-01-31", "answer": "VIOLATED", "state": "used"}
    (entry,) = report["properties"]
    assert (entry["waiver"], entry["findings"][0]["waiver"]) == (told, None)
    used, unused = report["waivers"]
    assert used == {"model": "M", "property": "p", "where": "pyproject.toml:5", **told}
    assert (unused["model"], unused["state"]) == ("N", "unused")
    assert report["fences"] == ["no network"]


def test_a_waiver_that_ended_is_told_as_such() -> None:
    answered, records, _ = waive([Answered(FULL, (FULL,))], [WAIVER], date(2027, 2, 1))
    report = report_object(answered, seed=0, exit_code=1, notes=[], waivers=records)
    assert errors_of(report) == []
    assert report["properties"][0]["waiver"]["state"] == report["waivers"][0]["state"] == "expired"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("answer", "FINE"),
        ("strength", "exhaustive"),  # belongs to HOLDS
        ("kind", "something"),
        ("states", -1),
        ("scope", {"Effect": 0}),
        ("more", 1),
        ("waiver", {"owner": "Ada", "reason": "r", "expires": "soon", "state": "used"}),
        ("counterexample", [{"action": "a"}]),
    ],
)
def test_the_schema_refuses_what_is_no_report(field: str, value: object) -> None:
    report = report_object([Answered(FULL, (FULL,))], seed=0, exit_code=1, notes=[], again="")
    report["properties"][0][field] = value
    assert errors_of(report)


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 70])
def test_the_exit_codes_of_a_report(code: int) -> None:
    assert errors_of(report_object([], seed=0, exit_code=code, notes=[], again="")) == []
    assert errors_of(report_object([], seed=0, exit_code=5, notes=[], again=""))


def test_every_kind_answer_and_strength_of_ours_is_in_the_schema() -> None:
    properties = SCHEMA["$defs"]["finding"]["properties"]
    assert set(properties["answer"]["enum"]) == {answer.value for answer in Answer}
    assert set(properties["strength"]["enum"]) == {*(strength.value for strength in Strength), None}
    assert {"check", "evidence", "terminal"} <= set(properties["kind"]["enum"])
