"""Suites of a role: what a breaker owes, put to a policy under pytest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from meshspec import adapters
from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.roles.breaker import obligations
from meshspec.roles.living import asked
from meshspec.roles.telling import CONDUCT
from tests.plugin import again, run, write
from tests.plugin import user as user

OWED = [*(owed.name for owed in obligations()), *(owed.name for owed in asked(())), *CONDUCT]
"""What every breaker is asked, whatever it offers."""
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
        (
            ("--meshspec-role", "baker", "--policy", "a:b"),
            "ERROR: --meshspec-role baker: the roles are breaker, identity, ledger, lease",
        ),
    ],
)
def test_a_role_that_cannot_be_meant_is_refused(user: pytest.Pytester, arguments: tuple[str, str], text: str) -> None:
    result = run(user, BREAKER, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([text])


def test_a_role_that_there_is_not_is_told_when_tests_are_collected(user: pytest.Pytester) -> None:
    result = run(user, BREAKER.replace("breaker", "baker"))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        ["meshspec: there is no role 'baker': the roles are breaker, identity, ledger, lease"]
    )


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


KEYS = """
from meshspec import suite

REFERENCE = suite(role="identity")
OWN = suite(role="identity", policy="keys.py:Keys")
PROMISED = suite(role="identity", policy="keys.py:Keys", promises=True)
"""

FORGETFUL = """
class Keys:
    PROMISES = ("equal-effects-agree",)

    def key(self, effect):
        return effect.tool
"""


def test_suites_of_another_role_put_its_obligations_to_its_reference_or_to_a_policy(user: pytest.Pytester) -> None:
    write(user, "keys.py", FORGETFUL)
    result = run(user, KEYS, "-v", "--meshspec-out", "out", name="roles.py")
    result.assert_outcomes(passed=6 + 4 + 4, failed=2)
    result.stdout.fnmatch_lines_random(
        [
            "roles.py::REFERENCE::different-effects-differ PASSED*",
            "roles.py::OWN::scopes-tool-tenant-session FAILED*",
            "roles.py::PROMISED::equal-effects-agree PASSED*",
            "keys.py:Keys, judged as an identity",
            "  not written: of what policies do, only stories told to a breaker are written down",
        ]
    )
    assert "PROMISED::scopes" not in result.stdout.str(), "it promises nothing of the kind"
    again(user, "--policy", "keys.py:Keys", "--meshspec-role", "identity", "-k", "REFERENCE").assert_outcomes(
        passed=4, failed=2
    )


@pytest.mark.parametrize(
    ("suite", "told"),
    [
        ('suite(role="lease", prefix=1)', "*prefix is of a breaker's stories, and this suite is of the role lease*"),
        (
            'suite(role="lease", policy="pybreaker")',
            "*the adapter pybreaker has the role breaker, and is not judged *",
        ),
        ('suite(role="identity", policy="none.py:X", promises=True)', "*none.py:X does not say what it promises: *"),
        ("suite(object, promises=True)", "*promises narrows what a policy is asked: suite(role=*"),
    ],
)
def test_a_suite_that_cannot_be_meant_is_told_when_tests_are_collected(
    user: pytest.Pytester, suite: str, told: str
) -> None:
    result = run(user, f"from meshspec import suite\n\nTestIt = {suite}\n", name="test_roles.py")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([told])
