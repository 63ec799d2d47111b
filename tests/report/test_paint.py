"""Colour: where there is any, that it says nothing by itself, and that nothing else of a line changes."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping

import pytest

from meshspec.report.paint import ANSWERS, painter, spans, wanted

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")

REPORT = """\
Ledger (mine.py)  [scope Effect=2: 27 states, 63 transitions, 6 steps deep, no deadlock]
  VIOLATED      at_most_once      in 3 steps (shortest, explore)
        1. send(effect0)  sent[effect0] False -> True
        2. crash          up True -> False
      then for ever:
       10. recover        up False -> True
      so at_most_once(effect0): applied[effect0] > 1, where applied[effect0] = 2 and this
        goes on in a second line
                stated at mine.py:31
  HOLDS         small             in scope (exhaustive, 27 states)
  UNDETERMINED  late              cut off
  VACUOUS
  [bold]no markup[/] and no :smile:
  replay at_most_once: meshspec explore mine.py --scope Effect=2
  BUG of meshspec: two engines contradict each other

1 violated, 1 vacuous (waived), 2 undetermined, 10 hold; seed 0; exit 1
again: meshspec check mine.py""".splitlines()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return list(map(painter(Terminal()), REPORT))


def test_a_painted_line_is_the_same_line(lines: list[str]) -> None:
    assert [ESCAPE.sub("", line) for line in lines] == REPORT
    assert lines != REPORT


@pytest.mark.parametrize(
    ("word", "style"), [("HOLDS", "32"), ("VIOLATED", "1;31"), ("UNDETERMINED", "33"), ("VACUOUS", "35")]
)
def test_each_answer_has_its_colour_and_stays_a_word(lines: list[str], word: str, style: str) -> None:
    assert word in ANSWERS
    assert any(f"\x1b[{style}m{word}\x1b[0m" in line for line in lines)


def test_a_clause_that_failed_stands_out_in_all_its_lines(lines: list[str]) -> None:
    first, second, after = lines[6:9]
    assert first.startswith("      so \x1b[1mat_most_once") and first.endswith("\x1b[0m")
    assert second == "        \x1b[1mgoes on in a second line\x1b[0m"
    assert after == REPORT[8]


def test_what_a_command_says_can_be_copied_with_nothing_around_it(lines: list[str]) -> None:
    assert lines[13].endswith("\x1b[0m meshspec explore mine.py --scope Effect=2")
    assert lines[-1].endswith("\x1b[0m meshspec check mine.py")


def test_an_author_s_brackets_and_colons_are_no_markup(lines: list[str]) -> None:
    assert lines[12] == REPORT[12]


def test_the_last_line_counts_in_colour(lines: list[str]) -> None:
    assert lines[-2] == (
        "\x1b[1;31m1 violated\x1b[0m, \x1b[35m1 vacuous\x1b[0m (waived), \x1b[33m2 undetermined\x1b[0m, "
        "\x1b[32m10 hold\x1b[0m; seed 0; \x1b[1mexit 1\x1b[0m"
    )


def test_spans_are_in_the_line_and_do_not_overlap() -> None:
    for line in REPORT:
        end = 0
        for _, begin, stop in spans(line):
            assert end <= begin < stop <= len(line)
            end = stop


@pytest.mark.parametrize(
    ("environment", "terminal", "pipe"),
    [
        ({"TERM": "xterm"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, False),
        ({"TERM": "xterm", "FORCE_COLOR": "1"}, True, True),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
        ({"TERM": "xterm", "FORCE_COLOR": ""}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({}, True, False),
    ],
)
def test_who_gets_colour(environment: Mapping[str, str], terminal: bool, pipe: bool) -> None:
    assert wanted(Terminal(), environment) is terminal
    assert wanted(io.StringIO(), environment) is pipe
