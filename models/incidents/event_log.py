"""What goes wrong with an event log: each incident changes one decision of it."""

from meshspec import action, model, require
from meshspec.models.event_log import EventLog, Log


@model
class CountsTheWholeLog(EventLog):
    """The assertion counts whatever its filter finds, and every earlier invocation left something."""

    def count_events(self, log: Log) -> int:
        return self.held_matching[log] + self.published_matching[log]


@model
class TruncatedByAnother(EventLog):
    """Somebody empties the log between invocations: it no longer tells how often the component ran."""

    @action
    def invoke(self, log: Log) -> None:
        require(not self.running[log] and self.invoked[log] < self.most[log])
        self.running[log] = True
        self.invoked[log] += 1
        self.published[log] = 0
        self.published_matching[log] = 0
        self.due[log] = self.per_invocation
        self.own[log] = 0


@model
class WrittenByAnother(EventLog):
    """A second producer writes to the same log: the size is not the component's doing alone."""

    @action
    def check(self, log: Log) -> None:
        require(self.running[log] and self.due[log] == 0)
        self.running[log] = False
        self.checked[log] = True
        self.observed[log] = self.count_events(log)
        self.published[log] += 1
