"""``meshspec mutate`` and ``meshspec coverage`` as a user runs them on her own file."""

from __future__ import annotations

from pathlib import Path

import pytest

from meshspec.engines import mutate as engine
from meshspec.engines.explore import explore
from tests.cli.conftest import BROKEN, COUNTER, ENDLESS, IDLE_FAULT, LEDGER, User
from tests.cli.test_terminal import under_a_terminal

GUARDED = COUNTER.replace("< self.limit)", "< self.limit and self.number < 9)")
"""Its second guard repeats the first."""

TOOTHLESS = COUNTER + "\n    @always\n    def weak(self) -> bool:\n        return self.number != 77\n"


def line_of(path: Path, text: str) -> int:
    return next(n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if text in line)


# -- mutate ----------------------------------------------------------------------------------------------------


def test_survivors_are_told_with_file_and_line_and_are_undetermined(user: User) -> None:
    path = user.write(LEDGER)
    said = user.run("mutate", "mine.py:Ledger", "--scope", "Effect=1")
    assert said.code == 3
    assert "survivors: state a claim that forbids the change, or drop what makes no difference" in said.words
    assert f"mine.py:{line_of(path, 'require(not self.up)')} recover: without `require(not self.up)`" in said.words
    assert "UNDETERMINED every change is noticed" in said.words
    assert said.lines[-1] == "again: meshspec mutate mine.py:Ledger --scope Effect=1"
    assert user.run("mutate", "mine.py:Ledger", "--scope", "Effect=1", "--allow-undetermined").code == 0


def test_a_claim_that_refutes_no_change_is_vacuous(user: User) -> None:
    user.write(TOOTHLESS)
    said = user.run("mutate", "mine.py")
    assert said.code == 4
    assert any(line.startswith("VACUOUS") and "weak" in line for line in said.lines)
    assert any(line.startswith("HOLDS") and "small" in line and "tested (" in line for line in said.lines)


def test_the_matrix_shows_every_mutant_with_what_kills_it(user: User) -> None:
    path = user.write(COUNTER)
    short, said = user.run("mutate", "mine.py"), user.run("mutate", "mine.py", "--matrix")
    assert "killed by (small letters: noticed by vacuity)" in said.out
    assert "killed by (small letters" not in short.out
    marks = {line.split()[1]: line.split()[0] for line in said.lines if line[1:3] == "  "}
    dropped = f"mine.py:{line_of(path, 'require(self.number < self.limit)')} grow: without `require"
    assert f"{marks['small']}{marks['number']} {dropped}" in said.words  # small, and the Range of number


def test_what_is_proved_equivalent_is_marked_so(user: User) -> None:
    path = user.write(GUARDED)
    said = user.run("mutate", "mine.py", "--matrix")
    assert f"= mine.py:{line_of(path, 'self.number < 9')} grow: without `self.number < 9`" in said.words


def test_the_json_report_has_every_mutant(user: User) -> None:
    path = user.write(LEDGER)
    said, report = user.json("mutate", "mine.py:Ledger", "--scope", "Effect=1")
    assert report["exit_code"] == said.code == 3
    noticed = next(p for p in report["properties"] if p["property"] == "every change is noticed")
    runs = noticed["facts"]["mutation"]["runs"]
    assert len(runs) == noticed["facts"]["mutation"]["mutants"]
    (guard,) = [run for run in runs if run["name"] == "send: without `not self.sent[e]`"]
    assert guard["where"] == f"mine.py:{line_of(path, 'not self.sent[e]')}"
    assert guard["killed by"] == ["at_most_once", "sent_is_applied", "applied stays in 0..5"]
    once = next(p for p in report["properties"] if p["property"] == "at_most_once")
    assert (once["answer"], once["strength"], once["engine"]) == ("HOLDS", "tested", "mutate")
    assert once["replay"] == "meshspec mutate mine.py:Ledger --scope Effect=1"


def test_a_sample_says_of_how_many_it_is_and_how_it_was_drawn(user: User) -> None:
    user.write(LEDGER)
    said = user.run("mutate", "mine.py:Ledger", "--scope", "Effect=1", "--cap", "4", "--seed", "5")
    assert "mutants tried" in said.lines[1]
    assert "a sample over the methods, drawn with seed 5" in said.words
    assert said.lines[-1] == "again: meshspec mutate mine.py:Ledger --scope Effect=1 --cap 4 --seed 5"
    again = user.run("mutate", "mine.py:Ledger", "--scope", "Effect=1", "--cap", "4", "--seed", "5")
    assert again.out == said.out


def test_a_claim_that_the_model_breaks_is_not_tried_on_mutants(user: User) -> None:
    user.write(BROKEN)
    said = user.run("mutate", "mine.py")
    assert said.code == 3
    assert "the model itself breaks small" in said.words


