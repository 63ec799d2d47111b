"""Runs that look the same: found where there are any, shortest, and nothing is said where nothing was seen."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pytest

from meshspec.backends.layout import Values
from meshspec.engines.lookalikes import Sight, lookalikes
from meshspec.errors import UsageError
from meshspec.lang.lift import lift
from tests.models.plain_ledger import Effect, EffectLedger
from tests.oracle import Oracle

E0 = Effect(0)


def log(state: EffectLedger) -> tuple[bool, bool]:
    return state.intended[E0], state.recorded[E0]


def done(state: EffectLedger) -> bool:
    return state.applied[E0] > 0


def doubted(state: EffectLedger) -> bool:
    return state.up and state.doubtful[E0]


def untouched(state: EffectLedger) -> bool:
    return state.up and not state.intended[E0]


def never(state: EffectLedger) -> bool:
    return state.up and not state.up


def seen(
    effects: int = 1,
    sees: Callable[[EffectLedger], Hashable] = log,
    when: Callable[[EffectLedger], bool] = doubted,
    most: int = 1_000,
) -> tuple[Sight, ...]:
    return lookalikes(lift(EffectLedger), {Effect: effects}, sees=sees, world=done, when=when, most=most)


def test_one_log_in_two_worlds_is_found_with_a_shortest_run_to_each() -> None:
    (only,) = seen()
    assert only.seen == (True, False) and only.is_ambiguous
    assert dict(only.runs) == {
        False: ("intend(effect0)", "crash", "recover"),
        True: ("intend(effect0)", "send(effect0)", "crash", "recover"),
    }
    assert str(only) == (
        "seen: True, False\n  world: False\n    after intend(effect0), crash, recover\n"
        "  world: True\n    after intend(effect0), send(effect0), crash, recover"
    )


def test_each_run_is_the_first_of_the_shortest_among_all_paths() -> None:
    oracle = Oracle(lift(EffectLedger), {Effect: 1})
    for sight in seen():
        for world, run in sight.runs.items():

            def is_it(values: Values, world: Hashable = world) -> bool:
                applied: Any = values["applied", (E0,)]
                return bool(values["up", ()] and values["doubtful", (E0,)]) and (applied > 0) == world

            assert run == oracle.first_path(is_it, 5)


def test_who_sees_the_world_is_not_fooled() -> None:
    sights = seen(sees=done)
    assert len(sights) == 2 and not any(sight.is_ambiguous for sight in sights)


def test_the_start_is_a_run_of_no_step() -> None:
    assert str(seen(when=untouched)[0]).endswith("after no step")


def test_where_nothing_is_asked_about_nothing_is_said() -> None:
    with pytest.raises(UsageError, match="EffectLedger: no state of this scope is one that is asked about"):
        seen(when=never)


def test_a_scope_that_is_too_large_is_refused_and_not_cut() -> None:
    with pytest.raises(UsageError, match="EffectLedger has more than 20 states here: give a smaller scope"):
        seen(2, most=20)


def test_a_second_effect_changes_nothing_of_the_first() -> None:
    assert seen(2) == seen(1)
