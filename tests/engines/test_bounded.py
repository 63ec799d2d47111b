"""Bounded search finds what explore finds, by the same path; k-induction claims its scope and no more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from meshspec.answer import Answer, Finding
from meshspec.backends.layout import NO_RAISE
from meshspec.backends.steps import Move, Steps
from meshspec.engines import bounded as engine
from meshspec.engines.bounded import Bounded, Bounds, Broken, Inductive, Unbroken, bounded
from meshspec.engines.explore import explore
from meshspec.engines.inductive import properties_of
from meshspec.engines.limits import Limits
from meshspec.errors import Disagreement
from meshspec.expr.nodes import Node
from meshspec.lang.lift import LiftedModel, lift
from meshspec.sorts import Sort
from tests.generator import make
from tests.models import p_counts, p_hidden, p_ledger, p_lock, p_shapes, p_sizes, p_traps, p_two_phase


def came_to(model: Any, size: int = 2, bounds: Bounds | None = None) -> dict[str, Bounded]:
    lifted = lift(model)
    return bounded(lifted, dict.fromkeys(lifted.sorts, size), properties_of(lifted), bounds=bounds)


def length(finding: Finding) -> int:
    """Steps to the state in which it is settled; a step that raises leads to none."""
    assert finding.counterexample is not None
    return len(finding.counterexample.steps) - (finding.kind == "total")


def contradictions(found: dict[str, Bounded], explored: Iterable[Finding]) -> list[str]:
    said = {finding.property: finding for finding in explored}
    problems: list[str] = []
    for name, one in found.items():
        finding = said[name]
        refuted = finding.answer is Answer.VIOLATED
        match one:
            case Broken(path):
                if not refuted and finding.facts["complete"]:
                    problems.append(f"{name}: bounded search refutes what explore says {finding.answer.value} of")
                if refuted and path != finding.counterexample:
                    problems.append(f"{name}: {path} and not {finding.counterexample}")
            case Inductive(k):
                if refuted:
                    problems.append(f"{name}: {k}-inductive, and explore refutes it")
            case Unbroken(depth):
                if refuted and length(finding) <= depth:
                    problems.append(f"{name}: unbroken to {depth} steps, explore needs {length(finding)}")
    return problems


def compared(lifted: LiftedModel, sizes: dict[type[Sort], int], bounds: Bounds) -> dict[str, Bounded]:
    found = bounded(lifted, sizes, properties_of(lifted), bounds=bounds)
    assert contradictions(found, explore(lifted, sizes, Limits(max_states=3000))) == []
    return found


@pytest.mark.parametrize("seed", range(24))
def test_on_a_generated_model_it_finds_the_very_path_that_explore_finds(seed: int) -> None:
    model = make(seed)
    try:
        assert compared(model.lifted, model.scope, Bounds(k=3, depth=5, rlimit=300_000))
    finally:
        model.forget()


MODELS = [
    p_ledger.ResendInDoubt,
    p_lock.ReleaseWhileWorking,
    p_lock.NoFencing,
    p_two_phase.CommitUnheard,
    p_counts.LeakyBudget,
    p_counts.Flipped,
    p_traps.Mutual,
    p_traps.BadStart,
    p_traps.RaisingClaim,
    p_traps.Raising(safe=False),
    p_traps.Ranged(slack=1),
    p_sizes.AllButOne,
    p_shapes.Quota,
    p_hidden.Beyond,
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: getattr(model, "__name__", type(model).__name__))
def test_what_an_incident_breaks_is_broken_by_the_path_of_explore(model: Any) -> None:
    lifted = lift(model)
    found = compared(lifted, dict.fromkeys(lifted.sorts, 2), Bounds(k=2, depth=8))
    assert model is p_shapes.Quota or any(isinstance(one, Broken) for one in found.values())


def test_the_shortest_path_is_found_whatever_depth_is_allowed() -> None:
    for depth in (6, 7, 12):
        broken = came_to(p_ledger.ResendInDoubt, bounds=Bounds(k=1, depth=depth))["at_most_once"]
        assert isinstance(broken, Broken) and broken.counterexample.how == "shortest"
        assert broken.counterexample.actions == (
            "intend(effect0)",
            "send(effect0)",
            "crash",
            "recover",
            "settle(effect0)",
            "send(effect0)",
        )
    short = came_to(p_ledger.ResendInDoubt, bounds=Bounds(k=1, depth=5))["at_most_once"]
    assert short == Unbroken(5, "not k-inductive for any k up to 1")


def test_more_than_one_step_is_needed_where_one_is_not_inductive() -> None:
    assert came_to(p_sizes.Counter, size=2)["below_four"] == Inductive(3, ())
    at_two = came_to(p_sizes.Counter, size=2, bounds=Bounds(k=2))["below_four"]
    assert isinstance(at_two, Unbroken)


def test_paths_that_visit_a_state_twice_stand_in_the_way_unless_states_must_differ() -> None:
    assert came_to(p_hidden.Loop)["never_off"] == Inductive(2, ())
    repeating = came_to(p_hidden.Loop, bounds=Bounds(k=4, distinct=False))["never_off"]
    assert isinstance(repeating, Unbroken)


@pytest.mark.parametrize("depth", [0, 1, 5])
def test_an_induction_of_two_steps_has_a_base_of_two_states(depth: int) -> None:
    broken = came_to(p_hidden.Early, bounds=Bounds(k=2, depth=depth))["never_off"]
    assert isinstance(broken, Broken) and broken.counterexample.actions == ("begin",)


def test_a_claim_is_not_proved_by_another_that_is_broken() -> None:
    for model in (p_traps.Mutual, p_traps.Circle):
        found = came_to(model)
        assert sum(isinstance(one, Broken) for one in found.values()) == 2, found


def test_where_a_range_is_left_the_path_ends() -> None:
    found = came_to(p_hidden.Beyond)
    broken = found["never_five"], found["level stays in 0..3"]
    assert [len(one.counterexample.steps) for one in broken if isinstance(one, Broken)] == [2, 2]
    assert isinstance(found["never_known"], Inductive)
    assert isinstance(found[NO_RAISE], Inductive), "it would be raised there, and nobody comes to raise it"


def test_the_first_initial_state_is_taken_where_several_lead_there() -> None:
    left = came_to(p_hidden.Beyond)["level stays in 0..3"]
    assert isinstance(left, Broken) and left.counterexample.initial["level"] == "1"


def test_a_step_that_raises_ends_the_path_and_is_its_last() -> None:
    raised = came_to(p_traps.Raising(safe=False))[NO_RAISE]
    assert isinstance(raised, Broken)
    assert raised.counterexample.steps[-1].note == "raises ZeroDivisionError"
    assert isinstance(came_to(p_traps.Raising(safe=True))[NO_RAISE], Inductive)


def test_the_entries_of_a_constant_table_are_those_of_the_model() -> None:
    assert isinstance(came_to(p_shapes.Quota)["at_most_two"], Inductive)


def test_a_claim_is_about_the_numbers_of_its_range_and_no_others() -> None:
    assert isinstance(came_to(p_hidden.Measured)["less_than_three_and_some"], Inductive)


def test_what_is_known_for_every_size_is_assumed_of_every_state() -> None:
    lifted = lift(p_ledger.EffectLedger)
    properties = {p.name: p for p in properties_of(lifted)}
    lemmas = [p for p in properties.values() if p.kind == "lemma"]
    sizes = dict.fromkeys(lifted.sorts, 2)
    alone = bounded(lifted, sizes, [properties["at_most_once"]], bounds=Bounds(k=1, depth=1))
    assert isinstance(alone["at_most_once"], Unbroken)
    helped = bounded(lifted, sizes, [properties["at_most_once"]], lemmas, Bounds(k=1, depth=1))
    assert helped["at_most_once"] == Inductive(1, ("done_is_known_or_doubted",))  # and says of which


@pytest.mark.parametrize(
    "model", [p_ledger.ResendInDoubt, p_two_phase.TwoPhase, p_traps.Raising(safe=False)], ids=str
)
def test_with_hardly_any_steps_for_the_solver_nothing_is_known(model: Any) -> None:
    for one in came_to(model, bounds=Bounds(rlimit=1)).values():
        assert isinstance(one, Unbroken) and "rlimit" in one.reason, one


def test_a_path_that_cpython_does_not_go_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards are lost here, so that the solver believes every action to be enabled."""

    def nothing(_self: Steps, _move: Move) -> list[Node]:
        return []

    def broken(*_: object) -> bool:
        return False

    monkeypatch.setattr(Steps, "_enabled", nothing)
    monkeypatch.setattr(engine, "is_true", broken)  # so that nothing but the step stands in the way
    with pytest.raises(Disagreement, match="the solver found a path on which, for CPython, lose is not taken"):
        came_to(p_traps.Mutual)


def test_a_state_in_which_cpython_finds_the_claim_true_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def always_true(*_: object) -> bool:
        return True

    monkeypatch.setattr(engine, "is_true", always_true)
    with pytest.raises(Disagreement, match="is true at the end of it"):
        came_to(p_traps.BadStart)


def test_the_same_scope_has_the_same_answer_to_the_letter() -> None:
    assert came_to(p_two_phase.CommitUnheard) == came_to(p_two_phase.CommitUnheard)
