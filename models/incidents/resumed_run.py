"""Finished work that is done again, although nothing was lost and nothing was ever in doubt."""

from meshspec import each, exists, fault, model
from meshspec.models.environment import Effect
from meshspec.models.resumed_run import Found, ResumedRun


@model
class RetriedFromNothing(ResumedRun):
    """The retry of a run begins with empty hands: a result that was known is thrown away, and the call made again."""

    @fault
    def begin_again(self) -> None:
        self.found = Found.RECORD if exists(Effect, lambda e: self.seen(e)) else Found.NOTHING
        self.thought_of = each(Effect, lambda e: False)
        self.in_hand = each(Effect, lambda e: False)


@model
class RecordedUnderTheSession(ResumedRun):
    """The record is looked for under the session's name, which has changed: it is there, and nobody sees it."""

    def seen(self, e: Effect) -> bool:
        return self.recorded[e] and not self.renamed
