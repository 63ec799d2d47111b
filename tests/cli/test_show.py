"""``meshspec show``: what a model says, in words, as TLA+, and what TLC is told."""

from __future__ import annotations

import pytest

from tests.cli.conftest import User
from tests.report.drawing_readers import read_dot, read_mermaid, read_tex
from tests.report.tla_states import Module

GATE = '''
class Mode(Enum):
    SHUT = 0
    OPEN = 1

@model
class Gate:
    """Lets so many in."""

    most: int = 2
    weight: Map[Effect, int] = Map(1)
    mode: Mode = var(Mode.SHUT)
    inside: Map[Effect, bool] = var(False)
    last: Effect | None = var(None)
    n: Annotated[int, Range(0, 3)] = var(0)

    @action
    def enter(self, e: Effect) -> None:
        """One more."""
        require(self.mode is Mode.OPEN and not self.inside[e] and self.n < self.most)
        self.inside[e] = True
        self.last = e
        self.n += 1

    @fault
    def fall(self, by: Annotated[int, Range(1, 2)]) -> None:
        require(self.mode is Mode.SHUT)
        assert by < 2
        self.mode = Mode.OPEN

    @action
    def clear(self) -> None:
        require(self.n > 0)
        self.inside = each(Effect, lambda e: False)
        self.last = None

    @always
    def few(self) -> bool:
        return self.n <= self.most

    @sometimes
    def full(self) -> bool:
        return self.n == self.most

    @eventually(weak=("enter",))
    def somebody(self) -> bool:
        return self.n > 0
'''


def test_in_words_it_tells_variables_actions_and_claims(user: User) -> None:
    user.write(GATE)
    said = user.run("show", "mine.py")
    assert said.code == 0
    for line in (
        "Gate: Lets so many in.",
        "Effect",
        "most = 2",
        "mode: Mode, at first SHUT",
        "inside[Effect]: bool, at first False",
        "last: Effect or None, at first None",
        "n: int in 0..3, at first 0",
        "action enter(e: Effect)",
        "One more.",
        "when mode == OPEN and not inside[e] and n < 2",
        "inside[e] becomes True",
        "last becomes e",
        "n becomes n + 1",
        "fault fall(by: int in (1, 3))",
        "it raises AssertionError, which is VIOLATED",
        "last becomes None",
        "always few",
        "n <= 2",
        "sometimes full",
        "n > 0, under weak fairness of enter",
    ):
        assert line in said.lines, line


def test_as_tla_it_is_one_module_that_can_be_read_back(user: User) -> None:
    user.write(GATE)
    module, cfg = (user.run("show", "mine.py", "--format", how, "--scope", "Effect=3") for how in ("tla", "cfg"))
    assert (module.code, cfg.code) == (0, 0)
    reader = Module(module.out, cfg.out)
    assert len(reader.values["Effect"]) == 3
    (start,) = reader.starts()
    assert reader.holds("TypeOK", start) and reader.holds("Always_few", start)
    assert not reader.holds("NoActionRaises", start), "fall(2) raises"
    assert len(list(reader.steps(start))) == 1, "and only fall(1) is a step"


def test_what_is_taken_away_is_not_shown(user: User) -> None:
    user.write(GATE)
    for how in ("text", "tla"):
        assert "fall" not in user.run("show", "mine.py", "--without", "fall", "--format", how).out


def test_a_shipped_model_is_shown_by_its_name(user: User) -> None:
    assert user.run("show", "ResendInDoubt", "--format", "tla").out.startswith("---- MODULE ResendInDoubt ----\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mine.py", "--format", "html"), "Invalid value"),
        (("mine.py", "--scope", "Job=2"), "Gate ranges over Effect"),
        (("mine.py", "--without", "enter"), "Gate has the faults fall"),
        (("Nobody",), "nothing shipped is called 'Nobody'"),
    ],
)
def test_bad_input_is_a_usage_error(user: User, arguments: tuple[str, ...], message: str) -> None:
    user.write(GATE)
    said = user.run("show", *arguments)
    assert said.code == 2 and message in said.err


def test_a_model_that_cannot_be_trusted_as_it_was_read_is_not_shown(user: User) -> None:
    user.write(GATE.replace("assert by < 2", "import operator; assert not operator.is_(self.n, 1)"))
    said = user.run("show", "mine.py", "--format", "tla")
    assert (said.code, said.out) == (2, "") and "cannot be trusted as it was read" in said.err


@pytest.mark.parametrize("how", ["latex", "mermaid", "dot"])
def test_in_every_other_format_it_is_what_a_reader_of_that_format_takes(user: User, how: str) -> None:
    user.write(GATE.replace("assert by < 2", "pass").replace("self.n += 1", "self.n = min(self.n + 1, 3)"))
    said = user.run("show", "mine.py", "--format", how, "--scope", "Effect=1")
    assert said.code == 0 and said.err == ""
    {"latex": read_tex, "mermaid": read_mermaid, "dot": read_dot}[how](said.out)


def test_one_property_alone_is_shown_and_one_that_there_is_not_is_refused(user: User) -> None:
    user.write(GATE)
    for how in ("text", "latex", "tla"):
        said = user.run("show", "mine.py", "--property", "few", "--format", how)
        assert said.code == 0 and "few" in said.out and "full" not in said.out
    said = user.run("show", "mine.py", "--property", "no action raises", "--format", "dot", "--scope", "Effect=1")
    assert said.code == 0 and "refutes no action raises" in said.out
    said = user.run("show", "mine.py", "--property", "fewer")
    assert said.code == 2 and "Gate has no property 'fewer'; did you mean few?" in said.err


def test_too_many_states_are_not_drawn_and_it_says_what_to_do_instead(user: User) -> None:
    said = user.run("show", "EffectLedger", "--format", "mermaid")
    assert (said.code, said.out) == (2, "")
    assert "a smaller --scope than Effect=2, or --format dot, which draws up to 5,000, or meshspec step" in said.err
