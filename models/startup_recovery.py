"""Start-up recovery: work is found again by whoever starts, and no body of work runs twice, without any crash.

A row says which work there is and under which name somebody runs it. Whoever starts looks for rows that are left
over. That a row bears a name says nothing of whether it is left over: the name must belong to nobody who is up, and
then the row only goes back into the queue, out of which one runner gets it. So a name is never given twice: a new
runner under an old name would make what the old one left look as if it were being run.
"""

from enum import Enum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    eventually,
    exists,
    fault,
    forall,
    implies,
    leads_to,
    lemma,
    model,
    require,
    sometimes,
    var,
)


class Work(Sort):
    """What is to be run once at a time."""


class Runner(Sort):
    """A process from its start to its end; started again, it is another."""


class Name(Sort):
    """What a runner is called in a row."""


class Row(Enum):
    """What the table says of work."""

    ABSENT = 0
    QUEUED = 1
    CLAIMED = 2
    DONE = 3


@model
class StartupRecovery:
    """A table of work, and those who run it and recover it."""

    called: Map[Runner, Name | None] = var(None)  # None: not started
    ended: Map[Runner, bool] = var(False)
    row: Map[Work, Row] = var(Row.ABSENT)
    owner: Map[Work, Name | None] = var(None)
    bodies: Map[tuple[Runner, Work], Annotated[int, Range(0, 2)]] = var(0)  # 2 is "more than one"

    def is_up(self, r: Runner) -> bool:
        return self.called[r] is not None and not self.ended[r]

    def may_have_it(self, n: Name) -> bool:
        """Whether a name is free to be given."""
        return not exists(Runner, lambda s: self.called[s] == n)

    def left_over(self, w: Work) -> bool:
        bears = self.owner[w]
        return self.row[w] is Row.CLAIMED and not exists(Runner, lambda s: self.is_up(s) and self.called[s] == bears)

    @action
    def start(self, r: Runner, n: Name) -> None:
        require(self.called[r] is None and self.may_have_it(n))
        self.called[r] = n

    @action
    def enqueue(self, w: Work) -> None:
        require(self.row[w] is Row.ABSENT)
        self.row[w] = Row.QUEUED

    @action
    def claim(self, r: Runner, w: Work) -> None:
        """Compare and set: the row was in the queue, and bears the runner's name now."""
        require(self.is_up(r) and self.row[w] is Row.QUEUED)
        self.row[w] = Row.CLAIMED
        self.owner[w] = self.called[r]
        self.bodies[r, w] = min(self.bodies[r, w] + 1, 2)

    @action
    def finish(self, r: Runner, w: Work) -> None:
        require(self.is_up(r) and self.bodies[r, w] > 0)
        self.row[w] = Row.DONE
        self.owner[w] = None
        self.bodies[r, w] -= 1

    @action
    def recover(self, r: Runner, w: Work) -> None:
        """What is left over goes back into the queue."""
        require(self.is_up(r) and self.left_over(w))
        self.row[w] = Row.QUEUED
        self.owner[w] = None

    @fault
    def end(self, r: Runner) -> None:
        """The process is gone, with what it was running."""
        require(self.is_up(r))
        self.ended[r] = True

    @always
    def one_body_runs(self, r: Runner, s: Runner, w: Work) -> bool:
        mine, theirs = self.bodies[r, w] > 0 and self.is_up(r), self.bodies[s, w] > 0 and self.is_up(s)
        return self.bodies[r, w] <= 1 and implies(mine and theirs, r is s)

    @always
    def a_name_is_given_once(self, r: Runner, s: Runner) -> bool:
        return implies(self.called[r] is not None and self.called[r] == self.called[s], r is s)

    @eventually
    def what_nobody_runs_is_found_again(self, w: Work) -> bool:
        nobody = forall(Runner, lambda r: not self.is_up(r))
        orphan = self.row[w] is Row.CLAIMED and forall(Runner, lambda r: self.ended[r] or self.bodies[r, w] == 0)
        return leads_to(orphan and not nobody, not orphan or nobody)

    @sometimes
    def it_is_finished_by_another(self, w: Work) -> bool:
        return self.row[w] is Row.DONE and exists(Runner, lambda r: self.ended[r] and self.bodies[r, w] > 0)

    @lemma
    def who_runs_it_is_named_in_the_row(self, r: Runner, w: Work) -> bool:
        named = self.row[w] is Row.CLAIMED and self.owner[w] == self.called[r]
        return implies(self.bodies[r, w] > 0 and self.is_up(r), named)

    @lemma
    def who_has_not_started_runs_nothing(self, r: Runner, w: Work) -> bool:
        return implies(self.called[r] is None, self.bodies[r, w] == 0 and not self.ended[r])
