"""Policies with a life, each odd in one way. They stand in for strangers, and import nothing of ours."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable
from typing import Any


class Plain:
    """It counts, holds, and offers nothing else."""

    def __init__(self) -> None:
        self.steps = 0

    def observe(self, step: Any) -> str:
        self.steps += 1
        return "TRIP" if self.steps > 3 else "CONTINUE"


class Never:
    def observe(self, step: Any) -> str:
        return "CONTINUE"


class NeverWithCalls(Never):
    def call(self, perform: Callable[[], Any]) -> str:
        perform()
        return "CONTINUE"


class CannotBeReset(Plain):
    def reset(self) -> None:
        raise NotImplementedError("there is no way back")  # the line a report must show


class HangsInReset(Plain):
    def reset(self) -> None:
        while True:
            pass


class AnswersNonsenseWhenAsked(Plain):
    def ask(self, step: Any) -> Any:
        return None


class PretendsToCall(Plain):
    def call(self, perform: Callable[[], Any]) -> str:
        return "CONTINUE"


class RaisesOfItself(Plain):
    def call(self, perform: Callable[[], Any]) -> str:
        raise ValueError("not today")


class TellsTheTime(Never):
    """Its reason is whether all that it reads of clocks moved by the hour that it slept."""

    def observe(self, step: Any) -> Any:
        return ("TRIP", "moved" if self.moved() else "stood still") if step.success else "CONTINUE"

    def reset(self) -> None:
        self.before = self.read()
        time.sleep(3600)

    def read(self) -> list[float]:
        return [
            time.time(), time.time_ns() / 1e9, time.monotonic(), time.monotonic_ns() / 1e9, time.perf_counter(),
            datetime.datetime.now().timestamp(), datetime.datetime.now(datetime.UTC).timestamp(),
            datetime.datetime.utcnow().replace(tzinfo=datetime.UTC).timestamp(),  # pyright: ignore[reportDeprecated]
            time.mktime(time.localtime()), time.mktime(time.strptime(time.ctime())),
        ]  # fmt: skip

    def moved(self) -> bool:
        ours = datetime.datetime.now() - datetime.timedelta(days=1)
        assert isinstance(ours, datetime.datetime) and isinstance(ours, datetime.date)
        assert isinstance(datetime.date.today(), datetime.date)
        assert not isinstance(datetime.date.today(), datetime.datetime)
        assert time.strftime("%Y") == str(datetime.date.today().year) == str(time.gmtime(time.time()).tm_year)
        return all(3500 < now - then < 3700 for now, then in zip(self.read(), self.before, strict=True))


class Knobs(Plain):
    KNOBS: dict[str, Any] = {"most": (1, 5), "unused": (1, 2)}  # noqa: RUF012

    def __init__(self, most: int = 3, unused: int = 1) -> None:
        self.steps, self.most = 0, most

    def observe(self, step: Any) -> str:
        self.steps += 1
        return "TRIP" if self.steps > self.most else "CONTINUE"


class StatedKnobs(Knobs):
    @staticmethod
    def HOST(calls: Any) -> bool:
        return True


class LiveKnobs(StatedKnobs):
    KNOBS = {"most": (1, 5)}  # noqa: RUF012


class OddKnobs(StatedKnobs):
    KNOBS = {"most": [object(), 1]}  # noqa: RUF012


class OneValue(StatedKnobs):
    KNOBS = {"most": (1,)}  # noqa: RUF012


class NoKnobs(StatedKnobs):
    KNOBS: dict[str, Any] = {}  # noqa: RUF012


class ImpossibleHost(LiveKnobs):
    @staticmethod
    def HOST(calls: Any) -> bool:
        return False
