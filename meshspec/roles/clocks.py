"""The child's side of time: what Python's `time` and `datetime` say, moved where a check wants it.

Loaded by path by :mod:`meshspec.roles.host`; standard library only, Python 3.9 and later. Clocks go on as usual and
are moved by whole amounts, so that nothing that waits for one waits for ever. There are two amounts: `passed` moves
every clock, as time does; `off` moves the clocks on the wall alone, as an operator, a summer or a wrong battery does.

Soundness: whatever is read through the modules `time` and `datetime` after :func:`install` is moved. Misses: what C
code asks the system for by itself, and a function of `time` that was taken hold of before.
"""

from __future__ import annotations

import datetime
import os
import time
from typing import Any

_DAY = 86_400.0
JUMPS = (2 * _DAY, -9 * _DAY, 3_600.0, 40 * _DAY, -3_600.0, -31 * _DAY)
"""By how much a clock on a wall that is not to be believed jumps between two steps, in turn."""


ZONES = ("MSP+11", "EST5EDT,M3.2.0,M11.1.0", "MSP-14")
"""Time zones to jump between: far from one another, and one with a summer."""


class Clocks:
    """How far the clocks have been moved, in seconds."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.off = 0.0

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.passed += seconds

    def jump(self, number: int) -> None:
        """Set the clock on the wall to another time, in another zone; no time passes."""
        self.off += JUMPS[number % len(JUMPS)]
        set_zone(ZONES[number % len(ZONES)])


def set_zone(zone: str) -> None:
    """Be in another time zone, a name as in ``TZ``."""
    os.environ["TZ"] = zone
    if hasattr(time, "tzset"):
        time.tzset()


def install(clocks: Clocks, zone: str) -> None:
    """Put the clocks in place of Python's, for whatever is imported from now on; the zone is a name as in ``TZ``."""
    set_zone(zone)
    _functions(clocks)
    _classes(clocks)


def _functions(clocks: Clocks) -> None:
    wall, localtime, gmtime = time.time, time.localtime, time.gmtime
    ctime, strftime, pause = time.ctime, time.strftime, time.sleep

    def now() -> float:
        return wall() + clocks.passed + clocks.off

    def moved(clock: Any, *, whole: bool) -> Any:
        def read() -> Any:
            return clock() + (int(clocks.passed * 1e9) if whole else clocks.passed)

        return read

    def sleep(seconds: float) -> None:
        """Time passes, and nobody waits."""
        pause(0)
        clocks.advance(seconds)

    for name in ("monotonic", "perf_counter"):
        setattr(time, name, moved(getattr(time, name), whole=False))
        setattr(time, f"{name}_ns", moved(getattr(time, f"{name}_ns"), whole=True))

    def of(function: Any) -> Any:
        """The function of a moment, which is now where none is given."""

        def told(at: Any = None) -> Any:
            return function(now() if at is None else at)

        return told

    def formed(form: str, at: Any = None) -> str:
        return strftime(form, localtime(now()) if at is None else at)

    ours: Any = time
    ours.time, ours.time_ns, ours.sleep = now, lambda: int(now() * 1e9), sleep
    ours.localtime, ours.gmtime, ours.ctime = of(localtime), of(gmtime), of(ctime)
    ours.strftime = formed


def _classes(clocks: Clocks) -> None:
    moment: Any = datetime.datetime
    day: Any = datetime.date

    class Same(type):
        """What is of the class itself is of ours too."""

        def __instancecheck__(cls, thing: Any) -> bool:
            return isinstance(thing, moment if issubclass(cls, moment) else day)

    class Moment(moment, metaclass=Same):  # type: ignore[misc]  # the class itself, kept under another name
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(time.time(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(time.time(), datetime.timezone.utc).replace(tzinfo=None)  # noqa: UP017

        @classmethod
        def today(cls) -> Any:
            return cls.now()

    class Day(day, metaclass=Same):  # type: ignore[misc]
        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(time.time())

    for ours, name in ((Moment, "datetime"), (Day, "date")):
        ours.__name__ = ours.__qualname__ = name
        ours.__module__ = "datetime"
        setattr(datetime, name, ours)
