"""``meshspec drive``: what it says, what replays it, an implementation named on the command line, what is refused."""

from __future__ import annotations

import json
import shlex
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.conftest import COUNTER, LEDGER, User

SERVICE = '''\
"""An implementation of the ledger in mine.py."""


class Service:
    def __init__(self):
        self.applied, self.up = {}, True

    def do(self, name, arguments):
        if name == "send":
            (effect,) = arguments
            self.applied[effect] = self.applied.get(effect, 0) + 2
        elif name in ("crash", "recover"):
            self.up = name == "recover"


def start():
    return Service()


def step(system, name, arguments):
    system.do(name, arguments)


def observe(system):
    return {"up": system.up}


class Raising:
    def start(self):
        return Service()

    def step(self, system, name, arguments):
        raise ValueError("no such step")

    def observe(self, system):
        return {"up": system.up}


class Silent(Raising):
    def observe(self, system):
        return {}
'''


def of(report: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in report["properties"] if one["property"] == name)
    return found


FEW = ("--examples", "20", "--steps", "15")


def test_what_holds_is_tested_with_steps_by_action_and_a_report_that_fits_its_schema(user: User) -> None:
    user.write(COUNTER)
    said, report = user.json("drive", "mine.py", *FEW)
    schema = json.loads(resources.files("meshspec.report").joinpath("schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(report)  # pyright: ignore[reportUnknownMemberType]  # untyped
    assert said.code == 0 and "tested (20 examples)" in said.words
    facts = of(report, "small")["facts"]
    assert set(facts["taken"]) == {"grow", "set_back"} and facts["never taken"] == []
    assert f"grow {facts['taken']['grow']}" in said.words


def test_what_is_refuted_is_shown_shrunk_and_is_the_same_again(user: User) -> None:
    user.write(LEDGER)
    said, report = user.json("drive", "mine.py:Forgetful", *FEW, "--seed", "2")
    assert said.code == 1
    found = of(report, "at_most_once")
    assert (found["answer"], found["how"], found["engine"]) == ("VIOLATED", "shrunk", "drive")
    again = "meshspec drive mine.py:Forgetful --scope Effect=2 --seed 2 --examples 20 --steps 15"
    assert found["replay"] == again
    _, twice = user.json(*shlex.split(again)[1:])
    assert of(twice, "at_most_once")["counterexample"] == found["counterexample"]


def test_steps_that_are_given_are_the_only_ones_taken(user: User) -> None:
    user.write(LEDGER)
    path = "send(effect1), crash, recover, send(effect1)"
    said, report = user.json("drive", "mine.py:Forgetful", "--take", path)
    found = of(report, "at_most_once")
    assert said.code == 1 and found["how"] == "as given"
    assert [step["action"] for step in found["counterexample"]] == path.split(", ")
    again = "meshspec drive mine.py:Forgetful --scope Effect=2 --take 'send(effect1),crash,recover,send(effect1)'"
    assert found["replay"] == again


def test_a_fault_that_is_taken_away_is_said(user: User) -> None:
    user.write(LEDGER)
    said = user.run("drive", "mine.py:Forgetful", *FEW, "--without", "crash")
    assert "without crash: what holds was not tried against it" in said.words
    assert "UNDETERMINED every action fires no example took recover" in said.words
    assert said.code == 3


@pytest.mark.parametrize("named", ["service.py", "service"])
def test_an_implementation_is_a_file_or_a_module(user: User, named: str) -> None:
    user.write(LEDGER)
    user.write(SERVICE.replace("+ 2", "+ 1"), "service.py", imports="")
    said, report = user.json("drive", "mine.py:Ledger", *FEW, "--against", named)
    found = of(report, "the implementation agrees")
    assert said.code == 0 and found["answer"] == "HOLDS"
    assert found["reason"] == "not observed: applied, sent"


def test_a_difference_is_shown_as_one_of_states_and_is_replayed(user: User) -> None:
    user.write(LEDGER)
    user.write(SERVICE.replace('"up": system.up}', '"applied[effect0]": system.shown(0)}').replace(
        "    def do(", "    def shown(self, at):\n"
        "        return sum(n for e, n in self.applied.items() if e.index == at)\n\n    def do("
    ), "service.py", imports="")  # fmt: skip
    said, report = user.json("drive", "mine.py:Ledger", *FEW, "--against", "service.py")
    found = of(report, "the implementation agrees")
    assert said.code == 1
    assert [step["action"] for step in found["counterexample"]] == ["send(effect0)"]
    assert "so applied[effect0]: model 1, implementation 2" in said.words
    assert "--against service.py --seed 0" in found["replay"]


def test_an_implementation_that_raises_is_shown_with_its_own_line(user: User) -> None:
    user.write(LEDGER)
    user.write(SERVICE, "service.py", imports="")
    said = user.run("drive", "mine.py:Ledger", *FEW, "--against", "service.py:Raising")
    line = SERVICE.splitlines().index('        raise ValueError("no such step")') + 1
    assert f"so step() raises ValueError: no such step at service.py:{line}" in said.words
    assert said.code == 1


def test_one_that_shows_nothing_is_vacuous(user: User) -> None:
    user.write(LEDGER)
    user.write(SERVICE.replace("raise ValueError", "str"), "service.py", imports="")
    said = user.run("drive", "mine.py:Ledger", *FEW, "--against", "service.py:Silent")
    assert "VACUOUS the implementation agrees observe() shows nothing" in said.words
    assert said.code == 4


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--examples", "0"), "--examples must be at least 1"),
        (("--steps", "1001"), "--steps from 1 to 1,000"),
        (("--initial", "2"), "--initial 2: with --take, initial states are counted from 1"),
        (("--take", "", "--initial", "0"), "--initial 0: with --take, initial states are counted from 1"),
        (("--take", "grow,set_black"), "Counter has no action 'set_black'; did you mean set_back?"),
        (("--take", "set_back"), "set_back is not enabled"),
        (("--take", "", "--initial", "2"), "there is no initial state"),
        (("--against", "nothing.py"), "nothing.py does not exist"),
        (("--against", "nothing:there"), "there is no module 'nothing'"),
        (("--against", "mine.py:Nobody"), "--against mine.py:Nobody: mine.py has no 'Nobody'"),
        (("--against", "mine.py"), "--against mine.py lacks start, step, observe"),
    ],
)
def test_what_cannot_be_driven_is_a_usage_error(user: User, options: tuple[str, ...], told: str) -> None:
    user.write(COUNTER)
    said = user.run("drive", "mine.py", *options)
    assert said.code == 2 and told in " ".join(said.err.split())
