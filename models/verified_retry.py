"""Verified retry: when no answer comes, wait, look whether it was done, and send again only if it was not.

Looking tells "not yet" from "never" only if there is a bound on how late the service may act, and whoever looks has
waited for longer than that. Here a request that is not lost is acted on within `bound` ticks of the clock; the
caller looks `patience` ticks after giving up hope of an answer. With patience above the bound the effect happens
exactly once; without a bound, or with less patience, a second request meets the first one's late effect.
"""

from typing import Annotated

from meshspec import (
    Map,
    Range,
    action,
    always,
    each,
    eventually,
    fault,
    forall,
    implies,
    lemma,
    model,
    require,
    sometimes,
    var,
)
from meshspec.models.environment import Effect, LostReply


@model
class VerifiedRetry(LostReply):
    """One caller that does not crash, and a service that may lose a request, its answer, or time, within a bound."""

    bound: int = 2  # ticks from a request to its effect, at most
    patience: int = 3  # ticks from giving up to looking, at least
    on_the_way: Map[Effect, bool] = var(False)  # a request has left and has not been acted on
    age: Map[Effect, Annotated[int, Range(0, lambda m: m.bound)]] = var(0)  # of the request, while it is on the way
    waited: Map[Effect, Annotated[int, Range(0, lambda m: m.patience)]] = var(0)  # since no answer is hoped for
    doubtful: Map[Effect, bool] = var(False)
    recorded: Map[Effect, bool] = var(False)
    applied: Map[Effect, Annotated[int, Range(0, 2)]] = var(0)  # what the world saw; 2 is "more than once"

    def timed_out(self, e: Effect) -> None:
        self.doubtful[e] = True

    def in_time(self, e: Effect) -> bool:
        """Whether the clock may go on: the service keeps its bound."""
        return not self.on_the_way[e] or self.age[e] < self.bound

    @action
    def tick(self) -> None:
        """Time passes for everybody."""
        require(forall(Effect, lambda e: self.in_time(e)))
        self.age = each(Effect, lambda e: min(self.age[e] + 1, self.bound) if self.on_the_way[e] else 0)
        self.waited = each(
            Effect, lambda e: min(self.waited[e] + 1, self.patience) if self.doubtful[e] else self.waited[e]
        )

    @action
    def send(self, e: Effect) -> None:
        require(not self.awaiting[e] and not self.doubtful[e] and not self.recorded[e])
        self.awaiting[e] = True
        self.on_the_way[e] = True
        self.age[e] = 0

    @action
    def act(self, e: Effect) -> None:
        """The service acts, whether or not anyone waits."""
        require(self.on_the_way[e])
        self.on_the_way[e] = False
        self.age[e] = 0
        self.applied[e] = min(self.applied[e] + 1, 2)

    @fault
    def lose_request(self, e: Effect) -> None:
        """It never arrives."""
        require(self.on_the_way[e])
        self.on_the_way[e] = False
        self.age[e] = 0
        self.awaiting[e] = False
        self.doubtful[e] = True

    @action
    def record(self, e: Effect) -> None:
        """The answer arrived."""
        require(self.awaiting[e] and not self.on_the_way[e])
        self.awaiting[e] = False
        self.recorded[e] = True

    @action
    def look(self, e: Effect) -> None:
        """After the patience is over: what was done is closed, what was not may be sent again."""
        require(self.doubtful[e] and self.waited[e] >= self.patience)
        self.doubtful[e] = False
        self.waited[e] = 0
        self.recorded[e] = self.applied[e] > 0

    @always
    def at_most_once(self, e: Effect) -> bool:
        return self.applied[e] <= 1

    @always
    def recorded_is_done_once(self, e: Effect) -> bool:
        return implies(self.recorded[e], self.applied[e] == 1)

    @eventually(weak=("tick", "look", "record"), strong=("send", "act"))
    def it_is_recorded(self, e: Effect) -> bool:
        return self.recorded[e]

    @sometimes
    def it_was_done_in_doubt(self, e: Effect) -> bool:
        return self.doubtful[e] and self.applied[e] == 1

    @lemma
    def who_waits_is_not_in_doubt(self, e: Effect) -> bool:
        return implies(self.awaiting[e], not self.doubtful[e] and not self.recorded[e])

    @lemma
    def what_is_awaited_was_sent_once(self, e: Effect) -> bool:
        return implies(self.awaiting[e], self.on_the_way[e] != (self.applied[e] == 1))

    @lemma
    def one_request_at_a_time(self, e: Effect) -> bool:
        return implies(self.on_the_way[e], self.applied[e] == 0 and (self.awaiting[e] or self.doubtful[e]))

    @lemma
    def done_is_known_or_doubted(self, e: Effect) -> bool:
        return implies(self.applied[e] > 0, self.recorded[e] or self.awaiting[e] or self.doubtful[e])

    @lemma
    def a_request_is_older_than_the_doubt(self, e: Effect) -> bool:
        return implies(self.on_the_way[e] and self.doubtful[e], self.waited[e] <= self.age[e])

    @lemma
    def only_doubt_waits(self, e: Effect) -> bool:
        return implies(not self.doubtful[e], self.waited[e] == 0)

    @lemma
    def closed_is_not_doubted(self, e: Effect) -> bool:
        return implies(self.recorded[e], not self.doubtful[e] and not self.on_the_way[e])
