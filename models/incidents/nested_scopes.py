"""What goes wrong with nested scopes."""

from meshspec import model
from meshspec.models.nested_scopes import NestedScopes, Scope


@model
class StrategyWithoutCap(NestedScopes):
    """One of the six has no cap: it begins its sessions again for ever, within everybody else's limits."""

    without_cap: Scope | None = Scope.STRATEGY


@model
class OneTooMany(NestedScopes):
    """Of calls the cap is looked at after the work and not before it."""

    def begins(self, scope: Scope) -> bool:
        if scope == Scope.CALLS:
            return self.used[scope] <= self.cap
        return self.used[scope] < self.cap
