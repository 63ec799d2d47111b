"""prove says HOLDS only of what is true at every size, and shows only counterexamples that CPython has replayed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest

from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.instances import Elements, Universal
from meshspec.backends.layout import NO_RAISE
from meshspec.backends.solver import Term
from meshspec.engines import obligations
from meshspec.engines.obligations import Open, _Question  # pyright: ignore[reportPrivateUsage]
from meshspec.engines.prove import prove
from meshspec.expr.build import FALSE
from meshspec.expr.nodes import Node
from meshspec.lang.lift import lift
from tests.models import p_counts, p_ledger, p_lock, p_shapes, p_sizes, p_traps, p_two_phase


def said(model: Any, **how: Any) -> dict[str, Finding]:
    return {finding.property: finding for finding in prove(lift(model), **how)}


def answers(model: Any, **how: Any) -> dict[str, Answer]:
    return {name: finding.answer for name, finding in said(model, **how).items()}


def cti(finding: Finding) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", finding.facts["cti"])


PROVED = [
    p_ledger.EffectLedger,
    p_two_phase.TwoPhase,
    p_lock.Lock,
    p_lock.Fencing,
    p_shapes.Assignment,
    p_shapes.Nested,
    p_shapes.Chain,
    p_counts.Budget,
    p_counts.Counted,
    p_counts.Guarded,
    p_counts.Pairs,
    p_traps.Raising,
    p_traps.Ranged,
]


@pytest.mark.parametrize("model", PROVED, ids=lambda model: model.__name__)
def test_an_inductive_model_is_proved_for_every_size(model: type) -> None:
    found = prove(lift(model))
    assert found and all(f.answer is Answer.HOLDS and f.strength is Strength.EVERY_SIZE for f in found), found
    assert all(f.engine == "prove" and not f.scope for f in found)


def test_every_claim_lemma_and_range_has_a_finding_and_nothing_else_does() -> None:
    found = prove(lift(p_ledger.EffectLedger))
    assert [(f.property, f.kind) for f in found] == [
        ("at_most_once", "always"),
        ("recorded_is_done", "always"),
        ("memory_dies_with_the_worker", "always"),
        ("intent_comes_first", "lemma"),
        ("done_is_known_or_doubted", "lemma"),
        ("sent_is_done", "lemma"),
        ("applied stays in 0..3", "range"),
        (NO_RAISE, "total"),
    ]


def test_a_proof_names_the_lemmas_it_rests_on_and_no_others() -> None:
    found = said(p_ledger.EffectLedger)
    assert found["at_most_once"].reason == "with lemmas intent_comes_first, done_is_known_or_doubted, sent_is_done"
    assert found["memory_dies_with_the_worker"].reason == "by itself"
    assert said(p_lock.Lock)["one_at_a_time"].facts["uses"] == ["workers_own"]


def test_without_its_lemmas_the_ledger_is_not_inductive_and_the_state_shown_is_a_state_of_the_model() -> None:
    finding = said(p_ledger.BareLedger)["at_most_once"]
    assert finding.answer is Answer.UNDETERMINED
    shown = cti(finding)
    assert shown["action"] == "send(effect0)"
    assert shown["changes"] == {"applied[effect0]": ["1", "2"], "sent[effect0]": ["False", "True"]}
    assert "applied[effect0] = 2" in shown["false"]
    assert "send(effect0) leads from a state that satisfies every claim" in finding.reason
    assert "lemma" in finding.settles


def test_a_counterexample_to_induction_replays_by_hand() -> None:
    """The state of the finding, built with the model's own class, and the action called on it."""
    effect: Any = p_ledger.Effect(0)
    shown = cti(said(p_ledger.BareLedger)["at_most_once"])
    ledger = p_ledger.BareLedger()
    for cell, value in shown["state"].items():
        python = {"True": True, "False": False}.get(value)
        name, _, key = cell.partition("[")
        if key:
            getattr(ledger, name)[effect] = int(value) if python is None else python
        else:
            setattr(ledger, name, python)
    claims = (ledger.at_most_once, ledger.recorded_is_done, ledger.memory_dies_with_the_worker)
    assert all(claim(effect) for claim in claims)
    ledger.send(effect)
    assert not ledger.at_most_once(effect)


