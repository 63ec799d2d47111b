"""Faults in packed states: their layout, the rows that step them, the kernel that keeps them, NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from meshspec.backends import arrays, columns, dispatch, intervals, lowering, moves, packing, sorted_runs
from meshspec.backends.grounding import Grounding
from meshspec.backends.kernel import RowSpace
from meshspec.backends.layout import State
from meshspec.backends.lowering import Ground, Grounder
from meshspec.backends.packing import Packing
from meshspec.backends.rows import Lowering
from tests.agreement.faults_plant import Fault, Plant, part_of

# -- the layout ------------------------------------------------------------------------------------------------


def none_has_the_code_of_the_least_value(plant: Plant) -> None:
    def pack(right: Any, self: Packing, states: Sequence[State]) -> Any:
        least = [field.lo for field in self.fields]
        held = [[lo if v is None else v for lo, v in zip(least, state, strict=True)] for state in states]
        return right(self, list(map(tuple, held)))

    plant.instead(Packing, "pack", pack)


def fields_overlap_by_a_bit(plant: Plant) -> None:
    plant.edited(packing, "_filled", ("used[word] += wide", "used[word] += max(1, wide - 1)"))


def inferred_bound_off_by_one(plant: Plant) -> None:
    plant.edited(intervals, "_range", ("int(span.hi) + 1)", "max(int(span.hi), int(span.lo) + 1))"))


# -- rows ------------------------------------------------------------------------------------------------------


def dropped_conjunct_of_a_row(plant: Plant) -> None:
    def assume(right: Any, self: Lowering, ground: Ground, want: bool, region: Any) -> Any:
        if want and ground.op == "and":
            ground = Ground("and", None, ground.args[:-1])
        return right(self, ground, want, region)

    plant.instead(Lowering, "assume", assume)


def swapped_branches_of_a_row(plant: Plant) -> None:
    plant.edited(Lowering, "_split", ("zip(branches, (True, False)", "zip(branches, (False, True)"))


def off_by_one_bound_of_a_row(plant: Plant) -> None:
    plant.edited(Lowering, "_compared", ('last = -1 if ground.op == "<" else 0', "last = 0"))


def missed_row(plant: Plant) -> None:
    def tables(right: Any, self: Any, rows: Sequence[Any]) -> Any:
        return right(self, rows[:-1])

    plant.instead(part_of(dispatch, "_Writer"), "tables", tables)


def overflow_into_the_neighbours_field(plant: Plant) -> None:
    """Nobody asks whether what is written fits."""
    plant.edited(
        Lowering,
        "_write",
        ("self._limited(self._limited([inside], code, 1, field.size - 1), code, -1, 0)", "[inside]"),
    )


def wrong_frame_of_a_row(plant: Plant) -> None:
    """What is cleared for a new value is one bit too wide."""
    plant.edited(
        part_of(dispatch, "_Writer"), "_words", ("keep[field.word] &= ~(((1 <<", "keep[field.word] &= ~(((2 <<")
    )


def linear_guard_with_the_wrong_sign(plant: Plant) -> None:
    plant.edited(part_of(dispatch, "_Writer"), "_conditions", ("-guard.bound", "guard.bound"))


def guard_that_a_region_forgets(plant: Plant) -> None:
    plant.edited(Lowering, "_guarded", ("(*region.guards, guard)", "(guard,)"))


def quantifier_over_one_too_few_in_rows(plant: Plant) -> None:
    plant.edited(
        Grounder,
        "ground",
        ("range(self.layout.sizes[bound.type.cls])", "range(max(1, self.layout.sizes[bound.type.cls] - 1))"),
    )


def truncating_division_in_rows(plant: Plant) -> None:
    def fold(right: Any, op: str, x: int, y: int) -> int:
        return int(x / y) if op == "//" else right(op, x, y)

    plant.instead(lowering, "fold_ints", fold)


def wrong_stride_of_a_table(plant: Plant) -> None:
    """A table of two fields is read as if the first were as wide as the second."""
    plant.edited(
        part_of(dispatch, "_Writer"), "_terms", ("self.fields[cell].codes", "self.fields[term.cells[-1]].codes")
    )


def repeated_choice_is_a_row(plant: Plant) -> None:
    plant.edited(Lowering, "_leaf", ("if spare - looked_at(outcome) or isinstance", "if isinstance"))


# -- the kernel ------------------------------------------------------------------------------------------------


def hash_taken_for_equality(plant: Plant) -> None:
    """What stands where a state would stand is taken for it."""
    plant.loop(
        "insert", ("if held == first:\n", "if held != _ZERO:\n                break\n            if held == first:\n")
    )


def first_word_taken_for_the_state(plant: Plant) -> None:
    plant.loop(
        "insert",
        (
            "!= states[i * count + w]:\n                        same = False",
            "!= states[i * count + w]:\n                        pass",
        ),
    )


def conditions_of_a_row_not_looked_at(plant: Plant) -> None:
    plant.loop("expand", ("if head & _CONDITIONS != _ZERO:", "if False:"))


def sum_remembered_from_another_state(plant: Plant) -> None:
    """What guards add up is kept from the state before."""
    plant.loop("expand", ("if stamps[which] != j:", "if stamps[which] < 0:"))


def wrap_around_forgotten(plant: Plant) -> None:
    """A search through the table that comes to its end gives up."""
    plant.loop("find", ("at = 0", "break"))


def a_shard_is_lost(plant: Plant) -> None:
    plant.edited(RowSpace, "step", ("range(len(self._shards))", "range(1)"))


def worker_leaves_out_its_last_state(plant: Plant) -> None:
    plant.edited(
        RowSpace, "_rounds", ("total * (number + 1) // len(workers)", "total * (number + 1) // len(workers) - number")
    )


def odd_rows_forgotten(plant: Plant) -> None:
    plant.says(RowSpace, "_odd", [])


# -- NumPy -----------------------------------------------------------------------------------------------------


def swapped_branches_in_numpy(plant: Plant) -> None:
    def choice(right: Any, self: Any, condition: Any, then: Any, otherwise: Any) -> Any:
        return right(self, condition, otherwise, then)

    plant.instead(arrays.Terms, "choice", choice)


def truncating_division_in_numpy(plant: Plant) -> None:
    def division(right: Any, op: str, a: Any, b: Any) -> Any:
        if op != "//":
            return right(op, a, b)

        def compute(lanes: Any) -> Any:
            divisor = lanes.of(b)
            return np.trunc(lanes.of(a) / np.where(divisor == 0, 1, divisor)).astype(np.int64)

        return compute

    plant.instead(arrays, "_division", division)


def leaving_a_range_unnoticed_in_numpy(plant: Plant) -> None:
    def leaves(_right: Any, grounding: Grounding, _puts: Any) -> Any:
        return grounding.terms.false

    plant.instead(moves, "_leaves", leaves)


def wrong_frame_in_numpy(plant: Plant) -> None:
    plant.edited(
        moves,
        "_settled",
        ("cleared |= _mask(field) << field.shift", "cleared |= (2 * _mask(field) + 1) << field.shift & _ALL"),
    )


def quantifier_over_one_too_few_in_numpy(plant: Plant) -> None:
    plant.edited(
        Grounding,
        "_quantified",
        (
            "range(self.layout.sizes[node.bound.type.cls])",
            "range(max(1, self.layout.sizes[node.bound.type.cls] - 1))",
        ),
    )


def instance_missed_in_numpy(plant: Plant) -> None:
    """A claim is never asked for the last of its arguments."""

    def failures(right: Any, grounding: Grounding, node: Any, arguments: Sequence[Mapping[str, Any]]) -> Any:
        return right(grounding, node, arguments[:-1] if len(arguments) > 1 else arguments)

    plant.instead(columns, "first_failures", failures)


def first_word_taken_for_the_state_in_numpy(plant: Plant) -> None:
    def contains(right: Any, run: Any, keys: Any) -> Any:
        return right(*(part.astype("S8") if part.dtype.kind == "S" else part for part in (run, keys)))

    plant.instead(sorted_runs, "contains", contains)


def states_met_are_not_remembered_in_order(plant: Plant) -> None:
    """Arrays are put together and not sorted again, so that a search in them misses."""
    plant.edited(
        sorted_runs.SortedRuns,
        "insert",
        ('np.sort(np.concatenate([self._runs[-1], last]), kind="stable")', "np.concatenate([self._runs[-1], last])"),
    )


def value_of_another_lane(plant: Plant) -> None:
    """What was computed of all states is taken for some of them, from the first on."""
    plant.edited(arrays.Lanes, "of", ("above[self._chosen]", "above[: self.size]"))


IN_LAYOUTS: tuple[Fault, ...] = (
    none_has_the_code_of_the_least_value,
    fields_overlap_by_a_bit,
    inferred_bound_off_by_one,
)
IN_ROWS: tuple[Fault, ...] = (
    dropped_conjunct_of_a_row,
    swapped_branches_of_a_row,
    off_by_one_bound_of_a_row,
    missed_row,
    overflow_into_the_neighbours_field,
    wrong_frame_of_a_row,
    linear_guard_with_the_wrong_sign,
    guard_that_a_region_forgets,
    quantifier_over_one_too_few_in_rows,
    truncating_division_in_rows,
    wrong_stride_of_a_table,
    repeated_choice_is_a_row,
)
IN_KERNEL: tuple[Fault, ...] = (
    hash_taken_for_equality,
    first_word_taken_for_the_state,
    conditions_of_a_row_not_looked_at,
    sum_remembered_from_another_state,
    wrap_around_forgotten,
    a_shard_is_lost,
    worker_leaves_out_its_last_state,
    odd_rows_forgotten,
)
IN_NUMPY: tuple[Fault, ...] = (
    swapped_branches_in_numpy,
    truncating_division_in_numpy,
    leaving_a_range_unnoticed_in_numpy,
    wrong_frame_in_numpy,
    quantifier_over_one_too_few_in_numpy,
    instance_missed_in_numpy,
    first_word_taken_for_the_state_in_numpy,
    states_met_are_not_remembered_in_order,
    value_of_another_lane,
)
