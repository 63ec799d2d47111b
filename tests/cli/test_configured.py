"""``[tool.meshspec]`` and waivers at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from meshspec.cli import runs
from meshspec.engines.check import Settings
from meshspec.errors import Disagreement
from meshspec.report import checked
from tests.cli.conftest import BROKEN, COUNTER, LEDGER, User

TODAY = "2026-11-29"
WAIVER = """\
[[tool.meshspec.waivers]]
model = "Counter"
property = "small"
owner = "Ada"
reason = "being mended"
expires = 2027-01-31
"""


@pytest.fixture(autouse=True)
def on_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESHSPEC_TODAY", TODAY)


def configure(user: User, text: str) -> None:
    (user.folder / "pyproject.toml").write_text(text, encoding="utf-8")


def test_what_is_not_given_is_taken_from_the_file_and_this_is_told(user: User) -> None:
    user.write(COUNTER)
    configure(user, '[tool.meshspec]\nengines = ["explore"]\nmax-states = 2\nseed = 7\n')
    said, report = user.json("check", "mine.py")
    assert said.code == 3
    assert "from pyproject.toml: engines explore, max-states 2, seed 7" in report["notes"]
    assert "from pyproject.toml: engines explore, max-states 2, seed 7" in said.words
    assert report["seed"] == 7
    assert "--max-states 2" in report["properties"][0]["replay"]


def test_what_is_given_comes_before_the_file(user: User) -> None:
    user.write(COUNTER)
    configure(user, '[tool.meshspec]\nengines = ["explore"]\nmax-states = 2\n')
    said, report = user.json("check", "mine.py", "--max-states", "100", "--engine", "explore,prove")
    assert said.code == 0
    assert not [note for note in report["notes"] if note.startswith("from ")]


def test_sizes_and_faults_are_for_the_models_that_have_them(user: User) -> None:
    user.write(LEDGER)
    user.write(COUNTER, "counter.py")
    configure(user, '[tool.meshspec]\nscope = { Effect = 3, Other = 9 }\nwithout = ["crash", "nothing"]\n')
    said, report = user.json("explore", "mine.py:Ledger")
    assert report["properties"][0]["scope"] == {"Effect": 3}
    assert "without crash: what holds was not tried against it" in report["notes"]
    assert "from pyproject.toml: scope Effect=3, without crash" in report["notes"]
    said, report = user.json("explore", "counter.py")
    assert (said.code, report["properties"][0]["scope"]) == (0, {})
    assert not [note for note in report["notes"] if note.startswith("from ")]
    _, report = user.json("explore", "mine.py:Ledger", "--scope", "Effect=1", "--without", "crash")
    assert report["properties"][0]["scope"] == {"Effect": 1}
    assert not [note for note in report["notes"] if note.startswith("from ")]


@pytest.mark.parametrize("command", ["prove", "coverage", "mutate", "live", "simulate"])
def test_every_command_takes_the_sizes(user: User, command: str) -> None:
    user.write(LEDGER)
    configure(user, "[tool.meshspec]\nscope = { Effect = 1 }\n")
    more = ["--cap", "1"] if command == "mutate" else []
    _, report = user.json(command, "mine.py:Ledger", *more)
    assert "from pyproject.toml: scope Effect=1" in report["notes"]


def test_a_required_strength_is_asked_of_models_and_not_of_what_is_shipped(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.write(COUNTER)
    configure(user, '[tool.meshspec]\nrequire = "proved"\nengines = ["explore"]\nseed = 3\n')
    said = user.run("check", "mine.py")
    assert said.code == 3 and "every size was required" in said.words
    asked: list[Settings] = []

    def shipped(settings: Settings, _: runs.Report) -> int:
        asked.append(settings)
        return 0

    monkeypatch.setattr(runs, "check_shipped", shipped)
    assert user.run("check").code == 0
    assert (asked[0].require, asked[0].seed) == (None, 3)


def test_no_config_and_another_config(user: User) -> None:
    user.write(COUNTER)
    configure(user, "[tool.meshspec]\nmax-states = 2\n")
    assert user.run("explore", "mine.py").code == 3
    assert user.run("explore", "mine.py", "--no-config").code == 0
    Path("strict.toml").write_text("[tool.meshspec]\nmax-states = 1\n")
    said, report = user.json("explore", "mine.py", "--config", "strict.toml")
    assert said.code == 3 and "from strict.toml: max-states 1" in report["notes"]
    assert user.run("explore", "mine.py", "--config", "missing.toml").code == 2
    assert user.run("explore", "mine.py", "--config", "strict.toml", "--no-config").code == 2


def test_undetermined_is_allowed_where_the_file_allows_it(user: User) -> None:
    user.write(COUNTER)
    configure(user, "[tool.meshspec]\nmax-states = 2\nallow-undetermined = true\nsymmetry = false\n")
    said = user.run("explore", "mine.py")
    assert said.code == 0 and "undetermined" in said.lines[-1]
    assert "from pyproject.toml: max-states 2, symmetry off, allow-undetermined on" in said.words


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[tool.meshspec]\nmax_states = 2\n", "pyproject.toml: [tool.meshspec] has no key 'max_states'"),
        ("[tool.meshspec]\nengines = ['\\u001b[31m']\n", "pyproject.toml: [tool.meshspec] engines"),
        ("[tool.meshspec\n", "pyproject.toml: it is no TOML"),
        ("[tool.meshspec]\n" + WAIVER.replace("2027", "2030"), "pyproject.toml:2: expires = 2030-01-31: that is "),
        ("[tool.meshspec]\n" + WAIVER + WAIVER, "pyproject.toml:8: Counter.small has two waivers"),
    ],
)
def test_a_file_that_says_what_it_may_not_stops_everything(user: User, text: str, why: str) -> None:
    user.write(COUNTER)
    configure(user, text)
    said = user.run("check", "mine.py")
    assert (said.code, said.out) == (2, "")
    assert why in said.err and "\x1b" not in said.err and "Traceback" not in said.err
    assert user.run("list").code == 0, "a command that asks nothing of a model reads no such file"


def test_what_is_waived_is_shown_whole_counted_apart_and_fails_nothing(user: User) -> None:
    user.write(BROKEN)
    configure(user, WAIVER)
    said, report = user.json("check", "mine.py", "--junit", "j.xml", "--sarif", "s.json")
    assert said.code == report["exit_code"] == 0
    assert "waived until 2027-01-31 by Ada: being mended" in said.lines
    assert "1. grow  number 0 -> 1" in said.lines
    assert said.lines[-1].startswith("1 violated (waived), ")
    assert [one["state"] for one in report["waivers"]] == ["used"]
    assert f"today is taken to be {TODAY}, from MESHSPEC_TODAY" in report["notes"]
    assert 'failures="0"' in Path("j.xml").read_text()
    results = json.loads(Path("s.json").read_text())["runs"][0]["results"]
    assert [len(result["suppressions"]) for result in results] == [1]


def test_one_that_ended_fails_with_the_property_or_by_itself(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(user, WAIVER)
    monkeypatch.setenv("MESHSPEC_TODAY", "2027-02-01")
    user.write(BROKEN)
    said = user.run("check", "mine.py")
    assert said.code == 1 and "its waiver ended on 2027-01-31, and excuses nothing: Ada: being mended" in said.words
    user.write(COUNTER)
    said, report = user.json("check", "mine.py")
    assert said.code == report["exit_code"] == 1
    assert "no waiver for small after its day" in said.words and "stated at pyproject.toml:1" in said.lines
    assert [one["state"] for one in report["waivers"]] == ["expired"]
    user.write(COUNTER.replace("def small", "def little"))
    assert user.run("check", "mine.py").code == 1


def test_one_that_matches_nothing_is_told(user: User) -> None:
    configure(user, WAIVER.replace("small", "smal"))
    user.write(COUNTER)
    said = user.run("check", "mine.py")
    assert said.code == 0
    assert (
        "waiver for Counter.smal: it was not used; Counter was checked, and has no such property here" in said.words
    )


def test_it_hides_no_bug_of_ours_and_no_bad_input(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def disagrees(*_: object) -> None:
        raise Disagreement("explore refutes what prove proved")

    configure(user, WAIVER)
    user.write(BROKEN)
    assert user.run("check", "mine.py", "--scope", "None=1").code == 2
    monkeypatch.setattr(checked, "check", disagrees)
    assert user.run("check", "mine.py").code == 70


def test_a_day_that_is_none_is_bad_input(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(user, WAIVER)
    user.write(BROKEN)
    monkeypatch.setenv("MESHSPEC_TODAY", "soon")
    said = user.run("check", "mine.py")
    assert said.code == 2 and "MESHSPEC_TODAY=soon: that is no day" in said.err


def test_annotations_stand_alone_and_nothing_else_is_a_command(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    user.write(BROKEN)
    said = user.run("check", "mine.py", "--github")
    told = [line for line in said.out.splitlines() if line.lstrip().startswith("::")]
    assert [line.partition(" ")[0] for line in told] == ["::error"]
    assert "file=mine.py,line=" in told[0]
    user.write(BROKEN, "::stop-commands::x.py")
    said = user.run("check", "::stop-commands::x.py:Nothing")
    assert said.code == 2 and not [line for line in said.err.splitlines() if line.lstrip().startswith("::")]


def test_a_waiver_for_a_violation_does_not_excuse_a_claim_that_was_emptied(user: User) -> None:
    user.write(BROKEN.replace("return self.number <= 1", "return True"))
    configure(user, WAIVER)
    said, report = user.json("check", "mine.py")
    assert said.code == report["exit_code"] == 4
    assert "its waiver is for VIOLATED, and this is VACUOUS: it excuses nothing (Ada: being mended)" in said.words
    assert [one["state"] for one in report["waivers"]] == ["unused"]
    configure(user, WAIVER + 'answer = "VACUOUS"\n')
    assert user.run("check", "mine.py").code == 0


def test_sizes_of_the_project_come_before_those_of_shipped_evidence_and_what_is_given_before_both(user: User) -> None:
    configure(user, "[tool.meshspec]\nscope = { Outcome = 3 }\n")
    assert "RepairRounds [scope Component=1,Outcome=3,Report=4:" in user.run("explore", "RepairRounds").words
    given = user.run("explore", "RepairRounds", "--scope", "Outcome=5")
    assert "RepairRounds [scope Component=1,Outcome=5,Report=4:" in given.words
    plain = user.run("explore", "RepairRounds", "--no-config")
    assert "RepairRounds [scope Component=1,Outcome=4,Report=4:" in plain.words and plain.code == 0
