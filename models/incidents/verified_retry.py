"""Where looking before sending again does not help: no bound, too little patience, nobody who looks."""

from meshspec import action, model, require
from meshspec.models.environment import Effect
from meshspec.models.verified_retry import VerifiedRetry


@model
class WithoutBound(VerifiedRetry):
    """The service may act as late as it likes: after any wait, "not yet" still looks like "never"."""

    def in_time(self, e: Effect) -> bool:
        return True


@model
class Impatient(VerifiedRetry):
    """The service keeps its bound, and the caller looks as it comes up: one tick too soon."""

    patience: int = 2


@model
class ClosedAfterWaiting(VerifiedRetry):
    """The caller waits, and then takes it for done without looking."""

    @action
    def look(self, e: Effect) -> None:
        require(self.doubtful[e] and self.waited[e] >= self.patience)
        self.doubtful[e] = False
        self.waited[e] = 0
        self.recorded[e] = True


@model
class LooksForEver(VerifiedRetry):
    """The caller looks again and again for what was lost, and never sends it."""

    @action
    def look(self, e: Effect) -> None:
        require(self.doubtful[e] and self.waited[e] >= self.patience)
        self.doubtful[e] = self.applied[e] == 0
        self.waited[e] = 0
        self.recorded[e] = self.applied[e] > 0
