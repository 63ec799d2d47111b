"""The drills of a breaker's life, and over the answers of each the formula that says whether it was kept there.

What an operation does says :mod:`meshspec.roles.drill`, and what is owed :mod:`meshspec.roles.life`. Each function
gives the drills of one obligation, the simplest first; it is told what the policy offers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import attrs

from meshspec.roles.breaker import Bound, obligations, shapes
from meshspec.roles.drill import WAITS
from meshspec.roles.hosted import Drill
from meshspec.roles.story import HORIZON, Story, length

Judged = Callable[[Sequence[str]], str | None]
"""Of a drill's answers: empty where the obligation is kept, the clause that is false, None where nothing is owed."""

FRESH: tuple[object, ...] = ("fresh", {})

CALLERS = 8
_LONG_AGO = 2 * WAITS[-1]


@attrs.frozen
class Case:
    """One drill that an obligation is put to a policy in, and the formula over its answers."""

    drill: Drill
    judged: Judged


@cache
def loops(must_trip: bool, most: int = 1) -> tuple[Story, ...]:
    """The stories without a prefix that must be stopped, or let run, each step through a tool of its own."""
    found: dict[Story, None] = {}
    for one in obligations():
        if one.must_trip is must_trip:
            found.update(dict.fromkeys(story for story in one.stories(Bound(0, most)) if not story.one_tool))
    return tuple(sorted(found, key=lambda story: len(story.loop)))


_WORK = Story((), shapes(arguments="fresh", text="fresh", rank="absent", digest="absent")[:1], steps=HORIZON)
"""Distinct work: it looks at something else each time, and learns something each time."""

_FEW = loops(must_trip=True)[:4]


def tripped(answer: str) -> int | None:
    """At which step of a drive it tripped.

    >>> tripped("TRIP at 13: no progress"), tripped("CONTINUE")
    (13, None)
    """
    return int(answer[8:].partition(":")[0]) if answer.startswith("TRIP at ") else None


def did(answer: str) -> str:
    """What it did in a drive, as a predicate."""
    step = tripped(answer)
    return "never tripped" if step is None else f"tripped at step {step}"


# -- what needs `observe` alone --------------------------------------------------------------------------------------


def holding(offered: Sequence[str]) -> Iterator[Case]:
    for story in loops(must_trip=True, most=2):
        n = length(story)
        drill = Drill((("trip", 0, n), ("hold", 0, n), ("hold", n, n + HORIZON)), (story, _WORK))

        def judged(answers: Sequence[str]) -> str | None:
            if tripped(answers[0]) is None:
                return None
            for what, held in (("the same loop", answers[1]), ("new work", answers[2])):
                if held != "held":
                    return f"it must go on tripping, and let step {held.split()[1]} of {what} run"
            return ""

        yield Case(drill, judged)


def in_threads(offered: Sequence[str]) -> Iterator[Case]:
    for story in loops(must_trip=True):
        n = length(story)
        ways = (("trip", 0, n), FRESH, ("drive", 0, n, "worker"), FRESH, ("drive", 0, n, "threads"))

        def judged(answers: Sequence[str]) -> str | None:
            if tripped(answers[0]) is None:
                return None
            home, worker, threads = (did(answer) for answer in answers[::2])
            if home == worker == threads:
                return ""
            return (
                f"called from one thread it {home}, from a worker it {worker}, from a new one each time it {threads}"
            )

        yield Case(Drill(ways, (story,)), judged)


def by_the_clock(offered: Sequence[str]) -> Iterator[Case]:
    for story in [*loops(must_trip=True), *loops(must_trip=False)]:
        n = length(story)

        def judged(answers: Sequence[str]) -> str | None:
            quiet, jumping = did(answers[0]), did(answers[2])
            return "" if quiet == jumping else f"by a steady clock it {quiet}, by one that is set anew it {jumping}"

        yield Case(Drill((("drive", 0, n), FRESH, ("drive", 0, n, "wall")), (story,)), judged)


# -- what needs more -------------------------------------------------------------------------------------------------


