"""Policies that misbehave, one way each. They stand in for what strangers write, so they import nothing of ours."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from typing import Any


class NeverTrips:
    def observe(self, step: Any) -> str:
        return "CONTINUE"


class AlwaysTrips:
    def observe(self, step: Any) -> tuple[str, str]:
        return ("TRIP", "always")


class GivesAnUnprintableReason:
    def observe(self, step: Any) -> tuple[str, str]:
        return ("TRIP", "two\nlines and a \udc80" + " and so on" * 1000)


class Raises:
    """On the third step, and only where that step failed."""

    def __init__(self) -> None:
        self.steps = 0

    def observe(self, step: Any) -> str:
        self.steps += 1
        if self.steps == 3 and not step.success:
            raise ValueError("no budget for failures")  # the line a report must show
        return "CONTINUE"


class RaisesAlways:
    def observe(self, step: Any) -> str:
        raise SystemExit(7)


class Hangs:
    """On the fourth step that has a rank."""

    def __init__(self) -> None:
        self.checks = 0

    def observe(self, step: Any) -> str:
        self.checks += step.rank is not None
        while self.checks == 4:
            time.sleep(1)
        return "CONTINUE"


class Exits:
    def observe(self, step: Any) -> str:
        if step.rank is not None:
            os._exit(3)
        return "CONTINUE"


class IsKilled:
    def observe(self, step: Any) -> str:
        os.kill(0 or os.getpid(), signal.SIGSEGV)
        return "CONTINUE"


class Hoards:
    def observe(self, step: Any) -> str:
        return "CONTINUE" if bytearray(1 << 44) else ""


class TalksNonsense:
    def __init__(self) -> None:
        self.steps = 0

    def observe(self, step: Any) -> Any:
        self.steps += 1
        return "CONTINUE" if self.steps < 2 else {"halt": True}


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("not to be shown")


class AnswersTheUnshowable:
    def observe(self, step: Any) -> Any:
        return Unshowable()


class Prints(AlwaysTrips):
    """To standard output, as text and as bytes, and to standard error; and it reads standard input."""

    def observe(self, step: Any) -> tuple[str, str]:
        print('["done", 54]')
        os.write(1, b"raw\n")
        print("aside", file=sys.stderr)
        assert sys.stdin.read() == ""
        return super().observe(step)


class DependsOnHashing:
    """Trips at the first step in one process and at the second in another, by the order of a set of strings."""

    def __init__(self) -> None:
        self.steps = 0

    def observe(self, step: Any) -> str:
        self.steps += 1
        first = next(iter({f"key {i}" for i in range(64)}))
        return "TRIP" if self.steps > int(first.split()[1]) else "CONTINUE"


_stories = itertools.count()


class RemembersOtherRuns:
    """Trips on every third run: state of a class or module survives from run to run."""

    def __init__(self) -> None:
        self.number = next(_stories)

    def observe(self, step: Any) -> str:
        return "TRIP" if self.number % 3 == 2 else "CONTINUE"


class ChangesItsArguments:
    """Empties the arguments it is shown, and would trip if it ever met its own traces."""

    def observe(self, step: Any) -> str:
        if not step.arguments:
            return "TRIP"
        step.arguments.clear()
        return "CONTINUE"


class NeedsArguments:
    def __init__(self, window: int) -> None:
        self.window = window


class CannotBeMade:
    def __init__(self) -> None:
        self.limit = int("ten")


class HasNoMethod:
    def check(self, step: Any) -> str:
        return "CONTINUE"


def make() -> NeverTrips:
    return NeverTrips()


A_NUMBER = 7
