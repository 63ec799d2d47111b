"""check: one answer a property, from all that the engines say of it."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from meshspec import action, always, model, require, var
from meshspec.answer import Answer, Finding, Strength
from meshspec.engines.check import (
    Settings,
    check,
    combined,
    incidents_of,
    interrupted,
    scope_of,
    was_interrupted,
    without,
)
from meshspec.engines.limits import Limits
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import lift
from meshspec.models.environment import CrashAndRestart
from tests.models.lock import KeepTheTurn, LookOnly, Peterson
from tests.models.plain_ledger import Effect, EffectLedger, ResendInDoubt

EXPLORED = Finding("M", "p", Answer.HOLDS, "explore", strength=Strength.EXHAUSTIVE, scope={"Effect": 2})
UNPROVED = Finding("M", "p", Answer.UNDETERMINED, "prove", reason="not inductive", settles="a lemma")
EVERY = Strength.EVERY_SIZE


def test_a_property_is_answered_once_by_the_strongest_and_keeps_what_each_engine_said() -> None:
    lifted = lift(EffectLedger)
    answered = {one.answer.property: one for one in check(lifted, {Effect: 2}, ("explore", "prove", "simulate"))}
    once = answered["at_most_once"]
    assert [finding.engine for finding in once.findings] == ["explore", "prove", "simulate"]
    assert (once.answer.engine, once.answer.strength) == ("prove", EVERY)
    assert answered["every fault strikes"].answer.engine == "explore"


def test_the_plain_ledger_is_proved_with_its_lemmas_and_not_without_them() -> None:
    lifted = lift(EffectLedger)
    with_lemmas = {one.answer.property: one.answer for one in check(lifted, {Effect: 1}, ("prove",))}
    bare = attrs.evolve(lifted, claims=tuple(c for c in lifted.claims if c.method.kind != "lemma"))
    without_them = {one.answer.property: one.answer for one in check(bare, {Effect: 1}, ("prove",))}
    for claim in ("at_most_once", "recorded_is_done"):
        assert with_lemmas[claim].strength is EVERY
        assert without_them[claim].answer is Answer.UNDETERMINED


def test_the_same_engine_twice_is_one_engine() -> None:
    answered = check(lift(Peterson), {}, ("explore", "explore"))
    assert all(len(one.findings) == 1 for one in answered)


def test_an_engine_that_is_none_is_refused_before_any_runs() -> None:
    def never(message: str) -> None:
        raise AssertionError(message)

    with pytest.raises(UsageError, match="there is no engine 'guess'"):
        check(lift(Peterson), {}, ("explore", "guess"), progress=never)


def test_bounds_and_seeds_reach_the_engines() -> None:
    settings = Settings(Limits(max_states=5), seed=3, walks=2, steps=4)
    answered = check(lift(EffectLedger), {Effect: 2}, ("explore", "simulate"), settings)
    explored, walked = answered[0].findings
    assert explored.orbits == 5
    assert (walked.tested, walked.facts["seed"]) == (8, 3)


def test_what_is_required_is_required_of_every_property_but_not_of_witnesses() -> None:
    settings = Settings(require=EVERY)
    answered = {one.answer.property: one.answer for one in check(lift(Peterson), {}, ("explore",), settings)}
    assert answered["one_inside"].answer is Answer.UNDETERMINED
    assert answered["one_inside"].known == "HOLDS, exhaustive"
    assert answered["gets_in"].answer is Answer.HOLDS
    assert answered["every action fires"].answer is Answer.HOLDS


def test_a_weaker_answer_says_why_no_engine_reached_more() -> None:
    (one,) = combined([EXPLORED, UNPROVED], EVERY)
    assert one.answer.answer is Answer.UNDETERMINED
    assert one.answer.reason == "every size was required; prove: not inductive"
    assert one.answer.settles == "a lemma"


def test_properties_come_in_the_order_in_which_they_first_appear() -> None:
    names = ["b", "a", "b", "c"]
    assert [one.answer.property for one in combined([attrs.evolve(EXPLORED, property=n) for n in names])] == [
        "b",
        "a",
        "c",
    ]


def test_engines_that_contradict_each_other_are_no_answer() -> None:
    refuted = attrs.evolve(EXPLORED, answer=Answer.VIOLATED, strength=None)
    proved = attrs.evolve(EXPLORED, engine="prove", strength=EVERY, scope={})
    with pytest.raises(Disagreement, match=r"M\.p: explore refutes what prove says holds"):
        combined([refuted, proved])


@pytest.mark.parametrize("at", ["explore", "prove", "simulate"])
def test_ctrl_c_ends_the_check_and_keeps_what_was_said(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def presses_ctrl_c(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"meshspec.engines.{at}.{at}", presses_ctrl_c)
    answered = check(lift(Peterson), {}, ("explore", "prove", "simulate"))
    engines = {finding.engine for one in answered for finding in one.findings}
    assert engines == set(("explore", "prove", "simulate")[: ("explore", "prove", "simulate").index(at) + 1])
    assert was_interrupted(one.answer for one in answered)
    assert answered[-1].answer == interrupted("Peterson", at)


@model
class Mute:
    up: bool = var(True)

    @action
    def go(self) -> None:
        require(self.up)


@model
class Speaks(Mute):
    @always
    def is_up(self) -> bool:
        return self.up


def test_a_model_that_claims_nothing_is_vacuous() -> None:
    for engines in (("explore",), ("prove",), ("simulate",), ()):
        answers = {one.answer.property: one.answer.answer for one in check(lift(Mute), {}, engines)}
        assert answers["it claims something"] is Answer.VACUOUS
    assert all(one.answer.answer is Answer.HOLDS for one in check(lift(Speaks), {}))


def test_every_sort_without_a_size_gets_two() -> None:
    lifted = lift(EffectLedger)
    assert scope_of(lifted, {}) == {Effect: 2}
    assert scope_of(lifted, {"Effect": 5}) == {Effect: 5}
    for asked, message in (({"Worker": 2}, "ranges over Effect"), ({"Effect": 0}, "at least one member")):
        with pytest.raises(UsageError, match=message):
            scope_of(lifted, asked)
    with pytest.raises(UsageError, match="ranges over no sort"):
        scope_of(lift(Peterson), {"Effect": 2})


def test_faults_can_be_taken_away_and_nothing_else() -> None:
    lifted = lift(EffectLedger)
    assert "crash" not in [one.name for one in without(lifted, ("crash",)).actions]
    assert without(lifted, ()).actions == lifted.actions
    with pytest.raises(UsageError, match="--without send: EffectLedger has the faults crash"):
        without(lifted, ("send",))
    with pytest.raises(UsageError, match="has the faults none"):
        without(lift(Peterson), ("crash",))


def test_incidents_are_the_models_that_extend_one_and_not_what_lifting_makes_of_it() -> None:
    kept = [lift(EffectLedger), lift(Peterson), lift(KeepTheTurn)]
    assert set(incidents_of(Peterson)) == {KeepTheTurn, LookOnly}
    assert ResendInDoubt in incidents_of(EffectLedger)
    assert incidents_of(KeepTheTurn) == []
    assert EffectLedger not in incidents_of(CrashAndRestart), "the plain ledger stands alone"
    assert len(kept) == 3
