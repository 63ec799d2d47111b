"""Event log: it holds what it held before and three events for every invocation, and a check counts its own alone.

A check invokes a component, which publishes; then an assertion counts the events that its filter lets through. The
log lies outside the workspace, so nothing that restores the workspace ever shortens it. What an invocation finds
there is whatever earlier ones left, which is no fact about the component that is being judged.
"""

from typing import Annotated

from meshspec import Map, Range, Sort, action, always, implies, lemma, model, require, sometimes, var


class Log(Sort):
    """The event log of one service."""


@model
class EventLog:
    """Any number of logs, each with any number of events before the first invocation."""

    per_invocation: int = 3  # what a correct producer publishes each time
    matching: int = 1  # of these, what the assertion's filter lets through: the last ones
    held: Map[Log, int] = Map(0)  # before the first invocation
    held_matching: Map[Log, int] = Map(0)
    most: Map[Log, int] = Map(3)  # invocations; in a proof any number
    invoked: Map[Log, int] = var(0)
    due: Map[Log, Annotated[int, Range(0, lambda m: m.per_invocation)]] = var(0)  # not yet published by this one
    published: Map[Log, int] = var(0)  # by all invocations
    published_matching: Map[Log, int] = var(0)
    own: Map[Log, Annotated[int, Range(0, lambda m: m.matching)]] = var(0)  # published by this one, and matching
    running: Map[Log, bool] = var(False)
    checked: Map[Log, bool] = var(False)
    observed: Map[Log, int] = var(0)  # by the last assertion

    def size(self, log: Log) -> int:
        return self.held[log] + self.published[log]

    def count_events(self, log: Log) -> int:
        """What an assertion counts: the events that carry the id of its own invocation."""
        return self.own[log]

    @action
    def invoke(self, log: Log) -> None:
        require(not self.running[log] and self.invoked[log] < self.most[log])
        self.running[log] = True
        self.invoked[log] += 1
        self.due[log] = self.per_invocation
        self.own[log] = 0

    @action
    def publish(self, log: Log) -> None:
        require(self.due[log] > 0)
        if self.due[log] <= self.matching:
            self.own[log] += 1
            self.published_matching[log] += 1
        self.due[log] -= 1
        self.published[log] += 1

    @action
    def check(self, log: Log) -> None:
        require(self.running[log] and self.due[log] == 0)
        self.running[log] = False
        self.checked[log] = True
        self.observed[log] = self.count_events(log)

    @always
    def every_event_is_of_an_invocation_or_was_there(self, log: Log) -> bool:
        """Between invocations the size is b + 3i."""
        return self.size(log) + self.due[log] == self.held[log] + self.per_invocation * self.invoked[log]

    @always
    def matching_events_add_up(self, log: Log) -> bool:
        """Between invocations those that match are as many as were there, and m for each."""
        due = self.matching if self.due[log] > self.matching else self.due[log]
        return self.published_matching[log] + due == self.matching * self.invoked[log]

    @always
    def a_check_sees_its_own_events_alone(self, log: Log) -> bool:
        return implies(self.checked[log], self.observed[log] == self.matching)

    @sometimes
    def it_is_invoked_as_often_as_it_may(self, log: Log) -> bool:
        return self.invoked[log] == self.most[log] and not self.running[log]

    @lemma
    def own_events_are_those_published(self, log: Log) -> bool:
        published = self.matching if self.due[log] > self.matching else self.due[log]
        return implies(self.running[log], self.own[log] + published == self.matching)

    @lemma
    def what_does_not_run_owes_nothing(self, log: Log) -> bool:
        return implies(not self.running[log], self.due[log] == 0)
