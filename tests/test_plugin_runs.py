"""The plugin beside what else people ask of pytest: selections, orders, caches, workers, folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin import ARGUMENT, NAMES, SUITE, again, run, shows, write
from tests.plugin import user as user

FIRST, *REST = NAMES
CACHED = ("-p", "cacheprovider")


def test_selections_go_by_the_ids(user: pytest.Pytester) -> None:
    run(user, SUITE, "-k", "every-action-fires").assert_outcomes(passed=1, deselected=5)
    again(user, f"test_it.py::TestCharging::{FIRST}").assert_outcomes(failed=1)
    again(user, "--deselect", f"test_it.py::TestCharging::{FIRST}").assert_outcomes(passed=5, deselected=1)
    again(user, "-k", "nothing").assert_outcomes(deselected=6)


def test_what_failed_last_is_run_again_alone_or_first(user: pytest.Pytester) -> None:
    text = SUITE.replace("TestCharging", "holds").replace("engines", "without=['crash'], engines") + SUITE
    run(user, text).assert_outcomes(passed=10, failed=1)
    again(user, "--lf").assert_outcomes(failed=1, deselected=10)
    first = again(user, "--ff", "-v")
    first.assert_outcomes(passed=10, failed=1)
    shown = [line.partition(" ")[0] for line in first.outlines if line.startswith("test_it.py::")]
    assert shown[0] == f"test_it.py::TestCharging::{FIRST}"
    again(user, "--sw").assert_outcomes(passed=5, failed=1)
    again(user, "--sw").assert_outcomes(failed=1, deselected=5)
    again(user, "-x").assert_outcomes(passed=5, failed=1)
    again(user, "-p", "no:cacheprovider").assert_outcomes(passed=10, failed=1)


REVERSED = """
def pytest_collection_modifyitems(items):
    items.reverse()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("--import-mode=importlib",),
        ("-p", "no:terminal"),
        ("--doctest-modules",),
        ("--rootdir=..",),
        ("--strict-markers", "--strict-config", "-W", "error"),
        ("--tb=long",),
        ("--tb=native", "-s"),
        ("-p", "no:junitxml", "-p", "no:cacheprovider"),
        ("--setup-show",),
    ],
    ids=" ".join,
)
def test_what_else_is_asked_changes_no_answer(user: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    write(user, "conftest.py", REVERSED)
    result = run(user, SUITE, *arguments)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    if "no:terminal" not in arguments:
        result.assert_outcomes(passed=5, failed=1)
        shows(result, *ARGUMENT)


def test_a_list_of_tests_runs_nothing(user: pytest.Pytester) -> None:
    result = run(user, SUITE.replace("scope={Job: 1}", "scope={Job: 9}"), "--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == [f"test_it.py::TestCharging::{n}" for n in NAMES]


def test_a_run_in_another_folder_names_what_can_be_typed_there(user: pytest.Pytester) -> None:
    write(user, "test_it.py", SUITE)
    (Path(user.path) / "below").mkdir()
    user.chdir()
    result = again(user, str(Path(user.path) / "test_it.py"), "--rootdir=below", "-q")
    shows(result, *ARGUMENT)


def test_workers_share_out_what_is_collected_and_tell_what_they_let_pass(
    user: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(user.path))
    text = SUITE + 'cut = meshspec.suite(Charging, max_states=1, engines=["explore"], without=["crash"])\n'
    asked = ("--allow-undetermined", "--scope=Jbo=2,Job=1", "-W", "error")
    result = run(user, text, "-p", "xdist.plugin", "-n", "2", "--dist", "loadscope", "-v", *asked)
    result.assert_outcomes(passed=10, failed=1, warnings=5)
    shows(result, *ARGUMENT)
    result.stdout.fnmatch_lines(["5 undetermined, allowed:", "--scope Jbo=2: no suite that ran has a sort of that *"])
    assert "--scope Job=1:" not in result.stdout.str()
    shown = [line for line in result.outlines if line.startswith("[gw") and "::" in line]
    assert len(shown) == 11
    assert len({(line[:5], line.split("::")[1]) for line in shown}) == 2  # a suite is on one worker: checked once


def test_a_suite_is_a_group_for_workers_unless_its_author_made_another(user: pytest.Pytester) -> None:
    write(user, "conftest.py", GROUPS)
    text = SUITE + "pytestmark = pytest.mark.xdist_group('all of it')\n"
    run(user, SUITE, "--collect-only", "-s").stdout.fnmatch_lines(["groups ['test_it.py::TestCharging']"])
    run(user, "import pytest\n" + text, "--collect-only", "-s").stdout.fnmatch_lines(["groups ['all of it']"])


GROUPS = """
def pytest_configure(config):
    config.addinivalue_line("markers", "xdist_group: as pytest-xdist says it")


def pytest_collection_modifyitems(items):
    print("groups", sorted({mark.args[0] for item in items for mark in item.iter_markers("xdist_group")}))
"""
