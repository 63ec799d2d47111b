"""Answers: four words, a strength for one of them, and how several become one."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from itertools import combinations_with_replacement

import attrs
import pytest

from meshspec.answer import Answer, Finding, Strength, Waiver, demand, exit_code, overall
from meshspec.errors import Disagreement

HOLDS, VIOLATED, UNDETERMINED, VACUOUS = Answer.HOLDS, Answer.VIOLATED, Answer.UNDETERMINED, Answer.VACUOUS
SCOPE = {"Effect": 2}


def finding(answer: Answer, strength: Strength | None = None, engine: str = "e", size: int = 2) -> Finding:
    reason = "why" if answer is UNDETERMINED else ""
    return Finding("M", "p", answer, engine, strength=strength, scope={"Effect": size}, reason=reason)


EVERY = finding(HOLDS, Strength.EVERY_SIZE, "prove")
EXHAUSTIVE = finding(HOLDS, Strength.EXHAUSTIVE, "explore")
INDUCED = finding(HOLDS, Strength.K_INDUCTION, "prove")
TESTED = finding(HOLDS, Strength.TESTED, "simulate")
BAD, IDLE, OPEN = finding(VIOLATED), finding(VACUOUS), finding(UNDETERMINED)


def test_a_strength_belongs_to_holds_and_only_to_it() -> None:
    for answer, strength in ((HOLDS, None), (VIOLATED, Strength.TESTED), (UNDETERMINED, Strength.EVERY_SIZE)):
        with pytest.raises(Disagreement, match="a strength belongs to HOLDS"):
            Finding("M", "p", answer, "e", strength=strength, reason="why")


def test_undetermined_carries_its_reason() -> None:
    with pytest.raises(Disagreement, match="must carry its reason"):
        Finding("M", "p", UNDETERMINED, "e")


@pytest.mark.parametrize(
    ("said", "best"),
    [
        ([TESTED, EXHAUSTIVE, EVERY], EVERY),
        ([TESTED, EXHAUSTIVE], EXHAUSTIVE),
        ([EXHAUSTIVE, INDUCED], EXHAUSTIVE),
        ([INDUCED, EXHAUSTIVE], INDUCED),
        ([OPEN, TESTED], TESTED),
        ([OPEN], OPEN),
        ([EVERY, IDLE], IDLE),
        ([IDLE, TESTED, BAD], BAD),
        ([OPEN, BAD], BAD),
        ([TESTED, BAD], BAD),
        ([finding(HOLDS, Strength.EXHAUSTIVE, size=1), BAD], BAD),
    ],
)
def test_the_overall_answer(said: list[Finding], best: Finding) -> None:
    assert overall(said) is best
    assert overall(said[::-1]).answer is best.answer


@pytest.mark.parametrize("good", [EVERY, EXHAUSTIVE, INDUCED, finding(HOLDS, Strength.EVERY_SIZE, size=9)])
def test_a_refutation_of_what_was_proved_is_a_disagreement(good: Finding) -> None:
    with pytest.raises(Disagreement, match="a bug of meshspec"):
        overall([good, BAD])


def test_there_is_no_overall_answer_without_a_finding() -> None:
    with pytest.raises(ValueError, match="nothing was evaluated"):
        overall([])


@pytest.mark.parametrize(
    ("required", "enough"),
    [
        (Strength.EVERY_SIZE, [EVERY]),
        (Strength.EXHAUSTIVE, [EVERY, EXHAUSTIVE, INDUCED]),
        (Strength.TESTED, [EVERY, EXHAUSTIVE, INDUCED, TESTED]),
        (None, [EVERY, EXHAUSTIVE, INDUCED, TESTED]),
    ],
)
def test_weaker_than_required_is_undetermined(required: Strength | None, enough: list[Finding]) -> None:
    for said in (EVERY, EXHAUSTIVE, INDUCED, TESTED):
        asked = demand(said, required)
        assert (asked is said) == (said in enough)
        if said not in enough:
            assert said.strength is not None and required is not None
            assert (asked.answer, asked.reason) == (UNDETERMINED, f"{required.value} was required")
            assert asked.known == f"HOLDS, {said.strength.value}"
            assert asked.settles


def test_requiring_changes_no_other_word_and_no_witness() -> None:
    for said in (BAD, IDLE, OPEN, attrs.evolve(TESTED, kind="sometimes"), attrs.evolve(TESTED, kind="fires")):
        assert demand(said, Strength.EVERY_SIZE) is said


ONE_OF_EACH = {HOLDS: EXHAUSTIVE, VIOLATED: BAD, UNDETERMINED: OPEN, VACUOUS: IDLE}
WAIVER = Waiver("M", "p", "Ada", "being mended", date(2027, 1, 31))
LIVE = {a: attrs.evolve(said, waiver=attrs.evolve(WAIVER, answer=a)) for a, said in ONE_OF_EACH.items()}
ENDED = {a: attrs.evolve(said, waiver=attrs.evolve(WAIVER, ended=True)) for a, said in ONE_OF_EACH.items()}


def code_of(said: Collection[Answer]) -> int:
    return 1 if VIOLATED in said else 4 if VACUOUS in said or not said else 3 if UNDETERMINED in said else 0


def test_the_exit_code_of_every_mix_of_answers() -> None:
    for many in range(4):
        for said in combinations_with_replacement(Answer, many):
            first = code_of(said)
            found = [ONE_OF_EACH[answer] for answer in said]
            assert exit_code(found) == first
            assert exit_code(found, allow_undetermined=True) == (0 if first == 3 else first)


def test_what_is_waived_counts_in_no_exit_code_and_everything_else_does() -> None:
    for many in range(3):
        for said in combinations_with_replacement(Answer, many):
            others = [ONE_OF_EACH[answer] for answer in said]
            for answer in Answer:
                assert exit_code([*others, LIVE[answer]]) == (code_of(said) if said else 0)


def test_a_waiver_that_ended_excuses_nothing() -> None:
    for answer in Answer:
        assert exit_code([ENDED[answer]]) == exit_code([ONE_OF_EACH[answer]])
        assert not ENDED[answer].waived


def test_waived_is_what_does_not_hold_and_has_a_waiver_in_force() -> None:
    assert [answer for answer in Answer if LIVE[answer].waived] == [VIOLATED, UNDETERMINED, VACUOUS]
    assert not any(said.waived for said in ONE_OF_EACH.values())
    usual = {answer: attrs.evolve(said, waiver=WAIVER) for answer, said in ONE_OF_EACH.items()}
    assert [answer for answer in Answer if usual[answer].waived] == [VIOLATED], "and only what it is for"
