"""The registry of claims: what is committed, what is refused, and evidence that does not exist."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from meshspec import claims as registry_of
from meshspec.claims import Claim, Registry, load, missing_evidence, parse, summary, table, unexamined, unknown_names
from meshspec.errors import ModelError, UsageError

FILE = Path(registry_of.__file__).parent / "paper" / "claims.toml"

SMALL = """\
[discrepancies.D01]
severity = "A"
title = "18 or 21"

[claims."F.linked"]
source = "paper/I"
kind = "quantity"
primitive = "P1"
statement = "It was called 54 times."
values = { calls = 54, share = 0.5, word = "once", range = [1, 2] }
how_to_check = "Count."
discrepancies = ["D01"]
status = "open"
evidence = []

[claims."F.alone"]
source = "paper/I"
kind = "status"
primitive = "evaluation"
statement = "It is said to run."
values = {}
how_to_check = "not checkable from the text: private."
discrepancies = []
no_invariant = "status"
status = "open"
evidence = []

[invariants.PB-ONE]
primitive = "P1"
kind = "safety"
origin = "paper"
statement = "Four equal calls stop."
claims = ["F.linked"]
evidence = []
"""


def small(*changes: tuple[str, str]) -> Registry:
    text = SMALL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return parse(text.encode(), "c")


def refusal(*changes: tuple[str, str]) -> str:
    with pytest.raises(ModelError) as caught:
        small(*changes)
    assert caught.value.where is not None
    return str(caught.value)


def settled(*evidence: str, status: str = "reproduced") -> Registry:
    return small(('status = "open"\nevidence = []', f'status = "{status}"\nevidence = {json.dumps(evidence)}'))


# ---- what is committed


def test_the_394_claims_and_136_invariants_are_there() -> None:
    assert len(load().claims) == 394
    assert len(load().invariants) == 108 + 28
    assert len(load().discrepancies) == 55


def test_claims_are_counted_by_kind_and_primitive_and_text() -> None:
    claims = load().claims.values()
    assert Counter(claim.kind for claim in claims) == {
        "invariant": 84, "structural-rule": 51, "mechanism": 41, "quantity": 40, "status": 40, "comparison": 40,
        "arithmetic": 33, "external-result": 21, "metric": 19, "research-direction": 15, "definition": 10,
    }  # fmt: skip
    assert Counter(claim.primitive for claim in claims) == {
        "P1": 33, "P2": 15, "P3": 28, "P4": 18, "P5": 22, "P6": 40, "P7": 9, "lifecycle": 22, "verdicts": 14,
        "admission": 13, "evaluation": 82, "peers": 98,
    }  # fmt: skip
    assert Counter(claim.source.split("/")[0] for claim in claims) == {"paper": 279, "chapter": 36, "notes": 79}


def test_invariants_are_counted_by_kind_and_origin_and_primitive() -> None:
    invariants = load().invariants.values()
    assert Counter(it.kind for it in invariants) == {
        "safety": 92, "hyperproperty": 15, "liveness": 11, "definition": 7, "metric": 5, "negative-theorem": 4,
        "game": 2,
    }  # fmt: skip
    assert Counter(it.origin for it in invariants) == {"paper": 88, "ours": 37, "chapter": 7, "notes": 4}
    assert sum(it.primitive == "beyond" for it in invariants) == 28
    assert all((it.primitive == "beyond") == bool(it.belongs_to) for it in invariants)


def test_no_text_is_empty_and_all_are_ascii_for_a_c_locale() -> None:
    assert FILE.read_text("utf-8").isascii()
    assert all(claim.source and claim.statement and claim.how_to_check for claim in load().claims.values())
    assert all(invariant.statement for invariant in load().invariants.values())


def test_nothing_of_the_file_is_lost_on_the_way_into_the_registry() -> None:
    document: dict[str, Any] = tomllib.loads(FILE.read_text("utf-8"))
    for section in ("claims", "invariants", "discrepancies"):
        rows = json.loads(msgspec.json.encode(dict(getattr(load(), section)), enc_hook=dict))
        assert list(rows) == list(document[section])
        for id, fields in document[section].items():
            assert {field: repr(rows[id][field]) for field in fields} == {
                field: repr(fields[field]) for field in fields
            }


def test_values_keep_their_types_and_none_went_missing() -> None:
    values = [value for claim in load().claims.values() for value in claim.values.values()]
    assert Counter(type(value).__name__ for value in values) == {"int": 310, "float": 27, "str": 17, "list": 7}
    assert load().claims["F1.verifier-loop.54-calls"].values == {
        "calls": 54, "minutes": 11, "distinct_payloads": 1, "errors": 0
    }  # fmt: skip


def test_a_claim_cannot_be_changed_by_its_reader() -> None:
    claim: Any = load().claims["F1.k.identical-calls"]
    with pytest.raises(TypeError):
        claim.values["threshold"] = 5
    with pytest.raises(AttributeError):
        claim.status = "proved"


def test_every_claim_is_linked_to_a_name_or_says_why_not() -> None:
    claims = load().claims.values()
    assert sum(bool(claim.names) for claim in claims) == 394 - 165
    assert all(bool(claim.names) != bool(claim.no_invariant) for claim in claims)
    assert all(claim.id in load().invariants[name].claims for claim in claims for name in claim.names)


def test_the_summary_counts_every_claim_once_under_every_status() -> None:
    assert tuple(summary(load())) == registry_of.STATUSES
    assert sum(summary(load()).values()) == 394
    assert summary(settled("answer:Answer")) == dict.fromkeys(registry_of.STATUSES, 0) | {"open": 1, "reproduced": 1}


def test_the_evidence_of_the_committed_registry_exists() -> None:
    assert missing_evidence(load()) == []


# ---- what is refused, with file and line


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('kind = "quantity"', 'kind = "number"', "c:7: claims: F.linked: there is no kind 'number'; it is one of: i"),
        ('kind = "safety"', 'kind = "quantity"', "c:30: invariants: PB-ONE: there is no kind 'quantity'; it is one"),
        ('primitive = "P1"', 'primitive = "P8"', "c:8: claims: F.linked: there is no primitive 'P8'; it is one of:"),
        ('status = "open"', 'status = "done"', "c:13: claims: F.linked: there is no status 'done'; it is one of: op"),
        ("calls = 54", "calls = 1979-05-27", "c:10: claims: F.linked: Expected `int | float | str"),
        ("values = {", "valves = {", "c:10: claims: F.linked: Object contains unknown field `valves`"),
        ('source = "paper/I"\n', "", "c:5: claims: F.linked: Object missing required field `source`"),
        ('"D01"]', '"D10"]', "c:12: claims: F.linked: discrepancies has 'D10', which does not exist"),
        ('["F.linked"]', '["F.linkd"]', "c:33: invariants: PB-ONE: claims has 'F.linkd', which does not exist; did"),
        ('["F.linked"]', '["F.linked", "F.linked"]', "c:33: invariants: PB-ONE: claims has 'F.linked' more than onc"),
        ('["F.linked"]', '["F.alone"]', "c:5: claims: F.linked: no invariant links to it and no_invariant does not"),
        ('["F.linked"]', '["F.linked", "F.alone"]', "c:24: claims: F.alone: PB-ONE links to it, yet it says no_inv"),
        ('no_invariant = "status"\n', "", "c:16: claims: F.alone: no invariant links to it and no_invariant does no"),
        ('claims."F.alone"', 'claims."F.linked"', "c:16: this is not TOML that can be read: Cannot declare"),
        ("invariants.PB-ONE", 'invariants."F.linked"', "c:28: invariants: F.linked: this is also the id of a claim"),
        ("[claims", "[clams", "c:5: clams: there are claims, invariants and discrepancies here, nothing else"),
        ('severity = "A"', 'severity = "Z"', "c:2: discrepancies: D01: Expected `str` matching regex"),
        ('kind = "quantity"', 'id = "F.other"', "c:7: claims: F.linked: id is not written here"),
        ('kind = "quantity"', 'names = ["X"]', "c:7: claims: F.linked: names is not written here"),
        ("evidence = []", 'evidence = ["/etc/passwd"]', "c:14: claims: F.linked: '/etc/passwd' refers to nothing; w"),
        ("evidence = []", 'evidence = ["../t/a.py::test_x"]', "c:14: claims: F.linked: '../t/a.py::test_x' refers t"),
        ("evidence = []", 'evidence = ["answer:A", "answer:A"]', "c:14: claims: F.linked: evidence has 'answer:A' m"),
    ],
)  # fmt: skip
def test_what_is_not_a_registry_is_refused_with_file_and_line(old: str, new: str, told: str) -> None:
    assert refusal((old, new)).startswith(told)


def test_not_checkable_is_a_status_only_where_how_to_check_says_so() -> None:
    alone = 'no_invariant = "status"\nstatus = "{}"\nevidence = {}'
    settle = (alone.format("open", "[]"), alone.format("not-checkable", "[]"))
    assert small(settle).claims["F.alone"].status == "not-checkable"
    assert "c:25: claims: F.alone: not-checkable, yet how_to_check says how" in refusal(
        ("not checkable from the text: private.", "Count."), settle
    )


def test_every_settled_status_needs_evidence() -> None:
    for status in [s for s in registry_of.STATUSES if s not in ("open", "not-checkable")]:
        assert f"{status} needs evidence" in refusal(('status = "open"', f'status = "{status}"'))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "some:1: claims: there is no claim in it"),
        (b"claims = 3", "some:1: claims: must hold one table for each id"),
        (b"\n[claims]\nx = 3", "some:3: claims: x: must be a table"),
        (b"[claims.x\n", "some:1: this is not TOML"),
        (b'a = 1\nb = "\xff"', "some:2: this is not UTF-8"),
        (b"a = " + b"[" * 100_000, "some:1: this is not TOML"),
        (b"a = " + b"9" * 10_000, "some:1: this is not TOML"),
        (b"a = 1\x00", "some:1: this is not TOML"),
        (b'[claims.x]\n\nvalues = """\n', "some:4: this is not TOML"),
    ],
)
def test_hostile_files_are_refused_with_file_and_line(data: bytes, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse(data, "some")
    assert str(caught.value).startswith(told)


def test_a_file_cut_short_anywhere_is_refused_with_file_and_line() -> None:
    data = SMALL.encode()
    for length in range(len(data) - 1):
        with pytest.raises(ModelError, match=r"^some:\d+: "):
            parse(data[:length], "some")


def test_a_file_with_any_one_byte_spoilt_is_read_or_refused() -> None:
    data = SMALL.encode()
    for place in range(len(data)):
        for spoilt in (b"\x00", b"\xff", b'"', b"[", b"\n", b"."):
            try:
                parse(data[:place] + spoilt + data[place + 1 :], "some")
            except ModelError as error:
                assert re.match(r"some:\d+: ", str(error))


def test_a_file_can_be_loaded_from_anywhere_where_it_is(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        load(tmp_path / "claims.toml")
    (tmp_path / "claims.toml").write_text(SMALL, "utf-8")
    assert load(tmp_path / "claims.toml").claims == small().claims


# ---- evidence and names


@pytest.fixture
def evidence_file(monkeypatch: pytest.MonkeyPatch) -> None:
    promise = SimpleNamespace(stands_for=("PB-ONE",), proved=True)
    model = type("Ledger", (), {"at_most_once": None})
    evidence = SimpleNamespace(model=model, promises={"at_most_once": promise})
    monkeypatch.setitem(sys.modules, "meshspec.properties.made_up", SimpleNamespace(EVIDENCE=evidence, Ledger=model))


@pytest.mark.usefixtures("evidence_file")
@pytest.mark.parametrize(
    "reference",
    [
        "properties.made_up:at_most_once",
        "properties.made_up:at_most_once.proved",
        "properties.made_up:Ledger.at_most_once",
        "meshspec.answer:Answer.HOLDS",
        "tests/test_claims.py::test_the_394_claims_and_136_invariants_are_there",
        "tests/test_claims.py::test_evidence_that_exists_is_not_missing[some parameter]",
    ],
)
def test_evidence_that_exists_is_not_missing(reference: str) -> None:
    assert missing_evidence(settled(reference)) == []


@pytest.mark.usefixtures("evidence_file")
@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("properties.made_up:at_most_onc", "has no at_most_onc; did you mean at_most_once?"),
        ("properties.made_up:at_most_once.rubbish", "has no at_most_once.rubbish"),
        ("properties.made_up:Ledger.exactly_once", "has no Ledger.exactly_once"),
        ("properties.nowhere:at_most_once", "meshspec.properties.nowhere cannot be imported (ModuleNotFoundError"),
        ("os:path", "meshspec.os cannot be imported"),
        ("tests/nowhere.py::test_x", "tests/nowhere.py cannot be read (FileNotFoundError)"),
        ("tests/test_claims.py::test_the_393_claims", "has no test_the_393_claims"),
        ("tests/test_claims.py::SomeClass::test_x", "has no SomeClass"),
    ],
)
def test_evidence_that_does_not_exist_is_named_with_the_reason(reference: str, reason: str) -> None:
    [missing] = missing_evidence(settled(reference))
    assert (missing.id, missing.reference) == ("F.linked", reference)
    assert reason in missing.reason
    assert str(missing).startswith(f"F.linked: {reference}: ")


