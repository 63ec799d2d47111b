"""What is not proved for every size is tried in a scope, and what holds there is never said to hold elsewhere."""

from __future__ import annotations

import re
from typing import Any

import pytest

from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.layout import NO_RAISE
from meshspec.backends.solver import RLIMIT
from meshspec.engines.bounded import Bounds
from meshspec.engines.explore import explore
from meshspec.engines.prove import SEARCH, InScope, prove
from meshspec.lang.lift import lift
from tests.models import p_counts, p_ghosts, p_hidden, p_ledger, p_shapes, p_sizes, p_thresholds, p_traps


def said(model: Any, size: int | None = None, bounds: Bounds | None = None, **how: Any) -> dict[str, Finding]:
    lifted = lift(model)
    in_scope = None if size is None else InScope(dict.fromkeys(lifted.sorts, size), bounds or Bounds())
    return {finding.property: finding for finding in prove(lifted, in_scope=in_scope, **how)}


TRUE_UP_TO_THREE = [
    (p_sizes.FourMarked, "never_four"),
    (p_sizes.FourNested, "never_four"),
    (p_sizes.Counter, "below_four"),
    (p_sizes.Tokens, "few_hops"),
    (p_sizes.Counts, "few"),
    (p_counts.StartsFull, "few"),
    (p_thresholds.Quorum, "never_carried"),
    (p_thresholds.Succession, "no_four_in_a_row"),
    (p_thresholds.Seats, "nobody_is_turned_away"),
    (p_thresholds.Rounds, "at_most_three_rounds"),
    (p_thresholds.Pairwise, "no_two_and_two"),
]
NAMES = [f"{model.__name__}-{claim}" for model, claim in TRUE_UP_TO_THREE]


@pytest.mark.parametrize(("model", "claim"), TRUE_UP_TO_THREE, ids=NAMES)
def test_these_claims_are_true_up_to_three_members_and_false_with_four(model: type, claim: str) -> None:
    lifted = lift(model)
    answers = {
        size: {f.property: f.answer for f in explore(lifted, dict.fromkeys(lifted.sorts, size))}[claim]
        for size in (1, 2, 3, 4)
    }
    assert answers.pop(4) is Answer.VIOLATED and Answer.VIOLATED not in answers.values()


@pytest.mark.parametrize(("model", "claim"), TRUE_UP_TO_THREE, ids=NAMES)
def test_what_is_false_with_four_is_proved_with_three_for_three_and_for_no_more(model: type, claim: str) -> None:
    for most in (0, SEARCH):
        finding = said(model, max_candidates=most)[claim]
        assert finding.strength is None and finding.answer in (Answer.UNDETERMINED, Answer.VIOLATED)
    at_three = said(model, 3)[claim]
    if at_three.answer is Answer.VIOLATED:  # false at the start, where there are enough members
        assert at_three.scope == {"Account": 4}
        return
    assert at_three.answer is Answer.HOLDS and at_three.strength is Strength.K_INDUCTION
    assert set(at_three.scope.values()) == {3} and "not proved for every size" in at_three.reason
    assert at_three.settles, "what would settle the rest is still said"
    at_four = said(model, 4)[claim]
    assert at_four.answer is Answer.VIOLATED and set(at_four.scope.values()) == {4}
    assert at_four.counterexample is not None and at_four.counterexample.steps


def test_a_proof_by_k_induction_says_its_k_its_scope_and_which_paths_it_looked_at() -> None:
    finding = said(p_sizes.Counter, 2)["below_four"]
    assert (finding.facts["k"], finding.facts["simple path"], finding.scope) == (3, True, {"Node": 2})
    assert finding.reason.startswith("3-inductive by itself; not proved for every size: not inductive: up(node0)")
    plain = said(p_sizes.Counter, 2, Bounds(distinct=False))["below_four"]
    assert plain.strength is not Strength.K_INDUCTION or plain.facts["simple path"] is False


def test_what_is_proved_for_every_size_is_not_tried_in_a_scope() -> None:
    everywhere, scoped = said(p_ledger.EffectLedger), said(p_ledger.EffectLedger, 2)
    assert everywhere == scoped


def test_what_is_refuted_in_the_scope_is_violated_by_its_shortest_path() -> None:
    finding = said(p_ledger.ResendInDoubt, 1)["at_most_once"]
    assert finding.answer is Answer.VIOLATED and finding.scope == {"Effect": 1}
    assert finding.counterexample is not None and finding.counterexample.how == "shortest"
    assert len(finding.counterexample.steps) == finding.facts["depth"] == 6
    raised = said(p_traps.Raising(safe=False), 1)[NO_RAISE]
    assert raised.answer is Answer.VIOLATED and raised.counterexample is not None
    assert raised.counterexample.failed == "risky raises ZeroDivisionError"


def test_a_search_that_ends_before_the_violation_says_how_far_it_came() -> None:
    finding = said(p_ledger.ResendInDoubt, 1, Bounds(k=1, depth=4))["at_most_once"]
    assert finding.answer is Answer.UNDETERMINED and finding.reason and finding.settles
    assert finding.known == (
        "no counterexample of at most 4 steps with Effect=1; there not k-inductive for any k up to 1"
    )


def test_what_is_only_safe_because_a_range_ends_the_path_says_so() -> None:
    finding = said(p_hidden.Beyond, 1)["never_known"]
    assert finding.strength is Strength.K_INDUCTION
    assert "no step is taken from a state in which a Range is left" in finding.reason


