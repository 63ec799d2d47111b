"""Findings as text for a terminal or a pipe: plain, at most as wide as asked, the replay command last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from meshspec.answer import Answer, Counterexample, Finding, Strength
from meshspec.engines.check import Answered
from meshspec.engines.limits import TURNED_OFF
from meshspec.engines.mutation import counted
from meshspec.report.wrap import cells, padded, wrap

WIDTH = 100
_MOST_NAMED = 12  # pairs of effects; the JSON has all of them
_BY_REASON = ("judge", "adequacy")  # engines whose answers are told by their reason, not by the length of a path


def clean(text: object) -> str:
    """Text without anything that a terminal would act on: control characters are written out.

    >>> clean("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def proof_lines(answered: Iterable[Answered], width: int = WIDTH) -> list[str]:
    """Which lemmas the proofs rest on, said once for all of them."""
    lemmas = {one.answer.property for one in answered if one.answer.kind == "lemma"}
    used: dict[str, None] = {}
    for one in answered:
        for finding in one.findings:
            uses = finding.facts.get("uses")
            if finding.strength is Strength.EVERY_SIZE and isinstance(uses, (list, tuple)):
                used.update((str(name), None) for name in cast("Sequence[object]", uses) if name in lemmas)
    return _indented(f"proved with the lemma{'s' if len(used) > 1 else ''} {', '.join(used)}", width) if used else []


def scope_text(scope: Mapping[str, int]) -> str:
    return ",".join(f"{name}={size}" for name, size in scope.items())


def strength_text(finding: Finding) -> str:
    """How strong a HOLDS is: ``for every size``, ``in scope (exhaustive, 72 states, Effect=2)``."""
    where = [counted(finding.states, "state")] if finding.states is not None else []
    where += [scope_text(finding.scope)] if finding.scope else []
    match finding.strength:
        case Strength.EVERY_SIZE:
            return "for every size"
        case Strength.EXHAUSTIVE:
            return f"in scope ({', '.join(['exhaustive', *where])})"
        case Strength.K_INDUCTION:
            return f"in scope ({', '.join(['k-induction', *where])})"
        case Strength.TESTED:
            unit = finding.facts.get("unit", "stories" if finding.engine == "judge" else "runs")
            if finding.tested == 1:
                unit = "story" if unit == "stories" else str(unit).removesuffix("s")
            return f"tested ({finding.tested or 0:,} {unit})"
        case None:
            return ""


def headline(answered: Answered) -> str:
    """The answer and all that was reached beside it, in one line."""
    best = answered.answer
    if best.answer is Answer.HOLDS:
        held = {f.strength: strength_text(f) for f in answered.findings if f.answer is Answer.HOLDS}
        strongest_first = [held[strength] for strength in Strength if strength in held]
        return "; ".join(strongest_first or [strength_text(best)])
    if best.answer is Answer.VIOLATED and best.counterexample is not None and best.engine not in _BY_REASON:
        path = best.counterexample
        steps = len(path.steps) if path.loop is None else path.loop
        rest = "" if path.loop is None else f", then {len(path.steps) - path.loop or 'nothing'} for ever"
        found = path.how if best.engine == "replay" else f"{path.how}, {best.engine}"
        return f"in {steps} step{'s' if steps != 1 else ''}{rest} ({found})"
    return best.reason


def lines_of(answered: Answered, width: int = WIDTH, column: int = 0) -> list[str]:
    """A property: its answer, and what argues for it; names are padded to `column`."""
    best = answered.answer
    said = headline(answered)
    if best.engine == "prove" and best.answer is Answer.UNDETERMINED and isinstance(best.facts.get("cti"), Mapping):
        told, searched, why = said.partition("; searched for lemmas: ")
        said = told.partition(": ")[0] + searched + why  # the state and the step are told below, one by one
    lines = _wrapped(f"{best.answer.value:<13} {padded(clean(best.property), column)}", said, width)
    lines += _indented(waiver_text(best), width)
    unsaid = [finding for finding in (answered.findings or (best,)) if _failed_proof(finding, best)]
    why_not = [line for finding in unsaid for part in unproved(finding) for line in _indented(part, width)]
    if best.answer is Answer.HOLDS:
        said_once = best.strength is Strength.EVERY_SIZE  # which lemmas a proof rests on: see proof_lines
        return lines + (_indented(best.reason, width) if best.reason and not said_once else []) + why_not
    path = best.counterexample
    if best.answer is Answer.VIOLATED and path is not None and best.reason not in ("", path.failed, said):
        lines += _indented(best.reason, width)
    lines += _indented(f"known so far: {best.known}", width) if best.known else []
    lines += _indented(f"would settle it: {best.settles}", width) if best.settles else []
    lines += why_not if best.answer is Answer.UNDETERMINED else []
    if path is not None:
        lines += counterexample_lines(path, width)
    for number, other in enumerate(best.more, 2):
        steps = len(other.steps)
        lines.append(f"    counterexample {number}, in {steps} step{'s' if steps != 1 else ''}:")
        lines += counterexample_lines(other, width)
    if best.where:
        lines += _indented(f"stated at {best.where}", width)
    return lines


def _failed_proof(finding: Finding, best: Finding) -> bool:
    """Whether the prover has more to say than the headline does."""
    failed = finding.engine == "prove" and finding.answer is Answer.UNDETERMINED
    return failed and ("cti" in finding.facts or finding.reason not in best.reason)


def unproved(finding: Finding) -> list[str]:
    """Why a claim is not proved: the state and the step that stand in the way, or the prover's reason."""
    cti = finding.facts.get("cti")
    if not isinstance(cti, Mapping):
        return [f"not proved for every size: {finding.reason}"]
    told = cast("Mapping[str, Any]", cti)
    state = ", ".join(f"{name} = {value}" for name, value in told["state"].items())
    return [
        f"not proved for every size: in the state {state}",
        f"the step {told['action']} makes it false: {told['false']}",
        "if that state cannot be reached, a @lemma that excludes it settles it",
    ]


def counterexample_lines(path: Counterexample, width: int = WIDTH) -> list[str]:
    """A path as a numbered argument, with only what changed."""
    lines: list[str] = []
    column = min(max((cells(clean(step.action)) for step in path.steps), default=0), max(12, width // 2))
    for position, step in enumerate(path.steps, 1):
        if path.loop == position - 1:
            lines.append("    then for ever:")
        number = position if step.at is None else step.at
        place = f"{number:>3}." if number else "    "
        changed = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in step.changes.items())
        what = "; ".join(part for part in (changed, step.note) if part)
        lines += _wrapped(f"    {place} {padded(clean(step.action), column)}", what, width, indent=9)
    if not path.steps:
        lines.append("    in the initial state")
    if path.loop == len(path.steps):
        lines.append("    then nothing more, for ever: no action is enabled, and a fault is never owed")
    if path.failed:
        lines += _wrap(f"so {path.failed}", width, "    ", "      ")
    return lines


def _wrap(text: str, width: int, first: str, rest: str) -> list[str]:
    """Lines of at most `width` columns, except for a word (a path, a name) or a command that is longer."""
    return wrap(clean(text), width, first, rest)


def paragraph(text: str, width: int = WIDTH) -> list[str]:
    """Text in lines, each after the first further in."""
    return _wrap(text, width, "", "    ")


def _wrapped(head: str, tail: str, width: int, indent: int = 14) -> list[str]:
    head, tail = clean(head).rstrip() if not tail else clean(head), clean(tail)
    if not tail:
        return [head]
    column = cells(head) + 2
    if column + cells(tail) <= width:
        return [f"{head}  {tail}"]
    below = [head.rstrip(), *_wrap(tail, width, " " * indent, " " * indent)]
    if column + 18 > width or column > 62:
        return below
    beside = _wrap(tail, width, " " * column, " " * column)
    return [head + beside[0][column - 2 :], *beside[1:]] if len(beside) < len(below) + (indent < 14) else below


def _indented(text: str, width: int) -> list[str]:
    return _wrap(text, width, " " * 14, " " * 16)


def waiver_text(finding: Finding) -> str:
    """Who answers for what does not hold, or that nobody does any more; empty where no waiver was written."""
    waiver = finding.waiver
    if waiver is None:
        return ""
    whose = f"{waiver.owner}: {waiver.reason}"
    if waiver.ended:
        return f"its waiver ended on {waiver.expires}, and excuses nothing: {whose}"
    if finding.answer is Answer.HOLDS:
        return f"its waiver until {waiver.expires} is no longer needed and can be deleted: {whose}"
    if not finding.waived:
        is_for = f"its waiver is for {waiver.answer.value}, and this is {finding.answer.value}"
        return f"{is_for}: it excuses nothing ({whose})"
    return f"waived until {waiver.expires} by {whose}"


def summary(answers: Sequence[Finding]) -> str:
    """``1 violated, 1 vacuous (waived), 10 hold``: in the order of the exit codes, what is waived apart."""
    failing = {Answer.VIOLATED: "violated", Answer.VACUOUS: "vacuous", Answer.UNDETERMINED: "undetermined"}
    counted = [(sum(f.answer is answer and not f.waived for f in answers), word) for answer, word in failing.items()]
    counted += [
        (sum(f.answer is answer and f.waived for f in answers), f"{word} (waived)")
        for answer, word in failing.items()
    ]
    counted.append((sum(f.answer is Answer.HOLDS for f in answers), "hold"))
    return ", ".join(f"{count} {word}" for count, word in counted if count) or "nothing was checked"


def story_lines(finding: Finding, width: int = WIDTH) -> list[str]:
    """What an obligation of a policy says, what it stands for, and what goes wrong in production without it."""
    facts = finding.facts
    lines = _indented(f"owed: {facts['says']}", width) if facts.get("says") else []
    if facts.get("promised") is False:
        lines += _indented("the package does not promise this", width)
    if finding.answer is Answer.HOLDS:
        return lines
    if isinstance(facts.get("pairs"), list):
        also = _also(cast("list[Mapping[str, object]]", facts["pairs"]))
        lines += _indented(also, width) if also else []
    if facts.get("memory"):
        lines += _indented(str(facts["memory"]), width)
    if facts.get("in production"):
        lines += _indented(f"in production: {facts['in production']}", width)
    return lines + (_indented(f"again: {finding.replay}", width) if finding.replay else [])


def _also(pairs: Sequence[Mapping[str, object]]) -> str:
    """On which other pairs of effects it is broken; empty where there is one or none."""
    names = list(dict.fromkeys(str(pair["pair"]) for pair in pairs))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    told = ", ".join(names[:_MOST_NAMED])
    return f"broken on {len(names)} pairs: {told}{more}" if len(names) > 1 else ""


def seen_line(findings: Iterable[Finding]) -> str:
    """What an exploration says of the whole: states, transitions, deadlocks."""
    facts = _explored(findings)
    if facts is None:
        return ""
    states, dead = facts.states or 0, facts.facts["deadlocks"]
    steps, transitions = (cast("int", facts.facts[name]) for name in ("depth", "transitions"))
    count = f"{dead or 'no'} deadlock{'s' if dead not in (0, 1) else ''}"
    depth = f"{counted(steps, 'step')} deep"
    held = "" if facts.orbits is None else f" in {counted(facts.orbits, 'orbit')}"
    what = f"{counted(states, 'state')}{held}, {counted(transitions, 'transition')}, {depth}"
    return f"{what}, {count}" + ("" if facts.facts["complete"] else " (cut)")


def deadlock_line(findings: Iterable[Finding]) -> str:
    """The shortest way into a deadlock, where there is one."""
    found = _explored(findings)
    path = found.facts["deadlock"] if found is not None else None
    if not isinstance(path, list):
        return ""
    steps = ", ".join(map(str, cast("list[object]", path)))
    return f"no action is enabled after: {steps}" if steps else "no action is enabled at the start"


def means_lines(findings: Iterable[Finding]) -> list[str]:
    """By which means an exploration went, where they are not the usual ones, and where it is kept."""
    found = _explored(findings)
    if found is None:
        return []
    lines: list[str] = []
    why = found.facts["symmetry off"]
    if why not in ("", TURNED_OFF) and any(size > 1 for size in found.scope.values()):
        lines.append(f"symmetry off: {why}")
    if found.facts["partial order"]:
        lines.append(
            "partial order on: counts are of the states that are left, once orders that do not matter are not"
        )
    if found.facts["partial order off"]:
        lines.append(f"partial order off: {found.facts['partial order off']}")
    if found.facts["not packed"]:
        lines.append(f"held as tuples, which takes longer: {found.facts['not packed']}")
    if found.facts["kept"]:
        lines.append(str(found.facts["kept"]))
    return lines


def _explored(findings: Iterable[Finding]) -> Finding | None:
    """What tells of a whole exploration; one that never began, because the user ended it first, tells nothing."""
    return next((found for found in findings if found.engine == "explore" and found.kind != "check"), None)
