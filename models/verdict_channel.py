"""Verdict channel: how an attempt ended is told in one word, which names its cause and says who is to act.

An attempt may meet several causes before anybody ends it. The channel tells one of them, by a stated order:
duplicate, exhausted, stalled, rejected. A duplicate comes first, for whatever else it met is its holder's affair; a
bound comes before a stall, so that a stall that is counted against the breaker's evidence is one that no bound would
have hidden; what a gate says of the work comes last, for it can be asked again. The order is a choice. That there is
one is not: without it two readers of one attempt count two things.

Waiting for a waiver is told too, and is no end. A bound says nothing of whether the work is done.
"""

from enum import Enum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    action,
    always,
    eventually,
    fault,
    implies,
    leads_to,
    lemma,
    model,
    require,
    sometimes,
    var,
)
from meshspec.models.environment import Attempt


class Cause(Enum):
    """Why an attempt cannot go on, in the order in which one is told before another."""

    DUPLICATE = 0  # another attempt holds the lease
    EXHAUSTED = 1  # a bound was reached
    STALLED = 2  # the evidence does not move
    REJECTED = 3  # a gate does not let the work pass


class Verdict(Enum):
    """What is told."""

    NOTHING = 0
    DONE = 1
    SUPPRESSED_AS_DUPLICATE = 2
    EXHAUSTED_BUDGET = 3
    REFUSED_AS_STALLED = 4
    REJECTED_BY_GATE = 5
    AWAITING_WAIVER = 6


VERDICT_OF = {
    Cause.DUPLICATE: Verdict.SUPPRESSED_AS_DUPLICATE,
    Cause.EXHAUSTED: Verdict.EXHAUSTED_BUDGET,
    Cause.STALLED: Verdict.REFUSED_AS_STALLED,
    Cause.REJECTED: Verdict.REJECTED_BY_GATE,
}

TO_DO = {
    Verdict.EXHAUSTED_BUDGET: ("whoever owns the budget", "look whether it was done, then grant more or give up"),
    Verdict.REFUSED_AS_STALLED: ("whoever owns the strategy", "read the evidence, then try another way"),
    Verdict.REJECTED_BY_GATE: ("whoever owns the work", "mend what the gate names"),
    Verdict.AWAITING_WAIVER: ("whoever owns the gate", "grant the waiver or refuse it before it lapses"),
}
"""Who is told, and to do what. A duplicate asks nothing of anybody: its holder's end is adopted."""


