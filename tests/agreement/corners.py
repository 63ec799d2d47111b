"""Small models in which one slip of an engine shows at once."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    choose,
    count,
    each,
    forall,
    lemma,
    model,
    require,
    terminal,
    total,
    var,
)


class Worker(Sort):
    """Who does it."""


class Job(Sort):
    """What is done."""


class Level(IntEnum):
    """An int that is an enum, its values no positions."""

    LOW = 10
    HIGH = 20


@model
class Divisions:
    """Floors, also below zero."""

    n: Annotated[int, Range(-7, 7)] = var(3)
    rest: Annotated[int, Range(-2, 2)] = var(0)

    @action
    def divide(self, by: Annotated[int, Range(-3, 3)]) -> None:
        require(by != 0)
        self.rest = self.n % by
        self.n = -self.n // by

    @action
    def divide_by_itself(self) -> None:
        self.n = 7 // self.n

    @always
    def is_small(self) -> bool:
        return -3 <= self.n <= 3


@model
class Entries:
    """Two keys in an order, entries that read each other, a later write that wins, and what is not written."""

    holds: Map[tuple[Worker, Job], bool] = var(False)
    first: Map[Worker, bool] = var(False)
    turn: Annotated[int, Range(0, 3)] = var(0)

    @action
    def take(self, w: Worker, j: Job) -> None:
        require(not self.holds[w, j])
        self.holds[w, j] = True

    @action
    def lead(self, w: Worker) -> None:
        require(self.turn < 3)
        self.first = each(Worker, lambda x: self.first[w] if x != w else not self.first[w])
        self.turn += 1

    @action
    def both(self, w: Worker, v: Worker) -> None:
        self.first[w] = True
        self.first[v] = False

    @always
    def not_all(self) -> bool:
        return not forall(Worker, lambda w: forall(Job, lambda j: self.holds[w, j]))

    @lemma
    def counted(self) -> bool:
        return count(Worker, lambda w: self.first[w]) <= 2


@model
class Choices:
    """A choice that does not matter is one step; a zero is not ``None``; an end is not a bound."""

    kept: Annotated[int, Range(0, 2)] | None = var(None)
    level: Level = var(Level.HIGH)
    at: Map[Level, bool] = var(False)

    @action
    def pick(self) -> None:
        require(self.kept is None)
        number: int = choose(range(3))
        worker: Worker = choose(Worker)
        other: Worker = choose(Worker)
        self.kept = number
        if number == 2:
            self.at[Level.LOW if worker == other else Level.HIGH] = True

    @action
    def lower(self, to: Level) -> None:
        require(self.kept == 0 and to < self.level)
        self.level = to

    @terminal
    def is_done(self) -> bool:
        return self.kept is not None

    @always
    def holds_nothing(self) -> bool:
        return self.kept is None or self.kept == 0 or not self.at[self.level]


@model
class Few:
    """Paths that are taken where there is one member, or just three, and nowhere else; and one that never is."""

    done: bool = var(False)
    marked: Map[Worker, bool] = var(False)

    @action
    def alone(self, w: Worker) -> None:
        if forall(Worker, lambda v: v == w):
            self.done = not self.done

    @action
    def three(self, w: Worker) -> None:
        require(count(Worker, lambda v: True) == 3)
        self.marked[w] = True

    @always
    def at_least_two_each(self) -> bool:
        return total(Worker, lambda w: 2) >= 2 and count(Worker, lambda w: self.marked[w]) >= 0


CORNERS = (Divisions, Entries, Choices, Few)
