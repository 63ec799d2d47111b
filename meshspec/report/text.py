"""Findings as text for a terminal or a pipe: plain, at most as wide as asked, the replay command last."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence

from meshspec.answer import Answer, Counterexample, Finding, Strength
from meshspec.engines.check import Answered

WIDTH = 100


def clean(text: object) -> str:
    """Text without anything that a terminal would act on: control characters are written out.

    >>> clean("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def scope_text(scope: Mapping[str, int]) -> str:
    return ",".join(f"{name}={size}" for name, size in scope.items())


def strength_text(finding: Finding) -> str:
    """How strong a HOLDS is: ``for every size``, ``in scope (exhaustive, 72 states, Effect=2)``."""
    where = [f"{finding.states:,} states"] if finding.states is not None else []
    where += [scope_text(finding.scope)] if finding.scope else []
    match finding.strength:
        case Strength.EVERY_SIZE:
            return "for every size"
        case Strength.EXHAUSTIVE:
            return f"in scope ({', '.join(['exhaustive', *where])})"
        case Strength.K_INDUCTION:
            return f"in scope ({', '.join(['k-induction', *where])})"
        case Strength.TESTED:
            unit = finding.facts.get("unit", "runs")
            return f"tested ({finding.tested or 0:,} {unit})"
        case None:
            return ""


def headline(answered: Answered) -> str:
    """The answer and all that was reached beside it, in one line."""
    best = answered.answer
    if best.answer is Answer.HOLDS:
        held = [strength_text(f) for f in answered.findings if f.answer is Answer.HOLDS] or [strength_text(best)]
        return "; ".join(dict.fromkeys(held))
    reason = best.reason
    if best.answer is Answer.VIOLATED and best.counterexample is not None:
        steps = len(best.counterexample.steps)
        reason = f"in {steps} step{'s' if steps != 1 else ''} ({best.counterexample.how}, {best.engine})"
    return reason


def lines_of(answered: Answered, width: int = WIDTH) -> list[str]:
    """A property: its answer, and what argues for it."""
    best = answered.answer
    lines = _wrapped(f"{best.answer.value:<13} {best.property}", headline(answered), width)
    if best.answer is Answer.HOLDS and best.reason:
        lines += _indented(best.reason, width)
    if best.answer is Answer.UNDETERMINED:
        lines += _indented(f"known so far: {best.known}", width) if best.known else []
        lines += _indented(f"would settle it: {best.settles}", width) if best.settles else []
    for finding in dict.fromkeys((best, *answered.findings)) if best.answer is not Answer.HOLDS else ():
        cti = finding.facts.get("cti")
        if isinstance(cti, Mapping):
            lines += [line for part in cti_lines(cti) for line in _indented(part, width)]
    if best.counterexample is not None:
        lines += counterexample_lines(best.counterexample, width)
    if best.answer is not Answer.HOLDS and best.where:
        lines += _indented(f"stated at {best.where}", width)
    return lines


def cti_lines(cti: Mapping[str, object]) -> list[str]:
    """A counterexample to induction: where it stands, what is done, what breaks."""
    return [f"{name}: {_flat(value)}" for name, value in cti.items() if value]


def _flat(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_flat(inner)}" for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_flat(inner) for inner in value)
    return str(value)


def counterexample_lines(path: Counterexample, width: int = WIDTH) -> list[str]:
    """A path as a numbered argument, with only what changed."""
    lines: list[str] = []
    column = min(max((len(step.action) for step in path.steps), default=0), max(12, width // 2))
    for number, step in enumerate(path.steps, 1):
        changed = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in step.changes.items())
        what = "; ".join(part for part in (changed, step.note) if part)
        lines += _wrapped(f"    {number:>3}. {step.action:<{column}}", what, width, indent=9)
    if not path.steps:
        lines.append("    in the initial state")
    if path.failed:
        lines += textwrap.wrap(clean(f"so {path.failed}"), width, initial_indent="    ", subsequent_indent="      ")
    return lines


def _wrapped(head: str, tail: str, width: int, indent: int = 14) -> list[str]:
    head, tail = clean(head), clean(tail)
    if not tail:
        return [head.rstrip()]
    if len(head) + 2 + len(tail) <= width:
        return [f"{head}  {tail}"]
    if len(head) + 20 > width or len(head) > 60:
        return [
            head.rstrip(),
            *textwrap.wrap(tail, width, initial_indent=" " * indent, subsequent_indent=" " * indent),
        ]
    wrapped = textwrap.wrap(tail, width - len(head) - 2) or [""]
    return [f"{head}  {wrapped[0]}", *(" " * (len(head) + 2) + line for line in wrapped[1:])]


def _indented(text: str, width: int) -> list[str]:
    return textwrap.wrap(clean(text), width, initial_indent=" " * 14, subsequent_indent=" " * 16)


def summary(answers: Sequence[Finding]) -> str:
    """``10 hold, 1 violated`` in the order of the exit codes."""
    words = {
        Answer.VIOLATED: "violated",
        Answer.VACUOUS: "vacuous",
        Answer.UNDETERMINED: "undetermined",
        Answer.HOLDS: "hold",
    }
    counted = [(sum(1 for f in answers if f.answer is answer), word) for answer, word in words.items()]
    return ", ".join(f"{count} {word}" for count, word in counted if count) or "nothing was checked"


def deadlock_line(findings: Iterable[Finding]) -> str:
    """What an exploration says of the whole: states, transitions, deadlocks."""
    for finding in findings:
        if finding.engine == "explore":
            facts = finding.facts
            dead = facts["deadlocks"] or "no"
            what = f"{finding.states:,} states, {facts['transitions']:,} transitions, {facts['depth']} steps deep"
            end = "" if facts["complete"] else " (cut)"
            return f"{what}, {dead} deadlock{'s' if facts['deadlocks'] != 1 and facts['deadlocks'] else ''}{end}"
    return ""
