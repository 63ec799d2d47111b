"""Suites under pytest: a test for each property, checked once, and nothing but HOLDS passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from meshspec.engines import names
from meshspec.errors import Disagreement
from meshspec.report import checked
from tests.plugin import ARGUMENT, CHARGING, NAMES, SUITE, again, junit, run, shows, write
from tests.plugin import user as user


def test_each_property_is_a_test_with_a_readable_id(user: pytest.Pytester) -> None:
    result = run(user, SUITE, "-v")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines_random([f"test_it.py::TestCharging::{name} *" for name in NAMES])


def test_the_object_says_what_it_is_whatever_it_and_its_module_are_called(user: pytest.Pytester) -> None:
    text = SUITE.replace("TestCharging", "charging") + "\nclass TestInside:\n    here = meshspec.suite(Charging)\n"
    write(user, "promises.py", text)
    result = again(user, "--collect-only", "-q")
    result.stdout.fnmatch_lines([f"promises.py::charging::{name}" for name in NAMES])
    result.stdout.fnmatch_lines([f"promises.py::TestInside::here::{name}" for name in NAMES])


def test_a_module_of_somebody_elses_suites_is_not_imported(user: pytest.Pytester) -> None:
    write(user, "theirs.py", "from unittest import suite\n\nall = suite()\nraise SystemExit\n")
    run(user, "def test_it():\n    pass\n").assert_outcomes(passed=1)


def test_a_refuted_property_fails_with_its_argument_and_none_of_our_frames(user: pytest.Pytester) -> None:
    result = run(user, SUITE)
    shows(result, *ARGUMENT)
    result.stdout.fnmatch_lines(["FAILED *::charged_at_most_once - VIOLATED charged_at_most_once: in 3 steps*"])


def test_in_junit_violated_is_a_failure_the_rest_errors_and_nothing_is_skipped(user: pytest.Pytester) -> None:
    text = SUITE + "idle = meshspec.suite(Idle)\ncut = meshspec.suite(Charging, max_states=1)\n"
    run(user, text, "--junit-xml=junit.xml").assert_outcomes(passed=11, failed=2, errors=5)
    told = junit(user)
    assert {kind for kind, _ in told.values()} == {"failure", "error"}
    assert told["test_it.TestCharging.charged_at_most_once"][0] == "failure"
    vacuous, cut = told["test_it.idle.charged_and_noted"], told["test_it.cut.charged_and_noted"]
    assert vacuous[0] == cut[0] == "error"
    assert "VACUOUS charged_and_noted" in vacuous[1]
    assert "UNDETERMINED charged_and_noted: cut off by --max-states of 1" in cut[1]


def test_the_check_of_a_suite_runs_once(user: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, ask = list[object](), checked.ask

    def counted(*given: Any) -> checked.Checked:
        calls.append(given)
        return ask(*given)

    monkeypatch.setattr(checked, "ask", counted)
    run(user, SUITE + "other = meshspec.suite(Charging, scope={Job: 1}, engines=['simulate'])\n")
    assert len(calls) == 2


LISTED = names.properties


def listing(monkeypatch: pytest.MonkeyPatch, otherwise: Callable[[list[str]], list[str]]) -> None:
    """Have the list that is made when tests are collected be another one."""

    def listed(*given: Any) -> list[str]:
        return otherwise(LISTED(*given))

    monkeypatch.setattr(names, "properties", listed)


def test_a_property_that_was_not_listed_fails_the_suite(
    user: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing(monkeypatch, lambda names: names[1:])
    result = run(user, SUITE)
    result.assert_outcomes(failed=5)  # with what it was not told of: that is VIOLATED
    shows(result, *ARGUMENT)
    listing(monkeypatch, lambda names: names[:-1])
    result = again(user)
    result.assert_outcomes(errors=5)
    result.stdout.fnmatch_lines(["a bug of meshspec*every fault strikes was answered, and not listed when*"])


def test_a_property_of_which_nothing_is_said_is_an_error(
    user: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing(monkeypatch, lambda names: [*names, "one more"])
    result = run(user, SUITE)
    result.assert_outcomes(passed=5, failed=1, errors=1)
    result.stdout.fnmatch_lines(["a bug of meshspec*nothing is said of one more"])


def test_a_bug_of_ours_is_an_error_that_says_so(user: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    def contradicts(*_: object) -> None:
        raise Disagreement("explore refutes what prove says holds")

    monkeypatch.setattr(checked, "check", contradicts)
    result = run(user, SUITE)
    result.assert_outcomes(errors=6)
    shows(result, "a bug of meshspec, not of what it was asked about: explore refutes what prove says holds")


def test_a_model_that_cannot_be_read_is_an_error_at_the_authors_line(user: pytest.Pytester) -> None:
    write(user, "charging.py", CHARGING.replace("self.noted[j] = True\n\n    @fault", "print(f'{j}')\n\n    @fault"))
    result = run(user, SUITE)
    result.assert_outcomes(errors=6)
    result.stdout.fnmatch_lines(["meshspec: charging.py:27: *"])
    assert "pytest_plugin" not in result.stdout.str()


def test_a_suite_that_cannot_be_is_told_with_file_and_line_and_none_of_our_frames(user: pytest.Pytester) -> None:
    result = run(user, SUITE + "bad = meshspec.suite(Job)\n")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["meshspec: test_it.py:6: Job is no model: decorate it with @model*"])
    assert "suite.py" not in result.stdout.str()


def test_an_engine_that_is_none_is_told_when_tests_are_collected(user: pytest.Pytester) -> None:
    result = run(user, SUITE.replace('"explore"', '"explor"'))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    shows(result, "meshspec: there is no engine 'explor'; the engines are drive, explore, live, prove, simulate")


def test_a_scope_that_the_suite_gives_must_be_of_its_model(user: pytest.Pytester) -> None:
    text = SUITE + "\n\nclass Other(meshspec.Sort): ...\n\n\nbad = meshspec.suite(Charging, scope={Other: 2})\n"
    result = run(user, text, "-k", "bad")
    result.assert_outcomes(errors=6)
    result.stdout.fnmatch_lines(["meshspec: --scope Other=2: Charging ranges over Job"])


def test_ctrl_c_in_a_check_ends_the_session(user: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("meshspec.engines.explore.explore", interrupted)
    assert run(user, SUITE).ret == pytest.ExitCode.INTERRUPTED


def test_pytest_the_command_line_and_the_library_say_the_same(
    user: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from meshspec.cli import main
    from meshspec.targets import resolve

    shows(run(user, SUITE), *ARGUMENT)
    monkeypatch.chdir(user.path)
    capsys.readouterr()
    assert main(["check", "charging.py:Charging", "--engine", "explore", "--scope", "Job=1"]) == 1
    printed = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]  # names stand in a column
    first = printed.index(" ".join(ARGUMENT[1].split()))
    assert printed[first : first + 6] == [" ".join(line.split()) for line in ARGUMENT[1:-1]]
    assert ARGUMENT[-1].strip() in printed
    held = checked.checked(resolve("charging.py:Charging"), scope={"Job": 1}, engines=["explore"])
    assert held.argument("charged_at_most_once") == ARGUMENT


def test_a_machine_that_is_driven_fails_with_its_argument_alone(user: pytest.Pytester) -> None:
    result = run(user, "from charging import Charging\n\nTestIt = Charging.TestCase\n", "--junit-xml=junit.xml")
    result.assert_outcomes(failed=1)
    shows(result, *ARGUMENT[2:6])
    result.stdout.fnmatch_lines(["  VIOLATED      charged_at_most_once  in 3 steps (shrunk, drive)"])
    assert junit(user) == {"test_it.TestIt.runTest": ("failure", "VIOLATED charged_at_most_once")}


RAISING = """
from meshspec.answer import Answer
from meshspec.errors import Disagreement, UsageError


class Undecided(Exception):
    answer = Answer.UNDETERMINED


def test_no_question():
    raise UsageError("there is no such thing")


def test_a_bug():
    raise Disagreement("one says this, the other that")


def test_undecided():
    raise Undecided


def test_both():
    raise ExceptionGroup("both", [Undecided(), UsageError("nothing")])


def test_one_of_them():
    raise ExceptionGroup("one is an ordinary failure", [Undecided(), AssertionError("no")])


def test_ordinary():
    assert False
"""


def test_what_says_that_nothing_was_refuted_is_an_error_wherever_it_is_raised(user: pytest.Pytester) -> None:
    run(user, RAISING, "--junit-xml=junit.xml").assert_outcomes(errors=4, failed=2)
    failures = {name for name, (kind, _) in junit(user).items() if kind == "failure"}
    assert failures == {"test_it.test_one_of_them", "test_it.test_ordinary"}
