"""Breakers as bug reports found them, and repaired. Each stands in for somebody's; none imports anything of ours."""

from __future__ import annotations

import copy
import itertools
import time
from collections.abc import Callable
from typing import Any

Answer = str | tuple[str, str]


# -- macanderson/stella#359 ------------------------------------------------------------------------------------------


class ComparesInputs:
    """The third equal call in a row is a loop, and so are two calls taken in turn, whatever comes back."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def of(self, step: Any) -> Any:
        return (step.tool, sorted(step.arguments.items()))

    periods: tuple[int, ...] = (1, 2)

    def observe(self, step: Any) -> Answer:
        self.calls.append(self.of(step))
        for period in self.periods:
            last = self.calls[-3 * period :]
            if len(last) == 3 * period and last[:period] * 3 == last:
                return ("TRIP", f"the same {period} three times over")
        return "CONTINUE"


class ComparesOutputsToo(ComparesInputs):
    """Repaired: a call counts with what it came back with, and any short period is a loop."""

    periods = (1, 2, 3, 4)

    def of(self, step: Any) -> Any:
        return (super().of(step), step.text)


class SeesThroughOneThatVaries(ComparesOutputsToo):
    """Repaired again: what comes back every other time, between steps that vary, is a loop as well."""

    def observe(self, step: Any) -> Answer:
        answer = super().observe(step)
        every_other = self.calls[::-2][:6]
        if answer == "CONTINUE" and len(every_other) == 6 and every_other == every_other[:1] * 6:
            return ("TRIP", "the same every other time")
        return answer


# -- Toloka/tolokaforge#1141 -----------------------------------------------------------------------------------------


class CountsInAWindow:
    """So many times the same phrase, of one speaker, among the last ten messages."""

    KNOBS = {"times": (10, 8)}  # noqa: RUF012

    def __init__(self, times: int = 10) -> None:
        self.times = times
        self.messages: list[tuple[str, str]] = []

    @staticmethod
    def HOST(calls: Any) -> bool:
        """Never the same speaker twice in a row: somebody always answers."""
        return all(one.tool != other.tool for one, other in itertools.pairwise(calls))

    def observe(self, step: Any) -> Answer:
        self.messages = [*self.messages[-9:], (step.tool, step.text)]
        return ("TRIP", "it repeats itself") if self.count(step) >= self.times else "CONTINUE"

    def count(self, step: Any) -> int:
        said = " ".join(text for speaker, text in self.messages if speaker == step.tool)
        return said.count(step.text[:6])


class CountsForAnyHost(CountsInAWindow):
    """As it was, taken to run anywhere."""

    @staticmethod
    def HOST(calls: Any) -> bool:
        return True


class CountsForNobodyKnowsWhom(CountsInAWindow):
    """As it was, with nothing said of its host."""

    HOST = None  # type: ignore[assignment]


class CountsWithinReach(CountsInAWindow):
    """Repaired: a message counts once, and a threshold is one that can be reached."""

    KNOBS = {"times": (5, 3)}  # noqa: RUF012

    def __init__(self, times: int = 5) -> None:
        super().__init__(times)

    def count(self, step: Any) -> int:
        return self.messages.count((step.tool, step.text))


# -- aaif-goose/goose#9758 -------------------------------------------------------------------------------------------


class CountsOnACopy:
    """Every inspection counts on a copy of itself, which is thrown away."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}

    def observe(self, step: Any) -> Answer:
        return copy.deepcopy(self).counted(step)

    def counted(self, step: Any) -> Answer:
        call = f"{step.tool} {step.text}"
        self.seen[call] = self.seen.get(call, 0) + 1
        return ("TRIP", "five times the same") if self.seen[call] >= 5 else "CONTINUE"


class CountsOnItself(CountsOnACopy):
    """Repaired: what is observed persists, and to be asked is still no observation."""

    def observe(self, step: Any) -> Answer:
        return self.counted(step)

    def ask(self, step: Any) -> Answer:
        return copy.deepcopy(self).counted(step)


class CountsWhatItIsAsked(CountsOnItself):
    """The other way to be wrong: it persists what it is merely asked."""

    def ask(self, step: Any) -> Answer:
        return self.counted(step)


# -- resilience4j/resilience4j#544 -----------------------------------------------------------------------------------


class Ignored(Exception):
    """An error that its user told it not to count."""


class LosesItsSlot:
    """Half open it has one slot, which success and failure give back. An ignored error is neither."""

    ignores = (Ignored,)

    def __init__(self) -> None:
        self.failures, self.opened, self.slots = 0, -1.0, 1

    def observe(self, step: Any) -> Answer:
        return "CONTINUE" if step.success else self.failed()

    def failed(self) -> Answer:
        self.failures, self.slots = self.failures + 1, 1
        if self.opened >= 0 or self.failures >= 5:
            self.opened = time.monotonic()
            return ("TRIP", "open")
        return "CONTINUE"

    def call(self, perform: Callable[[], Any]) -> Answer:
        if self.opened >= 0:
            if time.monotonic() - self.opened < 30 or not self.slots:
                return ("TRIP", "open")
            self.slots = 0
        try:
            perform()
        except self.ignores:
            self.ignored()
            raise
        except Exception:
            self.failed()
            raise
        except BaseException:
            self.ignored()
            raise
        self.failures, self.opened, self.slots = 0, -1.0, 1
        return "CONTINUE"

    def ignored(self) -> None:
        """Nothing is recorded."""


class GivesItsSlotBack(LosesItsSlot):
    """Repaired: a probe that says nothing gives its slot back."""

    def ignored(self) -> None:
        self.slots = 1
