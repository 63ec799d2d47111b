"""Objects of a model's that fail when they are looked at, huge numbers, folders that are gone: refused, never 70."""

from __future__ import annotations

import os

import pytest

from tests.cli.conftest import COUNTER, User, program

MODEL = """\
import builtins, sys
{top}


@model
class Counter:
    number: int = var({start})

    @action
    def grow(self) -> None:
        require(self.number < 3)
        {body}
        self.number += 1

    @always
    def small(self) -> bool:
        return {claim}
"""


def refused(user: User, top: str = "", body: str = "pass", claim: str = "self.number <= 3", start: str = "0") -> str:
    """What such a model is refused with, as a program: exit code 2 and one message."""
    user.write(MODEL.format(top=top, body=body, claim=claim, start=start))
    said = user.shell("explore", "mine.py")
    assert (said.code, said.out) == (2, ""), said
    assert "Traceback" not in said.err
    return said.err


def line_of(user: User, text: str) -> str:
    lines = (user.folder / "mine.py").read_text().splitlines()
    return f"meshspec: mine.py:{next(number for number, line in enumerate(lines, 1) if text in line)}: "


@pytest.mark.parametrize(
    "part",
    [
        {"claim": "self.number <= 10**5000  # here"},
        {"body": "self.number = 10**5000  # here"},
        {"body": "self.number = (self.number + 10**4400) % 4  # here"},
        {"top": "MOST = 10**4400", "claim": "self.number < MOST  # here"},
    ],
)
def test_an_integer_that_python_does_not_write_is_refused_where_it_stands(user: User, part: dict[str, str]) -> None:
    said = refused(user, **part)
    assert said.startswith(line_of(user, "# here")) and "digits: a model may have numbers of at most 4,000" in said


def test_such_an_integer_is_refused_as_a_beginning_and_as_a_bound(user: User) -> None:
    assert "starts at an integer of more than 4,000 digits" in refused(user, start="10**5000")
    user.write(COUNTER.replace("Range(0, 9)", "Range(0, 10**5000)"))
    assert user.run("explore", "mine.py").code == 2


@pytest.mark.parametrize(
    ("top", "words"),
    [
        (
            "class Odd(Exception):\n    def __str__(self): raise RuntimeError\nraise Odd  # here",
            "raises Odd: (it cannot be shown)",
        ),
        (
            "class Odd(Sort):  # here\n    def __eq__(self, other): return True\n    __hash__ = None",
            "equality by identity",
        ),
        ("raise KeyboardInterrupt  # here", "it raises KeyboardInterrupt, and nobody pressed Ctrl-C"),
    ],
    ids=["an exception", "a sort", "an interruption"],
)
def test_what_a_file_does_at_its_top_is_refused_with_its_line(user: User, top: str, words: str) -> None:
    said = refused(user, top)
    assert said.startswith(line_of(user, "# here")) and words in said


@pytest.mark.parametrize(
    ("top", "body", "words"),
    [
        ("", "raise KeyboardInterrupt", "it raises KeyboardInterrupt, and nobody pressed Ctrl-C"),
        ("class Odd(int): ...", "self.number = Odd(2)", "number is int; 2 is not one"),
        ("", "sys.setrecursionlimit(sys.getrecursionlimit() - 1)", "may not change the recursion limit of Python"),
        ("", "builtins.all = lambda some: True", "replaces builtins.all"),
    ],
    ids=["an interruption", "another int", "the recursion limit", "a built-in function"],
)
def test_what_a_body_may_not_do_is_refused(user: User, top: str, body: str, words: str) -> None:
    assert words in refused(user, top, body)


def test_a_metaclass_with_an_equality_of_its_own_is_refused(user: User) -> None:
    meta = "class Meta(type):\n    def __hash__(cls): return 1/0\n    def __eq__(cls, other): return 1/0\n"
    user.write(meta + COUNTER.replace("class Counter:", "class Counter(metaclass=Meta):"))
    said = user.shell("explore", "mine.py")
    assert said.code == 2 and "the metaclass Meta has an equality or a hash of its own" in said.err


def test_a_member_of_a_sort_is_named_by_us(user: User) -> None:
    user.write(
        """\
class Odd(Sort):
    def __repr__(self) -> str: raise RuntimeError


@model
class Holder:
    held: Map[Odd, bool] = var(False)

    @action
    def take(self, o: Odd) -> None:
        self.held[o] = True

    @always
    def none(self, o: Odd) -> bool:
        return not self.held[o]
"""
    )
    said = user.run("explore", "mine.py")
    assert said.code == 1 and "take(odd0)" in said.out


def test_a_folder_that_is_gone_is_told(user: User) -> None:
    import subprocess

    gone = user.folder / "gone"
    gone.mkdir()
    started = f"cd {gone} && rmdir {gone} && exec {program()[0]} explore mine.py"
    done = subprocess.run(["/bin/sh", "-c", started], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "meshspec: the present folder is gone: change to one that is there\n",
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("explore", "mine.py", "--max-states=1.5"), "--max-states 1.5: write a whole number"),
        (("explore", "mine.py", "--workers=1.5"), "--workers 1.5: write a whole number"),
        (("check", "mine.py", "--seed=1.5"), "--seed 1.5: write a whole number"),
        (("explore", "mine.py", "--max-memory", "3"), "--max-memory 3: that is too little to hold a state"),
        (("simulate", "mine.py", "--walks", "10000000000"), "--walks 10000000000: that would not come to an end"),
        (
            ("check", "mine.py", "--prefix", "2"),
            "--prefix and --story-limit are for a policy that is judged: name a --role",
        ),
        (
            ("check", "mine.py", "--story-limit", "3"),
            "--prefix and --story-limit are for a policy that is judged: name a --role",
        ),
        (
            ("check", "x:y", "--role", "breaker", "--story-limit", "nan"),
            "--story-limit nan: give a number of seconds",
        ),
        (("explore", "a\nb.py"), "'a\\nb.py' is no target: a name is one line"),
        (("explore", "mine.py", "--scope", "a\nb"), "--scope 'a\\nb': write Sort=size"),
        (("explore", "pipe"), "pipe is no Python file: the name of a model file ends in .py"),
        (("explore", "mine.py:Effect"), "mine.py:Effect is no model but a class: decorate"),
    ],
)
def test_options_and_targets_that_mean_nothing(user: User, arguments: tuple[str, ...], words: str) -> None:
    user.write(COUNTER)
    os.mkfifo(user.folder / "pipe")
    said = user.run(*arguments)
    assert (said.code, said.out) == (2, "")
    assert words in said.err


def test_a_configuration_with_a_byte_order_mark_is_refused_for_it(user: User) -> None:
    user.write(COUNTER)
    (user.folder / "pyproject.toml").write_text("\ufeff[tool.meshspec]\nseed = 1\n", encoding="utf-8")
    said = user.run("explore", "mine.py")
    assert said.code == 2 and "pyproject.toml: it begins with a byte order mark" in said.err
