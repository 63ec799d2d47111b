"""A model with a claim that each of its actions breaks: where a fault is planted in the lifting, it seems to hold."""

from __future__ import annotations

import operator
from enum import Enum
from typing import Annotated

from meshspec import Map, Range, SetOf, Sort, action, always, choose, each, forall, model, require, total, var


class Item(Sort):
    """Something for sale."""


class Mode(Enum):
    OPEN = 0
    BUSY = 1
    SHUT = 2


class Voter(Sort):
    """One of many."""


HIDDEN = [0]
SAME = operator.is_


@model
class Shop:
    n: Annotated[int, Range(0, 50)] = var(0)
    small: Annotated[int, Range(0, 3)] = var(0)
    mode: Mode = var(Mode.OPEN)
    alarm: bool = var(False)
    sold: Map[Item, Annotated[int, Range(0, 2)]] = var(0)
    gone: Map[Item, bool] = var(False)
    holder: Item | None = var(None)
    seen: SetOf[Item] = var()

    @action
    def count_up(self) -> None:
        require(self.n < 42)
        self.n += 1

    @always
    def n_below_42(self) -> bool:
        return self.n < 42

    @action
    def sell(self, x: Item) -> None:
        require(self.sold[x] < 2)
        self.sold[x] += 1

    @always
    def never_sold_twice(self, x: Item) -> bool:
        return self.sold[x] < 2

    @action
    def work(self) -> None:
        match self.mode:
            case Mode.OPEN:
                self.mode = Mode.BUSY
            case Mode.BUSY:
                self.mode = Mode.SHUT
            case Mode.SHUT:
                self.mode = Mode.OPEN

    @always
    def never_shut(self) -> bool:
        return self.mode != Mode.SHUT

    @action
    def lose(self, x: Item) -> None:
        require(not self.gone[x])
        self.gone[x] = True

    @always
    def something_is_left(self) -> bool:
        return not forall(Item, lambda x: self.gone[x])

    @action
    def ring(self) -> None:
        require(forall(Item, lambda x: not self.gone[x]))
        self.alarm = True

    @always
    def no_alarm(self) -> bool:
        return not self.alarm

    @action
    def clear(self) -> None:
        self.gone = each(Item, lambda x: not self.gone[x])

    @action
    def take(self, x: Item) -> None:
        if self.holder is None:
            self.holder = x
        else:
            self.holder = None

    @always
    def nobody_holds(self) -> bool:
        return self.holder is None

    @action
    def see(self, x: Item, y: Item) -> None:
        require(x is not y)
        self.seen.add(x)
        self.seen.discard(y)

    @always
    def unseen(self, x: Item) -> bool:
        return x not in self.seen

    @action
    def draw(self) -> None:
        self.small = choose(range(4))

    @always
    def small_below_3(self) -> bool:
        return self.small < 3

    @action
    def check_till(self) -> None:
        assert self.n < 1, "the till is full"
        self.n += 1

    # -- what lifting itself cannot see

    @action
    def ring_by_identity(self) -> None:
        if SAME(self.small, self.n):
            self.alarm = True

    @action
    def ring_by_a_hidden_counter(self) -> None:
        HIDDEN[0] += 1
        self.alarm = HIDDEN[0] > 1

    @action
    def ring_deep(self) -> None:
        if self.n == 1234567 and SAME(self.small, self.small + 0):
            self.alarm = True

    @action
    def ring_before_the_guard_in_a_finally(self) -> None:
        try:
            require(self.n > 3)
        finally:
            self.alarm = True


@model
class Breaker:
    most: int = 3
    bad: Map[Voter, int] = var(0)
    open: bool = var(False)

    def note(self, v: Voter) -> None:
        self.bad[v] += 1
        self.open = total(Voter, lambda w: self.bad[w]) > self.most

    @always
    def counts(self, v: Voter) -> bool:
        return self.bad[v] >= 0


@model
class Plant:
    breaker: Breaker = var()
    tripped: bool = var(False)

    @action
    def fail(self, v: Voter) -> None:
        require(not self.breaker.open)
        self.breaker.note(v)
        self.tripped = self.breaker.open

    @action
    def forget(self) -> None:
        self.breaker.bad = each(Voter, lambda v: 0)
