"""``meshspec explain``: from the command line, at any width and in any locale."""

from __future__ import annotations

import pytest

from tests.cli.conftest import User


def test_a_word_says_what_it_means_what_goes_wrong_and_how_that_is_mended(user: User) -> None:
    said = user.run("explain", "VACUOUS")
    assert said.code == 0
    for part in ("VACUOUS (answers)", "in production: ", "mended: ", "see: vacuity; coverage"):
        assert part in said.words
    assert user.run("explain", "every", "action", "fires").code == user.run("explain", "exit", "3").code == 0


def test_a_word_with_two_meanings_is_told_both(user: User) -> None:
    said = user.run("explain", "total")
    assert "total (properties)" in said.words and "total (rules of conduct)" in said.words


def test_without_a_word_all_are_listed_by_group(user: User) -> None:
    said = user.run("explain")
    assert said.code == 0
    for group in ("answers:", "strengths:", "engines:", "obligations of a breaker:", "incidents:", "exit codes:"):
        assert group in said.lines
    assert said.lines[1] == "HOLDS; VIOLATED; UNDETERMINED; VACUOUS"


def test_an_unknown_word_is_a_usage_error(user: User) -> None:
    said = user.run("explain", "vacous")
    assert (said.code, said.out) == (2, "")
    assert "there is nothing to explain under 'vacous'; did you mean VACUOUS" in said.err
    assert "\x1b" not in user.run("explain", "\x1b[31m").err


@pytest.mark.parametrize(
    "word", ["", "prove", "EL-AT-MOST-ONCE", "ResendInDoubt", "trips-on-stuck-loop", "Fig6.naive"]
)
def test_no_line_is_wider_than_the_terminal(user: User, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = user.run("explain", *([word] if word else []))
    assert said.code == 0
    for line in said.out.splitlines():
        assert len(line) <= 60 or " " not in line.strip(), line


def test_the_c_locale_and_a_pipe_get_plain_text(user: User) -> None:
    said = user.shell(
        "explain", "N.logact.replay", env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    )
    assert said.code == 0 and said.err == "" and said.out.isascii() and "\x1b" not in said.out