def test_a_fault_can_be_taken_away(user: User) -> None:
    user.write(COUNTER)
    said = user.run("mutate", "mine.py", "--without", "set_back", "--matrix")
    assert "set_back:" not in said.out
    assert "--without set_back" in said.lines[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mine.py", "--cap", "0"), "--cap 0: try at least one mutant"),
        (("mine.py", "--cap", "-2"), "--cap -2: try at least one mutant"),
        (("mine.py", "--scope", "Effect=2"), "--scope Effect=2: Counter ranges over no sort"),
        (("mine.py", "--without", "grow"), "--without grow: Counter has the faults set_back"),
        (("mine.py", "--max-states", "0"), "--max-states and --max-memory must be at least 1"),
        (("missing.py",), "missing.py does not exist"),
    ],
)
@pytest.mark.parametrize("command", ["mutate", "coverage"])
def test_bad_input_is_refused_before_anything_runs(
    user: User, command: str, arguments: tuple[str, ...], message: str
) -> None:
    user.write(COUNTER)
    if command == "coverage" and "--cap" in arguments:
        message = "--cap"  # it has no such option
    said = user.run(command, *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert "Traceback" not in said.err


def test_a_report_that_cannot_be_written_is_refused_before_anything_runs(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.write(COUNTER)
    monkeypatch.setattr(engine, "mutants", None)
    for command in ("mutate", "coverage"):
        said = user.run(command, "mine.py", "--json", "no/such/folder.json")
        assert said.code == 2
        assert "cannot be written" in said.err


def test_what_was_run_until_ctrl_c_is_told(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    user.write(COUNTER)
    calls = 0

    def interrupted(*args: object) -> object:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise KeyboardInterrupt
        return explore(*args)  # type: ignore[arg-type]  # whatever the engine gives

    monkeypatch.setattr(engine, "explore", interrupted)
    said, report = user.json("mutate", "mine.py")
    assert said.code == report["exit_code"] == 3
    assert ", interrupted" in said.lines[1]
    answers = {p["property"]: p["answer"] for p in report["properties"]}
    assert answers["the check ran to its end"] == "UNDETERMINED"
    assert answers["every change is noticed"] == "UNDETERMINED"


@pytest.mark.parametrize(
    ("command", "states", "until"), [("mutate", "6000", b"mutate Endless: "), ("coverage", "900000", b"visiting")]
)
def test_ctrl_c_ends_a_run_and_what_there_is_is_told(user: User, command: str, states: str, until: bytes) -> None:
    user.write(ENDLESS)
    code, out, shown = under_a_terminal(user, command, "mine.py", "--max-states", states, until=until)
    assert code == 3, out
    assert b"Traceback" not in shown
    assert any("the check ran to its end" in line and "interrupted" in line for line in out.splitlines()), out
    assert f"--max-states {states}" in out.splitlines()[-1]


def test_commands_that_are_told_name_the_target_as_it_was_given(user: User) -> None:
    user.write(BROKEN)
    assert "(meshspec explore mine.py:Counter shows the path)" in user.run("mutate", "mine.py:Counter").words
    user.write(GUARDED)
    assert "(meshspec mutate mine.py tells whether it matters)" in user.run("coverage", "mine.py").words


def test_a_cut_sample_leaves_exit_code_three_and_counts_one_state(user: User) -> None:
    user.write(COUNTER)
    said = user.run("mutate", "mine.py", "--max-states", "1", "--cap", "1")
    assert said.code == 3
    assert said.lines[0] == "mine.py  [1 state]"
    assert "HOLDS every change is noticed" not in said.words
    assert user.run("coverage", "mine.py", "--max-states", "1").lines[0] == "mine.py  [1 state (cut)]"


@pytest.mark.parametrize("command", ["mutate", "coverage"])
def test_a_model_without_source_is_undetermined(user: User, command: str) -> None:
    user.write(COUNTER, "elsewhere.txt")
    user.write("from pathlib import Path\nexec(Path('elsewhere.txt').read_text())", imports="")
    said = user.run(command, "mine.py")
    assert said.code == 3
    assert "no source: " in said.words
    assert "the model in a file" in said.words.partition("would settle it: ")[2]
    assert "site-packages" not in said.out


# -- coverage --------------------------------------------------------------------------------------------------


def test_coverage_counts_actions_guards_and_values(user: User) -> None:
    path = user.write(COUNTER)
    said = user.run("coverage", "mine.py")
    assert said.code == 0
    assert "grow 3" in " ".join(said.words.split())
    guard = next(line for line in said.lines if line.startswith("self.number < self.limit"))
    assert guard.split()[-4:] == ["3", "1", "grow", f"mine.py:{line_of(path, 'require(self.number < self.limit)')}"]
    assert "number: 0 1, 1 1, 2 1, 3 1" in said.words
    assert said.lines[-1] == "again: meshspec coverage mine.py"


def test_a_redundant_guard_is_undetermined_and_named(user: User) -> None:
    path = user.write(GUARDED)
    said = user.run("coverage", "mine.py")
    assert said.code == 3
    assert "redundant in scope" in said.out
    assert f"grow: `self.number < 9` at mine.py:{line_of(path, 'self.number < 9')}" in said.words


def test_a_dead_guard_is_vacuous(user: User) -> None:
    user.write(IDLE_FAULT)
    said, report = user.json("coverage", "mine.py")
    assert said.code == 4
    assert " dead " in said.words
    fires = next(p for p in report["properties"] if p["property"] == "every action fires")
    assert fires["answer"] == "VACUOUS"
    assert fires["facts"]["coverage"]["fired"] == {"grow": 3, "set_back": 0}


def test_coverage_that_is_cut_is_undetermined(user: User) -> None:
    user.write(ENDLESS)
    said = user.run("coverage", "mine.py", "--max-states", "50")
    assert "[50 states (cut)]" in said.lines[0]
    assert said.code in (0, 3)
    assert said.lines[-1] == "again: meshspec coverage mine.py --max-states 50"
    assert "exhaustive" not in said.out
