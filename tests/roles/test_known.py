"""Which roles there are, what each owes in the registry's names, and what a policy is said to promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from meshspec.answer import Answer, Finding
from meshspec.claims import load
from meshspec.errors import UsageError
from meshspec.roles import known
from meshspec.roles.asked import stated
from meshspec.roles.known import NAMES, ROLES, asked_of, judge, refuse_unowed, role_of
from meshspec.roles.owed import Owed, Role
from meshspec.roles.promises import promised
from meshspec.roles.record import BREAKS, KEEPS, Record, compare, told


def test_a_role_is_loaded_when_it_is_used_and_not_before() -> None:
    code = (
        "import sys; from meshspec.roles.known import ROLES; assert 'lease' in ROLES and len(ROLES) == 4;"
        "assert 'meshspec.roles.lease' not in sys.modules; ROLES['lease'];"
        "assert 'meshspec.roles.lease' in sys.modules and 'meshspec.roles.identity' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_role_says_what_it_owes_by_names_that_the_registry_has(name: str) -> None:
    role, names = ROLES[name], load().invariants
    assert role.name == name and role.obligations and role.contract and role.conduct
    for one in role.obligations:
        assert one.says and one.in_production and set(one.stands_for) <= set(names), one.name
        assert role.owed(one.name) is one
    assert role.owed("total") is None and list(role.conduct) == ["total", "contract", "deterministic"]
    assert set(role.incidents) == {one.name for one in role.obligations}, "an incident for each obligation"
    assert (Path(__file__).parents[2] / role.where).is_file()


def test_no_two_roles_owe_something_of_one_name() -> None:
    owed = [one.name for role in ROLES.values() for one in role.obligations]
    assert len(owed) == len(set(owed))


def test_an_obligation_stands_at_its_line() -> None:
    for name in ("identity", "lease"):
        for one in ROLES[name].obligations:
            file, _, line = stated(ROLES[name], one.name).partition(":")
            lines = (Path(__file__).parents[2] / file).read_text(encoding="utf-8").splitlines()
            assert lines[int(line) - 1].strip() == f'"{one.name}",'


def test_what_is_no_role_is_refused_with_the_roles_that_there_are() -> None:
    for asked in (lambda: role_of("router"), lambda: judge("a:b", role="router")):
        with pytest.raises(
            UsageError, match="there is no role 'router': the roles are breaker, identity, ledger, lease"
        ):
            asked()
    with pytest.raises(
        UsageError, match="one-holder: no obligation of the role lease, which has one-holder-at-a-time,"
    ):
        refuse_unowed("lease", ["one-holder"])
    with pytest.raises(UsageError, match="no obligation of the role identity"):
        judge("a:b", role="identity", only=["one-holder-at-a-time"])


def test_the_article_of_a_role_and_all_of_its_names() -> None:
    owed = (Owed("a", "b", ("c",), "d"),)
    assert Role("oracle", "", owed, "", {}, {"total": ""}).a == "an oracle"
    assert Role("lease", "", owed, "", {}, {"total": ""}).names == ("a", "total")


def test_a_breaker_is_asked_what_it_offers_and_others_all() -> None:
    assert asked_of("lease", "no.such.module:Thing") == ROLES["lease"].names
    everybody = asked_of("breaker", "no.such.module:Thing")
    assert {"trips-on-alternation", "total"} <= set(everybody) < set(ROLES["breaker"].names)
    assert "goes-on-after-reset" not in everybody and "goes-on-after-reset" in asked_of(
        "breaker", ROLES["breaker"].reference
    )


PROMISING = """
PROMISES = ["free-key-is-granted"]

class Plain: ...

class Own(Plain):
    PROMISES: tuple[str, ...] = ("late-holder-is-fenced",)

class Derived(Own): ...
"""


def test_what_is_promised_is_read_from_the_class_then_from_what_it_is_derived_from_then_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "my_leases.py"
    file.write_text(PROMISING)
    assert promised(f"{file}:Plain", "lease") == frozenset({"free-key-is-granted"})
    assert (
        promised(f"{file}:Own", "lease")
        == promised(f"{file}:Derived", "lease")
        == frozenset({"late-holder-is-fenced"})
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert promised("my_leases:Derived", "lease") == frozenset({"late-holder-is-fenced"})
    assert promised("no.such.module:X", "lease") is promised(f"{tmp_path}/none.py:X", "lease") is None
    assert "my_leases" not in sys.modules, "it is read, and not run"
    file.write_text("class Plain: ...")
    assert promised(f"{file}:Plain", "lease") is None


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("tuple(NAMES)", "is no plain tuple of texts"),
        ("'free-key-is-granted'", "is no plain tuple of texts"),
        ("('free-key',)", "free-key: no obligation of the role lease, which has"),
    ],
)
def test_what_is_promised_in_a_way_that_cannot_be_meant_is_refused_at_its_line(
    value: str, why: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"class Mine:\n    PROMISES = {value}\n")
    with pytest.raises(UsageError, match=why) as error:
        promised(f"{file}:Mine", "lease")
    assert f"{file}:2: PROMISES" in str(error.value)


def test_a_record_of_a_role_without_steps_says_keeps_or_breaks() -> None:
    bad = Finding("p", "equal-effects-agree", Answer.VIOLATED, "judge", kind="obligation", facts={"unit": "pairs"})
    assert told(bad) == BREAKS
    record = Record("p", "p 1", {"equal-effects-agree": BREAKS, "different-effects-differ": KEEPS}, "identity")
    one, other = compare(record, [bad])
    assert (one.answer, one.facts["unit"]) == (Answer.HOLDS, "pairs") and other.answer is Answer.VACUOUS


def test_judge_hands_on_what_a_role_has_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, object] = {}

    class Module:
        @staticmethod
        def judge(target: str, **more: object) -> list[Finding]:
            given.update(more, target=target)
            return []

    def instead(name: str) -> type[Module]:
        assert name == "meshspec.roles.judge"
        return Module

    monkeypatch.setattr(known, "import_module", instead)
    judge("a:b", role="breaker", only=["trips-on-alternation"], bound=3, subject="s")
    assert given["target"] == "a:b" and given["bound"] == 3 and given["only"] == ["trips-on-alternation"]
