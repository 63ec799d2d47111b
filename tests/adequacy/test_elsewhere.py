"""The same question in other processes: what shows only there, and what cannot be asked there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from meshspec.adequacy import must_agree, named, stable
from meshspec.adequacy.worlds import worlds
from meshspec.answer import Answer, Finding
from meshspec.errors import UsageError
from meshspec.roles.effects import Effect

HERE: dict[str, Any] = {"hash_seeds": (0, 1), "locales": ("C",)}


def asked(name: str, **told: Any) -> Finding:
    return stable(f"tests.adequacy.keys:{name}", [named("argument order")], **{**HERE, **told})


@pytest.mark.parametrize("name", ["drawn", "local_time", "refusing_elsewhere"])
def test_what_shows_only_in_another_process_is_violated(name: str) -> None:
    found = asked(name)
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    here, there = found.counterexample.steps
    assert here.action == there.action and here.note.endswith("in this process") and "PYTHONHASHSEED=" in there.note
    assert found.replay.startswith("PYTHONHASHSEED=")


def test_the_order_in_which_a_mapping_was_filled_shows() -> None:
    effect = Effect("pay", {"a": 1, "b": 2})
    found = stable("tests.adequacy.keys:first_key", [must_agree(effect, effect, "One.")], **HERE)
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert "mappings filled backwards" in found.counterexample.steps[1].note


def test_what_the_locale_is_written_in_shows() -> None:
    found = asked("encoding", locales=("C", "C.UTF-8"))
    not_here = found.facts["locales not here"] == ("C.UTF-8",)  # then only C was asked, and that is told
    assert found.answer is (Answer.HOLDS if not_here else Answer.VIOLATED)


def test_another_interpreter_is_asked(tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nANOTHER_PYTHON=yes exec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    assert asked("marked").answer is Answer.HOLDS
    found = asked("marked", pythons=[sys.executable, str(other)])
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert "value 'yes'" in found.counterexample.steps[1].note


def test_which_processes_were_run_is_told() -> None:
    found = asked("marked", locales=("C", "no_SUCH"))
    assert found.answer is Answer.HOLDS and found.facts["locales not here"] == ("no_SUCH",)
    processes = cast("tuple[str, ...]", found.facts["processes"])
    assert len(processes) == 2
    version = ".".join(map(str, sys.version_info[:3]))
    assert all(text.startswith(f"Python {version}, PYTHONHASHSEED=") for text in processes)
    assert f"2 processes (Python {version}); no locale no_SUCH here" in found.reason


def test_what_was_shown_there_can_be_shown_again() -> None:
    found = asked("drawn")
    assert found.counterexample is not None and "PYTHONHASHSEED=0" in found.counterexample.steps[1].note
    done = subprocess.run(
        found.replay.replace(" python ", f" {sys.executable} "),
        shell=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=True,
        timeout=60,
    )
    assert f"value {done.stdout.strip()};" in found.counterexample.steps[1].note


def test_to_raise_in_all_processes_is_no_agreement() -> None:
    found = stable("tests.adequacy.keys:raising_for_tenants", [named("argument order"), named("tenant")], **HERE)
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert "it raised" in found.counterexample.failed and "KeyError" in found.counterexample.steps[0].note


@pytest.mark.parametrize(
    ("name", "told", "limit"),
    [
        ("sleeping", "no answer within 2 s", 2.0),
        ("dying", "it ended with 7", 60.0),
        ("unsendable", "its value cannot be sent", 60.0),
    ],
)
def test_a_process_that_gives_no_answer_leaves_it_open(name: str, told: str, limit: float) -> None:
    found = asked(name, time_limit=limit)
    assert found.answer is Answer.UNDETERMINED and told in found.reason and found.settles


def test_an_interpreter_that_is_none_leaves_it_open(tmp_path: Path) -> None:
    assert "could not be started" in asked("marked", pythons=[str(tmp_path / "none")]).reason
    broken = tmp_path / "broken.py"
    broken.write_text("def key(effect):\n    return 'key'\n")
    kept = stable(f"{broken}:key", [named("argument order")], **HERE)
    assert kept.answer is Answer.HOLDS


def test_an_input_that_cannot_be_sent_leaves_it_open() -> None:
    unsent = Effect("pay", {"a": lambda: 0})
    found = stable("tests.adequacy.keys:marked", [must_agree(unsent, unsent, "One.")], **HERE)
    assert found.answer is Answer.UNDETERMINED and "cannot be sent" in found.reason


def test_each_seed_and_each_locale_is_in_some_world() -> None:
    made = worlds(["p", "q"], (0, 1, 2), ("C", "x"), turned=True)
    assert len(made) == 6 and {(w.python, w.hash_seed) for w in made} == {(p, s) for p in "pq" for s in (0, 1, 2)}
    assert {w.locale for w in made} == {"C", "x"} and {w.turned for w in made} == {True, False}
    assert not any(w.turned for w in worlds(["p"], (0, 1), ("C",), turned=False))


def test_without_a_process_nothing_can_be_asked() -> None:
    with pytest.raises(UsageError, match="at least one interpreter"):
        asked("marked", pythons=[])
