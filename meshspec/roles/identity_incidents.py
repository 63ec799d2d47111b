"""Identities that each break one obligation, by a decision that real ones take.

They stand alone and import nothing of meshspec, as policies do that are put into an environment of their own.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any


class TextOfArguments:
    """Writes every value as text, so the number 1 and the text "1" become one effect."""

    def key(self, effect: Any) -> object:
        return (effect.tool, effect.tenant, effect.session, effect.occurrence, text(effect.arguments))


def among(value: object, *kinds: type) -> bool:
    return isinstance(value, kinds)


def text(value: Any) -> str:
    """The value as text, mappings and sets in one order; of what has no text of its own, the name of its class."""
    if among(value, dict):
        return "{" + ",".join(sorted(f"{text(key)}:{text(held)}" for key, held in value.items())) + "}"
    if among(value, set, frozenset):
        return "{" + ",".join(sorted(map(text, value))) + "}"
    if among(value, list, tuple):
        return "[" + ",".join(map(text, value)) + "]"
    if among(value, bytes, bytearray):
        return bytes(value).hex()
    if among(value, int) and not among(value, bool):
        return f"{value:x}"
    told = str(value)
    return type(value).__name__ if " at 0x" in told else told


class ArgumentsAsTheyCame:
    """Hashes the text of the arguments as they came, so their order, and an object's address, change the key."""

    def key(self, effect: Any) -> object:
        written = repr((effect.tool, dict(effect.arguments), effect.tenant, effect.session, effect.occurrence))
        return hashlib.sha256(written.encode("utf-8", "backslashreplace")).hexdigest()


class ForgetsWhose:
    """Names what is done and not for whom: two tenants' orders are one."""

    def key(self, effect: Any) -> object:
        return (effect.tool, effect.occurrence, exact(effect.arguments))


def exact(value: Any) -> object:
    """The value as nested tuples that tell types apart and know no order where there is none."""
    if among(value, dict):
        return ("mapping", frozenset((exact(key), exact(held)) for key, held in value.items()))
    if among(value, set, frozenset):
        return ("set", frozenset(map(exact, value)))
    if among(value, list, tuple):
        return ("list", tuple(map(exact, value)))
    if among(value, bytes, bytearray):
        return ("bytes", bytes(value))
    if among(value, float):
        return ("float", "nan" if value != value else value.hex())
    if among(value, str, int, bool) or value is None:
        return (type(value).__name__, value)
    if among(value, datetime):
        return ("moment", value.isoformat(), value.fold if value.tzinfo else 0)
    if " at 0x" in repr(value):
        raise TypeError(f"a {type(value).__name__} has no text that would be the same next time")
    return (type(value).__module__, type(value).__qualname__, repr(value))
