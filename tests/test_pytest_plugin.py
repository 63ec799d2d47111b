"""The pytest plugin: an item for each line of evidence, and a failing line reads as an argument."""

from __future__ import annotations

import importlib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

importlib.import_module("meshspec.engines.confirm")  # once for all the sessions that run in this process
importlib.import_module("z3")

MODEL = '''
from typing import Annotated

from meshspec import Range, Sort, action, always, fault, model, require, var


class Effect(Sort):
    """An effect."""


@model
class Counter:
    limit: int = 3
    number: Annotated[int, Range(0, 9)] = var(0)

    @action
    def grow(self) -> None:
        require(self.number < self.limit)
        self.number += 1

    @fault
    def set_back(self) -> None:
        require(self.number > 0)
        self.number = 0

    @always
    def small(self) -> bool:
        return self.number <= 3


@model
class OneMore(Counter):
    """The incident: it grows once too often."""

    limit: int = 4


@model
class NeverSetBack(Counter):
    @fault
    def set_back(self) -> None:
        require(self.number > 8)
        self.number = 0
'''

EVIDENCE = """
from meshspec import evidence, promise
from counter_model import Counter, NeverSetBack, OneMore

EVIDENCE = evidence(
    Counter,
    scope={},
    states=4,
    deadlocks=0,
    promises={
        "small": promise(
            stands_for=["PB-TRIP-BOUND"], proved=True, refuted_by={OneMore: ["grow", "grow", "grow", "grow"]}
        )
    },
)
"""

LINES = [
    "4-states,-0-deadlocks",
    "small-holds",
    "small-is-proved",
    "small-is-refuted-by-OneMore",
    "OneMore-breaks-only-what-it-is-listed-for",
    "nothing-is-vacuous",
    "every-promise-can-be-refuted",
    "every-name-is-in-the-registry",
]


@pytest.fixture
def user(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # all but ours
    write(pytester, "counter_model.py", MODEL)
    pytester.syspathinsert()
    return pytester


def write(user: pytest.Pytester, name: str, text: str) -> None:
    (Path(user.path) / name).write_text(text, encoding="utf-8")


def run(user: pytest.Pytester, text: str, *arguments: str) -> pytest.RunResult:
    write(user, "counter.py", text)
    return user.runpytest_inprocess("-p", "meshspec.pytest_plugin", "-p", "no:cacheprovider", *arguments)


def test_every_line_is_an_item_with_a_readable_id(user: pytest.Pytester) -> None:
    result = run(user, EVIDENCE, "-v", "counter.py")
    result.assert_outcomes(passed=len(LINES))
    result.stdout.fnmatch_lines([f"counter.py::Counter::{line} PASSED*" for line in LINES])


def test_one_line_can_be_asked_for(user: pytest.Pytester) -> None:
    result = run(user, EVIDENCE, "counter.py::Counter::small-is-proved")
    result.assert_outcomes(passed=1)


def test_files_are_found_by_what_they_hold_and_not_by_their_names(user: pytest.Pytester) -> None:
    write(user, "other.py", "x = 1\n")
    write(user, "words.py", '"""EVIDENCE is a word here."""\n')
    run(user, EVIDENCE).assert_outcomes(passed=len(LINES))


def test_an_annotated_assignment_is_found_too(user: pytest.Pytester) -> None:
    text = EVIDENCE.replace("EVIDENCE = evidence(", "EVIDENCE: object = evidence(")
    run(user, text).assert_outcomes(passed=len(LINES))


def test_evidence_that_a_test_imports_under_another_name_is_not_collected_again(user: pytest.Pytester) -> None:
    write(user, "counter.py", EVIDENCE)
    write(user, "test_other.py", "from counter import EVIDENCE as held\n\ndef test_it():\n    assert held\n")
    user.runpytest_inprocess("-p", "meshspec.pytest_plugin", "test_other.py").assert_outcomes(passed=1)


WRONG = {
    "a count": (("states=4", "states=5"), "failed", "VIOLATED*5 states, 0 deadlocks*found 4 states and 0 deadlocks"),
    "a path": (('"grow"]}', '"set_back"]}'), "failed", "*the shortest path is grow, grow, grow, grow; pinned is*"),
    "a name": (("PB-TRIP-BOUND", "PB-TRIP-BOND"), "failed", "*there is no PB-TRIP-BOND in the registry*"),
    "an incident": (("OneMore:", "NeverSetBack:"), "failed", "*NeverSetBack does not break small: it HOLDS*"),
    "nothing refutes it": (
        (', refuted_by={OneMore: ["grow", "grow", "grow", "grow"]}', ""),
        "errors",
        "VACUOUS*every promise can be refuted*small: no incident refutes it*",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_fails_its_line_and_reads_as_an_argument(user: pytest.Pytester, what: str) -> None:
    (old, new), outcome, text = WRONG[what]
    assert old in EVIDENCE
    result = run(user, EVIDENCE.replace(old, new))
    outcomes = result.parseoutcomes()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert outcomes.get(outcome) == 1
    assert any(text.strip("*").split("*")[-1] in line for line in squeezed(result))
    assert "pytest_plugin.py" not in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


def squeezed(result: pytest.RunResult) -> list[str]:
    """The output with wrapped lines joined, in one."""
    return [" ".join(result.stdout.str().split())]


def test_a_refuted_claim_is_shown_with_its_steps(user: pytest.Pytester) -> None:
    text = EVIDENCE.replace("    Counter,\n", "    OneMore,\n").replace(
        ', refuted_by={OneMore: ["grow", "grow", "grow", "grow"]}', ""
    )
    result = run(user, text)
    result.stdout.fnmatch_lines(["VIOLATED*small holds*in 4 steps (shortest, explore)", "*1. grow*number 0 -> 1*"])
    result.stdout.fnmatch_lines(["*so small: number > 3, where number = 4"])


def test_in_junit_violated_is_a_failure_vacuous_an_error_and_nothing_is_skipped(user: pytest.Pytester) -> None:
    text = EVIDENCE.replace("    Counter,\n", "    NeverSetBack,\n").replace(
        ', refuted_by={OneMore: ["grow", "grow", "grow", "grow"]}', ""
    )
    run(user, text.replace("states=4", "states=3"), "--junit-xml=junit.xml")
    cases = {
        case.attrib["name"]: {child.tag for child in case}
        for case in ET.parse(Path(user.path) / "junit.xml").iter("testcase")
    }
    assert cases["3-states,-0-deadlocks"] == {"failure"}
    assert cases["nothing-is-vacuous"] == cases["every-promise-can-be-refuted"] == {"error"}
    assert cases["small-holds"] == set()


def test_bad_evidence_is_told_with_file_and_line(user: pytest.Pytester) -> None:
    result = run(user, EVIDENCE.replace('"small": promise', '"smal": promise'))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*Counter has no claim 'smal'; it has small*"])


def test_a_model_that_cannot_be_read_is_told_without_our_frames(user: pytest.Pytester) -> None:
    write(user, "counter_model.py", MODEL.replace("self.number += 1", "self.number = int(f'{self.number}')"))
    result = run(user, EVIDENCE)
    result.stdout.fnmatch_lines(["meshspec: *counter_model.py:*"])
    assert "pytest_plugin.py" not in result.stdout.str()


def test_what_is_shipped_can_be_collected_from_anywhere(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("--pyargs", "meshspec.properties", "--collect-only", "-q")
    result.stdout.fnmatch_lines(["*effect_ledger.py::EffectLedger::at_most_once-is-refuted-by-ResendInDoubt"])
    assert result.ret == 0
