"""The role `breaker`, beyond stories: life after a trip, threads, time, sessions, snapshots, being asked, knobs.

The contract is `observe`. Whatever else a policy offers is asked of it too, and an obligation about what it does not
offer is not asked, which a report says:

    ask(step)                  what `observe` would answer now
    reset()                    an operator says: go on
    snapshot(), restore(held)  all that it holds, into a policy made anew
    session(name)              the breaker of one session
    call(perform)              make a call if calls are let through, and observe how it ends; TRIP where they are not
    ignores                    errors which, out of such a call, say nothing
    KNOBS                      each option of its constructor, with two values that some run should tell apart
    HOST(calls)                whether its host can make these calls

Clocks are under the check's control: a drill is told to a policy in a process where what Python's `time` and
`datetime` say is moved, and let pass, at will. What a drill consists of says :mod:`meshspec.roles.drill`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import attrs

from meshspec.roles import drills
from meshspec.roles.breaker import Obligation, obligations
from meshspec.roles.drills import Case

LIVE = "knobs-are-live"
"""The one obligation that a single drill settles, for each knob: a run that its two values tell apart."""


@attrs.frozen
class Lived:
    """Something a breaker owes in its life, if it offers what is spoken of.

    Attributes:
        name: in words, a predicate of the policy.
        says: the obligation in one sentence.
        needs: what a policy must offer for it to be asked.
        cases: the drills, simplest first; what the policy offers decides on some.
        stands_for: names of the paper's claims.
        in_production: what goes wrong where it is not kept.
    """

    name: str
    says: str
    needs: tuple[str, ...]
    cases: Callable[[Sequence[str]], Iterator[Case]]
    stands_for: tuple[str, ...]
    in_production: str


@cache
def lived() -> tuple[Lived, ...]:
    """The obligations of a breaker's life, in the order they are reported."""
    return (
        Lived(
            "trip-keeps-holding",
            "whoever catches a trip and goes on is tripped at every step, of the loop or of anything, until a reset",
            (),
            drills.holding,
            ("PB-TRIP-BOUND",),
            "A framework swallows the halt, and the run goes on as if there had been none.",
        ),
        Lived(
            "sees-calls-of-worker-threads",
            "a loop is stopped at the same step from whatever threads its calls are made",
            (),
            drills.in_threads,
            ("PB-TRIP-BOUND",),
            "Tools run in a pool of threads, and the guard watches the one that started them.",
        ),
        Lived(
            "independent-of-wall-clock",
            "the same run is decided the same way whatever date, hour and zone the clock on the wall shows",
            (),
            drills.by_the_clock,
            ("PB-TRIP-BOUND", "PB-NO-FALSE-TRIP"),
            "A clock is set or a container has another zone, and a run is stopped, or a loop is not.",
        ),
        Lived(
            "goes-on-after-reset",
            "a trip that an honest run may earn too is undone by a reset: it goes on, and a loop is stopped again",
            ("reset",),
            drills.reset,
            ("PB-GRADED",),
            "Patient polling is taken for a loop, and there is no way back but to start all over.",
        ),
        Lived(
            "snapshot-keeps-what-was-counted",
            "a policy restored from a snapshot trips at the step at which it would have tripped",
            ("snapshot", "restore"),
            drills.kept,
            ("PB-TRIP-BOUND", "OBSERVER"),
            "A run that is resumed now and then loops for ever, for each time the guard starts from nothing.",
        ),
        Lived(
            "sessions-do-not-trip-each-other",
            "a loop in one session trips that session, when it would alone, and no other",
            ("session",),
            drills.sessions,
            ("PB-SESSION",),
            "One user's loop stops everybody, or somebody else's work hides it.",
        ),
        Lived(
            "asking-changes-nothing",
            "asked, however often, it answers what observing would, and is tripped no sooner and no later for it",
            ("ask",),
            drills.asked,
            ("OBSERVER",),
            "A dashboard that shows the guard's mind uses it up.",
        ),
        Lived(
            "half-open-admits-one",
            "once rested it lets one call through, and no other until that one has ended",
            ("call",),
            drills.one_probe,
            ("BREAKER-RECOVER",),
            "A service that has just come back is met by everybody at once, and is down again.",
        ),
        Lived(
            "open-leads-to-another-probe",
            "open, it lets another call through in time, however the one before it ended",
            ("call",),
            drills.probed,
            ("BREAKER-RECOVER",),
            "One cancelled probe, and every call is refused until somebody restarts the process.",
        ),
        Lived(
            "backs-off-until-success",
            "while no probe succeeds its waits never get shorter, however late one comes; success makes them short",
            ("call",),
            drills.backing_off,
            ("BACKOFF-MONOTONE",),
            "The wait that was learned is forgotten in a quiet hour, and the service is hammered again.",
        ),
        Lived(
            "correct-traffic-passes",
            "calls that an operator interrupts or a caller cancels are no failures, however many",
            ("call",),
            drills.stops,
            ("BREAKER-RECOVER",),
            "Two people press Ctrl-C, and the breaker opens on a service that is well.",
        ),
        Lived(
            LIVE,
            "each option that it accepts changes some run that its host can make",
            ("KNOBS",),
            drills.turned,
            ("KNOB-LIVE",),
            "A threshold is set, and documented, and no run of this host can ever reach it.",
        ),
    )


@cache
def owed() -> tuple[Obligation | Lived, ...]:
    """All that a breaker owes: what stories ask of it, and then what its life does."""
    return (*obligations(), *lived())


def names() -> tuple[str, ...]:
    """The names of all that a breaker owes."""
    return (*(one.name for one in obligations()), *(one.name for one in lived()))