def reset(offered: Sequence[str]) -> Iterator[Case]:
    for story in loops(must_trip=True):
        n = length(story)
        again = Drill((("trip", 0, n), ("reset",), ("drive", 0, 1), ("drive", 0, n)), (story,))
        work = Drill((("trip", 0, n), ("reset",), ("drive", n, n + HORIZON)), (story, _WORK))

        def judged_again(answers: Sequence[str]) -> str | None:
            if tripped(answers[0]) is None:
                return None
            if tripped(answers[2]) is not None:
                return "reset, it must let the next step run, which an honest run may take, and tripped on it"
            return "" if tripped(answers[3]) else "reset, it must stop the same loop again, and never tripped"

        def judged_work(answers: Sequence[str]) -> str | None:
            if tripped(answers[0]) is None:
                return None
            return "" if tripped(answers[2]) is None else f"reset, it must let new work run, and {did(answers[2])}"

        yield Case(again, judged_again)
        if story in _FEW:
            yield Case(work, judged_work)


def kept(offered: Sequence[str]) -> Iterator[Case]:
    for story in loops(must_trip=True):
        n = length(story)
        for before in (1, 2, 5, 11):
            drill = Drill(
                (("trip", 0, n), FRESH, ("drive", 0, before), ("keep",), ("drive", before, n),
                 FRESH, ("restore",), ("drive", before, n)),
                (story,),
            )  # fmt: skip

            def judged(answers: Sequence[str], before: int = before) -> str | None:
                whole = tripped(answers[0])
                if whole is None or whole <= before:
                    return None
                rest = tripped(answers[7])
                if rest == whole - before:
                    return ""
                after = "never tripped" if rest is None else f"tripped at step {before + rest}"
                return f"uninterrupted it tripped at step {whole}, restored after step {before} it {after}"

            yield Case(drill, judged)
        drill = Drill((("trip", 0, n), ("keep",), FRESH, ("restore",), ("hold", 0, 2)), (story,))

        def judged_open(answers: Sequence[str]) -> str | None:
            if tripped(answers[0]) is None:
                return None
            if answers[4] == "held":
                return ""
            return f"it had tripped, and restored it let step {answers[4].split()[1]} of the same loop run"

        yield Case(drill, judged_open)


def sessions(offered: Sequence[str]) -> Iterator[Case]:
    for story in loops(must_trip=True):
        n = min(length(story), 2 * HORIZON)
        drill = Drill((("interleave", 0, n, n, n), FRESH, ("interleave", 0, n, length(story), length(story) + n)),
                      (story, _WORK, _WORK))  # fmt: skip

        def judged(answers: Sequence[str]) -> str | None:
            alone, (looping, working) = int(answers[0].split()[0]), map(int, answers[2].split())
            if not alone:
                return None
            if working:
                return f"one session loops, and another, which works, was tripped at its step {working}"
            return (
                ""
                if looping == alone
                else f"alone a session tripped at step {alone}, beside another at {looping or 'none'}"
            )

        yield Case(drill, judged)


def asked(offered: Sequence[str]) -> Iterator[Case]:
    for story in [*loops(must_trip=True), *loops(must_trip=False)]:
        n = length(story)
        ways = (("drive", 0, n), FRESH, ("ask", 0, HORIZON), ("drive", 0, n, "asked"), ("ask", 0, HORIZON))

        def judged(answers: Sequence[str]) -> str | None:
            if answers[2].startswith("differs"):
                return f"asked the same before anything happened, its answer {answers[2]}"
            if answers[3].startswith("differs"):
                return f"asked before each step its answer {answers[3]}"
            if tripped(answers[3]) != tripped(answers[0]):
                return f"unasked it {did(answers[0])}, asked before each step it {did(answers[3])}"
            return (
                f"asked the same again and again, its answer {answers[4]}" if answers[4].startswith("differs") else ""
            )

        yield Case(Drill(ways, (story,)), judged)


# -- calls made through it, and time ---------------------------------------------------------------------------------

_ENDINGS = ("ok", "fails", "cancelled", "interrupted", "exits")
_STUCK = Story((), shapes(rank="constant", digest="absent")[:1], steps=1)


def _endings(offered: Sequence[str]) -> tuple[str, ...]:
    return (*_ENDINGS, *(["ignored"] if "ignores" in offered else []))


def probed(offered: Sequence[str]) -> Iterator[Case]:
    for kinds in [(kind,) * 3 for kind in _endings(offered)] + [(kind, "fails", kind) for kind in _endings(offered)]:
        probes = tuple(("probe", kind, 0) for kind in (*kinds, "ok"))
        drill = Drill((("open", "fails", 0), *probes), (_STUCK,))

        def judged(answers: Sequence[str], kinds: Sequence[str] = kinds) -> str | None:
            if answers[0] == "never":
                return None
            if "never" not in answers[1:]:
                return ""
            last = answers[1:].index("never")
            after = f"after a probe that ended {kinds[last - 1]}" if last else "after it opened"
            return (
                f"open, it must let another probe through, and {after} it let none in {WAITS[-1] / 86_400:.0f} days"
            )

        yield Case(drill, judged)


