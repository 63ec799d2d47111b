"""The shipped effect ledger, counted by a search written by hand on plain tuples."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from meshspec.answer import Answer, Strength
from meshspec.engines.check import check
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.engines.live import live
from meshspec.engines.search import search_states
from meshspec.lang.lift import lift
from meshspec.models.effect_ledger import EffectLedger, Recovery
from meshspec.models.environment import Effect
from meshspec.models.incidents import effect_ledger as incidents
from meshspec.properties import effect_ledger as evidence

PROMISES = evidence.EVIDENCE.promises
WAITING = [lifted.name for lifted in lift(EffectLedger).claims if lifted.method.kind == "eventually"]

Entry = tuple[bool, bool, bool, bool, bool, bool, bool, str, int]
"""delivered, waiting, intended, doubtful, recorded, awaiting, on the way, told, applied."""

State = tuple[bool, tuple[Entry, ...]]

FRESH: Entry = (False, False, False, False, False, False, False, "nothing", 0)


def entries_after(entry: Entry, up: bool) -> Iterator[Entry]:
    """What can become of one effect in one step, the crash and the recovery of the worker apart."""
    delivered, waiting, intended, doubtful, recorded, awaiting, on_the_way, told, applied = entry
    done = min(applied + 1, 2)
    if not delivered:
        yield (True, True, intended, doubtful, recorded, awaiting, on_the_way, told, applied)
    if delivered and not waiting:
        yield (delivered, True, intended, doubtful, recorded, awaiting, on_the_way, told, applied)
    if on_the_way:  # the service acts, whether or not anyone waits
        yield (delivered, waiting, intended, doubtful, recorded, awaiting, False, told, done)
    if awaiting:  # the reply is lost
        yield (delivered, waiting, intended, True, recorded, False, on_the_way, "unknown", applied)
    if not up:
        return
    if waiting:  # it is intended, or suppressed as a duplicate
        yield (delivered, False, True, doubtful, recorded, awaiting, on_the_way, told, applied)
    if intended and not recorded and not awaiting and not doubtful:
        yield (delivered, waiting, intended, doubtful, recorded, True, True, told, applied)
    if awaiting and not on_the_way:
        yield (delivered, waiting, intended, doubtful, True, False, on_the_way, "success", applied)
    if doubtful and not on_the_way:  # the service is asked
        closed = recorded or applied > 0
        yield (
            delivered,
            waiting,
            intended,
            False,
            closed,
            awaiting,
            on_the_way,
            "success" if applied else told,
            applied,
        )


def after(state: State) -> Iterator[State]:
    up, entries = state
    for position, entry in enumerate(entries):
        for new in entries_after(entry, up):
            yield up, (*entries[:position], new, *entries[position + 1 :])
    if up:
        yield False, tuple((*entry[:5], False, *entry[6:]) for entry in entries)
    else:
        yield True, tuple(recovered(entry) for entry in entries)


def recovered(entry: Entry) -> Entry:
    delivered, waiting, intended, _, recorded, awaiting, on_the_way, told, applied = entry
    doubt = intended and not recorded
    return delivered, waiting, intended, doubt, recorded, awaiting, on_the_way, "unknown" if doubt else told, applied


def by_hand(effects: int) -> tuple[int, int]:
    """States and deadlocks."""
    start: State = (True, (FRESH,) * effects)
    seen: set[State] = {start}
    todo: list[State] = [start]
    deadlocks = 0
    while todo:
        found = list(after(todo.pop()))
        deadlocks += not found
        todo += {state for state in found if state not in seen}
        seen.update(found)
    return len(seen), deadlocks


@pytest.mark.parametrize("effects", [1, 2, 3])
def test_it_has_two_times_22_to_the_n_states_as_counted_by_hand(effects: int) -> None:
    search, _ = search_states(lift(EffectLedger), {Effect: effects}, Limits())
    assert search.complete
    assert (search.states, search.deadlocks) == by_hand(effects) == (2 * 22**effects, 0)


def test_its_evidence_pins_what_was_counted_by_hand() -> None:
    held = evidence.EVIDENCE
    assert (held.states, held.deadlocks) == by_hand(held.scope[Effect])


def test_every_promise_holds_for_every_size() -> None:
    answers = {one.answer.property: one.answer for one in check(lift(EffectLedger), {Effect: 2})}
    for claim, promise in PROMISES.items():
        assert answers[claim].answer is Answer.HOLDS
        assert not promise.proved or answers[claim].strength is Strength.EVERY_SIZE


INCIDENTS = [
    value for value in vars(incidents).values() if isinstance(value, type) and value.__module__ == incidents.__name__
]


@pytest.mark.parametrize("incident", INCIDENTS)
def test_an_incident_is_a_subclass_that_breaks_exactly_what_it_is_listed_for(incident: type) -> None:
    assert issubclass(incident, EffectLedger) and incident.__doc__
    found = {finding.property: finding for finding in explore(lift(incident), {Effect: 1})}
    found |= {finding.property: finding for finding in live(lift(incident), {Effect: 1})}
    broken = {claim for claim in PROMISES if found[claim].answer is not Answer.HOLDS}
    assert broken == {claim for claim, promise in PROMISES.items() if incident in promise.refuted_by} != set()


def test_every_incident_is_in_the_evidence() -> None:
    assert {incident for promise in PROMISES.values() for incident in promise.refuted_by} == set(INCIDENTS)


def test_a_second_effect_does_not_shorten_a_counterexample() -> None:
    for incident in INCIDENTS:
        for claim, promise in PROMISES.items():
            if incident in promise.refuted_by and claim not in WAITING:  # on whose runs the second effect must rest
                found = {finding.property: finding for finding in explore(lift(incident), {Effect: 1})}
                path = found[claim].counterexample
                assert path is not None and path.actions == promise.refuted_by[incident]


def test_the_policies_differ_only_in_what_they_do_about_doubt() -> None:
    assert EffectLedger().recovery is Recovery.ASK
    assert incidents.ResendInDoubt().recovery is Recovery.RESEND
    assert incidents.SkipInDoubt().recovery is Recovery.SKIP
