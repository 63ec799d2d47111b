"""A body that ends the process, or tries to, is no success: what it raises is an outcome like any other."""

from __future__ import annotations

import pytest

from tests.cli.conftest import IMPORTS, User

COUNTER = """\
import os, sys
from os import _exit


def helper() -> None:
    {helper}


@model
class Counter:
    number: Annotated[int, Range(0, 3)] = var(0)
    held: Map[Effect, bool] = var(False)

    @action
    def up(self) -> None:
        require(self.number < 3)
        if self.number == 2:
            {action}
        self.number += 1

    @always
    def small(self) -> bool:
        if self.number == 2:
            {claim}
        return True
"""
WAYS_OUT = [
    ("sys.exit(0)", "SystemExit"),
    ("exit(0)", "SystemExit"),
    ("raise SystemExit", "SystemExit"),
    ("raise GeneratorExit", "GeneratorExit"),
    ("raise BaseException", "BaseException"),
    ("_exit(0)", "SystemExit"),  # what was fetched while the file was imported raises
]


def written(user: User, **bodies: str) -> None:
    user.write(COUNTER.format(**{"helper": "pass", "action": "pass", "claim": "pass", **bodies}), imports=IMPORTS)


@pytest.mark.parametrize(("way_out", "error"), WAYS_OUT)
def test_an_action_that_exits_is_violated_where_it_does(user: User, way_out: str, error: str) -> None:
    for bodies in ({"action": way_out}, {"action": "helper()", "helper": way_out}):
        written(user, **bodies)
        for command in ("explore", "prove", "simulate"):
            said = user.run(command, "mine.py")
            assert said.code == 1 and f"so up raises {error}" in said.words, said


@pytest.mark.parametrize(("way_out", "error"), WAYS_OUT)
def test_a_claim_that_exits_is_false_where_it_does(user: User, way_out: str, error: str) -> None:
    written(user, claim=way_out)
    for command in ("explore", "prove", "simulate"):
        said = user.run(command, "mine.py")
        assert said.code == 1 and f"so small: its body raises {error} where number == 2" in said.words, said


@pytest.mark.parametrize("word", ["each", "forall"])
def test_the_body_of_a_quantifier_that_exits_is_refused_with_its_line(user: User, word: str) -> None:
    body = f"{word}(Effect, lambda e: sys.exit(0))"
    written(user, action=f"self.held = {body}" if word == "each" else body)
    said = user.run("check", "mine.py")
    assert said.code == 2 and "a quantifier's body may not raise; this one raises SystemExit: 0" in said.err


@pytest.mark.parametrize("way_out", ["os._exit(0)", "import posix; posix._exit(0)"])
def test_a_body_that_ends_the_process_is_refused_before_it_can(user: User, way_out: str) -> None:
    for bodies in ({"action": way_out}, {"claim": way_out}, {"action": "helper()", "helper": way_out}):
        written(user, **bodies)
        said = user.shell("check", "mine.py")
        assert said.code == 2 and "differs from run to run" in said.err, said
        assert "mine.py:" in said.err


def test_ctrl_c_is_still_the_users(user: User) -> None:
    written(user, claim="raise KeyboardInterrupt")
    assert user.run("explore", "mine.py").code not in (0, 1)
