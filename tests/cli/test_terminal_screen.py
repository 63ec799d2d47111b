"""A command under a terminal, as its user sees it: colour, progress that leaves nothing, widths, pipes that close."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping

import attrs
import pytest

from meshspec.progress import CLEAR
from tests.cli.conftest import BROKEN, COUNTER, LEDGER, User, program

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
WITH_SIGINT = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
PLAIN: Mapping[str, str] = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm-256color"}
LIMIT = 60


@attrs.frozen
class Screen:
    """What a terminal was sent, and the exit code."""

    code: int
    sent: str

    @property
    def lines(self) -> list[str]:
        """What is left on it, line by line, without colour."""
        return [ESCAPE.sub("", line.rpartition(CLEAR)[2]) for line in self.sent.replace("\r\n", "\n").split("\n")]

    @property
    def progress(self) -> set[str]:
        """What was drawn to be erased again: what was being done, without how far it had come."""
        drawn = re.findall(re.escape(CLEAR) + r"([^\x1b\r\n:]+)(?:: [^\x1b\r\n]*)?  \d+ s(?=\r)", self.sent)
        return set(drawn)


def screen(
    user: User, *arguments: str, width: int = 100, env: Mapping[str, str] | None = None, ctrl_c_at: bytes = b""
) -> Screen:
    """Run a command under a terminal of that width; press Ctrl-C once `ctrl_c_at` shows."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    running = subprocess.Popen(
        [sys.executable, "-c", WITH_SIGINT + "from meshspec.cli import main; sys.exit(main())", *arguments],
        cwd=user.folder,
        env={**os.environ, **PLAIN, **(env or {})},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    sent, end = b"", time.monotonic() + LIMIT
    try:
        while select.select([ours], [], [], max(0.0, end - time.monotonic()))[0]:
            try:
                data = os.read(ours, 1 << 16)
            except OSError:  # all that wrote to it are gone
                break
            if not data:
                break
            sent += data
            if ctrl_c_at and ctrl_c_at in sent:
                os.kill(running.pid, 2)
                ctrl_c_at = b""
        return Screen(running.wait(LIMIT), sent.decode())
    finally:
        running.kill()
        running.wait()
        os.close(ours)


def piped(user: User, *arguments: str, width: int) -> str:
    done = subprocess.run(
        program(*arguments),
        cwd=user.folder,
        env={**os.environ, **PLAIN, "COLUMNS": str(width)},
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.stderr == b""
    return done.stdout.decode()


@pytest.mark.parametrize("width", [60, 100])
def test_a_terminal_shows_the_lines_of_a_pipe_in_colour(user: User, width: int) -> None:
    user.write(LEDGER)
    command = "check", "mine.py:Forgetful", "--engine", "explore,prove"
    shown = screen(user, *command, width=width)
    plain = piped(user, *command, width=width)
    assert shown.code == 1
    assert "\x1b[1;31mVIOLATED\x1b[0m" in shown.sent and "\x1b[32mHOLDS\x1b[0m" in shown.sent
    assert "\x1b" not in plain
    assert shown.lines == plain.split("\n")


def test_no_color_takes_colour_away_and_force_color_brings_it_to_a_pipe(user: User) -> None:
    user.write(BROKEN)
    assert "\x1b[1;31m" not in screen(user, "explore", "mine.py", env={"NO_COLOR": "1"}).sent
    assert "\x1b" not in screen(user, "explore", "mine.py", env={"TERM": "dumb"}).sent
    assert "\x1b[1;31mVIOLATED" in user.shell("explore", "mine.py", env={**PLAIN, "FORCE_COLOR": "1"}).out


SLOW = "import time\ntime.sleep(1.2)\n" + COUNTER


def test_progress_is_shown_while_a_file_is_imported_and_nothing_is_left_of_it(user: User) -> None:
    user.write(SLOW)
    shown = screen(user, "explore", "mine.py")
    assert shown.code == 0
    assert "importing mine.py" in shown.progress
    assert shown.lines[0].startswith("Counter (mine.py)  [4 states")
    assert not [line for line in shown.lines if re.search(r"importing|certify|  \d+ s$", line)]


def test_ctrl_c_during_progress_leaves_a_clean_line(user: User) -> None:
    user.write(SLOW.replace("1.2", "30"))
    shown = screen(user, "explore", "mine.py", ctrl_c_at=b"importing mine.py")
    assert shown.code == 3
    assert shown.lines == ["meshspec: interrupted; nothing was concluded", ""]


WIDE = (
    LEDGER.replace("at_most_once", "効果は最大一回だけ適用される")
    .replace("applied", "適用")
    .replace("Ledger", "台帳")
    .replace("sent_is_適用", "e\u0301crit")
)


def test_wide_characters_keep_to_the_columns_there_are(user: User) -> None:
    from rich.cells import cell_len

    user.write(WIDE)
    lines = screen(user, "explore", "mine.py:Forgetful", width=60).lines
    steps = [line for line in lines if re.match(r" +\d+\. ", line)]
    assert len(steps) >= 4
    for line in lines:
        assert cell_len(line) <= 60 or line.strip().startswith("replay ") or len(line.split()) == 1, line


@pytest.mark.parametrize("encoding", ["ascii", "iso-8859-1"])
def test_an_encoding_that_lacks_a_character_gets_it_escaped(user: User, encoding: str) -> None:
    user.write(WIDE)
    done = subprocess.run(
        program("explore", "mine.py:Forgetful"),
        cwd=user.folder,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert "\\u9069\\u7528[effect0] 0 -> 1" in done.stdout.decode(encoding)


@pytest.mark.parametrize("command", ["explore EffectLedger", "show EffectLedger", "claims", "list", "check --help"])
def test_a_reader_that_goes_away_ends_every_command_quietly(user: User, command: str) -> None:
    with subprocess.Popen(
        program(*command.split()), cwd=user.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(LIMIT) == 141
