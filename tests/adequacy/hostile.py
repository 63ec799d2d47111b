"""Functions that give what cannot be compared, never end, leave, or read where they run. The standard library."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any


class Plain:
    """Without an ``__eq__``: each is equal to itself alone."""


def generator(given: Any) -> Iterator[int]:
    yield 1


async def coroutine(given: Any) -> int:
    return 1


INCOMPARABLE: dict[str, Callable[[Any], object]] = {
    "nan": lambda given: float("nan"),
    "nan inside": lambda given: {"score": [float("nan")]},
    "a decimal": lambda given: Decimal("NaN"),
    "object": lambda given: object(),
    "a plain object": lambda given: Plain(),
    "a plain object inside": lambda given: (1, {"a": Plain()}),
    "a generator": generator,
    "a coroutine": coroutine,
    "an iterator": lambda given: iter([1]),
    "a function made anew": lambda given: lambda: 1,
}


def ends(given: Any) -> object:
    sys.exit(0)


def hangs(given: Any) -> object:
    while True:
        time.sleep(0.01)


def hangs_on(given: Any) -> object:
    """And takes every error for one of its own."""
    while True:
        try:
            time.sleep(0.01)
        except Exception:  # the incident
            continue


def folder(given: Any) -> str:
    return str(Path.cwd())


def home(given: Any) -> str:
    return os.path.expanduser("~")  # noqa: PTH111


def steady(given: Any) -> str:
    return repr(given)


def two(one: Any, other: Any) -> int:
    return 1


def named(*, name: Any) -> int:
    return 1
