"""What goes wrong with a table of leases: each incident changes one decision of it."""

from meshspec import action, exists, model, require
from meshspec.models.environment import Attempt
from meshspec.models.lease_table import At, LeaseTable, Part


@model
class CheckThenInsert(LeaseTable):
    """The table is read when the attempt begins, and written later without a unique index."""

    @action
    def ask(self, a: Attempt) -> None:
        require(self.at[a] is At.IDLE)
        require(not exists(Attempt, lambda b: self.at[b] is At.HOLDING and self.same_key(a, b)))
        self.at[a] = At.ASKING

    @action
    def insert(self, a: Attempt) -> None:
        require(self.at[a] is At.ASKING)
        self.at[a] = At.HOLDING


@model
class OverlooksFailure(LeaseTable):
    """Another failure is refused, because the same strategy is at work."""

    overlooked: Part | None = Part.FAILURE


@model
class OverlooksStrategy(LeaseTable):
    """Another strategy is refused, because the failure is being worked on."""

    overlooked: Part | None = Part.STRATEGY


@model
class OverlooksVersion(LeaseTable):
    """A mended strategy is refused for the lease of the one it replaces."""

    overlooked: Part | None = Part.VERSION


@model
class OverlooksBudget(LeaseTable):
    """An attempt that somebody else pays for is refused."""

    overlooked: Part | None = Part.BUDGET
