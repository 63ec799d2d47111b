"""Repair rounds: who gets better each round is let run, who gets nowhere is stopped, and both are one question.

A component is repaired in rounds. Each round ends in a report: whether the check crashed, how many tests fail, and
identifiers, of which some (the name of the check) are there whatever the repair was worth. What a strategy re-emits
by construction is declared and dropped; where nothing is left, the diagnostics stand in. One function says whether a
round made progress, and a stall and a refund both read it. In a proof outcomes, reports and patience are any at all.
"""

from meshspec import Map, Sort, action, always, implies, lemma, model, require, sometimes, var


class Component(Sort):
    """What is repaired; each has a breaker of its own."""


class Outcome(Sort):
    """What a round can come to."""


class Report(Sort):
    """What there is to read of an outcome: the same report twice is the same evidence."""


@model
class RepairRounds:
    """The default outcomes are those of Figure 3: a crash, five failures, two, and two others."""

    patience: Map[Component, int] = Map(3)  # rounds without progress, the first included, until it is stopped
    crashed: Map[Outcome, bool] = Map(False, {Outcome(0): True})
    failing: Map[Outcome, int] = Map(2, {Outcome(0): 1, Outcome(1): 5})  # identifiers reported; a crash reports one
    blank: Map[Outcome, bool] = Map(False, {Outcome(0): True})  # the filter leaves no identifier
    report: Map[Outcome, Report] = Map(Report(0), {Outcome(i): Report(i) for i in (1, 2, 3)})  # else the diagnostics
    last: Map[Component, Outcome | None] = var(None)
    judged: Map[Component, bool] = var(False)  # there have been two rounds
    stalls: Map[Component, int] = var(0)  # in a row, as the breaker counts them
    refunded: Map[Component, bool] = var(False)  # the last round
    improved: Map[Component, bool] = var(False)  # the last round in truth, and its report tells
    climbing: Map[Component, int] = var(0)  # such rounds in a row
    stuck: Map[Component, int] = var(0)  # rounds in a row whose reports are the same

    def is_stopped(self, c: Component) -> bool:
        return self.stalls[c] >= self.patience[c] - 1

    def is_better(self, now: Outcome, before: Outcome) -> bool:
        """By rank: phase first, a crash above any count; then how many fail."""
        if self.crashed[now] != self.crashed[before]:
            return self.crashed[before]
        return self.failing[now] < self.failing[before]

    def tells_apart(self, now: Outcome, before: Outcome) -> bool:
        """Whether the reports differ in what can differ: filtered identifiers, else the diagnostics."""
        return self.report[now] != self.report[before]

    def reads_as_moved(self, now: Outcome, before: Outcome) -> bool:
        """What the breaker makes of two reports."""
        return self.tells_apart(now, before)

    def progress(self, now: Outcome, before: Outcome) -> bool:
        """The one function that stall and refund read."""
        return self.reads_as_moved(now, before) and self.is_better(now, before)

    def refunds(self, now: Outcome, before: Outcome) -> bool:
        return self.progress(now, before)

    @action
    def begin(self, c: Component, now: Outcome) -> None:
        """The first round ends; there is nothing to hold its report against."""
        require(self.patience[c] >= 2 and self.last[c] is None)
        self.last[c] = now

    @action
    def repair(self, c: Component, before: Outcome, now: Outcome) -> None:
        """A round ends: the agent has done whatever it liked, and this is what came of it."""
        require(self.patience[c] >= 2 and self.last[c] is before and not self.is_stopped(c))
        progress = self.progress(now, before)
        tells = self.tells_apart(now, before)
        better = tells and self.is_better(now, before)
        self.last[c] = now
        self.judged[c] = True
        self.refunded[c] = self.refunds(now, before)
        self.stalls[c] = 0 if progress else self.stalls[c] + 1
        self.improved[c] = better
        self.climbing[c] = self.climbing[c] + 1 if better else 0
        self.stuck[c] = 0 if tells else min(self.stuck[c] + 1, self.patience[c])

    @always
    def who_gets_better_is_not_stopped(self, c: Component) -> bool:
        return implies(self.climbing[c] >= self.patience[c] - 1 and self.patience[c] >= 2, not self.is_stopped(c))

    @always
    def who_is_stuck_is_stopped(self, c: Component) -> bool:
        return implies(self.stuck[c] >= self.patience[c] - 1 and self.patience[c] >= 2, self.is_stopped(c))

    @always
    def a_round_is_stalled_or_refunded(self, c: Component) -> bool:
        """Never both, and after the first round never neither."""
        return implies(self.judged[c], (self.stalls[c] > 0) != self.refunded[c])

    @always
    def what_got_better_is_refunded(self, c: Component) -> bool:
        return implies(self.improved[c], self.refunded[c])

    @always
    def what_is_refunded_got_better(self, c: Component) -> bool:
        return self.improved[c] or not self.refunded[c]

    @sometimes
    def a_round_gets_better(self, c: Component) -> bool:
        return self.improved[c]

    @lemma
    def stuck_rounds_are_stalls(self, c: Component) -> bool:
        if self.patience[c] < 2:
            return self.stalls[c] == 0
        return 0 <= self.stuck[c] <= self.stalls[c]
