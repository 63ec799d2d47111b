"""Lines within the columns of a terminal: wide characters, and commands that stay whole."""

from __future__ import annotations

import random
import textwrap

import pytest

from meshspec.report.wrap import cells, padded, wrap


def test_plain_text_is_wrapped_as_the_standard_library_does() -> None:
    draw = random.Random(7)
    words = ["a", "bb", "ccc  dd", "eeeeeeeeeeeeeee", "f;", "(g)", "h=1"]
    for _ in range(3000):
        text = " ".join(draw.choice(words) for _ in range(draw.randrange(15)))
        width = draw.choice([10, 20, 33])
        whole = textwrap.TextWrapper(
            width, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
        assert wrap(text, width, "  ", "    ") == whole.wrap(text)


@pytest.mark.parametrize("width", [20, 30, 60])
def test_wide_characters_count_twice_and_marks_above_them_not_at_all(width: int) -> None:
    text = "台帳 の 効果 e\u0301te\u0301 は 一度 だけ 適用 される " * 4
    lines = wrap(text, width, "  ", "    ")
    assert all(cells(line) <= width for line in lines)
    assert " ".join(line.strip() for line in lines).split() == text.split()
    assert any(cells(line) > len(line.replace("\u0301", "")) for line in lines)


def test_names_of_unlike_width_are_padded_to_one_column() -> None:
    assert {cells(padded(name, 12)) for name in ("abc", "台帳", "e\u0301t", "")} == {12}
    assert padded("longer than that", 4) == "longer than that"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("12 mutants tried; meshspec mutate M --scope A=2,B=3 tries all", "meshspec mutate M --scope A=2,B=3"),
        ("see (meshspec check 'my file.py:M' --role breaker) there", "meshspec check 'my file.py:M' --role breaker"),
        ("again: meshspec explore a/b.py --max-states 10", "meshspec explore a/b.py --max-states 10"),
        ("it is meshspec list", "meshspec list"),
        ("meshspec check, which asks about every path", "meshspec check"),
    ],
)  # fmt: skip
def test_a_command_is_in_one_line_at_every_width(text: str, command: str) -> None:
    for width in range(1, 80):
        lines = wrap(text, width)
        assert sum(command in line for line in lines) == 1
        assert " ".join(lines) == text


def test_nothing_is_no_line() -> None:
    assert wrap("", 10) == wrap("   ", 10, "  ") == []
