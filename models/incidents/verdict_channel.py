"""What goes wrong when ends are told: each incident changes one decision of the verdict channel."""

from meshspec import action, model, require
from meshspec.models.environment import Attempt
from meshspec.models.verdict_channel import Cause, Verdict, VerdictChannel

FATAL = (Cause.DUPLICATE, Cause.EXHAUSTED, Cause.STALLED)


@model
class OneFatalOutcome(VerdictChannel):
    """Duplicate, bound and stall are told in one word, and the breaker counts them all."""

    def told_for(self, cause: Cause | None) -> Verdict:
        return Verdict.REFUSED_AS_STALLED if cause in FATAL else super().told_for(cause)


@model
class OneWordForTwo(VerdictChannel):
    """There is one word for a bound and for a gate, and it is told of each as it should be."""

    def word(self, cause: Cause) -> Verdict:
        return Verdict.EXHAUSTED_BUDGET if cause is Cause.REJECTED else super().word(cause)


@model
class LeftoverIsAnswer(VerdictChannel):
    """What is there when the bound is reached is handed on as the answer."""

    def told_for(self, cause: Cause | None) -> Verdict:
        return Verdict.DONE if cause is Cause.EXHAUSTED else super().told_for(cause)


@model
class ToldAgain(VerdictChannel):
    """What has ended is ended again by the next one who looks."""

    @action
    def end(self, a: Attempt) -> None:
        cause = self.first_met(a)
        require(cause is not None)
        self.tell(a, self.told_for(cause))
        self.counted[a] = self.told_for(cause) is Verdict.REFUSED_AS_STALLED


@model
class DroppedInSilence(VerdictChannel):
    """An attempt that cannot go on is dropped by whoever finds it first, and nobody is told."""

    @action
    def drop(self, a: Attempt) -> None:
        require(not self.ended[a] and self.first_met(a) is Cause.STALLED)
        self.ended[a] = True


@model
class RetriedForEver(VerdictChannel):
    """A stall is forgotten and the attempt tried again, while its status says that it runs."""

    @action
    def retry(self, a: Attempt) -> None:
        require(self.verdict[a] is Verdict.NOTHING and self.met[a, Cause.STALLED])
        self.met[a, Cause.STALLED] = False


@model
class WaiverNeverLapses(VerdictChannel):
    """Who waits for a waiver is left alone until somebody answers."""

    @action
    def end(self, a: Attempt) -> None:
        cause = self.first_met(a)
        require(self.verdict[a] is Verdict.NOTHING and cause is not None)
        self.tell(a, self.told_for(cause))
        self.counted[a] = self.told_for(cause) is Verdict.REFUSED_AS_STALLED


@model
class WaitingIsAnEnd(VerdictChannel):
    """Waiting for a waiver closes the attempt."""

    @action
    def ask_for_waiver(self, a: Attempt) -> None:
        require(self.verdict[a] is Verdict.NOTHING and self.done[a] and self.first_met(a) is Cause.REJECTED)
        self.tell(a, Verdict.AWAITING_WAIVER)
