"""What a long wait does to a key: each incident believes too long in it, or says too much of what came too late."""

from meshspec import action, model, require
from meshspec.models.environment import Effect
from meshspec.models.key_lifetime import KeyLifetime


@model
class ThreeDayApproval(KeyLifetime):
    """The call is made again whenever the word comes, under a key that the service has forgotten by then."""

    def may_send_again(self, e: Effect) -> bool:
        return True


@model
class LateIsDone(KeyLifetime):
    """What came too late is told as unresolved, and put down as done all the same: it was sent, after all."""

    @action
    def approve(self, e: Effect) -> None:
        require(self.unapproved[e])
        self.unapproved[e] = False
        if self.may_send_again(e):
            self.awaiting[e] = True
            self.on_the_way[e] = True
        else:
            self.unresolved[e] = True
            self.recorded[e] = True


@model
class LateAndNobodyTold(KeyLifetime):
    """What came too late is dropped: nobody hears of it again."""

    @action
    def approve(self, e: Effect) -> None:
        require(self.unapproved[e] and self.may_send_again(e))
        self.unapproved[e] = False
        self.awaiting[e] = True
        self.on_the_way[e] = True
