"""A user's folder for tests of the pytest plugin: a model, and sessions of pytest that run in this process."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from meshspec.targets import shipped_evidence, shipped_models

for _module in (
    "z3",
    "meshspec.adapters",
    "meshspec.claims",
    "meshspec.config",
    "meshspec.engines.confirm",
    "meshspec.engines.names",
    "meshspec.report.bundle_replay",
    "meshspec.report.checked",
    "meshspec.waivers",
):
    importlib.import_module(_module)  # once for all the sessions that run in this process
shipped_models()
shipped_evidence()

CHARGING = '''
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, each, fault, model, require, sometimes, var


class Job(Sort):
    """One job; every attempt at it carries the same name."""


@model
class Charging:
    in_hand: Map[Job, bool] = var(False)
    noted: Map[Job, bool] = var(False)
    charges: Map[Job, Annotated[int, Range(0, 2)]] = var(0)

    @action
    def charge(self, j: Job) -> None:
        require(not self.in_hand[j] and not self.noted[j])
        self.charges[j] = min(self.charges[j] + 1, 2)
        self.in_hand[j] = True

    @action
    def note(self, j: Job) -> None:
        require(self.in_hand[j])
        self.in_hand[j] = False
        self.noted[j] = True

    @fault
    def crash(self) -> None:
        self.in_hand = each(Job, lambda j: False)

    @always
    def charged_at_most_once(self, j: Job) -> bool:
        return self.charges[j] <= 1

    @sometimes
    def charged_and_noted(self, j: Job) -> bool:
        return self.noted[j] and self.charges[j] == 1


@model
class Idle(Charging):
    """Nothing is ever noted."""

    @action
    def note(self, j: Job) -> None:
        require(self.in_hand[j] and self.charges[j] == 0)
        self.noted[j] = True
'''

NAMES = [
    "charged_at_most_once",
    "charged_and_noted",
    "charges-stays-in-0..2",
    "no-action-raises",
    "every-action-fires",
    "every-fault-strikes",
]

SUITE = """
import meshspec
from charging import Charging, Idle, Job

TestCharging = meshspec.suite(Charging, scope={Job: 1}, engines=["explore"])
"""

HOLDING = (
    SUITE.rpartition("TestCharging")[0]
    + """
TestCharging = meshspec.suite(Charging, scope={Job: 1}, engines=["explore", "prove"], without=["crash"])
"""
)

ARGUMENT = [
    "Charging (charging.py:Charging)",
    "  VIOLATED      charged_at_most_once  in 3 steps (shortest, explore)",
    "        1. charge(job0)  in_hand[job0] False -> True, charges[job0] 0 -> 1",
    "        2. crash         in_hand[job0] True -> False",
    "        3. charge(job0)  in_hand[job0] False -> True, charges[job0] 1 -> 2",
    "      so charged_at_most_once(job0): charges[job0] > 1, where charges[job0] = 2",
    "                stated at charging.py:33",
    "  replay charged_at_most_once: meshspec explore charging.py:Charging --scope Job=1",
]


@pytest.fixture
def user(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> pytest.Pytester:
    """A folder with ``charging.py`` in it, and no plugin but ours; a model is certified once for all tests."""
    monkeypatch.setenv("MESHSPEC_CACHE", str(tmp_path_factory.getbasetemp() / "certificates"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("COLUMNS", "100")
    write(pytester, "charging.py", CHARGING)
    pytester.syspathinsert()
    return pytester


def write(user: pytest.Pytester, name: str, text: str) -> Path:
    path = Path(user.path) / name
    path.write_text(text, encoding="utf-8")
    return path


def run(user: pytest.Pytester, text: str, *arguments: str, name: str = "test_it.py") -> pytest.RunResult:
    """Write a test module and run it."""
    write(user, name, text)
    return again(user, *arguments)


def again(user: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run what is in the folder, its modules imported afresh."""
    return user.runpytest_inprocess("-p", "meshspec.pytest_plugin", *arguments, no_reraise_ctrlc=True)


def junit(user: pytest.Pytester) -> dict[str, tuple[str, str]]:
    """What ``junit.xml`` says of each test that did not pass: failure, error or skipped, and the message."""
    reader: Any = importlib.import_module("junitparser")
    found: dict[str, tuple[str, str]] = {}
    for suite in reader.JUnitXml.fromfile(str(Path(user.path) / "junit.xml")):
        for case in suite:
            for result in case.result:
                found[f"{case.classname}.{case.name}"] = (type(result).__name__.lower(), str(result.message))
    return found


def shows(result: pytest.RunResult, *lines: str) -> None:
    """Assert that these lines are shown as they stand, one directly below the other."""
    shown = result.stdout.str().replace("\r", "")
    assert "\n".join(lines) + "\n" in shown, shown
    assert "Traceback" not in shown
    assert "pytest_plugin" not in shown
