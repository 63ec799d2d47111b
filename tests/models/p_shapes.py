"""Every shape a model may have: two keys, enum and bool keys, sets, choices, nested machines, tables, sort values."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    SetOf,
    Sort,
    action,
    always,
    any_of,
    choose,
    each,
    exists,
    forall,
    implies,
    lemma,
    model,
    require,
    var,
)


class Worker(Sort):
    """Who does it."""


class Job(Sort):
    """What is done."""


class Side(Enum):
    LEFT = 0
    RIGHT = 1


@model
class Assignment:
    """Two sorts and a two-key map: each job is held by one worker, and done jobs were held."""

    holds: Map[tuple[Worker, Job], bool] = var(False)
    taken: Map[Job, Worker | None] = var(None)
    done: SetOf[Job] = var()

    @action
    def take(self, w: Worker, j: Job) -> None:
        require(self.taken[j] is None)
        self.taken[j] = w
        self.holds[w, j] = True

    @action
    def finish(self, w: Worker, j: Job) -> None:
        require(self.holds[w, j])
        self.done.add(j)

    @action
    def give(self, w: Worker, v: Worker, j: Job) -> None:
        require(self.holds[w, j])
        self.holds[w, j] = False
        self.holds[v, j] = True
        self.taken[j] = v

    @always
    def one_holder(self, w: Worker, v: Worker, j: Job) -> bool:
        return implies(self.holds[w, j] and self.holds[v, j], w is v)

    @always
    def done_was_held(self, j: Job) -> bool:
        return implies(j in self.done, exists(Worker, lambda w: self.holds[w, j]))

    @lemma
    def taken_says_who(self, w: Worker, j: Job) -> bool:
        return self.holds[w, j] == (self.taken[j] is w)


@model
class Flag:
    """A machine to nest."""

    up: bool = var(False)
    count: int = var(0)

    def raise_it(self) -> None:
        self.up = True
        self.count += 1

    @always
    def raised_was_counted(self) -> bool:
        return implies(self.up, self.count > 0)

    @lemma
    def count_is_no_debt(self) -> bool:
        return self.count >= 0


@model
class Nested:
    """Nested machines, enum and bool keys, a choice, several initial values, a write to all that is then read."""

    left: Flag = var()
    right: Flag = var()
    weight: Map[Side, Annotated[int, Range(0, 9)]] = var(any_of(0, 1, 2))
    asked: Map[bool, bool] = var(False)
    chief: Worker = var(any_of(Worker))
    old: Worker | None = var(any_of(Worker, None))
    rank: Map[Worker, int] = var(0)

    @action
    def raise_left(self) -> None:
        self.left.raise_it()

    @action
    def put(self, side: Side, flag: bool) -> None:
        grams = choose(range(3, 10))
        self.weight[side] = grams
        self.asked[flag] = True

    @action
    def elect(self, w: Worker) -> None:
        require(self.rank[w] >= 0)
        self.old = self.chief
        self.chief = w
        self.rank = each(Worker, lambda v: self.rank[v] + 1 if v == w else self.rank[v])
        self.rank = each(Worker, lambda v: self.rank[v] * 2)

    @always
    def weights_stay(self, side: Side) -> bool:
        return self.weight[side] <= 9

    @always
    def right_stays_down(self) -> bool:
        return not self.right.up

    @always
    def somebody_leads(self) -> bool:
        return exists(Worker, lambda w: self.chief == w)

    @always
    def ranks_are_no_debt(self) -> bool:
        return forall(Worker, lambda w: self.rank[w] >= 0)

    @always
    def ranks_are_even(self, w: Worker) -> bool:
        return self.rank[w] % 2 == 0


@model
class Quota:
    """A constant table: the proof is for whatever it holds."""

    limit: Map[Worker, int] = Map(2)
    used: Map[Worker, int] = var(0)

    @action
    def use(self, w: Worker) -> None:
        require(self.used[w] < self.limit[w])
        self.used[w] += 1

    @always
    def within_limit(self, w: Worker) -> bool:
        return self.used[w] == 0 or self.used[w] <= self.limit[w]

    @always
    def at_most_two(self, w: Worker) -> bool:
        return self.used[w] <= 2


@model
class Chain:
    """A function of a sort into itself, with `exists`: who follows somebody is followed by nobody new."""

    boss: Map[Worker, Worker | None] = var(None)
    known: Map[Worker, bool] = var(False)

    @action
    def follow(self, w: Worker, v: Worker) -> None:
        require(self.boss[w] is None and w is not v)
        self.boss[w] = v
        self.known[v] = True

    @always
    def bosses_are_known(self, w: Worker) -> bool:
        return implies(exists(Worker, lambda v: self.boss[v] == w), self.known[w])

    @always
    def known_have_followers(self, w: Worker) -> bool:
        return implies(self.known[w], exists(Worker, lambda v: self.boss[v] == w))

    @always
    def nobody_leads_himself(self, w: Worker) -> bool:
        return self.boss[w] is not w
