"""Waivers: someone answers, until a day, for a property that does not hold.

A waiver is written in ``[[tool.meshspec.waivers]]``, with an owner, a reason, a last day and, where it is not
VIOLATED, the one answer that it excuses: a claim that says nothing any more is not what somebody answered for. What
it excuses is shown with its whole argument, counted apart and left out of the exit code. It can excuse nothing else:
not a bug of ours (exit 70), not bad input (exit 2), not that a check was ended before its end or had nothing to
check. One that ended fails until it is deleted, whether its property holds or not; one that nothing was found for is
told.

The day is taken from :func:`today`, in UTC, and can be set by ``MESHSPEC_TODAY``. ``SOURCE_DATE_EPOCH`` is not asked:
build tools set it to a day long past for reasons of their own, and every waiver would live again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Literal

import attrs

from meshspec.answer import Answer, Finding, Waiver
from meshspec.engines.check import Answered
from meshspec.errors import UsageError

TODAY = "MESHSPEC_TODAY"
LONGEST = 731
"""For how many days a waiver may be written: two years. What is to be excused for longer is no promise."""

NEVER = ("check", "waiver")
"""Kinds that no waiver excuses: that the check ran to its end and had something to check, that no waiver ended."""

State = Literal["used", "unused", "expired"]


def today(environ: Mapping[str, str] = os.environ) -> date:
    """The present day in UTC, or the one that ``MESHSPEC_TODAY`` gives.

    >>> today({"MESHSPEC_TODAY": "2026-11-29"})
    datetime.date(2026, 11, 29)
    """
    given = environ.get(TODAY)
    if given is None:
        return datetime.now(UTC).date()
    try:
        day = date.fromisoformat(given)
    except ValueError:
        day = None
    if day is None or day.isoformat() != given:  # a week and its day is another way to write it
        raise UsageError(f"{TODAY}={given}: that is no day; write it like 2026-11-29")
    return day


def too_long(waiver: Waiver, on: date) -> str:
    """Why a waiver is for too long a time, seen from a day; empty where it is not."""
    days = (waiver.expires - on).days
    if days <= LONGEST:
        return ""
    return f"expires = {waiver.expires}: that is {days:,} days ahead, and a waiver is for two years at most"


@attrs.frozen
class Record:
    """A waiver and what became of it in a run: it excused something, it excused nothing, or it had ended."""

    waiver: Waiver
    state: State


@attrs.define
class Waivers:
    """The waivers of a run, applied to what is answered as it is answered, in order.

    A waiver is for one claim of one model. Where a second model of the same name, stated at another place, is checked
    in the same run, only the first is excused, and that is told.

    Raises :class:`UsageError` for two waivers for the same property, and for one that reaches too far ahead.
    """

    waivers: Sequence[Waiver]
    on: date
    _places: dict[tuple[str, str], str] = attrs.field(init=False, factory=dict[tuple[str, str], str])
    _used: set[tuple[str, str]] = attrs.field(init=False, factory=set[tuple[str, str]])
    _held: set[tuple[str, str]] = attrs.field(init=False, factory=set[tuple[str, str]])
    _other: set[tuple[str, str]] = attrs.field(init=False, factory=set[tuple[str, str]])
    _models: set[str] = attrs.field(init=False, factory=set[str])
    _notes: list[str] = attrs.field(init=False, factory=list[str])

    def __attrs_post_init__(self) -> None:
        seen: set[tuple[str, str]] = set()
        for waiver in self.waivers:
            if why := too_long(waiver, self.on):
                raise UsageError(f"{_place(waiver)}{why}")
            if _key(waiver) in seen:
                raise UsageError(f"{_place(waiver)}{_named(waiver)} has two waivers: leave one")
            seen.add(_key(waiver))
        self.waivers = [attrs.evolve(waiver, ended=waiver.expires < self.on) for waiver in self.waivers]

    def apply(self, answered: Iterable[Answered]) -> list[Answered]:
        """The same answers with their waivers, and a failing one for each waiver past its day and its need."""
        by_property = {_key(waiver): waiver for waiver in self.waivers}
        made: list[Answered] = []
        for one in answered:
            finding = one.answer
            key = (finding.subject, finding.property)
            self._models.add(finding.subject)
            waiver = by_property.get(key)
            if waiver is None or not self._may(finding, waiver):
                made.append(one)
                continue
            made.append(attrs.evolve(one, answer=attrs.evolve(finding, waiver=waiver)))
            if finding.answer is not Answer.HOLDS:
                (self._used if finding.answer is waiver.answer else self._other).add(key)
            elif waiver.ended and key not in self._held:
                made.append(_outlived(waiver, "the property holds"))
            self._held |= {key} if finding.answer is Answer.HOLDS else set()
        return made

    def _may(self, finding: Finding, waiver: Waiver) -> bool:
        if finding.kind in NEVER:
            self._notes.append(
                f"a waiver cannot excuse {finding.property!r} of {finding.subject}: it says nothing yet"
            )
            return False
        if self._places.setdefault((finding.subject, finding.property), finding.where) != finding.where:
            self._notes.append(
                f"the waiver for {_named(waiver)} excuses the one at {self._places[_key(waiver)]}, "
                f"not the one at {finding.where}: give one of the two models another name"
            )
            return False
        return True

    def last(self) -> list[Answered]:
        """At the end: a failing answer for each that ended and whose model was checked, but not its property."""
        answered = self._used | self._held | self._other
        lost = [w for w in self.waivers if w.ended and w.model in self._models and _key(w) not in answered]
        return [_outlived(waiver, "no such property of the model was checked") for waiver in lost]

    def records(self) -> list[Record]:
        """Every waiver with what became of it, in the order in which they are written."""
        return [
            Record(w, "expired" if w.ended else "used" if _key(w) in self._used else "unused") for w in self.waivers
        ]

    def notes(self, environ: Mapping[str, str] = os.environ) -> list[str]:
        """What is to be told of the waivers beside the answers."""
        notes = list(dict.fromkeys(self._notes))
        if self.waivers and TODAY in environ:
            notes.append(f"today is taken to be {self.on}, from {TODAY}")
        told = self._used | self._held | self._other
        for waiver in (waiver for waiver in self.waivers if _key(waiver) not in told):
            checked = waiver.model in self._models
            if waiver.ended and checked:
                continue  # it has a line of its own: see `last`
            why = f"{waiver.model} was {'checked, and has no such property here' if checked else 'not checked'}"
            what = f"it ended on {waiver.expires}" if waiver.ended else "it was not used"
            notes.append(f"waiver for {_named(waiver)}: {what}; {why}")
        return notes


def waive(
    answered: Iterable[Answered], waivers: Sequence[Waiver], on: date
) -> tuple[list[Answered], list[Record], list[str]]:
    """All of a run at once: its answers with their waivers, what became of each waiver, and what is to be told."""
    held = Waivers(waivers, on)
    made = held.apply(answered)
    return [*made, *held.last()], held.records(), held.notes({})


def _outlived(waiver: Waiver, why: str) -> Answered:
    """A waiver that ended and is still there: it fails until it is deleted."""
    finding = Finding(
        waiver.model,
        f"no waiver for {waiver.property} after its day",
        Answer.VIOLATED,
        "waivers",
        kind="waiver",
        reason=f"it ended on {waiver.expires}, and {why}: delete it ({waiver.owner}: {waiver.reason})",
        settles="deleting the waiver",
        where=waiver.where,
    )
    return Answered(finding, (finding,))


def _key(waiver: Waiver) -> tuple[str, str]:
    return waiver.model, waiver.property


def _named(waiver: Waiver) -> str:
    return f"{waiver.model}.{waiver.property}"


def _place(waiver: Waiver) -> str:
    return f"{waiver.where}: " if waiver.where else ""
