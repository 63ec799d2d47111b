from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from meshspec.roles.ledger import killer
from meshspec.roles.ledger.killer import CannotKill, Killer

WRITES = """
    with open("first", "w") as file: file.write("1")
    os.mkdir("second")
    os.rename("first", "third")
    os.fsync(os.open("third", os.O_RDONLY))
    os.unlink("third")
"""
NAMES = ["openat", "write", "mkdir", "rename", "fsync", "unlink"]
FILES = ["first", "first", "second", "first", "third", "third"]
Start = Callable[[str], "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a process that waits for a line before it runs the given statements."""
    begun: list[subprocess.Popen[bytes]] = []

    def run(statements: str) -> subprocess.Popen[bytes]:
        program = "import os, sys, time, threading, subprocess\nsys.stdin.readline()\n" + dedent(statements)
        child = subprocess.Popen(
            [sys.executable, "-SB", "-c", program], stdin=subprocess.PIPE, cwd=tmp_path, start_new_session=True
        )
        begun.append(child)
        return child

    yield run
    for child in begun:
        child.kill()
        child.communicate()


def denied(*asked: object) -> int:
    """What a container may answer."""
    return errno.EPERM


def let_go(child: subprocess.Popen[bytes]) -> None:
    assert child.stdin is not None
    child.stdin.write(b"\n")
    child.stdin.flush()


def killed(start: Start, k: int, statements: str = WRITES) -> Killer:
    child = start(statements)
    with Killer(child.pid, k) as watch:
        let_go(child)
        assert watch.wait(20)
    return watch


@pytest.mark.parametrize("k", range(len(NAMES) + 1))
def test_a_process_dies_right_after_its_kth_write(start: Start, tmp_path: Path, k: int) -> None:
    watch = killed(start, k)
    assert watch.killed and [write.call.removesuffix("2") for write in watch.writes] == NAMES[:k]
    assert [write.file for write in watch.writes] == FILES[:k]
    left = [
        set[str](),
        {"first"},
        {"first"},
        {"first", "second"},
        {"third", "second"},
        {"third", "second"},
        {"second"},
    ]
    assert {path.name for path in tmp_path.iterdir()} == left[k]


def test_a_process_with_fewer_writes_than_that_is_left_alone(start: Start) -> None:
    child = start(WRITES)
    with Killer(child.pid, 100) as watch:
        let_go(child)
        assert watch.wait(20)
    assert not watch.killed and len(watch.writes) == len(NAMES) and not watch.refused


def test_a_call_that_fails_is_no_write(start: Start) -> None:
    watch = killed(start, 1, "try: os.unlink('nothing')\nexcept OSError: os.mkdir('something')")
    assert [str(write) for write in watch.writes] == ["`mkdir` of something"]


def test_threads_are_watched_and_die_with_the_process(start: Start, tmp_path: Path) -> None:
    watch = killed(
        start,
        1,
        """
        def after():
            time.sleep(0.3); os.mkdir("too late")
        threading.Thread(target=after).start()
        threading.Thread(target=os.mkdir, args=("now",)).start()
        """,
    )
    time.sleep(0.4)
    assert watch.killed and [path.name for path in tmp_path.iterdir()] == ["now"]


def test_what_a_process_started_is_watched_and_dies_with_it_wherever_it_went(start: Start, tmp_path: Path) -> None:
    program = "import os, time; os.mkdir('now'); time.sleep(0.3); os.mkdir('too late')"
    watch = killed(
        start,
        1,
        f"""
        child = subprocess.Popen([sys.executable, "-S", "-c", {program!r}], start_new_session=True)
        time.sleep(20)
        """,
    )
    time.sleep(0.4)
    assert watch.killed and [path.name for path in tmp_path.iterdir()] == ["now"]


def test_what_a_process_leaves_running_does_not_keep_the_watch(start: Start) -> None:
    child = start("subprocess.Popen(['sleep', '60'], start_new_session=True)")
    begun = time.monotonic()
    with Killer(child.pid, 100) as watch:
        let_go(child)
        assert not watch.wait(0.5)
    assert not watch.killed and time.monotonic() - begun < 20


def test_where_ptrace_is_not_permitted_nothing_is_killed_and_the_reason_is_told(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(killer, "ptrace", denied)
    child = start("os.mkdir('done')")
    with pytest.raises(CannotKill, match="ptrace is not permitted here: Operation not permitted"):
        Killer(child.pid, 0).__enter__()
    let_go(child)
    assert child.wait() == 0


def test_where_the_kernel_does_not_say_which_call_it_is_the_watch_ends_and_says_so(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = killer.ptrace

    def old(request: int, thread: int, address: int, data: Any) -> int:
        return errno.EIO if request == killer.INFO else real(request, thread, address, data)

    monkeypatch.setattr(killer, "ptrace", old)
    assert "ptrace cannot say which call it is" in killed(start, 3).refused


def test_on_another_system_it_says_which_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(CannotKill, match="watched with ptrace on Linux, and this is"):
        Killer(os.getpid(), 0).__enter__()
