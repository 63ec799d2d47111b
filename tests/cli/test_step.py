"""``meshspec step``: a walk by hand, by lines on a pipe and by keys on a terminal."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import subprocess
import sys

import pytest

from tests.cli.conftest import BROKEN, COUNTER, LEDGER, Said, User, program

STARTS = COUNTER.replace("= var(0)", "= var(any_of(0, 2))").replace(
    "@model", "from meshspec import any_of\n\n\n@model"
)


@pytest.fixture
def walked(user: User, monkeypatch: pytest.MonkeyPatch) -> Walked:
    return Walked(user, monkeypatch)


class Walked:
    """``meshspec step`` with lines for its standard input."""

    def __init__(self, user: User, monkeypatch: pytest.MonkeyPatch) -> None:
        self.user, self.monkeypatch = user, monkeypatch

    def __call__(self, *arguments: str, lines: str = "") -> Said:
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return self.user.run("step", *arguments)


def test_a_walk_shows_the_state_what_is_enabled_and_then_only_what_changed(walked: Walked) -> None:
    walked.user.write(COUNTER)
    said = walked("mine.py", lines="1\ngrow\n\n# a remark\n2\n")
    assert said.out == (
        "Counter (mine.py)\n  number = 0\n     1  grow\n"
        "1. grow  number 0 -> 1\n     1  grow\n     2  set_back  (fault)\n"
        "2. grow  number 1 -> 2\n     1  grow\n     2  set_back  (fault)\n"
        "3. set_back  number 2 -> 0\n     1  grow\n"
        "\nwalked 3 steps, nothing was checked; exit 0\n"
        "again: meshspec step mine.py --take grow,grow,set_back\n"
    )
    assert (said.code, said.err) == (0, "")


def test_its_last_line_says_that_nothing_was_checked_and_never_that_something_holds(walked: Walked) -> None:
    walked.user.write(LEDGER)
    said = walked("mine.py:Ledger", "--take", "send(effect0), crash", lines="q\n1\n")
    assert "walked 2 steps, nothing was checked; exit 0" in said.lines
    assert "HOLDS" not in said.out and "hold" not in said.words


def test_a_walk_that_ends_where_a_claim_is_false_exits_1_and_one_that_goes_on_does_not(walked: Walked) -> None:
    walked.user.write(LEDGER)
    path = "send(effect0),crash,recover,send(effect0)"
    said = walked("mine.py:Forgetful", "--take", path)
    assert said.code == 1
    assert "false now: at_most_once (stated at mine.py:37)" in said.lines
    assert "so at_most_once(effect0): applied[effect0] > 1, where applied[effect0] = 2" in said.lines
    assert "walked 4 steps to a state that refutes at_most_once, sent_is_applied; exit 1" in said.lines
    assert said.words.endswith(f"again: meshspec step mine.py:Forgetful --scope Effect=2 --take '{path}'")
    assert walked("mine.py:Forgetful", "--take", path, lines="b\nq\n").code == 1, "the lemma is false before it too"
    assert walked("mine.py:Forgetful", "--take", path, lines="r\n").code == 0


def test_the_command_at_the_end_takes_the_same_walk_again(walked: Walked) -> None:
    walked.user.write(LEDGER)
    first = walked("mine.py:Ledger", "--scope", "Effect=3", "--without", "crash", lines="2\n1\n")
    again = "meshspec step mine.py:Ledger --scope Effect=3 --without crash --take 'send(effect1),send(effect0)'"
    assert first.lines[-1] == again, "in one piece, to be copied"
    second = walked(
        "mine.py:Ledger", "--scope", "Effect=3", "--without", "crash", "--take", "send(effect1),send(effect0)"
    )
    assert second.lines[-1] == again and "without crash" in second.lines


def test_each_command_does_what_the_help_says(walked: Walked) -> None:
    walked.user.write(LEDGER)
    said = walked("mine.py:Ledger", lines="?\n1\nb\ncrash\nwhy send(effect0)\nw 1\np\ns\na\nr\np\ni 1\nquit\n")
    for line in (
        "NUMBER or ACTION  take this step: 1, send(effect0)",
        "back before send(effect0)",
        "send(effect0) is not enabled: `self.up` is false at mine.py:23; here not up",
        "recover is enabled (mine.py:32)",
        "crash",
        "sent[effect0] = False, sent[effect1] = False",
        "up = False",
        "back at the start",
        "no step was taken",
        "initial state 1",
    ):
        assert line in said.lines, line
    assert said.code == 0


def test_another_initial_state_can_be_begun_in(walked: Walked) -> None:
    walked.user.write(STARTS)
    said = walked("mine.py", lines="i 2\n1\n")
    assert "initial state 1 of 2" in said.lines and "1. grow  number 2 -> 3" in said.lines
    assert "again: meshspec step mine.py --initial 2 --take grow" in said.lines
    assert "initial state 2 of 2" in walked("mine.py", "--initial", "2").lines


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7", "line 1, '7': there is no action 7: enabled are 1 to 1; ? tells the commands"),
        ("0", "there is no action 0"),
        ("9" * 300, "enabled are 1 to 1"),
        ("9" * 5000, "no action is called by 5,000 characters"),
        ("grwo", "Counter has no action 'grwo'; did you mean grow?; ? tells the commands"),
        (
            "set_back",
            "set_back is not enabled: `self.number > 0` is false at mine.py:27; here number <= 0, where number = 0",
        ),
        ("b", "there is no step to go back: this is the initial state"),
        ("i 2", "there is no initial state 2: there is one"),
        ("i two", "there is no initial state"),
        ("w", "w needs something beside it; ? tells the commands"),
        ("w nothing", "Counter has no action 'nothing'"),
        ("x there", "a bundle argues that something is false, and nothing is here"),
        ("\x1b[31mred", "Counter has no action '\\x1b[31mred'"),
        ("\udcff", "Counter has no action '\\udcff'"),
    ],
)
def test_a_line_on_a_pipe_that_cannot_be_done_ends_the_walk_and_says_what_there_is(
    walked: Walked, line: str, message: str
) -> None:
    walked.user.write(COUNTER)
    said = walked("mine.py", lines=f"{line}\n1\n")
    assert said.code == 2 and message in said.err and "walked" not in said.out
    assert "\x1b" not in said.err + said.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--take", "grow,set_up"), "did you mean set_back?"),
        (("--take", "set_back"), "set_back is not enabled"),
        (("--initial", "0"), "initial states are counted from 1"),
        (("--initial", "2"), "there is no initial state 2: there is one"),
        (("--scope", "Job=2"), "Counter ranges over no sort"),
        (("--without", "grow"), "Counter has the faults set_back"),
    ],
)
def test_bad_input_is_a_usage_error_before_anything_is_shown(
    walked: Walked, arguments: tuple[str, ...], message: str
) -> None:
    walked.user.write(COUNTER)
    said = walked("mine.py", *arguments)
    assert (said.code, said.out) == (2, "") and message in said.err


def test_many_actions_are_listed_when_asked_for(walked: Walked) -> None:
    walked.user.write(LEDGER)
    said = walked("mine.py:Ledger", "--scope", "Effect=40", lines="a\n33\n")
    assert "and 11 more: a lists them all" in said.lines
    assert "41  crash  (fault)" in said.lines and "1. send(effect32)" in said.out


def test_an_action_that_raises_and_a_range_that_is_left_end_the_walk(walked: Walked) -> None:
    walked.user.write(COUNTER.replace("self.number += 1", "assert self.number < 1\n        self.number += 1"))
    said = walked("mine.py", lines="1\n1\n")
    assert said.code == 1 and "2. grow  raises AssertionError" in said.lines and "nothing is enabled" in said.lines
    walked.user.write(COUNTER.replace("Range(0, 9)", "Range(0, 1)"), "other.py")
    said = walked("other.py", lines="1\n1\n")
    assert said.code == 1 and "so number = 2 leaves its Range" in said.lines and "nothing is enabled" in said.lines


def test_a_witness_is_named(walked: Walked) -> None:
    walked.user.write(COUNTER + "\n    @sometimes\n    def two(self) -> bool:\n        return self.number == 2\n")
    assert "witnessed: two" in walked("mine.py", "--take", "grow,grow").lines


def test_no_line_is_wider_than_the_terminal(walked: Walked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    walked.user.write(LEDGER)
    said = walked(
        "mine.py:Forgetful", "--take", "send(effect0),crash,recover", lines="s\n?\nw crash\nsend(effect0)\n"
    )
    assert said.code == 1
    for line in said.out.splitlines():
        assert len(line) <= 60 or line.startswith("    meshspec step "), line


def test_closed_input_is_the_end_of_the_walk(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    user.write(COUNTER)
    monkeypatch.setattr(sys, "stdin", None)
    assert user.run("step", "mine.py").code == 0


def on_a_terminal(user: User, keys: list[tuple[bytes, bytes]]) -> tuple[int, str]:
    """Run it on a terminal, typing keys once what comes before them shows; its exit code and all that showed."""
    ours, theirs = os.openpty()
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from meshspec.cli import main"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", f"{code}; sys.exit(main())", "step", "mine.py"],
        cwd=user.folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "LC_ALL": "C", "TERM": "dumb", "COLUMNS": "60", "PYTHONUTF8": "0"},
    )
    os.close(theirs)
    shown, seen = b"", 0
    try:
        for until, typed in keys:
            while until not in shown[seen:]:
                assert select.select([ours], [], [], 30)[0], f"it never showed {until!r}: {shown!r}"
                shown += os.read(ours, 1024)
            seen = len(shown)
            if typed == b"\x03":
                os.killpg(running.pid, signal.SIGINT)  # as a terminal does, to all that it has in front
            else:
                os.write(ours, typed)
        while select.select([ours], [], [], 30)[0]:
            try:
                more = os.read(ours, 1024)
            except OSError:  # how a terminal ends on Linux
                break
            if not more:
                break
            shown += more
        return running.wait(timeout=30), shown.decode("ascii")
    finally:
        os.close(ours)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def test_on_a_terminal_it_asks_and_bad_input_is_asked_again(user: User) -> None:
    user.write(COUNTER)
    code, shown = on_a_terminal(user, [(b"\n> ", b"nothing\n"), (b"\n> ", b"1\n"), (b"\n> ", b"q\n")])
    assert code == 0
    assert "Counter has no action 'nothing'" in " ".join(shown.split())
    assert "1. grow  number 0 -> 1" in shown and "walked 1 step, nothing was checked; exit 0" in shown


@pytest.mark.parametrize("way_out", [b"\x04", b"\x03"], ids=["end of file", "Ctrl-C"])
def test_every_way_out_of_a_terminal_is_clean(user: User, way_out: bytes) -> None:
    user.write(COUNTER)
    code, shown = on_a_terminal(user, [(b"\n> ", b"1\n"), (b"\n> ", way_out)])
    assert code == 0 and "walked 1 step, nothing was checked; exit 0" in shown and "Traceback" not in shown


def test_it_reads_lines_as_a_program_of_its_own(user: User) -> None:
    user.write(COUNTER)
    done = subprocess.run(
        program("step", "mine.py"), cwd=user.folder, input=b"1\n1\n", capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0 and b"> " not in done.stdout.replace(b"-> ", b"") and done.stderr == b""
    assert done.stdout.endswith(b"again: meshspec step mine.py --take grow,grow\n")


def test_a_walk_that_refutes_is_written_as_a_bundle_that_replays(walked: Walked) -> None:
    walked.user.write(BROKEN)
    said = walked("mine.py", "--take", "grow,set_back,grow,grow", lines="x out\n")
    assert said.code == 1 and said.out.count("written: ") >= 3, said.out
    (bundle,) = [line.removeprefix("written: ") for line in said.lines if line.endswith("small.json")]
    again = walked.user.run("replay", bundle)
    assert again.code == 1 and "small: number > 1, where number = 2" in again.words
