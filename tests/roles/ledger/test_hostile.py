"""Ledgers that reach for the check itself: its channel, its processes, its folders; and a user who has had enough."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from meshspec.answer import Answer
from meshspec.roles import orphans
from meshspec.roles.ledger.running import Runner
from tests.roles.ledger.test_ledger import put_to

RETRY, NONE = "retry-after-success-runs-once", "none-result-deduplicates"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("GoesOnAsTwo", "a copy that it made of its process"),
        ("SaysItIsOver", "something else than the check answered"),
    ],
)
def test_who_else_answers_on_the_channel_of_a_process_leaves_its_drill_undetermined(name: str, why: str) -> None:
    found = put_to(name, RETRY, kills=0)
    assert found[RETRY].answer in (Answer.UNDETERMINED, Answer.VIOLATED)
    assert found["contract"].answer is Answer.UNDETERMINED
    assert why in found["contract"].reason or "something else" in found["contract"].reason


def sleepers() -> list[str]:
    return [line for each in Path("/proc").glob("[0-9]*/cmdline") if "273.5" in (line := text(each))]


def text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # it is gone
        return ""


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are given to whoever asks on Linux")
def test_what_leaves_its_session_and_clears_its_environment_is_ended_and_told() -> None:
    assert orphans.observed() and not orphans.given_orphans()
    found = put_to("LeavesASleeper", NONE)
    assert "it left processes running, which were ended" in str(found["total"].facts["did"])
    assert not sleepers() and not orphans.given_orphans()


def test_what_is_not_observed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orphans, "observed", lambda: False)
    found = put_to("Once", NONE)
    assert "not observed: processes that leave their session" in str(found["total"].facts["fences"])


def test_what_is_written_into_the_temporary_folder_goes_with_it() -> None:
    found = put_to("FillsItsTemporaryFolder", NONE)
    assert found[NONE].answer is Answer.HOLDS and "did" not in found["total"].facts
    assert not (Path(tempfile.gettempdir()) / "meshspec-filled").exists()


def test_what_was_finished_when_the_user_ended_it_keeps_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Runner.run

    def ended(runner: Runner, drill: Any) -> Any:
        if any(call.value == "None" for _, call in drill.calls()):
            raise KeyboardInterrupt
        return run(runner, drill)

    monkeypatch.setattr(Runner, "run", ended)
    found = put_to("Once", RETRY, NONE)
    assert found[RETRY].answer is not Answer.UNDETERMINED
    rest = [finding for name, finding in found.items() if name != RETRY]
    assert {(finding.answer, finding.reason) for finding in rest} == {(Answer.UNDETERMINED, "interrupted")}
