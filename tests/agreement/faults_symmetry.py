"""Faults in symmetry: states merged that differ, orbits counted wrongly, canonical forms forgotten."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from meshspec.backends import kernel, orbits, symmetry
from meshspec.backends.columns import ColumnSpace
from meshspec.backends.symmetry import Image, Symmetry
from meshspec.backends.tuples import TupleSpace
from meshspec.engines import search, spaces, watch
from tests.agreement.faults_plant import Fault, Plant, part_of


def columns_sorted_cell_by_cell(plant: Plant) -> None:
    """Each variable is sorted for itself, as if a member were no more than its entries one by one."""

    def wrong(right: Any, layout: Any) -> Any:
        found = right(layout)
        if isinstance(found, str):
            return found
        single = [
            tuple((cells[place],) for cells in members)
            for members in found.columns
            for place in range(len(members[0]))
        ]
        return attrs.evolve(found, columns=tuple(single))

    plant.instead(spaces, "symmetry_of", wrong)


def relation_sorted_like_columns(plant: Plant) -> None:
    """Members of a sort that keys a map twice own columns: the first key decides."""

    def columns(_right: Any, layout: Any, sort: Any) -> Any:
        many: int = layout.sizes[sort]
        found = [list[int]() for _ in range(many)]
        for place, cell in enumerate(layout.cells):
            first: Any = next((key for key in cell.keys if isinstance(key, sort)), None)
            if first is not None:
                member: int = first.index
                found[member].append(place)
        return tuple(map(tuple, found))

    plant.says(symmetry, "_why_no_columns", "")
    plant.instead(symmetry, "_columns", columns)


def member_held_not_relabelled(plant: Plant) -> None:
    def images(right: Any, *args: Any) -> Iterator[Image]:
        for image in right(*args):
            yield attrs.evolve(image, labels=(None,) * len(image.labels))

    plant.instead(symmetry, "_images", images)


def members_told_apart_are_exchanged(plant: Plant) -> None:
    """Symmetry stays on with a constant table that differs, and with a start at one member."""
    plant.says(symmetry, "_told_apart", "")


def one_permutation_left_out(plant: Plant) -> None:
    """Then the images are no group, and an orbit has several canonical forms."""

    def images(right: Any, *args: Any) -> Iterator[Image]:
        yield from list(right(*args))[:-1]

    plant.instead(symmetry, "_images", images)


def orbit_as_large_as_the_group(plant: Plant) -> None:
    def size(_right: Any, self: Symmetry) -> Any:
        ways = math.prod(math.factorial(len(members)) for members in self.columns)

        def of(_state: Any) -> int:
            return ways * (len(self.images) + 1)

        return of

    plant.instead(Symmetry, "orbit_size", size)


def equal_columns_counted_apart_in_numpy(plant: Plant) -> None:
    def ways(_right: Any, self: Any, blocks: Any) -> Any:
        return np.full(len(blocks[0][0]), math.factorial(len(blocks)))

    plant.instead(orbits.Orbits, "_arrangements", ways)


def parts_of_a_column_exchanged_one_by_one_in_numpy(plant: Plant) -> None:
    def exchanged(_right: Any, a: Any, b: Any) -> Any:
        pairs = list(zip(a, b, strict=True))
        return tuple(np.minimum(x, y) for x, y in pairs), tuple(np.maximum(x, y) for x, y in pairs)

    def parts(_right: Any, packing: Any, cells: Any) -> Any:
        return [part_of(orbits, "_part")(packing.fields[cell]) for cell in cells]

    plant.instead(orbits, "_exchanged", exchanged)
    plant.instead(orbits, "_parts", parts)


def run_of_equal_columns_goes_on_in_the_kernel(plant: Plant) -> None:
    """How many permutations keep a state: a column that differs does not end a run of equal ones."""
    plant.loop("canonical", ("if block[d] == block[d - 1] else np.int64(1)", "if block[d] == block[d - 1] else run"))


def half_a_column_sorted_in_the_kernel(plant: Plant) -> None:
    plant.loop("canonical", ("np.uint64(groups[g, 2])", "np.uint64(groups[g, 2] >> 1)"))


def greatest_image_kept_in_the_kernel(plant: Plant) -> None:
    """The greatest is canonical for some and the least for others."""
    plant.loop("canonical", ("if image == 0 or order < 0:", "if image == 0 or (order > 0) == (image % 2 == 0):"))


def label_of_an_absent_member(plant: Plant) -> None:
    """``None`` is relabelled like the first member."""
    plant.edited(part_of(kernel, "_Orbits"), "__init__", ("[*label, len(label)]", "[*label, label[0]]"))


def canonical_form_forgotten_in_leading(plant: Plant) -> None:
    plant.edited(ColumnSpace, "leading", ("keys_of(self._canonical(one.rows))", "keys_of(one.rows)"))


def canonical_form_forgotten_in_leading_of_tuples(plant: Plant) -> None:
    plant.edited(TupleSpace, "leading", ("canonical(reached) in wanted", "reached in wanted"))


def canonical_form_forgotten_in_member(plant: Plant) -> None:
    plant.edited(TupleSpace, "member", ("self.canonical(state) in", "state in"))


def canonical_form_forgotten_in_step(plant: Plant) -> None:
    plant.edited(TupleSpace, "step", ("one = canonical(reached)", "one = reached"))


def witness_of_one_is_one_for_all(plant: Plant) -> None:
    """Arguments are taken for alike although no permutation maps one to the other."""

    def alike(_right: Any, _lifted: Any, arguments: Any, _symmetry: Any) -> Any:
        return [list(arguments)]

    plant.instead(watch, "_alike", alike)


def deadlocks_counted_by_orbits(plant: Plant) -> None:
    plant.edited(
        part_of(search, "_Search"),
        "_collect",
        ("sum(int(weights[place]) for place in places)", "len(places)"),
    )


def steps_counted_by_orbits(plant: Plant) -> None:
    plant.edited(TupleSpace, "step", ("taken[action] += weight", "taken[action] += 1"))


IN_SYMMETRY: tuple[Fault, ...] = (
    columns_sorted_cell_by_cell,
    relation_sorted_like_columns,
    member_held_not_relabelled,
    members_told_apart_are_exchanged,
    one_permutation_left_out,
    orbit_as_large_as_the_group,
    equal_columns_counted_apart_in_numpy,
    parts_of_a_column_exchanged_one_by_one_in_numpy,
    run_of_equal_columns_goes_on_in_the_kernel,
    half_a_column_sorted_in_the_kernel,
    greatest_image_kept_in_the_kernel,
    label_of_an_absent_member,
    canonical_form_forgotten_in_leading,
    canonical_form_forgotten_in_leading_of_tuples,
    canonical_form_forgotten_in_member,
    canonical_form_forgotten_in_step,
    witness_of_one_is_one_for_all,
    deadlocks_counted_by_orbits,
    steps_counted_by_orbits,
)
