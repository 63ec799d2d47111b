"""Transaction commit after Gray and Lamport (``TCommit.tla``), and what two-phase commit is seen as in it."""

from __future__ import annotations

from meshspec import Map, action, always, each, exists, forall, model, refinement, require, var
from tests.models.two_phase_commit import Coordinator, Manager, Part, TwoPhase


@model
class TransactionCommit:
    """Managers prepare and decide; nobody commits before all are prepared, and nobody aborts once one commits."""

    part: Map[Manager, Part] = var(Part.WORKING)

    @action
    def prepare(self, m: Manager) -> None:
        require(self.part[m] is Part.WORKING)
        self.part[m] = Part.PREPARED

    @action
    def commit(self, m: Manager) -> None:
        require(self.part[m] is Part.PREPARED)
        require(forall(Manager, lambda n: self.part[n] is Part.PREPARED or self.part[n] is Part.COMMITTED))
        self.part[m] = Part.COMMITTED

    @action
    def abort(self, m: Manager) -> None:
        require(self.part[m] is Part.WORKING or self.part[m] is Part.PREPARED)
        require(not exists(Manager, lambda n: self.part[n] is Part.COMMITTED))
        self.part[m] = Part.ABORTED

    @always
    def consistent(self, a: Manager, b: Manager) -> bool:
        return not (self.part[a] is Part.ABORTED and self.part[b] is Part.COMMITTED)


@refinement(TwoPhase, TransactionCommit)
def parts(c: TwoPhase, a: TransactionCommit) -> None:
    """The parts of the managers as they are: the coordinator and its messages are not seen."""
    a.part = each(Manager, lambda m: c.part[m])


@model
class Hasty(TwoPhase):
    """The coordinator commits once it has heard of anyone."""

    @action
    def commit(self) -> None:
        require(self.coordinator is Coordinator.INIT and exists(Manager, lambda m: m in self.heard))
        self.coordinator = Coordinator.COMMITTED
        self.commit_sent = True


@refinement(Hasty, TransactionCommit)
def hasty_parts(c: Hasty, a: TransactionCommit) -> None:
    a.part = each(Manager, lambda m: c.part[m])


@refinement(TwoPhase, TransactionCommit)
def as_told(c: TwoPhase, a: TransactionCommit) -> None:
    """A broken mapping: who has prepared counts as committed as soon as the message is out."""
    a.part = each(Manager, lambda m: Part.COMMITTED if c.commit_sent and c.part[m] is Part.PREPARED else c.part[m])


@refinement(TwoPhase, TransactionCommit)
def blind(c: TwoPhase, a: TransactionCommit) -> None:
    """A mapping that shows nothing."""
    a.part = each(Manager, lambda m: Part.WORKING)


@refinement(TwoPhase, TransactionCommit)
def ahead(c: TwoPhase, a: TransactionCommit) -> None:
    """A mapping under which the concrete model starts where the abstract one cannot."""
    a.part = each(Manager, lambda m: Part.PREPARED if c.part[m] is Part.WORKING else c.part[m])
