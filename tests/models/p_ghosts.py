"""A sum that no proof for every size follows, and the usual way out of it: a ghost total."""

from __future__ import annotations

from typing import Annotated

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    count,
    each,
    exists,
    forall,
    implies,
    model,
    require,
    total,
    var,
)


class Account(Sort):
    """Holds a part of the budget."""


@model
class Closing:
    """What is reserved is spent at the close of the day, in all accounts at once: no key says where."""

    limit: int = 4
    reserved: Map[Account, Annotated[int, Range(0, 4)]] = var(0)
    spent: Map[Account, Annotated[int, Range(0, 4)]] = var(0)

    @action
    def reserve(self, a: Account) -> None:
        require(total(Account, lambda b: self.reserved[b] + self.spent[b]) < self.limit)
        self.reserved[a] += 1

    @action
    def release(self, a: Account) -> None:
        require(self.reserved[a] > 0)
        self.reserved[a] -= 1

    @action
    def close(self) -> None:
        self.spent = each(Account, lambda a: self.spent[a] + self.reserved[a])
        self.reserved = each(Account, lambda a: 0)

    @always
    def within_the_limit(self) -> bool:
        return total(Account, lambda a: self.reserved[a] + self.spent[a]) <= self.limit


@model
class ClosingWithGhosts:
    """The same with two ghost totals: each action says what it does to them, and the promise is about them.

    That they are the sums is a claim of its own. It is checked in a scope, exhaustively, and not for every size.
    """

    limit: int = 4
    reserved: Map[Account, int] = var(0)
    spent: Map[Account, int] = var(0)
    all_reserved: Annotated[int, Range(0, lambda m: m.limit)] = var(0)
    all_spent: Annotated[int, Range(0, lambda m: m.limit)] = var(0)

    @action
    def reserve(self, a: Account) -> None:
        require(self.all_reserved + self.all_spent < self.limit)
        self.reserved[a] += 1
        self.all_reserved += 1

    @action
    def release(self, a: Account) -> None:
        require(self.reserved[a] > 0 and self.all_reserved > 0)
        self.reserved[a] -= 1
        self.all_reserved -= 1

    @action
    def close(self) -> None:
        self.spent = each(Account, lambda a: self.spent[a] + self.reserved[a])
        self.reserved = each(Account, lambda a: 0)
        self.all_spent += self.all_reserved
        self.all_reserved = 0

    @always
    def within_the_limit(self) -> bool:
        return self.all_reserved >= 0 and self.all_spent >= 0 and self.all_reserved + self.all_spent <= self.limit

    @always
    def the_ghosts_are_the_sums(self) -> bool:
        reserved = total(Account, lambda a: self.reserved[a]) == self.all_reserved
        return reserved and total(Account, lambda a: self.spent[a]) == self.all_spent


@model
class ForgetfulGhost(ClosingWithGhosts):
    """The incident: closing forgets the ghost of what is spent. The promise about the ghosts is still proved."""

    @action
    def close(self) -> None:
        self.spent = each(Account, lambda a: self.spent[a] + self.reserved[a])
        self.reserved = each(Account, lambda a: 0)
        self.all_reserved = 0


@model
class Follow:
    """A chain from account to account, each with one that follows it: an existential under a universal."""

    next: Map[tuple[Account, Account], bool] = var(False)
    linked: Map[Account, bool] = var(False)
    closed: bool = var(False)

    @action
    def link(self, a: Account, b: Account) -> None:
        self.next[a, b] = True
        self.linked[a] = True

    @action
    def unlink(self, a: Account, b: Account, c: Account) -> None:
        require(self.next[a, b] and self.next[a, c] and b is not c)
        self.next[a, b] = False

    @action
    def close(self) -> None:
        require(forall(Account, lambda a: exists(Account, lambda b: self.next[a, b])))
        self.closed = True

    @always
    def linked_leads_on(self, a: Account) -> bool:
        return implies(self.linked[a], exists(Account, lambda b: self.next[a, b]))


@model
class Popular:
    """A count for each account, said inside a quantifier."""

    knows: Map[tuple[Account, Account], bool] = var(False)

    @action
    def meet(self, a: Account, b: Account) -> None:
        self.knows[a, b] = True

    @always
    def nobody_has_many(self) -> bool:
        return forall(Account, lambda a: count(Account, lambda b: self.knows[a, b]) <= 9)
