"""Two packages from elsewhere judged as ledgers, and what is on record of them."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from meshspec.adapters import adapters
from meshspec.answer import Answer, Finding
from meshspec.properties.ledgers import RECORDS
from meshspec.roles.ledger import ROLE, judge
from meshspec.roles.record import BREAKS, compare

NAMES = ("agent-once", "agent-outbox")
EXPIRY, TIMEOUT = "no-silent-duplicate-after-expiry", "unknown-outcome-surfaces"


@pytest.fixture(autouse=True)
def _own_cache(packages: str, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("MESHSPEC_CACHE", packages)


def put_to(name: str, only: Collection[str] | None = None, target: str = "") -> dict[str, Finding]:
    info = adapters()[name]
    found = judge(target or info.targets["ledger"], package=info.package, promises=info.promised("ledger"), only=only)
    return {finding.property: finding for finding in found}


def test_a_package_does_what_is_on_record() -> None:
    """One of them; `meshspec check` has them all."""
    known = next(one for one in RECORDS if one.adapter == "agent-once")
    found = put_to(known.adapter)
    assert [line.property for line in compare(known, found.values()) if line.answer is not Answer.HOLDS] == []
    kills = found["no-silent-duplicate-after-crash"].tested
    assert kills is not None and kills > 20
    promised = {name for name, finding in found.items() if finding.facts.get("promised")}
    assert promised == adapters()[known.adapter].promised("ledger")


def test_neither_package_promises_what_it_does_not_keep() -> None:
    assert [one.adapter for one in RECORDS] == list(NAMES)
    for known in RECORDS:
        promised = adapters()[known.adapter].promised("ledger")
        assert promised and not [name for name in promised if known.says[name] == BREAKS]


def test_agent_outbox_acts_again_when_the_lease_of_the_dead_is_over_and_books_a_timeout_as_a_failure() -> None:
    found = put_to("agent-outbox", [EXPIRY, TIMEOUT])
    again, timeout = found[EXPIRY].counterexample, found[TIMEOUT].counterexample
    assert again is not None and timeout is not None
    assert [step.note for step in again.steps] == [
        "no answer",
        "what holds for 0.6 s has expired",
        "DONE 'receipt 1'",
    ]
    assert dict(again.steps[-1].changes) == {"world": ("1 line", "2 lines")}
    assert [step.note for step in timeout.steps] == ["FAILED 'TimeoutError: no response in time'"] * 3


@pytest.mark.parametrize(
    ("name", "old", "new", "flips", "to"),
    [
        (
            "agent-outbox",
            "lease_seconds=lifetime",
            "lease_seconds=lifetime, reclaim_stale=False",
            EXPIRY,
            Answer.HOLDS,
        ),
        ("agent-once", "hooks=hooks", "hooks=hooks, unknown_on=()", TIMEOUT, Answer.VIOLATED),
        ("agent-once", "stale_after=lifetime", "ttl=lifetime", EXPIRY, Answer.VIOLATED),
    ],
)
def test_another_setting_of_the_package_flips_the_answer(
    tmp_path: Path, name: str, old: str, new: str, flips: str, to: Answer
) -> None:
    source = Path(adapters()[name].targets["ledger"].rpartition(":")[0]).read_text(encoding="utf-8")
    assert source.count(old) == 1
    (tmp_path / "patched.py").write_text(source.replace(old, new))
    before = next(one for one in RECORDS if one.adapter == name).says[flips]
    assert (before == BREAKS) == (to is Answer.HOLDS)
    assert put_to(name, [flips], f"{tmp_path}/patched.py:Adapter")[flips].answer is to


DO_NOTHING = {
    "agent-once": (
        "once",
        "class OnceError(Exception): ...\n"
        "class Hooks:\n    def __init__(self, on_replay): ...\n"
        "class Once:\n"
        "    def __init__(self, path, **settings): ...\n"
        "    def execute(self, tool, arguments, **named): return tool(arguments)\n",
    ),
    "agent-outbox": (
        "agent_outbox",
        "class OutboxStore:\n    def __init__(self, path): ...\n"
        "class Done:\n    ok = True; replay = False; key = ''\n"
        "class ToolExecutor:\n"
        "    def __init__(self, store, **settings): ...\n"
        "    def run(self, tool, act, arguments, session):\n"
        "        done = Done(); done.result = act(**arguments); return done\n",
    ),
}


@pytest.mark.parametrize("name", DO_NOTHING)
def test_an_adapter_over_a_do_nothing_stand_in_fails_what_it_must(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, source = DO_NOTHING[name]
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    found = {f.property: f for f in judge(adapters()[name].targets["ledger"], kills=1)}
    kept = [one for one in ROLE.names if found[one].answer is Answer.HOLDS]
    takes_keys = name == "agent-once"  # and then lets a changed payload through under one
    assert kept == [*([] if takes_keys else ["changed-payload-is-refused"]), *ROLE.conduct]
    broken = [one for one in ROLE.names if found[one].answer is Answer.VIOLATED]
    cut = [one for one in ROLE.names if found[one].answer is Answer.UNDETERMINED]
    assert cut == ["no-false-success-after-crash"] and len(broken) == len(ROLE.names) - len(kept) - 1
