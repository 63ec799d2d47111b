"""Inputs that have in common what is measured, and nothing else perhaps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import attrs

from meshspec.adequacy.function import equal, same, text_of
from meshspec.errors import UsageError


def grouped(inputs: list[object], measures: Callable[[Any], object]) -> Iterator[tuple[object, object]]:
    """Every two inputs of which the same is measured."""
    for one, other in itertools.combinations(inputs, 2):
        if same(measures(one), measures(other)):
            yield one, other


def mixed(inputs: list[object], measures: Sequence[str]) -> Iterator[tuple[object, object]]:
    """Each input, and it with other fields taken from another one: one field first, then all of them."""
    for names in (1, None):
        for one, other in itertools.permutations(inputs, 2):
            mine, others = _fields(one), _fields(other)
            missing = [name for name in measures if name not in mine]
            if missing:
                raise UsageError(f"{text_of(one)} has no field {missing[0]!r}; it has {', '.join(map(repr, mine))}")
            differing = [n for n, v in others.items() if n not in measures and not (n in mine and equal(mine[n], v))]
            if names is None and len(differing) < 2:
                continue
            for chosen in ([name] for name in differing) if names else (differing,):
                yield one, _with(one, {name: others[name] for name in chosen})


def _fields(given: object) -> dict[str, object]:
    if isinstance(given, Mapping):
        return dict(cast("Mapping[str, object]", given))
    if hasattr(given, "_asdict"):
        return cast("dict[str, object]", cast(Any, given)._asdict())
    if attrs.has(type(given)):
        return {field.name: getattr(given, field.name) for field in attrs.fields(cast(Any, type(given)))}
    raise UsageError(
        f"{text_of(given)} has no named fields: give mappings, named tuples or attrs objects, "
        "or say what it measures by a function"
    )


def _with(given: object, fields: dict[str, object]) -> object:
    if isinstance(given, Mapping):
        return {**cast("Mapping[str, object]", given), **fields}
    if hasattr(given, "_replace"):
        return cast(Any, given)._replace(**fields)
    return attrs.evolve(cast(Any, given), **fields)
