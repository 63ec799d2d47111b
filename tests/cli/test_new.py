"""``meshspec new``: what it writes passes as it stands, and it overwrites nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from meshspec.adapters import judge
from meshspec.answer import Answer
from meshspec.errors import UsageError
from meshspec.report.templates import KINDS, files, name_of
from meshspec.roles.breaker import Bound
from tests.cli.conftest import User


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_a_model_passes_its_check_and_is_proved(user: User) -> None:
    said = user.run("new", "model", "retry-budget")
    assert said.code == 0
    assert said.lines[:4] == [
        "written: retry_budget.py", "written: test_retry_budget.py", "next:", "meshspec check retry_budget.py"
    ]  # fmt: skip
    checked, report = user.json("check", "retry_budget.py", "--require", "proved")
    assert checked.code == 0, checked.out
    kinds = {entry["property"]: entry["strength"] for entry in report["properties"]}
    assert kinds["at_most_once"] == kinds["no action raises"] == "every size"
    assert kinds["it_gets_done"] == kinds["every fault strikes"] == "exhaustive"


def test_the_model_without_its_first_decision_is_refuted(user: User) -> None:
    user.run("new", "model", "budget")
    text = (user.folder / "budget.py").read_text()
    planted = text.replace("        require(not self.noted[j])\n", "")
    assert planted != text
    (user.folder / "budget.py").write_text(planted)
    said = user.run("check", "budget.py")
    assert said.code == 1 and "VIOLATED at_most_once" in said.words


def test_a_policy_that_is_changed_is_told_what_it_owes(user: User) -> None:
    assert user.run("new", "policy", "StaleGuard").code == 0
    text = (user.folder / "stale_guard.py").read_text()
    (user.folder / "patient.py").write_text(text.replace("PATIENCE = 12", "PATIENCE = 1200"))
    found = {f.property: f.answer for f in judge("patient.py:StaleGuard", bound=Bound(prefix=0))}
    assert found["trips-on-identical-success"] is Answer.VIOLATED


def test_a_role_has_a_reference_that_keeps_it_and_an_incident_that_breaks_it(user: User) -> None:
    said = user.run("new", "role", "work gate")
    assert said.code == 0 and "meshspec check work_gate.py:WorkGateTrustsOldChecks" in said.lines
    assert user.run("check", "work_gate.py:WorkGate", "--require", "proved").code == 0
    broken = user.run("check", "work_gate.py:WorkGateTrustsOldChecks")
    assert broken.code == 1 and "VIOLATED only_sound_work_goes_through" in broken.words
    assert "3. ask(artifact0)" in broken.out


def test_all_of_it_is_green_and_tidy(user: User) -> None:
    """That it is typed, tests/test_typing.py says."""
    for kind in KINDS:
        assert user.run("new", kind, f"a {kind} of mine").code == 0
    written = sorted(path.name for path in user.folder.glob("*.py"))
    assert len(written) == 2 * len(KINDS)
    done = python(user.folder, "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly")
    assert done.returncode == 0 and "30 passed" in done.stdout, done.stdout
    tidy = python(user.folder, "ruff", "check", "--isolated", "--no-cache", "--select", "E4,E7,E9,F,I,B,UP", *written)
    assert tidy.returncode == 0, tidy.stdout
    laid = python(user.folder, "ruff", "format", "--isolated", "--no-cache", "--check", *written)
    assert laid.returncode == 0, laid.stdout


@pytest.mark.parametrize(
    ("given", "module", "cls"),
    [
        ("retry-budget", "retry_budget", "RetryBudget"),
        ("RetryBudget", "retry_budget", "RetryBudget"),
        ("retry budget", "retry_budget", "RetryBudget"),
        ("retry_budget.py", "retry_budget", "RetryBudget"),
        ("  Retry  ", "retry", "Retry"),
        ("HTTPGate", "http_gate", "HTTPGate"),
        ("gate2", "gate2", "Gate2"),
        ("clé", "clé", "Clé"),
    ],
)
def test_a_name_is_made_of_whatever_was_given(given: str, module: str, cls: str) -> None:
    name = name_of("model", given)
    assert (name.module, name.cls) == (module, cls)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "is no name: write letters and digits"),
        ("2gate", "is no name"),
        ("a/b", "is no name"),
        ("../up", "is no name"),
        ("a.b", "is no name"),
        ("x; rm", "is no name"),
        ("\x1b[31m", "is no name"),
        ("a\nb!", "is no name"),
        ("class", "class is a word of Python"),
        ("match", "match is a word of Python"),
        ("none", "None is a word of Python"),
        ("list", "list is built into Python"),
        ("value error", "ValueError is built into Python"),
        ("queue", "queue is a module of Python, which a file queue.py would hide"),
        ("meshspec", "means something to meshspec or pytest"),
        ("test-me", "means something to meshspec or pytest"),
        ("job", "Job is a name that the file uses"),
        ("range", "built into Python"),
        ("lemma", "Lemma is a name that the file uses"),
        ("x" * 300, "is longer than 40 letters"),
    ],
)
def test_what_can_be_no_name_is_refused_with_the_reason(given: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        name_of("model", given)


def test_nothing_is_overwritten_and_nothing_is_left_half_written(user: User) -> None:
    (user.folder / "test_gate.py").write_text("mine")
    said = user.run("new", "model", "gate")
    assert said.code == 2 and "test_gate.py is there already, and nothing is overwritten" in said.err
    assert (user.folder / "test_gate.py").read_text() == "mine" and not (user.folder / "gate.py").exists()
    assert user.run("new", "model", "lock").code == 0
    before = (user.folder / "lock.py").read_text()
    assert user.run("new", "role", "lock").code == 2 and (user.folder / "lock.py").read_text() == before


def test_a_folder_that_there_is_not_or_that_cannot_be_written_is_refused(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "there is no such folder" in user.run("new", "model", "gate", "--dir", "nowhere").err
    (user.folder / "a_file").write_text("")
    assert "it is no folder" in user.run("new", "model", "gate", "--dir", "a_file").err

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    said = user.run("new", "model", "gate")
    assert said.code == 2 and "gate.py cannot be written: No space left on device" in said.err


def test_it_can_be_written_elsewhere_and_says_where(user: User) -> None:
    (user.folder / "a folder").mkdir()
    said = user.run("new", "model", "gate", "--dir", "a folder")
    assert said.code == 0 and "meshspec check 'a folder/gate.py'" in said.lines
    assert user.run("check", "a folder/gate.py").code == 0


def test_an_unknown_kind_is_refused(user: User) -> None:
    assert user.run("new", "module", "gate").code == 2


def test_every_file_is_written_for_every_name(user: User) -> None:
    for kind in KINDS:
        for name, text in files(kind, name_of(kind, "some-thing")).items():
            assert "$" not in text and "SomeThing" in text, name
            compile(text, name, "exec")
