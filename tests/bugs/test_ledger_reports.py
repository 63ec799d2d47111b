"""Reports about finished work that is done again, and about work that is wrongly taken for finished.

source: agno-agi/agno#10366, Coder-s-OG-s/Trajectory-IR#229, anthropics/claude-code#65796
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, each, exists, fault, model, require, sometimes, var
from meshspec.answer import Answer, Finding, Strength
from meshspec.engines.explore import explore
from meshspec.engines.prove import prove
from meshspec.lang.declare import declared
from meshspec.lang.lift import lift
from meshspec.models.effect_identity import Content, EffectIdentity
from meshspec.models.environment import Effect
from meshspec.models.incidents.effect_identity import PositionInKey
from meshspec.models.incidents.resumed_run import RecordedUnderTheSession, RetriedFromNothing
from meshspec.models.resumed_run import Found, ResumedRun


def explored(design: type, sizes: Mapping[type[Sort], int]) -> dict[str, Finding]:
    return {one.property: one for one in explore(lift(design), sizes)}


def path(found: Finding) -> list[str]:
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    return list(found.counterexample.actions)


# -- agno-agi/agno#10366: the retry of a whole run throws a known success away -------------------------------------


def test_a_known_success_is_thrown_away_by_a_retry_in_seven_steps_without_a_crash_or_a_lost_reply() -> None:
    steps = path(explored(RetriedFromNothing, {Effect: 1})["finished_work_is_not_done_again"])
    attempt = ["look", "think_of(effect0)", "make(effect0)"]
    assert steps == [*attempt, "begin_again", *attempt]
    assert {it.name for it in declared(RetriedFromNothing).of_kind("fault")} == {"begin_again", "rename"}


def test_a_retry_that_begins_with_what_is_recorded_makes_no_call_again_for_any_number_of_them() -> None:
    proofs = {one.property: one.strength for one in prove(lift(ResumedRun))}
    assert proofs["finished_work_is_not_done_again"] is Strength.EVERY_SIZE


@model
class AnsweredRun(ResumedRun):
    """What the record is for: an attempt has the result in hand, and has not so much as thought of the call."""

    @sometimes
    def it_is_answered_from_the_record(self, e: Effect) -> bool:
        return self.in_hand[e] and not self.thought_of[e]


@model
class UnansweredRun(AnsweredRun, RetriedFromNothing):
    """The same, retried from nothing."""


def test_what_is_recorded_answers_a_run_that_begins_with_it_and_no_other() -> None:
    for design, expected in ((AnsweredRun, Answer.HOLDS), (UnansweredRun, Answer.VACUOUS)):
        assert explored(design, {Effect: 2})["it_is_answered_from_the_record"].answer is expected


# -- anthropics/claude-code#65796: a record under another name is taken for none -----------------------------------


@model
class RefusesToStartAfresh(RecordedUnderTheSession):
    """It looks under the wrong name as before; where it finds nothing of what is recorded, it does not start."""

    @action
    def look(self) -> None:
        found = exists(Effect, lambda e: self.seen(e))
        require(self.found == Found.NOT_LOOKED and (found or not exists(Effect, lambda e: self.recorded[e])))
        self.found = Found.RECORD if found else Found.NOTHING
        self.in_hand = each(Effect, lambda e: self.seen(e))


def test_no_record_and_a_record_under_another_name_look_the_same_to_a_renamed_session() -> None:
    found = explored(RecordedUnderTheSession, {Effect: 1})
    finished = ["look", "think_of(effect0)", "make(effect0)", "begin_again"]
    assert path(found["nothing_found_is_nothing_recorded"]) == [*finished, "rename", "look"]
    again = path(found["finished_work_is_not_done_again"])
    assert again == [*finished, "think_of(effect0)", "rename", "look", "make(effect0)"]


def test_either_a_name_that_lasts_or_a_refusal_mends_it() -> None:
    for mended in (ResumedRun, RefusesToStartAfresh):
        found = explored(mended, {Effect: 2})
        for claim in ("nothing_found_is_nothing_recorded", "finished_work_is_not_done_again"):
            assert found[claim].answer is Answer.HOLDS, (mended, claim)


# -- Coder-s-OG-s/Trajectory-IR#229: the second poll is answered with the first poll's answer ----------------------


class Question(Sort):
    """A call that asks for a status: the same name and arguments each time."""


class Status(Enum):
    """What is stored of an answer."""

    NOTHING = 0
    STARTING = 1
    READY = 2


@model
class MemoisedPolls:
    """Answers are stored, so that a replay is told what was told before; keyed by how often it was asked."""

    ready: Map[Question, bool] = var(False)
    calls: Annotated[int, Range(0, 2)] = var(0)  # of this attempt
    asked: Map[Question, Annotated[int, Range(0, 2)]] = var(0)  # by this attempt
    meant: Map[Question, Annotated[int, Range(0, 2)]] = var(0)  # the most that one attempt has asked
    put: Map[Question, Annotated[int, Range(0, 3)]] = var(0)  # to the service; 3 is "more often"
    first: Map[Question, Status] = var(Status.NOTHING)
    second: Map[Question, Status] = var(Status.NOTHING)
    stale: Map[Question, bool] = var(False)  # the last question was new, and was told what is not so

    def is_first(self, q: Question) -> bool:
        return self.asked[q] == 0

    @action
    def become_ready(self, q: Question) -> None:
        require(not self.ready[q])
        self.ready[q] = True

    @action
    def poll(self, q: Question) -> None:
        require(self.calls < 2)
        first = self.is_first(q)
        stored = self.first[q] if first else self.second[q]
        now = Status.READY if self.ready[q] else Status.STARTING
        self.stale[q] = self.asked[q] + 1 > self.meant[q] and stored not in (Status.NOTHING, now)
        if stored == Status.NOTHING:
            self.put[q] = min(self.put[q] + 1, 3)
            if first:
                self.first[q] = now
            else:
                self.second[q] = now
        self.calls = self.calls + 1
        self.asked[q] = self.asked[q] + 1
        self.meant[q] = max(self.meant[q], self.asked[q])

    @fault
    def retry(self) -> None:
        require(self.calls > 0)
        self.calls = 0
        self.asked = each(Question, lambda q: 0)

    @always
    def a_new_question_is_told_what_is_so(self, q: Question) -> bool:
        return not self.stale[q]

    @always
    def a_replay_puts_no_question_again(self, q: Question) -> bool:
        return self.put[q] <= self.meant[q]


@model
class KeyedByTheCall(MemoisedPolls):
    """The key is the name and its arguments, and nothing of when it is asked."""

    def is_first(self, q: Question) -> bool:
        return True


@model
class KeyedByThePosition(MemoisedPolls):
    """The key has the position in the attempt beside the call."""

    def is_first(self, q: Question) -> bool:
        return self.calls == 0


def test_the_second_poll_is_told_what_the_first_was_told_in_three_steps() -> None:
    found = explored(KeyedByTheCall, {Question: 1})
    wrong = path(found["a_new_question_is_told_what_is_so"])
    assert wrong == ["poll(question0)", "become_ready(question0)", "poll(question0)"]
    assert found["a_replay_puts_no_question_again"].answer is Answer.HOLDS


def test_a_position_in_the_key_answers_the_poll_and_asks_again_where_the_replay_takes_another_path() -> None:
    one_path = explored(KeyedByThePosition, {Question: 1})
    for claim in ("a_new_question_is_told_what_is_so", "a_replay_puts_no_question_again"):
        assert one_path[claim].answer is Answer.HOLDS
    found = explored(KeyedByThePosition, {Question: 2})
    assert found["a_new_question_is_told_what_is_so"].answer is Answer.VIOLATED  # a position of another path's
    again = path(found["a_replay_puts_no_question_again"])
    assert again == ["poll(question0)", "poll(question1)", "retry", "poll(question1)"]
    written = explored(PositionInKey, {Content: 2})["no_call_is_executed_again"]
    assert path(written) == ["write(content0)", "write(content1)", "retry", "write(content1)"]


def test_how_often_it_was_asked_in_the_key_does_both() -> None:
    found = explored(MemoisedPolls, {Question: 2})
    for claim in ("a_new_question_is_told_what_is_so", "a_replay_puts_no_question_again"):
        assert found[claim].answer is Answer.HOLDS
    assert explored(EffectIdentity, {Content: 2})["no_call_is_executed_again"].answer is Answer.HOLDS
