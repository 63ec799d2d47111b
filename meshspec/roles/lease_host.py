"""The child's side of the role `lease`: put somebody's policy through a run of calls, say what it answered.

Run by path; standard library only, Python 3.9 and later. The policy is made as ``make(clock, seconds)``, with a clock
that the run moves. A question is one of::

    ["run", keys, [[call, key, holder] or ["wait", seconds], ...]]
    ["race", key, expired]

A call is ``acquire``, or one that is made with the number that the holder last got for that key (``renew``,
``release``, ``commit``), or the one before that (with a ``-`` before the name). The answers are::

    ["ran", [answer, ...], "", "", 0, ""]       a number, None, True, False, or "none" where there is no such number
    ["ran", [...], kind, what, line, file]      it ended early: "raised" or "nonsense"
    ["raced", [[line, first, second], ...]]     for each line of acquire at which a second one came in between
    ["memory"]
    ["replaced", what it replaces, file, line]
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from typing import Any, Callable  # noqa: UP035  # collections.abc.Callable[...] is no type before 3.9.2

asked_host: Any = importlib.import_module(
    f"{__package__}.asked_host" if __package__ else "asked_host"
)  # our neighbour
host: Any = asked_host.host

SECONDS = 10.0
START = 1000.0
BLOCKED = 0.05
"""Seconds after which a call that came in between is taken to wait for the one that it interrupts."""
MOST_LINES = 200


class Clock:
    """The time, which nothing but the run moves."""

    now = START

    def __call__(self) -> float:
        return Clock.now


class Ended(Exception):
    """The run ends here: ``raised`` or ``nonsense``, and what is told of it."""


def called(method: Callable[..., Any], file: str, *given: Any) -> Any:
    """What a method answers; raises :class:`Ended` where it raises."""
    try:
        return method(*given)
    except MemoryError:
        raise
    except BaseException as error:
        at = host._place(error, file)
        raise Ended("raised", host._told(error), at[1], at[0]) from None


def checked(call: str, answer: Any) -> Any:
    """The answer, if it is one that the call may have; raises :class:`Ended` if it is none."""
    if call == "acquire":
        if answer is None or (type(answer) is int and abs(answer) < 1 << 62):
            return answer
        raise Ended("nonsense", f"acquire answered {host._shown(answer)}: neither a number nor None", 0, "")
    if type(answer) is bool:
        return answer
    raise Ended("nonsense", f"{call} answered {host._shown(answer)}: neither True nor False", 0, "")


def run(make: Callable[[], Any], keys: Any, calls: Any, at: Callable[[int], None], file: str) -> list[Any]:
    """One policy, and the calls in order."""
    Clock.now = START
    said: list[Any] = []
    got: dict[tuple[int, str], list[int]] = {}
    try:
        policy = called(make, file)
        for step, call in enumerate(calls, 1):
            at(step)
            if call[0] == "wait":
                Clock.now += call[1]
                said.append(None)
                continue
            name, number, holder = call
            key = tuple(keys[number])
            had = got.setdefault((number, holder), [])
            if name == "acquire":
                answer = checked(name, called(policy.acquire, file, key, holder))
                if answer is not None:
                    had.append(answer)
                said.append(answer)
                continue
            back = 2 if name[0] == "-" else 1
            if len(had) < back:
                said.append("none")
                continue
            name = name.lstrip("-")
            said.append(checked(name, called(getattr(policy, name), file, key, had[-back])))
    except Ended as ended:
        return ["ran", said, *ended.args]
    return ["ran", said, "", "", 0, ""]


def race(make: Callable[[], Any], key: Any, expired: bool, at: Callable[[int], None]) -> list[Any]:
    """A second acquire in the midst of a first one: once at each line that is run, if it is not Python's own."""
    found: list[Any] = []
    for stop in range(1, MOST_LINES):
        at(stop)
        met = interrupted(make, tuple(key), expired, stop)
        if met is None:
            break
        found.append(met)
    return ["raced", found]


PYTHON = os.path.dirname(os.path.realpath(os.__file__)) + os.sep  # noqa: PTH120


def theirs(file: str) -> bool:
    """Whether a file is neither Python's own nor ours."""
    own = os.path.realpath(file).startswith(PYTHON) and "site-packages" not in file
    return not own and not file.startswith("<") and file not in asked_host.ours()


def interrupted(make: Callable[[], Any], key: Any, expired: bool, stop: int) -> Any:
    """Line, first and second answer, where the second comes at the stop-th line; None where there is no such line."""
    Clock.now = START
    policy = make()
    answers: dict[str, Any] = {}
    lines: list[int] = []
    if expired:
        policy.acquire(key, "cleo")
        Clock.now += 2 * SECONDS

    def second() -> None:
        try:
            answers["second"] = policy.acquire(key, "ben")
        except BaseException as error:
            answers["second"] = host._told(error)

    other = threading.Thread(target=second, daemon=True)

    def trace(frame: Any, event: str, _: Any) -> Any:
        if not theirs(frame.f_code.co_filename):
            return None
        if event == "line":
            lines.append(frame.f_lineno)
            if len(lines) == stop:
                sys.settrace(None)
                other.start()
                other.join(BLOCKED)
        return trace

    sys.settrace(trace)
    try:
        first = policy.acquire(key, "ada")
    except BaseException as error:
        first = host._told(error)
    finally:
        sys.settrace(None)
    if len(lines) < stop:
        return None
    other.join(1.0)
    second_said = answers.get("second", "it never came back")
    kept = [said if said is None or type(said) is int else host._shown(said) for said in (first, second_said)]
    return [lines[stop - 1], *kept]


def answer(make: Callable[[], Any], question: Any, at: Callable[[int], None], file: str) -> list[Any]:
    """Answer one question."""
    try:
        if question[0] == "race":
            return race(make, question[1], question[2], at)
        return run(make, question[1], question[2], at, file)
    except MemoryError:
        return ["memory"]


METHODS = ("acquire", "renew", "release", "commit")


def made(given: Callable[..., Any]) -> Any:
    """A policy, with the clock of the run."""
    return given(Clock(), SECONDS)


if __name__ == "__main__":
    asked_host.serve("lease", METHODS, made, answer, "(clock, seconds)")
