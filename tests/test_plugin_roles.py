"""Suites of a role: what a breaker owes, put to a policy under pytest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from meshspec import adapters
from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.roles.breaker import obligations
from meshspec.roles.telling import CONDUCT
from tests.plugin import again, run, write
from tests.plugin import user as user

OWED = [*(obligation.name for obligation in obligations()), *CONDUCT]
BREAKER = 'from meshspec import suite\n\nBREAKER = suite(role="breaker", prefix=0)\n'


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """What was judged, with its prefix and seed: instead of by many stories at once, and never, once and cut."""
    calls: list[tuple[str, int, int]] = []

    def judge(target: str, *, role: str, seed: int, bound: object) -> list[Finding]:
        calls.append((target, getattr(bound, "prefix", -1), seed))
        path = Counterexample({}, (Step("read_file()", note="CONTINUE", at=1),), "it must trip, and never tripped")
        again = f"meshspec check {target} --role {role} --seed {seed}"

        def tell(name: str, answer: Answer, **more: Any) -> Finding:
            return Finding(target, name, answer, "judge", kind="obligation", replay=again, **more)

        held = [tell(name, Answer.HOLDS, strength=Strength.TESTED, tested=1) for name in OWED[2:]]
        return [
            tell(OWED[0], Answer.VIOLATED, counterexample=path, reason=path.failed),
            tell(OWED[1], Answer.UNDETERMINED, reason="it hung"),
            *held,
        ]

    monkeypatch.setattr(adapters, "judge", judge)
    return calls


def test_each_obligation_is_a_test_and_the_policy_is_judged_once(
    user: pytest.Pytester, judged: list[tuple[str, int, int]]
) -> None:
    result = run(user, BREAKER, "--policy", "guard:Guard", "-v", name="guards.py")
    result.assert_outcomes(passed=len(OWED) - 2, failed=1, errors=1)
    assert judged == [("guard:Guard", 0, 0)]
    result.stdout.fnmatch_lines(["meshspec *: policy guard:Guard as a breaker; seed 0"])
    result.stdout.fnmatch_lines_random([f"guards.py::BREAKER::{name} *" for name in OWED])
    result.stdout.fnmatch_lines(
        [
            "guard:Guard, judged as a breaker (stories without a prefix)",
            f"  VIOLATED      {OWED[0]}  it must trip, and never tripped",
            "*again: meshspec check guard:Guard --role breaker --seed 0",
            "FAILED guards.py::BREAKER::trips-on-identical-success - VIOLATED trips-on-identical-success: it m*",
        ]
    )


def test_without_a_policy_the_suites_own_is_judged_else_the_reference(
    user: pytest.Pytester, judged: list[tuple[str, int, int]]
) -> None:
    run(user, BREAKER + 'OWN = suite(role="breaker", policy="mine:Own", seed=7)\n', name="guards.py")
    assert judged == [("meshspec.roles.policies:Reference", 0, 0), ("mine:Own", 1, 7)]
    judged.clear()
    again(user, "--meshspec-policy", "guard:Guard", "--meshspec-role", "breaker", "-k", "OWN")
    assert judged == [("guard:Guard", 1, 7)]


def test_a_policy_that_nothing_judges_fails_the_session(user: pytest.Pytester) -> None:
    result = run(user, "def test_it():\n    pass\n", "--policy", "guard:Guard")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["--policy guard:Guard: nothing that ran judges a policy"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--meshspec-role", "breaker"), "ERROR: --meshspec-role breaker says how a policy is judged: name one*"),
        (("--meshspec-role", "baker", "--policy", "a:b"), "ERROR: --meshspec-role baker: the roles are breaker"),
    ],
)
def test_a_role_that_cannot_be_meant_is_refused(user: pytest.Pytester, arguments: tuple[str, str], text: str) -> None:
    result = run(user, BREAKER, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([text])


def test_a_role_that_there_is_not_is_told_when_tests_are_collected(user: pytest.Pytester) -> None:
    result = run(user, BREAKER.replace("breaker", "baker"))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["meshspec: there is no role 'baker': the roles are breaker"])


GUARDS = """
class Never:
    def observe(self, step):
        return "CONTINUE"


class Other:
    pass
"""


def test_a_policy_is_really_judged_and_its_bundle_written(user: pytest.Pytester) -> None:
    write(user, "guard.py", GUARDS)
    selected = ("-k", "identical", "--meshspec-out", "out")
    result = run(user, BREAKER, "--policy", "guard.py:Never", *selected, name="guards.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["guard.py:Never, judged as a breaker*", "*54. read_file(path=src/0.py)*"])
    assert list(Path(user.path).glob("out/*.json"))
    result = again(user, "--policy", "guard.py:Other", "-k", "identical", "guards.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["meshspec: guard.py:7: *Other has no method observe(step): the role breaker needs *"]
    )
