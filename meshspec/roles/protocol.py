"""What a child process answers, line by line, read without believing it: the policy in it could have written there.

The other side is :mod:`meshspec.roles.host`, whose first comment states the protocol.
"""

from __future__ import annotations

from typing import Annotated, Literal

import attrs
import msgspec

MOST = 1 << 20
"""Bytes that a line may have; the longest of the host's own has a few thousand."""

_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]
_Text = Annotated[str, msgspec.Meta(max_length=10_000)]


class Spoiled(ValueError):
    """What no host writes."""


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The policy as loaded: its name, the file and line it is written at, the line of ``observe``, what it offers."""

    name: _Text
    file: _Text
    line: _Count
    observe: _Count
    offers: tuple[_Text, ...] = ()


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why the policy cannot be loaded, and where its file is at fault, if it is."""

    refused: Literal["usage", "model"]
    message: _Text
    file: _Text
    line: _Count


@attrs.frozen
class Outcome:
    """How one story ended.

    ``word`` is ``done``, ``trip``, ``raised``, ``nonsense``, or, where no more can be known, ``memory``, ``hung`` or
    ``ended`` (the process was gone). ``step`` counts from 1; 0 is while the policy was being made. ``said`` is the
    reason, the error, the answer, or how the process ended; ``file`` and ``line`` are where it raised.
    """

    word: str
    step: int
    said: str = ""
    file: str = ""
    line: int = 0

    @property
    def tripped(self) -> int | None:
        return self.step if self.word == "trip" else None

    @property
    def answered(self) -> bool:
        """Whether every answer was within the contract."""
        return self.word in ("done", "trip")

    @property
    def cut(self) -> bool:
        """Whether the story was cut short from outside the policy's own code."""
        return self.word in ("memory", "hung", "ended")


@attrs.frozen
class Drilled:
    """What a policy answered in a drill, operation by operation.

    ``said`` is what it then raised, or answered that is no decision, or how it was cut short; empty where it came to
    the end.
    """

    answers: tuple[str, ...]
    said: str = ""
    file: str = ""
    line: int = 0
    cut: bool = False


class _Done(msgspec.Struct, array_like=True, tag="done", forbid_unknown_fields=True):
    step: _Count


class _Memory(msgspec.Struct, array_like=True, tag="memory", forbid_unknown_fields=True):
    step: _Count


class _Trip(msgspec.Struct, array_like=True, tag="trip", forbid_unknown_fields=True):
    step: _Count
    said: _Text


class _Nonsense(msgspec.Struct, array_like=True, tag="nonsense", forbid_unknown_fields=True):
    step: _Count
    said: _Text


class _Raised(msgspec.Struct, array_like=True, tag="raised", forbid_unknown_fields=True):
    step: _Count
    said: _Text
    file: _Text
    line: _Count


class _Drilled(msgspec.Struct, array_like=True, tag="drilled", forbid_unknown_fields=True):
    answers: tuple[_Text, ...]
    said: _Text
    file: _Text
    line: _Count


_DRILLED = msgspec.json.Decoder(_Drilled | _Memory)
_OUTCOMES = msgspec.json.Decoder(_Done | _Memory | _Trip | _Nonsense | _Raised)
_ABOUTS = msgspec.json.Decoder(About)
_REFUSALS = msgspec.json.Decoder(Refusal)


def loaded(line: bytes) -> About | Refusal:
    """The first line of a host; raises :class:`Spoiled` for what none writes."""
    try:
        return _REFUSALS.decode(line) if b'"refused"' in line[:20] else _ABOUTS.decode(line)
    except (ValueError, RecursionError):
        raise Spoiled from None


def outcome(line: bytes, steps: int) -> Outcome:
    """How a story of that many steps ended; raises :class:`Spoiled` for what no host writes of it."""
    try:
        told = _OUTCOMES.decode(line)
    except (ValueError, RecursionError):
        raise Spoiled from None
    if told.step > steps:
        raise Spoiled
    said, file, number = getattr(told, "said", ""), getattr(told, "file", ""), getattr(told, "line", 0)
    return Outcome(type(told).__name__.strip("_").lower(), told.step, said, file, number)


def drilled(line: bytes, operations: int) -> Drilled:
    """How a drill of that many operations went; raises :class:`Spoiled` for what no host writes of it."""
    try:
        told = _DRILLED.decode(line)
    except (ValueError, RecursionError):
        raise Spoiled from None
    if isinstance(told, _Memory):
        return Drilled((), f"it ran into the memory limit at operation {told.step}", cut=True)
    whole = len(told.answers) == operations
    if len(told.answers) > operations or whole == bool(told.said):
        raise Spoiled
    return Drilled(told.answers, told.said, told.file, told.line)
