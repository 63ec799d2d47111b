"""Recovery contracts: under each of three promises of a tool, an effect happens exactly once although workers die.

No log can tell an effect that was never sent from one whose receipt was lost, so the tool must help. It may remember
a key and act once for it, for as long as it remembers; it may share a transaction with the log; or it may answer
truly, once nothing is on the way to it, whether it has acted. Any mix of tools will do, one contract each. A worker
may die between any two steps and a reply may be lost, again and again: the effect is still done, exactly once.
"""

from enum import Enum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    action,
    always,
    any_of,
    each,
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
from meshspec.models.environment import CrashAndRestart, Effect


class Contract(Enum):
    """What a tool offers to those who have lost its answer."""

    KEY = 0  # it acts once for a key, while it remembers it
    COUPLED = 1  # the effect and its record are one transaction
    QUERY = 2  # it says whether it has acted, once nothing is on the way to it


@model
class ContractLedger(CrashAndRestart):
    """One worker at a time, a durable log, and tools that keep one contract each."""

    contract: Map[Effect, Contract] = var(any_of(Contract.KEY, Contract.COUPLED, Contract.QUERY))
    intended: Map[Effect, bool] = var(False)  # durable: written before the request leaves
    recorded: Map[Effect, bool] = var(False)  # durable: closed, never to be sent again
    calling: Map[Effect, bool] = var(False)  # this worker has sent and waits
    doubtful: Map[Effect, bool] = var(False)  # this worker does not know whether it was done
    requests: Map[Effect, Annotated[int, Range(0, 2)]] = var(0)  # on the way to the tool
    remembered: Map[Effect, bool] = var(False)  # the tool knows the key
    applied: Map[Effect, Annotated[int, Range(0, 2)]] = var(0)  # what the world saw; 2 is "more than once"

    def forget(self) -> None:
        self.calling = each(Effect, lambda e: False)
        self.doubtful = each(Effect, lambda e: False)

    def read_back(self) -> None:
        self.doubtful = each(Effect, lambda e: self.intended[e] and not self.recorded[e])

    @action
    def intend(self, e: Effect) -> None:
        require(self.up and not self.intended[e])
        self.intended[e] = True

    @action
    def commit(self, e: Effect) -> None:
        """A coupled tool: the effect and its record, or neither."""
        require(self.up and self.intended[e] and not self.recorded[e] and not self.doubtful[e])
        require(self.contract[e] == Contract.COUPLED)
        self.applied[e] = min(self.applied[e] + 1, 2)
        self.recorded[e] = True

    @action
    def send(self, e: Effect) -> None:
        """Every other tool: a request leaves, under the key of the effect; at most two are under way."""
        require(self.up and self.intended[e] and not self.recorded[e] and not self.doubtful[e])
        require(self.contract[e] != Contract.COUPLED and not self.calling[e] and self.requests[e] < 2)
        self.calling[e] = True
        self.requests[e] = self.requests[e] + 1

    @action
    def act(self, e: Effect) -> None:
        """The tool acts on a request, whether or not anyone waits; a key that it remembers has been acted on."""
        require(self.requests[e] > 0)
        self.requests[e] = self.requests[e] - 1
        if self.contract[e] != Contract.KEY or not self.remembered[e]:
            self.applied[e] = min(self.applied[e] + 1, 2)
        self.remembered[e] = True

    @action
    def record(self, e: Effect) -> None:
        """The reply arrived."""
        require(self.up and self.calling[e] and self.requests[e] == 0)
        self.calling[e] = False
        self.recorded[e] = True

    @fault
    def lose_reply(self, e: Effect) -> None:
        require(self.calling[e])
        self.calling[e] = False
        self.doubtful[e] = True

    @action
    def settle(self, e: Effect) -> None:
        """What the contract allows: send again under the key, believe the log, or ask."""
        require(self.up and self.doubtful[e])
        require(self.contract[e] != Contract.QUERY or self.requests[e] == 0)
        self.doubtful[e] = False
        if self.contract[e] == Contract.QUERY and self.applied[e] > 0:
            self.recorded[e] = True

    @fault
    def forget_key(self, e: Effect) -> None:
        """The key's lifetime ends: after the effect was closed, and the last request has come in."""
        require(self.contract[e] == Contract.KEY and self.remembered[e])
        require(self.recorded[e] and self.requests[e] == 0)
        self.remembered[e] = False

    @always
    def at_most_once(self, e: Effect) -> bool:
        return self.applied[e] <= 1

    @always
    def closed_is_done(self, e: Effect) -> bool:
        return implies(self.recorded[e], self.applied[e] == 1)

    @eventually(weak=("recover", "act"), strong=("settle", "send", "commit"))
    def what_is_intended_is_done(self, e: Effect) -> bool:
        """However often workers die and replies are lost."""
        return leads_to(self.intended[e], self.applied[e] > 0)

    @sometimes
    def it_is_done_and_closed(self, e: Effect) -> bool:
        return self.recorded[e] and self.applied[e] == 1

    @lemma
    def intent_comes_first(self, e: Effect) -> bool:
        started = self.applied[e] > 0 or self.requests[e] > 0 or self.calling[e] or self.recorded[e]
        return implies(started or self.doubtful[e], self.intended[e])

    @lemma
    def a_key_is_remembered_while_it_is_needed(self, e: Effect) -> bool:
        needed = self.contract[e] == Contract.KEY and self.applied[e] > 0
        return implies(needed and (not self.recorded[e] or self.requests[e] > 0), self.remembered[e])

    @lemma
    def a_key_is_remembered_of_what_was_done(self, e: Effect) -> bool:
        return implies(self.contract[e] == Contract.KEY and self.remembered[e], self.applied[e] == 1)

    @lemma
    def coupled_tools_take_no_requests(self, e: Effect) -> bool:
        coupled = self.contract[e] == Contract.COUPLED
        idle = self.requests[e] == 0 and not self.calling[e]
        return implies(coupled, idle and self.recorded[e] == (self.applied[e] == 1))

    @lemma
    def a_tool_that_is_asked_gets_one_request(self, e: Effect) -> bool:
        asked = self.contract[e] == Contract.QUERY and self.requests[e] > 0
        return implies(asked, self.requests[e] == 1 and self.applied[e] == 0 and not self.recorded[e])

    @lemma
    def what_a_tool_that_is_asked_has_done_is_known_or_doubted(self, e: Effect) -> bool:
        acted = self.contract[e] == Contract.QUERY and (self.applied[e] > 0 or self.requests[e] > 0)
        return implies(acted and self.up, self.recorded[e] or self.calling[e] or self.doubtful[e])

    @lemma
    def an_answer_comes_from_having_acted(self, e: Effect) -> bool:
        return implies(self.calling[e] and self.requests[e] == 0, self.applied[e] == 1)
