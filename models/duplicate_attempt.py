"""Duplicate attempt: that another is at it already is no failure, and what that other finds is adopted.

Whoever is dispatched to what another attempt is doing is told that it is a duplicate, and of whom. It counts as no
failure of anybody; its result is its holder's, once the holder has one, whichever that is. Until then it has none,
for that somebody is at it does not mean that it is done.
"""

from enum import Enum

from meshspec import (
    Map,
    action,
    always,
    eventually,
    exists,
    fault,
    implies,
    leads_to,
    lemma,
    model,
    require,
    sometimes,
    var,
)
from meshspec.models.environment import Attempt


class Result(Enum):
    """What came of an attempt."""

    NONE = 0
    DONE = 1
    FAILED = 2


@model
class DuplicateAttempt:
    """Attempts at one piece of work."""

    started: Map[Attempt, bool] = var(False)
    holder: Map[Attempt, Attempt | None] = var(None)  # whose duplicate it is
    result: Map[Attempt, Result] = var(Result.NONE)
    failure: Map[Attempt, bool] = var(False)  # the breaker counts one against this attempt

    def at_work(self, a: Attempt) -> bool:
        return self.started[a] and self.holder[a] is None and self.result[a] is Result.NONE

    @action
    def start(self, a: Attempt) -> None:
        """Nobody is at it."""
        require(not self.started[a] and not exists(Attempt, lambda b: self.at_work(b)))
        self.started[a] = True

    @fault
    def dispatch_again(self, a: Attempt, h: Attempt) -> None:
        """Somebody is, and it is handed out once more: the lease is refused, and says whose it is."""
        require(not self.started[a] and self.at_work(h))
        self.started[a] = True
        self.holder[a] = h

    @action
    def succeed(self, a: Attempt) -> None:
        require(self.at_work(a))
        self.result[a] = Result.DONE

    @action
    def fail(self, a: Attempt) -> None:
        require(self.at_work(a))
        self.result[a] = Result.FAILED
        self.failure[a] = True

    @action
    def adopt(self, a: Attempt, h: Attempt) -> None:
        """The holder has a result, and it is the duplicate's too."""
        require(self.holder[a] is h and self.result[a] is Result.NONE and self.result[h] is not Result.NONE)
        self.result[a] = self.result[h]

    @always
    def a_duplicate_is_no_failure(self, a: Attempt) -> bool:
        return implies(self.holder[a] is not None, not self.failure[a])

    @always
    def what_is_adopted_is_the_holders(self, a: Attempt, h: Attempt) -> bool:
        mine = self.result[a]
        return implies(self.holder[a] is h and mine is not Result.NONE, mine == self.result[h])

    @eventually(weak=("succeed", "fail", "adopt"))
    def a_duplicate_gets_a_result(self, a: Attempt) -> bool:
        return leads_to(self.holder[a] is not None, self.result[a] is not Result.NONE)

    @sometimes
    def its_holder_fails(self, a: Attempt) -> bool:
        return exists(Attempt, lambda h: self.holder[a] == h and self.result[h] is Result.FAILED)

    @lemma
    def a_holder_is_nobodys_duplicate(self, a: Attempt, h: Attempt) -> bool:
        return implies(self.holder[a] is h, self.holder[h] is None and self.started[h] and self.started[a])

    @lemma
    def who_failed_has_ended(self, a: Attempt) -> bool:
        return implies(self.failure[a], self.result[a] is Result.FAILED and self.holder[a] is None)

    @lemma
    def what_was_never_started_has_no_result(self, a: Attempt) -> bool:
        return implies(not self.started[a], self.result[a] is Result.NONE and self.holder[a] is None)
