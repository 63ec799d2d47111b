"""The fixtures and the mark: a model checked in a test, a policy given to one."""

from __future__ import annotations

import pytest

from tests.plugin import ARGUMENT, junit, run, shows, write
from tests.plugin import user as user

HEAD = "import meshspec\nimport pytest\nfrom charging import Charging, Idle, Job\n\n"

IN_A_TEST = (
    HEAD
    + """
@pytest.mark.parametrize("size", [1, 2])
def test_holds(meshspec_check, size):
    checked = meshspec_check(Charging, scope={Job: size}, without=["crash"], engines=["explore"])
    assert checked.of("charged_at_most_once").answer.states == {1: 3, 2: 9}[size]
    assert checked.scope == {"Job": size}


def test_violated(meshspec_check):
    meshspec_check(Charging, scope={Job: 1}, engines=["explore"])


def test_vacuous(meshspec_check):
    meshspec_check(Idle, scope={Job: 1}, engines=["explore"], without=["crash"])


def test_undetermined(meshspec_check):
    meshspec_check(Charging, max_states=1, engines=["explore"], without=["crash"])


def test_weaker_than_required(meshspec_check):
    meshspec_check(Charging, require="proved", engines=["explore"], without=["crash"])
"""
)


def test_a_model_is_checked_in_the_middle_of_a_test(user: pytest.Pytester) -> None:
    result = run(user, IN_A_TEST, "--junit-xml=junit.xml")
    result.assert_outcomes(passed=2, failed=1, errors=3)
    shows(result, *ARGUMENT)
    result.stdout.fnmatch_lines(
        ["ERROR *::test_weaker_than_required - UNDETERMINED charged_at_most_once: every size was*"]
    )
    kinds = {name.partition(".")[2]: kind for name, (kind, _) in junit(user).items()}
    assert kinds.pop("test_violated") == "failure"
    assert kinds == dict.fromkeys(("test_vacuous", "test_undetermined", "test_weaker_than_required"), "error")


MARKED = (
    HEAD
    + """
pytestmark = pytest.mark.meshspec(scope={Job: 1}, engines=["explore"])
below = meshspec.suite(Charging, without=["crash"])


@pytest.mark.meshspec(without=["crash"])
class TestBelow:
    def test_all_three(self, meshspec_check):
        checked = meshspec_check(Charging)
        assert (checked.scope, checked.asked.engines, checked.asked.taken) == ({"Job": 1}, ("explore",), ("crash",))

    @pytest.mark.meshspec(scope={Job: 2})
    def test_the_nearest_counts(self, meshspec_check):
        assert meshspec_check(Charging).scope == {"Job": 2}

    @pytest.mark.meshspec(scope={Job: 2})
    def test_the_call_before_all(self, meshspec_check):
        assert meshspec_check(Charging, scope={Job: 3}).scope == {"Job": 3}

    @pytest.mark.meshspec(engines=["simulate"])
    def test_engines_too(self, meshspec_check):
        assert meshspec_check(Charging).of("charged_at_most_once").answer.engine == "simulate"
"""
)


def test_marks_say_what_is_asked_below_them(user: pytest.Pytester) -> None:
    result = run(user, MARKED, "--strict-markers", "-v")
    result.assert_outcomes(passed=9)
    assert "below::no-action-raises" in result.stdout.str()


BAD = {
    "@pytest.mark.meshspec(wide=True)": "meshspec: @pytest.mark.meshspec has no 'wide'; it has scope, engines, *seed",
    "@pytest.mark.meshspec({Job: 1})": "meshspec: @pytest.mark.meshspec(*): write keywords, scope, engines, *",
    "@pytest.mark.meshspec(require='strong')": "meshspec: require='strong': write 'proved' or 'exhaustive'",
    "@pytest.mark.meshspec(scope={'Job': 1})": "meshspec: scope={'Job': 1}: the class of a sort stands here*",
    "@pytest.mark.meshspec(max_states=0)": "meshspec: @pytest.mark.meshspec: max_states=0 is no number that it can *",
    "@pytest.mark.meshspec(engines='explore')": "meshspec: engines='explore': write names in a list, engines=*",
    "@pytest.mark.meshspec(without=['crush'])": "meshspec: --without crush: Charging has the faults crash",
}


@pytest.mark.parametrize("what", BAD)
def test_what_a_mark_may_not_say_is_an_error_that_names_what_it_may(user: pytest.Pytester, what: str) -> None:
    result = run(user, f"{HEAD}\n{what}\ndef test_it(meshspec_check):\n    meshspec_check(Charging)\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([BAD[what].replace("[", "[[]")])
    assert "pytest_plugin" not in result.stdout.str()


POLICY = """
class Guard:
    def __init__(self):
        self.seen = []

    def observe(self, step):
        self.seen.append(step)
        return "CONTINUE"


class Broken:
    def __init__(self):
        raise ValueError("no such guard")
"""

GIVEN = """
def test_one(meshspec_policy):
    assert not meshspec_policy.seen
    meshspec_policy.observe("a step")


def test_other(meshspec_policy):
    assert not meshspec_policy.seen
"""


@pytest.mark.parametrize("policy", ["guard:Guard", "guard.py:Guard"])
def test_each_test_is_given_a_fresh_policy(user: pytest.Pytester, policy: str) -> None:
    write(user, "guard.py", POLICY)
    run(user, GIVEN, "--policy", policy).assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "meshspec: meshspec_policy: no policy was named: pytest --policy mypkg.guard:Guard"),
        (
            ("--policy", "guard:Broken"),
            "meshspec: guard.py:13: guard:Broken cannot be made: ValueError: no such guard",
        ),
        (("--policy", "guard:Gard"), "meshspec: --policy guard:Gard: guard has no 'Gard'"),
        (("--policy", "gard:Guard"), "meshspec: there is no module 'gard' to import here"),
        (("--policy", "pybreaker"), "meshspec: --policy pybreaker: a test is given a policy of this process: *"),
        (("--policy", "guard:POLICY"), "meshspec: --policy guard:POLICY: that is no class, and no function*"),
    ],
)
def test_a_policy_that_there_is_not_is_an_error_and_no_skip(
    user: pytest.Pytester, arguments: tuple[str, ...], text: str
) -> None:
    write(user, "guard.py", POLICY + "\n\nPOLICY = 1\n")
    result = run(user, GIVEN, *arguments)
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines([text])
    assert "pytest_plugin" not in result.stdout.str()
