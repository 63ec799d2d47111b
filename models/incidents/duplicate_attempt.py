"""What goes wrong with duplicates: each incident changes one decision about them."""

from meshspec import action, fault, model, require
from meshspec.models.duplicate_attempt import DuplicateAttempt, Result
from meshspec.models.environment import Attempt


@model
class DuplicateIsFatal(DuplicateAttempt):
    """A lease that another holds is counted as a failure of the one that asked for it."""

    @fault
    def dispatch_again(self, a: Attempt, h: Attempt) -> None:
        require(not self.started[a] and self.at_work(h))
        self.started[a] = True
        self.holder[a] = h
        self.failure[a] = True


@model
class DuplicateIsSuccess(DuplicateAttempt):
    """That somebody else is at it is taken for its being done."""

    @action
    def adopt(self, a: Attempt, h: Attempt) -> None:
        require(self.holder[a] is h and self.result[a] is Result.NONE)
        self.result[a] = Result.DONE


@model
class OnlySuccessIsAdopted(DuplicateAttempt):
    """A duplicate waits for its holder to succeed; of one that failed it never hears."""

    @action
    def adopt(self, a: Attempt, h: Attempt) -> None:
        require(self.holder[a] is h and self.result[a] is Result.NONE and self.result[h] is Result.DONE)
        self.result[a] = Result.DONE