def one_probe(offered: Sequence[str]) -> Iterator[Case]:
    for rest in (_LONG_AGO, 2 * _LONG_AGO):
        drill = Drill((("open", "fails", 0), ("advance", rest), ("together", "fails", 0, CALLERS)), (_STUCK,))

        def judged(answers: Sequence[str]) -> str | None:
            ran = int(answers[2].split()[0])
            if answers[0] == "never" or not ran:
                return None
            return "" if ran == 1 else f"half open it must let one of {CALLERS} calls through, and {ran} ran"

        yield Case(drill, judged)


def backing_off(offered: Sequence[str]) -> Iterator[Case]:
    probe = ("probe", "fails", 0)
    for idle in (0.0, _LONG_AGO):  # the last failing probe comes as soon as it may, or long after
        operations = (("open", "fails", 0), probe, probe, ("advance", idle), probe, probe)
        drill = Drill(operations, (_STUCK,))

        def judged(answers: Sequence[str]) -> str | None:
            waits = [_waited(answer) for answer in (answers[1], answers[2], answers[5])]
            if answers[0] == "never" or None in waits:
                return None
            first, second, last = (wait or 0.0 for wait in waits)
            if first <= second <= last:
                return ""
            return f"no probe succeeded, and the waits before them were {first:g} s, {second:g} s, then {last:g} s"

        yield Case(drill, judged)
    success = (("call", "ok", 2), ("call", "ok", 3), ("open", "fails", 0), probe)
    drill = Drill((("open", "fails", 0), probe, probe, ("probe", "ok", 1), *success), (_STUCK, _WORK))

    def judged_success(answers: Sequence[str]) -> str | None:
        first, again = _waited(answers[1]), _waited(answers[7])
        if first is None or again is None or set(answers[4:6]) != {"ran"} or answers[6] == "never":
            return None
        return (
            "" if again <= first else f"success clears what it learned, and the wait was {again:g} s, not {first:g} s"
        )

    yield Case(drill, judged_success)


def _waited(answer: str) -> float | None:
    return float(answer.split()[2]) if answer.startswith("ran after") else None


def stops(offered: Sequence[str]) -> Iterator[Case]:
    for kind in ("interrupted", "exits", "cancelled"):
        drill = Drill((("open", kind, 0), ("call", "ok", 1)), (_STUCK, _WORK))

        def judged(answers: Sequence[str], kind: str = kind) -> str | None:
            if answers[0] == "never" and answers[1] == "ran":
                return ""
            made = answers[0].split()[-1]
            return f"calls that are {_TOLD[kind]} say nothing of what they call, and after {made} it refused"

        yield Case(drill, judged)


_TOLD = {"interrupted": "interrupted", "exits": "ended by an exit", "cancelled": "cancelled"}


# -- knobs -----------------------------------------------------------------------------------------------------------


def turned(offered: Sequence[str]) -> Iterator[Case]:
    """Drills with a fresh policy for each of a knob's two values, which stand as 1 and 2; see :func:`turn`."""
    if "call" in offered:
        life = (("open", "fails", 0), *[("probe", "fails", 0)] * 8)
        drill = Drill((("possible",), ("fresh", 1), *life, ("fresh", 2), *life), (_STUCK,))
        yield Case(drill, _told_apart)
    for story in [*loops(must_trip=True, most=2), *loops(must_trip=False, most=2)]:
        n = length(story)
        drill = Drill((("possible",), ("fresh", 1), ("drive", 0, n), ("fresh", 2), ("drive", 0, n)), (story,))
        yield Case(drill, _told_apart)


def _told_apart(answers: Sequence[str]) -> str | None:
    if answers[0] != "yes":
        return None
    half = (len(answers) - 1) // 2
    return "" if [*answers[1 : 1 + half]] != [*answers[1 + half :]] else None


def turn(drill: Drill, knob: str, values: Sequence[object]) -> Drill:
    """The drill with the knob at its two values."""
    turned = [("fresh", {knob: values[one[1] - 1]}) if one[0] == "fresh" and isinstance(one[1], int) else one
              for one in drill.operations]  # fmt: skip
    return attrs.evolve(drill, operations=tuple(turned))
