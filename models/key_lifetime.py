"""Key lifetime: a service acts once for a key while it remembers it, and a person may take longer to decide.

A call that was not answered is made again only when somebody has approved, which may take days; a service keeps keys
for a time. Sent again before the key is forgotten, the effect happens once; sent again after, it happens twice. So a
worker that knows the lifetime asks its own clock first, and what came too late is told as unresolved: neither done
nor not done, and not tried again. What counts is the time from the first sending to the last, not from one to the
next. Time passes only while nothing is under way: a request takes no tick.
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
    leads_to,
    lemma,
    model,
    require,
    sometimes,
    var,
)
from meshspec.models.environment import Effect


@model
class KeyLifetime:
    """One worker that does not crash, a person whose word it waits for, and a service that forgets."""

    lifetime: int = 3  # ticks for which the service remembers a key that it has acted on
    longest_wait: int = 4  # ticks from sending within which the matter is closed, however often a word is asked for
    sent: Map[Effect, bool] = var(False)
    since: Map[Effect, Annotated[int, Range(0, lambda m: m.lifetime + m.longest_wait)]] = var(0)  # the worker's clock
    awaiting: Map[Effect, bool] = var(False)
    on_the_way: Map[Effect, bool] = var(False)
    unapproved: Map[Effect, bool] = var(False)  # not answered: the person is asked
    remembered: Map[Effect, bool] = var(False)  # by the service
    age: Map[Effect, Annotated[int, Range(0, lambda m: m.lifetime)]] = var(0)  # of what it remembers
    recorded: Map[Effect, bool] = var(False)
    unresolved: Map[Effect, bool] = var(False)  # told as such
    applied: Map[Effect, Annotated[int, Range(0, 2)]] = var(0)  # what the world saw; 2 is "more than once"

    def may_send_again(self, e: Effect) -> bool:
        """Whether the key is still remembered for sure, if it ever was."""
        return self.since[e] < self.lifetime

    def is_open(self, e: Effect) -> bool:
        """Whether an answer or a word is waited for."""
        return self.awaiting[e] or self.unapproved[e]

    def later(self, e: Effect) -> int:
        return min(self.since[e] + 1, self.lifetime + self.longest_wait)

    @action
    def tick(self) -> None:
        require(forall(Effect, lambda e: not self.on_the_way[e]))
        require(forall(Effect, lambda e: not self.is_open(e) or self.since[e] < self.longest_wait))
        self.since = each(Effect, lambda e: self.later(e) if self.sent[e] else 0)
        self.remembered = each(Effect, lambda e: self.remembered[e] and self.age[e] + 1 < self.lifetime)
        self.age = each(Effect, lambda e: self.age[e] + 1 if self.remembered[e] else 0)

    @action
    def send(self, e: Effect) -> None:
        require(not self.sent[e])
        self.sent[e] = True
        self.awaiting[e] = True
        self.on_the_way[e] = True

    @action
    def act(self, e: Effect) -> None:
        """The service acts, unless it remembers the key."""
        require(self.on_the_way[e])
        self.on_the_way[e] = False
        if not self.remembered[e]:
            self.applied[e] = min(self.applied[e] + 1, 2)
            self.remembered[e] = True

    @action
    def record(self, e: Effect) -> None:
        require(self.awaiting[e] and not self.on_the_way[e])
        self.awaiting[e] = False
        self.recorded[e] = True

    @fault
    def lose(self, e: Effect) -> None:
        """The request or its answer is lost; which of them, nobody can tell."""
        require(self.awaiting[e])
        self.awaiting[e] = False
        self.on_the_way[e] = False
        self.unapproved[e] = True

    @action
    def approve(self, e: Effect) -> None:
        """The person's word arrives."""
        require(self.unapproved[e])
        self.unapproved[e] = False
        if self.may_send_again(e):
            self.awaiting[e] = True
            self.on_the_way[e] = True
        else:
            self.unresolved[e] = True

    @always
    def at_most_once(self, e: Effect) -> bool:
        return self.applied[e] <= 1

    @always
    def recorded_is_done_once(self, e: Effect) -> bool:
        return implies(self.recorded[e], self.applied[e] == 1)

    @always
    def unresolved_is_not_recorded(self, e: Effect) -> bool:
        return implies(self.recorded[e], not self.unresolved[e])

    @eventually(weak=("approve",), strong=("act", "record"))
    def it_is_recorded_or_told_as_unresolved(self, e: Effect) -> bool:
        return leads_to(self.sent[e], self.recorded[e] or self.unresolved[e])

    @sometimes
    def a_forgotten_key_was_recorded(self, e: Effect) -> bool:
        return self.recorded[e] and self.applied[e] == 1 and not self.remembered[e]

    @lemma
    def what_was_done_is_remembered_while_it_may_be_sent_again(self, e: Effect) -> bool:
        return implies(self.applied[e] > 0 and self.since[e] < self.lifetime, self.remembered[e])

    @lemma
    def the_key_is_younger_than_the_request(self, e: Effect) -> bool:
        return implies(self.remembered[e], self.applied[e] == 1 and self.age[e] <= self.since[e])

    @lemma
    def what_is_under_way_is_in_time(self, e: Effect) -> bool:
        return implies(self.on_the_way[e], self.since[e] < self.lifetime and self.awaiting[e] and self.sent[e])

    @lemma
    def one_thing_at_a_time(self, e: Effect) -> bool:
        open_ = self.awaiting[e] or self.unapproved[e]
        apart = not (self.awaiting[e] and self.unapproved[e]) and not (self.recorded[e] and self.unresolved[e])
        return implies(open_ or self.recorded[e] or self.unresolved[e], self.sent[e] and apart)

    @lemma
    def what_is_open_is_not_closed(self, e: Effect) -> bool:
        return implies(self.awaiting[e] or self.unapproved[e], not self.recorded[e] and not self.unresolved[e])

    @lemma
    def an_answer_comes_from_having_acted(self, e: Effect) -> bool:
        return implies(self.awaiting[e] and not self.on_the_way[e], self.applied[e] == 1)

    @lemma
    def nothing_is_done_unsent(self, e: Effect) -> bool:
        return implies(self.applied[e] > 0, self.sent[e])

    @lemma
    def the_clock_starts_at_sending(self, e: Effect) -> bool:
        return self.sent[e] or (self.since[e] == 0 and not self.remembered[e])

    @lemma
    def only_a_key_ages(self, e: Effect) -> bool:
        return implies(not self.remembered[e], self.age[e] == 0)
