"""A machine run as a test: what it comes to where something is excused, where nothing was tried, and on one path.

A refutation that somebody answers for (a waiver, which a test runner knows of) is left alone and all else is driven
on. A test in which no step was taken says nothing, and so it does not pass.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from meshspec.engines.course import Course
from meshspec.engines.driven import NothingTried, Plan, Refuted, Trace

Excuse = Callable[[Refuted], bool]
_EXCUSE: ContextVar[Excuse | None] = ContextVar("excuse", default=None)


class NeverTaken(UserWarning):
    """A test case passed in which an action or a fault was never taken: nothing was tried against it."""


@contextmanager
def excusing(excuse: Excuse) -> Generator[None, None, None]:
    """Ask `excuse` of every refutation inside: one for which it is true fails no test."""
    before = _EXCUSE.set(excuse)
    try:
        yield
    finally:
        _EXCUSE.reset(before)


def refutations(error: BaseException) -> list[Refuted]:
    """The refutations that an exception consists of; empty where there is anything else among them."""
    if isinstance(error, Refuted):
        return [error]
    if not isinstance(error, BaseExceptionGroup):
        return []
    parts = [refutations(one) for one in cast("BaseExceptionGroup[BaseException]", error).exceptions]
    return [one for part in parts for one in part] if all(parts) else []


def tested(plan: Plan, once: Callable[[], None]) -> None:
    """Drive, and again without what is excused; raises what it fails with, and warns of what was never taken.

    Raises :class:`NothingTried` where no step was taken, in no example that was not discarded.
    """
    __tracebackhide__ = True
    plan.begin_count()
    were_open, left = set(plan.open), list[Refuted]()
    try:
        while True:
            try:
                once()
            except (Refuted, BaseExceptionGroup) as error:
                found, excuse = refutations(error), _EXCUSE.get()
                excused = {one.property for one in found if excuse is not None and excuse(one)}
                if not excused:
                    raise
                plan.open -= excused
                left = [one for one in found if one.property not in excused]
                if plan.open:
                    continue
            break
        if left:  # it was seen, though not again
            raise left[0]
        if not plan.steps and plan.open == were_open:
            raise NothingTried(plan)
    finally:
        plan.open |= were_open
    if never := plan.never_taken:
        told = f"{plan.model.name}: never taken in {plan.examples:,} examples: {', '.join(never)}"
        warnings.warn(told, NeverTaken, stacklevel=3)


def retaken(plan: Plan, path: str) -> None:
    """Take one path, the actions as a counterexample prints them between commas; raises :class:`Refuted` if it is so.

    Raises :class:`meshspec.errors.UsageError` for an action that is not enabled where it stands.
    """
    __tracebackhide__ = True
    plan.begin_count()
    side, course = plan.side(), Course(plan)
    assert side is not None
    numbers = {"".join(called.split()): number for number, called in enumerate(plan.called)}
    try:
        start = side.begin()
        course.begin(start)
        walk = plan.walk(Trace(start, ()))
        for action in actions_of(path):
            step = walk.take(action)
            number = numbers["".join(step.action.split())]
            course.take(number, dict(plan.here(course.state).ways)[number])
            side.follow(number, course)
        if not course.path:
            raise NothingTried(plan, "the path has no action")
    finally:
        side.close()


def actions_of(given: str) -> list[str]:
    """Actions between commas, those within parentheses apart.

    >>> actions_of("move(left, 2), crash")
    ['move(left, 2)', 'crash']
    """
    parts, depth = [""], 0
    for letter in given:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
