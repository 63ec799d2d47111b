"""What looks like a check and is none fails the session; what is excused at one door is excused at each."""

from __future__ import annotations

import sys

import pytest

from tests.plugin import CHARGING, SUITE, again, run, shows, write
from tests.plugin import user as user

EMPTY = "import meshspec\nfrom charging import Charging, Job\n\n\n"

WAIVERS = """
[[tool.meshspec.waivers]]
model = "Charging"
property = "{}"
owner = "me"
reason = "known"
expires = {}
"""

BESIDE = """
from charging import Charging
from hypothesis import settings
from meshspec.engines.beside import drive_beside

FEW = settings(max_examples=20, stateful_step_count=8, database=None)


def nothing(*_):
    return {}


def beside(observe, **more):
    drive_beside(Charging, start=dict, step=nothing, observe=observe, settings=FEW, **more)
"""


@pytest.mark.parametrize(
    ("held", "ids"),
    [
        ("[{0}, {0}]", ["ALL-0", "ALL-1"]),
        ("({0},)", ["ALL-0"]),
        ("{{'a job': {0}, 2: {0}, 3: 4}}", ["ALL-a-job", "ALL-2"]),
    ],
)
def test_suites_in_a_list_a_tuple_or_a_dict_are_tests_that_can_be_named(
    user: pytest.Pytester, held: str, ids: list[str]
) -> None:
    one = "meshspec.suite(Charging, scope={Job: 1}, engines=['explore'])"
    result = run(user, EMPTY + "ALL = " + held.replace("{{", "{").replace("}}", "}").replace("{0}", one), "-v")
    result.assert_outcomes(passed=5 * len(ids), failed=len(ids))
    result.stdout.fnmatch_lines_random([f"test_it.py::{name}::no-action-raises *" for name in ids])
    again(user, f"test_it.py::{ids[0]}::no-action-raises").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "body",
    [
        "def test_it():\n    meshspec.suite(Charging)\n",
        "TestIt = meshspec.suite(Charging)\n\n\ndef TestIt():\n    pass\n\n\ndef test_it():\n    pass\n",
        "ALL = [[meshspec.suite(Charging)]]\n\n\ndef test_it():\n    pass\n",
    ],
)
def test_a_suite_that_becomes_no_test_fails_the_session(user: pytest.Pytester, body: str) -> None:
    result = run(user, EMPTY + body)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["test_it.py:*: this suite was never collected, so nothing of it was checked: *"])


def test_a_suite_that_is_deselected_is_not_lost(user: pytest.Pytester) -> None:
    result = run(user, SUITE, "-k", "no-action-raises")
    assert result.ret == pytest.ExitCode.OK


def test_a_suite_without_an_engine_is_refused(user: pytest.Pytester) -> None:
    result = run(user, EMPTY + "ALL = meshspec.suite(Charging, engines=())\n")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["meshspec: test_it.py:5: engines=(): with no engine nothing is checked; *"])


def test_without_the_plugin_a_suite_is_a_test_that_fails(user: pytest.Pytester) -> None:
    write(user, "test_it.py", SUITE + "\n\nclass TestInside:\n    here = meshspec.suite(Charging)\n")
    result = user.runpytest_inprocess()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*the pytest plugin of meshspec is off, so nothing of this suite is checked*"])


def test_a_check_that_was_asked_for_and_never_made_is_an_error(user: pytest.Pytester) -> None:
    text = (
        "def test_it(meshspec_check):\n    pass\n\n\n"
        "def test_fails(meshspec_check):\n    assert False\n\n\n"
        "def test_made(meshspec_check):\n    meshspec_check(Charging, without=['crash'], engines=['explore'])\n"
    )
    result = run(user, EMPTY + text)
    result.assert_outcomes(passed=2, failed=1, errors=1)
    shows(result, "meshspec_check was never called: nothing was checked")


def test_a_mark_where_nothing_is_checked_is_an_error(user: pytest.Pytester) -> None:
    result = run(user, EMPTY + "import pytest\n\n\n@pytest.mark.meshspec(seed=1)\ndef test_it():\n    pass\n")
    result.assert_outcomes(errors=1)
    shows(result, "@pytest.mark.meshspec on a test that does not use meshspec_check: nothing is checked")


