"""The ledger's models counted a second time, and what is printed of a pair of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import pytest

from meshspec.engines.limits import Limits
from meshspec.engines.lookalikes import Sight
from meshspec.engines.search import search_states
from meshspec.lang.declare import declared
from meshspec.lang.lift import lift
from meshspec.models.environment import Effect
from meshspec.models.key_lifetime import KeyLifetime
from meshspec.models.recovery_contracts import ContractLedger
from meshspec.models.verified_retry import VerifiedRetry
from meshspec.properties import (
    effect_identity,
    key_lifetime,
    ledger_impossible,
    ledger_levels,
    ledger_misses,
    recovery_contracts,
    verified_retry,
)
from meshspec.properties.ledger_guarantees import FAMILY
from tests.oracle import Oracle

Attempt = tuple[tuple[int, ...], tuple[int, ...], int | None, int | None, bool]
"""Of each content how often it was called now, and at the most; what is shown, what was written last, a retry."""


def attempts(most: int, contents: int) -> set[Attempt]:
    """Every state of a ledger whose keys tell how often: what is meant is executed, and nothing else."""
    start: Attempt = ((0,) * contents, (0,) * contents, None, None, False)
    seen: set[Attempt] = {start}
    todo: list[Attempt] = [start]
    while todo:
        for state in after(todo.pop(), most):
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return seen


def after(state: Attempt, most: int) -> Iterator[Attempt]:
    called, meant, shown, _, retried = state
    if sum(called):
        yield (0,) * len(called), meant, shown, None, True
    if sum(called) < most:
        for at, times in enumerate(called):
            now = (*called[:at], times + 1, *called[at + 1 :])
            new = times + 1 > meant[at]
            yield now, tuple(map(max, now, meant)), at if new else shown, at, retried


def test_an_identity_has_as_many_states_as_are_counted_by_hand() -> None:
    evidence = effect_identity.EVIDENCE
    assert len(attempts(3, 2)) == evidence.states
    assert evidence.orbits == (evidence.states + 1) // 2, (
        "every state but the first has another with the names exchanged"
    )


def test_two_effects_under_contracts_are_coupled_by_nothing_but_their_worker() -> None:
    states = Oracle(lift(ContractLedger), {Effect: 1}).reachable()
    living = sum(dict(state)["up", ()] is True for state in states)
    assert len(states) == recovery_contracts.EVIDENCE.states
    two, _ = search_states(lift(ContractLedger), {Effect: 2}, Limits())
    assert two.complete and two.states == living**2 + (len(states) - living) ** 2


def test_the_clocks_are_walked_by_cpython_alone() -> None:
    assert len(Oracle(lift(VerifiedRetry), {Effect: 1}).reachable()) ** 2 == verified_retry.EVIDENCE.states
    assert len(Oracle(lift(KeyLifetime), {Effect: 1}).reachable()) == key_lifetime.EVIDENCE.states


def test_every_safety_guarantee_of_the_family_is_owed_a_proof_for_any_number() -> None:
    """No ``@always`` rests on a scope: each file owes its proofs, line by line. All else does rest on one."""
    for evidence in FAMILY:
        for claim in declared(evidence.model).of_kind("always", "sometimes", "eventually"):
            assert evidence.promises[claim.name].proved == (claim.kind == "always"), claim.name


def test_every_promise_of_the_family_stands_for_something_or_is_about_the_worker() -> None:
    for evidence in FAMILY:
        unnamed = [claim for claim, line in evidence.promises.items() if not line.stands_for]
        assert unnamed in ([], ["a_dead_worker_comes_back"])


@pytest.fixture(scope="module")
def sights() -> tuple[Sight, ...]:
    return tuple(ledger_impossible.in_doubt(ledger_impossible.RecoveryByLog))


def test_a_pair_of_runs_is_printed_with_what_is_seen_in_both(sights: tuple[Sight, ...]) -> None:
    assert ledger_impossible.refutation(sights[0], sent_again=True) == (
        "seen: True, False, True, False, Told.UNKNOWN\n"
        "  world: not done\n"
        "    after deliver(effect0), intend(effect0), crash, recover\n"
        "  world: done\n"
        "    after deliver(effect0), intend(effect0), send(effect0), lose_reply(effect0), act_late(effect0)\n"
        "  to send again is wrong where it is done, and acts twice"
    )
    assert ledger_impossible.refutation(sights[0], sent_again=False).endswith(
        "  to close is wrong where it is not done, and leaves it undone for ever"
    )


def test_there_are_two_views_of_a_doubt_and_so_four_functions(sights: tuple[Sight, ...]) -> None:
    tried = list(ledger_impossible.functions(sights))
    assert len(tried) == len({tuple(each.items()) for each in tried}) == 2 ** len(sights) == 4


def test_a_view_that_no_function_decides_is_not_taken_for_decided(sights: tuple[Sight, ...]) -> None:
    with pytest.raises(AssertionError, match="a view was met that no function decides"):
        ledger_impossible.works(ledger_impossible.WithKey, {sights[0].seen: True})


def test_levels_are_apart_only_where_a_design_shows_it() -> None:
    kept: Mapping[type, frozenset[str]] = {ledger_levels.CountedLedger: frozenset({"seen exactly once"})}
    found = ledger_levels.apart(kept)
    assert set(found) == {
        ("seen exactly once", other) for other in ledger_levels.LEVELS if other != "seen exactly once"
    }


def test_an_attempt_at_a_message_is_missed_by_the_next_more_often_than_not() -> None:
    assert ledger_misses.misses(ledger_misses.SEND_A_MESSAGE) == 1 - Fraction(82 * 375, 100 * 1000)
