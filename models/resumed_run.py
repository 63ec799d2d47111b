"""Resumed run: work that is finished is answered from the record, whatever made the run start again.

A run looks what is recorded, thinks of a call, makes it, and writes its result down under the name of the run. A
later step fails, and the run is retried from its start; or its session is compacted and goes on under another name.
Nothing was lost and nothing is in doubt, so nothing need be done twice: it is enough to look before anything is made,
under a name that does not change, and to refuse to start afresh where a record exists under another.
"""

from enum import Enum
from typing import Annotated

from meshspec import Map, Range, action, always, each, exists, fault, implies, lemma, model, require, sometimes, var
from meshspec.models.environment import Effect


class Found(Enum):
    """What an attempt finds where it looks."""

    NOT_LOOKED = 0
    RECORD = 1
    NOTHING = 2


@model
class ResumedRun:
    """One run, its record, and a session whose name may change."""

    thought_of: Map[Effect, bool] = var(False)  # by this attempt
    in_hand: Map[Effect, bool] = var(False)  # this attempt has its result
    recorded: Map[Effect, bool] = var(False)  # durable, under the run's name
    applied: Map[Effect, Annotated[int, Range(0, 2)]] = var(0)  # what the world saw; 2 is "more than once"
    renamed: bool = var(False)  # the session's name is not the one under which the run began
    found: Found = var(Found.NOT_LOOKED)

    def seen(self, e: Effect) -> bool:
        """What an attempt that looks finds of an effect in the record."""
        return self.recorded[e]

    @action
    def look(self) -> None:
        """An attempt begins with what is recorded."""
        require(self.found == Found.NOT_LOOKED)
        self.found = Found.RECORD if exists(Effect, lambda e: self.seen(e)) else Found.NOTHING
        self.in_hand = each(Effect, lambda e: self.seen(e))

    @action
    def think_of(self, e: Effect) -> None:
        """The model is called, and answers with a call of its own."""
        require(not self.thought_of[e])
        self.thought_of[e] = True

    @action
    def make(self, e: Effect) -> None:
        """It is made, and its result is in hand and written down at once."""
        require(self.found != Found.NOT_LOOKED and self.thought_of[e] and not self.in_hand[e])
        self.in_hand[e] = True
        self.recorded[e] = True
        self.applied[e] = min(self.applied[e] + 1, 2)

    @fault
    def begin_again(self) -> None:
        """A later step fails, or the session is resumed: the whole run starts from its first step."""
        self.found = Found.NOT_LOOKED
        self.thought_of = each(Effect, lambda e: False)
        self.in_hand = each(Effect, lambda e: False)

    @fault
    def rename(self) -> None:
        """The session goes on under another name."""
        require(not self.renamed)
        self.renamed = True

    @always
    def finished_work_is_not_done_again(self, e: Effect) -> bool:
        return self.applied[e] <= 1

    @always
    def an_attempt_looks_before_it_acts(self, e: Effect) -> bool:
        """An attempt that has not looked yet has made nothing: it would have the result in hand."""
        return implies(self.found == Found.NOT_LOOKED, not self.in_hand[e])

    @always
    def nothing_found_is_nothing_recorded(self, e: Effect) -> bool:
        """At the moment of looking: "no record" is told apart from "a record under another name"."""
        return implies(self.found == Found.NOTHING and self.applied[e] > 0, self.in_hand[e])

    @sometimes
    def a_record_is_found(self, e: Effect) -> bool:
        return self.found == Found.RECORD and self.recorded[e]

    @lemma
    def what_was_done_is_recorded_and_in_hand_after_looking(self, e: Effect) -> bool:
        done = self.applied[e] == 1
        return self.recorded[e] == done and self.in_hand[e] == (done and self.found != Found.NOT_LOOKED)
