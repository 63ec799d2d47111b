"""Lines of a report with colour, where there is a terminal to show it.

Colour repeats what the words say and says nothing by itself. It is put on finished lines, so that what a pipe gets
and what a terminal gets differ in nothing else: no line is broken, cut or interpreted on the way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TextIO

Span = tuple[str, int, int]
"""A style, and where it begins and ends."""

Paint = Callable[[str], str]

ANSWERS = {"HOLDS": "green", "VIOLATED": "bold red", "UNDETERMINED": "yellow", "VACUOUS": "magenta"}

_ANSWER = re.compile(r" {0,8}(HOLDS|VIOLATED|UNDETERMINED|VACUOUS)(?= |$)")
_STEP = re.compile(r" {2,}\d+\. (\S+(?:\([^()]*\))?)")
_LABEL = re.compile(r" *(fences:|replay [^:]+:|again:|counterexample \d+,)")
_WHY = re.compile(r" {4,}so (?=\S)")
_LAST = re.compile(r"\S.*; seed -?\d+; exit (\d+)$")
_COUNT = re.compile(r"\d+ (violated|vacuous|undetermined|hold)\b")
_BUG = re.compile(r" *(BUG of meshspec:)")
_HEADING = re.compile(r"(\w[^ ]*(?: \(.*?\))?)(?=  \[|$)")  # a name, and where it is found, before its figures
_OF = {"violated": "VIOLATED", "vacuous": "VACUOUS", "undetermined": "UNDETERMINED", "hold": "HOLDS"}


def wanted(stream: TextIO, environment: Mapping[str, str] | None = None) -> bool:
    """Whether a stream gets colour: a terminal does, unless ``NO_COLOR`` or a dumb terminal says no.

    ``FORCE_COLOR`` gives it to anything; ``NO_COLOR`` takes it from anything. Either counts when it is not empty.
    """
    known = os.environ if environment is None else environment
    if known.get("NO_COLOR"):
        return False
    if known.get("FORCE_COLOR"):
        return True
    return known.get("TERM") not in ("dumb", "unknown") and stream.isatty()


def painter(stream: TextIO) -> Paint:
    """What to send lines of text through, in their order, before they go to a stream."""
    return _Painter() if wanted(stream) else str


class _Painter:
    """Knows, of the line before, how far in it would go on: a clause that failed may take several lines."""

    def __init__(self) -> None:
        self.inside = 0

    def __call__(self, line: str) -> str:
        indent = len(line) - len(line.lstrip())
        if self.inside and indent == self.inside:
            return _painted(line, [("bold", indent, len(line))])
        why = _WHY.match(line)
        self.inside = indent + 2 if why else 0
        return _painted(line, list(spans(line)))


def spans(line: str) -> Iterator[Span]:
    """Which parts of a line of a report have which style."""
    if found := _ANSWER.match(line):
        yield ANSWERS[found[1]], *found.span(1)
    elif found := _STEP.match(line):
        yield "dim", len(line) - len(line.lstrip()), found.start(1)
        yield "bold", *found.span(1)
    elif found := _BUG.match(line):
        yield "bold red", *found.span(1)
    elif found := _LABEL.match(line):
        yield "dim", *found.span(1)
    elif found := _WHY.match(line):
        yield "bold", found.end(), len(line)
    elif found := _LAST.match(line):
        for counted in _COUNT.finditer(line):
            yield ANSWERS[_OF[counted[1]]], *counted.span()
        yield "bold", line.rindex("exit "), len(line)
    elif found := _HEADING.match(line):
        yield "bold", *found.span(1)


def _painted(line: str, found: Sequence[Span]) -> str:
    if not found:
        return line
    from rich.text import Text

    text = Text(line, no_wrap=True, end="")
    for style, begin, end in found:
        text.stylize(style, begin, end)
    return "".join(
        part.style.render(part.text, color_system=_colours()) if part.style else part.text
        for part in text.render(_console())
    )


_made: dict[str, Any] = {}


def _console() -> Any:
    """Only for what styles mean; nothing is printed with it."""
    if "console" not in _made:
        from rich.console import Console

        _made["console"] = Console(force_terminal=True, color_system="standard", markup=False, highlight=False)
    return _made["console"]


def _colours() -> Any:
    if "colours" not in _made:
        from rich.color import ColorSystem

        _made["colours"] = ColorSystem.STANDARD  # the sixteen that a user has chosen for her own background
    return _made["colours"]
