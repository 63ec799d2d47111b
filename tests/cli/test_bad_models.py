"""Models that misbehave: what they do stays behind the fences, is told with file and line, and is no success."""

from __future__ import annotations

import builtins
import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import User

MODEL = """\
import os, sys, time
{top}


@model
class Counter:
    number: Annotated[int, Range(0, 9)] = var(0)

    @action
    def grow(self) -> None:
        require(self.number < 3)
        {body}
        self.number += 1

    @always
    def small(self) -> bool:
        return self.number <= {most}
"""
SOON = ("--time-limit", "0.3")


def written(user: User, top: str = "", body: str = "pass", most: int = 3) -> None:
    user.write(MODEL.format(top=top, body=body, most=most))


def line_of(user: User, text: str) -> str:
    lines = (user.folder / "mine.py").read_text().splitlines()
    return f"mine.py:{next(number for number, line in enumerate(lines, 1) if text in line)}"


def refused(user: User, text: str, *arguments: str) -> str:
    """What a model is refused with, in this process: at the line that holds `text`, and nothing else is said."""
    said = user.run("explore", "mine.py", *arguments)
    assert (said.code, said.out) == (2, ""), said
    assert said.err.startswith(f"meshspec: {line_of(user, text)}: "), said.err
    return said.err


# -- what does not come back -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass  # here",
        "time.sleep(1000)  # here",
        "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()  # here",
    ],
    ids=["a loop", "a sleep", "a lock"],
)
def test_a_body_that_hangs_is_refused_with_the_line_where_it_does(user: User, body: str) -> None:
    written(user, body=body)
    assert "it did not come back in 0.3 s" in refused(user, "# here", *SOON)


def test_a_file_that_hangs_while_it_is_imported_has_six_times_as_long(user: User) -> None:
    written(user, top="while True: pass  # here")
    assert "it did not come back in 0.6 s" in refused(user, "# here", "--time-limit", "0.1")


def test_a_body_that_swallows_the_interruption_is_refused_all_the_same(user: User) -> None:
    written(user, body="try:\n            while True: pass  # here\n        except BaseException: pass")
    assert "it did not come back in 0.3 s" in refused(user, "# here", *SOON)


def test_c_code_that_does_not_come_back_is_ended_by_the_process_that_waits(user: User) -> None:
    written(user, body="sum(range(10**14))  # here")
    said = user.shell("explore", "mine.py", "--time-limit", "0.2")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        f"meshspec: {line_of(user, '# here')}: while reading Counter.grow, it did not come back in 0.2 s, "
        "nor when it was interrupted, and its process was ended; nothing was concluded\n"
    )


def test_there_may_be_no_limit_on_time_and_no_nonsense_for_one(user: User) -> None:
    written(user, top="time.sleep(1.2)")
    assert user.run("explore", "mine.py", "--time-limit", "0.05").code == 2
    assert user.run("explore", "mine.py", "--time-limit", "0").code == 0
    for seconds in ("nan", "-1", "inf"):
        assert "give a number of seconds" in user.run("explore", "mine.py", f"--time-limit={seconds}").err


# -- what ends the process ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "how"),
    [
        ({"body": "os.abort()  # here"}, "while reading Counter.grow, its process was ended by SIGABRT"),
        ({"top": "from ctypes import *; string_at(0)  # here"}, "while importing mine.py, its process was ended by SIGSEGV"),  # noqa: E501
    ],
    ids=["abort", "a wild pointer"],
)  # fmt: skip
def test_a_model_that_kills_its_process_is_bad_input_with_its_line(
    user: User, parts: dict[str, str], how: str
) -> None:
    written(user, top=parts.get("top", ""), body=parts.get("body", "pass"))
    said = user.shell("check", "mine.py", "--json", "report.json")
    assert (said.code, said.out) == (2, "")
    assert said.err == f"meshspec: {line_of(user, '# here')}: {how}; nothing was concluded\n"
    assert not (user.folder / "report.json").exists()


