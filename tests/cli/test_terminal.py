"""Where text goes: terminals that are narrow or know only ASCII, pipes that close, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from meshspec.cli import main
from meshspec.engines.check import interrupted
from meshspec.report.text import deadlock_line, means_lines, seen_line
from tests.cli.conftest import BROKEN, COUNTER, ENDLESS, LEDGER, User, program

WITH_SIGINT = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""A child of a shell job may have been told to ignore Ctrl-C."""


def under_a_terminal(user: User, *arguments: str, until: bytes) -> tuple[int, str, bytes]:
    """Run a command with a terminal for its errors, press Ctrl-C once `until` shows; code, output, progress."""
    ours, theirs = os.openpty()
    try:
        running = subprocess.Popen(
            [sys.executable, "-c", WITH_SIGINT + "from meshspec.cli import main; sys.exit(main())", *arguments],
            cwd=user.folder,
            stdout=subprocess.PIPE,
            stderr=theirs,
        )
        shown = b""
        while until not in shown:
            shown += os.read(ours, 1024)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=30)
        return running.returncode, out.decode(), shown
    finally:
        os.close(ours)
        os.close(theirs)


def test_ctrl_c_during_a_search_exits_3_and_loses_nothing(user: User) -> None:
    user.write(ENDLESS)
    user.write(COUNTER, "later.py")
    code, out, shown = under_a_terminal(
        user, "check", "mine.py", "later.py", "--max-states", "100000000", "--json", "report.json", until=b"4,"
    )
    assert b"\r\x1b[Kexplore Endless: " in shown
    report = json.loads((user.folder / "report.json").read_text())
    answers = {(entry["model"], entry["property"]): entry for entry in report["properties"]}
    assert code == report["exit_code"] == 1, "what was refuted before stays refuted"
    assert answers["Endless", "not_minus_two"]["answer"] == "VIOLATED"
    huge = answers["Endless", "not_huge"]
    assert (huge["answer"], huge["reason"], huge["settles"]) == (
        "UNDETERMINED", "interrupted", "letting it run to its end"
    )  # fmt: skip
    assert huge["known"].startswith("no counterexample in ")
    later = answers["Counter", "the check ran to its end"]
    assert (later["answer"], later["reason"]) == ("UNDETERMINED", "interrupted")
    assert "UNDETERMINED" in out
    assert "Traceback" not in out


@pytest.mark.parametrize("engine", ["prove", "simulate"])
def test_ctrl_c_during_another_engine_exits_3(user: User, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"meshspec.engines.{engine}.{engine}", interrupted)
    user.write(COUNTER)
    said, report = user.json("check", "mine.py", "--engine", f"explore,{engine}")
    assert said.code == 3
    assert "HOLDS small in scope (exhaustive, 4 states)" in said.words
    assert "UNDETERMINED the check ran to its end interrupted" in said.words
    assert report["exit_code"] == 3


