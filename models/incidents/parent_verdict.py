"""What goes wrong with the verdict on a whole: each incident changes one decision."""

from meshspec import Map, action, exists, forall, model, require, var
from meshspec.models.parent_verdict import Came, Listener, ParentVerdict, Part, Told


@model
class NothingFailed(ParentVerdict):
    """Passed is that nothing has failed: of no steps at all it is true."""

    def sum_up(self) -> Told:
        failed = exists(Part, lambda p: self.wanted(p) and self.came[p] is Came.FAILED)
        return Told.FAILED if failed else Told.PASSED


@model
class SkippedIsPassed(ParentVerdict):
    """A step that was skipped is painted green."""

    def all_passed(self) -> bool:
        return forall(Part, lambda p: not self.wanted(p) or self.came[p] in (Came.PASSED, Came.SKIPPED))


@model
class OnePassIsEnough(ParentVerdict):
    """What has passed first is told, and what failed beside it is not."""

    def sum_up(self) -> Told:
        passed = exists(Part, lambda p: self.wanted(p) and self.came[p] is Came.PASSED)
        return Told.PASSED if passed else super().sum_up()


@model
class LiveFeedOnly(ParentVerdict):
    """The end goes to those who listen when it comes; whoever comes later waits for good."""

    late: Map[Listener, bool] = var(False)

    @action
    def listen(self, u: Listener) -> None:
        require(not self.listens[u])
        self.listens[u] = True
        self.late[u] = self.told is not Told.NOT_YET

    def is_told(self, u: Listener) -> bool:
        return self.listens[u] and not self.heard[u] and not self.late[u]


@model
class EndOfAPart(ParentVerdict):
    """What a part has come to goes out as the end of the whole, before there is one."""

    def has_come(self) -> bool:
        return super().has_come() or exists(Part, lambda p: self.came[p] is not Came.NOTHING)
