"""Searches by NumPy find what a plain search on tuples finds, with and without symmetry, whatever the slices."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import attrs
import numpy as np
import pytest

from meshspec.backends.columns import ColumnSpace
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State
from meshspec.backends.orbits import _network  # pyright: ignore[reportPrivateUsage]  # a table, tested on its own
from meshspec.backends.sorted_runs import SortedRuns, contains, distinct, keys_of, rows_of
from meshspec.backends.symmetry import Symmetry, symmetry_of
from meshspec.errors import UsageError
from meshspec.lang.lift import lift
from tests.agreement.corners import CORNERS
from tests.agreement.models import generated
from tests.models import bounded, jugs, lock, p_ledger, p_lock, p_shapes, two_phase_commit
from tests.models.batches import Broad, Tall

SUBJECTS: list[tuple[type, int]] = [
    *((cls, 2) for cls in CORNERS),
    (jugs.Jugs, 1),
    (lock.Peterson, 1),
    (p_ledger.EffectLedger, 3),
    (p_ledger.ResendInDoubt, 2),
    (p_lock.Lock, 3),
    (p_shapes.Quota, 2),
    (p_shapes.Assignment, 2),
    (p_shapes.Chain, 3),
    (two_phase_commit.TwoPhase, 3),
    (two_phase_commit.TwoPhase, 4),
    (bounded.Saturating, 1),
    (bounded.Derived, 2),
    (Broad, 1),
    (Broad, 2),
    (Tall, 2),
    (Tall, 3),
]
SEEDS = range(30)
MANY = 4000


@attrs.frozen
class Searched:
    """What a search came to, in numbers that no order and no choice of a canonical form changes."""

    states: int
    depth: int
    transitions: dict[str, int]
    deadlocks: int
    odd: int


def plain(layout: Layout) -> tuple[Searched, set[State], Counter[int], set[tuple[State, int]]]:
    """Breadth first on tuples, with generated Python and nothing else."""
    generator, ground = Generator(layout), layout.ground_actions()
    successors, left = generator.successors(), generator.out_of_range()
    found = set(layout.initial_states())
    layer, depth, deadlocks = list(found), 0, 0
    fired, odd = Counter[int](), set[tuple[State, int]]()
    while layer and len(found) < MANY:
        following: list[State] = []
        for state in layer:
            after = successors(state)
            deadlocks += not after
            for action, reached, _ in after:
                fired[action] += 1
                if reached is None or left(reached):
                    odd.add((state, action))
                elif reached not in found:
                    found.add(reached)
                    following.append(reached)
        layer, depth = following, depth + 1
    names = Counter[str]()
    for action, times in fired.items():
        names[ground[action][0].name] += times
    return Searched(len(found), depth, dict(names), deadlocks, len(odd)), found, fired, odd


def by_columns(
    space: ColumnSpace,
) -> tuple[Searched, set[State], Counter[int], set[tuple[State, int]]]:
    layout, ground = space.layout, space.layout.ground_actions()
    batch = space.add(space.pack(list(layout.initial_states())))
    states = depth = deadlocks = strange = 0
    fired, odd, found = Counter[int](), set[tuple[State, int]](), set[State]()
    total = sum(map(int, space.weights(batch)))
    while space.size(batch) and total < MANY:
        weights = space.weights(batch)
        here = space.unpack(batch)
        assert not found & {*here} and len({*here}) == len(here), "each state once"
        found |= {*here}
        states += sum(map(int, weights))
        stepped = space.step(batch, weights)
        fired.update({action: times for action, times in enumerate(stepped.taken) if times})
        deadlocks += sum(int(weights[at]) for at in stepped.stuck)
        odd |= {(here[one.source], one.action) for one in stepped.odd}
        strange += sum(int(weights[one.source]) for one in stepped.odd)
        batch, depth = stepped.new, depth + 1
        total += sum(map(int, space.weights(batch)))
    found |= {*space.unpack(batch)}
    names = Counter[str]()
    for action, times in fired.items():
        names[ground[action][0].name] += times
    return Searched(total, depth, dict(names), deadlocks, strange), found, fired, odd


def layout_of(cls: type, size: int) -> Layout:
    lifted = lift(cls)
    return Layout(lifted, dict.fromkeys(lifted.sorts, size))


def same(layout: Layout) -> None:
    """The searches agree: exactly without a symmetry, in every number with one."""
    expected = plain(layout)
    space = ColumnSpace(layout)
    assert by_columns(space) == expected
    assert space.bytes_held() == 8 * space.packing.words * expected[0].states
    symmetry = symmetry_of(layout)
    if isinstance(symmetry, Symmetry):
        reduced, orbits, _, _ = by_columns(ColumnSpace(layout, symmetry))
        assert reduced == expected[0]
        canonical, size = symmetry.canonical(), symmetry.orbit_size()
        assert len(orbits) == len({canonical(state) for state in expected[1]})
        assert Counter(map(size, orbits)) == Counter(size(one) for one in {canonical(state) for state in expected[1]})


@pytest.mark.parametrize(("cls", "size"), SUBJECTS)
def test_a_whole_search_is_that_of_a_plain_one(cls: type, size: int) -> None:
    same(layout_of(cls, size))


@pytest.mark.parametrize("first", SEEDS[::10])
def test_a_whole_search_of_generated_models_is_that_of_a_plain_one(first: int) -> None:
    refused = 0
    for seed in range(first, first + 10):
        try:
            same(Layout(generated(seed).lifted, generated(seed).scope))
        except UsageError:
            refused += 1
    assert refused <= 1


def test_short_slices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meshspec.backends.grounding.Grounding.lanes", 5)
    monkeypatch.setattr("meshspec.backends.columns._REACHED", 3)
    same(layout_of(two_phase_commit.TwoPhase, 3))
    same(layout_of(p_shapes.Chain, 2))


# -- what a space says of itself -------------------------------------------------------------------------------


def two_phase(size: int, reduced: bool) -> ColumnSpace:
    layout = layout_of(two_phase_commit.TwoPhase, size)
    symmetry = symmetry_of(layout)
    assert isinstance(symmetry, Symmetry)
    return ColumnSpace(layout, symmetry if reduced else None)


def layers(space: ColumnSpace) -> list[Any]:
    found = [space.add(space.pack(list(space.layout.initial_states())))]
    while space.size(found[-1]):
        found.append(space.step(found[-1], space.weights(found[-1])).new)
    return found[:-1]


@pytest.mark.parametrize("reduced", [False, True])
def test_what_leads_into_a_layer_is_what_steps_into_it(reduced: bool) -> None:
    space = two_phase(3, reduced)
    successors = Generator(space.layout).successors()
    for before, after in itertools.pairwise(layers(space)):
        targets = space.take(after, range(0, space.size(after), 3))
        expected = [
            at
            for at, state in enumerate(space.unpack(before))
            if any(reached is not None and space.member(reached, targets) for _, reached, _ in successors(state))
        ]
        assert list(space.leading(before, targets)) == expected
        assert expected, "breadth first, so that something leads there"
        assert not len(space.leading(before, space.joined([])))


def test_a_step_that_leaves_a_range_leads_into_nothing() -> None:
    layout = layout_of(jugs.Jugs, 1)
    space = ColumnSpace(layout, bounds={"in_small": range(2), "in_big": range(2)})
    start = space.add(space.pack([(0, 0)]))
    stepped = space.step(start, [1])
    assert not space.size(stepped.new)
    assert [layout.ground_actions()[one.action][0].name for one in stepped.odd] == ["fill_small", "fill_big"]
    assert not len(space.leading(start, space.pack([(1, 0), (0, 1), (1, 1)])))


def test_added_states_come_once_and_in_the_order_given() -> None:
    space = two_phase(3, reduced=False)
    every = space.unpack(space.joined(layers(two_phase(3, reduced=False))))
    given = random.Random(5).choices(every, k=400)
    assert space.unpack(space.add(space.pack(given[:50]))) == list(dict.fromkeys(given[:50]))
    rest = [state for state in dict.fromkeys(given) if state not in given[:50]]
    assert space.unpack(space.add(space.pack(given))) == rest
    assert not space.size(space.add(space.pack(given)))


def test_every_permuted_state_is_a_member_and_a_foreign_one_is_not() -> None:
    space = two_phase(3, reduced=True)
    batch = layers(space)[4]
    held = [space.layout.decode(state) for state in space.unpack(batch)]
    (manager,) = space.layout.sizes
    for values in held:
        turned = {
            (name, tuple(manager((k.index + 1) % 3) if isinstance(k, manager) else k for k in keys)): value
            for (name, keys), value in values.items()
        }
        assert space.member(space.layout.encode(turned), batch)
    assert not space.member(next(space.layout.initial_states()), batch)
    assert not ColumnSpace(layout_of(jugs.Jugs, 1)).member((0, 6), batch), "one that no field holds"


def test_batches_are_taken_and_joined_by_index() -> None:
    space = two_phase(2, reduced=False)
    batch = space.joined(layers(space))
    states = space.unpack(batch)
    assert space.unpack(space.take(batch, [3, 0, 3])) == [states[3], states[0], states[3]]
    assert space.unpack(space.joined([space.take(batch, range(2)), space.take(batch, [5])])) == [
        *states[:2],
        states[5],
    ]
    assert space.size(space.joined([])) == 0 and space.unpack(space.joined([])) == []
    assert list(space.weights(space.joined([]))) == []


def test_orbits_larger_than_64_bits_are_counted_exactly() -> None:
    space = two_phase(30, reduced=True)
    second = layers_until(space, 2)
    (prepared,) = [state for state in space.unpack(second) if sum(part == 1 for part in state[:30]) == 2]
    at = space.unpack(second).index(prepared)
    assert int(space.weights(second)[at]) == 30 * 29 // 2
    assert sum(map(int, space.weights(layers_until(two_phase(30, reduced=True), 15)))) > 2**40


def layers_until(space: ColumnSpace, depth: int) -> Any:
    batch = space.add(space.pack(list(space.layout.initial_states())))
    for _ in range(depth):
        batch = space.step(batch, space.weights(batch)).new
    return batch


def test_the_same_search_gives_the_same_batches_in_the_same_order() -> None:
    one, other = (layers(two_phase(4, reduced=True)) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_an_int_without_bounds_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"Endless: no bounds can be proved for spent \(.*bounded.py:\d+\), owed"):
        ColumnSpace(layout_of(bounded.Endless, 1))


# -- the set ---------------------------------------------------------------------------------------------------


def tuples(keys: Any, words: int) -> list[tuple[int, ...]]:
    return [tuple(row) for row in rows_of(keys, words).tolist()]


@pytest.mark.parametrize("words", [1, 2, 3])
def test_sorted_runs_are_a_set(words: int) -> None:
    rnd = random.Random(words)
    runs, held = SortedRuns(), set[tuple[int, ...]]()
    numbers = [0, 1, 255, 256, 2**32, 2**56, 2**64 - 1, *(rnd.getrandbits(64) for _ in range(3))]
    for size in (0, 1, 40, 3, 90, 200, 5, 5, 5, 300):
        drawn = [tuple(rnd.choice(numbers) for _ in range(words)) for _ in range(size)]
        keys = distinct(keys_of(np.array(drawn, dtype=np.uint64).reshape(-1, words)))
        assert tuples(keys, words) == sorted(set(drawn)), "in the order of words"
        absent = runs.absent(keys)
        missing = runs.missing(keys)
        assert tuples(missing, words) == sorted(set(drawn) - held)
        assert rows_of(keys[absent], words).tolist() == rows_of(missing, words).tolist()
        runs.insert(missing)
        held |= set(drawn)
        assert runs.nbytes == 8 * words * len(held)
    assert not contains(distinct(keys_of(np.empty((0, words), dtype=np.uint64))), keys).any()


@pytest.mark.parametrize("size", range(1, 11))
def test_the_network_sorts(size: int) -> None:
    """By the zero-one principle: what sorts all zeros and ones sorts everything."""
    for bits in itertools.product((0, 1), repeat=size):
        line = list(bits)
        for low, high in _network(size):
            assert low < high
            line[low], line[high] = min(line[low], line[high]), max(line[low], line[high])
        assert line == sorted(bits)
