"""The shared faults: each can strike, costs what the model says, and is VACUOUS where it cannot."""

from __future__ import annotations

import inspect

import pytest

from meshspec import Map, Sort, action, always, model, require, sometimes, var
from meshspec.answer import Answer, Finding
from meshspec.engines.check import without
from meshspec.engines.explore import FIRES, STRIKES, explore
from meshspec.lang.declare import declared, is_model
from meshspec.lang.lift import lift
from meshspec.models import environment
from meshspec.models.environment import (
    Attempt,
    CrashAndRestart,
    DuplicateDispatch,
    Effect,
    FlakyOracle,
    LateCommit,
    LostReply,
    Redelivery,
)

MIXINS = [v for v in vars(environment).values() if is_model(v) and v.__module__ == environment.__name__]
SIZES: dict[type[Sort], int] = {Effect: 2, Attempt: 2}


def explored(target: type) -> dict[str, Finding]:
    lifted = lift(target)
    return {finding.property: finding for finding in explore(lifted, {sort: SIZES[sort] for sort in lifted.sorts})}


def test_there_are_mixins_for_all_shared_faults() -> None:
    assert len(MIXINS) >= 15
    for mixin in MIXINS:
        assert inspect.getdoc(mixin), mixin
        assert declared(mixin).of_kind("fault"), mixin
        assert not declared(mixin).of_kind("always", "sometimes", "lemma"), "claims belong to the model"


@pytest.mark.parametrize("mixin", [m for m in MIXINS if m not in (LostReply, LateCommit, Redelivery)])
def test_the_fault_can_strike_in_the_mixin_alone(mixin: type) -> None:
    assert explored(mixin)[STRIKES].answer is Answer.HOLDS


@model
class Caller(LateCommit):
    """It calls once, and takes no answer for a failure."""

    done: Map[Effect, int] = var(0)
    gave_up: Map[Effect, bool] = var(False)

    def take_effect(self, e: Effect) -> None:
        self.done[e] += 1

    def timed_out(self, e: Effect) -> None:
        self.gave_up[e] = True

    @action
    def call(self, e: Effect) -> None:
        require(not self.awaiting[e] and not self.on_the_way[e] and self.done[e] == 0)
        self.awaiting[e] = True
        self.on_the_way[e] = True

    @always
    def given_up_is_not_done(self, e: Effect) -> bool:
        return not (self.gave_up[e] and self.done[e] > 0)


def test_a_reply_is_lost_and_the_service_acts_all_the_same() -> None:
    found = explored(Caller)
    assert found[STRIKES].answer is Answer.HOLDS
    path = found["given_up_is_not_done"].counterexample
    assert path is not None
    assert path.actions in (
        ("call(effect0)", "lose_reply(effect0)", "act_late(effect0)"),
        ("call(effect0)", "act(effect0)", "lose_reply(effect0)"),
    )


@pytest.mark.parametrize(
    ("mixin", "fault"), [(LostReply, "lose_reply"), (LateCommit, "act_late"), (Redelivery, "redeliver")]
)
def test_a_fault_that_no_action_makes_room_for_is_vacuous(mixin: type, fault: str) -> None:
    found = explored(mixin)[STRIKES]
    assert found.answer is Answer.VACUOUS
    assert fault in found.reason and "never injected" in found.reason


@model
class Worker(CrashAndRestart):
    """It remembers a number, writes it down, and reads it back."""

    memory: int = var(0)
    disk: int = var(0)

    def forget(self) -> None:
        self.memory = -1

    def read_back(self) -> None:
        self.memory = self.disk

    @action
    def learn(self) -> None:
        require(self.up and self.memory < 2)
        self.memory += 1

    @action
    def write_down(self) -> None:
        require(self.up and self.disk < self.memory)
        self.disk = self.memory

    @always
    def who_is_up_remembers_what_is_written_down(self) -> bool:
        return not self.up or self.memory >= self.disk

    @sometimes
    def memory_is_lost(self) -> bool:
        return not self.up and self.memory == -1 and self.disk == 1


def test_what_a_crash_costs_is_what_the_model_says() -> None:
    found = explored(Worker)
    assert {finding.answer for finding in found.values()} == {Answer.HOLDS}
    assert found["memory_is_lost"].reason == "witness: learn, write_down, crash"


def test_a_fault_that_is_taken_away_is_not_asked_for_and_leaves_its_recovery_idle() -> None:
    taken = without(lift(Worker), ("crash",))
    found = {finding.property: finding for finding in explore(taken, {})}
    assert STRIKES not in found
    assert found[FIRES].reason.startswith("recover: never enabled")


def test_work_is_delivered_again_only_once_it_was_looked_at() -> None:
    @model
    class Reader(Redelivery):
        @action
        def read(self, e: Effect) -> None:
            require(self.waiting[e])
            self.waiting[e] = False

        @always
        def waiting_was_delivered(self, e: Effect) -> bool:
            return self.delivered[e] or not self.waiting[e]

    found = explored(Reader)
    assert {finding.answer for finding in found.values()} == {Answer.HOLDS}
    assert found["waiting_was_delivered"].states == 3**2


def test_a_second_attempt_starts_beside_the_first() -> None:
    @model
    class Alone(DuplicateDispatch):
        @always
        def one_attempt(self, a: Attempt, b: Attempt, e: Effect) -> bool:
            return a is b or not (self.started[a, e] and self.started[b, e])

    path = explored(Alone)["one_attempt"].counterexample
    assert path is not None
    assert path.actions == ("dispatch(attempt0, effect0)", "dispatch_again(attempt1, effect0)")


def test_faults_combine_by_inheritance() -> None:
    @model
    class Everything(Caller, Worker, FlakyOracle):
        """Three environments in one."""

    names = {method.name for method in declared(Everything).of_kind("fault")}
    assert names == {"crash", "lose_reply", "act_late", "flip"}