def test_ctrl_c_before_anything_was_asked_exits_3(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    user.write(COUNTER + "\n\nraise KeyboardInterrupt\n")
    said = user.run("check", "mine.py")
    assert (said.code, said.out) == (3, "")
    assert said.err == "meshspec: interrupted; nothing was concluded\n"


def test_a_reader_that_goes_away_ends_the_run_quietly(user: User) -> None:
    user.write(BROKEN)
    with subprocess.Popen(
        program("explore", "mine.py"), cwd=user.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=30) == 141


def test_a_reader_that_goes_away_does_not_cost_the_report(user: User) -> None:
    user.write(BROKEN)
    with subprocess.Popen(
        program("explore", "mine.py", "--json", "report.json"),
        cwd=user.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=30) == 1
    assert json.loads((user.folder / "report.json").read_text())["exit_code"] == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_changes_no_exit_code(user: User, closed: str) -> None:
    user.write(BROKEN)
    command = " ".join([*program("explore", "mine.py"), closed])
    done = subprocess.run(["sh", "-c", command], cwd=user.folder, check=False, capture_output=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == b""


UNUSUAL = BROKEN.replace('"""It counts', '"""It zählt \\x1b[31m').replace("grow", "wächst")


def test_a_terminal_that_knows_only_ascii_gets_escapes(user: User) -> None:
    user.write(UNUSUAL)
    env = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    said = user.shell("check", "mine.py", "--json", "report.json", env=env)
    assert (said.code, said.err) == (1, "")
    assert said.out.isascii()
    assert "w\\xe4chst" in said.out
    del env["PYTHONIOENCODING"]
    again = user.shell("check", "mine.py", env=env)
    assert (again.code, again.err) == (1, "")
    listed = user.shell("list", env=env)
    assert (listed.code, listed.err) == (0, "")


def test_the_report_is_ascii_and_keeps_every_character(user: User) -> None:
    user.write(UNUSUAL)
    _, report = user.json("check", "mine.py")
    first = report["properties"][0]
    assert [step["action"] for step in first["counterexample"]] == ["wächst", "wächst"]


CONTROL = """\
class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Odd(Enum):
    FIRST = 0


setattr(Odd.FIRST, "_name_", "FIRST\\x1b[31m\\u202e")


@model
class Painted:
    colour: Odd | None = var(None)

    @action
    def paint(self, o: Odd) -> None:
        self.colour = o

    @always
    def bare(self) -> bool:
        return self.colour is None
"""


def test_what_a_terminal_would_act_on_is_written_out(user: User) -> None:
    user.write(CONTROL)
    said = user.run("explore", "mine.py")
    assert said.code == 1
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out
    assert "paint(FIRST\\x1b[31m\\u202e)" in said.out


def lines_at(width: int, user: User, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    return user.run(*arguments).out.splitlines()


ANSWERS = {"HOLDS", "VIOLATED", "VACUOUS", "UNDETERMINED"}
LONG = LEDGER.replace("at_most_once", "every_effect_is_applied_at_most_once_whatever_is_lost")


@pytest.mark.parametrize("width", [60, 100])
def test_text_keeps_to_the_columns_there_are(user: User, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    user.write(LEDGER)
    user.write(LONG, "long.py")
    for target in ("mine.py:Ledger", "mine.py:Forgetful", "long.py:Forgetful"):
        lines = lines_at(width, user, monkeypatch, "check", target, "--engine", "explore,prove,simulate")
        assert len(lines) > 10
        for line in lines:
            if not line.strip().startswith("replay "):  # a command is not broken: it is there to be run
                whole = [word for word in line.split() if word not in ANSWERS]
                assert len(line) <= width or len(whole) == 1, line  # a name that is longer stays whole


def test_a_wide_terminal_is_not_filled_and_a_tiny_one_gets_60(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    user.write(LEDGER)
    for width, most in ((500, 120), (5, 60)):
        lines = lines_at(width, user, monkeypatch, "explore", "mine.py:Forgetful")
        assert max(len(line) for line in lines if not line.strip().startswith("replay ")) <= most


def test_a_report_that_cannot_be_written_is_refused_before_anything_runs(user: User) -> None:
    user.write(BROKEN)
    said = user.run("check", "mine.py", "--json", "missing/report.json")
    assert (said.code, said.out) == (2, "")
    assert not (user.folder / "missing").exists()


def test_when_nothing_ran_a_report_says_so_and_a_foreign_file_is_kept(user: User) -> None:
    kept = user.folder / "report.json"
    kept.write_text("kept")
    assert user.run("check", "missing.py", "--json", "report.json").code == 2
    assert kept.read_text() == "kept"
    kept.unlink()
    assert user.run("check", "missing.py", "--json", "report.json").code == 2
    assert json.loads(kept.read_text())["exit_code"] == 2


def test_a_full_disk_is_told_and_no_success(user: User) -> None:
    user.write(COUNTER)
    if Path("/dev/full").exists():
        said = user.run("explore", "mine.py", "--json", "/dev/full")
        assert said.code == 2
        assert "/dev/full cannot be written: No space left on device" in said.err
        assert "HOLDS         small" in said.out, "what was found is shown all the same"


def test_a_fault_of_ours_exits_70_and_says_so(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> Iterator[object]:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("meshspec.report.checked.check", broken)
    user.write(COUNTER)
    said = user.run("check", "mine.py")
    assert said.code == 70
    assert said.err.endswith(
        "RuntimeError: a fault of ours\nmeshspec: the above is a bug of meshspec, not an answer\n"
    )


def test_the_function_behind_the_command_returns_the_exit_code(user: User) -> None:
    user.write(COUNTER)
    assert main(["explore", "mine.py"]) == 0
    assert main(["explore", "missing.py"]) == 2


@pytest.mark.parametrize(("raised", "code"), [(SystemExit(0), 2), (KeyboardInterrupt(), 3)])
def test_what_ends_a_command_from_inside_is_no_success(
    raised: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("meshspec.cli.commands.app", ended)
    assert main(["check"]) == code
    assert "nothing was concluded" in capsys.readouterr().err


def test_an_exploration_that_never_began_tells_nothing_of_the_whole() -> None:
    never = [interrupted("Ledger", "explore")]
    assert (seen_line(never), deadlock_line(never), means_lines(never)) == ("", "", [])
