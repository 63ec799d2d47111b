"""What goes wrong with the clock of a lease: each incident changes one decision."""

from meshspec import Map, model
from meshspec.models.lease_clock import Job, LeaseClock


@model
class ClockRunsWhileWaiting(LeaseClock):
    """The lease is stamped when the job is taken, and lapses while the job waits for its time."""

    delay: Map[Job, int] = Map(4)

    def lapses(self, j: Job) -> int:
        return self.stamp[j] + self.period[j]


@model
class LateAtEverything(LeaseClock):
    """A worker does what is due when it gets round to it: a run takes longer than was said."""

    def nothing_is_due_before(self, j: Job, time: int) -> bool:
        return True
