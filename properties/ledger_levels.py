"""Four guarantees that are easily taken for one another, and a design for each way in which they come apart.

That the intent is durable, that a request is dispatched at most once, that it is executed in the end (perhaps
repeatedly), and that the outside world sees the effect exactly once: each is a predicate of a ledger that counts
dispatches and executions. Of the twelve ways in which one could hold without another, eleven have a design here; only
the last guarantee cannot hold without the third.
"""

import itertools
from collections.abc import Mapping
from typing import Annotated

from meshspec import Map, Range, action, always, each, eventually, implies, model, require, var
from meshspec.answer import Answer
from meshspec.engines.explore import explore
from meshspec.engines.live import live
from meshspec.lang.lift import lift
from meshspec.models.environment import Effect
from meshspec.models.recovery_contracts import Contract, ContractLedger


@model
class CountedLedger(ContractLedger):
    """A contract ledger with a keyed tool, that counts: what was dispatched and executed, 2 being "repeatedly"."""

    contract: Map[Effect, Contract] = var(Contract.KEY)
    dispatched: Map[Effect, Annotated[int, Range(0, 2)]] = var(0)
    executed: Map[Effect, Annotated[int, Range(0, 2)]] = var(0)

    def may_send(self, e: Effect) -> bool:
        return self.intended[e]

    def spared(self, e: Effect) -> bool:
        """Whether the tool has acted for this key."""
        return self.remembered[e]

    @action
    def commit(self, e: Effect) -> None:
        require(self.up and self.intended[e] and not self.recorded[e] and not self.doubtful[e])
        require(self.contract[e] == Contract.COUPLED)
        self.dispatched[e] = min(self.dispatched[e] + 1, 2)
        self.executed[e] = min(self.executed[e] + 1, 2)
        self.applied[e] = min(self.applied[e] + 1, 2)
        self.recorded[e] = True

    @action
    def send(self, e: Effect) -> None:
        require(self.up and self.may_send(e) and not self.recorded[e] and not self.doubtful[e])
        require(self.contract[e] != Contract.COUPLED and not self.calling[e] and self.requests[e] < 2)
        self.calling[e] = True
        self.requests[e] = self.requests[e] + 1
        self.dispatched[e] = min(self.dispatched[e] + 1, 2)

    @action
    def act(self, e: Effect) -> None:
        require(self.requests[e] > 0)
        self.requests[e] = self.requests[e] - 1
        self.executed[e] = min(self.executed[e] + 1, 2)
        if not self.spared(e):
            self.applied[e] = min(self.applied[e] + 1, 2)
        self.remembered[e] = True

    @always
    def intent_is_durable(self, e: Effect) -> bool:
        return implies(self.requests[e] > 0 or self.applied[e] > 0, self.intended[e])

    @always
    def dispatched_at_most_once(self, e: Effect) -> bool:
        return self.dispatched[e] <= 1

    @eventually(weak=("recover", "act"), strong=("intend", "send", "settle"))
    def executed_in_the_end(self, e: Effect) -> bool:
        return self.executed[e] > 0

    @eventually(weak=("recover", "act"), strong=("intend", "send", "settle"))
    def done_in_the_end(self, e: Effect) -> bool:
        return self.applied[e] > 0


@model
class CoupledCount(CountedLedger):
    """The effect and its record in one transaction, which dispatches and executes at once."""

    contract: Map[Effect, Contract] = var(Contract.COUPLED)

    @eventually(weak=("recover",), strong=("intend", "commit", "settle"))
    def executed_in_the_end(self, e: Effect) -> bool:
        return self.executed[e] > 0

    @eventually(weak=("recover",), strong=("intend", "commit", "settle"))
    def done_in_the_end(self, e: Effect) -> bool:
        return self.applied[e] > 0


@model
class UnkeyedCount(CountedLedger):
    """Sent again in doubt, to a tool that knows no keys."""

    def spared(self, e: Effect) -> bool:
        return False


@model
class ClosedCount(CountedLedger):
    """Intent and skip: what is in doubt is closed."""

    @action
    def settle(self, e: Effect) -> None:
        require(self.up and self.doubtful[e])
        self.doubtful[e] = False
        self.recorded[e] = True


@model
class KeyWithoutIntent(CountedLedger):
    """Nothing is written before it leaves, and the tool has a key that anybody can compute again."""

    def may_send(self, e: Effect) -> bool:
        return True


@model
class OrderOfFigureSix(KeyWithoutIntent):
    """Nothing is written before it leaves, and the tool knows no keys: execute, then record."""

    def spared(self, e: Effect) -> bool:
        return False


@model
class FireAndForget(KeyWithoutIntent):
    """What is to be sent is in one worker's memory, and goes with it."""

    in_memory: Map[Effect, bool] = var(True)

    def may_send(self, e: Effect) -> bool:
        return self.in_memory[e] and self.dispatched[e] == 0

    def forget(self) -> None:
        self.calling = each(Effect, lambda e: False)
        self.doubtful = each(Effect, lambda e: False)
        self.in_memory = each(Effect, lambda e: False)


LEVELS: Mapping[str, tuple[str, ...]] = {
    "intent is durable": ("intent_is_durable",),
    "dispatched at most once": ("dispatched_at_most_once",),
    "executed in the end": ("executed_in_the_end",),
    "seen exactly once": ("at_most_once", "done_in_the_end"),
}
DESIGNS = (
    CountedLedger,
    CoupledCount,
    UnkeyedCount,
    ClosedCount,
    KeyWithoutIntent,
    OrderOfFigureSix,
    FireAndForget,
)


_KEPT: dict[type, frozenset[str]] = {}


def levels(design: type[CountedLedger]) -> frozenset[str]:
    """The guarantees that a design keeps, in every run with one effect."""
    if design not in _KEPT:
        _KEPT[design] = _levels(design)
    return _KEPT[design]


def _levels(design: type[CountedLedger]) -> frozenset[str]:
    lifted = lift(design)
    answers = {one.property: one.answer for one in explore(lifted, {Effect: 1})}
    answers |= {one.property: one.answer for one in live(lifted, {Effect: 1})}
    return frozenset(name for name, claims in LEVELS.items() if all(answers[c] is Answer.HOLDS for c in claims))


def apart(kept: Mapping[type, frozenset[str]]) -> dict[tuple[str, str], type]:
    """For each two guarantees, the first design that keeps the one and not the other."""
    found: dict[tuple[str, str], type] = {}
    for one, other in itertools.permutations(LEVELS, 2):
        for design, held in kept.items():
            if one in held and other not in held:
                found.setdefault((one, other), design)
    return found
