"""Walks over small graphs: the model of them, and what is true of them by the definitions alone."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import attrs

from meshspec import Map
from meshspec.answer import Finding
from meshspec.engines.live import live
from meshspec.lang.fairness import FAIR, Fairness
from meshspec.lang.lift import Lifted, LiftedModel, lift
from tests.models.walk import Place, Walk, Way

WALK = lift(Walk)
FAIR_WAYS = {"either": [{Way.EITHER}], "one": [{Way.LEFT}, {Way.RIGHT}]}
PLACES = range(5)
START = -1
ENTER = "enter"
Edge = tuple[Way | str, int, int]
"""Who takes it, where from, where to; a walk begins nowhere, at ``START``, and enters."""


@attrs.frozen
class Case:
    """A graph of places, what is asked for and answered where, and what is fair."""

    edges: frozenset[Edge]
    asks: frozenset[int]
    answers: frozenset[int]
    fairness: Fairness

    @property
    def model(self) -> LiftedModel:
        tables = {
            "enters": Map(False, {Place(to): True for way, _, to in self.edges if way is ENTER}),
            "leads": Map(False, {(w, Place(a), Place(b)): True for w, a, b in self.edges if w is not ENTER}),
            "asks": Map(False, {Place(place): True for place in self.asks}),
            "answers": Map(False, {Place(place): True for place in self.answers}),
        }
        untyped: Any = Walk
        return attrs.evolve(
            WALK, instance=untyped(**tables), claims=tuple(assuming(claim, self.fairness) for claim in WALK.claims)
        )


def assuming(claim: Lifted, fairness: Fairness) -> Lifted:
    """The same claim under another fairness."""
    body: Any = claim.method.function
    copy = FunctionType(body.__code__, body.__globals__, body.__name__)
    setattr(copy, FAIR, fairness)
    return attrs.evolve(claim, method=attrs.evolve(claim.method, function=copy))


def said(case: Case) -> dict[str, Finding]:
    return {finding.property: finding for finding in live(case.model, {Place: len(PLACES)})}
