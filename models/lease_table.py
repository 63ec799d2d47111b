"""Lease table: of all attempts at the same recovery one holds the lease, and only an equal key is refused.

A recovery is named by four parts: which failure, by which strategy, in which version of it, out of which budget. An
attempt inserts its row, and a unique index over the four decides: there is no moment between looking and inserting. A
refusal says whose lease was in the way, so that what the holder finds can be adopted. What becomes of a lease whose
holder dies is told in the recovery lease; keys do not meddle with each other, so that one key is enough there.
"""

from enum import Enum

from meshspec import Map, Sort, action, always, any_of, exists, implies, model, require, sometimes, var
from meshspec.models.environment import Attempt


class Part(Enum):
    """What a key consists of."""

    FAILURE = 0
    STRATEGY = 1
    VERSION = 2
    BUDGET = 3


class Failure(Sort):
    """What went wrong."""


class Strategy(Sort):
    """A way to recover."""


class Version(Sort):
    """A state of a strategy's code."""


class Budget(Sort):
    """What an attempt is paid out of."""


class At(Enum):
    """How far an attempt has come."""

    IDLE = 0
    ASKING = 1
    HOLDING = 2
    REFUSED = 3
    OVER = 4


@model
class LeaseTable:
    """Attempts at recoveries, and the index over their keys."""

    overlooked: Part | None = None  # a part that is not compared where an attempt is refused

    at: Map[Attempt, At] = var(At.IDLE)
    failure: Map[Attempt, Failure] = var(any_of(Failure))
    strategy: Map[Attempt, Strategy] = var(any_of(Strategy))
    version: Map[Attempt, Version] = var(any_of(Version))
    budget: Map[Attempt, Budget] = var(any_of(Budget))
    in_the_way: Map[Attempt, Attempt | None] = var(None)  # whose lease an attempt was refused for

    def agree(self, a: Attempt, b: Attempt, p: Part) -> bool:
        match p:
            case Part.FAILURE:
                return self.failure[a] == self.failure[b]
            case Part.STRATEGY:
                return self.strategy[a] == self.strategy[b]
            case Part.VERSION:
                return self.version[a] == self.version[b]
            case Part.BUDGET:
                return self.budget[a] == self.budget[b]

    def same_key(self, a: Attempt, b: Attempt) -> bool:
        return all(self.agree(a, b, p) for p in Part)

    def looks_the_same(self, a: Attempt, b: Attempt) -> bool:
        return all(self.agree(a, b, p) for p in Part if p != self.overlooked)

    @action
    def ask(self, a: Attempt) -> None:
        """An attempt at its recovery begins."""
        require(self.at[a] is At.IDLE)
        self.at[a] = At.ASKING

    @action
    def insert(self, a: Attempt) -> None:
        """The index has no such row."""
        require(self.at[a] is At.ASKING)
        require(not exists(Attempt, lambda b: self.at[b] is At.HOLDING and self.same_key(a, b)))
        self.at[a] = At.HOLDING

    @action
    def refuse(self, a: Attempt, b: Attempt) -> None:
        """The index has it."""
        require(self.at[a] is At.ASKING and self.at[b] is At.HOLDING and self.looks_the_same(a, b))
        self.at[a] = At.REFUSED
        self.in_the_way[a] = b

    @action
    def release(self, a: Attempt) -> None:
        """The recovery has ended, one way or the other."""
        require(self.at[a] is At.HOLDING)
        self.at[a] = At.OVER

    @always
    def one_holds_it(self, a: Attempt, b: Attempt) -> bool:
        both = self.at[a] is At.HOLDING and self.at[b] is At.HOLDING
        return implies(both and self.same_key(a, b), a is b)

    @always
    def only_an_equal_key_is_refused(self, a: Attempt, b: Attempt) -> bool:
        return implies(self.in_the_way[a] == b, self.same_key(a, b))

    @sometimes
    def two_hold_what_differs_in_one_part(self, p: Part) -> bool:
        return exists(Attempt, lambda a: exists(Attempt, lambda b: self.differ_in(a, b, p)))

    def differ_in(self, a: Attempt, b: Attempt, p: Part) -> bool:
        both = self.at[a] is At.HOLDING and self.at[b] is At.HOLDING
        return both and not self.agree(a, b, p) and all(self.agree(a, b, q) for q in Part if q != p)