@model
class VerdictChannel:
    """Attempts, what they meet, and what is told of them."""

    met: Map[tuple[Attempt, Cause], bool] = var(False)
    done: Map[Attempt, bool] = var(False)  # the truth about the work, which a bound does not know
    ended: Map[Attempt, bool] = var(False)
    verdict: Map[Attempt, Verdict] = var(Verdict.NOTHING)
    tellings: Map[Attempt, Annotated[int, Range(0, 2)]] = var(0)  # how often an end was told; 2 is "more than once"
    counted: Map[Attempt, bool] = var(False)  # the breaker counts it as a stall
    signalled: Map[Attempt, bool] = var(False)  # who can act was told what to do

    def first_met(self, a: Attempt) -> Cause | None:
        for c in Cause:
            if self.met[a, c]:
                return c
        return None

    def word(self, cause: Cause) -> Verdict:
        """The word that there is for a cause."""
        return VERDICT_OF[cause]

    def told_for(self, cause: Cause | None) -> Verdict:
        """The word that is told."""
        return Verdict.DONE if cause is None else self.word(cause)

    def tell(self, a: Attempt, verdict: Verdict) -> None:
        self.ended[a] = True
        self.verdict[a] = verdict
        self.tellings[a] = min(self.tellings[a] + 1, 2)

    @action
    def work(self, a: Attempt) -> None:
        """The attempt does what it was started for; it may go on though that is done."""
        require(not self.ended[a] and self.first_met(a) is None)
        self.done[a] = True

    @fault
    def meet(self, a: Attempt, c: Cause) -> None:
        require(self.verdict[a] is Verdict.NOTHING and not self.met[a, c])
        self.met[a, c] = True

    @action
    def succeed(self, a: Attempt) -> None:
        """The work is shown to be done, and nothing stands in its way."""
        require(not self.ended[a] and self.done[a] and self.first_met(a) is None)
        self.tell(a, Verdict.DONE)

    @action
    def end(self, a: Attempt) -> None:
        """Tell an attempt that cannot go on what its end is."""
        cause = self.first_met(a)
        require(not self.ended[a] and cause is not None)
        self.tell(a, self.told_for(cause))
        self.counted[a] = self.told_for(cause) is Verdict.REFUSED_AS_STALLED

    @action
    def ask_for_waiver(self, a: Attempt) -> None:
        """Only a gate is in the way, and somebody may waive it."""
        require(self.verdict[a] is Verdict.NOTHING and self.done[a] and self.first_met(a) is Cause.REJECTED)
        self.verdict[a] = Verdict.AWAITING_WAIVER

    @fault
    def waive(self, a: Attempt) -> None:
        """Somebody waives the gate, which nobody owes."""
        require(self.verdict[a] is Verdict.AWAITING_WAIVER and not self.ended[a])
        self.met[a, Cause.REJECTED] = False
        self.tell(a, Verdict.DONE)

    @action
    def signal(self, a: Attempt) -> None:
        """Tell the one who can act."""
        require(self.verdict[a] in TO_DO and not self.signalled[a])
        self.signalled[a] = True

    @always
    def a_verdict_names_the_first_cause(self, a: Attempt) -> bool:
        cause = self.first_met(a)
        return implies(self.ended[a], self.verdict[a] == (Verdict.DONE if cause is None else self.word(cause)))

    @always
    def two_causes_have_two_words(self, a: Attempt, c: Cause) -> bool:
        """Who reads the word for a cause knows that it was this one, and was no other."""
        return implies(self.ended[a] and self.verdict[a] == self.word(c), self.first_met(a) == c)

    @always
    def a_bound_is_no_success(self, a: Attempt) -> bool:
        return implies(self.met[a, Cause.EXHAUSTED], self.verdict[a] is not Verdict.DONE)

    @always
    def done_is_told_of_what_is_done(self, a: Attempt) -> bool:
        return implies(self.verdict[a] is Verdict.DONE, self.done[a])

    @always
    def who_has_ended_was_told_once(self, a: Attempt) -> bool:
        told = self.verdict[a] is not Verdict.NOTHING
        return self.tellings[a] == (1 if self.ended[a] else 0) and implies(self.ended[a], told)

    @always
    def waiting_is_no_end(self, a: Attempt) -> bool:
        return implies(self.verdict[a] is Verdict.AWAITING_WAIVER, not self.ended[a])

    @always
    def only_a_stall_is_counted(self, a: Attempt) -> bool:
        return implies(self.counted[a], self.met[a, Cause.STALLED] and not self.met[a, Cause.DUPLICATE])

    @eventually(weak=("end", "signal"))
    def what_is_stopped_reaches_who_can_act(self, a: Attempt) -> bool:
        settled = self.verdict[a] is Verdict.SUPPRESSED_AS_DUPLICATE or self.verdict[a] is Verdict.DONE
        return leads_to(self.first_met(a) is not None, self.signalled[a] or settled)

    @eventually(weak=("end",))
    def waiting_comes_to_an_end(self, a: Attempt) -> bool:
        return leads_to(self.verdict[a] is Verdict.AWAITING_WAIVER, self.ended[a])

    @sometimes
    def what_is_done_is_stopped(self, a: Attempt, c: Cause) -> bool:
        return self.ended[a] and self.met[a, c] and self.done[a]

    @sometimes
    def what_is_not_done_is_stopped(self, a: Attempt, c: Cause) -> bool:
        return self.ended[a] and self.met[a, c] and not self.done[a]

    @lemma
    def only_a_gate_is_waived(self, a: Attempt) -> bool:
        alone = self.done[a] and self.first_met(a) is Cause.REJECTED
        return implies(self.verdict[a] is Verdict.AWAITING_WAIVER, alone)

    @lemma
    def nothing_is_told_before_the_end(self, a: Attempt) -> bool:
        nothing = self.verdict[a] is Verdict.NOTHING or self.verdict[a] is Verdict.AWAITING_WAIVER
        return implies(not self.ended[a], nothing and not self.counted[a])
