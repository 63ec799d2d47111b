"""What is done to a ledger: drills, each in a fresh folder, made of stages of processes that run side by side.

A life is one process. It makes the policy anew over the drill's store and submits effects, one after another, or all
at once from threads. Where a life is to be killed, it is killed for good: by itself in the middle of an effect, or
from outside after its k-th write to the system.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

from meshspec.roles.effects import Effect

LONG = 30.0
"""Seconds that a claim or a key holds in drills in which nothing is to expire."""
SHORT = 0.6
"""Seconds in those in which it is."""

EFFECTS: Mapping[str, Effect] = {
    "pay": Effect("pay", {"order": 7, "amount": 10}, "acme", "s-1"),
    "pay 20": Effect("pay", {"order": 7, "amount": 20}, "acme", "s-1"),
    "refund": Effect("refund", {"order": 7}, "acme", "s-1"),
    "ship": Effect("ship", {"order": 7}, "acme", "s-1"),
}
"""The effects of all drills, by the names that a report uses."""

Value = Literal["a receipt", "None", "an object", "a list that holds itself"]
Error = Literal[
    "RuntimeError",
    "ConnectionError",
    "ConnectionRefusedError",
    "TimeoutError",
    "CancelledError",
    "KeyboardInterrupt",
    "SystemExit",
]


@attrs.frozen
class Call:
    """One submission of an effect, and what `perform` does in it.

    It acts, takes `hold` seconds, then raises `error`, or kills its own process where it `dies`, or returns `value`.
    Where `unacted` it raises or dies at once. It is submitted after `after` seconds.
    """

    effect: str = "pay"
    value: Value = "a receipt"
    error: Error | None = None
    unacted: bool = False
    dies: bool = False
    hold: float = 0.0
    after: float = 0.0
    key: str | None = None

    @property
    def words(self) -> str:
        """The call as a report tells it, without who makes it."""
        of = EFFECTS[self.effect]
        inner = ", ".join(f"{name}={value}" for name, value in of.arguments.items())
        told = f"{of.tool}({inner})" + (f" under the key {self.key}" if self.key else "")
        if self.after:
            told += f", {self.after:g} s later"
        if self.dies:
            where = "before perform acts" if self.unacted else "after perform acted"
            return f"{told}; its process is killed (SIGKILL) {where}"
        if self.unacted:
            return f"{told}: perform raises {self.error} and does nothing"
        if self.error:
            return f"{told}: perform acts, then raises {self.error}"
        if self.hold:
            return f"{told}: perform acts and takes {self.hold:g} s"
        return told if self.value == "a receipt" else f"{told}: perform acts and returns {self.value}"


@attrs.frozen
class Life:
    """One process: its calls, whether threads make them `together`, and after which write it is killed, if it is.

    0 is before the first; None lets it live. `hashing` says which of two processes with different hash seeds it is
    born of.
    """

    calls: tuple[Call, ...] = (Call(),)
    together: bool = False
    kill: int | None = None
    hashing: int = 0


@attrs.frozen
class Drill:
    """Stages one after another, `pause` seconds before each but the first; the lives of a stage run side by side."""

    stages: tuple[tuple[Life, ...], ...]
    pause: float = 0.0
    lifetime: float = LONG

    @property
    def sequential(self) -> bool:
        """Whether everything happens in one order, with no clock in it: then it must be answered alike every time."""
        alone = all(len(stage) == 1 and not stage[0].together and stage[0].kill is None for stage in self.stages)
        return alone and not self.pause and not any(call.after or call.hold for _, call in self.calls())

    def calls(self) -> list[tuple[str, Call]]:
        """All calls with their names: process, then call within it, both from 1."""
        lives = [life for stage in self.stages for life in stage]
        return [(f"{n}.{i}", call) for n, life in enumerate(lives, 1) for i, call in enumerate(life.calls, 1)]

    def turned(self) -> Drill:
        """The same drill, each life born of the other process."""
        stages = tuple(tuple(attrs.evolve(life, hashing=1 - life.hashing) for life in stage) for stage in self.stages)
        return attrs.evolve(self, stages=stages)


def spoken(name: str) -> str:
    """A call's name in words.

    >>> spoken("2.1")
    'call 1 of process 2'
    """
    process, _, call = name.partition(".")
    return f"call {call} of process {process}"


def one_after_another(*calls: Call) -> tuple[Life]:
    """A stage of one process that makes the calls in order."""
    return (Life(calls),)


def anew(*calls: Call) -> tuple[Life]:
    """The same in a process with another hash seed: nothing that was only remembered is left."""
    return (Life(calls, hashing=1),)


def retried(call: Call, *, pause: float = 0.0, lifetime: float = LONG) -> Drill:
    """A call, and the same effect again in a new process."""
    return Drill((one_after_another(call), anew(Call(call.effect, call.value))), pause, lifetime)


def killed_after(k: int) -> Drill:
    """One submission, killed after its k-th write; a new process submits again."""
    return Drill(((Life((Call(),), kill=k),), anew(Call())))
