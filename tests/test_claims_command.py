"""``meshspec claims``: the table, its filters, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import attrs
import msgspec
import pytest

from meshspec import claims as registry_of
from meshspec.claims import Registry, load
from meshspec.cli.claims import claims
from meshspec.errors import UsageError

Ship = Callable[..., None]


@pytest.fixture(autouse=True)
def pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever runs the tests may have set a width."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def ship(monkeypatch: pytest.MonkeyPatch) -> Ship:
    """Two claims and an invariant as the whole registry, the first claim with the evidence given, on a pipe."""

    def small(*evidence: str) -> None:
        status = "reproduced" if evidence else "open"
        first = msgspec.structs.replace(load().claims["F1.k.identical-calls"], status=status, evidence=evidence)
        second = msgspec.structs.replace(load().claims["F1.dominant-mode"], status="open", evidence=())
        invariant = msgspec.structs.replace(load().invariants["PB-TRIP-BOUND"], claims=(first.id,), evidence=())
        registry = Registry({first.id: first, second.id: second}, {invariant.id: invariant}, {})
        monkeypatch.setattr(registry_of, "load", lambda: registry)

    return small


def test_it_prints_a_line_for_each_row_and_then_the_counts(ship: Ship, capsys: pytest.CaptureFixture[str]) -> None:
    ship()
    assert claims() == 0
    header, first, second, invariant, counts = capsys.readouterr().out.splitlines()
    assert header.split("  ")[0] == "id"
    assert first.split() == ["F1.k.identical-calls", "invariant", "P1", "open", *first.split()[4:-1], "PB-TRIP-BOUND"]
    assert second.startswith("F1.dominant-mode      comparison  P1         open    ")
    assert invariant.split()[:4] == ["PB-TRIP-BOUND", "safety", "P1", "-"]
    assert counts == "2 of 2 claims and 1 of 1 invariants; of all claims 2 open"


def test_it_shows_the_union_of_the_names_given_in_file_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert claims("SAGA-SHIELD", "SAGA-KNOWS") == 0
    shown = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert shown[1:3] == ["SAGA-KNOWS", "SAGA-SHIELD"]


def test_an_empty_selection_is_counted_and_no_error(ship: Ship, capsys: pytest.CaptureFixture[str]) -> None:
    ship()
    assert claims(status="proved") == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["0 of 2 claims and 0 of 1 invariants; of all claims 2 open"]


def test_it_refuses_a_name_that_matches_nothing_and_says_what_is_near() -> None:
    with pytest.raises(UsageError, match="there is no EL-AT-MOST-ONZE in the registry; did you mean EL-AT-MOST-ONCE"):
        claims("EL-AT-MOST-ONZE")


def test_it_refuses_a_filter_value_that_does_not_exist_and_says_which_do() -> None:
    with pytest.raises(
        UsageError, match=r"there is no status 'opn'; it is one of: open, reproduced, .*not-checkable"
    ):
        claims(status="opn")
    with pytest.raises(UsageError, match=r"there is no kind 'safe'; .*safety"):
        claims(kind="safe")
    with pytest.raises(UsageError, match=r"there is no primitive 'P9'; .*P7, lifecycle"):
        claims(primitive="P9")


def test_it_fails_on_evidence_that_does_not_exist_and_names_each(
    ship: Ship, capsys: pytest.CaptureFixture[str]
) -> None:
    ship("nowhere:x", "answer:Answer", "tests/nowhere.py::test_x")
    assert claims("F1.dominant-mode") == 1
    _, shown, *lost, counts = capsys.readouterr().out.splitlines()
    assert shown.startswith("F1.dominant-mode")
    assert [line.partition(" (")[0] for line in lost] == [
        "evidence does not exist: F1.k.identical-calls: nowhere:x: meshspec.nowhere cannot be imported",
        "evidence does not exist: F1.k.identical-calls: tests/nowhere.py::test_x: tests/nowhere.py cannot be read",
    ]
    assert counts == "1 of 2 claims and 0 of 1 invariants; of all claims 1 open, 1 reproduced"


def test_in_an_installed_package_it_counts_the_tests_it_cannot_look_up(
    ship: Ship, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ship("tests/nowhere.py::test_x")
    monkeypatch.setattr(registry_of, "checkout", lambda: None)
    assert claims() == 0
    assert "has no tests: 1 references" in capsys.readouterr().out


def test_it_keeps_to_60_columns(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert claims() == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert {row.id for row in load().rows} <= {line.split()[0] for line in lines}


def test_it_wraps_what_is_missing_at_60_columns_too(
    ship: Ship, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ship("nowhere:x")
    monkeypatch.setenv("COLUMNS", "60")
    assert claims() == 1
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 60
    assert "evidence does not exist: F1.k.identical-calls: nowhere:x:" in " ".join(out.split())


def test_it_prints_what_the_encoding_of_the_output_lacks_as_escapes(
    ship: Ship, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ship()
    small = registry_of.load()
    row = msgspec.structs.replace(small.claims["F1.dominant-mode"], statement="caf\u00e9")
    monkeypatch.setattr(registry_of, "load", lambda: attrs.evolve(small, claims={row.id: row}))
    with (tmp_path / "out").open("w", encoding="ascii") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        assert claims(row.id) == 0
    assert r"caf\xe9" in (tmp_path / "out").read_text("ascii")


def test_it_says_in_json_what_it_prints(ship: Ship, tmp_path: Path) -> None:
    ship("nowhere:x")
    assert claims(json=tmp_path / "claims.json") == 1
    report = json.loads((tmp_path / "claims.json").read_text("utf-8"))
    assert [claim["id"] for claim in report["claims"]] == ["F1.k.identical-calls", "F1.dominant-mode"]
    assert report["claims"][0]["values"] == {"threshold": 4}
    assert report["claims"][0]["names"] == ["PB-TRIP-BOUND"]
    assert [invariant["id"] for invariant in report["invariants"]] == ["PB-TRIP-BOUND"]
    assert report["total"] == {"claims": 2, "invariants": 1}
    assert report["statuses"]["reproduced"] == 1
    assert report["missing_evidence"][0]["reference"] == "nowhere:x"


def test_it_refuses_a_json_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        claims("SAGA-KNOWS", json=tmp_path / "nowhere" / "claims.json")
