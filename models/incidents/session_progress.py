"""What goes wrong with session progress: each incident counts one kind of turn otherwise."""

from meshspec import action, exists, model, require
from meshspec.models.session_progress import Digest, File, Session, SessionProgress


@model
class PathKeyed(SessionProgress):
    """A path counts once: whoever verifies what a tool has changed is called a wanderer and stopped."""

    def grounds(self, s: Session, f: File) -> bool:
        return not exists(Digest, lambda d: self.seen[s, f, d])


@model
class EveryReadCounts(SessionProgress):
    """Any read counts as progress: reading one unchanged file for ever looks like work."""

    def grounds(self, s: Session, f: File) -> bool:
        return True


@model
class RefusedWritesCount(SessionProgress):
    """A write counts whether or not it was accepted: pushing against a closed door looks like work."""

    def counts_refused_writes(self) -> bool:
        return True


@model
class UnlimitedChecks(SessionProgress):
    """Nothing bounds the checks: a write between any two of them keeps the session alive."""

    @action
    def run_check(self, s: Session) -> None:
        require(self.patience[s] >= 1 and not self.is_stopped(s))
        require(self.checks[s] < self.most_checks[s] + 2)
        self.checks[s] += 1
        self.takes_turn(s, False, False)


@model
class EveryWriteCounts(SessionProgress):
    """An accepted write counts, whatever it leaves: writing what is there already looks like work."""

    def counts_write(self, changes: bool) -> bool:
        return True
