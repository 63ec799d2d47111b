"""Nested scopes: work ends because every scope that can begin something again may do so only so often.

A run has components, a component has failures with their fingerprints, a failure has strategies, a strategy has
sessions, a session has rows of equal calls. When all that is inside is spent, the scope around it begins it anew.
Each scope has a cap, and so the whole is bounded by the product of the caps; one without a cap makes it endless.
"""

from enum import Enum

from meshspec import Map, action, always, eventually, model, require, sometimes, var


class Scope(Enum):
    """From the outside in."""

    RUN = 0
    COMPONENT = 1
    FINGERPRINT = 2
    STRATEGY = 3
    SESSION = 4
    CALLS = 5


@model
class NestedScopes:
    cap: int = 1
    without_cap: Scope | None = None
    used: Map[Scope, int] = var(0)
    turn: Scope = var(Scope.CALLS)  # whose it is to say what comes next
    ended: bool = var(False)

    def begins(self, scope: Scope) -> bool:
        """Whether a scope may begin what is inside it once more."""
        return self.used[scope] < self.cap

    @action
    def begin(self) -> None:
        """One more call, session, strategy ...: all that is inside starts afresh, and calls come first."""
        require(not self.ended and self.begins(self.turn))
        if self.turn != self.without_cap:
            self.used[self.turn] += 1
        for inside in Scope:
            if inside.value > self.turn.value:
                self.used[inside] = 0
        self.turn = Scope.CALLS

    @action
    def give_up(self) -> None:
        """A scope is spent, and leaves it to the one around it."""
        require(not self.ended and not self.begins(self.turn))
        if self.turn == Scope.RUN:
            self.ended = True
        else:
            self.turn = Scope(self.turn.value - 1)

    @eventually
    def it_ends(self) -> bool:
        return self.ended

    @always
    def no_scope_exceeds_its_cap(self, scope: Scope) -> bool:
        return self.used[scope] <= self.cap

    @sometimes
    def a_session_begins_anew(self) -> bool:
        return self.used[Scope.SESSION] > 0
