"""What goes wrong when a holder of a lease dies, or is taken for dead: each changes one decision."""

from meshspec import action, exists, fault, model, require
from meshspec.models.environment import Attempt
from meshspec.models.recovery_lease import RecoveryLease


@model
class NoFence(RecoveryLease):
    """The lease is taken away in the table alone: the store never hears of it."""

    def take_away(self, a: Attempt) -> None:
        self.held[a] = False
        self.suspect[a] = False


@model
class FenceNotAbove(RecoveryLease):
    """The fence is raised to the old holder's token, and not above it: one off."""

    def take_away(self, a: Attempt) -> None:
        self.held[a] = False
        self.suspect[a] = False
        self.fence = max(self.fence, self.token[a])


@model
class TableInACache(RecoveryLease):
    """Leases are kept where things are thrown away when room is needed, and the holders do not hear of it."""

    @fault
    def evict(self, a: Attempt) -> None:
        require(self.held[a])
        self.held[a] = False
        self.suspect[a] = False


@model
class GrantOverTheSuspect(RecoveryLease):
    """A row that is under suspicion counts as free."""

    @action
    def grant(self, a: Attempt) -> None:
        require(self.up and self.token[a] == 0)
        require(not exists(Attempt, lambda b: self.held[b] and not self.suspect[b]))
        self.held[a] = True
        self.running[a] = True
        self.issued += 1
        self.token[a] = self.issued


@model
class AsksTheDead(RecoveryLease):
    """Whoever is to lose a lease has to answer first, which the dead never do."""

    @action
    def reclaim(self, a: Attempt) -> None:
        require(self.up and self.suspect[a] and self.running[a])
        self.take_away(a)
