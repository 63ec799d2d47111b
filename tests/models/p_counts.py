"""Counts and totals: followed exactly through writes at single keys, and named where they cannot be."""

from __future__ import annotations

from meshspec import Map, Sort, action, always, count, each, lemma, model, require, total, var


class Account(Sort):
    """Holds some of the budget."""


@model
class Budget:
    """Money moves, and none is made: also when an account pays itself."""

    held: Map[Account, int] = var(0)
    given: int = var(0)

    @action
    def grant(self, a: Account) -> None:
        self.held[a] += 5
        self.given += 5

    @action
    def move(self, a: Account, b: Account) -> None:
        require(self.held[a] > 0)
        self.held[a] -= 1
        self.held[b] += 1

    @always
    def conserved(self) -> bool:
        return total(Account, lambda a: self.held[a]) == self.given

    @always
    def no_debt(self, a: Account) -> bool:
        return self.held[a] >= 0


@model
class LeakyBudget(Budget):
    """The incident: the two sides are read before either is written, so paying oneself makes money."""

    @action
    def move(self, a: Account, b: Account) -> None:
        require(self.held[a] > 0)
        mine, yours = self.held[a], self.held[b]
        self.held[a] = mine - 1
        self.held[b] = yours + 1


@model
class Counted:
    """A counter beside a count."""

    open: Map[Account, bool] = var(False)
    number: int = var(0)

    @action
    def enter(self, a: Account) -> None:
        require(not self.open[a])
        self.open[a] = True
        self.number += 1

    @action
    def leave(self, a: Account) -> None:
        require(self.open[a])
        self.open[a] = False
        self.number -= 1

    @action
    def clear(self) -> None:
        self.open = each(Account, lambda a: False)
        self.number = 0

    @always
    def counted(self) -> bool:
        return count(Account, lambda a: self.open[a]) == self.number

    @lemma
    def number_is_no_debt(self) -> bool:
        return self.number >= 0


@model
class Flipped(Counted):
    """An `each` that no finite sum follows."""

    @action
    def clear(self) -> None:
        self.open = each(Account, lambda a: not self.open[a])
        self.number = 0


@model
class StartsFull:
    """Every summand counts at the start: what the count is depends on the size."""

    open: Map[Account, bool] = var(True)

    @action
    def close(self, a: Account) -> None:
        self.open[a] = False

    @always
    def few(self) -> bool:
        return count(Account, lambda a: self.open[a]) <= 3


@model
class Guarded:
    """A guard that counts: as a hypothesis it may be anything, so what it alone protects is not proved."""

    open: Map[Account, bool] = var(False)
    best: int = var(0)

    @action
    def enter(self, a: Account) -> None:
        require(count(Account, lambda b: self.open[b]) < 3)
        self.open[a] = True

    @action
    def note(self) -> None:
        self.best = count(Account, lambda b: self.open[b])

    @always
    def at_most_three(self) -> bool:
        return count(Account, lambda a: self.open[a]) <= 3

    @always
    def best_is_at_most_three(self) -> bool:
        return 0 <= self.best <= 3


@model
class Pairs:
    """A count for every account, over a map of two keys, which a transfer changes at two of them."""

    knows: Map[tuple[Account, Account], bool] = var(False)
    met: Map[Account, int] = var(0)

    @action
    def meet(self, a: Account, b: Account) -> None:
        require(not self.knows[a, b] and a is not b)
        self.knows[a, b] = True
        self.met[a] += 1

    @action
    def swap(self, a: Account, b: Account, c: Account) -> None:
        require(self.knows[a, b] and not self.knows[a, c])
        self.knows[a, b] = False
        self.knows[a, c] = True

    @always
    def met_is_how_many_it_knows(self, a: Account) -> bool:
        return count(Account, lambda b: self.knows[a, b]) == self.met[a]


@model
class Weighed:
    """A total whose every summand a scalar may change."""

    amount: Map[Account, int] = var(1)
    price: int = var(0)

    @action
    def reprice(self) -> None:
        self.price += 1

    @always
    def worth_something(self) -> bool:
        return total(Account, lambda a: self.amount[a] * self.price) >= 0
