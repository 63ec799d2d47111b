"""Finished work that is done again, although nothing was lost and nothing was ever in doubt."""

from meshspec import action, exists, model, require
from meshspec.models.environment import Effect
from meshspec.models.resumed_run import Found, ResumedRun


@model
class RetriedFromNothing(ResumedRun):
    """The retry of a run begins with empty hands: a result that was known is thrown away, and the call made again."""

    @action
    def look(self) -> None:
        require(self.found == Found.NOT_LOOKED)
        self.found = Found.RECORD if exists(Effect, lambda e: self.seen(e)) else Found.NOTHING


@model
class ActsBeforeItLooks(ResumedRun):
    """The call is made as soon as it is thought of: the record is there, and is looked at afterwards, if at all."""

    @action
    def make(self, e: Effect) -> None:
        require(self.thought_of[e] and not self.in_hand[e])
        self.in_hand[e] = True
        self.recorded[e] = True
        self.applied[e] = min(self.applied[e] + 1, 2)


@model
class RecordedUnderTheSession(ResumedRun):
    """The record is looked for under the session's name, which has changed: it is there, and nobody sees it."""

    def seen(self, e: Effect) -> bool:
        return self.recorded[e] and not self.renamed
