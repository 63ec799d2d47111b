"""Two JSON reports compared, property by property: what got worse, what is gone, what is new, better or changed.

The order, from best to worst, is HOLDS (the stronger the better), UNDETERMINED, VACUOUS, VIOLATED:

- a refutation is knowledge, and bad;
- what is vacuous says nothing, and would go on saying nothing however often it is asked;
- what is undetermined was asked properly and may yet hold;
- of what holds, every size is more than one scope, and a scope walked through is more than what was tried.

Going down that order is worse. Going up is better only where it ends at HOLDS: from VIOLATED to UNDETERMINED the path
that refuted it may only be out of the bounds of the new search, and nothing shows that it is gone. That is a change.
So is a claim whose text is another, where it is not worse: what holds is not what was asked before. Where it says
nothing any more it is worse. A property that is gone is never a success, nor is a new one that does not hold. What a
waiver excuses in the new report is told and does not fail.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs

from meshspec.report.read import ReadFinding, ReadProperty, ReadReport
from meshspec.report.text import WIDTH, paragraph, scope_text

FORMAT = "meshspec-diff"
VERSION = 1

Word = Literal["worse", "gone", "new", "better", "changed"]
WORDS: tuple[Word, ...] = ("worse", "gone", "new", "better", "changed")
_BROKEN = {
    2: "the new report tells that nothing was checked (exit 2): nothing follows from it",
    70: "the new report tells of a bug of meshspec (exit 70): nothing follows from it",
}

_STRENGTH = {"every size": 3, "exhaustive": 2, "k-induction": 2, "tested": 1}
_ANSWER = {"HOLDS": 3, "UNDETERMINED": 2, "VACUOUS": 1, "VIOLATED": 0}


@attrs.frozen
class Difference:
    """What became of one property: ``before`` and ``after`` are its answers in words, empty where it is not there.

    ``excused`` says that a waiver in the new report answers for it; ``details`` are what changed beside the answer;
    ``holds`` whether it holds in the new report.
    """

    word: Word
    model: str
    property: str
    before: str = ""
    after: str = ""
    details: tuple[str, ...] = ()
    excused: bool = False
    holds: bool = False

    @builtins.property
    def fails(self) -> bool:
        return not self.excused and (self.word in ("worse", "gone") or (self.word == "new" and not self.holds))


@attrs.frozen
class Diff:
    """All differences, in the order of the new report (what is gone last), and what was asked for otherwise."""

    differences: tuple[Difference, ...]
    settings: tuple[str, ...]
    same: int
    broken: str = ""

    @builtins.property
    def exit_code(self) -> int:
        """1 if something got worse, is gone, is new and does not hold, or the new report tells of a bug.

        4 if there was nothing to compare, else 0.
        """
        if self.broken or any(one.fails for one in self.differences):
            return 1
        return 0 if self.differences or self.same else 4


def diff(old: ReadReport, new: ReadReport) -> Diff:
    """Compare two reports.

    Of a property that stands in one several times, those of one file are compared, what is left in its order.
    """
    before, after = _paired(old.properties, new.properties)
    found: list[Difference] = []
    same = 0
    for key, now in after.items():
        was = before.get(key)
        made = _new(now) if was is None else _compared(was, now)
        same += made is None
        found += [made] if made is not None else []
    for key, was in before.items():
        if key not in after:
            found.append(Difference("gone", was.model, was.property, before=answer_text(was)))
    settings = [f"seed {old.seed} before, {new.seed} now"] if old.seed != new.seed else []
    settings += _scopes(before, after)
    broken = _BROKEN.get(new.exit_code, "")
    return Diff(tuple(found), tuple(settings), same, broken)


_Key = tuple[str, str, str, int]


def _paired(
    old: Sequence[ReadProperty], new: Sequence[ReadProperty]
) -> tuple[dict[_Key, ReadProperty], dict[_Key, ReadProperty]]:
    """Both sides, what is to be compared under the same key."""
    before, after = _by_file(old), _by_file(new)
    shared = before.keys() & after.keys()
    made: list[dict[_Key, ReadProperty]] = []
    for side in (before, after):
        left: Counter[tuple[str, str]] = Counter()
        keyed: dict[_Key, ReadProperty] = {}
        for key, one in side.items():
            if key not in shared:
                name = key[:2]
                key = (*name, "\0", left[name])  # in no file: what is left, in its order
                left[name] += 1
            keyed[key] = one
        made.append(keyed)
    return made[0], made[1]


def _by_file(properties: Sequence[ReadProperty]) -> dict[_Key, ReadProperty]:
    """Each with its model, its name, its model's file, and how many of the same there were before it."""
    seen: Counter[tuple[str, str, str]] = Counter()
    made: dict[_Key, ReadProperty] = {}
    for model in _models(properties):
        files = (one.where.rpartition(":")[0] for one in model if one.kind != "waiver")
        file = next(filter(None, files), "")
        for one in model:
            key = (one.model, one.property, file)
            made[(*key, seen[key])] = one
            seen[key] += 1
    return made


