"""Findings as text: an argument to be read, in the columns there are."""

from __future__ import annotations

from datetime import date

import attrs
import pytest

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength, Waiver
from meshspec.engines.check import Answered
from meshspec.report.text import (
    clean,
    deadlock_line,
    headline,
    lines_of,
    paragraph,
    seen_line,
    strength_text,
    summary,
    waiver_text,
)

HELD = Finding("M", "p", Answer.HOLDS, "explore", strength=Strength.EXHAUSTIVE, scope={"Effect": 2}, states=1_234)
PROVED = Finding("M", "p", Answer.HOLDS, "prove", strength=Strength.EVERY_SIZE, reason="with lemma q")
PATH = Counterexample({"x": "0"}, (Step("grow", {"x": ("0", "1")}), Step("divide", note="raises X")), "x == 1")
BAD = Finding("M", "p", Answer.VIOLATED, "explore", counterexample=PATH, where="m.py:1")
OPEN = Finding("M", "p", Answer.UNDETERMINED, "prove", reason="not inductive", known="this much", settles="a lemma")


def said(*findings: Finding) -> list[str]:
    return lines_of(Answered(findings[0], findings))


@pytest.mark.parametrize(
    ("finding", "text"),
    [
        (HELD, "in scope (exhaustive, 1,234 states, Effect=2)"),
        (PROVED, "for every size"),
        (attrs.evolve(HELD, strength=Strength.K_INDUCTION, states=None), "in scope (k-induction, Effect=2)"),
        (attrs.evolve(HELD, strength=Strength.TESTED, tested=5), "tested (5 runs)"),
        (attrs.evolve(HELD, strength=Strength.TESTED, tested=5, facts={"unit": "steps"}), "tested (5 steps)"),
        (BAD, ""),
    ],
)
def test_the_strength_always_stands_beside_holds(finding: Finding, text: str) -> None:
    assert strength_text(finding) == text


def test_every_strength_that_was_reached_is_told_the_strongest_first() -> None:
    assert headline(Answered(PROVED, (HELD, PROVED))) == f"for every size; {strength_text(HELD)}"


def test_steps_that_are_left_out_of_a_story_are_not_counted() -> None:
    calls = (Step("read", at=1), Step("(and so on)", at=0), Step("read", note="TRIP", at=54))
    story = attrs.evolve(BAD, engine="judge", reason=PATH.failed, counterexample=attrs.evolve(PATH, steps=calls))
    assert [line.split() for line in said(story)[:4]] == [
        ["VIOLATED", "p", "x", "==", "1"],
        ["1.", "read"],
        ["(and", "so", "on)"],
        ["54.", "read", "TRIP"],
    ]


def test_a_counterexample_is_a_numbered_argument_with_only_what_changed() -> None:
    assert said(BAD) == [
        "VIOLATED      p  in 2 steps (shortest, explore)",
        "      1. grow    x 0 -> 1",
        "      2. divide  raises X",
        "    so x == 1",
        "              stated at m.py:1",
    ]


def test_a_counterexample_of_no_step_and_of_one() -> None:
    at_once = attrs.evolve(BAD, counterexample=attrs.evolve(PATH, steps=()))
    assert said(at_once)[:2] == ["VIOLATED      p  in 0 steps (shortest, explore)", "    in the initial state"]
    one = attrs.evolve(BAD, counterexample=attrs.evolve(PATH, steps=PATH.steps[:1]))
    assert said(one)[0] == "VIOLATED      p  in 1 step (shortest, explore)"


def test_undetermined_says_why_what_is_known_and_what_would_settle_it() -> None:
    assert said(OPEN) == [
        "UNDETERMINED  p  not inductive",
        "              known so far: this much",
        "              would settle it: a lemma",
    ]


def test_what_holds_in_scope_and_is_not_proved_says_what_stands_in_the_way() -> None:
    cti = {"scope": {}, "state": {"x": "5"}, "action": "grow", "changes": {}, "false": "x == 6"}
    text = "\n".join(said(HELD, attrs.evolve(OPEN, facts={"cti": cti})))
    assert "HOLDS         p  in scope" in text
    assert "not proved for every size: in the state x = 5" in text
    assert "the step grow makes it false: x == 6" in text
    assert "not proved for every size: not inductive" in "\n".join(said(HELD, OPEN))


def test_names_are_padded_to_a_column() -> None:
    assert lines_of(Answered(PROVED, (PROVED,)), column=4)[0] == "HOLDS         p     for every size"


