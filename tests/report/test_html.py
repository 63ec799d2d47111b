"""HTML in a notebook says what the terminal says, harms nothing around it, and is readable by everyone."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any, cast

import attrs
import pytest

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.display import Shown, html_of, lines_of
from meshspec.engines.check import Answered
from meshspec.engines.coverage import Coverage
from meshspec.errors import UsageError
from meshspec.report import frames, html, lines
from meshspec.report.agreement import Agreement, agreement
from meshspec.report.checked import Checked, checked
from meshspec.report.html_parts import BUDGET, DARK, LIGHT, MANY, page, say, table
from meshspec.report.text import lines_of as argued
from meshspec.topology import Topology
from tests.report.showing import charging, desk, everything, read, refuted, rules, shown_in_readme, words

EVERYTHING = (
    "a check", "an answer", "a finding", "a counterexample", "an agreement", "a model", "a state", "a kill matrix",
    "a coverage", "a state graph", "a walk", "a topology",
)  # fmt: skip

PATH = Counterexample({"x": "0"}, (Step("grow", {"x": ("0", "1")}), Step("divide", note="raises X")), "x == 1")
BAD = Finding("M", "p", Answer.VIOLATED, "explore", counterexample=PATH, where="m.py:1", replay="meshspec explore M")
HELD = Finding("M", "p", Answer.HOLDS, "explore", strength=Strength.EXHAUSTIVE, scope={"Effect": 2}, states=1_234)
OPEN = Finding("M", "p", Answer.UNDETERMINED, "prove", reason="not inductive", known="this much", settles="a lemma")
VOID = Finding("M", "p", Answer.VACUOUS, "explore", reason="never true", settles="a claim that says more")
STORY = attrs.evolve(
    PATH, steps=(Step("read", at=1), Step("(and so on)", at=0, note="CONTINUE"), Step("read", note="TRIP", at=54))
)

FINDINGS = {
    "refuted": BAD,
    "refuted at once": attrs.evolve(BAD, counterexample=attrs.evolve(PATH, steps=())),
    "refuted by a lasso": attrs.evolve(BAD, counterexample=attrs.evolve(PATH, loop=1)),
    "refuted by an end": attrs.evolve(BAD, counterexample=attrs.evolve(PATH, loop=2)),
    "refuted by a story": attrs.evolve(BAD, engine="judge", reason="it trips", counterexample=STORY),
    "refuted twice": attrs.evolve(BAD, more=(PATH,)),
    "refuted, with a reason": attrs.evolve(BAD, reason="no fairness assumed"),
    "held": HELD,
    "tested": attrs.evolve(HELD, strength=Strength.TESTED, tested=5, reason="witness: grow"),
    "proved": attrs.evolve(HELD, strength=Strength.EVERY_SIZE, reason="with lemma q"),
    "undetermined": OPEN,
    "vacuous": VOID,
}


def shown(thing: Any) -> str:
    drawn = thing._repr_html_()
    assert isinstance(drawn, str)
    return drawn


# -- the same words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", FINDINGS)
def test_a_finding_has_the_words_numbers_and_command_of_the_terminal(what: str) -> None:
    finding = FINDINGS[what]
    again = [f"replay p: {finding.replay}"] if finding.replay and finding.answer is not Answer.HOLDS else []
    expected = words(" ".join(["M", *argued(Answered(finding, (finding,)), 100), *again]))
    assert read(shown(finding)) == expected


def test_a_check_reads_as_the_command_line_prints_it() -> None:
    for found in (refuted(), checked(desk()), checked(charging(), without=("crash",))):
        assert read(shown(found)) == words(" ".join(found.lines()))


def test_what_two_engines_contradict_each_other_in_is_shown_as_our_bug() -> None:
    bug = attrs.evolve(refuted(), answered=(), notes=(), bug="explore refutes what prove says holds")
    assert read(shown(bug)) == words(" ".join(bug.lines()))
    assert "BUG of meshspec: explore refutes" in read(shown(bug))
    assert "they contradict each other: explore refutes" in read(shown(agreement(bug)))


@pytest.mark.parametrize("answer", Answer)
def test_an_answer_is_a_word_and_a_symbol_and_no_colour_alone(answer: Answer) -> None:
    finding = {one.answer: one for one in (BAD, HELD, OPEN, VOID)}[answer]
    drawn = shown(finding)
    assert f" {answer.value} " in f" {read(drawn)} "
    assert re.search(r'<span aria-hidden="true">[✓✗?∅] </span>' + answer.value, drawn)


def test_plain_text_says_the_same_where_no_html_is_shown() -> None:
    for what, thing in everything().items():
        if what != "a state":
            assert lines_of(thing), what
    assert lines_of(refuted()) == refuted().lines()


def test_ipython_is_given_plain_text_and_no_huge_repr() -> None:
    class Printer:
        said = ""

        def text(self, said: str) -> None:
            self.said += said

    thing: Any
    for what, thing in everything().items():
        if what != "a state":
            printer = Printer()
            assert "_repr_pretty_" in vars(cast(Any, type(thing))), "IPython stops at the first class with a __repr__"
            thing._repr_pretty_(printer, False)
            assert printer.said == "\n".join(lines_of(thing))


# -- every kind of object --------------------------------------------------------------------------------------


def test_everything_that_shows_itself_has_html_a_frame_and_lines() -> None:
    every: list[type] = [Shown]
    for one in every:
        every += one.__subclasses__()
    names = {f"{one.__module__}.{one.__qualname__}" for one in every[1:] if one.__module__.startswith("meshspec.")}
    assert names == set(html.VIEWS) == set(frames.VIEWS) == set(lines.VIEWS)


def test_the_list_of_everything_is_whole() -> None:
    assert tuple(everything()) == EVERYTHING


@pytest.mark.parametrize("what", EVERYTHING)
def test_html_is_well_formed_loads_nothing_runs_nothing_and_is_the_same_twice(what: str) -> None:
    drawn = shown(everything()[what])
    ET.fromstring(f"<page>{drawn}</page>")
    assert read(drawn)
    plain = drawn.replace('xmlns="http://www.w3.org/2000/svg"', "")
    for foreign in ("<script", "http:", "https:", "url(", "@import", "src=", "href=", "javascript:", " on"):
        assert foreign not in re.sub(r">[^<]*<", "><", plain), foreign
    assert drawn == shown(everything()[what])


@pytest.mark.parametrize("what", EVERYTHING)
def test_tables_have_captions_and_heads_with_a_scope(what: str) -> None:
    tree = ET.fromstring(f"<page>{shown(everything()[what])}</page>")
    for one in tree.iter("table"):
        assert (one.findtext("caption") or "").strip()
        heads = list(one.iter("th"))
        assert heads
        assert {head.get("scope") for head in heads} <= {"col", "row"}
        assert all(row.find("th") is not None for row in one.iter("tr"))


def test_what_shows_nothing_is_refused_with_what_does() -> None:
    with pytest.raises(UsageError, match=r"a int has no such view; those that have one are .*Checked"):
        html_of(3)


def test_a_state_tells_its_entries_and_what_the_others_are() -> None:
    state, job = charging()(), shown_in_readme("charging.py").Job
    assert "in_hand every one False" in read(shown(state))
    state.charge(job(1))
    assert read(shown(state)).endswith(
        "in_hand job1 True in_hand else False noted every one False charges job1 1 charges else 0"
    )


def test_a_kill_matrix_says_what_kills_each_mutant() -> None:
    text = read(shown(everything()["a kill matrix"]))
    assert "without `not self.in_hand[j]` charge" in text
    assert "A charged_at_most_once always" in text
    assert " kills killed" in text
    assert "survivors: " in text


def test_a_coverage_that_was_cut_says_so_and_holds_nothing_for_sure() -> None:
    cut = attrs.evolve(everything()["a coverage"], cut="cut off by --max-states of 3")
    assert isinstance(cut, Coverage)
    text = read(shown(cut))
    assert "(cut: cut off by --max-states of 3)" in text
    assert "exhaustive" not in text


# -- agreement -------------------------------------------------------------------------------------------------


def test_an_agreement_says_what_each_engine_said_and_that_nothing_contradicts() -> None:
    text = read(shown(everything()["an agreement"]))
    assert "property explore prove simulate together" in text
    assert "charged_at_most_once VIOLATED UNDETERMINED VIOLATED VIOLATED" in text
    assert text.endswith(
        "they agree: of 6 properties 4 were settled by more than one engine, and none contradicts another"
    )


def test_a_planted_contradiction_is_told() -> None:
    refuted_, proved = BAD, attrs.evolve(HELD, engine="prove", strength=Strength.EVERY_SIZE)
    found = Agreement("M", (Answered(refuted_, (refuted_, proved)),))
    assert found.contradictions
    assert "they contradict each other: M.p: explore refutes what prove says holds" in read(shown(found))


def test_where_one_engine_alone_spoke_nothing_was_compared() -> None:
    found = agreement(checked(charging(), engines=("explore",)))
    assert found.verdict == "nothing was compared: of 6 properties none was settled by more than one engine"
    assert Agreement("M", ()).verdict.startswith("nothing was compared: of 0 properties")


def test_an_engine_that_says_two_things_is_told_by_the_worse() -> None:
    one = Answered(VOID, (attrs.evolve(HELD), VOID))
    assert Agreement("M", (one,)).said(one, "explore") is VOID


# -- what is hostile, and what is large ------------------------------------------------------------------------

HOSTILE = (
    "<script>alert(1)</script>",
    "</div></style><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "a\x1b[31mred\x1b[0m",
    "two\nlines\r\x00\x85\u2028",
    "\u202eback\u200b\ud800",
    "&lt;b&gt; &amp;",
    "x" * 20_000,
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_text_wherever_it_stands(name: str) -> None:
    path = Counterexample({name: name}, (Step(name, {name: (name, name)}, name, where=name),), name, how=name)
    finding = Finding(
        name, name, Answer.VIOLATED, name, counterexample=path, reason=name, replay=name, where=name, more=(path,)
    )  # fmt: skip
    open_ = attrs.evolve(OPEN, subject=name, property=name, reason=name, known=name, settles=name)
    mesh = Topology([{"name": name, "kind": name, "owner": name}], [(name, name, "depends-on")])
    coverage = attrs.evolve(
        everything()["a coverage"],
        model=name,
        fired={name: 1},
        witnesses={name: 1},
        values={name: {name: 1}},
        cut=name,
    )
    for thing in (path, finding, open_, mesh, coverage, agreement(attrs.evolve(refuted(), bug=name))):
        drawn = shown(thing)
        tree = ET.fromstring(f"<page>{drawn}</page>")
        assert not {"script", "img", "iframe", "object"} & {element.tag for element in tree.iter()}
        assert not any(key.startswith("on") for element in tree.iter() for key in element.attrib)
        assert all(letter.isprintable() or letter == "\n" for letter in drawn)
        assert len(drawn) < 200_000
        assert all("\x1b" not in line and "\n" not in line for line in lines_of(thing))


def test_text_is_escaped_once() -> None:
    assert say("<b> & \"'") == "&lt;b&gt; &amp; &quot;&#x27;"
    assert say(say("<b>")) == "&lt;b&gt;"


def test_what_is_long_ends_and_says_how_much_more_there_is() -> None:
    assert say("x" * 2_010) == "x" * 2_000 + " … and 10 more characters"
    rows = read(page(table("many", ("a",), [(str(n),) for n in range(MANY + 7)])))
    assert rows.endswith("… and 7 more")


def test_a_huge_report_is_no_megabyte_of_html() -> None:
    long = "name" * 25
    steps = tuple(Step(f"{long}{n}", {f"{long}{k}": (long, long) for k in range(130)}) for n in range(12))
    path = Counterexample({f"{long}{n}": long for n in range(5_000)}, steps, long)
    finding = attrs.evolve(BAD, engine="live", counterexample=path, more=(path,) * 3)
    short = attrs.evolve(finding, more=())
    every = tuple(Answered(one, (one,)) for one in (attrs.evolve(short, property=f"p{n}") for n in range(15)))
    assert len(str(every)) > 5_000_000
    assert len(shown(finding)) < 1_000_000
    assert len(shown(Agreement("M", every))) < 1_000_000
    assert len(shown(attrs.evolve(refuted(), answered=every))) < 1_000_000
    assert len(shown(path)) < 2 * BUDGET + 100_000
    assert "more" in read(shown(path))


# -- the style -------------------------------------------------------------------------------------------------


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2: 1 to 21."""
    dark, light = sorted((_light(one), _light(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_contrast_is_computed_as_the_standard_has_it() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_has_a_contrast_of_at_least_four_and_a_half_to_every_ground(palette: dict[str, str]) -> None:
    texts = {"text", "quiet", "good", "bad", "open", "void"}
    for text in texts:
        for ground in ("page", "raised"):
            assert contrast(palette[text], palette[ground]) >= 4.5, (text, ground)
    used = set(re.findall(r"(?:^|[;{])(?:color|fill):var\(--ms-(\w+)\)", shown(BAD).replace("\n", "")))
    assert used - texts <= {"raised"}, "every colour of text is one of those that were measured"
    assert used >= texts - {"raised"}


def test_styles_touch_nothing_but_our_own() -> None:
    for selector, _ in rules(shown(BAD)):
        assert re.search(r"(^|\s)\.meshspec(\.meshspec)*(\s|$)", selector), selector


def test_the_notebooks_theme_comes_before_what_the_system_prefers() -> None:
    style = shown(BAD)
    prefers = style.index("@media (prefers-color-scheme:dark)")
    for theme, palette in (("true", LIGHT), ("false", DARK)):
        rule = f'[data-jp-theme-light="{theme}"] .meshspec'
        assert style.index(rule) > prefers
        (body,) = {body for selector, body in rules(style) if selector == rule}
        assert f"--ms-text:{palette['text']}" in body


def test_both_palettes_have_the_same_names() -> None:
    assert set(LIGHT) == set(DARK)


def test_all_is_said_without_any_style() -> None:
    bare = re.sub(r"<style>.*?</style>|class=\"[^\"]*\"", "", shown(refuted()), flags=re.DOTALL)
    assert read(bare) == read(shown(refuted()))
    assert isinstance(refuted(), Checked)


@pytest.mark.parametrize("what", [what for what in EVERYTHING if what != "a state"])
def test_printed_it_is_the_text_that_a_cell_shows(what: str) -> None:
    thing = everything()[what]
    assert str(thing) == "\n".join(lines_of(thing))
    assert "object at 0x" not in str(thing)


def test_a_table_of_guards_has_no_column_of_what_is_missing_where_nothing_is() -> None:
    found = everything()["a coverage"]
    whole = attrs.evolve(found, guards=tuple(attrs.evolve(one, true=1, false=1) for one in found.guards))
    assert "missing" not in html_of(whole)
    dead = attrs.evolve(found, guards=(attrs.evolve(found.guards[0], true=0), *whole.guards[1:]))
    assert "missing" in html_of(dead)
