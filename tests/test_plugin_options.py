"""What pytest is asked on its command line and in the project's file, and that nothing of it goes unsaid."""

from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.plugin import ARGUMENT, CHARGING, HOLDING, SUITE, again, run, shows, write
from tests.plugin import user as user

CUT = """
import meshspec
from charging import Charging, Idle, Job

cut = meshspec.suite(Charging, scope={Job: 1}, max_states=1, without=["crash"], engines=["explore"])
"""

# -- sizes, and a required strength --------------------------------------------------------------------------------


def test_sizes_come_before_those_of_suites_and_evidence_keeps_its_own(user: pytest.Pytester) -> None:
    result = run(user, SUITE, "--scope", "Job=3")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["meshspec *: scope Job=3 (evidence keeps its own, *); seed 0"])
    shows(result, *ARGUMENT[1:-1], ARGUMENT[-1].replace("Job=1", "Job=3"))


def test_a_size_of_no_sort_that_was_checked_fails_the_session(user: pytest.Pytester) -> None:
    result = run(user, HOLDING, "--scope=Jbo=3,Job=1")
    result.assert_outcomes(passed=5)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    shows(result, "--scope Jbo=3: no suite that ran has a sort of that name")
    assert again(user, "--collect-only", "--scope=Jbo=3").ret == pytest.ExitCode.OK


def test_what_stands_in_a_file_for_every_run_need_not_be_used_in_each(user: pytest.Pytester) -> None:
    write(user, "pytest.ini", "[pytest]\naddopts = --scope=Jbo=3 --policy=guard:Guard\n")
    assert run(user, HOLDING).ret == pytest.ExitCode.OK


@pytest.mark.parametrize("given", ["Job", "Job=", "Job=0", "Job=x", "=2", "Job=1,Job=2", f"Job={'9' * 13}"])
def test_what_is_no_size_is_refused_before_anything_runs(user: pytest.Pytester, given: str) -> None:
    result = run(user, SUITE, f"--scope={given}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --scope *Job*" if "Job" in given else "ERROR: --scope *"])


def test_the_strongest_of_what_is_required_counts(user: pytest.Pytester) -> None:
    text = HOLDING + 'two = meshspec.suite(Charging, engines=["explore"], without=["crash"], require="proved")\n'
    run(user, text, "--meshspec-require", "exhaustive").assert_outcomes(passed=7, errors=3)
    again(user, "--meshspec-require", "proved", "-k", "TestCharging").assert_outcomes(passed=4, errors=1)
    assert again(user, "--meshspec-require", "strong").ret == pytest.ExitCode.USAGE_ERROR


# -- what is undetermined ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [(), ("-W", "error"), ("-p", "no:warnings"), ("-W", "ignore")])
def test_what_is_undetermined_can_be_allowed_and_is_counted(user: pytest.Pytester, how: tuple[str, ...]) -> None:
    with warnings.catch_warnings(record=True):  # where there is no plugin to show them, they come through to us
        result = run(user, CUT, "--allow-undetermined", "--junit-xml=junit.xml", *how)
    result.assert_outcomes(passed=5, warnings=0 if how == ("-p", "no:warnings") else 5)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["5 undetermined, allowed:", "  Charging: charged_at_most_once is UNDETERMINED: *"])
    told = [one.attrib["value"] for one in ET.parse(Path(user.path) / "junit.xml").iter("property")]
    assert len(told) == 5
    assert told[0].startswith("Charging: charged_at_most_once is UNDETERMINED: cut off by --max-states of 1")


def test_a_filter_that_names_our_warning_is_obeyed(user: pytest.Pytester) -> None:
    result = run(user, CUT, "--allow-undetermined", "-W", "error::meshspec.pytest_plugin.MeshspecWarning")
    result.assert_outcomes(errors=5)
    assert "pytest_plugin/" not in result.stdout.str()


def test_what_is_violated_or_vacuous_is_not_allowed_with_it(user: pytest.Pytester) -> None:
    text = SUITE + 'idle = meshspec.suite(Idle, engines=["explore"], without=["crash"])\n'
    run(user, text, "--allow-undetermined").assert_outcomes(passed=8, failed=1, errors=2)


def test_the_fixture_is_allowed_it_too(user: pytest.Pytester) -> None:
    text = CUT.partition("cut =")[0] + (
        "def test_it(meshspec_check):\n"
        "    assert meshspec_check(Charging, max_states=1, without=['crash'], engines=['explore'])\n"
    )
    result = run(user, text, "--allow-undetermined")
    result.assert_outcomes(passed=1, warnings=5)
    result.stdout.fnmatch_lines(["5 undetermined, allowed:"])


# -- names that others have ----------------------------------------------------------------------------------------