def test_evidence_of_an_invariant_is_followed_too() -> None:
    registry = small(('claims = ["F.linked"]\nevidence = []', 'claims = ["F.linked"]\nevidence = ["nowhere:x"]'))
    assert [missing.id for missing in missing_evidence(registry)] == ["PB-ONE"]


def test_a_module_that_fails_on_import_is_no_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_here.py").write_text("1 / 0\n", "utf-8")
    monkeypatch.setattr("meshspec.__path__", [str(tmp_path)])
    [missing] = missing_evidence(settled("broken_here:x"))
    assert "ZeroDivisionError" in missing.reason


def test_tests_are_looked_for_in_the_given_tree_only(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text("class TestIt:\n    async def test_x(self): ...\n", "utf-8")
    assert missing_evidence(settled("tests/test_it.py::TestIt::test_x"), tmp_path) == []
    assert len(missing_evidence(settled("tests/test_claims.py::test_x"), tmp_path)) == 1


def test_an_installed_package_says_which_tests_it_cannot_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = settled("tests/nowhere.py::test_x", "nowhere:x")
    assert unexamined(registry) == []
    monkeypatch.setattr(registry_of, "checkout", lambda: None)
    assert unexamined(registry) == ["tests/nowhere.py::test_x"]
    assert [missing.reference for missing in missing_evidence(registry)] == ["nowhere:x"]


def test_names_that_do_not_exist_are_told_with_what_is_near() -> None:
    assert unknown_names(["EL-AT-MOST-ONCE", "F1.k.identical-calls"]) == []
    assert unknown_names(["el-at-most-once", "zzz", "zzz"]) == [
        "there is no el-at-most-once in the registry; did you mean EL-AT-MOST-ONCE or N.logact.at-most-once?",
        "there is no zzz in the registry",
    ]


# ---- filters and the table


def test_filters_apply_together() -> None:
    rows = load().select(kind="invariant", primitive="P1", name="PB-TRIP*")
    assert [row.id for row in rows] == ["F1.step-budget-licence", "F1.k.identical-calls"]


def test_a_name_is_a_part_or_a_glob_of_an_id_a_linked_name_or_a_statement_in_either_case() -> None:
    assert [row.id for row in small().select(name="pb-o")] == ["F.linked", "PB-ONE"]
    assert [row.id for row in small().select(name="f.?l*")] == ["F.alone"]
    assert [row.id for row in small().select(name="54 TIMES")] == ["F.linked"]
    assert small().select(name="*54") == ()


def test_a_status_selects_claims_only() -> None:
    rows = load().select(status="open")
    assert rows
    assert all(isinstance(row, Claim) for row in rows)
    assert small().select(status="proved") == ()


@pytest.mark.parametrize(
    ("word", "there_is"), [("status", "not-checkable"), ("kind", "game"), ("primitive", "beyond")]
)
def test_a_filter_value_that_does_not_exist_is_refused_with_those_that_do(word: str, there_is: str) -> None:
    filters: Any = {word: "rubbish"}
    with pytest.raises(UsageError, match=f"there is no {word} 'rubbish'; it is one of: .*{there_is}"):
        load().select(**filters)


def test_the_table_has_the_first_60_columns_of_each_statement() -> None:
    rows = table(load().select())
    assert len(rows) == 394 + 136
    assert {len(row) for row in rows} == {len(registry_of.COLUMNS)}
    assert max(len(row[4]) for row in rows) == 60
    assert table(small().select())[0] == ("F.linked", "quantity", "P1", "open", "It was called 54 times.", "PB-ONE")
