"""Two-phase commit after Gray and Lamport (``TwoPhase.tla``): messages stay in flight once they are sent."""

from __future__ import annotations

from enum import Enum

from meshspec import Map, SetOf, Sort, action, always, forall, model, require, sometimes, var


class Manager(Sort):
    """A resource manager: it takes part in a transaction."""


class Part(Enum):
    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


class Coordinator(Enum):
    INIT = 0
    COMMITTED = 1
    ABORTED = 2


@model
class TwoPhase:
    part: Map[Manager, Part] = var(Part.WORKING)
    coordinator: Coordinator = var(Coordinator.INIT)
    heard: SetOf[Manager] = var()
    prepared_sent: SetOf[Manager] = var()
    commit_sent: bool = var(False)
    abort_sent: bool = var(False)

    @action
    def hear_prepared(self, m: Manager) -> None:
        require(self.coordinator is Coordinator.INIT and m in self.prepared_sent)
        self.heard.add(m)

    @action
    def commit(self) -> None:
        require(self.coordinator is Coordinator.INIT and forall(Manager, lambda m: m in self.heard))
        self.coordinator = Coordinator.COMMITTED
        self.commit_sent = True

    @action
    def abort(self) -> None:
        require(self.coordinator is Coordinator.INIT)
        self.coordinator = Coordinator.ABORTED
        self.abort_sent = True

    @action
    def prepare(self, m: Manager) -> None:
        require(self.part[m] is Part.WORKING)
        self.part[m] = Part.PREPARED
        self.prepared_sent.add(m)

    @action
    def choose_to_abort(self, m: Manager) -> None:
        require(self.part[m] is Part.WORKING)
        self.part[m] = Part.ABORTED

    @action
    def hear_commit(self, m: Manager) -> None:
        require(self.commit_sent)
        self.part[m] = Part.COMMITTED

    @action
    def hear_abort(self, m: Manager) -> None:
        require(self.abort_sent)
        self.part[m] = Part.ABORTED

    @always
    def consistent(self, a: Manager, b: Manager) -> bool:
        return not (self.part[a] is Part.ABORTED and self.part[b] is Part.COMMITTED)

    @sometimes
    def all_commit(self) -> bool:
        return forall(Manager, lambda m: self.part[m] is Part.COMMITTED)
