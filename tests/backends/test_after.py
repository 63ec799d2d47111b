"""A claim about the state after, rewritten, says before the step what the claim says after it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from meshspec.backends.after import Outside, after, apart, initially, tidied
from meshspec.backends.evaluate import apply, evaluate
from meshspec.backends.layout import Layout
from meshspec.backends.native import Next
from meshspec.expr.build import TRUE, const, quantify
from meshspec.expr.nodes import Cell, IntType, Name, SortType, Type
from meshspec.expr.text import text
from meshspec.expr.walk import free_names
from meshspec.lang.lift import lift
from meshspec.lang.outcomes import Does, Update, Write
from meshspec.sorts import Sort
from tests.models import p_counts, p_ledger, p_lock, p_shapes, p_two_phase

MODELS = [
    p_counts.Budget,
    p_counts.LeakyBudget,
    p_counts.Counted,
    p_counts.Guarded,
    p_counts.Pairs,
    p_ledger.EffectLedger,
    p_lock.Lock,
    p_shapes.Assignment,
    p_shapes.Chain,
    p_shapes.Nested,
    p_two_phase.TwoPhase,
]


class Thing(Sort):
    """Something."""


def _some(rng: random.Random, layout: Layout, type: Type, optional: bool = False) -> Any:
    options = [-2, 0, 1, 5] if isinstance(type, IntType) else list(layout.values(type))
    return rng.choice([None, *options] if optional else options)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("size", [2, 3])
def test_before_the_step_it_says_what_the_claim_says_after_it(model: type, size: int) -> None:
    lifted, rng, compared = lift(model), random.Random(3), 0
    layout = Layout(lifted, dict.fromkeys(lifted.sorts, size))
    claims = [claim for claim in lifted.claims if claim.method.kind in ("always", "lemma")]
    for action in lifted.actions:
        for path in (path for path in action.paths if isinstance(path.outcome, Does)):
            assert isinstance(path.outcome, Does)
            for claim in claims:
                before = after(apart(tidied(claim.claim)), path.outcome.updates)
                for _ in range(120):
                    values = {
                        cell.key: _some(rng, layout, cell.variable.symbol.type, cell.variable.symbol.optional)
                        for cell in layout.cells
                    }
                    names = {p.name: _some(rng, layout, p.type) for p in action.parameters}
                    own = {p.name: _some(rng, layout, p.type) for p in claim.parameters}
                    if not all(evaluate(part, layout, values, names) for part in path.condition):
                        continue
                    reached = apply(path.outcome, layout, values, names)
                    assert isinstance(reached, Next)
                    primed = {f"{name}'": value for name, value in own.items()}
                    said = evaluate(before, layout, values, {**names, **primed})
                    assert said == evaluate(claim.claim, layout, reached.values, own), (action.name, claim.name)
                    compared += 1
    assert compared > 25


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_tidying_changes_no_value(model: type) -> None:
    lifted, rng = lift(model), random.Random(5)
    layout = Layout(lifted, dict.fromkeys(lifted.sorts, 2))
    nodes = [claim.claim for claim in lifted.claims]
    for node in nodes:
        for _ in range(20):
            values = {
                cell.key: _some(rng, layout, cell.variable.symbol.type, cell.variable.symbol.optional)
                for cell in layout.cells
            }
            names = {name.name: _some(rng, layout, name.type) for name in sorted(free_names(node), key=text)}
            assert evaluate(tidied(node), layout, values, names) == evaluate(node, layout, values, names)


def test_a_case_that_makes_no_difference_is_dropped_from_a_count() -> None:
    guard = lift(p_counts.Guarded).actions[0].paths[0].condition[0]
    assert "if" in text(guard)
    assert text(tidied(guard)) == "count(Account, lambda account_0: open[account_0]) < 3"


def test_one_initial_value_is_put_in_and_of_several_none_is() -> None:
    nested = lift(p_shapes.Nested)
    claims = {claim.name: initially(claim.claim, nested.declared.variables) for claim in nested.claims}
    assert claims["right_stays_down"] == const(True)
    assert "weight[LEFT] <= 9" in text(claims["weights_stay"])


def test_an_aggregate_that_a_scalar_may_change_throughout_is_refused_by_name() -> None:
    lifted = lift(p_counts.Weighed)
    (path,) = [path for path in lifted.actions[0].paths if isinstance(path.outcome, Does)]
    assert isinstance(path.outcome, Does)
    with pytest.raises(Outside, match=r"total over Account .* changes price on which every summand may depend"):
        after(apart(lifted.claims[0].claim), path.outcome.updates)


def test_the_names_of_a_claim_are_kept_from_those_of_an_action() -> None:
    claim = lift(p_shapes.Chain).claims[0].claim
    assert {name.name for name in free_names(apart(claim))} == {"w'"}
    assert all(isinstance(name, Name) and isinstance(name.type, SortType) for name in free_names(claim))


def test_two_written_keys_that_are_one_are_counted_once() -> None:
    lifted = lift(p_counts.Counted)
    layout = Layout(lifted, {p_counts.Account: 2})
    symbol = lifted.declared.variables[0].symbol
    x, y, z = (Name(name, SortType(p_counts.Account)) for name in "xyz")
    both = Update(symbol, (Write((x,), TRUE), Write((y,), TRUE)))
    count = after(quantify("count", z, Cell(symbol, (z,))), [both])
    first, second = p_counts.Account(0), p_counts.Account(1)
    values = {cell.key: False for cell in layout.cells}
    assert evaluate(count, layout, values, {"x": first, "y": first}) == 1
    assert evaluate(count, layout, values, {"x": first, "y": second}) == 2
    assert evaluate(count, layout, {**values, ("open", (first,)): True}, {"x": first, "y": first}) == 1
