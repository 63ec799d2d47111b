"""Two-phase commit: no two participants decide differently, however many there are."""

from __future__ import annotations

from enum import Enum

from meshspec import Map, SetOf, Sort, action, always, fault, forall, implies, lemma, model, require, var


class Member(Sort):
    """One participant."""


class Phase(Enum):
    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


class Decision(Enum):
    NONE = 0
    COMMIT = 1
    ABORT = 2


@model
class TwoPhase:
    phase: Map[Member, Phase] = var(Phase.WORKING)
    heard: SetOf[Member] = var()
    told: Map[Member, bool] = var(False)
    decision: Decision = var(Decision.NONE)

    @action
    def prepare(self, m: Member) -> None:
        require(self.phase[m] is Phase.WORKING)
        self.phase[m] = Phase.PREPARED
        self.told[m] = True

    @fault
    def give_up(self, m: Member) -> None:
        require(self.phase[m] is Phase.WORKING)
        self.phase[m] = Phase.ABORTED

    @action
    def hear(self, m: Member) -> None:
        require(self.decision is Decision.NONE and self.told[m])
        self.heard.add(m)

    @action
    def commit(self) -> None:
        require(self.decision is Decision.NONE and forall(Member, lambda m: m in self.heard))
        self.decision = Decision.COMMIT

    @action
    def abort(self) -> None:
        require(self.decision is Decision.NONE)
        self.decision = Decision.ABORT

    @action
    def follow_commit(self, m: Member) -> None:
        require(self.decision is Decision.COMMIT)
        self.phase[m] = Phase.COMMITTED

    @action
    def follow_abort(self, m: Member) -> None:
        require(self.decision is Decision.ABORT)
        self.phase[m] = Phase.ABORTED

    @always
    def consistent(self, a: Member, b: Member) -> bool:
        return not (self.phase[a] is Phase.COMMITTED and self.phase[b] is Phase.ABORTED)

    @lemma
    def committed_by_decision(self, m: Member) -> bool:
        return implies(self.phase[m] is Phase.COMMITTED, self.decision is Decision.COMMIT)

    @lemma
    def commit_has_heard_all(self, m: Member) -> bool:
        return implies(self.decision is Decision.COMMIT, m in self.heard)

    @lemma
    def heard_was_told(self, m: Member) -> bool:
        return implies(m in self.heard, self.told[m])

    @lemma
    def told_aborts_by_decision(self, m: Member) -> bool:
        return implies(
            self.told[m] and self.phase[m] is Phase.ABORTED,
            self.decision is Decision.ABORT,
        )

    @lemma
    def told_is_past_working(self, m: Member) -> bool:
        return implies(self.told[m], self.phase[m] is not Phase.WORKING)


@model
class CommitUnheard(TwoPhase):
    """The incident: the coordinator commits when it has heard anyone's vote, not everyone's."""

    @action
    def commit(self) -> None:
        require(self.decision is Decision.NONE and not forall(Member, lambda m: m not in self.heard))
        self.decision = Decision.COMMIT
