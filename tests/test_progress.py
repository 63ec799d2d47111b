"""Progress: what is shown while something takes long, when, how wide, and that nothing is left of it."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace

import pytest

from meshspec import progress
from meshspec.progress import CLEAR, erase, fitted, on_terminal, showing, silent


class Terminal(io.StringIO):
    """A terminal that keeps what it is sent."""

    def isatty(self) -> bool:
        return True

    @property
    def sent(self) -> str:
        return self.getvalue()

    @property
    def left(self) -> str:
        """What stands on its last line."""
        return self.sent.rpartition("\n")[2].rpartition(CLEAR)[2]


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("meshspec.progress.time.monotonic", made.monotonic)
    return made


@pytest.fixture
def terminal(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error is a terminal, and nobody draws but who is asked to."""
    made = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=made))
    monkeypatch.setenv("TERM", "xterm")
    line = progress._Line()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(progress, "_line", line)
    monkeypatch.setattr("meshspec.progress.threading.Thread", Idle)
    return made


class Idle:
    def __init__(self, **_: object) -> None:
        pass

    def start(self) -> None:
        pass


def test_nothing_is_shown_before_half_a_second_has_passed(terminal: Terminal, clock: Clock) -> None:
    show = on_terminal()
    show("explore Ledger: 10 states")
    clock.now += 0.4
    show("explore Ledger: 20 states")
    assert terminal.sent == ""
    clock.now += 0.2
    show("explore Ledger: 30 states")
    assert terminal.left == "explore Ledger: 30 states  1 s"


def test_it_is_drawn_four_times_a_second_at_most(terminal: Terminal, clock: Clock) -> None:
    show = on_terminal()
    clock.now += 1
    for number in range(100):
        clock.now += 0.01
        show(f"explore Ledger: {number} states")
    assert 4 <= terminal.sent.count(CLEAR) <= 5


def test_the_time_is_that_of_what_is_being_done(terminal: Terminal, clock: Clock) -> None:
    show = on_terminal()
    show("explore Ledger: 1 states")
    clock.now += 10
    show("explore Ledger: 9 states")
    assert terminal.left.endswith("  10 s")
    clock.now += 1
    show("prove Ledger: at_most_once")
    assert terminal.left == "prove Ledger: at_most_once  0 s"


def test_nothing_is_left_when_it_is_over_or_something_else_is_printed(terminal: Terminal, clock: Clock) -> None:
    show = on_terminal()
    clock.now += 1
    show("explore Ledger: 1 states")
    show("")
    assert terminal.left == ""
    sent = terminal.sent
    erase()
    show("")
    assert terminal.sent == sent, "what is not there is not erased"
    clock.now += 0.3
    show("explore Ledger: 2 states")
    assert terminal.sent == sent, "half a second after what was printed"


def test_a_block_that_raises_leaves_nothing(terminal: Terminal, clock: Clock) -> None:
    clock.now += 1
    with pytest.raises(KeyboardInterrupt), showing("certify Ledger"):
        assert terminal.left == "certify Ledger  0 s"
        raise KeyboardInterrupt
    assert terminal.left == ""


@pytest.mark.parametrize("term", ["dumb", None])
def test_no_progress_where_nothing_can_be_erased(
    terminal: Terminal, term: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if term is None:
        monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=io.StringIO()))
    else:
        monkeypatch.setenv("TERM", term)
    assert on_terminal() is silent


def test_a_terminal_that_is_gone_stops_nothing(terminal: Terminal, clock: Clock) -> None:
    show = on_terminal()
    clock.now += 1
    terminal.close()
    show("explore Ledger: 1 states")
    erase()


@pytest.mark.parametrize("width", [20, 60, 80, 120])
def test_the_line_is_shorter_than_the_terminal_whatever_is_in_it(width: int) -> None:
    from rich.cells import cell_len

    for message in ("explore " + "x" * 200, "explore " + "台帳" * 100, "\x1b[31m\r\n\u202e" * 50, "e\u0301" * 300):
        line = fitted(message, 12345, width)
        assert cell_len(line) < width
        assert line.isprintable() and line.endswith("  12345 s")


def test_what_is_one_long_call_is_drawn_too(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=made))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_line", progress._Line())  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(progress, "QUIET", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.01)
    with showing("certify Ledger"):
        first = len(made.sent)
        for _ in range(1000):
            if len(made.sent) > first:
                break
            time.sleep(0.01)
        else:
            raise AssertionError("nobody draws it again")
    assert made.left == ""
