"""Text in lines that a terminal shows within its columns: wide characters take two, commands stay in one piece."""

from __future__ import annotations

import re

_COMMAND = re.compile(
    r"\bmeshspec [a-z]+(?: (?!-)(?:'[^']*'|[^\s;,]+))?(?: --[a-z-]+(?:[ =](?!-)(?:'[^']*'|[^\s;]+))?)*"
)
"""A command: the program, what it does, to what, and the options with their values."""

_PIECE = re.compile(r"( *)([^ ]+)")


def cells(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> cells("abc"), cells("日本"), cells("e\\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, column: int) -> str:
    """The text with blanks after it, up to so many columns."""
    return text + " " * max(0, column - cells(text))


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most `width` columns, the first begun with `first` and the others with `rest`.

    A word (a path, a name) that is longer stays whole, and so does a command: it is there to be copied.

    >>> wrap("see meshspec explore M --scope A=2 for more", 20)
    ['see', 'meshspec explore M --scope A=2', 'for more']
    """
    lines: list[str] = []
    line, used = first, False
    for gap, word in _pieces(text):
        if used and cells(line) + len(gap) + cells(word) > width:
            lines.append(line)
            line, used = rest, False
        line += (gap if used else "") + word
        used = True
    return [*lines, line] if used else []


def _pieces(text: str) -> list[tuple[str, str]]:
    """Words and commands, each with the blanks before it."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for command in _COMMAND.finditer(text):
        end = text.find(" ", command.end())
        end = len(text) if end < 0 else end  # with the comma or bracket that follows it
        begin = text.rfind(" ", at, command.start()) + 1 or at
        if begin < at:
            continue
        pieces += _PIECE.findall(text[at:begin])
        gap = begin - len(text[:begin].rstrip(" "))
        pieces.append((" " * gap, text[begin:end]))
        at = end
    return pieces + _PIECE.findall(text[at:])
