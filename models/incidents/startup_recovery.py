"""What goes wrong when work is found again: each incident changes one decision of start-up recovery."""

from meshspec import action, exists, model, require
from meshspec.models.startup_recovery import Name, Row, Runner, StartupRecovery, Work


@model
class MineIsLeftOver(StartupRecovery):
    """A row that bears my name is taken for a leftover of mine, and its body is run at once."""

    @action
    def recover(self, r: Runner, w: Work) -> None:
        require(self.is_up(r) and self.row[w] is Row.CLAIMED and self.owner[w] == self.called[r])
        self.bodies[r, w] = min(self.bodies[r, w] + 1, 2)


@model
class NameGivenAgain(StartupRecovery):
    """A process that is started again has its old name: what it left looks as if it were being run."""

    def may_have_it(self, n: Name) -> bool:
        return not exists(Runner, lambda s: self.is_up(s) and self.called[s] == n)


@model
class ClaimWithoutCompare(StartupRecovery):
    """Whoever knows of the work claims it, and nobody compares what the row says by now."""

    @action
    def claim(self, r: Runner, w: Work) -> None:
        require(self.is_up(r) and (self.row[w] is Row.QUEUED or self.row[w] is Row.CLAIMED))
        require(self.bodies[r, w] == 0)
        self.row[w] = Row.CLAIMED
        self.owner[w] = self.called[r]
        self.bodies[r, w] = 1
