"""Faults elsewhere: certificates and what is remembered of them, partial order, bounds. Each with who notices it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

from meshspec.backends import certificate, certified_cache, inherited
from meshspec.backends.layout import Layout
from meshspec.engines import check
from meshspec.lang.lift import lift
from tests.agreement.faults_models import Waits
from tests.agreement.faults_plant import Known, Plant, Test, part_of
from tests.agreement.faults_search import (
    bound_exceeded_by_a_slice,
    cycle_proviso_forgotten,
    raising_action_looks_at_nothing,
    readers_do_not_depend_on_writers,
    visible_steps_may_wait,
    what_enables_is_left_waiting,
)
from tests.backends import test_certificate, test_certified_cache
from tests.engines import test_check, test_partial_order, test_spaces
from tests.models import p_traps

# -- certificates ----------------------------------------------------------------------------------------------


def certificate_of_another_key_believed(plant: Plant) -> None:
    plant.edited(certified_cache, "_believed", (' and body.get("key") == key', ""))


def damaged_certificate_believed(plant: Plant) -> None:
    plant.edited(certified_cache, "_believed", ("known = sealed and", "known ="))


def key_without_the_methods(plant: Plant) -> None:
    """A stale certificate: the key of a model stays the same when its methods change."""
    plant.edited(
        test_certified_cache,
        "fingerprint",
        ("walk.refer(model.instance)", "pass"),
        ("_method(walk, lifted, model.instance)", "pass"),
        ("walk.digest() if ran <= walk.codes else None", "walk.digest()"),
    )


def key_without_the_way(plant: Plant) -> None:
    plant.edited(test_certified_cache, "fingerprint", ('certificate", how, told', 'certificate", told'))


def door_that_forgets_the_constants(plant: Plant) -> None:
    plant.says(inherited, "constants_of", ())


def merged_paths_certified(plant: Plant) -> None:
    """The certificate looks at what merging has left, which may hide what is wrong."""

    def certify(right: Any, model: Any, **how: Any) -> Any:
        merged = [tuple(attrs.evolve(one, raw=one.tree) for one in part) for part in (model.actions, model.claims)]
        return right(attrs.evolve(model, actions=merged[0], claims=merged[1]), **how)

    plant.instead(certificate, "certify", certify)
    plant.patch.setattr(test_certificate, "certify", certificate.certify)


def contradiction_settled_by_strength(plant: Plant) -> None:
    """The stronger of two answers wins over one that refutes it."""
    plant.edited(check, "overall", ("if everywhere or same_scope:", "if False:"))


def the_door_tells_constants_apart() -> None:
    strict, loose = (certificate.certified(p_traps.Raising(safe=safe)) for safe in (True, False))
    assert [part_of(one.instance, "safe") for one in (strict, loose)] == [True, False]


def what_a_disabled_step_waits_for_is_taken() -> None:
    assert test_partial_order.reduced(Layout(lift(Waits), {})) is not None


def with_a_cache(test: Callable[[Path], None]) -> Test:
    def alone() -> None:
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setenv("MESHSPEC_CACHE", str(Path(folder, "cache")))
            test(Path(folder, "cache"))

    return alone


IN_CERTIFICATES: Known = {
    certificate_of_another_key_believed: with_a_cache(
        test_certified_cache.test_the_file_of_another_key_is_not_believed
    ),
    damaged_certificate_believed: with_a_cache(
        partial(test_certified_cache.test_a_spoilt_file_is_taken_for_absent, how="a count changed")
    ),
    key_without_the_methods: test_certified_cache.test_the_keys_of_different_models_differ,
    key_without_the_way: test_certified_cache.test_the_way_it_was_certified_is_part_of_the_key,
    door_that_forgets_the_constants: the_door_tells_constants_apart,
    merged_paths_certified: test_certificate.test_a_fault_that_merging_hides_is_seen_on_the_raw_paths,
}
IN_PARTIAL_ORDER: Known = {
    cycle_proviso_forgotten: test_partial_order.test_without_the_proviso_a_cycle_hides_a_violation,
    visible_steps_may_wait: test_partial_order.test_steps_that_are_looked_at_are_taken_in_every_order,
    readers_do_not_depend_on_writers:
        test_partial_order.test_an_action_that_reads_what_another_writes_is_not_left_waiting,
    what_enables_is_left_waiting: what_a_disabled_step_waits_for_is_taken,
    raising_action_looks_at_nothing:
        test_partial_order.test_what_an_antecedent_or_an_action_that_may_raise_reads_is_looked_at,
}  # fmt: skip
IN_BOUNDS: Known = {
    bound_exceeded_by_a_slice: partial(
        test_spaces.test_the_bound_on_states_is_exact_also_within_a_layer, "tuples", True
    ),
}
IN_ANSWERS: Known = {
    contradiction_settled_by_strength: test_check.test_engines_that_contradict_each_other_are_no_answer,
}
