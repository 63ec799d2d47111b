"""SARIF, held against what its standard requires of the parts that we write."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

import attrs
import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from meshspec import __version__
from meshspec.answer import Answer, Counterexample, Finding, Step
from meshspec.engines.check import Answered
from meshspec.report.sarif import FINGERPRINT, fingerprint, sarif
from tests.report.hostile import BAD, EACH, HELD, IDLE, KINDS, OPEN, OWED, SOME, WAIVED, answered
from tests.report.test_json import SCHEMA, texts

ABSOLUTE = "file:" + 3 * "/"

TEXT: dict[str, Any] = {
    "type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}},
    "additionalProperties": False,
}  # fmt: skip
PHYSICAL: dict[str, Any] = {
    "type": "object",
    "required": ["artifactLocation", "region"],
    "additionalProperties": False,
    "properties": {
        "artifactLocation": {
            "type": "object", "required": ["uri"], "additionalProperties": False,
            "properties": {
                "uri": {"type": "string", "pattern": r"^[!$&-;=@-Z_a-z~%]+$"}, "uriBaseId": {"const": "%SRCROOT%"},
            },
        },
        "region": {
            "type": "object", "required": ["startLine"], "additionalProperties": False,
            "properties": {"startLine": {"type": "integer", "minimum": 1}},
        },
    },
}  # fmt: skip
LOCATION: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "physicalLocation": PHYSICAL,
        "logicalLocations": {"type": "array", "items": {"type": "object", "required": ["fullyQualifiedName"]}},
        "message": TEXT,
    },
}
RULE: dict[str, Any] = {
    "type": "object",
    "required": ["id", "shortDescription", "fullDescription", "help"],
    "properties": {"id": {"type": "string"}, "shortDescription": TEXT, "fullDescription": TEXT, "help": TEXT},
}
RESULT: dict[str, Any] = {
    "type": "object",
    "required": ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "kind": {"const": "fail"},
        "level": {"enum": ["error", "warning"]},
        "message": TEXT,
        "locations": {"type": "array", "minItems": 1, "maxItems": 1, "items": LOCATION},
        "relatedLocations": {"type": "array", "items": LOCATION},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "properties": {"type": "object"},
        "suppressions": {
            "type": "array", "minItems": 1,
            "items": {"type": "object", "required": ["kind", "justification"],
                      "properties": {"kind": {"enum": ["inSource", "external"]}}},
        },
        "codeFlows": {
            "type": "array", "minItems": 1,
            "items": {
                "type": "object", "required": ["threadFlows"],
                "properties": {"threadFlows": {
                    "type": "array", "minItems": 1,
                    "items": {"type": "object", "required": ["locations"], "properties": {"locations": {
                        "type": "array", "minItems": 1,
                        "items": {"type": "object", "required": ["location"], "properties": {"location": LOCATION}},
                    }}},
                }},
            },
        },
    },
}  # fmt: skip
LOG: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs", "$schema"],
    "additionalProperties": False,
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string"},
        "runs": {
            "type": "array", "minItems": 1, "maxItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results", "invocations"],
                "properties": {
                    "tool": {"type": "object", "required": ["driver"], "properties": {"driver": {
                        "type": "object", "required": ["name", "version", "rules"],
                        "properties": {"rules": {"type": "array", "items": RULE, "uniqueItems": True}},
                    }}},
                    "invocations": {"type": "array", "items": {"required": ["executionSuccessful"]}},
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}  # fmt: skip
VALIDATOR: Any = Draft202012Validator(LOG)


def run_of(many: list[Answered] | tuple[Answered, ...], code: int = 1) -> dict[str, Any]:
    log = sarif(many, exit_code=code)
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []
    run: dict[str, Any] = log["runs"][0]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return run


def result_of(finding: Finding) -> dict[str, Any]:
    results: list[dict[str, Any]] = run_of([Answered(finding, (finding,))])["results"]
    assert len(results) == 1
    return results[0]


def test_the_tool_its_version_and_the_exit_code_are_told() -> None:
    run = run_of(EACH)
    assert run["tool"]["driver"]["name"] == "meshspec"
    assert run["tool"]["driver"]["version"] == __version__
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]
    assert run_of(EACH, 70)["invocations"] == [{"executionSuccessful": False, "exitCode": 70}]


def test_there_is_a_rule_for_each_kind_and_obligation_that_was_asked_about() -> None:
    rules = {rule["id"]: rule for rule in run_of(EACH)["tool"]["driver"]["rules"]}
    assert list(rules) == ["always", "fires", "eventually", "obligation/trips-on-stuck-loop"]
    owed = rules["obligation/trips-on-stuck-loop"]
    assert owed["shortDescription"] == {"text": "a stuck loop is stopped"}
    assert "It goes on all night." in owed["help"]["text"]
    texts = [rule["help"]["text"] for rule in rules.values()]
    assert len(set(texts)) == len(texts) and all("VACUOUS" in text for text in texts)


def test_every_kind_of_property_has_help_of_its_own() -> None:
    told: set[str] = set()
    for kind in SCHEMA["$defs"]["finding"]["properties"]["kind"]["enum"]:
        finding = attrs.evolve(BAD, kind=kind)
        (rule,) = run_of([Answered(finding, (finding,))])["tool"]["driver"]["rules"]
        told.add(rule["shortDescription"]["text"])
    assert len(told) == len(SCHEMA["$defs"]["finding"]["properties"]["kind"]["enum"]) >= len(KINDS)
    assert "A property of a model or policy." not in told


def test_what_does_not_hold_is_a_result_and_what_holds_is_none() -> None:
    assert [result["level"] for result in run_of(EACH)["results"]] == [
        "error", "warning", "warning", "error", "error", "error",
    ]  # fmt: skip
    assert run_of([Answered(HELD, (HELD,))])["results"] == []
    assert result_of(OPEN)["level"] == result_of(IDLE)["level"] == "warning"


def test_it_stands_at_the_claim_and_the_last_step_is_told_beside_it() -> None:
    result = result_of(BAD)
    (location,) = result["locations"]
    here = {"artifactLocation": {"uri": "charging.py", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 34}}
    assert location["physicalLocation"] == here
    assert location["logicalLocations"][0]["fullyQualifiedName"] == "Charging.charged_at_most_once"
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["region"] == {"startLine": 20}
    assert related["message"] == {"text": "the last step: charge(job0)"}


def test_the_steps_are_a_code_flow_in_order() -> None:
    (flow,) = result_of(BAD)["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    assert [step["executionOrder"] for step in steps] == [1, 2, 3]
    assert [step["location"]["message"]["text"] for step in steps] == [
        "1. charge(job0)  charges[job0] 0 -> 1", "2. crash  all is lost", "3. charge(job0)  charges[job0] 1 -> 2",
    ]  # fmt: skip
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [20, 31, 20]


def test_where_no_place_is_told_there_is_none_and_the_numbers_of_a_story_are_its_own() -> None:
    result = result_of(OWED)
    assert set(result["locations"][0]) == {"logicalLocations"}
    assert "relatedLocations" not in result
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == ["1. read  CONTINUE", "...", "54. read"]


def test_an_obligation_is_told_at_the_policy_that_does_not_keep_it() -> None:
    owed = attrs.evolve(
        OWED, where="meshspec/roles/breaker.py:213", facts={**OWED.facts, "policy": "guards/patience.py:7"}
    )
    at = result_of(owed)["locations"][0]["physicalLocation"]
    assert (at["artifactLocation"]["uri"], at["region"]) == ("guards/patience.py", {"startLine": 7})
    assert "stated at meshspec/roles/breaker.py:213" in result_of(owed)["message"]["text"]


def test_what_is_waived_is_suppressed_with_the_reason_and_only_that() -> None:
    (suppression,) = result_of(WAIVED)["suppressions"]
    assert suppression["justification"] == "waived until 2027-01-31 by Ada: the service is being replaced"
    assert ["suppressions" in result for result in run_of(EACH)["results"]] == [False] * 4 + [True, False]


def test_the_message_is_the_argument() -> None:
    lines = result_of(BAD)["message"]["text"].splitlines()
    assert lines[0] == "Charging.charged_at_most_once: VIOLATED in 3 steps (shortest, explore)"
    assert lines[-1] == "replay: meshspec explore charging.py --scope Job=2"


def test_braces_and_links_mean_nothing_in_a_message() -> None:
    odd = attrs.evolve(BAD, replay="{0} [a](1) {{")
    assert result_of(odd)["message"]["text"].endswith("replay: {{0}} [a] (1) {{{{")


@pytest.mark.parametrize(
    ("where", "uri", "based"),
    [
        ("a b/c%d.py:3", "a%20b/c%25d.py", True),
        ("dir\\mine.py:3", "dir/mine.py", True),
        ("/opt/x/m.py:3", ABSOLUTE + "opt/x/m.py", False),
        ("C:\\work\\m.py:3", ABSOLUTE + "C%3A/work/m.py", False),
        ("a:b.py:3", "a%3Ab.py", True),
        ("na\u00efve.py:3", "na%C3%AFve.py", True),
        ("\udcff.py:3", "%FF.py", True),
        ("<string>:3", "%3Cstring%3E", True),
    ],
)
def test_a_file_is_named_relative_to_the_run_where_it_lies_below_it(where: str, uri: str, based: bool) -> None:
    artifact = result_of(attrs.evolve(BAD, where=where))["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": uri} | ({"uriBaseId": "%SRCROOT%"} if based else {})


@pytest.mark.parametrize(
    "where", ["", "m.py", "m.py:0", "m.py:-1", ":3", "m.py:x", "m.py:\u0663", f"m.py:{'9' * 5000}"]
)
def test_what_is_no_place_gives_no_region(where: str) -> None:
    assert set(result_of(attrs.evolve(BAD, where=where))["locations"][0]) == {"logicalLocations"}


def test_a_fingerprint_is_of_the_property_and_of_nothing_that_changes_beside_it() -> None:
    moved = attrs.evolve(
        BAD, where="elsewhere/charging.py:99", answer=Answer.VACUOUS, states=7, replay="", reason="x",
        scope={"Job": 3}, counterexample=Counterexample({}, (Step("crash"),), ""), waiver=WAIVED.waiver,
    )  # fmt: skip
    assert fingerprint(moved) == fingerprint(BAD) == result_of(BAD)["partialFingerprints"][FINGERPRINT]
    assert fingerprint(attrs.evolve(OWED, subject="patience.py:Patience")) == fingerprint(OWED)
    others = [
        attrs.evolve(BAD, subject="Other"), attrs.evolve(BAD, property="q"), attrs.evolve(BAD, kind="range"),
        attrs.evolve(BAD, where="other.py:34"),
    ]  # fmt: skip
    assert len({fingerprint(one) for one in [BAD, *others]}) == 5
    forwards = [result["partialFingerprints"] for result in run_of(EACH)["results"]]
    assert [result["partialFingerprints"] for result in run_of(EACH[::-1])["results"]] == forwards[::-1]


def test_what_was_noted_is_told_and_the_same_answers_give_the_same_log() -> None:
    (run,) = sarif(EACH, exit_code=1, notes=["not read: x\x1b"])["runs"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note == {"level": "note", "message": {"text": "not read: x\\x1b"}}
    assert json.dumps(sarif(EACH, exit_code=1)) == json.dumps(sarif(EACH, exit_code=1))


@SOME
@given(answered)
def test_whatever_is_in_a_name_the_log_is_valid(many: list[Answered]) -> None:
    run = run_of(many)
    assert len(run["results"]) == sum(one.answer.answer is not Answer.HOLDS for one in many)
    for text in texts(run):
        assert all(c.isprintable() or c == "\n" for c in text)
    messages = [result["message"]["text"] for result in run["results"]]
    assert all(re.sub(r"\{\{|\}\}", "", text).count("{") == 0 and "](" not in text for text in messages)
    for result in run["results"]:
        for location in result["locations"]:
            if "physicalLocation" in location:
                assert unquote(location["physicalLocation"]["artifactLocation"]["uri"])
    json.dumps(run, allow_nan=False).encode("ascii")