THEIRS = """
def pytest_addoption(parser):
    parser.addoption("--scope", type=int)
    parser.getgroup("theirs").addoption("--policy", action="store_true")
    parser.addoption("--allow-undetermined", choices=["some", "all"])


def pytest_configure(config):
    assert config.getoption("--scope") == 7
    assert config.getoption("--policy") is True
    assert config.getoption("--allow-undetermined") == "all"
"""


def test_short_names_give_way_to_those_of_others(user: pytest.Pytester) -> None:
    write(user, "conftest.py", THEIRS)
    ours = ("--meshspec-scope=Job=1", "--meshspec-allow-undetermined")
    result = run(user, CUT, "--scope=7", "--policy", "--allow-undetermined=all", *ours)
    result.assert_outcomes(passed=5, warnings=5)
    result.stdout.fnmatch_lines(["meshspec: --policy, --scope, --allow-undetermined belongs to something else*"])


# -- bundles -------------------------------------------------------------------------------------------------------


def test_a_bundle_is_written_and_run_again(user: pytest.Pytester) -> None:
    result = run(user, SUITE, "--meshspec-out", "out")
    result.stdout.fnmatch_lines(["  written: out/*charged_at_most_once.json"])
    bundle = next(Path(user.path).glob("out/*once.json"))
    replayed = again(user, "--meshspec-replay", str(bundle))
    replayed.assert_outcomes(failed=1)
    shows(replayed, *(line.replace("(shortest", "(as recorded: shortest") for line in ARGUMENT))
    both = again(user, "--meshspec-replay", "out", "test_it.py")
    both.assert_outcomes(passed=5, failed=2)
    write(user, "charging.py", CHARGING.replace("self.in_hand = each(Job, lambda j: False)", "pass"))
    mended = again(user, "--meshspec-replay", str(bundle), "--junit-xml=junit.xml")
    mended.assert_outcomes(errors=1)
    mended.stdout.fnmatch_lines(["  UNDETERMINED  charged_at_most_once  the path is closed at step 3*"])


def test_what_is_no_bundle_is_an_error(user: pytest.Pytester) -> None:
    result = run(user, SUITE, "--meshspec-replay", "charging.py")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["meshspec: *charging.py is no bundle: *"])
    assert again(user, "--meshspec-replay", "nothing.json").ret == pytest.ExitCode.USAGE_ERROR


def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(user: pytest.Pytester) -> None:
    result = run(user, SUITE, "--meshspec-out", "charging.py")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *charging.py is a file and no folder*"])


# -- the project's file --------------------------------------------------------------------------------------------

CONFIG = '[tool.meshspec]\nscope = { Job = 1 }\nengines = ["explore"]\nwithout = ["crash"]\nseed = 5\n'
WAIVER = """
[[tool.meshspec.waivers]]
model = "Charging"
property = "charged_at_most_once"
owner = "ops"
reason = "mended in the next release"
expires = 2026-12-31
"""
BARE = SUITE.partition("TestCharging")[0] + "bare = meshspec.suite(Charging)\n"


def test_the_projects_file_says_what_nobody_nearer_says(user: pytest.Pytester) -> None:
    write(user, "pyproject.toml", CONFIG)
    result = run(user, BARE)
    result.assert_outcomes(passed=5)  # no fault, no line that it strikes
    result.stdout.fnmatch_lines(["meshspec *: from *pyproject.toml: scope Job=1, engines explore, seed 5, *crash*"])


def test_a_project_file_that_says_what_it_may_not_is_refused(user: pytest.Pytester) -> None:
    write(user, "pyproject.toml", "[tool.meshspec]\nscoop = { Job = 1 }\n")
    result = run(user, BARE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *pyproject.toml: *'scoop'*"])


def test_a_waiver_is_counted_and_one_that_ended_fails(user: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESHSPEC_TODAY", "2026-12-31")
    write(user, "pyproject.toml", "[tool.meshspec]\n" + WAIVER)
    result = run(user, SUITE)
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(["1 waived:", "  Charging: charged_at_most_once is VIOLATED (until 2026-12-31, *"])
    monkeypatch.setenv("MESHSPEC_TODAY", "2027-01-01")
    result = again(user)
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["*its waiver ended on 2026-12-31, and excuses nothing: ops: *"])
    write(user, "test_it.py", HOLDING)
    result = again(user)
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        ["Charging (charging.py:Charging)", "*VIOLATED *no waiver for charged_at_most_once after its day*"]
    )
    write(user, "pyproject.toml", "[tool.meshspec]\n" + WAIVER.replace("at_most_once", "at_most_one"))
    result = again(user)
    result.assert_outcomes(passed=5)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["Charging: no waiver for charged_at_most_one after its day: it ended on *"])
