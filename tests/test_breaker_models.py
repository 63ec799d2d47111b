"""The shipped models of breakers, counted by searches written by hand on plain tuples."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType

import pytest

from meshspec import Map
from meshspec.answer import Answer
from meshspec.engines.explore import explore
from meshspec.lang.declare import declared
from meshspec.lang.evidence import Evidence
from meshspec.lang.lift import lift
from meshspec.models.repair_rounds import Component, Outcome, RepairRounds, Report
from meshspec.properties.asking import proofs
from meshspec.properties.repair_rounds import replayed

NAMES = (
    "breaker_policy",
    "crowd",
    "event_log",
    "half_open_breaker",
    "layered_retry",
    "nested_scopes",
    "progress_breaker",
    "recurring_calls",
    "repair_rounds",
    "session_progress",
    "throttled_client",
)


State = tuple[int, ...]


def counted(start: Iterable[State], after: Callable[[State], Iterable[State]]) -> tuple[int, int]:
    """States and deadlocks."""
    seen = set(start)
    todo, deadlocks = list(seen), 0
    while todo:
        found = list(after(todo.pop()))
        deadlocks += not found
        todo += set(found) - seen
        seen.update(found)
    return len(seen), deadlocks


def rounds(state: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Of repair: the last outcome, whether there was another, stalls, refund, rounds up, rounds stuck."""
    last, _, stalls, _, climbing, stuck = state
    ranks = [(1, 1), (0, 5), (0, 2), (0, 2)]
    if stalls < 2:
        for now in range(4):
            if last < 0:
                yield now, 0, 0, 0, 0, 0
            else:
                better = ranks[now] < ranks[last]
                same = 0 if now != last else min(stuck + 1, 3)
                yield now, 1, 0 if better else stalls + 1, better, climbing + 1 if better else 0, same


def turns(state: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Of a session with one file: what is in it, what was seen, turns without progress, checks."""
    content, first, second, dry, checks = state
    yield 1 - content, first, second, dry, checks
    if dry < 4:
        seen = (first, second)
        yield content, first or content == 0, second or content == 1, dry + 1 if seen[content] else 0, checks
        for written in (0, 1):
            yield written, first, second, 0 if written != content else dry + 1, checks
        yield content, first, second, dry + 1, checks
        if checks < 10:
            yield content, first, second, dry + 1, checks + 1


def calls(state: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Of one session: the last call with its answer, equal ones, steps, errors in the window, ever, opened."""
    last, equal, steps, errors, erred, opened = state
    if equal < 4 and steps < 6:
        for call in range(4):
            yield call, equal + 1 if call == last else 1, steps + 1, errors, erred, errors >= 1
        yield -1, 0, steps + 1, errors + 1, 1, 1
    if errors:
        yield last, equal, steps, errors - 1, erred, opened


def recurring(state: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """How often each of two calls was made, which was the last, and how often in a row."""
    *made, last, row = state
    if max(made) < 3 and sum(made) < 7:
        for call in (0, 1):
            yield *(n + (i == call) for i, n in enumerate(made)), call, row + 1 if call == last else 1


def throttled(state: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Of one client: the world, whether it is throttled and since when, refusals, the wait, idle ticks."""
    gone, refuses, lasted, vain, waits, idle = state
    if not refuses and not vain and not waits:
        yield gone, 1, 0, 0, 0, 0
    if refuses and not waits:
        yield gone, 1, lasted, vain + 1, 2**vain, idle
    if not refuses and not waits and vain:
        yield gone, 0, lasted, 0, 0, idle
    if waits and lasted + idle < 9 and (gone or not refuses or lasted < 2):
        yield gone, refuses, lasted + refuses, vain, waits - 1, idle + (not refuses)
    if refuses and not gone:
        yield gone, 0, lasted, vain, waits, idle


BY_HAND = {
    "repair_rounds": lambda: counted([(-1, 0, 0, 0, 0, 0)], rounds),
    "session_progress": lambda: counted([(content, 0, 0, 0, 0) for content in (0, 1)], turns),
    "progress_breaker": lambda: counted([(-1, 0, 0, 0, 0, 0)], calls),
    "recurring_calls": lambda: counted([(0, 0, -1, 0)], recurring),
    "throttled_client": lambda: counted([(gone, 0, 0, 0, 0, 0) for gone in (0, 1)], throttled),
}


def evidence_of(name: str) -> Evidence:
    found = importlib.import_module(f"meshspec.properties.{name}").EVIDENCE
    assert isinstance(found, Evidence)
    return found


@pytest.mark.parametrize("name", BY_HAND)
def test_what_the_evidence_pins_was_counted_by_hand(name: str) -> None:
    held = evidence_of(name)
    assert BY_HAND[name]() == (held.states, held.deadlocks)


def incidents_of(name: str) -> set[type]:
    found: ModuleType = importlib.import_module(f"meshspec.models.incidents.{name}")
    return {value for value in vars(found).values() if isinstance(value, type) and value.__module__ == found.__name__}


@pytest.mark.parametrize("name", NAMES)
def test_every_incident_is_listed_and_says_what_goes_wrong(name: str) -> None:
    held = evidence_of(name)
    listed = {incident for line in held.promises.values() for incident in line.refuted_by}
    assert listed == incidents_of(name) != set()
    assert all(incident.__doc__ for incident in listed)


@pytest.mark.parametrize("name", NAMES)
def test_each_lemma_is_leaned_on(name: str) -> None:
    model = evidence_of(name).model
    found = proofs(model)
    idle = {method.name for method in declared(model).of_kind("lemma")}
    idle = {lemma for lemma in idle if not any(lemma in one.reason for other, one in found.items() if other != lemma)}
    assert not idle


def test_who_gets_better_is_promised_nothing_where_the_reporter_says_the_same_of_everything() -> None:
    """The premise fails for all to see; with it gone the claim says nothing, and is no success."""
    silent = RepairRounds(left=Map(Report(0)))
    found = {f.property: f.answer for f in explore(lift(silent), {Component: 1, Outcome: 4, Report: 4})}
    assert found["no_report_hides_what_got_better"] is Answer.VIOLATED
    assert found["who_gets_better_is_not_stopped"] is Answer.VACUOUS


def test_a_report_that_hides_one_better_round_is_said_to_hide_it() -> None:
    """Nine failures, five and two, reported alike: better twice by rank, stopped, and said to be hidden."""
    failing = Map(0, {Outcome(0): 9, Outcome(1): 5, Outcome(2): 2})
    silent = RepairRounds(crashed=Map(False), failing=failing, left=Map(Report(0)))
    partly = replayed(silent, 0, 1, 2)
    assert partly.is_stopped(Component(0)) and partly.misreported[Component(0)] and partly.climbing[Component(0)] == 2
