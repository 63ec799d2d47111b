"""Findings as Markdown: a summary for a pull request or a job, with each argument folded away below it.

Nothing of the input is markup or calls anyone: it stands in code, every sign that could mean something written as a
character reference; arguments stand in a fence longer than any that they hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from meshspec.answer import Answer
from meshspec.engines.check import Answered
from meshspec.report.plain import argument, message, short, title
from meshspec.report.text import headline, waiver_text
from meshspec.report.text import summary as counts

LARGEST = 60_000
"""Characters of a summary: a comment on a pull request holds little more."""

MARK = "<!-- meshspec report -->"
"""The first line, which nobody sees: by it a file is known as one that may be written anew."""

_ROW = 160
_SIGNS = re.compile(r"[^\w ,/=+-]|_")


def summary(
    answered: Sequence[Answered], *, notes: Sequence[str] = (), again: str = "", largest: int = LARGEST
) -> str:
    """A document: the counts, a table of all answers, the arguments of what does not hold, what else was noted.

    What would make it longer than `largest` is left out, and this is said: what does not hold is shown first.
    """
    head = [MARK, f"## meshspec: {counts([one.answer for one in answered])}", ""]
    tail = [f"- {_code(short(note, 1000))}" for note in notes]
    tail += ["", f"Again: {_code(again)}"] if again else []
    left = largest - sum(len(line) + 1 for line in (*head, *tail)) - 400
    failing = [one for one in answered if one.answer.answer is not Answer.HOLDS]
    held = [one for one in answered if one.answer.answer is Answer.HOLDS]
    rows, left = _fitting([_row(one) for one in (*failing, *held)], left)
    table = ["| model | property | answer | |", "| --- | --- | --- | --- |", *rows] if rows else []
    details, left = _fitting([_folded(one) for one in failing], left)
    lines = [*head, *table]
    lines += _unsaid(len(answered) - len(rows), "properties are")
    lines += ["", *details]
    lines += _unsaid(len(failing) - len(details), "arguments are")
    text = "\n".join([*lines, *tail]).rstrip() + "\n"
    return text if len(text) <= largest else "\n".join([*head, *_unsaid(len(answered), "properties are")]) + "\n"


def _fitting(parts: Sequence[str], left: int) -> tuple[list[str], int]:
    """As many of the parts, from the first on, as there is room for, and the room that is left."""
    fitting: list[str] = []
    for part in parts:
        if len(part) + 1 > left:
            break
        fitting.append(part)
        left -= len(part) + 1
    return fitting, left


def _unsaid(count: int, what: str) -> list[str]:
    return ["", f"{count:,} {what} not shown here: the summary would be too long."] if count > 0 else []


def _row(one: Answered) -> str:
    finding = one.answer
    word = f"**{finding.answer.value}**" if finding.answer is not Answer.HOLDS else finding.answer.value
    cells = [_code(short(finding.subject, _ROW)), _code(short(finding.property, _ROW))]
    cells += [f"{word} (waived)" if finding.waived else word, _code(short(_said(one), _ROW))]
    return f"| {' | '.join(cells)} |"


def _said(one: Answered) -> str:
    return waiver_text(one.answer) if one.answer.waiver is not None else headline(one)


def _folded(one: Answered) -> str:
    lines = argument(one)
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(longest + 1, 3)
    head = f"{_code(title(one.answer))}: {_code(message(one))}"
    return "\n".join([f"<details><summary>{head}</summary>", "", f"{fence}text", *lines, fence, "", "</details>", ""])


def escaped(text: str) -> str:
    """A text in one line that Markdown and HTML read as these characters and nothing else.

    >>> escaped("a|b <i> `c` applied[effect0]")
    'a&#124;b &#60;i&#62; &#96;c&#96; applied&#91;effect0&#93;'
    """
    return _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", short(text, len(text) * 12))


def _code(text: str) -> str:
    return f"<code>{escaped(text)}</code>"