def test_a_scope_that_is_too_large_is_said_and_costs_no_proof() -> None:
    found = said(p_traps.Squares, 1)
    assert "more than 20,000" in found["no_fermat"].known
    assert found["no_fermat"].answer is Answer.UNDETERMINED


@pytest.mark.parametrize("rlimit", [1, 1_000])
@pytest.mark.parametrize("model", [p_ledger.ResendInDoubt, p_thresholds.Seats, p_ghosts.Closing], ids=str)
def test_with_hardly_any_steps_for_the_solver_the_answer_is_undetermined(model: type, rlimit: int) -> None:
    for finding in said(model, 2, Bounds(rlimit=rlimit), rlimit=rlimit).values():
        if finding.property != NO_RAISE:
            assert finding.answer is Answer.UNDETERMINED or rlimit > 1, finding
            assert finding.answer is not Answer.UNDETERMINED or finding.reason


def test_prove_says_nothing_of_vacuity() -> None:
    for model in (p_ledger.EffectLedger, p_ghosts.Closing, p_thresholds.Succession):
        assert all(finding.answer is not Answer.VACUOUS for finding in said(model, 2).values())


# -- outside the fragment ----------------------------------------------------------------------------------------


def test_a_sum_changed_everywhere_is_named_with_its_place_and_the_way_out() -> None:
    finding = said(p_ghosts.Closing)["within_the_limit"]
    assert finding.answer is Answer.UNDETERMINED
    assert re.match(
        r"after close \(.*p_ghosts\.py:\d+\): total over Account is outside what prove can follow for every size: "
        r"the action changes reserved everywhere",
        finding.reason,
    )
    assert finding.settles.startswith("a ghost total: ") and "exhaustively and not for every size" in finding.settles


def test_a_ghost_total_is_the_way_out_and_that_it_is_the_sum_is_said_of_the_scope_only() -> None:
    found = said(p_ghosts.ClosingWithGhosts)
    assert found["within_the_limit"].strength is Strength.EVERY_SIZE
    assert found["the_ghosts_are_the_sums"].answer is Answer.UNDETERMINED
    lifted = lift(p_ghosts.ClosingWithGhosts)
    explored = {f.property: f for f in explore(lifted, dict.fromkeys(lifted.sorts, 3))}
    assert explored["the_ghosts_are_the_sums"].strength is Strength.EXHAUSTIVE
    assert said(p_ghosts.ClosingWithGhosts, 3)["the_ghosts_are_the_sums"].strength is Strength.K_INDUCTION


def test_a_ghost_that_is_not_the_sum_is_found_out_by_the_claim_that_it_is() -> None:
    found = said(p_ghosts.ForgetfulGhost, 2)
    assert found["within_the_limit"].strength is Strength.EVERY_SIZE, "the promise about the ghosts is still true"
    broken = found["the_ghosts_are_the_sums"]
    assert broken.answer is Answer.VIOLATED and broken.counterexample is not None
    assert broken.counterexample.actions == ("reserve(account0)", "close")


@pytest.mark.parametrize(
    ("model", "claim", "named"),
    [
        (p_ghosts.Follow, "linked_leads_on", r"nested quantifiers \(exists over Account under forall\) \(.*:\d+\)"),
        (p_traps.Squares, "no_fermat", r"\* of two ints that both vary \(.*p_traps\.py:\d+\)"),
        (
            p_counts.Pairs,
            "met_is_how_many_it_knows",
            r"a count over Account, of which only .* \(.*p_counts\.py:\d+\)",
        ),
        (p_shapes.Chain, None, r"boss, which leads from Worker to Worker \(.*p_shapes\.py:\d+\)"),
    ],
    ids=["nested quantifiers", "products", "counts", "chains"],
)
def test_what_the_solver_gave_up_on_is_named_where_it_is_hard(model: type, claim: str | None, named: str) -> None:
    """With hardly any steps it gives up on what it can do, too: what is named is what it would be asked about."""
    found = said(model, rlimit=1)
    reasons = [f.reason for f in found.values() if f.answer is Answer.UNDETERMINED and claim in (None, f.property)]
    assert reasons and any(
        re.search(f"beyond what is decided for every size: .*{named}", reason) for reason in reasons
    )


def test_a_count_inside_a_quantifier_is_named_with_a_map_of_counters_as_the_way_out() -> None:
    finding = said(p_ghosts.Popular, rlimit=1)["nobody_has_many"]
    assert "a count inside a forall over Account" in finding.reason
    assert "a Map[Account, int] that the actions keep" in finding.settles


def test_where_nothing_of_its_own_is_hard_what_it_would_rest_on_is_named() -> None:
    finding = said(p_ghosts.Closing)["spent stays in 0..4"]
    assert finding.answer is Answer.UNDETERMINED
    assert "a total over Account, of which only what changes is followed" in finding.reason
    assert finding.settles.startswith("a ghost total: ")


def test_where_nothing_is_hard_nothing_is_named() -> None:
    finding = said(p_ledger.BareLedger, rlimit=1)["at_most_once"]
    assert finding.answer is Answer.UNDETERMINED and "beyond" not in finding.reason
    assert said(p_ledger.BareLedger, rlimit=RLIMIT)["at_most_once"].answer is Answer.UNDETERMINED
