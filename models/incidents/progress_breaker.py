"""What goes wrong with a progress breaker: each incident changes one decision of it."""

from meshspec import model
from meshspec.models.progress_breaker import Answer, Call, ProgressBreaker, Session


@model
class StepBudgetAlone(ProgressBreaker):
    """Nothing stops a loop but the budget of steps, and a larger budget buys a longer loop."""

    def is_stopped(self, s: Session) -> bool:
        return self.equal[s] >= self.budget[s]


@model
class CallAlone(ProgressBreaker):
    """The answer is not looked at: healthy polling of a build is stopped."""

    def counts(self, s: Session, c: Call, a: Answer) -> bool:
        return self.last[s] == c


@model
class OffByOne(ProgressBreaker):
    """A threshold of one is taken for "at least none": the error breaker opens on calls that all succeed."""

    def are_too_many(self, errors: int, tolerated: int) -> bool:
        return errors >= tolerated - 1
