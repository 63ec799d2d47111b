"""Locks: one owner, or none; and a store that fencing tokens protect from a holder that woke up late."""

from __future__ import annotations

from meshspec import Map, Sort, action, always, fault, implies, lemma, model, require, var


class Worker(Sort):
    """One process."""


@model
class Lock:
    owner: Worker | None = var(None)
    working: Map[Worker, bool] = var(False)

    @action
    def acquire(self, w: Worker) -> None:
        require(self.owner is None)
        self.owner = w

    @action
    def enter(self, w: Worker) -> None:
        require(self.owner is w)
        self.working[w] = True

    @action
    def release(self, w: Worker) -> None:
        require(self.owner is w)
        self.working[w] = False
        self.owner = None

    @always
    def one_at_a_time(self, a: Worker, b: Worker) -> bool:
        return implies(self.working[a] and self.working[b], a is b)

    @lemma
    def workers_own(self, w: Worker) -> bool:
        return implies(self.working[w], self.owner is w)


@model
class ReleaseWhileWorking(Lock):
    """The incident: the lock is given back before the work ends."""

    @action
    def release(self, w: Worker) -> None:
        require(self.owner is w)
        self.owner = None


@model
class Fencing:
    """Leases that may expire unnoticed: the store takes only tokens as high as any it has seen."""

    holder: Worker | None = var(None)
    token: Map[Worker, int] = var(0)
    issued: int = var(0)
    highest: int = var(0)
    last: int = var(0)

    @action
    def grant(self, w: Worker) -> None:
        require(self.holder is None)
        self.holder = w
        self.issued += 1
        self.token[w] = self.issued

    @fault
    def expire(self) -> None:
        require(self.holder is not None)
        self.holder = None

    @action
    def write(self, w: Worker) -> None:
        require(self.token[w] > 0 and self.token[w] >= self.highest)
        self.highest = self.token[w]
        self.last = self.token[w]

    @always
    def last_write_is_the_highest(self) -> bool:
        return self.last == self.highest

    @always
    def nothing_unissued(self, w: Worker) -> bool:
        return self.token[w] <= self.issued and self.highest <= self.issued

    @lemma
    def tokens_differ(self, a: Worker, b: Worker) -> bool:
        return implies(self.token[a] == self.token[b] and self.token[a] > 0, a is b)


@model
class NoFencing(Fencing):
    """The incident: the store takes any token."""

    @action
    def write(self, w: Worker) -> None:
        require(self.token[w] > 0)
        self.highest = max(self.highest, self.token[w])
        self.last = self.token[w]
