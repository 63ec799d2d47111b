"""Attempt notice: what is said of an attempt changes that attempt only, and at most once.

A monitor that no longer hears of an attempt files a notice, perhaps several, and they are looked at later, when
another attempt may be running, or have succeeded. A fence is in place: only the present attempt may succeed. It does
not help, for the late one here is not a holder who writes but an observer who reports. So a notice names its attempt,
and is thrown away where that attempt has ended already.
"""

from enum import Enum
from typing import Annotated

from meshspec import Map, Range, action, always, fault, implies, lemma, model, require, sometimes, var
from meshspec.models.environment import Attempt


class Fate(Enum):
    """What became of an attempt."""

    NOT_STARTED = 0
    RUNNING = 1
    SILENT = 2
    SUCCEEDED = 3
    FAILED = 4
    REPLACED = 5


@model
class AttemptNotice:
    """A task, its attempts one after the other, and the notices about them."""

    present: Attempt | None = var(None)
    fate: Map[Attempt, Fate] = var(Fate.NOT_STARTED)
    waiting: Map[Attempt, Annotated[int, Range(0, 2)]] = var(0)  # notices filed, and not yet looked at
    named: Map[Attempt, bool] = var(False)  # a notice about this one was ever filed
    charged: Map[Attempt, Annotated[int, Range(0, 2)]] = var(0)  # retries that its death was charged with
    success: bool = var(False)  # an attempt was told that it succeeded
    failed: bool = var(False)  # the task is told failed
    own: Map[Attempt, Fate] = var(Fate.NOT_STARTED)  # history: what became of it by its own doing, or of its notice
    meddled: bool = var(False)  # history: a notice changed who is present, or a late one what the task is told

    def blame(self, a: Attempt) -> None:
        self.fate[a] = Fate.FAILED
        self.charged[a] = min(self.charged[a] + 1, 2)

    def look_at(self, a: Attempt) -> None:
        """What a notice about this attempt does."""
        if self.fate[a] is Fate.SILENT:
            self.blame(a)
            self.failed = True

    @action
    def start(self, a: Attempt) -> None:
        """The next attempt; one that fell silent is replaced, and the task is no longer failed."""
        require(self.fate[a] is Fate.NOT_STARTED and not self.success)
        before = self.present
        require(before is None or self.fate[before] is Fate.FAILED or self.fate[before] is Fate.SILENT)
        if before is not None and self.fate[before] is Fate.SILENT:
            self.fate[before] = Fate.REPLACED
            self.own[before] = Fate.REPLACED
        self.present = a
        self.fate[a] = Fate.RUNNING
        self.own[a] = Fate.RUNNING
        self.failed = False

    @action
    def succeed(self, a: Attempt) -> None:
        """The fence: only the present attempt may."""
        require(self.present is a and self.fate[a] is Fate.RUNNING)
        self.fate[a] = Fate.SUCCEEDED
        self.own[a] = Fate.SUCCEEDED
        self.success = True

    @fault
    def fall_silent(self, a: Attempt) -> None:
        """The monitor hears no more of an attempt, and files a notice."""
        require(self.fate[a] is Fate.RUNNING)
        self.fate[a] = Fate.SILENT
        self.own[a] = Fate.SILENT
        self.waiting[a] = 1
        self.named[a] = True

    @fault
    def file_again(self, a: Attempt) -> None:
        """It looks again before anybody has looked at the notice, and files another."""
        require(self.waiting[a] == 1)
        self.waiting[a] = 2

    @action
    def look(self, a: Attempt) -> None:
        """A notice is looked at, sooner or later."""
        require(self.waiting[a] > 0)
        present, success, failed = self.present, self.success, self.failed
        self.waiting[a] -= 1
        self.look_at(a)
        self.own[a] = self.fate[a]
        if self.present != present or (present != a and (self.success != success or self.failed != failed)):
            self.meddled = True

    @always
    def who_failed_was_named(self, a: Attempt) -> bool:
        return implies(self.fate[a] is Fate.FAILED, self.named[a])

    @always
    def a_notice_changes_no_other_attempt(self, a: Attempt) -> bool:
        return self.fate[a] == self.own[a]

    @always
    def a_late_notice_leaves_the_task_alone(self) -> bool:
        return not self.meddled

    @always
    def a_success_stays(self) -> bool:
        return implies(self.success, not self.failed)

    @always
    def a_death_is_charged_once(self, a: Attempt) -> bool:
        return self.charged[a] <= 1

    @sometimes
    def a_notice_comes_too_late(self, a: Attempt) -> bool:
        return self.success and self.waiting[a] > 0 and self.fate[a] is Fate.REPLACED

    @lemma
    def only_the_present_one_is_at_work(self, a: Attempt) -> bool:
        at_work = self.fate[a] is Fate.RUNNING or self.fate[a] is Fate.SILENT
        return implies(at_work, self.present is a and not self.success)

    @lemma
    def who_was_charged_has_failed(self, a: Attempt) -> bool:
        return implies(self.charged[a] > 0, self.fate[a] is Fate.FAILED)

    @lemma
    def who_fell_silent_was_named(self, a: Attempt) -> bool:
        return implies(self.waiting[a] > 0 or self.fate[a] is Fate.SILENT, self.named[a])

    @lemma
    def of_a_failed_task_nobody_runs(self, a: Attempt) -> bool:
        at_work = self.fate[a] is Fate.RUNNING or self.fate[a] is Fate.SILENT
        return implies(self.failed, not self.success and not at_work)