def test_what_was_refuted_before_the_process_died_stays_refuted(user: User) -> None:
    written(user, most=1)
    user.write(
        MODEL.format(top="", body="pass", most=3) + "\n    @always\n    def last(self) -> bool: return True\n",
        "later.py",
    )
    (user.folder / "dies.py").write_text(
        "import os, sys, meshspec.report.checked as checked\n"
        "from meshspec.cli import main\n"
        "ask = checked.ask\n"
        "def dying(question, *more):\n"
        "    if question.target.name == 'later.py':\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return ask(question, *more)\n"
        "checked.ask = dying\n"
        "sys.argv[1:] = ['check', 'mine.py', 'later.py', '--json', 'report.json']\n"
        "raise SystemExit(main())\n"
    )  # fmt: skip
    import subprocess

    done = subprocess.run(
        [sys.executable, "dies.py"], cwd=user.folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1, done.stderr
    assert "VIOLATED" in done.stdout
    assert "its process was ended by SIGKILL; that may be for want of memory; what stands above" in done.stderr
    assert not (user.folder / "report.json").exists()


def test_allocating_without_end_meets_the_limit_on_memory(user: User) -> None:
    written(user, top="held = [None] * (1 << 29)  # here")
    said = user.shell("explore", "mine.py")
    assert (said.code, said.out) == (2, "")
    assert f"{line_of(user, '# here')}: it ran into the limit on memory, " in said.err


def test_a_file_without_end_is_cut_off(user: User) -> None:
    written(user, top="with open('big', 'wb') as big:\n    big.truncate(1 << 40)  # here")
    said = user.shell("explore", "mine.py")
    assert said.code == 2 and "importing mine.py raises OSError: [Errno 27] File too large" in said.err


# -- what is refused ---------------------------------------------------------------------------------------------

REFUSED = [
    ("os.fork()", "start another process"),
    ("os.system('true')", "start another process"),
    ("import subprocess; subprocess.run(['true'])", "start another process"),
    ("os.kill(os.getpid(), 9)", "send a signal"),
    ("import socket; socket.create_connection(('127.0.0.1', 1))", "use the network"),
    ("sys.settrace(None)", "change what the process is watched by"),
    ("open('/nowhere/file', 'w')", "open '/nowhere/file' for writing"),
    ("os.remove('/nowhere/file')", "change '/nowhere/file' (remove)"),
    ("os.rename('/nowhere/file', 'x')", "change '/nowhere/file' (rename)"),
    ("os.symlink('x', '/nowhere/file')", "change '/nowhere/file' (symlink)"),
    ("import shutil; shutil.rmtree('/nowhere/folder')", "change '/nowhere/folder' (rmtree)"),
    ("import sqlite3; sqlite3.connect('/nowhere/file')", "open the database '/nowhere/file'"),
    ("import ctypes; ctypes.CDLL(None)", "load a library"),
]


@pytest.mark.parametrize(("text", "what"), REFUSED)
def test_what_reaches_beyond_a_file_is_refused_while_it_is_imported(user: User, text: str, what: str) -> None:
    written(user, top=f"{text}  # here")
    said = refused(user, "# here")
    assert "importing mine.py raises PermissionError: it may not " in said and what in said


@pytest.mark.parametrize(("text", "what"), REFUSED[:-1])
def test_what_reaches_beyond_a_body_is_refused_though_the_body_goes_on(user: User, text: str, what: str) -> None:
    quietly = f"try: {text}  # here" if ";" not in text else f"try:\n            {text}  # here"
    written(user, body=f"{quietly}\n        except OSError: pass")
    assert f"a body may not {what}" in refused(user, "# here")


def test_a_body_writes_nowhere_and_a_file_in_its_own_folder(user: User) -> None:
    written(user, body="open('notes', 'w')  # here")
    assert "a body may not open 'notes' for writing" in refused(user, "# here")
    assert not (user.folder / "notes").exists()
    written(user, top="with open('notes', 'w') as notes: notes.write('x')")
    assert user.run("explore", "mine.py").code == 0
    assert (user.folder / "notes").read_text() == "x"


def test_a_file_that_can_do_without_is_told_of_and_goes_on(user: User) -> None:
    written(user, top="try: open('/nowhere/file', 'w')  # here\nexcept OSError: pass")
    said = user.run("explore", "mine.py")
    assert said.code == 0
    told = f"it may not open '/nowhere/file' for writing while it is imported: {line_of(user, '# here')}"
    assert told in said.words


@pytest.mark.parametrize(
    ("top", "name"),
    [
        ("import builtins; builtins.sorted = lambda *_: []", "builtins.sorted"),
        ("import time as t; t.monotonic = lambda: 0.0", "time.monotonic"),
        ("import meshspec.sorts as s; s.Sort.__eq__ = lambda *_: True", "meshspec.sorts.Sort.__eq__"),
        ("import meshspec.engines.simulate as e; e.simulate = lambda *_: []", "meshspec.engines.simulate.simulate"),
        ("import meshspec.engines.check as e; e.check.__code__ = (lambda: 0).__code__", "the code of meshspec.engines.check.check"),  # noqa: E501
        ("import types; sys.modules['json'] = types.ModuleType('json')", "sys.modules['json']"),
    ],
)  # fmt: skip
def test_what_the_check_runs_on_is_not_replaced(user: User, top: str, name: str) -> None:
    written(user, top=top)
    before = builtins.sorted, time.monotonic, json
    said = user.run("explore", "mine.py")
    assert (said.code, said.out) == (2, "")
    assert f"replaces {name}: what the check itself runs on must stay as it is" in said.err
    assert (builtins.sorted, time.monotonic, sys.modules["json"]) == before


def test_a_body_that_replaces_it_is_found_before_the_exit_code(user: User) -> None:
    written(user, body="import builtins as b; b.ascii = repr")
    said = user.run("explore", "mine.py", "--json", "report.json")
    assert said.code == 2, said
    assert "builtins.ascii" in said.err or "mine.py:" in said.err
    report = json.loads((user.folder / "report.json").read_text(encoding="ascii"))
    assert report["exit_code"] == 2, report  # the report says that nothing was concluded
    assert builtins.ascii is not repr


def test_packages_that_people_use_in_models_are_let_in(user: User) -> None:
    written(user, top="import asyncio, logging, multiprocessing, networkx, numpy, sqlite3, subprocess, z3")
    said = user.run("explore", "mine.py")
    assert (said.code, said.err) == (0, "")


# -- what is put back and told -------------------------------------------------------------------------------------


@pytest.fixture
def kept() -> Iterator[None]:
    before = Path.cwd(), dict(os.environ), signal.getsignal(signal.SIGINT), list(warnings.filters), sys.excepthook
    yield
    after = Path.cwd(), dict(os.environ), signal.getsignal(signal.SIGINT), list(warnings.filters), sys.excepthook
    assert after[0] == before[0] and after[2:] == before[2:]
    assert {k: v for k, v in after[1].items() if not k.startswith("PYTEST")} == {
        k: v for k, v in before[1].items() if not k.startswith("PYTEST")
    }


@pytest.mark.parametrize(
    ("top", "told"),
    [
        ("os.chdir('/')", "it changed the working folder, which was put back"),
        ("os.environ['LEFT'] = 'behind'", "it changed environment variables, which was put back"),
        ("import warnings; warnings.simplefilter('ignore')", "it changed filters of warnings, which was put back"),
        ("sys.setrecursionlimit(4321)", "it changed the recursion limit, which was put back"),
        ("import gc; gc.disable()", "it changed garbage collection, which was put back"),
        ("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)", "it changed handlers of signals"),
        ("sys.excepthook = print", "it changed sys.excepthook, which was put back"),
        ("import builtins; builtins.mine = 1", "it added builtins.mine, which was taken away"),
        ("import atexit; atexit.register(os.abort)", "wants something done when the process ends, which is not done"),
    ],
)
@pytest.mark.usefixtures("kept")
def test_what_a_file_changed_of_the_process_is_put_back_and_told(user: User, top: str, told: str) -> None:
    written(user, top=top)
    said = user.run("explore", "mine.py")
    assert said.code == 0, said
    assert told in said.words


def test_a_thread_that_a_file_leaves_is_named_and_keeps_nothing_waiting(user: User) -> None:
    written(user, top="import threading; threading.Thread(target=time.sleep, args=(1000,), name='left').start()")
    said = user.shell("explore", "mine.py")
    assert (said.code, said.err) == (0, "")
    assert "mine.py: it left a thread running (left)" in said.words


# -- what it prints and reads ------------------------------------------------------------------------------------


def test_what_a_model_prints_is_kept_apart_and_counted(user: User) -> None:
    written(
        user,
        top="print('hello'); sys.__stdout__.write('again'); print('aside', file=sys.stderr); os.write(1, b'raw')",
    )
    said = user.shell("explore", "mine.py", "--json", "/dev/stdout")
    assert said.code == 0
    assert "what was checked printed 17 bytes, kept apart: 'hello\\nagainaside\\n'" in said.words
    assert said.err == "meshspec: what was checked wrote 3 bytes past Python's streams, kept apart: 'raw'\n"


def test_a_model_reads_nothing(user: User) -> None:
    written(user, top="assert sys.stdin.read() == '' and os.read(0, 1) == b''")
    assert user.shell("explore", "mine.py").code == 0


def test_a_breakpoint_says_where_it_can_be_used(user: User) -> None:
    written(user, body="breakpoint()  # here")
    assert "call the method from a script or a test" in refused(user, "# here")


# -- what is told of the fences ------------------------------------------------------------------------------------


def test_the_report_names_the_fences_that_were_up(user: User) -> None:
    written(user)
    said = user.shell("explore", "mine.py", "--json", "report.json")
    assert "fences: own process group, no standard input, a limit on memory, " in said.words
    assert "; not observed: what C code does by itself" in said.words
    report = json.loads((user.folder / "report.json").read_text())
    assert report["fences"][:2] == ["own process group", "no standard input"]
    assert "10 s a call" in report["fences"]
    assert not [name for name in report["fences"] if name.startswith("down")]


def test_fences_that_cannot_be_had_are_named_and_not_assumed(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    from meshspec.cli import fenced, main

    written(user)
    monkeypatch.delattr(os, "fork")
    monkeypatch.setattr(sys, "argv", ["meshspec", "explore", "mine.py", "--json", "report.json"])
    assert main() == 0
    fences = json.loads((user.folder / "report.json").read_text())["fences"]
    assert {"down: a process of its own", "down: no standard input", "down: a limit on memory"} < set(fences)
    assert fenced.names() == [], "no fence outlives its run"


def test_a_name_that_is_shipped_has_no_line_about_fences(user: User) -> None:
    assert "fences:" not in user.run("explore", "EffectLedger", "--scope", "Effect=1").out


def test_nothing_is_left_open_or_running(user: User) -> None:
    written(user)
    here = Path("/proc/self/fd")
    before = len(list(here.iterdir())) if here.is_dir() else 0
    assert user.run("explore", "mine.py").code == 0
    assert (len(list(here.iterdir())) if here.is_dir() else 0) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
