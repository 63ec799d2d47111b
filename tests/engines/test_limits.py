"""Bounds: amounts of memory as they are written, and the memory that this process holds."""

from __future__ import annotations

import gc

import pytest

from meshspec.engines.limits import Limits, memory, memory_now
from meshspec.errors import UsageError


@pytest.mark.parametrize(
    ("text", "size"), [("4G", 4 * 10**9), ("500m", 500 * 10**6), ("1.5K", 1500), ("1000000", 1_000_000)]
)
def test_memory_is_read_with_its_unit(text: str, size: int) -> None:
    assert memory(text) == size


@pytest.mark.parametrize("text", ["", "G", "4X", "four", "nan", "inf", "1e999G", "4 5"])
def test_what_is_no_amount_of_memory_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no amount of memory"):
        memory(text)


def test_a_negative_amount_is_below_every_bound() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        Limits(max_memory=memory("-1G"))


def test_memory_that_is_taken_shows_at_once() -> None:
    gc.collect()
    before = memory_now()
    taken = bytearray(b"x" * 200_000_000)
    assert memory_now() - before > 100_000_000
    assert len(taken) == 200_000_000
