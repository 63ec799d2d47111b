"""Every fault planted in driving is noticed by the test that is named for it; and drive agrees with explore."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import pytest

from meshspec import Sort
from meshspec.answer import Answer, Strength
from meshspec.engines.drive import drive
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.lang.lift import LiftedModel, lift
from meshspec.targets import models_in
from tests.agreement.faults_drive import IN_DRIVING, no_loop_is_left_open
from tests.agreement.faults_plant import Fault, Plant, Test, by_name, fails
from tests.agreement.models import generated
from tests.agreement.walking import replayed

MODULES = (
    "batches", "bounded", "jugs", "leases", "lock", "m_counters", "m_ledger", "m_third", "p_counts", "p_ghosts",
    "p_hidden", "p_ledger", "p_shapes", "p_sizes", "p_thresholds", "p_two_phase", "walk",
)  # fmt: skip


@pytest.mark.parametrize(("fault", "test"), IN_DRIVING.items(), ids=by_name)
def test_a_fault_in_driving_is_noticed_by_the_test_that_is_named_for_it(
    fault: Fault, test: Test, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant = Plant(monkeypatch)
    fault(plant)
    assert fails(test)
    assert plant.used, "what was planted was never used"


def test_without_a_fault_no_event_loop_is_left_open() -> None:
    assert not fails(no_loop_is_left_open)


def contradictions(model: LiftedModel, sizes: Mapping[type[Sort], int]) -> list[str]:
    """What drive says against explore, and paths that are none on CPython."""
    explored = {finding.property: finding for finding in explore(model, sizes, Limits(max_states=3000))}
    problems: list[str] = []
    for finding in drive(model, sizes, examples=6, steps=12):
        theirs = explored[finding.property]
        if finding.answer is Answer.VIOLATED:
            if wrong := replayed(model, sizes, finding):
                problems.append(f"{finding.property}: {wrong}")
            if theirs.strength is Strength.EXHAUSTIVE or theirs.answer is Answer.VACUOUS:
                problems.append(f"{finding.property}: refuted, explore says {theirs.answer.value}")
        seen = finding.kind in ("sometimes", "fires") and finding.answer is Answer.HOLDS
        if seen and theirs.answer is Answer.VACUOUS:
            problems.append(f"{finding.property}: seen, explore says never")
    return problems


@pytest.mark.parametrize("name", MODULES)
def test_drive_agrees_with_explore_on_every_model_of_a_file(name: str) -> None:
    for target in models_in(importlib.import_module(f"tests.models.{name}")):
        lifted = lift(target)
        assert contradictions(lifted, dict.fromkeys(lifted.sorts, 2)) == []


@pytest.mark.parametrize("chosen", range(4))
def test_drive_agrees_with_explore_on_generated_models(chosen: int) -> None:
    assert contradictions(generated(chosen).lifted, generated(chosen).scope) == []
