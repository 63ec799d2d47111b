"""Lease clock: a lease with a period is worth what its clock covers.

A job is taken before its time, waits, and then runs for a while; a lease that has lapsed is given to another. While
a worker keeps to its times, whether two ever run at once is a matter of three numbers. Where the clock starts with
the work, a run shorter than the period is enough, however long the wait. Where it starts when the job is taken, the
wait counts too: delay and run together must be shorter than the period.

Each action happens at a time and says which: nothing here ticks, so that the numbers may be of any size.
"""

from enum import Enum

from meshspec import Map, Sort, action, always, fault, forall, implies, lemma, model, require, sometimes, var
from meshspec.models.environment import Attempt


class Job(Sort):
    """Something to be run at a time."""


class Doing(Enum):
    """What an attempt is about."""

    NOTHING = 0
    WAITING = 1
    RUNNING = 2
    OVER = 3


@model
class LeaseClock:
    """A job that is submitted with a delay, and the workers that may take it."""

    delay: Map[Job, int] = Map(1)  # from submission to the job's time
    run: Map[Job, int] = Map(1)
    period: Map[Job, int] = Map(2)

    now: Map[Job, int] = var(0)
    submitted: Map[Job, bool] = var(False)
    done: Map[Job, bool] = var(False)
    holder: Map[Job, Attempt | None] = var(None)  # as the table has it
    stamp: Map[Job, int] = var(0)  # when the holder took it
    start: Map[Job, int] = var(0)  # the job's time
    doing: Map[tuple[Attempt, Job], Doing] = var(Doing.NOTHING)
    due: Map[tuple[Attempt, Job], int] = var(0)  # when an attempt does what it does next

    def long_enough(self, j: Job) -> bool:
        """The condition under which the promise is made."""
        return self.run[j] < self.period[j]

    def lapses(self, j: Job) -> int:
        """When a lease is over: the clock starts with the work."""
        return max(self.stamp[j], self.start[j]) + self.period[j]

    def at_work(self, a: Attempt, j: Job) -> bool:
        return self.doing[a, j] is Doing.WAITING or self.doing[a, j] is Doing.RUNNING

    def nothing_is_due_before(self, j: Job, time: int) -> bool:
        return forall(Attempt, lambda a: not self.at_work(a, j) or time <= self.due[a, j])

    @action
    def submit(self, j: Job) -> None:
        require(not self.submitted[j] and self.delay[j] >= 0 and self.run[j] >= 0)
        self.submitted[j] = True
        self.start[j] = self.now[j] + self.delay[j]

    @action
    def take(self, a: Attempt, j: Job) -> None:
        """A worker gets the job, and waits for its time."""
        require(self.submitted[j] and not self.done[j] and self.holder[j] is None)
        require(self.doing[a, j] is Doing.NOTHING)
        self.holder[j] = a
        self.stamp[j] = self.now[j]
        self.doing[a, j] = Doing.WAITING
        self.due[a, j] = max(self.now[j], self.start[j])

    @action
    def put_back(self, j: Job) -> None:
        """The lease has lapsed, and the job can be taken again."""
        require(self.holder[j] is not None and not self.done[j])
        require(self.nothing_is_due_before(j, self.lapses(j)))
        self.now[j] = max(self.now[j], self.lapses(j))
        self.holder[j] = None

    @action
    def begin(self, a: Attempt, j: Job) -> None:
        """The job's time has come."""
        require(self.doing[a, j] is Doing.WAITING and self.nothing_is_due_before(j, self.due[a, j]))
        self.now[j] = max(self.now[j], self.due[a, j])
        self.doing[a, j] = Doing.RUNNING
        self.due[a, j] = self.due[a, j] + self.run[j]

    @action
    def finish(self, a: Attempt, j: Job) -> None:
        """It has run as long as it takes, and is told done; a row that another holds by now stays."""
        require(self.doing[a, j] is Doing.RUNNING and self.nothing_is_due_before(j, self.due[a, j]))
        self.now[j] = max(self.now[j], self.due[a, j])
        self.doing[a, j] = Doing.OVER
        self.done[j] = True
        if self.holder[j] == a:
            self.holder[j] = None

    @fault
    def die(self, a: Attempt, j: Job) -> None:
        """The worker is gone; only the clock will tell."""
        require(self.at_work(a, j))
        self.doing[a, j] = Doing.OVER

    @always
    def one_runs_at_a_time(self, j: Job, a: Attempt, b: Attempt) -> bool:
        both = self.doing[a, j] is Doing.RUNNING and self.doing[b, j] is Doing.RUNNING
        return implies(self.long_enough(j) and both, a is b)

    @always
    def who_is_at_work_is_who_the_table_says(self, j: Job, a: Attempt) -> bool:
        return implies(self.long_enough(j) and self.at_work(a, j), self.holder[j] == a)

    @sometimes
    def a_job_is_taken_over(self, j: Job) -> bool:
        return self.done[j] and self.stamp[j] > 0

    @lemma
    def the_holder_keeps_to_its_times(self, j: Job, a: Attempt) -> bool:
        begins = max(self.stamp[j], self.start[j])
        if self.holder[j] != a:
            return True
        if self.doing[a, j] is Doing.RUNNING:
            return self.due[a, j] == begins + self.run[j]
        return self.doing[a, j] is not Doing.WAITING or self.due[a, j] == begins

    @lemma
    def what_is_taken_was_submitted(self, j: Job, a: Attempt) -> bool:
        return implies(not self.submitted[j], self.holder[j] is None and self.doing[a, j] is Doing.NOTHING)

    @lemma
    def no_time_is_negative(self, j: Job) -> bool:
        return implies(self.submitted[j], self.delay[j] >= 0 and self.run[j] >= 0)

    @lemma
    def no_wait_is_longer_than_the_delay(self, j: Job) -> bool:
        earliest = self.start[j] - self.delay[j]
        kept = earliest <= self.now[j] and implies(self.holder[j] is not None, earliest <= self.stamp[j])
        return implies(self.submitted[j], kept)
