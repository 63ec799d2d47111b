"""Progress breaker: a call that is made again with the same answer is stopped soon, whatever the step budget allows.

Two breakers watch the same calls. The inherited one counts errors in a window and opens when there are too many: of
calls that all succeed it sees nothing, whatever its window and its threshold. The other one counts how often in a row
a call was answered as before. What a loop costs is bounded by the patience of the second, and not by the budget of
steps. Patience, threshold and budget are any numbers in a proof.
"""

from meshspec import Map, Sort, action, always, fault, implies, lemma, model, require, sometimes, var


class Session(Sort):
    """Who makes calls; each has breakers and a budget of its own."""


class Call(Sort):
    """A tool and its arguments, byte for byte."""


class Answer(Sort):
    """What came back."""


@model
class ProgressBreaker:
    patience: Map[Session, int] = Map(4)  # equal calls in a row
    tolerated: Map[Session, int] = Map(1)  # errors in the window at which the inherited breaker opens
    budget: Map[Session, int] = Map(6)  # steps
    last: Map[Session, Call | None] = var(None)
    answered: Map[Session, Answer | None] = var(None)
    equal: Map[Session, int] = var(0)  # calls in a row that are alike, as the breaker counts them
    repeats: Map[Session, int] = var(0)  # the same in truth: call and answer
    steps: Map[Session, int] = var(0)
    errors: Map[Session, int] = var(0)  # in the window
    erred: Map[Session, bool] = var(False)  # ever
    opened: Map[Session, bool] = var(False)  # the inherited breaker, as of the last call

    def is_repeated(self, s: Session, c: Call, a: Answer) -> bool:
        return self.last[s] == c and self.answered[s] == a

    def counts(self, s: Session, c: Call, a: Answer) -> bool:
        """Whether the breaker takes a call for one more of the same."""
        return self.is_repeated(s, c, a)

    def is_stopped(self, s: Session) -> bool:
        return self.equal[s] >= self.patience[s]

    def are_too_many(self, errors: int, tolerated: int) -> bool:
        """What the inherited breaker asks; a threshold of no error is none."""
        return errors >= tolerated > 0

    @action
    def call(self, s: Session, c: Call, a: Answer) -> None:
        """A call succeeds."""
        require(self.patience[s] >= 1)
        require(not self.is_stopped(s) and self.steps[s] < self.budget[s])
        self.equal[s] = self.equal[s] + 1 if self.counts(s, c, a) else 1
        self.repeats[s] = self.repeats[s] + 1 if self.is_repeated(s, c, a) else 1
        self.last[s] = c
        self.answered[s] = a
        self.steps[s] += 1
        self.opened[s] = self.are_too_many(self.errors[s], self.tolerated[s])

    @fault
    def err(self, s: Session) -> None:
        """A call fails, which breaks a row of equal ones."""
        require(not self.is_stopped(s) and self.steps[s] < self.budget[s])
        self.last[s] = None
        self.answered[s] = None
        self.equal[s] = 0
        self.repeats[s] = 0
        self.steps[s] += 1
        self.erred[s] = True
        self.errors[s] += 1
        self.opened[s] = self.are_too_many(self.errors[s], self.tolerated[s])

    @action
    def slide(self, s: Session) -> None:
        """The window moves on and leaves an error behind, at whatever pace."""
        require(self.errors[s] > 0)
        self.errors[s] -= 1

    @always
    def a_loop_costs_no_more_than_its_patience(self, s: Session) -> bool:
        return self.repeats[s] <= max(self.patience[s], 0)

    @always
    def only_a_loop_is_stopped(self, s: Session) -> bool:
        return implies(self.is_stopped(s), self.repeats[s] >= self.patience[s])

    @always
    def without_errors_the_inherited_breaker_stays_shut(self, s: Session) -> bool:
        return implies(self.opened[s], self.erred[s])

    @sometimes
    def a_loop_comes_to_its_bound(self, s: Session) -> bool:
        return self.repeats[s] == self.patience[s] and self.steps[s] < self.budget[s]

    @sometimes
    def the_inherited_breaker_can_open(self, s: Session) -> bool:
        return self.opened[s]

    @lemma
    def it_counts_what_is_true(self, s: Session) -> bool:
        return self.equal[s] == self.repeats[s] and self.repeats[s] >= 0

    @lemma
    def errors_in_the_window_happened(self, s: Session) -> bool:
        return self.errors[s] >= 0 and (self.erred[s] or self.errors[s] == 0)
