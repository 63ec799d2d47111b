"""JUnit XML, read back by a reader of that format and by an XML parser."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import junitparser
import pytest
from hypothesis import given

from meshspec.answer import Answer
from meshspec.engines.check import Answered
from meshspec.report.junit import junit
from meshspec.report.text import clean
from tests.report.hostile import BAD, EACH, HELD, IDLE, OPEN, SOME, WAIVED, answered, failing

TAGS = {"testsuites", "testsuite", "testcase", "properties", "property", "failure", "error", "system-out"}


def cases(text: str) -> dict[str, ElementTree.Element]:
    return {str(case.get("name")): case for case in ElementTree.fromstring(text).iter("testcase")}


def words(element: ElementTree.Element | None) -> str:
    assert element is not None and element.text is not None
    return " ".join(element.text.split())


def test_a_reader_of_the_format_counts_what_we_count() -> None:
    read: Any = junitparser.JUnitXml.fromstring(junit(EACH))
    assert (read.tests, read.failures, read.errors, read.skipped) == (8, 3, 2, 0)
    suites = {suite.name: suite for suite in read}
    assert list(suites) == ["Charging", "guards/patience.py:Patience"]
    assert [(s.tests, s.failures, s.errors, s.skipped) for s in suites.values()] == [(7, 2, 2, 0), (1, 1, 0, 0)]
    read.update_statistics()
    assert (read.tests, read.failures, read.errors, read.skipped) == (8, 3, 2, 0), "by its own count"


@pytest.mark.parametrize(
    ("finding", "word"), [(BAD, "failure"), (OPEN, "error"), (IDLE, "error"), (HELD, None), (WAIVED, None)]
)
def test_what_is_violated_fails_what_is_not_known_is_an_error_and_nothing_is_skipped(
    finding: object, word: str | None
) -> None:
    (case,) = [cases(junit([one]))[one.answer.property] for one in EACH if one.answer == finding]
    assert [child.tag for child in case if child.tag not in ("properties", "system-out")] == ([word] if word else [])


def test_a_failure_carries_the_headline_the_argument_and_the_place() -> None:
    case = cases(junit(EACH))["charged_at_most_once"]
    assert (case.get("classname"), case.get("file"), case.get("line")) == ("Charging", "charging.py", "34")
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == "VIOLATED in 3 steps (shortest, explore)"
    assert failure.get("type") == "VIOLATED"
    assert "1. charge(job0) charges[job0] 0 -> 1" in words(failure)
    assert words(failure).endswith("replay: meshspec explore charging.py --scope Job=2")
    assert ".py:" not in words(failure).replace("charging.py:34", ""), "no frame of ours"


def test_what_holds_passes_with_its_strength() -> None:
    case = cases(junit(EACH))["it ends"]
    told = {p.get("name"): p.get("value") for p in case.iter("property")}
    assert told == {
        "answer": "HOLDS", "strength": "exhaustive", "kind": "eventually", "engine": "live", "states": "49",
    }  # fmt: skip
    assert "in scope (exhaustive, 49 states)" in words(case.find("system-out"))


def test_what_is_waived_passes_and_says_so_with_its_whole_argument() -> None:
    case = cases(junit(EACH))["q"]
    told = {p.get("name"): p.get("value") for p in case.iter("property")}
    line = "waived until 2027-01-31 by Ada: the service is being replaced"
    assert (told["answer"], told["waived"]) == ("VIOLATED", line)
    assert line in words(case.find("system-out"))
    assert "3. charge(job0) charges[job0] 1 -> 2" in words(case.find("system-out"))


def test_what_a_waiver_excused_until_it_ended_fails() -> None:
    case = cases(junit(EACH))["r"]
    assert "its waiver ended on 2027-01-31, and excuses nothing" in words(case.find("failure"))


def test_what_a_policy_owes_is_told_with_what_goes_wrong_without_it() -> None:
    told = words(cases(junit(EACH))["trips-on-stuck-loop"].find("failure"))
    assert "owed: a stuck loop is stopped" in told and "in production: It goes on all night." in told


def test_the_same_answers_give_the_same_file_and_none_gives_an_empty_one() -> None:
    assert junit(EACH) == junit(list(EACH))
    assert ElementTree.fromstring(junit([])).attrib == {
        "name": "meshspec", "tests": "0", "failures": "0", "errors": "0", "skipped": "0",
    }  # fmt: skip
    told = ElementTree.fromstring(junit(EACH, notes=["a note\x1b", "another"])).findall("testsuite/system-out")
    assert [one.text for one in told] == ["a note\\x1b\nanother"]


@SOME
@given(answered)
def test_whatever_is_in_a_name_the_file_is_well_formed_and_says_the_same(many: list[Answered]) -> None:
    text = junit(many)
    assert all(c.isprintable() or c == "\n" for c in text)
    root = ElementTree.fromstring(text)
    assert {element.tag for element in root.iter()} <= TAGS
    read = list(root.iter("testcase"))
    assert len(read) == len(many)
    assert sorted(clean(one.answer.property)[:900] for one in many) == sorted(str(c.get("name"))[:900] for c in read)
    violated = [f for f in failing(many) if f.answer is Answer.VIOLATED]
    assert len(list(root.iter("failure"))) == len(violated) == int(root.get("failures", ""))
    assert len(list(root.iter("error"))) == len(failing(many)) - len(violated) == int(root.get("errors", ""))
    parsed: Any = junitparser.JUnitXml.fromstring(text)
    assert (parsed.tests, parsed.failures) == (len(many), len(violated))
