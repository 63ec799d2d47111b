"""Tool result: a reply says that it is whole, that it is empty, or that it is an error, and each only where it is.

A tool answers in pieces, and the stream may be cut between any two of them. That the stream has ended says nothing:
how much there was to be is said before it begins. Nothing to report, a failure to report, and half a report are three
things, and a reader who gets one of them for another goes wrong without a word.
"""

from enum import Enum
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, any_of, fault, implies, lemma, model, require, sometimes, var

Pieces = Annotated[int, Range(0, 2)]


class Call(Sort):
    """One call of a tool."""


class Reported(Enum):
    """What the caller is told."""

    NOT_YET = 0
    WHOLE = 1
    EMPTY = 2
    ERROR = 3


@model
class ToolResult:
    """Calls, what there is to be said to each, and what arrives of it."""

    said: Map[Call, Pieces] = var(any_of(0, 1, 2))  # how many pieces there are: the frame around them
    arrived: Map[Call, Pieces] = var(0)
    failed: Map[Call, bool] = var(False)
    over: Map[Call, bool] = var(False)  # the stream has ended, in whatever way
    reported: Map[Call, Reported] = var(Reported.NOT_YET)

    def judge(self, c: Call) -> Reported:
        if self.failed[c] or self.arrived[c] < self.said[c]:
            return Reported.ERROR
        return Reported.WHOLE if self.arrived[c] > 0 else Reported.EMPTY

    @action
    def arrive(self, c: Call) -> None:
        require(not self.over[c] and self.arrived[c] < self.said[c])
        self.arrived[c] += 1

    @action
    def close(self, c: Call) -> None:
        """Everything has been sent."""
        require(not self.over[c] and self.arrived[c] == self.said[c])
        self.over[c] = True

    @fault
    def cut(self, c: Call) -> None:
        """The stream ends before everything was sent."""
        require(not self.over[c] and self.arrived[c] < self.said[c])
        self.over[c] = True

    @fault
    def fail(self, c: Call) -> None:
        """The tool fails, and its stream ends as any other."""
        require(not self.over[c])
        self.failed[c] = True
        self.over[c] = True

    @action
    def report(self, c: Call) -> None:
        require(self.over[c] and self.reported[c] is Reported.NOT_YET)
        self.reported[c] = self.judge(c)

    @always
    def whole_is_all_there_was(self, c: Call) -> bool:
        all_there_was = 0 < self.arrived[c] == self.said[c] and not self.failed[c]
        return implies(self.reported[c] is Reported.WHOLE, all_there_was)

    @always
    def empty_is_that_there_was_nothing(self, c: Call) -> bool:
        return implies(self.reported[c] is Reported.EMPTY, self.said[c] == 0 and not self.failed[c])

    @always
    def an_error_is_one(self, c: Call) -> bool:
        return implies(self.reported[c] is Reported.ERROR, self.failed[c] or self.arrived[c] < self.said[c])

    @sometimes
    def it_is_whole(self, c: Call) -> bool:
        return self.reported[c] is Reported.WHOLE and self.said[c] == 2

    @lemma
    def what_is_reported_is_over(self, c: Call) -> bool:
        return implies(self.reported[c] is not Reported.NOT_YET, self.over[c])

    @lemma
    def no_more_arrives_than_there_is(self, c: Call) -> bool:
        return self.arrived[c] <= self.said[c]
