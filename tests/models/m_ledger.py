"""Effect ledger with delegations: each goes through its effects one by one, a crash makes all of them begin anew.

A benchmark. Volatile is where a delegation is; its ledger and the world stay. Known counts of states, by delegations,
effects and crashes: 12,393 (3, 2, 2), 111,537 (4, 2, 1), 1,948,617 (5, 2, 1), 9,506,889 (5, 2, 5).
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, each, fault, model, require, var


class Delegation(Sort):
    """One delegated task; its effects are logged, applied and recorded in order."""


class Effect(Enum):
    FIRST = 0
    SECOND = 1


class Phase(Enum):
    READY = 0
    LOGGED = 1
    APPLIED = 2
    RECORDED = 3


class Entry(Enum):
    NONE = 0
    INTENT = 1
    DONE = 2


@model
class Ledger:
    crashes: int = 1
    crashed: Annotated[int, Range(0, lambda m: m.crashes)] = var(0)
    phase: Map[Delegation, Phase] = var(Phase.READY)
    cursor: Map[Delegation, Annotated[int, Range(0, 2)]] = var(0)
    ledger: Map[tuple[Delegation, Effect], Entry] = var(Entry.NONE)
    applied: Map[tuple[Delegation, Effect], Annotated[int, Range(0, 2)]] = var(0)

    def at(self, d: Delegation, e: Effect, phase: Phase) -> bool:
        return self.phase[d] == phase and self.cursor[d] == e.value

    @action
    def log(self, d: Delegation, e: Effect) -> None:
        require(self.at(d, e, Phase.READY) and self.ledger[d, e] is Entry.NONE)
        self.ledger[d, e] = Entry.INTENT
        self.phase[d] = Phase.LOGGED

    @action
    def apply(self, d: Delegation, e: Effect) -> None:
        require(self.at(d, e, Phase.LOGGED))
        self.applied[d, e] = min(self.applied[d, e] + 1, 2)
        self.phase[d] = Phase.APPLIED

    @action
    def record(self, d: Delegation, e: Effect) -> None:
        require(self.at(d, e, Phase.APPLIED))
        self.ledger[d, e] = Entry.DONE
        self.phase[d] = Phase.RECORDED

    @action
    def go_on(self, d: Delegation, e: Effect) -> None:
        require(self.at(d, e, Phase.RECORDED))
        self.cursor[d] += 1
        self.phase[d] = Phase.READY

    @action
    def skip(self, d: Delegation, e: Effect) -> None:
        require(self.at(d, e, Phase.READY) and self.ledger[d, e] is Entry.DONE)
        self.cursor[d] += 1

    @action
    def redo(self, d: Delegation, e: Effect) -> None:
        """In doubt, and the world says that nothing was applied."""
        require(self.at(d, e, Phase.READY) and self.ledger[d, e] is Entry.INTENT and self.applied[d, e] == 0)
        self.phase[d] = Phase.LOGGED

    @action
    def found(self, d: Delegation, e: Effect) -> None:
        """In doubt, and the world says that it was applied."""
        require(self.at(d, e, Phase.READY) and self.ledger[d, e] is Entry.INTENT and self.applied[d, e] >= 1)
        self.ledger[d, e] = Entry.DONE
        self.phase[d] = Phase.RECORDED

    @fault
    def crash(self) -> None:
        require(self.crashed < self.crashes)
        self.crashed += 1
        self.phase = each(Delegation, lambda d: Phase.READY)
        self.cursor = each(Delegation, lambda d: 0)

    @always
    def at_most_once(self, d: Delegation, e: Effect) -> bool:
        return self.applied[d, e] <= 1


@model
class LedgerTwoCrashes(Ledger):
    crashes: int = 2


@model
class LedgerFiveCrashes(Ledger):
    crashes: int = 5
