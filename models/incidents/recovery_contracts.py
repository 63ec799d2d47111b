"""Each contract taken away: what goes wrong where a tool promises less than the worker believes."""

from meshspec import action, fault, model, require
from meshspec.models.environment import Effect
from meshspec.models.recovery_contracts import Contract, ContractLedger


@model
class KeyIgnored(ContractLedger):
    """The tool takes a key and makes nothing of it: every request is acted on."""

    @action
    def act(self, e: Effect) -> None:
        require(self.requests[e] > 0)
        self.requests[e] = self.requests[e] - 1
        self.applied[e] = min(self.applied[e] + 1, 2)
        self.remembered[e] = True


@model
class KeyForgottenEarly(ContractLedger):
    """The tool forgets its keys by its own clock, while somebody may still come back with one."""

    @fault
    def forget_key(self, e: Effect) -> None:
        require(self.contract[e] == Contract.KEY and self.remembered[e])
        self.remembered[e] = False


@model
class CommittedApart(ContractLedger):
    """The effect and its record are two transactions after all, and a worker may die between them."""

    @action
    def commit(self, e: Effect) -> None:
        require(self.up and self.intended[e] and not self.recorded[e] and not self.doubtful[e])
        require(self.contract[e] == Contract.COUPLED and not self.calling[e])
        self.applied[e] = min(self.applied[e] + 1, 2)
        self.calling[e] = True  # record comes next


@model
class AnswerTooSoon(ContractLedger):
    """The tool answers "not yet" while a request is on the way, and that is taken for "never"."""

    @action
    def settle(self, e: Effect) -> None:
        require(self.up and self.doubtful[e])
        self.doubtful[e] = False
        if self.contract[e] == Contract.QUERY and self.applied[e] > 0:
            self.recorded[e] = True


@model
class ClosedUnasked(ContractLedger):
    """Intent and skip: what is in doubt is closed, whatever the contract offers. It may be left undone for ever."""

    @action
    def settle(self, e: Effect) -> None:
        require(self.up and self.doubtful[e])
        self.doubtful[e] = False
        self.recorded[e] = True