WORSE = """
    @always
    def not_both(self, j: Job) -> bool:
        return self.charges[j] < 2 or self.in_hand[j]
"""


def test_waivers_reach_what_hypothesis_drives_and_all_else_is_driven_on(user: pytest.Pytester) -> None:
    waived = [WAIVERS.format(name, "2026-12-31") for name in ("charged_at_most_once", "the implementation agrees")]
    write(user, "pyproject.toml", "".join(waived))
    text = BESIDE + "\n\ndef test_it():\n    beside(lambda _: {'noted[job0]': False})\n"
    result = run(user, text + "\n\nTestIt = Charging.TestCase\nTestIt.settings = FEW\n")
    result.assert_outcomes(passed=2)
    for name in ("charged_at_most_once", "the implementation agrees"):
        shows(result, f"  Charging: {name} is VIOLATED (until 2026-12-31, me: known)")
    write(user, "charging.py", CHARGING.replace("\n\n@model\nclass Idle", WORSE + "\n\n@model\nclass Idle"))
    worse = run(user, BESIDE + "\n\nTestIt = Charging.TestCase\nTestIt.settings = FEW\n")
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["  VIOLATED      not_both *", "  Charging: charged_at_most_once is VIOLATED (*"])


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ("None", "observe() gives NoneType, and should give a mapping: {'up': True, ...}"),
        ("{}", "observe() shows nothing: give at least one variable, {'in_hand[[]job0]': ...}"),
        ("{'notd': 1}", "observe() shows 'notd', which is no variable; did you mean noted?"),
        ("{'noted': {}}", "observe() shows noted without job0: give every key, or only the cells that are known"),
    ],
)
def test_a_mistake_in_observe_is_told_at_its_line_and_with_none_of_our_frames(
    user: pytest.Pytester, shown: str, told: str
) -> None:
    result = run(user, BESIDE + f"\n\ndef test_it():\n    beside(lambda _: {shown})\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"meshspec: test_it.py:*: {told} (observe() is at test_it.py:*)"])
    said = result.stdout.str()
    assert "stateful.py" not in said and "beside.py" not in said and "Failing test case" not in said


def test_a_misspelt_sort_of_the_projects_file_is_told(user: pytest.Pytester) -> None:
    write(user, "pyproject.toml", "[tool.meshspec]\nscope = { Jobb = 1 }\n" + WAIVERS.format("nope", "2026-12-31"))
    result = run(user, SUITE, "-k", "no-action-raises")
    assert result.ret == pytest.ExitCode.OK
    told = "scope Jobb=1 of pyproject.toml: no model that was checked has such a sort; did you mean Job?"
    shows(result, told)
    shows(result, "waiver for Charging.nope: it was not used; Charging was checked, and has no such property here")


def test_hypothesis_counts_what_is_driven_beside(user: pytest.Pytester) -> None:
    text = BESIDE + "\n\ndef test_it():\n    beside(lambda _: {'charges[job0]': 0}, without=['crash'])\n"
    result = run(user, text, "-p", "_hypothesis_pytestplugin", "--hypothesis-show-statistics")
    result.stdout.fnmatch_lines(["test_it.py::test_it:", "*- during generate phase*"])


def test_a_module_that_has_a_test_case_can_be_driven_again(user: pytest.Pytester) -> None:
    text = "from charging import Charging, Idle, Job\nfrom meshspec.engines.machine import machine\n\n"
    write(
        user, "test_it.py", text + "TestIt = Charging.TestCase\nTestIdle = machine(Idle, scope={Job: 1}).TestCase\n"
    )
    result = user.run(
        sys.executable,
        "-m",
        "meshspec",
        "drive",
        "test_it.py:Charging",
        "--scope",
        "Job=1",
        "--take",
        "charge(job0),crash",
    )
    assert result.ret in (0, 3), result.stderr.str()
    assert "PermissionError" not in result.stderr.str()
