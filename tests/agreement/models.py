"""The models that engines are held against CPython on: shipped ones, those of the tests, generated ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from meshspec import Sort
from meshspec.lang.lift import LiftedModel, lift
from meshspec.models import environment
from meshspec.models.effect_ledger import EffectLedger
from tests.agreement.corners import CORNERS
from tests.generator import GeneratedModel, make

Subject = tuple[LiftedModel, dict[type[Sort], int]]
"""A model and a scope to look at it in."""

CI = range(40)
"""The seeds that are tried on every run; `soak.py` tries more."""

ALL = range(200)
"""The seeds that `soak.py` puts to every engine, whatever share of the others it does."""


@cache
def generated(seed: int) -> GeneratedModel:
    return make(seed)


@cache
def shipped() -> tuple[LiftedModel, ...]:
    """Every model that the package ships, found by what its modules hold."""
    mixins: list[type] = [
        value
        for value in vars(environment).values()
        if isinstance(value, type) and value.__module__ == environment.__name__ and not issubclass(value, Sort)
    ]
    return tuple(lift(cls) for cls in (EffectLedger, *mixins))


@cache
def corners() -> tuple[LiftedModel, ...]:
    return tuple(map(lift, CORNERS))


def subjects(seeds: Iterable[int]) -> Iterator[Subject]:
    """Corners first, at a size where no two sorts are alike; then generated models."""
    for model in corners():
        yield model, {sort: 2 + place for place, sort in enumerate(model.sorts)}
    for seed in seeds:
        yield generated(seed).lifted, generated(seed).scope


def scopes(model: LiftedModel) -> Iterator[dict[type[Sort], int]]:
    yield dict.fromkeys(model.sorts, 1)
    yield dict.fromkeys(model.sorts, 2)
