"""The command line in every role: what is asked and what is not, in text and JSON, and which options fit."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from meshspec.cli.runs import Report, list_policies
from meshspec.report.bundle import UNWRITTEN
from meshspec.roles import identity, lease
from meshspec.roles.known import NAMES, ROLES
from meshspec.roles.lease_runs import Run, runs
from tests.cli.conftest import User

POLICIES = Path(__file__).parents[2] / "meshspec/policies"
FORGETFUL = """\
class Forgetful:
    PROMISES = ("different-effects-differ", "equal-effects-agree")

    def key(self, effect):
        return (effect.tool, repr(sorted(map(repr, effect.arguments.items()))))


class Silent:
    def key(self, effect):
        return Forgetful().key(effect)


class Fickle(Forgetful):
    PROMISES = ("scopes-tool-tenant-session",)


class Keyless:
    pass


class Idle:
    PROMISES = ()

    def key(self, effect):
        return 0
"""


@pytest.fixture
def forgetful(user: User) -> User:
    user.write(FORGETFUL, "forgetful.py", imports="")
    return user


def test_a_violated_identity_is_told_with_its_pairs_in_text_and_json_and_exits_1(forgetful: User) -> None:
    said, report = forgetful.json("check", "forgetful.py:Forgetful", "--role", "identity")
    assert said.code == 1 and said.lines[0] == "forgetful.py:Forgetful, judged as an identity"
    (scopes,) = [one for one in report["properties"] if one["property"] == "scopes-tool-tenant-session"]
    assert scopes["answer"] == "VIOLATED" and scopes["facts"]["promised"] is False
    assert "the package does not promise this" in said.words
    assert [pair["pair"] for pair in scopes["facts"]["pairs"]][:2] == ["tenant", "tenant and session"]
    assert "broken on" in said.words and "tenant, tenant and session, session" in said.words
    assert [step["action"] for step in scopes["counterexample"]] in [
        pair["effects"] for pair in scopes["facts"]["pairs"]
    ]
    assert scopes["facts"]["stands for"] == ["EL-TENANT"]
    assert "again: meshspec check forgetful.py:Forgetful --role identity --seed 0" in said.words


def test_with_promises_only_those_are_asked_and_the_others_are_named(forgetful: User) -> None:
    said, report = forgetful.json("check", "forgetful.py:Forgetful", "--role", "identity", "--promises")
    asked = [one["property"] for one in report["properties"]]
    assert asked == ["different-effects-differ", "equal-effects-agree", "total", "contract", "deterministic"]
    told = "not asked, since it does not promise them: scopes-tool-tenant-session (all is asked without --promises)"
    assert told in said.words and told in report["notes"]
    assert {one["replay"].rpartition(" ")[2] for one in report["properties"]} == {"--promises"}
    derived = forgetful.run("check", "forgetful.py:Fickle", "--role", "identity", "--promises")
    assert "VIOLATED scopes-tool-tenant-session" in derived.words and "HOLDS equal-effects-agree" not in derived.words


@pytest.mark.parametrize(
    ("target", "told"),
    [
        (
            "Silent",
            'does not say what it promises: write PROMISES = ("different-effects-differ", ...) into the class',
        ),
        ("Idle", "promises none of what an identity owes"),
        ("Keyless", "forgetful.py:Keyless has no method key: the role identity needs key"),
    ],
)
def test_who_promises_nothing_cannot_be_held_to_it(forgetful: User, target: str, told: str) -> None:
    said = forgetful.run("check", f"forgetful.py:{target}", "--role", "identity", "--promises")
    assert said.code == 2 and told in said.err and said.out == ""


def test_a_module_without_a_class_is_told_which_of_its_classes_are_meant(user: User) -> None:
    said = user.run("check", "meshspec.policies.lease", "--role", "lease")
    assert said.code == 2 and "name the class in it, write meshspec.policies.lease:Leases" in said.err
    none = user.run("check", "meshspec.policies.lease", "--role", "ledger")
    assert none.code == 2 and "is no adapter" in none.err


def test_what_was_finished_when_the_user_ended_it_is_in_the_report(
    forgetful: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(_seed: int, _walk: int) -> Iterator[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(identity, "wrapped_pairs", ended)
    targets = ("forgetful.py:Forgetful", "forgetful.py:Silent")
    said, report = forgetful.json("check", *targets, "--role", "identity")
    told = {one["property"]: one["answer"] for one in report["properties"] if "Silent" not in one["model"]}
    owed = [told.pop(one.name) for one in ROLES["identity"].obligations]
    assert set(owed) == {"VIOLATED"} and set(told.values()) == {"UNDETERMINED"} and said.code == 1
    assert [one["answer"] for one in report["properties"] if "Silent" in one["model"]] == ["UNDETERMINED"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--role", "router"), "there is no role 'router': the roles are breaker, identity, ledger, lease"),
        (("--role", "router", "--promises"), "there is no role 'router'"),
        (("--role", "lease", "--prefix", "1"), "--prefix is for the stories of a breaker"),
        (("--role", "ledger", "--prefix", "0"), "--prefix is for the stories of a breaker"),
        (("--role", "identity", "--engine", "explore"), "--scope, --engine and --without are for models"),
        (("--role", "lease", "--story-limit", "-1"), "--story-limit"),
        (("--promises",), "--promises narrows what a policy is asked: name a --role"),
    ],
)
def test_options_that_do_not_fit_the_role_are_refused(forgetful: User, options: tuple[str, ...], told: str) -> None:
    said = forgetful.run("check", "forgetful.py:Forgetful", *options)
    assert said.code == 2 and told in said.err


@pytest.mark.parametrize("role", [name for name in NAMES if name != "breaker"])
def test_an_adapter_that_is_none_in_a_role_says_what_it_is(role: str, user: User) -> None:
    said = user.run("check", "pybreaker", "--role", role)
    assert said.code == 2
    assert f"the adapter pybreaker has the role breaker, and is not judged as {ROLES[role].a}" in said.err


PROMISED = {
    "breaker": ("lets-distinct-work-run", "class P:\n    def observe(self, step):\n        return 'CONTINUE'\n"),
    "identity": (
        "scopes-tool-tenant-session",
        "class P:\n    def key(self, effect):\n        return repr(effect)\n",
    ),
    "lease": ("late-holder-is-fenced", (POLICIES / "lease.py").read_text(encoding="utf-8").replace("Leases:", "P:")),
    "ledger": (
        "none-result-deduplicates",
        (POLICIES / "ledger.py").read_text(encoding="utf-8").replace("class Ledger:", "class P:"),
    ),
}


def few(length: int) -> Iterator[Run]:
    """The shorter runs alone, which take less time."""
    return runs(length) if length < 4 else iter(())


@pytest.mark.parametrize(("role", "strength"), [(NAMES[0], "proved"), *((name, "exhaustive") for name in NAMES[1:])])
def test_what_is_only_tested_is_undetermined_where_more_is_required(
    user: User, role: str, strength: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "runs", few)
    promise, source = PROMISED[role]
    user.write(f'{source}\n\nPROMISES = ("{promise}",)\n', "p.py", imports="")
    shorter = ("--prefix", "0") if role == "breaker" else ()
    said, report = user.json("check", "p.py:P", "--role", role, "--promises", "--require", strength, *shorter)
    assert said.code == 3 and "HOLDS, tested" in said.words
    wanted = "every size" if strength == "proved" else "exhaustive"
    told = {(one["answer"], one["reason"], one["known"]) for one in report["properties"]}
    assert told == {("UNDETERMINED", f"{wanted} was required", "HOLDS, tested")}
    assert [one["property"] for one in report["properties"]] == [promise, *ROLES[role].conduct]


def test_out_says_that_nothing_of_this_role_is_written_down(forgetful: User) -> None:
    said = forgetful.run("check", "forgetful.py:Forgetful", "--role", "identity", "--out", "found")
    assert said.code == 1
    assert f"no bundle of scopes-tool-tenant-session: {UNWRITTEN}" in said.words
    assert not list(forgetful.folder.glob("found/*"))


def test_a_lease_is_judged_with_its_file_as_the_place_of_what_is_wrong_with_it(user: User) -> None:
    user.write("class NoClock:\n    pass\n", "no_clock.py", imports="")
    said = user.run("check", "no_clock.py:NoClock", "--role", "lease")
    assert said.code == 2 and "no_clock.py:1" in said.err
    assert "the role lease makes it as NoClock(clock, seconds)" in said.err


def test_every_format_of_a_report_takes_the_answers_of_a_role(forgetful: User) -> None:
    said, report = forgetful.json(
        "check", "forgetful.py:Forgetful", "--role", "identity", "--junit", "j.xml", "--sarif", "s.sarif",
        "--markdown", "m.md", "--github",
    )  # fmt: skip
    assert said.code == 1
    violated = {one["property"] for one in report["properties"] if one["answer"] == "VIOLATED"}
    assert "scopes-tool-tenant-session" in violated and "total" not in violated
    cases = ET.parse(forgetful.folder / "j.xml").getroot().iter("testcase")
    assert {case.get("name") for case in cases if case.find("failure") is not None} == violated
    for file in ("s.sarif", "m.md"):
        assert violated <= set(re.findall(r"[a-z-]+", (forgetful.folder / file).read_text(encoding="utf-8"))), file
    assert said.out.count("::error") == len(violated)


def test_the_list_has_the_adapters_and_the_reference_of_each_role(user: User) -> None:
    user.capsys.readouterr()
    list_policies(Report())
    lines = [line.strip() for line in user.capsys.readouterr().out.splitlines()]
    for role in ROLES.values():
        assert f"policies (--role {role.name}):" in lines and f"{role.reference}, the reference" in lines
    assert "agentidemp-py            agentidemp-py==0.1.0" in lines
    assert sum(line.startswith("agent-once ") for line in lines) == 2, "as a ledger, and for its keys"
