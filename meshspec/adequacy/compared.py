"""Which values can be compared: those that are equal to themselves, and to the same value made again.

NaN is not equal to itself; an object without an ``__eq__`` of its own, a generator and a coroutine are equal to
nothing else, whatever they stand for. That two of these are unequal says nothing about what they were made from.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import sys
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, cast

import attrs

from meshspec.adequacy import host


def why_not(value: object) -> str:
    """Why this value, or one inside it, cannot be compared with another one; nothing where it can.

    >>> why_not([1, "a", None]), why_not([float("nan")])
    ('', 'nan is not equal to itself')
    """
    waiting: list[object] = [value]
    met: set[int] = set()
    while waiting:
        one = waiting.pop()
        if type(one) in (str, int, bool, bytes) or id(one) in met:
            continue
        met.add(id(one))
        parts = list(_parts(one))
        if not parts:
            found = _alone(one)
            if found:
                return found
        waiting += parts
    return ""


def _parts(value: object) -> Iterator[object]:
    """What a value is made of, where its equality is that of its parts."""
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[object, object]", value).items():
            yield key
            yield item
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from cast("list[object]", value)
    elif not isinstance(value, type) and type(value).__eq__ is not object.__eq__:
        if attrs.has(type(value)):
            yield from (getattr(value, field.name) for field in attrs.fields(cast(Any, type(value))) if field.eq)
        elif dataclasses.is_dataclass(value):
            yield from (getattr(value, field.name) for field in dataclasses.fields(value) if field.compare)


def _alone(value: object) -> str:
    kind = type(value)
    if inspect.isawaitable(value) or inspect.isgenerator(value) or inspect.isasyncgen(value):
        return f"a {kind.__name__} is no value yet"
    if kind.__eq__ is object.__eq__ and not _is_the_only_one(value):
        return f"a {kind.__name__} is equal to itself alone"
    try:
        itself = bool(value == value)
    except Exception as error:
        return host.told(error)
    return "" if itself else f"{value!r:.60} is not equal to itself"


def _is_the_only_one(value: object) -> bool:
    """None, a member of an enum or of a sort: a copy is the same object; a class or a function that has a name."""
    if isinstance(value, (type, FunctionType)):
        return _has_a_name(value)
    try:
        return copy.copy(value) is value
    except Exception:  # whatever cannot be copied, there may be another one of
        return False


def _has_a_name(value: object) -> bool:
    """Whether a module holds it under its own name: everybody who says that name means the same."""
    found: object = sys.modules.get(str(getattr(value, "__module__", "")))
    for part in str(getattr(value, "__qualname__", "")).split("."):
        found = getattr(found, part, None)
    return found is value
