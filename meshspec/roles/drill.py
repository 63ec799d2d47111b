"""The child's side of a drill: what no story can ask of a policy. Life after a trip, threads, time, being asked.

A drill is a list of operations on one policy, each of which is answered by one line. The calls that it speaks of are
numbered from 0: those of its stories, one after the other, and then those that are spelled out. Loaded by path by
:mod:`meshspec.roles.host`; standard library only, Python 3.9 and later.

    ["drive", a, b, how]       observe calls a to b-1 until it trips: "TRIP at n: why", n from 1, or "CONTINUE"
    ["trip", a, b]             the same; where it does not trip, whatever follows is left out, and answered "-"
    ["hold", a, b]             observe calls a to b-1, which must all be trips: "held", or "let n run", n from 1
    ["interleave", a, b, c, d] sessions x and y, in turn, observe a to b-1 and c to d-1: when they tripped, or 0
    ["ask", i, times]          what it says of call i, that many times over: "CONTINUE", "TRIP" or "differs at n"
    ["reset"] ["keep"] ["restore"] ["fresh", {knob: value}]     "done"
    ["state"]                  a digest of what it holds; empty where that cannot be told
    ["knobs"]                  its KNOBS, as JSON
    ["possible"]               whether its host could have made these calls, by its own statement: "yes" or "no"
    ["call", kind, i]          a call made through it: "ran", "ran, TRIP: why", "refused: why"
    ["open", kind, i]          such calls until one is refused: "refused after n" or "never"
    ["together", kind, i, n]   n such calls at once: "n ran", how many
    ["probe", kind, i]         let time pass until a call is let through: "ran after s s", the same ", TRIP", "never"
    ["advance", s]             let time pass: "done"

``how`` is empty for the thread that made the policy, ``worker`` for another one, ``threads`` for a new one each time,
``wall`` for a clock on the wall that jumps between steps, ``asked`` for being asked three times before each step.
The kinds of a call are how it ends: ``ok`` (the call comes back), ``fails``, ``cancelled``, ``interrupted``,
``exits``, and ``ignored``, which raises the first of the policy's own ``ignores``.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable  # noqa: UP035  # collections.abc.Callable[...] is no type before 3.9.2

OFFERED = ("ask", "reset", "snapshot", "restore", "session", "call", "ignores", "KNOBS", "HOST")
"""What a policy may offer beside `observe`."""

MOST = 54
"""Calls that are made through a policy before it is taken never to refuse one."""

WAITS = tuple(2.0**n for n in range(23))
"""What time is let pass in, in all: 1 s, 2 s, 4 s, ... until 48 days."""

_ENOUGH = 0.25
_KINDS: dict[str, Callable[[], BaseException]] = {
    "fails": lambda: RuntimeError("the service is down"),
    "cancelled": lambda: importlib.import_module("asyncio").CancelledError(),  # only where it is used: it is slow
    "interrupted": lambda: KeyboardInterrupt(),
    "exits": lambda: SystemExit(0),
}


class Nonsense(Exception):
    """It answered what is no decision; the argument shows it."""


def offers(policy: Any) -> list[str]:
    """What the policy has of all that it may offer."""
    return [name for name in OFFERED if getattr(policy, name, None) is not None]


class Drill:
    """One policy on stage, and what it is asked to do. ``word`` tells CONTINUE and TRIP from nonsense."""

    def __init__(self, make: Callable[..., Any], calls: Any, clocks: Any, word: Callable[[Any], str]) -> None:
        self.make, self.calls, self.clocks, self.word = make, calls, clocks, word
        self.policy = make()
        self.kept: Any = None
        self.worker = ThreadPoolExecutor(1)

    def run(self, operations: list[Any], told: list[str], at: Callable[[int], None]) -> None:
        """Do it all, one after the other; what has been answered is in `told` whatever happens."""
        try:
            for number, (verb, *arguments) in enumerate(operations, 1):
                at(number)
                told.append(getattr(self, f"do_{verb}")(*arguments))
                if verb == "trip" and told[-1] == "CONTINUE":
                    told += ["-"] * (len(operations) - number)
                    break
        finally:
            self.worker.shutdown()

    # -- observing -----------------------------------------------------------------------------------------------

    def call_of(self, number: int) -> Any:
        """A call as the policy sees it, with arguments of its own."""
        call = self.calls[number]
        return call._replace(arguments=dict(call.arguments))

    def observed(self, number: int, how: str = "", policy: Any = None) -> str:
        """What it answers to a call: CONTINUE, or TRIP and why."""
        observe, call = (self.policy if policy is None else policy).observe, self.call_of(number)
        if how == "worker":
            return self.word(self.worker.submit(observe, call).result())
        if how == "threads":
            with ThreadPoolExecutor(1) as one:
                return self.word(one.submit(observe, call).result())
        if how == "wall":
            self.clocks.jump(number)
        return self.word(observe(call))

    def do_drive(self, first: int, last: int, how: str = "") -> str:
        for step, number in enumerate(range(first, last), 1):
            asked = [self.word(self.policy.ask(self.call_of(number))) for _ in range(3)] if how == "asked" else []
            said = self.observed(number, how)
            for answer in asked:
                if answer[:4] != said[:4]:
                    return f"differs at {step}: asked, it says {answer}; observing, it says {said}"
            if said != "CONTINUE":
                return said.replace("TRIP", f"TRIP at {step}", 1)
        return "CONTINUE"

    do_trip = do_drive

    def do_hold(self, first: int, last: int) -> str:
        for step, number in enumerate(range(first, last), 1):
            if self.observed(number) == "CONTINUE":
                return f"let {step} run"
        return "held"

    def do_interleave(self, first: int, last: int, other: int, end: int) -> str:
        tripped = [0, 0]
        ranges = (range(first, last), range(other, end))
        for step in range(max(map(len, ranges))):
            for which, calls in enumerate(ranges):
                if step < len(calls) and not tripped[which]:
                    said = self.observed(calls[step], policy=self.policy.session("xy"[which]))
                    tripped[which] = 0 if said == "CONTINUE" else step + 1
        return f"{tripped[0]} {tripped[1]}"

    def do_ask(self, number: int, times: int) -> str:
        answers = [self.word(self.policy.ask(self.call_of(number)))[:8].rstrip(": ") for _ in range(times)]
        odd = [n for n, answer in enumerate(answers, 1) if answer[:4] != answers[0][:4]]
        return f"differs at {odd[0]}" if odd else "CONTINUE" if answers[0] == "CONTINUE" else "TRIP"

    # -- its life ------------------------------------------------------------------------------------------------

    def do_reset(self) -> str:
        self.policy.reset()
        return "done"

    def do_keep(self) -> str:
        self.kept = self.policy.snapshot()
        return "done"

    def do_restore(self) -> str:
        self.policy.restore(self.kept)
        return "done"

    def do_fresh(self, knobs: dict[str, Any]) -> str:
        self.policy = self.make(**knobs)
        return "done"

    def do_state(self) -> str:
        held = getattr(self.policy, "__dict__", None)
        if held is None:
            return ""
        try:
            return hashlib.sha256(pickle.dumps(held)).hexdigest()[:16]
        except Exception:  # something in it cannot be told; what is not known is not said
            return ""

    def do_knobs(self) -> str:
        return json.dumps({name: list(values) for name, values in sorted(self.policy.KNOBS.items())})

    def do_possible(self) -> str:
        return "yes" if self.policy.HOST([self.call_of(n) for n in range(len(self.calls))]) else "no"

    # -- calls made through it, and time -------------------------------------------------------------------------

    def through(self, kind: str, number: int, meanwhile: Callable[[], None] = lambda: None) -> str:
        """A call that is made through the policy, and ends as the kind says."""
        ran: list[BaseException | None] = []

        def perform() -> Any:
            error = self.policy.ignores[0]() if kind == "ignored" else _KINDS[kind]() if kind in _KINDS else None
            ran.append(error)
            meanwhile()
            if error is not None:
                raise error
            return self.call_of(number)

        try:
            said = self.word(self.policy.call(perform))
        except BaseException as error:
            if not any(error is raised for raised in ran):
                raise
            said = "CONTINUE"  # the call's own ending, handed on
        if not ran:
            if said == "CONTINUE":
                raise Nonsense("CONTINUE, and made no call")
            return said.replace("TRIP", "refused", 1)
        return "ran" if said == "CONTINUE" else f"ran, {said}"

    def do_call(self, kind: str, number: int) -> str:
        return self.through(kind, number)

    def do_open(self, kind: str, number: int) -> str:
        for made in range(MOST + 1):
            if self.through(kind, number).startswith("refused"):
                return f"refused after {made}"
        return "never"

    def do_together(self, kind: str, number: int, many: int) -> str:
        ran, ready, others = [0], threading.Barrier(many), threading.Event()

        def meanwhile() -> None:
            ran[0] += 1
            if ran[0] > 1:
                others.set()
            others.wait(_ENOUGH)  # the others come while this one is under way

        def one() -> str:
            ready.wait()
            return self.through(kind, number, meanwhile)

        with ThreadPoolExecutor(many) as callers:
            for caller in [callers.submit(one) for _ in range(many)]:
                caller.result()
        return f"{ran[0]} ran"

    def do_probe(self, kind: str, number: int) -> str:
        passed = 0.0
        for until in (0.0, *WAITS):
            self.clocks.advance(until - passed)
            passed = until
            said = self.through(kind, number)
            if said.startswith("ran"):
                return f"ran after {until:g} s{', TRIP' if 'TRIP' in said else ''}"
        return "never"

    def do_advance(self, seconds: float) -> str:
        self.clocks.advance(seconds)
        return "done"
