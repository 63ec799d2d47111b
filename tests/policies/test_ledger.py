"""The reference ledger by itself; what it owes is asked of it in tests/roles/ledger."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

import pytest

from meshspec.policies.ledger import Ledger, identity
from meshspec.roles.effects import Effect

PAY = Effect("pay", {"order": 7, "amount": 10}, "acme", "s-1")


class World:
    """Counts what happens in it."""

    def __init__(self) -> None:
        self.count = 0

    def act(self) -> str:
        self.count += 1
        return f"receipt {self.count}"


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(str(tmp_path))


def test_an_effect_is_performed_once_and_its_result_adopted_ever_after(ledger: Ledger, world: World) -> None:
    assert ledger.run(PAY, world.act) == ("DONE", "receipt 1")
    again = Ledger(str(ledger.file.parent))
    assert again.run(PAY, world.act) == ("DUPLICATE", "receipt 1") and world.count == 1


@pytest.mark.parametrize("part", ["tool", "tenant", "session", "occurrence"])
def test_another_tool_tenant_session_or_occurrence_is_another_effect(ledger: Ledger, world: World, part: str) -> None:
    ledger.run(PAY, world.act)
    other = PAY._replace(**{part: 1 if part == "occurrence" else "other"})  # type: ignore[arg-type]
    assert ledger.run(other, world.act)[0] == "DONE" and world.count == 2


def test_arguments_agree_whatever_their_order_and_are_refused_where_json_would_merge_them() -> None:
    assert identity(PAY) == identity(PAY._replace(arguments={"amount": 10, "order": 7}))
    with pytest.raises(TypeError, match="the key 1 of an argument is no text"):
        identity(PAY._replace(arguments={"lines": [{1: "x"}]}))
    with pytest.raises(ValueError, match="not JSON compliant"):
        identity(PAY._replace(arguments={"amount": float("nan")}))


def test_a_refusal_is_a_failure_and_may_be_tried_again(ledger: Ledger, world: World) -> None:
    def refuse() -> object:
        raise ConnectionRefusedError("nobody listens")

    assert ledger.run(PAY, refuse) == ("FAILED", "ConnectionRefusedError('nobody listens')")
    assert ledger.run(PAY, world.act) == ("DONE", "receipt 1")


def test_any_other_error_leaves_it_unknown_for_good(ledger: Ledger, world: World) -> None:
    def break_off() -> object:
        world.act()
        raise ValueError("no JSON in the response")

    assert ledger.run(PAY, break_off) == ("UNKNOWN", "ValueError('no JSON in the response')")
    assert ledger.run(PAY, world.act)[0] == "UNKNOWN" and world.count == 1


def test_a_stop_goes_on_to_whoever_asked_for_it_and_leaves_it_unknown(ledger: Ledger, world: World) -> None:
    def stop() -> object:
        world.act()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ledger.run(PAY, stop)
    assert ledger.run(PAY, world.act) == ("UNKNOWN", "KeyboardInterrupt()") and world.count == 1


def test_which_errors_are_refusals_is_its_users_to_say(tmp_path: Path, world: World) -> None:
    ledger = Ledger(str(tmp_path), refusals=(PermissionError,))

    def refuse() -> object:
        raise PermissionError("over the limit")

    assert ledger.run(PAY, refuse)[0] == "FAILED" and ledger.run(PAY, world.act)[0] == "DONE"


def test_a_key_stands_for_one_effect(ledger: Ledger, world: World) -> None:
    other = PAY._replace(arguments={"order": 7, "amount": 20})
    assert ledger.run(PAY, world.act, key="order-7")[0] == "DONE"
    assert ledger.run(PAY, world.act, key="order-7")[0] == "DUPLICATE"
    assert ledger.run(other, world.act, key="order-7") == ("CONFLICT", f"the key stands for {identity(PAY)}")
    assert world.count == 1


def test_a_result_that_cannot_be_written_is_not_made_up_later(ledger: Ledger, world: World) -> None:
    assert ledger.run(PAY, lambda: {world.act()})[0] == "DONE"
    assert ledger.run(PAY, world.act) == ("DUPLICATE", "not kept, JSON cannot write it: set") and world.count == 1


def left_behind(ledger: Ledger, ago: float) -> None:
    """A row as a process leaves it that was killed some seconds ago."""
    assert ledger.claim(identity(PAY), identity(PAY), "9 gone") is None
    with ledger.opened() as table:
        table.execute("UPDATE effects SET alive = ?", (time.time() - ago,))


def test_what_is_in_hand_is_pending_until_its_holder_is_silent_for_a_lifetime(ledger: Ledger, world: World) -> None:
    left_behind(ledger, ago=ledger.lifetime / 2)
    assert ledger.run(PAY, world.act)[0] == "PENDING"


def test_what_a_dead_holder_had_is_unknown_until_somebody_looks(ledger: Ledger, world: World) -> None:
    left_behind(ledger, ago=2 * ledger.lifetime)
    assert ledger.run(PAY, world.act)[0] == "UNKNOWN" and world.count == 0
    ledger.settle(identity(PAY), "receipt 9")
    assert ledger.run(PAY, world.act) == ("DUPLICATE", "receipt 9") and world.count == 0


def test_what_somebody_saw_not_to_have_happened_may_be_performed(ledger: Ledger, world: World) -> None:
    left_behind(ledger, ago=2 * ledger.lifetime)
    ledger.forget(identity(PAY))
    assert ledger.run(PAY, world.act)[0] == "DONE" and world.count == 1


def test_who_was_forgotten_cannot_overwrite_what_came_after(ledger: Ledger, world: World) -> None:
    left_behind(ledger, ago=2 * ledger.lifetime)
    ledger.forget(identity(PAY))
    ledger.run(PAY, world.act)
    ledger.done(identity(PAY), "9 gone", "a receipt from the grave")
    assert ledger.run(PAY, world.act) == ("DUPLICATE", "receipt 1")


def test_a_holder_says_that_it_lives_for_as_long_as_it_works(tmp_path: Path, world: World) -> None:
    ledger = Ledger(str(tmp_path), lifetime=0.3)
    begun, go_on, told = threading.Event(), threading.Event(), list[object]()

    def slowly() -> object:
        begun.set()
        go_on.wait(20)
        return world.act()

    worker = threading.Thread(target=lambda: told.append(ledger.run(PAY, slowly)))
    worker.start()
    assert begun.wait(20)

    def alive() -> float:
        with ledger.opened() as table:
            return float(table.execute("SELECT alive FROM effects").fetchone()[0])

    first, latest = alive(), time.monotonic() + 20
    while alive() == first and time.monotonic() < latest:
        time.sleep(0.02)
    assert alive() > first
    go_on.set()
    worker.join(20)
    assert told == [("DONE", "receipt 1")]


def test_a_table_that_cannot_be_opened_is_an_error_before_anything_happens(tmp_path: Path, world: World) -> None:
    with pytest.raises(sqlite3.OperationalError):
        Ledger(str(tmp_path / "nowhere")).run(PAY, world.act)
    assert world.count == 0