@pytest.mark.parametrize(
    ("model", "broken"),
    [
        (p_ledger.ResendInDoubt, "at_most_once"),
        (p_two_phase.CommitUnheard, "consistent"),
        (p_lock.ReleaseWhileWorking, "one_at_a_time"),
        (p_lock.NoFencing, "last_write_is_the_highest"),
        (p_counts.LeakyBudget, "conserved"),
        (p_counts.Flipped, "counted"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_what_an_incident_breaks_is_never_proved(model: type, broken: str) -> None:
    finding = said(model)[broken]
    assert finding.answer is Answer.UNDETERMINED and finding.reason


@pytest.mark.parametrize(
    ("model", "claim"),
    [
        (p_sizes.FourMarked, "never_four"),
        (p_sizes.FourNested, "never_four"),
        (p_sizes.Counter, "below_four"),
        (p_sizes.Tokens, "few_hops"),
        (p_sizes.Pigeons, "three_are_never_all_full"),
        (p_sizes.AllButOne, "not_all"),
        (p_sizes.Counts, "few"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
@pytest.mark.parametrize("max_members", [1, 3, 8])
def test_what_is_true_up_to_some_size_and_false_beyond_is_never_proved(
    model: type, claim: str, max_members: int
) -> None:
    assert answers(model, max_members=max_members)[claim] is Answer.UNDETERMINED


def test_a_claim_proved_only_from_a_false_one_is_not_proved() -> None:
    found = said(p_traps.Mutual)
    assert found["b_holds"].answer is Answer.UNDETERMINED
    assert found["a_never"].answer is Answer.UNDETERMINED
    assert "every claim but b_holds" in found["a_never"].reason


def test_two_claims_that_prove_each_other_and_are_both_false_are_not_proved() -> None:
    assert set(answers(p_traps.Circle).values()) == {Answer.UNDETERMINED, Answer.HOLDS}
    assert answers(p_traps.Circle)["left_is_low"] is Answer.UNDETERMINED
    assert answers(p_traps.Circle)["right_is_low"] is Answer.UNDETERMINED


def test_asking_for_one_claim_proves_what_it_rests_on_too() -> None:
    found = prove(lift(p_traps.Mutual), only=["a_never"])
    assert [(f.property, f.answer) for f in found] == [("a_never", Answer.UNDETERMINED)]
    found = prove(lift(p_ledger.EffectLedger), only=["at_most_once"])
    assert [(f.property, f.answer) for f in found] == [("at_most_once", Answer.HOLDS)]


def test_a_claim_false_at_the_start_is_violated_there_and_is_no_hypothesis() -> None:
    found = said(p_traps.BadStart)
    low, unseen = found["level_is_low"], found["unseen"]
    assert low.answer is unseen.answer is Answer.VIOLATED
    assert low.counterexample is not None and low.counterexample.steps == ()
    assert low.counterexample.initial["level"] == "7"
    assert unseen.counterexample is not None and unseen.counterexample.initial["seen[item0]"] == "True"
    assert "unseen(item0)" in unseen.counterexample.failed
    assert found["level_is_positive_or_zero"].answer is Answer.HOLDS


def test_a_count_too_large_at_the_start_is_found_where_there_are_enough_members() -> None:
    finding = said(p_counts.StartsFull)["few"]
    assert finding.answer is Answer.VIOLATED and finding.scope == {"Account": 4}


def test_a_claim_whose_body_raises_is_false_there() -> None:
    found = said(p_traps.RaisingClaim)
    assert found["always_raises"].answer is Answer.VIOLATED
    assert found["divides"].answer is Answer.UNDETERMINED
    assert "ZeroDivisionError" in cti(found["divides"])["false"]


def test_that_no_action_raises_is_proved_from_what_is_proved_and_not_otherwise() -> None:
    assert said(p_traps.Raising)[NO_RAISE].reason == "with lemma divisor_is_positive"
    careless = said(p_traps.Raising(safe=False))
    assert careless["divisor_is_positive"].answer is Answer.UNDETERMINED
    assert careless[NO_RAISE].answer is Answer.UNDETERMINED
    assert cti(careless[NO_RAISE])["false"] == "risky raises ZeroDivisionError"
    assert "no action has a path that raises" in said(p_lock.Lock)[NO_RAISE].reason


def test_a_range_is_an_obligation_and_the_values_of_a_parameter_are_those_of_its_range() -> None:
    kept = answers(p_traps.Ranged)
    assert kept["used stays in 0..3"] is kept["spare stays in -2..2"] is kept["small"] is Answer.HOLDS
    left = said(p_traps.Ranged(slack=1))
    assert left["used stays in 0..3"].answer is Answer.UNDETERMINED
    assert cti(left["used stays in 0..3"])["false"] == "used[item0] = 4 leaves its Range"
    assert left["small"].answer is Answer.UNDETERMINED


def test_a_constant_table_may_hold_anything_and_the_proof_says_so() -> None:
    found = said(p_shapes.Quota)
    assert found["within_limit"].answer is Answer.HOLDS
    assert "whatever the constant table limit holds" in found["within_limit"].reason
    assert found["at_most_two"].answer is Answer.UNDETERMINED, "true of this table, and not of every one"


def test_where_the_solver_gives_up_the_answer_is_undetermined_and_says_why() -> None:
    finding = said(p_traps.Squares, rlimit=20_000)["no_fermat"]
    assert finding.answer is Answer.UNDETERMINED and "rlimit" in finding.reason and finding.settles
    assert "beyond what is decided for every size: * of two ints that both vary (" in finding.reason
    assert re.search(r"p_traps\.py:\d+", finding.reason) and "cti" not in finding.facts


@pytest.mark.parametrize("model", PROVED, ids=lambda model: model.__name__)
def test_with_hardly_any_steps_for_the_solver_nothing_is_called_violated(model: type) -> None:
    for finding in prove(lift(model), rlimit=1):
        assert finding.answer in (Answer.HOLDS, Answer.UNDETERMINED)


@pytest.mark.parametrize("how", [{"max_members": 1}, {"rounds": 1}, {"rounds": 0}], ids=str)
@pytest.mark.parametrize("model", PROVED, ids=lambda model: model.__name__)
def test_bounds_on_instances_cost_proofs_and_never_make_one(model: type, how: dict[str, int]) -> None:
    full = answers(model)
    for name, answer in answers(model, **how).items():
        assert answer is full[name] or answer is Answer.UNDETERMINED


def test_an_aggregate_that_an_action_changes_everywhere_is_named() -> None:
    reason = said(p_counts.Flipped)["counted"].reason
    assert re.fullmatch(
        r"after clear \(.*p_counts\.py:\d+\): count over Account is outside what prove can follow for every size: "
        "the action changes open everywhere",
        reason,
    )


def test_paying_oneself_is_the_counterexample_of_the_leaky_budget() -> None:
    assert cti(said(p_counts.LeakyBudget)["conserved"])["action"] == "move(account0, account0)"


def test_the_same_question_has_the_same_answer_to_the_letter() -> None:
    assert prove(lift(p_ledger.ResendInDoubt)) == prove(lift(p_ledger.ResendInDoubt))


@pytest.fixture
def no_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypotheses are put at no element at all: the poorest instantiation there is."""

    def none(_self: Elements, _universal: Universal) -> Iterator[Term]:
        return iter(())

    monkeypatch.setattr(Elements, "instances", none)


LEANING = [p_ledger.EffectLedger, p_two_phase.TwoPhase, p_lock.Lock, p_lock.Fencing, p_shapes.Assignment]


@pytest.mark.usefixtures("no_instances")
@pytest.mark.parametrize("model", LEANING, ids=lambda model: model.__name__)
def test_replay_notices_that_instances_are_missing_and_quantifiers_settle_it(model: type) -> None:
    assert set(answers(model).values()) == {Answer.HOLDS}


@pytest.mark.usefixtures("no_instances")
@pytest.mark.parametrize("model", LEANING, ids=lambda model: model.__name__)
def test_a_state_that_breaks_a_hypothesis_is_never_shown(model: type, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(_self: _Question, why: str) -> Open:
        return Open(why)

    monkeypatch.setattr(_Question, "_last_resort", give_up)
    found = [finding for finding in prove(lift(model)) if finding.answer is Answer.UNDETERMINED]
    assert found
    for finding in found:
        if not finding.facts:
            assert re.search(r"hypothesis .* is false in the replayed state", finding.reason), finding.reason


def test_a_step_after_which_cpython_finds_the_claim_true_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rewriting of goals is broken here, so that the solver believes every claim to fail."""

    def wrong(_node: Node, _updates: object) -> Node:
        return FALSE

    monkeypatch.setattr(obligations, "after", wrong)
    for finding in prove(lift(p_ledger.EffectLedger), only=["at_most_once", "sent_is_done", "applied stays in 0..3"]):
        assert finding.answer is Answer.UNDETERMINED and not finding.facts
        assert re.search(r"is true after .* in the replayed state", finding.reason), finding.reason
