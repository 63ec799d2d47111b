"""Breaker policy: what the shipped loop breaker decides on what it sees of a run, and what follows a trip.

It sees one of four things in a step: a result that is new, one that is not, a check that did better than ever, one
that did not. Results and checks are counted apart, because an edit that measures nothing keeps bringing news. Once
tripped it holds until a reset, whatever it is shown; after a rest it lets one call through and no other until that
one has ended. Patience is any number in a proof.
"""

from enum import Enum

from meshspec import Map, Sort, action, always, fault, implies, lemma, model, require, sometimes, var


class Session(Sort):
    """Who makes calls; each has a breaker of its own."""


class Sight(Enum):
    NEWS = 0
    NO_NEWS = 1
    BETTER = 2
    NO_BETTER = 3


class End(Enum):  # of the call that is let through after a rest
    PROGRESS = 0
    NO_PROGRESS = 1
    SAYS_NOTHING = 2  # cancelled, interrupted, or of an ignored kind


@model
class BreakerPolicy:
    patience: Map[Session, int] = Map(2)
    stale: Map[Session, int] = var(0)  # as it counts: steps with nothing new, up to the patience
    stuck: Map[Session, int] = var(0)  # as it counts: checks with nothing better; the same
    tripped: Map[Session, bool] = var(False)
    rested: Map[Session, bool] = var(False)
    trying: Map[Session, bool] = var(False)  # as it knows: one call is let through
    barren: Map[Session, int] = var(0)  # in truth: steps in a row that brought nothing; beyond patience all the same
    unmoved: Map[Session, int] = var(0)  # in truth: checks since one did better; the same
    ran_on: Map[Session, bool] = var(False)  # in truth: a step was taken after the trip, and nobody has said go on
    under_way: Map[Session, int] = var(0)  # calls let through that have not ended

    def is_stale(self, s: Session, sight: Sight) -> int:
        return 0 if sight == Sight.NEWS or sight == Sight.BETTER else min(self.stale[s] + 1, self.patience[s])

    def is_stuck(self, s: Session, sight: Sight) -> int:
        if sight == Sight.BETTER:
            return 0
        return min(self.stuck[s] + 1, self.patience[s]) if sight == Sight.NO_BETTER else self.stuck[s]

    def says_trip(self, s: Session, sight: Sight) -> bool:
        """What it answers to a step: once tripped the same, whatever the step shows."""
        spent = self.is_stale(s, sight) >= self.patience[s] or self.is_stuck(s, sight) >= self.patience[s]
        return self.tripped[s] or spent

    def lets_through(self, s: Session) -> bool:
        return self.rested[s] and not self.trying[s]

    @action
    def observe(self, s: Session, sight: Sight) -> None:
        """A step of a run that it has not stopped."""
        require(self.patience[s] >= 1 and not self.tripped[s])
        progress = sight == Sight.NEWS or sight == Sight.BETTER
        stale, stuck = self.is_stale(s, sight), self.is_stuck(s, sight)
        self.tripped[s] = self.says_trip(s, sight)
        self.stale[s] = stale
        self.stuck[s] = stuck
        self.barren[s] = 0 if progress else min(self.barren[s] + 1, self.patience[s])
        if sight == Sight.BETTER:
            self.unmoved[s] = 0
        elif sight == Sight.NO_BETTER:
            self.unmoved[s] = min(self.unmoved[s] + 1, self.patience[s])

    @fault
    def swallow(self, s: Session, sight: Sight) -> None:
        """Somebody catches the trip, and the run takes another step, which may show anything."""
        require(self.tripped[s] and not self.lets_through(s))
        self.ran_on[s] = True
        self.tripped[s] = self.says_trip(s, sight)

    @action
    def rest(self, s: Session) -> None:
        require(self.tripped[s] and not self.rested[s])
        self.rested[s] = True

    @action
    def probe(self, s: Session) -> None:
        require(self.tripped[s] and self.lets_through(s) and self.under_way[s] < 2)
        self.trying[s] = True
        self.under_way[s] += 1

    @action
    def end(self, s: Session, how: End) -> None:
        require(self.tripped[s] and self.under_way[s] > 0)
        self.under_way[s] -= 1
        self.trying[s] = False
        if how == End.PROGRESS:
            self.close(s)
        elif how == End.NO_PROGRESS:
            self.rested[s] = False

    @action
    def reset(self, s: Session) -> None:
        """An operator says: go on."""
        require(self.tripped[s] and self.under_way[s] == 0)
        self.close(s)

    def close(self, s: Session) -> None:
        self.tripped[s] = False
        self.ran_on[s] = False
        self.rested[s] = False
        self.stale[s] = 0
        self.stuck[s] = 0
        self.barren[s] = 0
        self.unmoved[s] = 0

    @always
    def a_barren_run_is_stopped_in_time(self, s: Session) -> bool:
        return self.tripped[s] or self.barren[s] < max(self.patience[s], 1)

    @always
    def a_check_that_does_not_move_is_stopped_in_time(self, s: Session) -> bool:
        return self.tripped[s] or self.unmoved[s] < max(self.patience[s], 1)

    @always
    def only_what_makes_no_progress_is_stopped(self, s: Session) -> bool:
        spent = self.barren[s] >= self.patience[s] or self.unmoved[s] >= self.patience[s]
        return implies(self.tripped[s], spent)

    @always
    def a_trip_holds(self, s: Session) -> bool:
        return implies(self.ran_on[s], self.tripped[s])

    @always
    def one_call_is_let_through(self, s: Session) -> bool:
        return self.under_way[s] <= 1

    @always
    def who_is_let_through_came_after_a_rest(self, s: Session) -> bool:
        return implies(self.under_way[s] > 0, self.tripped[s] and self.rested[s])

    @sometimes
    def a_call_is_let_through(self, s: Session) -> bool:
        return self.under_way[s] == 1

    @lemma
    def it_counts_what_is_true(self, s: Session) -> bool:
        return self.stale[s] == self.barren[s] and self.stuck[s] == self.unmoved[s] and self.stuck[s] >= 0

    @lemma
    def it_knows_what_it_let_through(self, s: Session) -> bool:
        return self.under_way[s] == (1 if self.trying[s] else 0) and (self.tripped[s] or not self.trying[s])
