"""What is seldom, in one model: names that other tools keep for themselves, tables, choices, raises, floors."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    any_of,
    choose,
    count,
    eventually,
    exists,
    forall,
    lemma,
    model,
    require,
    sometimes,
    terminal,
    total,
    var,
)


class Job(Sort):
    """Something to do."""


class Next(Enum):
    """An enum that is called like a definition of the module."""

    IF = 0
    größer = 1


@model
class Seldom:
    """Names that TLA+ keeps for itself, tables, choices, raises, ends, negative numbers, a floor of every sign."""

    price: Map[Job, int] = Map(-2, {Job(1): 3})
    vars: Annotated[int, Range(-3, 3)] = var(any_of(-1, 2))
    case: Next | None = var(None)
    e: Map[tuple[Job, bool], bool] = var(any_of(False, True))
    holder: Job | None = var(any_of(None, Job))
    Nat: bool = var(False)
    größe: bool = var(False)

    @action
    def send(self, e: Job, größe: bool) -> None:
        """Names that are taken; a choice."""
        require(self.vars > -2)
        self.e[e, größe] = not self.e[e, größe]
        self.vars = choose(range(-1, 3)) // -2
        self.größe = größe

    @action
    def divide(self, e: Job) -> None:
        """Raises where nothing is left."""
        self.vars = 3 % self.vars if self.price[e] > 0 else 3 // self.vars

    @action
    def Init(self) -> None:
        require(self.holder is not None and self.case is None)
        assert self.vars != 2
        self.case = Next.größer if self.vars > 0 else Next.IF
        self.holder = None

    @always
    def worth(self, job: Job) -> bool:
        return total(Job, lambda e: self.price[e]) + count(Job, lambda e: self.e[e, True]) > self.price[job] - 3

    @always
    def TypeOK(self, n: Annotated[int, Range(-1, 1)]) -> bool:
        return self.vars * n < 3 and (self.case is not Next.größer or forall(Job, lambda e: self.e[e, n > 0]))

    @lemma
    def held(self) -> bool:
        return self.holder is None or exists(Job, lambda job: job == self.holder)

    @sometimes
    def moved(self) -> bool:
        return self.vars == -2

    @terminal
    def done(self) -> bool:
        return self.case is not None

    @eventually
    def ends(self, e: Job) -> bool:
        return self.größe
