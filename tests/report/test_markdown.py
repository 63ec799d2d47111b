"""The summary in Markdown, read by a parser of Markdown."""

from __future__ import annotations

import html
import re

import attrs
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from meshspec.answer import Answer
from meshspec.engines.check import Answered
from meshspec.report.markdown import MARK, escaped, summary
from meshspec.report.plain import argument, short
from tests.report.hostile import BAD, EACH, HELD, SOME, WAIVED, answered, texts

READER = MarkdownIt("commonmark").enable("table")


def rows(text: str) -> list[list[str]]:
    """The cells of the table's rows, as a reader sees them."""
    made: list[list[str]] = []
    for token in READER.parse(text):
        if token.type == "tr_open":
            made.append([])
        if token.type == "inline" and made and len(made[-1]) < 4:
            made[-1].append(seen(token.content))
    return made[1:]


def seen(content: str) -> str:
    return html.unescape(re.sub(r"</?code>|\*\*", "", content))


def fences(text: str) -> list[str]:
    return [token.content for token in READER.parse(text) if token.type == "fence"]


def test_the_counts_stand_first() -> None:
    mark, head = summary(EACH).splitlines()[:2]
    assert mark == MARK
    assert head == "## meshspec: 3 violated, 1 vacuous, 1 undetermined, 1 violated (waived), 2 hold"
    assert summary([]) == f"{MARK}\n## meshspec: nothing was checked\n"


def test_every_answer_has_a_row_and_what_does_not_hold_comes_first() -> None:
    told = rows(summary(EACH))
    assert [row[2] for row in told] == [
        "VIOLATED", "UNDETERMINED", "VACUOUS", "VIOLATED", "VIOLATED (waived)", "VIOLATED", "HOLDS", "HOLDS",
    ]  # fmt: skip
    assert told[0] == ["Charging", "charged_at_most_once", "VIOLATED", "in 3 steps (shortest, explore)"]
    assert told[4][3] == "waived until 2027-01-31 by Ada: the service is being replaced"
    assert told[6][3] == "in scope (exhaustive, 49 states)"


def test_the_argument_of_what_does_not_hold_is_folded_below() -> None:
    text = summary([Answered(f, (f,)) for f in (BAD, HELD, WAIVED)])
    bad, waived = fences(text)
    assert bad.splitlines() == argument(Answered(BAD, (BAD,)))
    assert waived.splitlines() == argument(Answered(WAIVED, (WAIVED,)))
    assert text.count("<details>") == text.count("</details>") == 2


def test_notes_and_the_command_stand_last() -> None:
    text = summary(EACH, notes=["a | note"], again="meshspec check x_y.py")
    assert text.endswith("- <code>a &#124; note</code>\n\nAgain: <code>meshspec check x&#95;y&#46;py</code>\n")


def test_a_fence_in_an_argument_is_held_by_a_longer_one() -> None:
    odd = attrs.evolve(BAD, replay="````` ```")
    text = summary([Answered(odd, (odd,))])
    assert "\n``````text\n" in text
    (held,) = fences(text)
    assert held.splitlines()[-1] == "replay: ````` ```"


def test_what_would_be_too_long_is_left_out_and_this_is_said() -> None:
    many = [Answered(f, (f,)) for n in range(400) for f in [attrs.evolve(BAD, property=f"p{n}")]]
    text = summary(many, largest=20_000)
    assert len(text) <= 20_000
    assert len(rows(text)) + int(re.findall(r"(\d+) properties are not shown", text)[0]) == 400
    assert len(fences(text)) + int(re.findall(r"(\d+) arguments are not shown", text)[0]) == 400
    assert text.startswith(f"{MARK}\n## meshspec: 400 violated\n")
    assert len(summary(many, notes=["x" * 900] * 400, largest=5_000)) <= 5_000


@SOME
@given(texts)
def test_an_escaped_text_is_read_as_it_was_and_is_no_markup(text: str) -> None:
    inside = READER.renderInline(escaped(text))
    assert "<" not in inside and "@" not in escaped(text)
    assert html.unescape(inside).strip() == short(text, 10**6).strip()


@SOME
@given(answered, st.lists(texts, max_size=2))
def test_whatever_is_in_a_name_nothing_of_it_is_markup(many: list[Answered], notes: list[str]) -> None:
    text = summary(many, notes=notes)
    assert all(c.isprintable() or c == "\n" for c in text)
    tokens = READER.parse(text)
    inline = [child for token in tokens for child in (token.children or [])]
    blocks = "".join(token.content for token in tokens if token.type == "html_block")
    tags = re.findall(r"<[^>]*>", blocks) + [child.content for child in inline if child.type == "html_inline"]
    assert set(tags) <= {MARK, "<code>", "</code>", "<details>", "</details>", "<summary>", "</summary>"}
    assert {child.type for child in inline} <= {"text", "html_inline", "strong_open", "strong_close", "softbreak"}
    shown = [one for one in many if one.answer.answer is not Answer.HOLDS]
    if "not shown here" not in text:
        assert len(rows(text)) == len(many)
        held = [content.splitlines() for content in fences(text)]
        assert held == [argument(one) for one in shown]
