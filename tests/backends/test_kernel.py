"""The kernel steps packed states as generated Python steps tuples, whatever its tables, words and workers."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import attrs
import pytest

from meshspec import Range, action, model, require, var
from meshspec.backends import compiled
from meshspec.backends.intervals import bounds_of
from meshspec.backends.kernel import RowSpace
from meshspec.backends.layout import Layout, State
from meshspec.backends.space import Space
from meshspec.backends.symmetry import Symmetry, symmetry_of
from meshspec.backends.tuples import TupleSpace
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import lift
from tests.agreement.models import generated
from tests.backends.stepping import by_generated, by_kernel, random_states
from tests.backends.test_rows import Edges, Shapes, subjects
from tests.backends.test_rows import Node as Item
from tests.models.m_budget import Budget, Component, Failure, SmallBudget
from tests.models.m_counters import Counter, Counters
from tests.models.m_ledger import Delegation, Ledger, LedgerTwoCrashes
from tests.models.two_phase_commit import Manager, TwoPhase


@attrs.frozen
class Searched:
    """A whole search: states by layer and what it counted, every state as often as its weight says."""

    layers: tuple[frozenset[State], ...]
    states: int
    taken: tuple[int, ...]
    stuck: int
    odd: int


def search(space: Space, most: int = 1 << 30) -> Searched:
    layer = space.add(space.pack(list(space.layout.initial_states())))
    layers, states, stuck, odd = list[frozenset[State]](), 0, 0, 0
    taken = [0] * len(space.layout.ground_actions())
    while space.size(layer) and states < most:
        layers.append(frozenset(space.unpack(layer)))
        weights = space.weights(layer)
        states += sum(int(weight) for weight in weights)
        stepped = space.step(layer, weights)
        taken = [a + int(b) for a, b in zip(taken, stepped.taken, strict=True)]
        stuck, odd, layer = stuck + len(stepped.stuck), odd + len(stepped.odd), stepped.new
    return Searched(tuple(layers), states, tuple(taken), stuck, odd)


def small() -> Iterator[Layout]:
    for subject, sizes in subjects():
        layout = Layout(subject, sizes)
        try:
            bounds_of(layout)
        except UsageError:
            continue
        yield layout


def test_one_step_from_random_states_is_what_generated_python_says() -> None:
    steps = strange = idle = 0
    for layout in small():
        space = RowSpace(layout)
        states = random_states(layout, space.packing.fields, 100, layout.model.name)
        expected = by_generated(layout, space.packing.fields, states)
        assert by_kernel(space, states) == expected, layout.model.name
        steps, strange, idle = steps + sum(expected.taken), strange + len(expected.odd), idle + len(expected.stuck)
    assert min(steps, strange, idle) > 100


def test_one_state_at_a_time_leads_where_generated_python_says() -> None:
    layout = Layout(lift(Shapes), {Item: 3})
    states = random_states(layout, RowSpace(layout).packing.fields, 30, "one at a time")
    space = RowSpace(layout)
    fields = space.packing.fields
    for state in states:
        expected = by_generated(layout, fields, [state])
        fresh = frozenset(space.unpack(space.add(space.pack(sorted(expected.reached, key=str)))))
        assert fresh <= expected.reached
        assert by_kernel(space, [state]) == attrs.evolve(expected, reached=frozenset()), "all are known now"


@pytest.mark.parametrize(("counters", "limit", "words"), [(5, 6, 1), (12, 4, 2), (20, 3, 3)])
def test_states_of_any_number_of_words_are_counted_exactly(counters: int, limit: int, words: int) -> None:
    space = RowSpace(Layout(lift(Counters(limit=limit)), {Counter: counters}))
    assert space.packing.words == words
    found = search(space)
    assert found.states == math.comb(counters + limit, limit)
    assert found.odd == 0


def test_known_counts_of_the_benchmarks_and_of_two_phase_commit() -> None:
    assert search(RowSpace(Layout(lift(LedgerTwoCrashes), {Delegation: 3}))).states == 12_393
    assert search(RowSpace(Layout(lift(SmallBudget), {Component: 2, Failure: 3}))).states == 27_009
    assert search(RowSpace(Layout(lift(TwoPhase), {Manager: 5}))).states == 8_832


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_find_what_one_finds_and_always_in_the_same_order(workers: int) -> None:
    layout = Layout(lift(LedgerTwoCrashes), {Delegation: 3})
    alone, together = search(RowSpace(layout)), search(RowSpace(layout, workers=workers))
    assert together == alone
    first, again = (RowSpace(layout, workers=workers) for _ in range(2))
    layers = [space.add(space.pack(list(layout.initial_states()))) for space in (first, again)]
    while len(layers[0]):
        assert layers[0].tolist() == layers[1].tolist()
        layers = [one.step(layer, one.weights(layer)).new for one, layer in zip((first, again), layers, strict=True)]
    assert sum(first.shares()) == alone.states
    assert min(first.shares()) > 0.8 * alone.states / workers, "each worker keeps about as many states"


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_added_is_remembered_once_and_kept_in_order(workers: int) -> None:
    layout = Layout(lift(Counters), {Counter: 3})
    space = RowSpace(layout, workers=workers)
    states: list[State] = [(n, 0, 0) for n in range(-100, 100)]
    assert space.unpack(space.add(space.pack(states[:50] + states[20:70]))) == states[:70]
    assert space.unpack(space.add(space.pack(states))) == states[70:]
    assert space.size(space.add(space.pack(states))) == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_hash_that_is_the_same_for_all_states_changes_nothing_but_time(workers: int) -> None:
    layout = Layout(lift(Counters(limit=3)), {Counter: 12})
    space = RowSpace(layout, workers=workers, factor=0)
    assert search(space) == search(RowSpace(layout))
    layer = space.pack([(1, *(0,) * 11), (2, *(0,) * 11)])
    assert list(space.leading(layer, space.pack([(3, *(0,) * 11)]))) == [1]
    assert space.member((2, *(0,) * 11), layer)
    assert not space.member((3, *(0,) * 11), layer)


def test_tables_grow_and_lose_nothing() -> None:
    layout = Layout(lift(TwoPhase), {Manager: 5})
    space = RowSpace(layout)
    before = space.bytes_held()
    assert search(space).states == 8_832
    assert space.bytes_held() > before
    again = space.pack(list(layout.initial_states()))
    assert space.size(space.add(again)) == 0


def test_a_large_search_keeps_at_most_24_bytes_for_each_state() -> None:
    space = RowSpace(Layout(lift(Ledger), {Delegation: 4}))
    layer, states = space.add(space.pack(list(space.layout.initial_states()))), 0
    while len(layer):
        states += len(layer)
        layer = space.step(layer, space.weights(layer)).new
    assert states == 111_537
    assert space.bytes_held() <= 24 * states


def test_leading_names_the_states_with_a_step_into_the_targets() -> None:
    layout = Layout(lift(Ledger), {Delegation: 2})
    found = search(RowSpace(layout))
    successors = TupleSpace(layout).successors
    space = RowSpace(layout, workers=2)
    for before, after in zip(found.layers, found.layers[1:], strict=False):
        sources, targets = sorted(before, key=str), sorted(after, key=str)[::3]
        wanted = [n for n, state in enumerate(sources) if {s for _, s, _ in successors(state)} & set(targets)]
        assert list(space.leading(space.pack(sources), space.pack(targets))) == wanted
    assert space.size(space.add(space.pack(list(found.layers[1])))) == len(found.layers[1]), "nothing was remembered"


def test_a_step_over_either_end_of_a_range_is_odd_and_touches_no_neighbour() -> None:
    layout = Layout(lift(Edges), {})
    space = RowSpace(layout)
    names = [lifted.name for lifted, _ in layout.ground_actions()]
    every = [(below, x, above) for below in range(4) for x in range(-2, 6) for above in range(4)]
    stepped = space.step(space.pack(every), [1] * len(every))
    over = {(names[step.action], every[step.source][1]) for step in stepped.odd}
    assert {("up", x) for x in (3, 4, 5)} <= over
    assert {("down", x) for x in (-2, -1)} <= over
    assert not {("up", 2), ("down", 0)} & over
    assert by_kernel(RowSpace(layout), every) == by_generated(layout, space.packing.fields, every)


def symmetric() -> Iterator[tuple[Layout, Symmetry]]:
    layouts = [
        Layout(lift(LedgerTwoCrashes), {Delegation: 3}),
        Layout(lift(Budget(cap=2, tries=2, budget=4)), {Component: 3, Failure: 3}),
        Layout(lift(Counters(limit=3)), {Counter: 9}),
        *(Layout(generated(seed).lifted, generated(seed).sizes(3)) for seed in range(20)),
    ]
    for layout in layouts:
        symmetry = symmetry_of(layout)
        if isinstance(symmetry, Symmetry):
            yield layout, symmetry


def test_orbits_are_those_of_tuples_and_stand_for_as_many_states() -> None:
    images = columns = 0
    for layout, symmetry in symmetric():
        try:
            space = RowSpace(layout, symmetry)
        except UsageError as error:
            assert "no bounds can be proved" in str(error) or "more than a word" in str(error)
            continue
        mine, theirs = search(space, 3000), search(TupleSpace(layout, symmetry), 3000)
        if theirs.odd:
            continue  # a Range is left: what is beyond it, tuples still step to
        assert [len(layer) for layer in mine.layers] == [len(layer) for layer in theirs.layers], layout.model.name
        assert (mine.states, sum(mine.taken), mine.stuck) == (theirs.states, sum(theirs.taken), theirs.stuck)
        images, columns = images + bool(symmetry.images), columns + bool(symmetry.columns)
    assert min(images, columns) >= 5


def test_orbits_of_more_members_than_64_bits_have_permutations() -> None:
    layout = Layout(lift(Counters(limit=2)), {Counter: 25})
    symmetry = symmetry_of(layout)
    assert isinstance(symmetry, Symmetry)
    found = search(RowSpace(layout, symmetry))
    assert sum(map(len, found.layers)) == 4, "none, one, two of one, one of two"
    assert found.states == math.comb(27, 2)


def test_orbits_of_the_ledger_add_up_to_all_its_states() -> None:
    layout = Layout(lift(LedgerTwoCrashes), {Delegation: 3})
    symmetry = symmetry_of(layout)
    assert isinstance(symmetry, Symmetry)
    reduced, full = search(RowSpace(layout, symmetry)), search(RowSpace(layout))
    assert reduced.states == full.states == 12_393
    owned = [[at for at, cell in enumerate(layout.cells) if Delegation(d) in cell.keys] for d in range(3)]
    orbits = {
        (state[0], *sorted(tuple(state[at] for at in mine) for mine in owned))
        for layer in full.layers
        for state in layer
    }
    assert sum(map(len, reduced.layers)) == len(orbits) < 12_393 / 5
    assert sum(reduced.taken) == sum(full.taken)


@model
class Inferred:
    """An int without a Range whose bounds can be proved."""

    level: int = var(0)
    low: Annotated[int, Range(0, 1)] = var(0)

    @action
    def rise(self) -> None:
        require(self.level < 5)
        self.level += 1


def test_bounds_that_are_wrong_are_a_disagreement_and_no_finding() -> None:
    layout = Layout(lift(Inferred), {})
    assert search(RowSpace(layout)).states == 6
    space = RowSpace(layout, bounds={"level": range(4), "low": range(2)})
    with pytest.raises(Disagreement, match=r"rise takes level out of the bounds that were inferred"):
        search(space)


@pytest.mark.parametrize("workers", [1, 2])
def test_weights_beyond_64_bits_are_added_up_exactly(workers: int) -> None:
    layout = Layout(lift(Counters), {Counter: 3})
    states: list[State] = [(n, 0, 0) for n in range(-9, 10)]
    plain = RowSpace(layout, workers=workers).step(RowSpace(layout).pack(states), [1] * 19).taken
    weights = [math.factorial(25) + n for n in range(19)]
    counted = TupleSpace(layout).step(states, weights).taken
    space = RowSpace(layout, workers=workers)
    assert list(space.step(space.pack(states), weights).taken) == list(counted)
    assert [one > 1 << 63 for one in counted] == [one > 0 for one in plain]


@model
class Huge:
    """Sums that come close to 64 bits, and one that leaves them."""

    far: Annotated[int, Range(-(1 << 40), 1 << 40)] = var(0)
    near: Annotated[int, Range(0, 1 << 20)] = var(1)
    times: int = 1 << 20

    @action
    def jump(self) -> None:
        require(self.far * self.times + self.near < 1 << 61)
        self.far += 1 << 39

    @action
    def back(self) -> None:
        require(self.far * 3 > self.near - self.times * self.times)
        self.far = self.near - self.far


def test_sums_close_to_64_bits_are_right_and_larger_ones_are_refused() -> None:
    layout = Layout(lift(Huge), {})
    space = RowSpace(layout)
    states = random_states(layout, space.packing.fields, 300, "huge")
    expected = by_generated(layout, space.packing.fields, states)
    assert min(expected.taken) > 30
    assert by_kernel(space, states) == expected
    with pytest.raises(UsageError, match="a sum over far, near may leave 64 bits"):
        RowSpace(Layout(lift(Huge(times=1 << 30)), {}))


def test_a_claim_is_tested_in_every_state_of_a_batch() -> None:
    layout = Layout(lift(Counters(limit=3)), {Counter: 2})
    space = RowSpace(layout)
    test = space.test(layout.model.claims[0].claim, [{}])
    assert list(test(space.pack([(1, 2), (2, 2), (0, 0), (155, -100)]))) == [-1, 0, -1, 0]


def test_without_numba_there_is_no_kernel_and_the_reason_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    compiled.unavailable.cache_clear()
    try:
        assert not compiled.available()
        with pytest.raises(UsageError, match=r"no kernel: numba cannot be imported .*pip install 'meshspec\[fast\]'"):
            RowSpace(Layout(lift(Edges), {}))
    finally:
        monkeypatch.undo()
        compiled.unavailable.cache_clear()
    assert compiled.available()


def _itself(loop: Any) -> Any:
    return loop


def test_where_no_folder_can_be_written_the_kernel_is_compiled_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    asked: list[bool] = []

    def njit(cache: bool = False, nogil: bool = False) -> Any:
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return _itself

    monkeypatch.setattr(numba, "njit", njit)
    compiled.load.cache_clear()
    try:
        loops = compiled.load()
        assert loops.expand.__name__ == "_expand"
        assert asked == [True, False] * 5
    finally:
        compiled.load.cache_clear()
