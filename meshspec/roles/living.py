"""Does this breaker keep in its life what it owes there? Each drill, put to a fresh policy whose clocks are ours.

Sound when a policy does the same drill the same way again: VIOLATED comes with the drill, operation by operation.
Misses: what no drill of :mod:`meshspec.roles.life` does; HOLDS is *tested*, for the drills counted. What a policy
does not offer is not asked, and never told as kept.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Sequence

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.roles import life
from meshspec.roles.drills import Case, turn
from meshspec.roles.hosted import Drill, Hosted
from meshspec.roles.life import LIVE, Lived
from meshspec.roles.protocol import Drilled
from meshspec.roles.story import Call, describe, unroll, words
from meshspec.roles.telling import Teller, line_in, plural

ZONE = "MSP+11"
"""The time zone of the process in which drills are done: far from most."""

FORGETS = "after each of these steps it holds what it held before the first: it remembers nothing of this run"

_MANY = 16


def not_asked(offered: Sequence[str]) -> list[str]:
    """The obligations that are not asked of a policy which offers that, and why.

    >>> not_asked(["reset", "ask", "snapshot", "restore", "session", "KNOBS"])[0]
    'half-open-admits-one: it offers no call'
    """
    missing = {one.name: [need for need in one.needs if need not in offered] for one in life.lived()}
    return [f"{name}: it offers no {' and no '.join(needs)}" for name, needs in missing.items() if needs]


def asked(offered: Sequence[str]) -> list[Lived]:
    """The obligations that are asked of it."""
    return [one for one in life.lived() if set(one.needs) <= set(offered)]


@attrs.define
class _Seen:
    judged: int = 0
    done: int = 0
    broken: tuple[Case, Drilled, str] | None = None
    cut: Drilled | None = None
    late: bool = False


def examine(
    host: Hosted, teller: Teller, end: float, chosen: Collection[str], progress: Callable[[str], None]
) -> Iterator[Finding]:
    """One finding for each of the chosen obligations that can be asked of the policy in that host."""
    offered = host.about.offers
    for one in (one for one in asked(offered) if one.name in chosen):
        progress(one.name)
        if one.name == LIVE:
            yield _knobs(host, teller, one, end)
        else:
            yield _finding(teller, one, _drilled(host, list(one.cases(offered)), end))


def _drilled(host: Hosted, cases: Sequence[Case], end: float, *, whole: bool = True) -> _Seen:
    """Do the drills until one breaks the obligation, or, where one is enough, until one keeps it."""
    seen = _Seen()
    for first in range(0, len(cases), _MANY):
        if time.monotonic() >= end:
            seen.late = True
            return seen
        some = cases[first : first + _MANY]
        for case, answered in zip(some, host.drill([case.drill for case in some]), strict=False):
            seen.done += 1
            if answered.cut:
                seen.cut = answered
                return seen
            clause = f"it {answered.said}" if answered.said else case.judged(answered.answers)
            if clause is None:
                continue
            seen.judged += 1
            if clause or not whole:
                seen.broken = (case, answered, clause)
                return seen
    return seen


def _finding(teller: Teller, one: Lived, seen: _Seen) -> Finding:
    answer, reason, settles, counterexample = Answer.HOLDS, "", "", None
    facts = teller.facts(one)
    if seen.broken is not None:
        case, answered, clause = seen.broken
        answer, reason = Answer.VIOLATED, clause
        counterexample = Counterexample({}, tuple(steps(case.drill, answered)), clause, "first found")
        facts["story"] = describe(case.drill.stories[0])
    elif seen.cut is not None or seen.late:
        answer = Answer.UNDETERMINED
        reason = seen.cut.said if seen.cut is not None else "the time limit was reached"
        settles = "a policy that comes back, or a higher limit" if seen.cut is not None else "a higher time limit"
    elif not seen.judged:
        answer, reason = Answer.VACUOUS, f"in none of {plural(seen.done, 'drill')} did it come to what this is about"
    return _told(
        teller, one, answer, seen.judged, facts, reason=reason, settles=settles, counterexample=counterexample
    )


def _told(
    teller: Teller,
    one: Lived,
    answer: Answer,
    tested: int,
    facts: dict[str, object],
    *,
    reason: str = "",
    settles: str = "",
    counterexample: Counterexample | None = None,
) -> Finding:
    return Finding(
        teller.subject,
        one.name,
        answer,
        "judge",
        kind="obligation",
        strength=Strength.TESTED if answer is Answer.HOLDS else None,
        tested=tested,
        counterexample=counterexample,
        reason=reason,
        known=f"kept in {plural(tested, 'drill')}" if answer is Answer.UNDETERMINED else "",
        settles=settles,
        replay=teller.replay,
        where=line_in(life, one.name),
        facts={**facts, "unit": "drills"},
    )


def _knobs(host: Hosted, teller: Teller, one: Lived, end: float) -> Finding:
    """Each knob needs one run, which the host can make, that its two values tell apart."""
    facts = teller.facts(one)
    if "HOST" not in host.about.offers:
        reason = "it does not state which runs its host can make (HOST), so any run would do"
        return _told(teller, one, Answer.VACUOUS, 0, facts, reason=reason)
    (stated,) = host.drill([Drill((("knobs",),))])
    if stated.said:
        answer = Answer.UNDETERMINED if stated.cut else Answer.VIOLATED
        return _told(
            teller, one, answer, 0, facts, reason=f"KNOBS: it {stated.said}", settles="KNOBS as values of JSON"
        )
    live, judged = dict[str, str](), 0
    knobs: dict[str, list[object]] = json.loads(stated.answers[0])
    for knob, values in knobs.items():
        if len(values) < 2:
            return _told(teller, one, Answer.VACUOUS, judged, facts, reason=f"KNOBS states no two values for {knob}")
        cases = [attrs.evolve(case, drill=turn(case.drill, knob, values)) for case in one.cases(host.about.offers)]
        seen = _drilled(host, cases, end, whole=False)
        judged += seen.done
        if seen.broken is None or seen.broken[2]:
            if seen.broken is not None or seen.cut is not None or seen.late:
                return _finding(teller, one, seen)
            reason = (
                f"no run that its host can make, of {seen.done}, is changed by {knob}: {values[0]} or {values[1]}"
            )
            return _told(teller, one, Answer.VACUOUS, judged, facts, reason=reason)
        live[knob] = describe(seen.broken[0].drill.stories[0])
    if not live:
        return _told(teller, one, Answer.VACUOUS, 0, facts, reason="KNOBS states no knob")
    return _told(teller, one, Answer.HOLDS, judged, {**facts, "live": live})


def forgets(host: Hosted, drill: Drill) -> bool:
    """Whether it holds after each step of a run what it held before the first, as far as its attributes tell."""
    calls = sum(len(list(unroll(story))) for story in drill.stories)
    looks = [one for n in range(calls) for one in (("drive", n, n + 1), ("state",))]
    (told,) = host.drill([attrs.evolve(drill, operations=(("state",), *looks))])
    held = set(told.answers[::2])
    return not told.said and len(held) == 1 and "" not in held


# -- in words --------------------------------------------------------------------------------------------------------


_HOW = {
    "": "",
    "worker": ", from a worker thread",
    "threads": ", each from a new thread",
    "wall": ", the clock on the wall set anew before each",
    "asked": ", asked three times before each",
}


def steps(drill: Drill, told: Drilled) -> Iterator[Step]:
    """A drill as far as it came, operation by operation, each with what was answered."""
    calls = [*(call for story in drill.stories for call in unroll(story)), *drill.calls]
    notes = [*told.answers, told.said][: len(drill.operations)]
    for number, (operation, note) in enumerate(zip(drill.operations, notes, strict=False), 1):
        yield Step(in_words(operation, calls), note=note, at=number)


def in_words(operation: Sequence[object], calls: Sequence[Call]) -> str:
    """What a policy is asked to do, in the words of the domain."""
    verb, *rest = operation
    match verb, rest:
        case (("drive" | "trip" | "hold"), [int(first), int(last), *how]):
            more = last - first - 1
            said = f"{words(calls[first])}{f', and {more} more' if more else ''}"
            return f"{'go on with' if verb == 'hold' else 'observe'} {said}{_HOW[str(how[0]) if how else '']}"
        case "interleave", [int(first), int(last), int(other), int(end)]:
            beside = (
                f"; in session y {words(calls[other])}, and {end - other - 1} more, in turn" if end > other else ""
            )
            return f"in session x {words(calls[first])}, and {last - first - 1} more{beside}"
        case "ask", [int(number), times]:
            return f"ask about {words(calls[number])}, {times} times"
        case "fresh", [settings]:
            return f"make a new policy{f' with {settings}' if settings else ''}"
        case (("call" | "open" | "probe"), [kind, int(number)]):
            ways = {
                "call": "a call through it",
                "open": "calls through it",
                "probe": "time passes until a call is let through",
            }
            return f"{ways[str(verb)]} ({kind}): {words(calls[number])}"
        case "together", [kind, _, many]:
            return f"{many} calls through it at once ({kind})"
        case "advance", [float(seconds)]:
            return f"{seconds / 86_400:.0f} days pass"
        case _:
            return {"keep": "take a snapshot", "restore": "restore it"}.get(str(verb), str(verb))
