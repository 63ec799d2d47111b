"""The adapters for the role `identity`: what each package's keys do is what is on record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import pytest

from meshspec.adapters import adapters, chosen, judge, narrowed
from meshspec.answer import Answer, Finding
from meshspec.errors import UsageError
from meshspec.properties import identities
from meshspec.roles.identity import AGREE, DIFFER, SCOPES
from meshspec.roles.identity import judge as judge_target
from meshspec.roles.record import compare

KEYS = {name for name, info in adapters().items() if "identity" in info.targets}


def pairs_of(finding: Finding) -> set[str]:
    return {pair["pair"] for pair in cast("list[dict[str, str]]", finding.facts["pairs"])}


def test_the_record_of_agentidemp_is_what_it_does(packages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESHSPEC_CACHE", packages)
    found = judge("agentidemp-py", role="identity", walk=0)
    (record,) = [one for one in identities.RECORDS if one.adapter == "agentidemp-py"]
    assert {line.answer for line in compare(record, found)} == {Answer.HOLDS}
    differ, agree, scopes, *_ = found
    assert pairs_of(differ) == {"NUL in scope", "NUL in a tool's name", "key 1 and key '1'", "occurrence"}
    assert {"argument order", "nested key order"} <= pairs_of(agree) and not pairs_of(scopes)
    assert differ.facts["refused"], "what JSON cannot write"
    assert all(one.facts["promised"] is True for one in found[:3])


STAND_INS = {
    "agentidemp-py": ("agentidemp", "def scoped_key(*parts): return 1\n"),
    "agent-outbox": ("agent_outbox", "def idempotency_key(*parts): return 1\n"),
}


@pytest.mark.parametrize("name", STAND_INS)
def test_over_a_stand_in_that_does_nothing_an_adapter_tells_no_two_effects_apart(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, source = STAND_INS[name]
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    found = {one.property: one for one in judge_target(adapters()[name].targets["identity"], walk=0)}
    assert {name for name, one in found.items() if one.answer is Answer.VIOLATED} == {DIFFER, SCOPES}
    assert found[AGREE].answer is Answer.HOLDS


def test_every_package_with_keys_is_on_record_under_its_version() -> None:
    records = {record.adapter: record for record in identities.RECORDS}
    assert set(records) == KEYS == {"agentidemp-py", "agent-once", "agent-outbox", "agent-watchdog"}
    for name, record in records.items():
        assert record.role == "identity" and record.package == adapters()[name].package.replace("==", " ")
        assert set(record.says) == {DIFFER, AGREE, SCOPES}


def test_a_package_may_be_judged_in_two_roles_and_promises_what_it_says_in_each() -> None:
    once = adapters()["agent-once"]
    assert set(once.targets) == {"ledger", "identity"} and once.targets["ledger"] != once.targets["identity"]
    assert once.promised("identity") == {DIFFER, AGREE} == narrowed("agent-once", "identity")[0]
    assert narrowed("agent-once", "identity")[1] == (SCOPES,)
    assert chosen("agent-once", "ledger").promises == once.promised("ledger") != once.promised("identity")
    with pytest.raises(UsageError, match=r"agent-once has the role .*, and is not judged as a breaker"):
        chosen("agent-once", "breaker")
    with pytest.raises(UsageError, match="agent-watchdog promises none of what an identity owes"):
        narrowed("agent-watchdog", "identity")
