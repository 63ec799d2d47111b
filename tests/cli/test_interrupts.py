"""Ctrl-C, and the signals that end a command, at some moments of every engine; `make soak` tries many more."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.interrupts import COMMANDS, interrupted, write_files

MOMENTS = dict(zip(COMMANDS, (0.5, 0.3, 0.8, 0.6, 0.4, 0.7, 0.2, 0.9, 1.0), strict=True))


@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_ends_an_engine_with_exit_3_or_its_whole_answer_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    write_files(tmp_path)
    ended = interrupted(name, tmp_path, MOMENTS[name])
    assert ended.problems == (), ended.err


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.15])
def test_ctrl_c_while_commands_are_loaded_or_a_file_is_read(delay: float, tmp_path: Path) -> None:
    write_files(tmp_path)
    assert interrupted("check", tmp_path, delay).problems == ()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_is_taken_like_ctrl_c(number: int, tmp_path: Path) -> None:
    write_files(tmp_path)
    ended = interrupted("explore", tmp_path, 1.0, number=number)
    assert (ended.code, ended.problems) == (3, ()) or (ended.code, ended.problems) == (1, ())
