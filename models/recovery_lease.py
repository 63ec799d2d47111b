"""Recovery lease: what becomes of a lease when its holder, or whoever granted it, dies.

The table of leases is durable and the orchestrator is not. Back up, it finds rows and cannot tell a dead holder from
a silent one: whom it finds dead it takes the lease from, and now and then it takes it from one that is alive. So
every grant carries a token higher than any before, and a lease is taken away by raising the store's fence above its
token: what the old holder still sends is refused. What is dead is reclaimed in the end, if orchestrators that die
are started again, and do get to it.
"""

from meshspec import (
    Map,
    action,
    always,
    each,
    eventually,
    exists,
    fault,
    implies,
    leads_to,
    lemma,
    model,
    require,
    sometimes,
    var,
)
from meshspec.models.environment import Attempt, CrashAndRestart, Zombie


@model
class RecoveryLease(CrashAndRestart, Zombie):
    """One key: its attempts, the row in the table, and the store that the holder writes to."""

    held: Map[Attempt, bool] = var(False)  # durable: the row
    suspect: Map[Attempt, bool] = var(False)  # what a restarted orchestrator found in the table
    running: Map[Attempt, bool] = var(False)
    token: Map[Attempt, int] = var(0)  # 0 is none
    issued: int = var(0)  # durable: the highest token so far
    fence: int = var(1)  # the store's: what is lower is refused
    committed: Map[Attempt, bool] = var(False)

    def may_commit(self, a: Attempt) -> bool:
        return self.running[a] and self.token[a] >= self.fence

    def take_away(self, a: Attempt) -> None:
        self.held[a] = False
        self.suspect[a] = False
        self.fence = max(self.fence, self.token[a] + 1)

    def forget(self) -> None:
        self.suspect = each(Attempt, lambda a: False)

    def read_back(self) -> None:
        self.suspect = each(Attempt, lambda a: self.held[a])

    @action
    def grant(self, a: Attempt) -> None:
        """Insert the row, with a fresh token."""
        require(self.up and self.token[a] == 0 and not exists(Attempt, lambda b: self.held[b]))
        self.held[a] = True
        self.running[a] = True
        self.issued += 1
        self.token[a] = self.issued

    @action
    def commit(self, a: Attempt) -> None:
        """The store accepts what the holder writes, and the row goes with it."""
        require(self.may_commit(a))
        self.committed[a] = True
        self.running[a] = False
        self.held[a] = False
        self.suspect[a] = False

    @fault
    def die(self, a: Attempt) -> None:
        """The holder is gone, and says nothing of it."""
        require(self.running[a])
        self.running[a] = False

    @action
    def reclaim(self, a: Attempt) -> None:
        """Take the lease from a holder that is dead."""
        require(self.up and self.suspect[a] and not self.running[a])
        self.take_away(a)

    @fault
    def give_up(self, a: Attempt) -> None:
        """Take the lease from a holder that is only slow; it goes on."""
        require(self.up and self.suspect[a] and self.running[a])
        self.replaced[a] = True
        self.take_away(a)

    @always
    def one_holds_it(self, a: Attempt, b: Attempt) -> bool:
        return implies(self.held[a] and self.held[b], a is b)

    @always
    def who_was_replaced_never_commits(self, a: Attempt) -> bool:
        return implies(self.replaced[a], not self.committed[a])

    @always
    def who_may_commit_is_who_the_table_says(self, a: Attempt) -> bool:
        return implies(self.may_commit(a), self.held[a])

    @eventually(weak=("recover",), strong=("reclaim",))
    def what_a_dead_holder_had_is_reclaimed(self, a: Attempt) -> bool:
        return leads_to(self.up and self.suspect[a] and not self.running[a], not self.held[a])

    @sometimes
    def a_zombie_runs_beside_the_holder(self, a: Attempt) -> bool:
        return self.held[a] and exists(Attempt, lambda b: self.replaced[b] and self.running[b])

    @lemma
    def tokens_are_in_order(self, a: Attempt) -> bool:
        return 0 <= self.token[a] <= self.issued and 0 < self.fence <= self.issued + 1

    @lemma
    def without_a_token_nothing_was_done(self, a: Attempt) -> bool:
        done = self.running[a] or self.held[a] or self.replaced[a] or self.committed[a]
        return implies(done, self.token[a] > 0)

    @lemma
    def a_row_has_the_last_token(self, a: Attempt) -> bool:
        last = self.token[a] == self.issued and self.fence <= self.token[a]
        return implies(self.held[a], last and not self.replaced[a])

    @lemma
    def who_is_suspected_has_a_row(self, a: Attempt) -> bool:
        return implies(self.suspect[a], self.held[a])

    @lemma
    def who_has_committed_is_through(self, a: Attempt) -> bool:
        return implies(self.committed[a], not self.held[a] and not self.running[a])

    @lemma
    def who_was_replaced_is_behind_the_fence(self, a: Attempt) -> bool:
        return implies(self.replaced[a], self.token[a] < self.fence)
