"""Annotations, read as the runner reads its workflow commands."""

from __future__ import annotations

import re

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshspec.answer import Answer
from meshspec.engines.check import Answered
from meshspec.report import github
from meshspec.report.github import disarmed
from tests.report.hostile import BAD, EACH, OPEN, SOME, WAIVED, answered, texts


def read(line: str) -> tuple[str, dict[str, str], str]:
    """One command as the runner takes it apart: its name, its properties, its message."""
    assert line.startswith("::")
    head, _, message = line[2:].partition("::")
    name, _, rest = head.partition(" ")
    pairs = [part.partition("=") for part in rest.split(",")]
    assert all(sign for _, sign, _ in pairs)
    return name, {key: unescaped(value, {"%3A": ":", "%2C": ","}) for key, _, value in pairs}, unescaped(message, {})


def unescaped(text: str, more: dict[str, str]) -> str:
    for escape, sign in {"%0D": "\r", "%0A": "\n", **more, "%25": "%"}.items():
        text = text.replace(escape, sign)
    return text


def alone(finding: object) -> tuple[str, dict[str, str], str]:
    (one,) = [one for one in EACH if one.answer == finding]
    (line,) = github.annotations([one])
    return read(line)


def test_one_annotation_for_each_that_does_not_hold() -> None:
    told = [read(line) for line in github.annotations(EACH)]
    assert [name for name, _, _ in told] == ["error", "error", "error", "error", "notice", "error"]
    assert [given["title"] for _, given, _ in told] == [
        "VIOLATED Charging.charged_at_most_once", "UNDETERMINED Charging.never_late",
        "VACUOUS Charging.every fault strikes", "VIOLATED guards/patience.py:Patience.trips-on-stuck-loop",
        "VIOLATED Charging.q", "VIOLATED Charging.r",
    ]  # fmt: skip


def test_it_stands_at_the_claim_and_carries_the_argument() -> None:
    name, given, message = alone(BAD)
    assert (name, given["file"], given["line"]) == ("error", "charging.py", "34")
    lines = message.splitlines()
    assert lines[0] == "VIOLATED in 3 steps (shortest, explore)"
    assert lines[-1] == "replay: meshspec explore charging.py --scope Job=2"


def test_what_has_no_place_is_told_without_one() -> None:
    assert set(alone(OPEN)[1]) == {"title"}


def test_what_is_waived_is_a_notice_that_says_until_when_and_by_whom() -> None:
    name, _, message = alone(WAIVED)
    assert name == "notice"
    assert "waived until 2027-01-31 by Ada: the service is being replaced" in message


def test_what_may_be_undetermined_is_a_warning_and_nothing_else_is() -> None:
    told = [read(line)[0] for line in github.annotations(EACH, allow_undetermined=True)]
    assert told == ["error", "warning", "error", "error", "notice", "error"]


def test_percent_signs_and_commas_come_back_as_they_were() -> None:
    odd = attrs.evolve(BAD, property="50%, a:b%3A", where="a,b:c.py:7", replay="x %0A y")
    _, given, message = read(github.annotations([Answered(odd, (odd,))])[0])
    assert (given["title"], given["file"], given["line"]) == ("VIOLATED Charging.50%, a:b%3A", "a,b:c.py", "7")
    assert message.endswith("replay: x %0A y")


@SOME
@given(answered, st.booleans())
def test_whatever_is_in_a_name_each_is_one_command_and_no_other(many: list[Answered], allowed: bool) -> None:
    told = github.annotations(many, allow_undetermined=allowed)
    open_ones = [one.answer for one in many if one.answer.answer is not Answer.HOLDS]
    assert len(told) == len(open_ones)
    for line, finding in zip(told, open_ones, strict=True):
        assert all(c.isprintable() for c in line)
        name, named, message = read(line)
        assert name in ("error", "warning", "notice")
        assert (name == "notice") == finding.waived
        assert set(named) <= {"file", "line", "title"}
        assert named["title"].startswith(finding.answer.value)
        assert all(c.isprintable() or c == "\n" for c in message)
        assert len(line) < 16_000


@SOME
@given(st.lists(texts).map("".join))
def test_a_disarmed_line_is_no_command(line: str) -> None:
    safe = disarmed(line)
    assert not safe.lstrip().startswith("::") and "##[" not in safe
    assert safe == line or re.sub(r"\\(?=::|\[)", "", safe) == re.sub(r"\\(?=::|\[)", "", line)


@pytest.mark.parametrize("line", ["VIOLATED  p", "at m.py::test_x", "a :: b", "# [x]", ""])
def test_a_line_that_is_no_command_stays_as_it_is(line: str) -> None:
    assert disarmed(line) == line
