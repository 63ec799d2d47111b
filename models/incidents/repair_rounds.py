"""What goes wrong with repair rounds: each incident changes one decision about what a report is worth."""

from meshspec import model
from meshspec.models.repair_rounds import Outcome, RepairRounds


@model
class ConstantEvidence(RepairRounds):
    """Only the name of the failing check is read, and it is the same after a good round and a bad one."""

    def reads_as_moved(self, differs: bool) -> bool:
        return False


@model
class NoDiagnosticsFallback(RepairRounds):
    """Where the filter leaves nothing there is nothing to compare, so nothing is ever called a stall."""

    def progress(self, now: Outcome, before: Outcome, differs: bool) -> bool:
        if not differs and self.crashed[now]:
            return True  # a crash names nothing but the check: nothing is left
        return self.reads_as_moved(differs) and self.is_better(now, before)


@model
class InferredVocabulary(RepairRounds):
    """What every round has reported so far is taken for vocabulary: a test that truly stays failing is hidden."""

    def progress(self, now: Outcome, before: Outcome, differs: bool) -> bool:
        if not differs and not self.crashed[now]:
            return True  # what both report is dropped, nothing is left, and so there is no stall
        return self.reads_as_moved(differs) and self.is_better(now, before)


@model
class RawDigests(RepairRounds):
    """The report is hashed with its times and addresses: it always moves, and moving is taken for progress."""

    def progress(self, now: Outcome, before: Outcome, differs: bool) -> bool:
        return True


@model
class CountOnlyRefund(RepairRounds):
    """A refund asks for fewer identifiers, and a crash reports one: who gets past the crash is refused."""

    def refunds(self, now: Outcome, before: Outcome, differs: bool) -> bool:
        return self.reads_as_moved(differs) and self.failing[now] < self.failing[before]


@model
class HashRefund(RepairRounds):
    """A refund asks for another report and a stall for a better one: a round can be called both."""

    def refunds(self, now: Outcome, before: Outcome, differs: bool) -> bool:
        return self.reads_as_moved(differs)


@model
class ReporterIsSilent(RepairRounds):
    """After a crash the reporter says nothing new of few failures: no rule over reports can help who gets better."""

    def tells_apart(self, now: Outcome, before: Outcome) -> bool:
        return now != before and not (self.crashed[before] and self.failing[now] < 5)
