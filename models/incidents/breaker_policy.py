"""What goes wrong with the decision of a breaker: each incident changes one of them."""

from meshspec import model
from meshspec.models.breaker_policy import BreakerPolicy, Session, Sight


@model
class NewsMovesChecks(BreakerPolicy):
    """Any new result resets everything, so edits that move no check hide one that is stuck."""

    def is_stuck(self, s: Session, sight: Sight) -> int:
        if sight == Sight.NEWS or sight == Sight.BETTER:
            return 0
        return self.stuck[s] + 1 if sight == Sight.NO_BETTER else self.stuck[s]


@model
class ChecksAreCounted(BreakerPolicy):
    """A check that is made over and over is taken for a loop, though it does better each time."""

    def is_stuck(self, s: Session, sight: Sight) -> int:
        return self.stuck[s] + 1 if sight == Sight.BETTER or sight == Sight.NO_BETTER else self.stuck[s]


@model
class OldResultsPass(BreakerPolicy):
    """Only checks are counted: a call that succeeds with what it came back with before is no reason to stop."""

    def is_stale(self, s: Session, sight: Sight) -> int:
        if sight == Sight.NEWS or sight == Sight.BETTER:
            return 0
        return self.stale[s] if sight == Sight.NO_NEWS else self.stale[s] + 1


@model
class DecidesAnew(BreakerPolicy):
    """It keeps no trip: whoever catches that and goes on is let go at the first step that brings news."""

    def says_trip(self, s: Session, sight: Sight) -> bool:
        return self.is_stale(s, sight) >= self.patience[s] or self.is_stuck(s, sight) >= self.patience[s]


@model
class AdmitsWhoeverIsThere(BreakerPolicy):
    """Once rested it lets through whoever calls."""

    def lets_through(self, s: Session) -> bool:
        return self.rested[s]
