"""Enumerated lease: a guard that lists what it guards protects that, and nothing else.

Attempts are dispatched to effects, now and then twice. Which effects are done under a lease was listed by whoever
built the thing, effect by effect; the others are done by every attempt that is started. So nothing that is listed is
done twice, whatever the list; and what is not listed is, as soon as it is dispatched again.
"""

from meshspec import Map, action, always, any_of, exists, implies, lemma, model, require, sometimes, var
from meshspec.models.environment import Attempt, DuplicateDispatch, Effect


@model
class EnumeratedLease(DuplicateDispatch):
    """Attempts at effects, and the list of those under a lease."""

    listed: Map[Effect, bool] = var(any_of(True, False))  # any list
    leased: Map[Effect, bool] = var(False)  # somebody has the lease, or had it
    did: Map[tuple[Attempt, Effect], bool] = var(False)

    def is_free(self, e: Effect) -> bool:
        return not self.leased[e]

    @action
    def do(self, a: Attempt, e: Effect) -> None:
        """Do it: under the lease, where there is one."""
        require(self.started[a, e] and not self.did[a, e])
        require(not self.listed[e] or self.is_free(e))
        self.leased[e] = self.listed[e]
        self.did[a, e] = True

    @always
    def what_is_listed_is_done_once(self, a: Attempt, b: Attempt, e: Effect) -> bool:
        return implies(self.listed[e] and self.did[a, e] and self.did[b, e], a is b)

    @sometimes
    def what_is_listed_is_done(self, e: Effect) -> bool:
        return self.listed[e] and exists(Attempt, lambda a: self.did[a, e])

    @sometimes
    def what_is_not_listed_is_done_twice(self, e: Effect) -> bool:
        return not self.listed[e] and exists(Attempt, lambda a: exists(Attempt, lambda b: self.both_did(a, b, e)))

    def both_did(self, a: Attempt, b: Attempt, e: Effect) -> bool:
        return a != b and self.did[a, e] and self.did[b, e]

    @lemma
    def what_is_done_under_a_lease_is_leased(self, a: Attempt, e: Effect) -> bool:
        return implies(self.listed[e] and self.did[a, e], self.leased[e])
