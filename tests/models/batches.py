"""Models with what is easily got wrong when states are packed and stepped a batch at a time."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, choose, count, each, exists, forall, model, require, total, var


class Worker(Sort):
    """Who does it."""


class Mode(Enum):
    SLOW = 0
    FAST = 1


@model
class Odds:
    """What is easily got wrong a batch at a time."""

    weight: Map[Worker, int] = Map(3, {Worker(1): -4})
    rank: Map[Mode, int] = Map(1, {Mode.FAST: 2})
    n: Annotated[int, Range(-7, 7)] = var(0)
    d: Annotated[int, Range(-3, 3)] = var(0)
    chief: Worker | None = var(None)
    mode: Mode = var(Mode.SLOW)
    maybe: Annotated[int, Range(-2, 2)] | None = var(None)
    held: Map[tuple[Worker, Mode], Annotated[int, Range(0, 5)]] = var(0)
    boss: Map[Worker, Worker | None] = var(None)
    best: Map[Worker, Annotated[int, Range(0, 5)]] = var(0)

    @action
    def divide(self) -> None:
        require(self.d != 0)
        self.n = self.n // self.d
        self.maybe = self.n % self.d

    @action
    def divide_or_raise(self) -> None:
        self.n = 7 // self.d

    @action
    def weigh(self) -> None:
        require(self.chief is not None)
        assert self.chief is not None
        self.n = self.weight[self.chief] * self.rank[self.mode]
        self.held[self.chief, self.mode] += 1

    @action
    def level(self) -> None:
        """The first write may leave the Range; at the chief's entry, which the second writes over, it never was."""
        require(self.chief is not None)
        assert self.chief is not None
        self.best = each(Worker, lambda w: self.best[w] + 3)
        self.best[self.chief] = 1

    @action
    def follow(self) -> None:
        self.boss = each(Worker, lambda w: None if self.boss[w] is None else self.chief)

    @action
    def drop(self) -> None:
        self.maybe = None if self.maybe == 2 else 1 if self.maybe is None else self.maybe + 1

    @action
    def guess(self) -> None:
        k = choose(range(3))
        if self.mode is Mode.FAST:
            self.n = k

    @always
    def some_follow(self) -> bool:
        return exists(Worker, lambda w: forall(Worker, lambda v: self.boss[v] is None or self.boss[v] != w))

    @always
    def counted(self, m: Mode) -> bool:
        return count(Worker, lambda w: self.held[w, m] > 0) <= total(Worker, lambda w: self.held[w, m] * self.d)

    @always
    def chief_is_light(self) -> bool:
        return self.chief is None or self.weight[self.chief] < self.held[self.chief, Mode.FAST]


@model
class Wide:
    """As far as a packed int goes, and beyond it."""

    a: Annotated[int, Range(-(2**47), 2**47 - 2)] = var(0)
    b: Annotated[int, Range(0, 2**20)] = var(0)

    @action
    def step(self) -> None:
        require(self.a < 2**47 - 2)
        self.a += 1


@model
class Broad:
    """Fields that need more than one word, or two: none is cut in two."""

    big: Map[Worker, Annotated[int, Range(-(2**39), 2**39)]] = var(0)
    flag: Map[Worker, bool] = var(False)
    at: Worker | None = var(None)

    @action
    def grow(self, w: Worker) -> None:
        require(self.big[w] < 2**39)
        self.big[w] += 2**37
        self.at = w

    @action
    def move(self) -> None:
        require(self.at is not None)
        assert self.at is not None
        self.flag[self.at] = not self.flag[self.at]
        self.big[self.at] -= 1

    @always
    def some_are_small(self) -> bool:
        return exists(Worker, lambda w: self.big[w] < 2**38 or self.flag[w])


@model
class Tall:
    """What a member owns is wider than a word; only the last of it is different at first."""

    first: Map[Worker, Annotated[int, Range(0, 2**40)]] = var(0)
    second: Map[Worker, Annotated[int, Range(-(2**40), 0)]] = var(0)
    third: Map[Worker, bool] = var(False)

    @action
    def raise_first(self, w: Worker) -> None:
        require(self.third[w] and self.first[w] < 2**40)
        self.first[w] += 2**39

    @action
    def lower_second(self, w: Worker) -> None:
        require(self.first[w] == 0 and self.second[w] > -(2**39))
        self.second[w] -= 2**39

    @action
    def turn(self, w: Worker) -> None:
        self.third[w] = not self.third[w]
