"""Findings as workflow commands of GitHub Actions: an annotation at the claim of what does not hold."""

import os
import re
from collections.abc import Sequence

from meshspec.answer import Answer
from meshspec.engines.check import Answered
from meshspec.report.plain import argument, message, short, stands_at, title
from meshspec.report.text import clean

LONGEST = 4000
"""Characters of one annotation before they are escaped; the page shows no more than about this."""

_COMMAND = re.compile(r"^(\s*)::|##\[")


def annotations(answered: Sequence[Answered], *, allow_undetermined: bool = False) -> list[str]:
    """One command for each property that does not hold: an error, or a notice where a waiver answers for it.

    What is undetermined is a warning where the run allows it.
    """
    return [
        _annotation(one, "warning" if allow_undetermined and one.answer.answer is Answer.UNDETERMINED else "error")
        for one in answered
        if one.answer.answer is not Answer.HOLDS
    ]


def _annotation(one: Answered, level: str) -> str:
    finding = one.answer
    stated = stands_at(finding)
    given = {"title": f"{finding.answer.value} {title(finding)}"}
    if stated is not None:
        given = {"file": stated.file, "line": str(stated.line), **given}
    named = ",".join(f"{name}={_property(value)}" for name, value in given.items())
    body = "\n".join([message(one), *argument(one)])
    cut = body if len(body) <= LONGEST else f"{body[: LONGEST - 4]} ..."
    return f"::{'notice' if finding.waived else level} {named}::{_data(cut)}"


def _data(text: str) -> str:
    """A message: everything that would end the command or be read as an escape is written as one."""
    return "%0A".join(clean(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    """A value before the second ``::``, where colons and commas mean something too."""
    return short(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def harmless(line: str) -> str:
    """A line as it may be printed here: under a runner of GitHub Actions, :func:`disarmed`."""
    return disarmed(line) if os.environ.get("GITHUB_ACTIONS") else line


def disarmed(line: str) -> str:
    r"""A line of other output that the runner takes for no command, whatever it quotes.

    >>> disarmed("  ::stop-commands::x"), disarmed("a ##[add-mask]b"), disarmed("at m.py::test")
    ('  \\::stop-commands::x', 'a ##\\[add-mask]b', 'at m.py::test')
    """
    return _COMMAND.sub(lambda found: r"##\[" if found[0] == "##[" else rf"{found[1]}\::", line)
