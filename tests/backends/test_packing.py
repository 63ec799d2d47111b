"""A packed state holds every value, each in bits of its own."""

from __future__ import annotations

import itertools
from typing import Annotated

import pytest

from meshspec import Map, Range, Sort, action, model, var
from meshspec.backends.layout import Layout
from meshspec.backends.packing import VALID, Packing
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import lift
from tests.backends.stepping import random_states
from tests.models.m_counters import Counter, Counters
from tests.models.two_phase_commit import Manager, TwoPhase


class Thing(Sort):
    """Something."""


@model
class Shelf:
    low: Annotated[int, Range(-3, 9)] = var(0)
    holder: Thing | None = var(None)
    maybe: Map[Thing, Annotated[int, Range(5, 8)] | None] = var(None)
    full: Map[Thing, bool] = var(False)
    only: Annotated[int, Range(7, 7)] = var(7)
    free: int = var(0)

    @action
    def fill(self, t: Thing) -> None:
        self.full[t] = True


SHELF = Layout(lift(Shelf), {Thing: 3})
BOUNDS = {"low": range(-3, 10), "maybe": range(5, 9), "only": range(7, 8), "free": range(1000, 1001)}


def test_every_value_comes_back_as_it_was_absent_ones_and_bools_included() -> None:
    packing = Packing(SHELF, BOUNDS)
    states = random_states(SHELF, packing.fields, 500, "shelf")
    assert any(None in state for state in states)
    back = packing.unpack(packing.pack(states))
    assert back == states
    assert [list(map(type, state)) for state in back] == [list(map(type, state)) for state in states]


@pytest.mark.parametrize(("counters", "words"), [(1, 1), (7, 1), (8, 2), (15, 2), (16, 3)])
def test_no_field_straddles_a_word_and_none_overlaps_another(counters: int, words: int) -> None:
    packing = Packing(Layout(lift(Counters), {Counter: counters}), {"value": range(-100, 156)})
    assert packing.words == words
    bits = [(f.word, f.shift + bit) for f in packing.fields for bit in range(f.width)]
    assert len(set(bits)) == len(bits) == 8 * counters
    assert (0, 63) not in bits
    assert all(0 <= bit < 64 for _, bit in bits)


def test_the_highest_bit_of_the_first_word_is_set_so_that_no_state_is_zero() -> None:
    layout = Layout(lift(TwoPhase), {Manager: 2})
    packed = Packing(layout, {}).pack(list(layout.initial_states()))
    assert packed[0, 0] == VALID


def test_blocks_lie_side_by_side_and_compare_like_their_cells() -> None:
    layout = Layout(lift(TwoPhase), {Manager: 6})
    blocks = [[at, 6 + 1 + at] for at in range(6)]
    packing = Packing(layout, {}, blocks)
    for first, second in blocks:
        high, low = packing.fields[first], packing.fields[second]
        assert high.word == low.word
        assert high.shift == low.shift + low.width
    assert sorted(itertools.chain(*blocks)) == [*range(6), *range(7, 13)]


def test_columns_are_values_and_an_absent_one_is_beyond_them() -> None:
    packing = Packing(SHELF, BOUNDS)
    state = (-3, None, 5, None, 8, False, True, False, 7, 1000)
    packed = packing.pack([state])
    assert [int(packing.column(packed, cell)[0]) for cell in range(10)] == [-3, 3, 5, 9, 8, 0, 1, 0, 7, 1000]


@pytest.mark.parametrize("value", [-4, 10, 1 << 70, None])
def test_a_value_that_does_not_fit_is_a_disagreement_and_no_neighbours_value(value: int | None) -> None:
    packing = Packing(SHELF, BOUNDS)
    with pytest.raises(Disagreement, match="low"):
        packing.pack([(value, None, 5, None, 8, False, True, False, 7, 1000)])


def test_an_int_without_bounds_is_refused_and_told_what_to_write() -> None:
    with pytest.raises(UsageError, match=r"free has no bounds.*Range\(lo, hi\)"):
        Packing(SHELF, {name: span for name, span in BOUNDS.items() if name != "free"})


def test_a_range_too_wide_for_arithmetic_in_64_bits_is_refused() -> None:
    with pytest.raises(UsageError, match="too far"):
        Packing(SHELF, {**BOUNDS, "free": range(1 << 60)})


def test_a_block_that_no_word_holds_is_refused() -> None:
    layout = Layout(lift(Counters), {Counter: 9})
    with pytest.raises(UsageError, match="more than a word holds"):
        Packing(layout, {"value": range(-100, 156)}, [list(range(9))])


def test_no_state_at_all_is_packed_too() -> None:
    packing = Packing(SHELF, BOUNDS)
    assert packing.unpack(packing.pack([])) == []
