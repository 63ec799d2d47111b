"""A walker on any graph of places, the graph being a constant: what any search on graphs can be held against."""

from __future__ import annotations

from enum import Enum

from meshspec import Map, Sort, action, choose, eventually, fault, leads_to, model, require, var


class Place(Sort):
    """Where the walker can be."""


class Side(Enum):
    LEFT = 0
    RIGHT = 1


class Way(Enum):
    """Who takes a step: anyone, one of two sides, or the environment."""

    EITHER = 0
    LEFT = 1
    RIGHT = 2
    PUSHED = 3


WAY_OF = {Side.LEFT: Way.LEFT, Side.RIGHT: Way.RIGHT}


@model
class Walk:
    enters: Map[Place, bool] = Map(False)
    leads: Map[tuple[Way, Place, Place], bool] = Map(False)
    asks: Map[Place, bool] = Map(False)
    answers: Map[Place, bool] = Map(False)
    at: Place | None = var(None)

    @action
    def enter(self) -> None:
        to: Place = choose(Place)
        require(self.at is None and self.enters[to])
        self.at = to

    @action
    def either(self) -> None:
        to: Place = choose(Place)
        require(self.at is not None and self.leads[Way.EITHER, self.at, to])
        self.at = to

    @action
    def one(self, side: Side) -> None:
        to: Place = choose(Place)
        require(self.at is not None and self.leads[WAY_OF[side], self.at, to])
        self.at = to

    @fault
    def push(self) -> None:
        to: Place = choose(Place)
        require(self.at is not None and self.leads[Way.PUSHED, self.at, to])
        self.at = to

    @eventually
    def gets_there(self) -> bool:
        return self.at is not None and self.answers[self.at]

    @eventually
    def is_answered(self) -> bool:
        return leads_to(self.at is not None and self.asks[self.at], self.at is not None and self.answers[self.at])