def _models(properties: Sequence[ReadProperty]) -> Iterator[list[ReadProperty]]:
    """The properties of each model: those that follow each other, until one comes again."""
    told: list[ReadProperty] = []
    for one in properties:
        if told and (one.model != told[0].model or any(one.property == other.property for other in told)):
            yield told
            told = []
        told.append(one)
    if told:
        yield told


def _scopes(before: Mapping[_Key, ReadProperty], after: Mapping[_Key, ReadProperty]) -> Iterator[str]:
    """For each model asked about in another scope: both scopes, once."""
    told: set[str] = set()
    for key, now in after.items():
        was = before.get(key)
        if was is not None and was.scope and now.scope and was.scope != now.scope:
            line = f"{now.model}: scope {scope_text(was.scope)} before, {scope_text(now.scope)} now"
            if line not in told:
                told.add(line)
                yield line


def answer_text(finding: ReadFinding) -> str:
    """``HOLDS, exhaustive``, ``VIOLATED in 6 steps``, ``VACUOUS (waived)``."""
    said: str = finding.answer
    if finding.strength is not None:
        said += f", {finding.strength}"
    elif finding.counterexample is not None:
        steps = len(finding.counterexample)
        said += f" in {steps} step{'s' if steps != 1 else ''}"
    return f"{said} (waived)" if finding.waived else said


def _new(now: ReadProperty) -> Difference:
    holds = now.answer == "HOLDS"
    return Difference("new", now.model, now.property, after=answer_text(now), excused=now.waived, holds=holds)


def _compared(was: ReadProperty, now: ReadProperty) -> Difference | None:
    details = tuple(_details(was, now))
    word = _word(was, now)
    if word == "changed" and not details and answer_text(was) == answer_text(now):
        return None
    texts, holds = (answer_text(was), answer_text(now)), now.answer == "HOLDS"
    return Difference(word, now.model, now.property, *texts, details, excused=now.waived, holds=holds)


def _word(was: ReadFinding, now: ReadFinding) -> Word:
    if was.waived and not now.waived and now.answer != "HOLDS":
        return "worse"  # it counts again
    word = _ordered(was, now)
    if not _reworded(was, now):
        return word
    if now.answer == "VACUOUS" != was.answer:
        return "worse"
    return "changed" if word == "better" else word


def _reworded(was: ReadFinding, now: ReadFinding) -> bool:
    return was.claim != now.claim


def _ordered(was: ReadFinding, now: ReadFinding) -> Word:
    if was.answer != now.answer:
        if _ANSWER[now.answer] < _ANSWER[was.answer]:
            return "worse"
        return "better" if now.answer == "HOLDS" else "changed"
    if was.strength is not None and now.strength is not None:
        step = _STRENGTH[now.strength] - _STRENGTH[was.strength]
        if step == 0 and now.strength in ("exhaustive", "k-induction"):
            step = _wider(was.scope, now.scope)
        return "better" if step > 0 else "worse" if step < 0 else "changed"
    return "changed"


def _wider(was: Mapping[str, int], now: Mapping[str, int]) -> int:
    """1 where every sort is at least as large and some is larger, -1 the other way round, else 0: not comparable."""
    if was.keys() != now.keys():
        return 0
    larger = any(now[name] > size for name, size in was.items())
    smaller = any(now[name] < size for name, size in was.items())
    return larger - smaller


