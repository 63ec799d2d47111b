"""What ends early is told as that: the user's patience, and what a breaker leaves running."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from meshspec.answer import Answer, Finding
from meshspec.roles import asked, known, orphans
from meshspec.roles import judge as judging
from meshspec.roles.breaker import Bound, obligations
from meshspec.roles.hosted import Hosted, Launch
from meshspec.roles.story import Story
from meshspec.roles.telling import CONDUCT
from tests.roles import identities, standins

SLEEPER = """\
import os
class Guard:
    left = False
    def observe(self, step):
        if not Guard.left:
            Guard.left = True
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.execve("/bin/sleep", ["sleep", "274.5"], {})
                os._exit(0)
            os.wait()
        return "CONTINUE"
"""


def test_what_a_breaker_finished_when_the_user_ended_it_keeps_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object) -> list[Finding]:
        raise KeyboardInterrupt

    monkeypatch.setattr(judging, "_lived", ended)
    one, other = obligations()[0].name, "half-open-admits-one"
    target = f"{standins.__file__}:NeverTrips"
    told = judging.judge(target, bound=Bound(prefix=0), walk=0, only=[one, other])
    found: Mapping[str, Finding] = {finding.property: finding for finding in told}
    assert found[one].answer is Answer.VIOLATED and set(found) <= {one, other, *CONDUCT}
    monkeypatch.setattr(judging, "_examine", ended)
    rest = judging.judge(target, bound=Bound(prefix=0), walk=0, only=[one])
    assert {finding.answer for finding in rest} == {Answer.UNDETERMINED} and len(rest) == 1 + len(CONDUCT)
    assert {finding.reason for finding in rest} == {"interrupted"}


class Impatient(ThreadPoolExecutor):
    """The user has had enough, soon after something was begun."""

    def submit(self, *given: Any, **more: Any) -> Any:
        future = super().submit(*given, **more)

        def result(timeout: float | None = None) -> object:
            time.sleep(0.5)
            raise KeyboardInterrupt

        vars(future)["result"] = result
        return future


@pytest.mark.parametrize(
    ("module", "target", "role"),
    [(asked, f"{identities.__file__}:HangsAlways", "identity"), (judging, f"{standins.__file__}:Hangs", "breaker")],
)
def test_who_ends_it_does_not_wait_for_a_policy_that_hangs(
    module: ModuleType, target: str, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ThreadPoolExecutor", Impatient)
    began = time.monotonic()
    told = known.judge(target, role=role, time_limit_per_story=40.0)
    assert {finding.reason for finding in told} == {"interrupted"} and time.monotonic() - began < 20


@pytest.mark.skipif(not orphans.observed(), reason="this system gives nobody the orphans")
def test_what_left_its_session_with_nothing_in_its_environment_is_ended_with_its_breaker(tmp_path: Path) -> None:
    guard = tmp_path / "guard.py"
    guard.write_text(SLEEPER)
    ours = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
    try:
        with Hosted(Launch(f"{guard}:Guard", limit=5.0)) as host:
            assert host.run([Story((), (0,))])[0].word == "done"
            time.sleep(0.05)
        assert host.conduct() == ["it left processes running, which were ended (1)"]
        assert ours.poll() is None, "a child that we had before is left alone"
    finally:
        ours.kill()
        ours.wait()
