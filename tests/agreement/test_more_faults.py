"""Every fault planted in packed states, symmetry, searches, runs, proofs and certificates is noticed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from meshspec.answer import Answer
from meshspec.engines.prove import SEARCH, prove
from meshspec.lang.lift import lift
from tests.agreement import faults, faults_live, faults_other, faults_packed, faults_prove, faults_search
from tests.agreement.faults_noticed import (
    Check,
    against_cpython,
    all_means,
    antecedents,
    going_on,
    least_paths,
    members,
    moving_on,
    noticed,
    readings,
    ready,
    shown,
    small,
)
from tests.agreement.faults_plant import Fault, Known, Plant, Test, by_name, fails
from tests.agreement.faults_symmetry import IN_SYMMETRY
from tests.models import p_traps

CHECKS: tuple[Check, ...] = (
    readings, all_means, members, against_cpython, least_paths, antecedents, moving_on, going_on,
)  # fmt: skip
KNOWN: Sequence[Known] = (
    faults_live.IN_RUNS,
    faults_live.IN_REFINEMENT,
    faults_prove.IN_PROOFS,
    faults_prove.IN_SCOPES,
    faults_prove.IN_MUTANTS,
    faults_other.IN_CERTIFICATES,
    faults_other.IN_PARTIAL_ORDER,
    faults_other.IN_BOUNDS,
    faults_other.IN_ANSWERS,
)
SHOWN: Sequence[Sequence[Fault]] = (
    faults_packed.IN_LAYOUTS,
    faults_packed.IN_ROWS,
    faults_packed.IN_KERNEL,
    faults_packed.IN_NUMPY,
    IN_SYMMETRY,
    faults_search.IN_SEARCHES,
    faults_search.IN_MOVES,
    faults_search.IN_CHECKPOINTS,
)


def is_noticed(fault: Fault, checks: Sequence[Check], patch: pytest.MonkeyPatch) -> bool:
    models, plant = ready(), Plant(patch)
    fault(plant)
    found = noticed(models, *checks)
    assert plant.used, "what was planted was never used"
    return found


@pytest.mark.parametrize("check", CHECKS, ids=by_name)
def test_without_a_fault_no_model_shows_anything(check: Check) -> None:
    assert list(shown(small(), check)) == []


@pytest.mark.parametrize("fault", faults_packed.IN_LAYOUTS, ids=by_name)
def test_a_fault_in_how_states_are_packed_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_noticed(fault, (readings,), monkeypatch)


@pytest.mark.parametrize("fault", faults_packed.IN_ROWS, ids=by_name)
def test_a_fault_in_rows_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_noticed(fault, (readings,), monkeypatch)


@pytest.mark.parametrize("fault", faults_packed.IN_KERNEL, ids=by_name)
def test_a_fault_in_the_kernel_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_noticed(fault, (readings, all_means, members), monkeypatch)


@pytest.mark.parametrize("fault", faults_packed.IN_NUMPY, ids=by_name)
def test_a_fault_in_steps_by_numpy_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_noticed(fault, (readings, all_means), monkeypatch)


@pytest.mark.parametrize("fault", IN_SYMMETRY, ids=by_name)
def test_a_fault_in_symmetry_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_noticed(fault, (all_means, against_cpython), monkeypatch)


@pytest.mark.parametrize("fault", faults_search.IN_SEARCHES, ids=by_name)
def test_a_fault_in_a_search_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_noticed(fault, (all_means, against_cpython, least_paths, antecedents), monkeypatch)


@pytest.mark.parametrize("fault", faults_search.IN_MOVES, ids=by_name)
def test_a_fault_in_a_move_to_another_space_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_noticed(fault, (moving_on,), monkeypatch)


@pytest.mark.parametrize("fault", faults_search.IN_CHECKPOINTS, ids=by_name)
def test_a_fault_in_going_on_from_a_checkpoint_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_noticed(fault, (going_on,), monkeypatch)


@pytest.mark.parametrize(("fault", "test"), [one for known in KNOWN for one in known.items()], ids=by_name)
def test_a_fault_is_noticed_by_the_test_that_is_named_for_it(
    fault: Fault, test: Test, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant = Plant(monkeypatch)
    fault(plant)
    assert fails(test)
    assert plant.used, "what was planted was never used"


@pytest.mark.parametrize(
    "test",
    [
        faults_prove.what_explore_refutes_is_not_proved,
        faults_prove.no_mutant_is_equal_by_a_claim_that_is_not_proved,
        faults_other.what_a_disabled_step_waits_for_is_taken,
        faults_other.the_door_tells_constants_apart,
    ],
    ids=by_name,
)
def test_without_a_fault_what_was_written_to_notice_one_passes(test: Test) -> None:
    assert not fails(test)


@pytest.mark.parametrize("fault", faults_prove.IN_LEMMAS, ids=by_name)
def test_a_fault_in_the_search_for_lemmas_proves_nothing_that_is_false(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Candidates are a suggestion: the induction that is trusted drops those that are no lemmas."""
    plant = Plant(monkeypatch)
    fault(plant)
    for cls, claim in ((p_traps.Mutual, "a_never"), (p_traps.Circle, "left_is_low")):
        found = {finding.property: finding.answer for finding in prove(lift(cls), max_candidates=SEARCH)}
        assert found[claim] is Answer.UNDETERMINED
    assert plant.used


def test_what_is_no_longer_there_cannot_be_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="plant the fault anew"):
        Plant(monkeypatch).edited(Plant, "edited", ("a line that is nowhere", "another"))


def test_there_are_more_than_thirty_faults_and_no_two_of_one_name_in_one_place() -> None:
    every = [fault for part in SHOWN for fault in part] + [fault for known in KNOWN for fault in known]
    assert len({(fault.__module__, fault.__name__) for fault in every}) == len(every)
    assert len(every) + len({*faults.IN_READINGS, *faults.IN_LIFTING, *faults.IN_SEARCH}) > 100
