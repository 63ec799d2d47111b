"""What goes wrong with effects: each incident changes one decision of the effect ledger."""

from meshspec import action, model, require
from meshspec.models.effect_ledger import EffectLedger, Recovery, Told
from meshspec.models.environment import Effect


@model
class ResendInDoubt(EffectLedger):
    """The naive retry: what is in doubt is sent again, unasked."""

    recovery: Recovery = Recovery.RESEND


@model
class SkipInDoubt(EffectLedger):
    """The cautious worker: what is in doubt is closed, unasked; it may never have been done."""

    recovery: Recovery = Recovery.SKIP


@model
class ExecuteThenRecord(EffectLedger):
    """Figure 6's order: look the effect up, execute, then record. Nothing is written down before it leaves."""

    @action
    def send(self, e: Effect) -> None:
        require(self.up and self.delivered[e] and not self.recorded[e])
        require(not self.awaiting[e] and not self.doubtful[e])
        self.on_the_way[e] = True
        self.awaiting[e] = True


@model
class AskTooSoon(EffectLedger):
    """Verify, then retry, with no bound on how late the service may act: "not yet" is taken for "never"."""

    @action
    def settle(self, e: Effect) -> None:
        require(self.up and self.doubtful[e])
        self.doubtful[e] = False
        if self.applied[e] > 0:
            self.recorded[e] = True
            self.told[e] = Told.SUCCESS


@model
class TimeoutIsFailure(EffectLedger):
    """An unanswered call is told as a failure, although it may have been done."""

    def timed_out(self, e: Effect) -> None:
        self.doubtful[e] = True
        self.told[e] = Told.FAILURE


@model
class SuccessOnSilence(EffectLedger):
    """The request has left, and that is told as success."""

    @action
    def send(self, e: Effect) -> None:
        require(self.up and self.intended[e] and not self.recorded[e])
        require(not self.awaiting[e] and not self.doubtful[e])
        self.on_the_way[e] = True
        self.awaiting[e] = True
        self.told[e] = Told.SUCCESS


@model
class TakenOffBeforeWritten(EffectLedger):
    """Work is taken off the queue before it is written down, and is nowhere then."""

    @action
    def suppress(self, e: Effect) -> None:
        require(self.up and self.waiting[e])
        self.waiting[e] = False


@model
class WorksAhead(EffectLedger):
    """What is likely to be asked for is begun at once; nobody asks for it, and it is done all the same."""

    @action
    def intend(self, e: Effect) -> None:
        require(self.up and not self.intended[e])
        self.waiting[e] = False
        self.intended[e] = True


@model
class DiesOnWhatItReads(EffectLedger):
    """The worker comes up, reads the log, and dies of what it reads: a supervisor starts it for ever."""

    @action
    def recover(self) -> None:
        require(not self.up)
        self.read_back()


@model
class WaitsForGoodNews(EffectLedger):
    """A doubt is closed when the service says that it has acted; "no, never" is asked about again, for ever."""

    @action
    def settle(self, e: Effect) -> None:
        require(self.up and self.doubtful[e] and not self.on_the_way[e])
        if self.applied[e] > 0:
            self.doubtful[e] = False
            self.recorded[e] = True
            self.told[e] = Told.SUCCESS
