"""Ints without a Range: those that bounds can be proved of, and those that they cannot."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from meshspec import Map, Range, Sort, action, count, each, model, require, total, var


class Worker(Sort):
    """Who does it."""


class Mode(Enum):
    SLOW = 0
    FAST = 1


@model
class Saturating:
    """Counts up to a limit and stays there; down, by twos, and never below zero."""

    up: int = var(0)
    down: int = var(9)

    @action
    def count_up(self) -> None:
        self.up = min(self.up + 1, 5)

    @action
    def count_down(self) -> None:
        self.down = max(self.down - 2, 0)


@model
class Limited:
    """A guard stops it, at a number that is far away and not reached in steps of one."""

    limit: int = 1000
    n: int = var(0)

    @action
    def grow(self) -> None:
        require(self.n < self.limit)
        self.n += 7

    @action
    def restart(self) -> None:
        require(self.n != 0)
        self.n = 0


@model
class Swapped:
    """Two variables that change places, and a third that is written by both."""

    x: int = var(2)
    y: int = var(-3)
    z: int = var(0)

    @action
    def swap(self) -> None:
        self.x, self.y = self.y, self.x

    @action
    def keep(self) -> None:
        self.z = self.x - self.y


@model
class Derived:
    """What is written is bounded by what it is made of."""

    weight: Map[Worker, int] = Map(2, {Worker(0): 5})
    declared: Annotated[int, Range(-2, 2)] = var(0)
    open: Map[Worker, bool] = var(False)
    counted: int = var(0)
    summed: int = var(0)
    rest: int = var(0)
    part: int = var(0)
    last: int | None = var(None)
    never: int | None = var(None)
    given: Map[Mode, int] = var(1)
    best: Map[Worker, int] = var(0)
    diff: int = var(0)

    @action
    def enter(self, w: Worker) -> None:
        require(count(Worker, lambda v: self.open[v]) < 2)
        self.open[w] = True
        self.declared += 1  # leaves its Range, which is another matter

    @action
    def look(self) -> None:
        require(self.declared != -2)
        self.counted = count(Worker, lambda w: self.open[w])
        self.summed = total(Worker, lambda w: self.weight[w] if self.open[w] else -1)
        self.rest = self.summed % 4
        self.part = -self.declared // 2

    @action
    def give(self, m: Mode, k: Annotated[int, Range(2, 4)]) -> None:
        self.given[m] = k * k
        self.last = None if k == 3 else k

    @action
    def settle(self, w: Worker, v: Worker) -> None:
        require(self.best[w] < self.weight[w] and self.best[v] - self.best[w] <= 3)
        self.best[w] = self.best[v] + 1
        self.diff = self.best[w] - self.weight[w]

    @action
    def level(self) -> None:
        self.best = each(Worker, lambda w: 1 if self.best[w] > 0 else self.best[w])


@model
class Endless:
    """One that grows without bound, one that shrinks so because of it, and one that does neither."""

    calm: int = var(0)
    spent: int = var(0)
    owed: int = var(0)

    @action
    def spend(self, k: Annotated[int, Range(0, 3)]) -> None:
        self.spent += k
        self.calm = k

    @action
    def owe(self) -> None:
        self.owed = -self.spent


@model
class Doubling:
    """Guarded from the wrong side."""

    n: int = var(1)

    @action
    def double(self) -> None:
        require(self.n > 0)
        self.n *= 2


@model
class Machine:
    """To be nested."""

    n: int = var(0)

    def tick(self) -> None:
        self.n += 1


@model
class Outer:
    """The variable of a nested machine grows."""

    inner: Machine = var()

    @action
    def tick(self) -> None:
        self.inner.tick()
