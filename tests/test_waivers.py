"""Waivers: what they excuse, what they never can, and that none outlives its day unseen."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import permutations, product

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshspec.answer import Answer, Finding, Strength, Waiver, exit_code
from meshspec.engines.check import Answered, interrupted
from meshspec.errors import UsageError
from meshspec.report.text import waiver_text
from meshspec.waivers import LONGEST, TODAY, Waivers, today, waive
from tests.report.hostile import SOME

HOLDS, VIOLATED, UNDETERMINED, VACUOUS = Answer.HOLDS, Answer.VIOLATED, Answer.UNDETERMINED, Answer.VACUOUS
ON = date(2026, 11, 29)
WAIVER = Waiver("M", "p", "Ada", "being mended", date(2027, 1, 31), "pyproject.toml:5")
ENDED = attrs.evolve(WAIVER, expires=date(2026, 11, 28))


def said(answer: Answer, name: str = "p", model: str = "M", where: str = "m.py:1", kind: str = "always") -> Answered:
    strength = Strength.EXHAUSTIVE if answer is HOLDS else None
    finding = Finding(model, name, answer, "explore", kind=kind, strength=strength, reason="why", where=where)
    return Answered(finding, (finding,))


def code(answered: list[Answered]) -> int:
    return exit_code(one.answer for one in answered)


@pytest.mark.parametrize("answer", [VIOLATED, UNDETERMINED, VACUOUS])
def test_what_does_not_hold_is_excused_until_the_last_day_and_keeps_its_argument(answer: Answer) -> None:
    one, waiver = said(answer), attrs.evolve(WAIVER, answer=answer)
    for on in (ON, WAIVER.expires):
        (waived,), (record,), notes = waive([one], [waiver], on)
        assert waived.answer == attrs.evolve(one.answer, waiver=waiver)
        assert waived.answer.waived and waived.findings == one.findings
        assert (record.waiver, record.state, notes) == (waiver, "used", [])
        assert code([waived]) == 0
    (late,), (record,), _ = waive([one], [waiver], WAIVER.expires + timedelta(days=1))
    assert not late.answer.waived
    assert (record.state, code([late])) == ("expired", code([one]))


@pytest.mark.parametrize(("excused", "answer"), list(permutations([VIOLATED, UNDETERMINED, VACUOUS], 2)))
def test_it_excuses_no_other_answer_and_says_so(excused: Answer, answer: Answer) -> None:
    one, waiver = said(answer), attrs.evolve(WAIVER, answer=excused)
    (told,), (record,), notes = waive([one], [waiver], ON)
    assert not told.answer.waived
    assert (record.state, code([told]), notes) == ("unused", code([one]), [])
    assert waiver_text(told.answer) == (
        f"its waiver is for {excused.value}, and this is {answer.value}: it excuses nothing (Ada: being mended)"
    )
    ended, _, _ = waive([one], [attrs.evolve(ENDED, answer=excused)], ON)
    assert code(ended) == code([one]) and len(ended) == 1


def test_it_excuses_one_property_of_one_model() -> None:
    others = [said(VIOLATED, "q"), said(VIOLATED, model="N"), said(VIOLATED, "P"), said(VIOLATED, "p ")]
    waived, _, _ = waive([said(VIOLATED), *others], [WAIVER], ON)
    assert [one.answer.waived for one in waived] == [True, False, False, False, False]
    assert waived[1:] == others


def test_one_that_ended_fails_although_the_property_holds_until_it_is_deleted() -> None:
    answered, (record,), _ = waive([said(HOLDS)], [ENDED], ON)
    held, outlived = (one.answer for one in answered)
    assert held.answer is HOLDS and held.waiver is not None and held.waiver.ended
    assert (outlived.answer, outlived.kind, outlived.where) == (VIOLATED, "waiver", "pyproject.toml:5")
    assert outlived.reason == "it ended on 2026-11-28, and the property holds: delete it (Ada: being mended)"
    assert (record.state, code(answered)) == ("expired", 1)
    again = Waivers([ENDED], ON)
    assert len([one for _ in range(2) for one in again.apply([said(HOLDS)])]) == 3, "it is told once"


def test_one_that_ended_fails_where_its_model_was_checked_without_the_property() -> None:
    answered, _, notes = waive([said(HOLDS, "q")], [ENDED], ON)
    assert [one.answer.property for one in answered] == ["q", "no waiver for p after its day"]
    assert (code(answered), notes) == (1, [])
    answered, _, notes = waive([said(HOLDS, model="N")], [ENDED], ON)
    assert code(answered) == 0, "its model was not looked at in this run"
    assert notes == ["waiver for M.p: it ended on 2026-11-28; M was not checked"]


def test_one_that_was_not_used_is_told_and_fails_nothing() -> None:
    answered, (record,), notes = waive([said(HOLDS, "q")], [WAIVER], ON)
    assert (record.state, code(answered)) == ("unused", 0)
    assert notes == ["waiver for M.p: it was not used; M was checked, and has no such property here"]
    _, _, notes = waive([], [WAIVER], ON)
    assert notes == ["waiver for M.p: it was not used; M was not checked"]


def test_one_whose_property_holds_can_be_deleted() -> None:
    (held,), (record,), notes = waive([said(HOLDS)], [WAIVER], ON)
    assert held.answer.waiver == WAIVER and not held.answer.waived
    assert (record.state, code([held]), notes) == ("unused", 0, [])


def test_it_never_excuses_the_check_itself() -> None:
    ended_early = interrupted("M", "explore")
    nothing = said(VACUOUS, "it claims something", kind="check")
    for finding in (ended_early, nothing.answer):
        waiver = attrs.evolve(WAIVER, property=finding.property)
        answered, (record,), notes = waive([Answered(finding, (finding,))], [waiver], ON)
        assert [one.answer for one in answered] == [finding]
        assert (record.state, code(answered)) == ("unused", code([Answered(finding, ())]))
        assert f"a waiver cannot excuse {finding.property!r} of M" in notes[0]


def test_no_waiver_excuses_that_another_has_ended() -> None:
    name = "no waiver for p after its day"
    answered, _, _ = waive([said(HOLDS)], [ENDED, attrs.evolve(WAIVER, property=name)], ON)
    again, _, _ = waive(answered, [attrs.evolve(WAIVER, property=name)], ON)
    assert code(answered) == code(again) == 1


def test_a_second_model_of_the_same_name_is_not_excused() -> None:
    answered, _, notes = waive([said(VIOLATED), said(VIOLATED, where="other.py:1")], [WAIVER], ON)
    assert [one.answer.waived for one in answered] == [True, False]
    assert notes == [
        "the waiver for M.p excuses the one at m.py:1, not the one at other.py:1: "
        "give one of the two models another name"
    ]


def test_two_for_one_property_are_refused() -> None:
    with pytest.raises(UsageError, match=r"pyproject.toml:5: M\.p has two waivers"):
        Waivers([attrs.evolve(WAIVER, owner="Bob"), WAIVER], ON)


def test_one_for_more_than_two_years_is_refused() -> None:
    longest = attrs.evolve(WAIVER, expires=ON + timedelta(days=LONGEST))
    assert Waivers([longest], ON).waivers == [longest]
    with pytest.raises(UsageError, match="732 days ahead, and a waiver is for two years at most"):
        Waivers([attrs.evolve(longest, expires=longest.expires + timedelta(days=1))], ON)


def test_the_day_can_be_set_and_this_is_told() -> None:
    assert today({TODAY: "2026-11-29"}) == ON
    assert abs(today({}) - today()) <= timedelta(days=1)
    assert today({"SOURCE_DATE_EPOCH": "0"}) > ON - timedelta(days=10**4), "another tool's day is not ours"
    assert Waivers([WAIVER], ON).notes({TODAY: "x"})[0] == "today is taken to be 2026-11-29, from MESHSPEC_TODAY"
    assert Waivers([], ON).notes({TODAY: "x"}) == []


@pytest.mark.parametrize(
    "given", ["", "today", "2026-13-01", "20261129", "2026-W48-7", "2026-11-29T00:00", "1795910400"]
)
def test_a_day_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="that is no day; write it like 2026-11-29"):
        today({TODAY: given})


BAD = (VIOLATED, UNDETERMINED, VACUOUS)
_MANY = st.lists(
    st.builds(said, st.sampled_from(Answer), st.sampled_from("pqr"), st.sampled_from("MN")), max_size=5
)  # fmt: skip


def waiver_of(key: tuple[str, str], ended: bool, answer: Answer) -> Waiver:
    return Waiver(*key, "Ada", "why", ON - timedelta(days=1) if ended else ON, answer=answer)


_WAIVERS = st.lists(
    st.builds(waiver_of, st.sampled_from(list(product("MN", "pqr"))), st.booleans(), st.sampled_from(BAD)),
    max_size=4,
    unique_by=lambda waiver: (waiver.model, waiver.property),
)


@SOME
@given(_MANY, _WAIVERS)
def test_whatever_is_waived_only_what_has_a_waiver_in_force_leaves_the_exit_code(
    many: list[Answered], waivers: list[Waiver]
) -> None:
    answered, records, _ = waive(many, waivers, ON)
    live = {(w.model, w.property): {w.answer, HOLDS} for w in waivers if w.expires >= ON}
    left = [one for one in many if one.answer.answer not in live.get((one.answer.subject, one.answer.property), ())]
    outlived = [one for one in answered if one.answer.kind == "waiver"]
    assert [one.findings for one in answered if one.answer.kind != "waiver"] == [one.findings for one in many]
    nothing_left = 0 if many else 4
    assert code(answered) == (1 if outlived else code(left) if left else nothing_left)
    assert [record.waiver.ended for record in records] == [w.expires < ON for w in waivers]
    models = {one.answer.subject for one in many}
    said_of = {
        key: {one.answer.answer for one in many if key == (one.answer.subject, one.answer.property)}
        for key in product("MN", "pqr")
    }
    ended = [said_of[w.model, w.property] for w in waivers if w.expires < ON and w.model in models]
    assert len(outlived) == sum(HOLDS in said or not said for said in ended)
