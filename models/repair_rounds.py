"""Repair rounds: who gets better each round is let run, who gets nowhere is stopped, and both are one question.

A component is repaired in rounds. Each round ends in a report: whether the check crashed, how many tests fail, and
identifiers, of which some (the name of the check) are there whatever the repair was worth. What a strategy re-emits
by construction is declared and dropped; where nothing is left, the diagnostics stand in. One function says whether a
round made progress, and a stall and a refund both read it. In a proof outcomes, reports, vocabulary and patience are
any at all, and that who gets better is let run has one premise: no round that got better was reported as the one
before. Of the outcomes below the reporter keeps it; of one that reports a constant nothing of the kind is promised.
"""

from collections.abc import Collection, Sequence

from meshspec import Map, Sort, action, always, implies, lemma, model, require, sometimes, var


class Component(Sort):
    """What is repaired; each has a breaker of its own."""


class Outcome(Sort):
    """What a round can come to."""


class Report(Sort):
    """What is left to read of an outcome, as a digest: two outcomes have the same one or they do not."""


def filtered(
    reports: Sequence[Collection[str]], declared: Collection[str], diagnostics: Sequence[str]
) -> Map[Outcome, Report]:
    """What there is to read of each outcome: what it reports but for what is declared, else its diagnostics."""
    read = [frozenset(said) - frozenset(declared) or why for said, why in zip(reports, diagnostics, strict=True)]
    digests = list(dict.fromkeys(read))
    return Map(Report(0), {Outcome(i): Report(digests.index(left)) for i, left in enumerate(read)})


CHECK = "acceptance"
FIGURE_3 = filtered(
    [{CHECK}, {CHECK, "test_a", "test_b"}, {CHECK, "test_a"}, {CHECK, "test_b"}],
    declared={CHECK},
    diagnostics=["no module named app", "", "", ""],
)


@model
class RepairRounds:
    """The default outcomes are those of Figure 3: a crash, five failures, two, and two others.

    All report the name of the check, which is declared; the failures name one test or another, and the crash none.
    """

    patience: Map[Component, int] = Map(3)  # rounds without progress, the first included, until it is stopped
    crashed: Map[Outcome, bool] = Map(False, {Outcome(0): True})
    failing: Map[Outcome, int] = Map(2, {Outcome(0): 1, Outcome(1): 5})  # identifiers reported; a crash reports one
    left: Map[Outcome, Report] = FIGURE_3  # by the filter
    last: Map[Component, Outcome | None] = var(None)
    judged: Map[Component, bool] = var(False)  # there have been two rounds
    stalls: Map[Component, int] = var(0)  # in a row, as the breaker counts them
    refunded: Map[Component, bool] = var(False)  # the last round
    improved: Map[Component, bool] = var(False)  # the last round in truth, which is by rank
    climbing: Map[Component, int] = var(0)  # such rounds in a row
    stuck: Map[Component, int] = var(0)  # rounds in a row whose reports are the same
    misreported: Map[Component, bool] = var(False)  # a round got better, and its report was the same as before

    def is_stopped(self, c: Component) -> bool:
        return self.stalls[c] >= self.patience[c] - 1

    def is_better(self, now: Outcome, before: Outcome) -> bool:
        """By rank: phase first, a crash above any count; then how many fail."""
        if self.crashed[now] != self.crashed[before]:
            return self.crashed[before]
        return self.failing[now] < self.failing[before]

    def tells_apart(self, now: Outcome, before: Outcome) -> bool:
        """Whether what is left to read of two reports differs."""
        return self.left[now] != self.left[before]

    def reads_as_moved(self, differs: bool) -> bool:
        """What the breaker makes of two reports that differ, or do not, in what can differ."""
        return differs

    def progress(self, now: Outcome, before: Outcome, differs: bool) -> bool:
        """The one function that stall and refund read."""
        return self.reads_as_moved(differs) and self.is_better(now, before)

    def refunds(self, now: Outcome, before: Outcome, differs: bool) -> bool:
        return self.progress(now, before, differs)

    @action
    def begin(self, c: Component, now: Outcome) -> None:
        """The first round ends; there is nothing to hold its report against."""
        require(self.patience[c] >= 2 and self.last[c] is None)
        self.last[c] = now

    @action
    def repair(self, c: Component, before: Outcome, now: Outcome) -> None:
        """A round ends: the agent has done whatever it liked, and this is what came of it."""
        require(self.patience[c] >= 2 and self.last[c] is before and not self.is_stopped(c))
        differs = self.tells_apart(now, before)
        progress = self.progress(now, before, differs)
        better = self.is_better(now, before)
        self.last[c] = now
        self.judged[c] = True
        self.refunded[c] = self.refunds(now, before, differs)
        self.stalls[c] = 0 if progress else self.stalls[c] + 1
        self.improved[c] = better
        self.climbing[c] = self.climbing[c] + 1 if better else 0
        if better and not differs:
            self.misreported[c] = True
        self.stuck[c] = 0 if differs else min(self.stuck[c] + 1, self.patience[c])

    @always
    def who_gets_better_is_not_stopped(self, c: Component) -> bool:
        """Better by rank; if no report hid it."""
        climbs = self.climbing[c] >= self.patience[c] - 1 and self.patience[c] >= 2
        return implies(climbs and not self.misreported[c], not self.is_stopped(c))

    @always
    def no_report_hides_what_got_better(self, c: Component) -> bool:
        """The premise: true of the outcomes above, and of others as their reporter is truthful."""
        return not self.misreported[c]

    @always
    def who_is_stuck_is_stopped(self, c: Component) -> bool:
        return implies(self.stuck[c] >= self.patience[c] - 1 and self.patience[c] >= 2, self.is_stopped(c))

    @always
    def a_round_is_stalled_or_refunded(self, c: Component) -> bool:
        """Never both, and after the first round never neither."""
        return implies(self.judged[c], (self.stalls[c] > 0) != self.refunded[c])

    @always
    def what_got_better_is_refunded(self, c: Component) -> bool:
        return implies(self.improved[c] and not self.misreported[c], self.refunded[c])

    @always
    def what_is_refunded_got_better(self, c: Component) -> bool:
        return self.improved[c] or not self.refunded[c]  # of a constant nothing is refunded, and that is no breach

    @sometimes
    def a_round_gets_better(self, c: Component) -> bool:
        return self.improved[c]

    @lemma
    def stuck_rounds_are_stalls(self, c: Component) -> bool:
        if self.patience[c] < 2:
            return self.stalls[c] == 0
        return 0 <= self.stuck[c] <= self.stalls[c]
