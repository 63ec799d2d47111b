"""The counterexample to induction that is shown is the smallest there is, and CPython has replayed it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import pytest

from meshspec.answer import Answer, Finding
from meshspec.backends import native
from meshspec.backends.layout import Layout, Values
from meshspec.backends.solver import RLIMIT
from meshspec.engines import smallest
from meshspec.engines.cti import Cti
from meshspec.engines.inductive import Property, properties_of
from meshspec.engines.prove import prove
from meshspec.expr.nodes import IntType
from meshspec.lang.lift import LiftedModel, lift
from tests.models import p_counts, p_hidden, p_ledger, p_lock, p_shapes, p_traps, p_two_phase


def cti(finding: Finding) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", finding.facts["cti"])


def said(model: Any) -> dict[str, Finding]:
    return {finding.property: finding for finding in prove(lift(model))}


def test_only_what_matters_is_unlike_the_start_and_the_step_is_a_difference() -> None:
    shown = cti(said(p_ledger.BareLedger)["at_most_once"])
    assert shown["scope"] == {"Effect": 1}
    assert shown["unlike the start"] == {"intended[effect0]": "True", "applied[effect0]": "1"}
    assert shown["changes"] == {"applied[effect0]": ["1", "2"], "sent[effect0]": ["False", "True"]}
    reason = said(p_ledger.BareLedger)["at_most_once"].reason
    assert reason.endswith(
        "where intended[effect0] = True, applied[effect0] = 1 and all else is as at the start, "
        "send(effect0) changes applied[effect0] 1 -> 2, sent[effect0] False -> True"
    )


def states(layout: Layout, ints: Sequence[int]) -> Iterator[Values]:
    """Every state of a scope, with ints from a few values."""
    domains: list[list[object]] = []
    for cell in layout.cells:
        symbol = cell.variable.symbol
        some: list[object] = []
        some += ints if isinstance(symbol.type, IntType) else layout.values(symbol.type)
        domains.append([*some, None] if symbol.optional else some)
    for values in itertools.product(*domains):
        yield dict(zip((cell.key for cell in layout.cells), values, strict=True))


def by_brute_force(lifted: LiftedModel, claim: str, given: Sequence[str]) -> int | None:
    """The fewest cells unlike the start from which CPython steps out of `claim`, with one member of each sort."""
    layout = Layout(lifted, dict.fromkeys(lifted.sorts, 1))
    claims = {one.name: one for one in lifted.claims}

    def true(name: str, values: Values) -> bool:
        arguments = layout.arguments(claims[name].parameters)
        return all(native.run(layout, claims[name], values, one) == native.Value(True) for one in arguments)

    least: int | None = None
    for values in states(layout, range(4)):
        unlike = sum(values[cell.key] != cell.variable.initial[0] for cell in layout.cells)
        if (least is not None and unlike >= least) or not all(true(name, values) for name in given):
            continue
        for action, arguments in layout.ground_actions():
            after = native.run(layout, action, values, arguments)
            if isinstance(after, native.Next) and not true(claim, after.values):
                least = unlike
    return least


@pytest.mark.parametrize(
    ("model", "claim"),
    [
        (p_ledger.BareLedger, "at_most_once"),
        (p_ledger.BareLedger, "recorded_is_done"),
        (p_lock.NoFencing, "last_write_is_the_highest"),
    ],
    ids=str,
)
def test_no_state_that_cpython_knows_is_smaller(model: type, claim: str) -> None:
    lifted = lift(model)
    given = [one.name for one in lifted.claims]
    shown = cti(said(model)[claim])
    assert set(shown["scope"].values()) == {1}
    assert len(shown["unlike the start"]) == by_brute_force(lifted, claim, given)


def test_what_was_found_among_many_members_is_looked_for_among_fewer() -> None:
    lifted = lift(p_ledger.BareLedger)
    properties = {one.name: one for one in properties_of(lifted)}
    large = Cti({"Effect": 3}, {}, {}, "send(effect2)", {}, "so")
    shown = smallest.Shrinker(lifted, RLIMIT).smallest(large, properties["at_most_once"], list(properties.values()))
    assert shown.scope == {"Effect": 1} and shown.action == "send(effect0)"
    assert shown.unlike == {"intended[effect0]": "True", "applied[effect0]": "1"}
    two = Cti({"Worker": 4}, {}, {}, "work(worker3)", {}, "so")
    lock = lift(p_lock.ReleaseWhileWorking)
    of = {one.name: one for one in properties_of(lock)}
    shown = smallest.Shrinker(lock, RLIMIT).smallest(two, of["one_at_a_time"], [of["one_at_a_time"]])
    assert shown.scope == {"Worker": 2}, "one worker alone breaks nothing"


@pytest.mark.parametrize(
    ("model", "claim", "scope"),
    [
        (p_lock.ReleaseWhileWorking, "one_at_a_time", {"Worker": 2}),
        (p_counts.LeakyBudget, "conserved", {"Account": 1}),
        (p_two_phase.CommitUnheard, "consistent", None),
        (p_traps.Ranged(slack=1), "used stays in 0..3", {"Item": 1}),
        (p_shapes.Quota, "at_most_two", {"Worker": 1}),
    ],
    ids=str,
)
def test_there_are_no_more_members_than_it_takes(model: Any, claim: str, scope: dict[str, int] | None) -> None:
    finding = said(model)[claim]
    assert finding.answer is Answer.UNDETERMINED and cti(finding)["false"]
    if scope is not None:
        assert cti(finding)["scope"] == dict(finding.scope) == scope


def test_numbers_are_as_near_to_the_start_as_they_can_be() -> None:
    assert cti(said(p_traps.Raising(safe=False))["divisor_is_positive"])["unlike the start"] == {}
    assert cti(said(p_shapes.Quota)["at_most_two"])["unlike the start"] == {
        "used[worker0]": "2",
        "limit[worker0]": "3",
    }


def test_of_many_numbers_the_nearest_is_shown() -> None:
    assert cti(said(p_hidden.Steep)["never_there"])["unlike the start"] == {"level": "24"}


def test_a_constant_table_is_shown_where_it_is_not_that_of_the_model() -> None:
    """A proof is about all tables, so that a counterexample to it may need another one."""
    reason = said(p_shapes.Quota)["at_most_two"].reason
    assert "where used[worker0] = 2, limit[worker0] = 3 and all else is as at the start" in reason


def test_a_smaller_state_that_cpython_does_not_confirm_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_confirmed(*_: object) -> str:
        return "it is none"

    before = cti(said(p_ledger.BareLedger)["at_most_once"])
    monkeypatch.setattr(smallest, "replay", not_confirmed)
    after = cti(said(p_ledger.BareLedger)["at_most_once"])
    assert len(after["unlike the start"]) >= len(before["unlike the start"])
    assert "applied[effect0]" in after["changes"], "the one that was found first, and replayed"


def test_where_the_solver_gives_up_the_one_found_first_is_kept() -> None:
    lifted = lift(p_ledger.BareLedger)
    first = Cti({"Effect": 2}, {}, {}, "send(effect0)", {}, "so")
    wanted: Property | None = None
    assert smallest.Shrinker(lifted, rlimit=1).smallest(first, wanted, []) is first
