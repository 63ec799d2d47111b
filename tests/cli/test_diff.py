"""``meshspec diff`` as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import BROKEN, COUNTER, User

ENGINES = ("--engine", "explore,prove")


def reports(user: User) -> None:
    """``good.json`` of the counter, ``bad.json`` of the broken one."""
    for name, source in (("good", COUNTER), ("bad", BROKEN)):
        user.write(source)
        user.run("check", "mine.py", *ENGINES, "--json", f"{name}.json")


def test_what_got_worse_is_told_first_and_fails(user: User) -> None:
    reports(user)
    said = user.run("diff", "good.json", "bad.json")
    assert said.code == 1
    assert said.lines[0] == "WORSE    Counter.small: HOLDS, every size -> VIOLATED in 2 steps"
    assert said.lines[-1] == "exit 1"


def test_what_got_better_does_not(user: User) -> None:
    reports(user)
    said = user.run("diff", "bad.json", "good.json")
    assert said.code == 0
    assert said.lines[0] == "CHANGED  Counter.small: VIOLATED in 2 steps -> HOLDS, every size", "another claim"
    user.write(BROKEN.replace("limit: int = 3", "limit: int = 1"))
    user.run("check", "mine.py", *ENGINES, "--json", "mended.json")
    said = user.run("diff", "bad.json", "mended.json")
    assert said.code == 0
    assert said.lines[0] == "BETTER   Counter.small: VIOLATED in 2 steps -> HOLDS, every size"
    assert user.run("diff", "bad.json", "bad.json").code == 0


def test_a_claim_that_was_weakened_is_told(user: User) -> None:
    reports(user)
    user.write(COUNTER.replace("<= 3", "<= 9"))
    user.run("check", "mine.py", *ENGINES, "--json", "weak.json")
    said = user.run("diff", "good.json", "weak.json")
    assert said.code == 0
    assert "its text is another: always small number <= 3 -> always small number <= 9" in said.words
    assert "1 changed" in said.lines[-2]


def test_a_property_that_is_gone_fails(user: User) -> None:
    reports(user)
    user.write(COUNTER.replace("def small", "def little"))
    user.run("check", "mine.py", *ENGINES, "--json", "renamed.json")
    said = user.run("diff", "good.json", "renamed.json")
    assert said.code == 1
    assert "GONE     Counter.small: HOLDS, every size" in said.lines
    assert "NEW      Counter.little: HOLDS, every size" in said.lines


def test_the_differences_are_written_as_json_over_nothing_else(user: User) -> None:
    reports(user)
    for _ in range(2):
        assert user.run("diff", "good.json", "bad.json", "--json", "diff.json").code == 1
    made = json.loads((user.folder / "diff.json").read_text())
    assert (made["format"], made["old"], made["new"], made["exit_code"]) == (
        "meshspec-diff", "good.json", "bad.json", 1,
    )  # fmt: skip
    said = user.run("diff", "good.json", "bad.json", "--json", "good.json")
    assert said.code == 2 and "is not overwritten" in said.err


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "cut short"),
        ("[1, 2]", "no report of meshspec"),
        ('{"format": "meshspec-report", "version": 2}', "made by version 2 of the format; this reads 3"),
        ('{"format": "\x1b[31m"}', "no JSON"),
        ('{"format": "meshspec-report", "version": 3, "\\u001b[31m": 1}', "no report of meshspec"),
    ],
)
def test_what_is_no_report_is_refused_without_a_traceback(user: User, content: str, why: str) -> None:
    reports(user)
    Path("odd.json").write_text(content)
    for order in (("odd.json", "good.json"), ("good.json", "odd.json")):
        said = user.run("diff", *order)
        assert (said.code, said.out) == (2, "")
        assert "odd.json: " in said.err and why in said.err
        assert "Traceback" not in said.err and "\x1b" not in said.err


def test_a_file_that_is_not_there_is_refused(user: User) -> None:
    said = user.run("diff", "a.json", "b.json")
    assert said.code == 2 and "a.json cannot be read: No such file or directory" in said.err
