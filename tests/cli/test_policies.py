"""Policies judged through the command line: what a stranger's breaker does to the answer and the exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import User, program

KEEPS_NONE_OF_THE_FIRST = """\
class Never:
    def observe(self, step):
        return "CONTINUE"
"""


def test_a_breaker_that_never_trips_is_violated_with_the_story_and_exits_1(user: User) -> None:
    user.write(KEEPS_NONE_OF_THE_FIRST, "never.py", imports="")
    said, report = user.json("check", "never.py:Never", "--role", "breaker", "--prefix", "0")
    assert said.code == 1
    answers = {entry["property"]: entry["answer"] for entry in report["properties"]}
    assert [name for name, answer in answers.items() if answer == "VIOLATED"] == [
        "trips-on-identical-success",
        "trips-on-stuck-loop",
        "trips-on-stuck-loop-with-noisy-output",
        "trips-on-alternation",
        "not-evaded-by-irrelevant-field",
    ]
    assert 'read_file(path=src/0.py) -> "214 bytes", ok' in said.out
    assert "never tripped in 54 steps" in said.words


@pytest.mark.parametrize(
    ("body", "told", "line"),
    [
        ('        raise KeyError("no such tool")', "KeyError", 3),
        ('        return "MAYBE"', "'MAYBE'", 2),
        ("        return None", "None", 2),
    ],
    ids=["raises", "answers nonsense", "answers nothing"],
)
def test_misconduct_is_violated_at_the_users_line(user: User, body: str, told: str, line: int) -> None:
    user.write(f"class Bad:\n    def observe(self, step):\n{body}\n", "bad.py", imports="")
    said = user.run("check", "bad.py:Bad", "--role", "breaker", "--prefix", "0")
    assert said.code == 1
    assert told in said.words
    assert f"bad.py:{line}" in said.words
    assert "Traceback" not in said.out + said.err


def test_a_breaker_that_differs_from_run_to_run_is_not_deterministic(user: User) -> None:
    user.write(
        "import random\n\n\nclass Moody:\n    def observe(self, step):\n"
        '        return random.choice(["CONTINUE", "CONTINUE", "CONTINUE", "TRIP"])\n',
        "moody.py",
        imports="",
    )
    said, report = user.json("check", "moody.py:Moody", "--role", "breaker", "--prefix", "0")
    assert said.code == 1
    assert {e["property"]: e["answer"] for e in report["properties"]}["deterministic"] == "VIOLATED"


def test_a_breaker_that_hangs_is_undetermined_at_its_step_and_exits_3(user: User) -> None:
    user.write(
        "import threading\n\n\nclass Hangs:\n    def observe(self, step):\n        threading.Event().wait()\n",
        "hangs.py",
        imports="",
    )
    said = user.run("check", "hangs.py:Hangs", "--role", "breaker", "--prefix", "0", "--story-limit", "0.2")
    assert said.code == 3
    assert "at step 1" in said.words
    assert "HOLDS" not in said.out


def test_what_a_breaker_prints_is_kept_apart(user: User) -> None:
    user.write(
        'class Chatty:\n    def observe(self, step):\n        print("\\x1b[31mhello")\n        return "CONTINUE"\n',
        "chatty.py",
        imports="",
    )
    said = user.run("check", "chatty.py:Chatty", "--role", "breaker", "--prefix", "0")
    assert said.code == 1
    assert "\x1b" not in said.out
    assert "it printed" in said.words


@pytest.mark.parametrize(
    ("text", "target", "told"),
    [
        ("class Bad(:\n", "bad.py:Bad", "bad.py:1"),
        ("import no_such_module_here\n", "bad.py:Bad", "no_such_module_here"),
        ("x = 1\n", "bad.py:Bad", "Bad"),
        ("class Bad:\n    pass\n", "bad.py:Bad", "observe"),
        ("class Bad:\n    def __init__(self, limit):\n        pass\n", "bad.py:Bad", "limit"),
        ("x = 1\n", "missing.py:Bad", "missing.py"),
        ("x = 1\n", "bad.py", "bad.py"),
    ],
)
def test_a_policy_that_cannot_be_had_is_bad_input(user: User, text: str, target: str, told: str) -> None:
    user.write(text, "bad.py", imports="")
    said = user.run("check", target, "--role", "breaker", "--prefix", "0")
    assert said.code == 2
    assert told in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--role", "router"), "there is no role 'router'"),
        (("--role", "breaker", "--scope", "Effect=2"), "--scope"),
        (("--role", "breaker", "--story-limit", "0"), "--story-limit"),
        (("--role", "breaker", "--prefix", "4"), "--prefix 4"),
        (("--with", "pybreaker==1.4.1"), "--role"),
    ],
)
def test_options_that_do_not_fit_are_refused(user: User, options: tuple[str, ...], told: str) -> None:
    user.write(KEEPS_NONE_OF_THE_FIRST, "never.py", imports="")
    said = user.run("check", "never.py:Never", *options)
    assert said.code == 2
    assert told in said.err


def test_a_package_that_cannot_be_installed_is_undetermined_and_never_a_skip(
    user: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MESHSPEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    said = user.run("check", "pybreaker", "--role", "breaker", "--prefix", "0")
    assert said.code == 3
    assert "cannot be installed" in said.words
    assert "HOLDS" not in said.out


def test_ctrl_c_ends_a_judgement_undetermined_with_its_report(user: User) -> None:
    user.write(
        "import time\n\n\nclass Slow:\n    def observe(self, step):\n"
        '        time.sleep(0.05)\n        return "CONTINUE"\n',
        "slow.py",
        imports="",
    )
    running = subprocess.Popen(
        program("check", "slow.py:Slow", "--role", "breaker", "--json", "report.json"),
        cwd=user.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ},
    )
    assert running.stdout is not None
    assert b"judged as a breaker" in running.stdout.readline()
    time.sleep(1.5)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 3, err
    assert b"interrupted" in out
    assert (user.folder / "report.json").exists()
