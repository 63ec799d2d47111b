"""Two reports compared: the order of the answers, and what is told beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

import attrs
import pytest
from hypothesis import given

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.engines.check import Answered
from meshspec.report.diff import Diff, Difference, diff, diff_object, lines_of, summary
from meshspec.report.json import report_object, text
from meshspec.report.read import ReadReport, report_of
from tests.report.hostile import BAD, HELD, IDLE, OPEN, SOME, WAIVER, answered

HOLDS, VIOLATED, UNDETERMINED, VACUOUS = Answer.HOLDS, Answer.VIOLATED, Answer.UNDETERMINED, Answer.VACUOUS
LIVE = attrs.evolve(WAIVER, property="p", ended=False)


def report(*findings: Finding, seed: int = 0, code: int = 0) -> ReadReport:
    answered = [Answered(one, (one,)) for one in findings]
    return report_of(text(report_object(answered, seed=seed, exit_code=code, notes=[])).encode())


def said(answer: Answer, strength: Strength | None = None, **more: Any) -> Finding:
    reason = "" if answer is HOLDS else "why"
    strength = strength or (Strength.EXHAUSTIVE if answer is HOLDS else None)
    given: dict[str, Any] = {"engine": "explore", "strength": strength, "reason": reason, "scope": {"A": 2}, **more}
    return Finding("M", "p", answer, **given)


def compared(was: Finding, now: Finding) -> Difference | None:
    found = diff(report(was), report(now))
    assert len(found.differences) + found.same == 1
    return found.differences[0] if found.differences else None


def word(was: Finding, now: Finding) -> str:
    made = compared(was, now)
    return "same" if made is None else made.word


def test_the_same_report_differs_in_nothing() -> None:
    found = diff(report(BAD, OPEN, HELD), report(BAD, OPEN, HELD))
    assert (found.differences, found.settings, found.same, found.exit_code) == ((), (), 3, 0)
    assert lines_of(found) == ["3 the same"]


ORDER = [
    ("HOLDS", "VIOLATED", "worse"), ("HOLDS", "VACUOUS", "worse"), ("HOLDS", "UNDETERMINED", "worse"),
    ("UNDETERMINED", "VACUOUS", "worse"), ("UNDETERMINED", "VIOLATED", "worse"), ("VACUOUS", "VIOLATED", "worse"),
    ("VIOLATED", "HOLDS", "better"), ("VACUOUS", "HOLDS", "better"), ("UNDETERMINED", "HOLDS", "better"),
    ("VIOLATED", "UNDETERMINED", "changed"), ("VIOLATED", "VACUOUS", "changed"),
    ("VACUOUS", "UNDETERMINED", "changed"),
]  # fmt: skip


@pytest.mark.parametrize(("was", "now", "expected"), ORDER)
def test_down_is_worse_and_up_is_better_only_where_it_ends_at_holds(was: str, now: str, expected: str) -> None:
    made = compared(said(Answer(was)), said(Answer(now)))
    assert made is not None and made.word == expected
    assert made.before.startswith(was) and made.after.startswith(now)
    assert diff(report(said(Answer(was))), report(said(Answer(now)))).exit_code == (expected == "worse")


def test_every_pair_of_answers_is_in_that_table() -> None:
    assert {(was, now) for was, now, _ in ORDER} == {
        (was.value, now.value) for was, now in product(Answer, Answer) if was is not now
    }


def test_a_weaker_strength_is_worse_and_a_stronger_one_better() -> None:
    ranks = [Strength.TESTED, Strength.EXHAUSTIVE, Strength.EVERY_SIZE]
    for was, now in product(ranks, ranks):
        step = ranks.index(now) - ranks.index(was)
        assert word(said(HOLDS, was), said(HOLDS, now)) == ("better" if step > 0 else "worse" if step else "same")
    assert word(said(HOLDS, Strength.EXHAUSTIVE), said(HOLDS, Strength.K_INDUCTION)) == "changed"


def test_a_smaller_scope_is_worse_a_larger_one_better_and_another_one_a_change() -> None:
    small, large = said(HOLDS, scope={"A": 2, "B": 2}), said(HOLDS, scope={"A": 3, "B": 2})
    other = said(HOLDS, scope={"A": 2, "B": 3})
    assert (word(small, large), word(large, small), word(large, other)) == ("better", "worse", "changed")
    assert word(said(HOLDS, scope={"A": 2}), said(HOLDS, scope={"C": 2})) == "changed"
    proved = said(HOLDS, Strength.EVERY_SIZE, scope={"A": 3})
    assert word(proved, attrs.evolve(proved, scope={"A": 2})) == "changed", "it holds for every size"


def test_scopes_and_seeds_that_differ_are_told_as_such() -> None:
    found = diff(report(said(VIOLATED), seed=1), report(said(VIOLATED, scope={"A": 3}), seed=2))
    assert found.settings == ("seed 1 before, 2 now", "M: scope A=2 before, A=3 now")
    assert lines_of(found)[:2] == [
        "asked otherwise: seed 1 before, 2 now",
        "asked otherwise: M: scope A=2 before, A=3 now",
    ]
    assert found.exit_code == 0


def test_what_is_gone_is_no_success() -> None:
    found = diff(report(BAD, HELD), report(HELD))
    assert [(one.word, one.property) for one in found.differences] == [("gone", "charged_at_most_once")]
    assert found.exit_code == 1
    assert "GONE     Charging.charged_at_most_once: VIOLATED in 3 steps" in lines_of(found)


def test_what_is_new_fails_where_it_does_not_hold() -> None:
    found = diff(report(HELD), report(HELD, BAD))
    assert [(one.word, one.after) for one in found.differences] == [("new", "VIOLATED in 3 steps")]
    assert found.exit_code == 1
    for answer in (VIOLATED, VACUOUS, UNDETERMINED):
        waiver = attrs.evolve(LIVE, answer=answer)
        assert diff(report(HELD), report(HELD, said(answer))).exit_code == 1
        assert diff(report(HELD), report(HELD, said(answer, waiver=waiver))).exit_code == 0
    assert diff(report(HELD), report(HELD, said(HOLDS))).exit_code == 0


def test_two_reports_that_say_nothing_are_no_success() -> None:
    found = diff(report(), report())
    assert found.exit_code == 4
    assert lines_of(found) == ["neither report has a property: nothing was compared", "0 the same"]


def test_a_claim_whose_text_is_another_is_a_change_and_no_success() -> None:
    made = compared(said(HOLDS, claim="always p x <= 2"), said(HOLDS, claim="always p x <= 9"))
    assert made is not None and (made.word, made.fails) == ("changed", False)
    assert made.details == ("its text is another: always p x <= 2 -> always p x <= 9",)
    assert word(said(VIOLATED, claim="a"), said(HOLDS, claim="b")) == "changed", "another thing holds"
    assert word(said(HOLDS, claim="a"), said(VIOLATED, claim="b")) == "worse"


def test_a_claim_that_is_emptied_is_worse_also_under_a_waiver() -> None:
    was = said(VIOLATED, claim="always p x <= 2", waiver=LIVE)
    assert word(attrs.evolve(was, waiver=None), said(VACUOUS, claim="always p True")) == "worse"
    for waiver in (LIVE, None):
        made = compared(was, said(VACUOUS, claim="always p True", waiver=waiver))
        assert made is not None and (made.word, made.fails) == ("worse", True)
    made = compared(was, said(VACUOUS, claim="always p True", waiver=attrs.evolve(LIVE, answer=VACUOUS)))
    assert made is not None and (made.word, made.excused) == ("worse", True)


def test_two_models_of_one_name_are_compared_file_by_file() -> None:
    fires = said(HOLDS)
    one = [said(HOLDS, where="a.py:3"), attrs.evolve(fires, property="every action fires")]
    other = [said(VIOLATED, where="b.py:3"), attrs.evolve(said(VACUOUS), property="every action fires")]
    found = diff(report(*one, *other), report(*other, *one))
    assert (found.differences, found.same) == ((), 4)
    moved = [attrs.evolve(finding, where="c.py:3") for finding in other]
    found = diff(report(*one, *other), report(*moved, *one))
    assert (found.differences, found.same) == ((), 4), "what is left is compared in its order"


def test_an_empty_report_has_lost_everything() -> None:
    assert diff(report(HELD), report()).exit_code == 1
    assert diff(report(), report(HELD)).exit_code == 0


def test_another_counterexample_is_told_by_its_length_or_its_first_other_step() -> None:
    def path(*actions: str, **more: Any) -> Finding:
        return said(VIOLATED, counterexample=Counterexample({}, tuple(Step(a) for a in actions), "x", **more))

    def details(was: Finding, now: Finding) -> tuple[str, ...]:
        made = compared(was, now)
        return () if made is None else made.details

    assert details(path("a", "b"), path("a", "b")) == ()
    assert details(path("a", "b"), path("a", "b", "c")) == ("counterexample of 2 -> 3 steps",)
    assert details(path("a", "b"), path("a", "c")) == ("another counterexample of 2 steps: step 2 is c, was b",)
    assert details(path("a", loop=0), path("a", loop=1)) == ("the counterexample goes on otherwise",)
    other = said(VIOLATED, counterexample=Counterexample({}, (Step("a", {"x": ("0", "1")}),), "y"))
    assert details(path("a"), other) == ("the same steps, which change other things", "failed clause: x -> y")


def test_counts_reasons_and_engines_that_changed_are_told() -> None:
    made = compared(said(HOLDS, states=49, orbits=28), said(HOLDS, states=72, engine="prove"))
    assert made is not None and made.word == "changed"
    assert made.details == ("engine explore -> prove", "states 49 -> 72", "orbits 28 -> not counted")
    made = compared(said(VIOLATED, states=9), said(VIOLATED, states=99, scope={"A": 3}))
    assert made is not None and made.details == ("scope A=2 -> A=3",), "counts of another scope say nothing"
    made = compared(said(UNDETERMINED), said(UNDETERMINED, reason="memory"))
    assert made is not None and (made.word, made.details) == ("changed", ("reason: why -> memory",))


def test_what_got_worse_under_a_waiver_is_told_and_does_not_fail() -> None:
    found = diff(report(said(HOLDS)), report(said(VIOLATED, waiver=LIVE)))
    assert [(one.word, one.after, one.excused) for one in found.differences] == [("worse", "VIOLATED (waived)", True)]
    assert found.exit_code == 0
    assert summary(found) == "1 worse (1 of them waived), 0 the same"


def test_what_counts_again_because_its_waiver_is_gone_or_ended_is_worse() -> None:
    for now in (said(VIOLATED), said(VIOLATED, waiver=attrs.evolve(LIVE, ended=True))):
        assert diff(report(said(VIOLATED, waiver=LIVE)), report(now)).exit_code == 1
    made = compared(said(VIOLATED), said(VIOLATED, waiver=LIVE))
    assert made is not None and (made.word, made.details) == ("changed", ("it has a waiver now",))
    later = attrs.evolve(LIVE, expires=LIVE.expires.replace(year=2028))
    made = compared(said(VIOLATED, waiver=LIVE), said(VIOLATED, waiver=later))
    assert made is not None
    assert made.details == ("waiver until 2027-01-31, used -> until 2028-01-31, used",)


def test_a_bug_of_ours_in_the_new_report_is_never_a_success() -> None:
    found = diff(report(HELD), report(HELD, code=70))
    assert found.exit_code == 1
    assert "bug of meshspec" in lines_of(found)[0]


def test_a_property_that_stands_there_twice_is_compared_in_order() -> None:
    found = diff(report(said(HOLDS), said(VIOLATED)), report(said(HOLDS), said(HOLDS)))
    assert [one.word for one in found.differences] == ["better"]
    assert diff(report(said(HOLDS), said(HOLDS)), report(said(HOLDS))).exit_code == 1


def test_the_worst_is_told_first_and_the_json_says_the_same() -> None:
    old = report(said(HOLDS), attrs.evolve(said(VIOLATED), property="q"), BAD, IDLE)
    new = report(attrs.evolve(said(HOLDS), property="q"), said(VACUOUS), OPEN, IDLE)
    found = diff(old, new)
    assert [line.split()[0] for line in lines_of(found)][:4] == ["WORSE", "GONE", "NEW", "BETTER"]
    assert lines_of(found)[-1] == "1 worse, 1 gone, 1 new, 1 better, 1 the same"
    made = diff_object(found, "old.json", "new.json")
    assert made["counts"] == {"worse": 1, "gone": 1, "new": 1, "better": 1, "changed": 0}
    assert (made["format"], made["version"], made["exit_code"], made["same"]) == ("meshspec-diff", 1, 1, 1)
    assert {one["difference"] for one in made["properties"]} == {"worse", "gone", "new", "better"}
    told = " ".join(lines_of(found))
    for one in made["properties"]:
        assert f"{one['model']}.{one['property']}" in told


@SOME
@given(answered, answered)
def test_whatever_is_in_a_name_every_line_can_be_shown(was: list[Answered], now: list[Answered]) -> None:
    def of(many: Sequence[Answered]) -> ReadReport:
        return report_of(text(report_object(many, seed=0, exit_code=1, notes=[])).encode())

    found: Diff = diff(of(was), of(now))
    for line in lines_of(found):
        assert all(c.isprintable() for c in line)
    json.dumps(diff_object(found, "a", "b"), allow_nan=False)
    counted = sum(one.word != "gone" for one in found.differences) + found.same
    assert counted == len(now)
    assert diff(of(now), of(now)).exit_code == (0 if now else 4)
