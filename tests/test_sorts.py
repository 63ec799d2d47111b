"""Sorts, scopes and ranges: members with equality and nothing else, and sizes only where they are given."""

from __future__ import annotations

import copy
import pickle

import pytest

from meshspec import ModelError, Range, Sort, scope
from meshspec.errors import UsageError
from meshspec.sorts import members


class Effect(Sort):
    """An effect."""


class LateWorker(Sort):
    """Another sort."""


def test_a_member_is_one_object_wherever_it_is_named() -> None:
    assert Effect(1) is Effect(1)
    assert Effect(0) != Effect(1)
    others: list[Sort] = [LateWorker(0)]
    assert Effect(0) not in others
    assert len({Effect(0), Effect(0), LateWorker(0)}) == 2


def test_a_member_survives_copying_and_pickling_as_itself() -> None:
    assert copy.copy(Effect(2)) is copy.deepcopy(Effect(2)) is pickle.loads(pickle.dumps(Effect(2))) is Effect(2)


def test_a_member_prints_as_the_sort_with_a_small_letter_and_its_number() -> None:
    assert (repr(Effect(0)), repr(LateWorker(12))) == ("effect0", "lateWorker12")


@pytest.mark.parametrize("index", [-1, True, "a", 1.0, None])
def test_members_are_numbered_from_0(index: int) -> None:
    with pytest.raises(ModelError, match="numbered from 0"):
        Effect(index)


def test_only_a_subclass_has_members() -> None:
    with pytest.raises(ModelError, match="only a subclass has members"):
        Sort(0)


def test_a_member_has_no_attributes_to_set() -> None:
    with pytest.raises(ModelError, match=r"effect0\.index cannot be set"):
        Effect(0).index = 3
    with pytest.raises(ModelError, match="nothing but equality"):
        vars(Sort)["__setattr__"](Effect(0), "colour", "red")


def test_members_have_no_order() -> None:
    with pytest.raises(TypeError):
        sorted([Effect(1), Effect(0)])  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]


def test_a_sort_is_as_large_as_the_scope_says() -> None:
    with scope({Effect: 3}):
        assert list(Effect) == [Effect(0), Effect(1), Effect(2)]
        assert len(Effect) == 3
        assert Effect(1) in list(Effect)
        with scope({Effect: 1, LateWorker: 2}):
            assert (len(Effect), len(LateWorker)) == (1, 2)
        assert len(Effect) == 3


def test_a_sort_without_a_size_says_what_to_write() -> None:
    with scope({LateWorker: 2}), pytest.raises(ModelError, match=r"with scope\(\{Effect: 3\}\):"):
        members(Effect)
    assert bool(Effect)


def test_a_scope_ends_even_where_it_is_left_by_an_error() -> None:
    with pytest.raises(ZeroDivisionError), scope({Effect: 2}):
        raise ZeroDivisionError
    with pytest.raises(ModelError, match="no size here"):
        members(Effect)


def test_one_scope_can_be_entered_again() -> None:
    two = scope({Effect: 2})
    with two, scope({Effect: 5}), two:
        assert len(Effect) == 2


@pytest.mark.parametrize("size", [0, -1, True, 1.5, "2"])
def test_a_sort_has_at_least_one_member(size: int) -> None:
    with pytest.raises(UsageError, match="a sort has at least one member"):
        scope({Effect: size})


class Constants:
    capacity = 4
    low = 5


def test_a_range_has_both_its_ends_and_may_depend_on_constants() -> None:
    assert list(Range(0, 2).of(None)) == [0, 1, 2]
    assert list(Range(-1, lambda m: m.capacity).of(Constants)) == [-1, 0, 1, 2, 3, 4]
    assert list(Range(3, 3).of(None)) == [3]


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(ModelError, match=r"Range\(5, 4\) is empty"):
        Range(lambda m: m.low, lambda m: m.capacity).of(Constants)
