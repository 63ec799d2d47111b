"""Findings to be written in every format: plain ones with every answer, and ones with hostile text in every place."""

from __future__ import annotations

from datetime import date

import attrs
from hypothesis import settings
from hypothesis import strategies as st

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength, Waiver
from meshspec.engines.check import Answered

WAIVER = Waiver("Charging", "q", "Ada", "the service is being replaced", date(2027, 1, 31), "pyproject.toml:9")
PATH = Counterexample(
    {"charges[job0]": "0"},
    (
        Step("charge(job0)", {"charges[job0]": ("0", "1")}, where="charging.py:20"),
        Step("crash", {}, "all is lost", where="charging.py:31"),
        Step("charge(job0)", {"charges[job0]": ("1", "2")}, where="charging.py:20"),
    ),
    "charged_at_most_once(job0): charges[job0] > 1",
)
BAD = Finding(
    "Charging", "charged_at_most_once", Answer.VIOLATED, "explore", scope={"Job": 2}, states=49, orbits=28,
    counterexample=PATH, replay="meshspec explore charging.py --scope Job=2", where="charging.py:34",
)  # fmt: skip
OPEN = Finding(
    "Charging", "never_late", Answer.UNDETERMINED, "explore", reason="cut off at 1,000 states", known="so far"
)
IDLE = Finding("Charging", "every fault strikes", Answer.VACUOUS, "explore", kind="fires", reason="crash never does")
HELD = Finding(
    "Charging", "it ends", Answer.HOLDS, "live", kind="eventually", strength=Strength.EXHAUSTIVE, states=49,
    where="charging.py:40",
)  # fmt: skip
OWED = Finding(
    "guards/patience.py:Patience", "trips-on-stuck-loop", Answer.VIOLATED, "judge", kind="obligation",
    counterexample=attrs.evolve(PATH, steps=(Step("read", {}, "CONTINUE"), Step("...", at=0), Step("read", at=54))),
    reason="it never tripped", replay="meshspec check guards/patience.py:Patience --role breaker",
    facts={"says": "a stuck loop is stopped", "in production": "It goes on all night."},
)  # fmt: skip
WAIVED = attrs.evolve(BAD, property="q", waiver=WAIVER)
ENDED = attrs.evolve(BAD, property="r", waiver=attrs.evolve(WAIVER, property="r", ended=True))
NOT_NEEDED = attrs.evolve(HELD, property="s", waiver=attrs.evolve(WAIVER, property="s"))

EACH = tuple(Answered(f, (f,)) for f in (BAD, OPEN, IDLE, HELD, OWED, WAIVED, ENDED, NOT_NEEDED))
"""One of everything, of two subjects: five that fail, one that is waived, two that hold."""

NASTY = (
    "]]>", "<script>alert(1)</script>", "&amp;&#0;", "\x1b[31mred\x07", "a\nb\r\nc", "\n::error::x",
    "%0A::warning::x", "##[add-mask]x", "a,b:c=d", '"quoted"', "it's", "|a|b|", "```\n</details>", "`", "\\|",
    "[a](javascript:alert(1))", "![x](y)", "@everyone", "www.example.com",
    "{0}{{1}}", "\ud800", "\udcff", "\x00", "\ufffe", "\u202egnp.exe",
    "\u2028", "<!--", "-->", "</summary>", "\t", "\x85", "na\u00efve \u2603", "C:\\a\\b.py", "../../etc", "a" * 1100,
    "", " ", "# x", "~~~",
)  # fmt: skip
"""What a name or a value may be, to everyone's surprise."""

SOME = settings(max_examples=30, deadline=None, derandomize=True, database=None)
"""The same examples in every run."""

texts = st.one_of(
    st.sampled_from(NASTY),
    st.lists(st.sampled_from(NASTY), max_size=3).map("".join),
    st.text(st.characters(), max_size=12),
)
steps = st.builds(
    Step,
    texts,
    st.dictionaries(texts, st.tuples(texts, texts), max_size=2),
    texts,
    st.one_of(st.none(), st.integers(0, 99)),
    st.builds("{}:{}".format, texts, st.integers(-1, 10**4)),
)


@st.composite
def paths(draw: st.DrawFn) -> Counterexample:
    many = tuple(draw(st.lists(steps, max_size=3)))
    loop = draw(st.one_of(st.none(), st.integers(0, len(many))))
    return Counterexample(draw(st.dictionaries(texts, texts, max_size=2)), many, draw(texts), draw(texts), loop)


waivers = st.builds(Waiver, texts, texts, texts, texts, st.dates(), texts, st.booleans())
KINDS = ("always", "sometimes", "eventually", "obligation", "fires", "check", "evidence")


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    answer = draw(st.sampled_from(Answer))
    strength = draw(st.sampled_from(Strength)) if answer is Answer.HOLDS else None
    return Finding(
        draw(texts),
        draw(texts),
        answer,
        draw(st.sampled_from(("explore", "prove", "judge"))),
        kind=draw(st.sampled_from(KINDS)),
        strength=strength,
        scope=draw(st.dictionaries(texts, st.integers(1, 9), max_size=2)),
        counterexample=draw(st.one_of(st.none(), paths())),
        reason=draw(texts.filter(bool)),
        known=draw(texts),
        settles=draw(texts),
        replay=draw(texts),
        where=draw(st.one_of(texts, st.builds("{}:{}".format, texts, st.integers(-1, 10**4)))),
        waiver=draw(st.one_of(st.none(), waivers)),
        facts=draw(st.fixed_dictionaries({}, optional={"says": texts, "in production": texts, "more": texts})),
    )


answered = st.lists(findings().map(lambda finding: Answered(finding, (finding,))), max_size=3)
"""A run's answers, with hostile text wherever text can stand."""


def failing(many: list[Answered] | tuple[Answered, ...]) -> list[Finding]:
    """What counts in the exit code."""
    return [one.answer for one in many if one.answer.answer is not Answer.HOLDS and not one.answer.waived]
