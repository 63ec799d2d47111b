"""What every file format says of a property in the same words: its name, its place, and its argument as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import attrs

from meshspec.answer import Answer, Finding
from meshspec.engines.check import Answered
from meshspec.report.text import WIDTH, clean, headline, lines_of, scope_text, story_lines, waiver_text

LONGEST = 300
"""Characters of a title or message; the whole stands in the argument."""


@attrs.frozen
class Place:
    """A file, as messages print it, and a line of it, counted from 1."""

    file: str
    line: int


def place(where: str) -> Place | None:
    """The place in ``file:line``, or ``None`` where none is told.

    >>> place("ledger.py:12"), place("")
    (Place(file='ledger.py', line=12), None)
    """
    file, _, line = where.rpartition(":")
    if not file or not line.isascii() or not line.isdecimal() or len(line) > 9 or int(line) < 1:
        return None
    return Place(file, int(line))


def stands_at(finding: Finding) -> Place | None:
    """Where a reader is to look: the claim, or the policy that does not keep an obligation of ours."""
    return place(str(finding.facts.get("policy", finding.where)) if finding.kind == "obligation" else finding.where)


def short(text: str, longest: int = LONGEST) -> str:
    """A text in one line with nothing to obey in it, cut where it is too long for a title."""
    cleaned = clean(text)
    return cleaned if len(cleaned) <= longest else f"{cleaned[: longest - 4]} ..."


def title(finding: Finding) -> str:
    """``EffectLedger.at_most_once``."""
    return short(f"{finding.subject}.{finding.property}")


def message(one: Answered) -> str:
    """The answer and what argues for it, in one line."""
    said = headline(one)
    waived = waiver_text(one.answer) if one.answer.waiver is not None else ""
    return short("; ".join(part for part in (f"{one.answer.answer.value} {said}".rstrip(), waived) if part))


def argument(one: Answered, width: int = WIDTH) -> list[str]:
    """The argument as the terminal shows it, and the command that shows it again; nothing in it is to be obeyed."""
    lines = lines_of(one, width)
    if one.answer.kind == "obligation":
        return lines + story_lines(one.answer, width)
    if one.answer.answer is not Answer.HOLDS and one.answer.replay:
        lines.append(f"replay: {clean(one.answer.replay)}")
    return lines


def facts(finding: Finding) -> Iterator[tuple[str, str]]:
    """What a tool may sort by: name and value, in one order, only what is known."""
    yield "answer", finding.answer.value
    if finding.strength is not None:
        yield "strength", finding.strength.value
    yield "kind", finding.kind
    yield "engine", finding.engine
    if finding.scope:
        yield "scope", scope_text(finding.scope)
    for name, number in (("states", finding.states), ("orbits", finding.orbits), ("tested", finding.tested)):
        if number is not None:
            yield name, str(number)
    if finding.counterexample is not None:
        yield "steps", str(len(finding.counterexample.steps))
    if finding.waiver is not None:
        yield "waived" if finding.waived else "waiver", waiver_text(finding)
    if finding.replay:
        yield "replay", finding.replay


def by_subject(answered: Iterable[Answered]) -> Mapping[str, list[Answered]]:
    """What was answered, by model or policy, in the order in which they first appear."""
    made: dict[str, list[Answered]] = {}
    for one in answered:
        made.setdefault(one.answer.subject, []).append(one)
    return made
