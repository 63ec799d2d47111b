from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from meshspec.roles.hosted import Hosted, Launch, shown
from meshspec.roles.story import SHAPES, Shape, Story
from tests.roles import standins

LOOKING = Story((), (0,))
CHECKING = Story((), (SHAPES.index(Shape("constant", "constant", "constant", "absent", True)),))


def launch(target: str, limit: float = 5.0) -> Launch:
    return Launch(target, limit=limit)


def test_outcomes_come_in_the_order_of_the_stories() -> None:
    with Hosted(launch(f"{standins.__file__}:Raises")) as policy:
        failing = Story((), (SHAPES.index(Shape("constant", "constant", "absent", "absent", False)),))
        outcomes = policy.run([LOOKING, failing, LOOKING])
    assert [(outcome.word, outcome.step) for outcome in outcomes] == [("done", 54), ("raised", 3), ("done", 54)]


def test_a_reason_is_one_line_that_can_be_printed_anywhere() -> None:
    with Hosted(launch(f"{standins.__file__}:GivesAnUnprintableReason")) as policy:
        outcome = policy.run([LOOKING])[0]
    assert outcome.said.startswith("two lines and a \\udc80 and so on") and len(outcome.said) < 320


def test_a_new_child_takes_over_from_one_that_is_gone() -> None:
    with Hosted(launch(f"{standins.__file__}:Exits")) as policy:
        assert [outcome.word for outcome in policy.run([LOOKING, CHECKING, LOOKING])] == ["done", "ended"]
        assert [outcome.word for outcome in policy.run([LOOKING])] == ["done"]


def test_the_step_at_which_it_hung_is_known_without_running_it_again() -> None:
    with Hosted(launch(f"{standins.__file__}:Hangs", limit=0.3)) as policy:
        started = time.monotonic()
        assert (policy.run([CHECKING])[0].word, policy.run([CHECKING])[0].step) == ("hung", 4)
        assert time.monotonic() - started < 5


def test_what_a_policy_started_goes_with_it(tmp_path: Path) -> None:
    guard = tmp_path / "guard.py"
    guard.write_text(
        "import os, subprocess, sys, time, pathlib\n"
        "class Guard:\n"
        "    def observe(self, step):\n"
        "        child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"        pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(child.pid))\n"
        "        time.sleep(60)\n"
    )
    with Hosted(launch(f"{guard}:Guard", limit=1.0)) as policy:
        assert policy.run([LOOKING])[0].word == "hung"
    pid = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists() or "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
            break
        time.sleep(0.05)
    else:
        pytest.fail("the policy's own child is still running")


def test_a_child_that_writes_on_the_channel_of_its_answers_is_ended(tmp_path: Path) -> None:
    guard = tmp_path / "guard.py"
    guard.write_text(
        "import os\n"
        "class Guard:\n"
        "    def observe(self, step):\n"
        "        for fd in range(3, 64):\n"
        "            try: os.write(fd, b'nonsense\\n')\n"
        "            except OSError: pass\n"
        "        return 'CONTINUE'\n"
    )
    with Hosted(launch(f"{guard}:Guard")) as policy:
        outcome = policy.run([LOOKING])[0]
    assert (outcome.word, outcome.said) == ("ended", "its process wrote on the channel it answers on")


def test_a_policy_that_breaks_between_two_loads_is_ended_and_not_a_crash_of_ours(tmp_path: Path) -> None:
    guard = tmp_path / "guard.py"
    guard.write_text("import os\nclass Guard:\n    def observe(self, step): os._exit(1)\n")
    with Hosted(launch(f"{guard}:Guard")) as policy:
        policy.run([LOOKING])
        guard.unlink()
        outcome = policy.run([LOOKING])[0]
    assert outcome.word == "ended" and "could not be loaded again" in outcome.said


def test_nothing_is_left_open_or_running() -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0  # noqa: PTH112, PTH208
    with Hosted(launch(f"{standins.__file__}:Prints")) as policy:
        policy.run([LOOKING])
    after = len(os.listdir("/proc/self/fd")) if before else 0  # noqa: PTH208
    assert before == after
    assert policy.printed_bytes > 0


def test_a_path_is_shown_as_a_person_would_write_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown(str(tmp_path / "a" / "guard.py")) == "a/guard.py"
    assert shown("/elsewhere/guard.py") == "/elsewhere/guard.py"