def test_control_characters_are_written_out_and_letters_are_not() -> None:
    assert clean("a\x1b[31m\r\n\u202eb \u00e9 \u4e2d") == "a\\x1b[31m\\r\\n\\u202eb \u00e9 \u4e2d"
    odd = attrs.evolve(BAD, property="p\x1b", counterexample=attrs.evolve(PATH, failed="x\x07", steps=(Step("s\n"),)))
    assert all(line.isprintable() for line in said(odd))


@pytest.mark.parametrize("width", [60, 80, 100])
def test_long_text_is_wrapped_and_long_names_stay_whole(width: int) -> None:
    path = "/a/very-long/folder-name/" * 5 + "model.py:12"
    long = attrs.evolve(OPEN, reason="because " * 40, known=path, property="n" * 30)
    lines = lines_of(Answered(long, (long,)), width)
    assert path in [line.strip() for line in lines]
    assert all(len(line) <= width for line in lines if path not in line)
    assert all(len(line) <= width for line in paragraph("word " * 60, width))


def test_the_summary_counts_in_the_order_of_exit_codes() -> None:
    assert summary([HELD, OPEN, BAD, HELD]) == "1 violated, 1 undetermined, 2 hold"
    assert summary([]) == "nothing was checked"


WAIVER = Waiver("M", "p", "Ada", "being mended", date(2027, 1, 31))


def test_what_is_waived_is_counted_apart_and_what_a_waiver_excused_is_not() -> None:
    waived = [
        attrs.evolve(finding, waiver=attrs.evolve(WAIVER, answer=finding.answer)) for finding in (BAD, OPEN, HELD)
    ]
    assert summary([*waived, BAD]) == "1 violated, 1 violated (waived), 1 undetermined (waived), 1 hold"
    ended = [attrs.evolve(finding, waiver=attrs.evolve(WAIVER, ended=True)) for finding in (BAD, OPEN, HELD)]
    assert summary(ended) == "1 violated, 1 undetermined, 1 hold"


def test_what_is_waived_is_shown_with_its_whole_argument_and_who_answers_for_it() -> None:
    lines = said(attrs.evolve(BAD, waiver=WAIVER))
    assert [line for line in lines if line not in said(BAD)] == [
        f"{'':<14}waived until 2027-01-31 by Ada: being mended"
    ]
    assert lines[1].strip() == waiver_text(attrs.evolve(OPEN, waiver=attrs.evolve(WAIVER, answer=OPEN.answer)))
    assert len(lines) == len(said(BAD)) + 1


def test_a_waiver_that_ended_or_is_not_needed_says_so() -> None:
    ended = said(attrs.evolve(BAD, waiver=attrs.evolve(WAIVER, ended=True)))[1]
    assert ended.strip() == "its waiver ended on 2027-01-31, and excuses nothing: Ada: being mended"
    held = said(attrs.evolve(HELD, waiver=WAIVER))[1]
    assert held.strip() == "its waiver until 2027-01-31 is no longer needed and can be deleted: Ada: being mended"


@pytest.mark.parametrize(
    ("deadlocks", "complete", "text"),
    [(0, True, "no deadlock"), (1, True, "1 deadlock"), (2, False, "2 deadlocks (cut)")],
)
def test_what_was_seen_on_the_whole(deadlocks: int, complete: bool, text: str) -> None:
    facts = {"transitions": 5, "depth": 3, "deadlocks": deadlocks, "complete": complete, "deadlock": None}
    assert seen_line([attrs.evolve(HELD, facts=facts)]) == f"1,234 states, 5 transitions, 3 steps deep, {text}"
    assert seen_line([PROVED]) == deadlock_line([PROVED]) == ""
    assert deadlock_line([attrs.evolve(HELD, facts=facts)]) == ""


def test_the_way_into_a_deadlock() -> None:
    for path, text in ((["a", "b"], "no action is enabled after: a, b"), ([], "no action is enabled at the start")):
        assert deadlock_line([attrs.evolve(HELD, facts={"deadlock": path})]) == text


def test_an_obstacle_to_a_proof_is_told_once() -> None:
    cti = {"scope": {}, "state": {"x": "5"}, "action": "grow", "changes": {}, "false": "x == 6"}
    reason = "not inductive: grow leads from a state to one that does not: x == 6; searched for lemmas: none helps"
    text = "\n".join(said(attrs.evolve(OPEN, reason=reason, facts={"cti": cti})))
    assert "UNDETERMINED  p  not inductive; searched for lemmas: none helps" in text
    assert text.count("x == 6") == 1 and "the step grow makes it false: x == 6" in text