def _details(was: ReadFinding, now: ReadFinding) -> Iterator[str]:
    if _reworded(was, now):
        yield f"its text is another: {was.claim or 'none'} -> {now.claim or 'none'}"
    if was.scope != now.scope:  # its counts are of other things then
        yield f"scope {scope_text(was.scope) or 'none'} -> {scope_text(now.scope) or 'none'}"
    if was.strength is not None and was.strength == now.strength and was.engine != now.engine:
        yield f"engine {was.engine} -> {now.engine}"
    for name in ("states", "orbits", "tested") if was.scope == now.scope else ():
        old, new = getattr(was, name), getattr(now, name)
        if old != new:
            yield f"{name} {_number(old)} -> {_number(new)}"
    yield from _paths(was, now)
    if (was.waiver is None) != (now.waiver is None):
        yield "it has a waiver now" if was.waiver is None else "it has no waiver any more"
    elif was.waiver is not None and now.waiver is not None and was.waiver != now.waiver:
        until = (f"until {one.expires}, {one.state}" for one in (was.waiver, now.waiver))
        yield f"waiver {' -> '.join(until)}"
    if was.answer == now.answer and was.answer in ("UNDETERMINED", "VACUOUS") and was.reason != now.reason:
        yield f"reason: {was.reason} -> {now.reason}"


def _paths(was: ReadFinding, now: ReadFinding) -> Iterator[str]:
    if was.counterexample is None or now.counterexample is None:
        return
    old, new = ([step.action for step in path] for path in (was.counterexample, now.counterexample))
    if len(old) != len(new):
        yield f"counterexample of {len(old)} -> {len(new)} steps"
    elif old != new:
        first = next(number for number, (a, b) in enumerate(zip(old, new, strict=True), 1) if a != b)
        yield f"another counterexample of {len(new)} steps: step {first} is {new[first - 1]}, was {old[first - 1]}"
    elif was.loop != now.loop:
        yield "the counterexample goes on otherwise"
    elif [step.changes for step in was.counterexample] != [step.changes for step in now.counterexample]:
        yield "the same steps, which change other things"
    if was.failed != now.failed:
        yield f"failed clause: {was.failed} -> {now.failed}"


def _number(count: int | None) -> str:
    return "not counted" if count is None else f"{count:,}"


# -- told ------------------------------------------------------------------------------------------------------


def lines_of(found: Diff, width: int = WIDTH) -> list[str]:
    """All of it as text, the worst first."""
    lines = [line for told in ([found.broken] if found.broken else []) for line in paragraph(told, width)]
    lines += [line for told in found.settings for line in paragraph(f"asked otherwise: {told}", width)]
    for word in WORDS:
        for one in found.differences:
            if one.word == word:
                lines += _told(one, width)
    if found.exit_code == 4:
        lines += paragraph("neither report has a property: nothing was compared", width)
    return [*lines, *paragraph(summary(found), width)]


def _told(one: Difference, width: int) -> list[str]:
    arrow = " -> ".join(part for part in (one.before, one.after) if part)
    head = paragraph(f"{one.word.upper():<8} {one.model}.{one.property}: {arrow}", width)
    return head + [f"           {line}" for detail in one.details for line in paragraph(detail, width - 11)]


def summary(found: Diff) -> str:
    """``1 worse, 2 changed, 7 the same``."""
    counts = [(sum(one.word == word for one in found.differences), word) for word in WORDS]
    excused = sum(one.excused and one.word == "worse" for one in found.differences)
    told = [
        f"{count} {word}{f' ({excused} of them waived)' if word == 'worse' and excused else ''}"
        for count, word in counts
        if count
    ]
    return ", ".join([*told, f"{found.same} the same"])


def diff_object(found: Diff, old: str, new: str) -> dict[str, Any]:
    """The same as JSON; `old` and `new` are the files."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "old": old,
        "new": new,
        "exit_code": found.exit_code,
        "settings": list(found.settings),
        "bug": found.broken,
        "same": found.same,
        "counts": {word: sum(one.word == word for one in found.differences) for word in WORDS},
        "properties": [
            {
                "model": one.model,
                "property": one.property,
                "difference": one.word,
                "before": one.before,
                "after": one.after,
                "details": list(one.details),
                "waived": one.excused,
            }
            for one in found.differences
        ],
    }
