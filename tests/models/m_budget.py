"""Budget lattice: components spend from a common budget, failures give some of it back, components degrade.

A benchmark in which guards are sums. Known counts of states, by components, failures and constants: 27,009
(:class:`SmallBudget`, 2 and 3), 101,844 (:class:`NarrowBudget`, 3 and 2), 846,855 (:class:`Budget`, 3 and 3),
14,632,569 (:class:`WideBudget`, 4 and 3).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, model, require, total, var


class Component(Sort):
    """What spends."""


class Failure(Sort):
    """A kind of failure, which is retried a bounded number of times."""


class Amount(IntEnum):
    ONE = 1
    TWO = 2


@model
class Budget:
    cap: int = 6
    tries: int = 4
    budget: int = 14
    spent: Map[Component, Annotated[int, Range(0, lambda m: m.cap)]] = var(0)
    level: Map[Component, Annotated[int, Range(0, 2)]] = var(0)
    tried: Map[Failure, Annotated[int, Range(0, lambda m: m.tries)]] = var(0)

    def all_spent(self) -> int:
        return total(Component, lambda c: self.spent[c])

    @action
    def spend(self, c: Component, f: Failure, amount: Amount) -> None:
        require(self.level[c] <= 2 - amount.value and self.tried[f] < self.tries)
        require(self.spent[c] + amount.value <= self.cap)
        require(self.all_spent() + amount.value <= self.budget)
        self.spent[c] += amount.value
        self.tried[f] += 1

    @action
    def refund(self, c: Component, f: Failure) -> None:
        require(self.spent[c] > 0 and self.tried[f] > 0)
        self.spent[c] -= 1
        self.tried[f] -= 1

    @action
    def degrade(self, c: Component) -> None:
        require(self.level[c] < 2 and 2 * self.spent[c] >= self.cap)
        self.level[c] += 1

    @always
    def within_budget(self) -> bool:
        return self.all_spent() <= self.budget


@model
class SmallBudget(Budget):
    budget: int = 10


@model
class NarrowBudget(Budget):
    cap: int = 5
    budget: int = 10


@model
class WideBudget(Budget):
    cap: int = 5
    tries: int = 5
