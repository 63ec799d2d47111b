"""Effects in words, as a report shows them: the same in every run, on one line, and not at length."""

from __future__ import annotations

import re
import reprlib
from typing import Any

from meshspec.roles import pairs
from meshspec.roles.effects import Effect

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_SHORT = reprlib.Repr()
_SHORT.maxlevel = 8
_SHORT.maxstring = _SHORT.maxother = 80
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = _SHORT.maxfrozenset = 8


def _among(value: object, *kinds: type) -> bool:
    return isinstance(value, kinds)


def value_words(value: Any) -> str:
    """A value as it is written, cut where it is long."""
    if _among(value, int) and abs(value) > 10**30:
        digits = int(abs(value).bit_length() * 0.30103) + 1
        return f"<an int of about {digits:,} digits, ending in {value % 1000:03}>"
    if _among(value, dict):
        return "{" + ", ".join(f"{value_words(key)}: {value_words(held)}" for key, held in value.items()) + "}"
    if _among(value, list):
        return "[" + ", ".join(map(value_words, value)) + "]"
    if _among(value, set, frozenset):
        members = ", ".join(sorted(map(value_words, value)))
        return f"frozenset({{{members}}})" if _among(value, frozenset) else f"{{{members}}}"
    if isinstance(value, pairs.Ticket):
        return f"Ticket({value.number})"
    told = ascii(value) if _among(value, str) and len(value) <= 80 else _SHORT.repr(value)
    return _ADDRESS.sub("", told)  # another one in every run


def words(effect: Effect) -> str:
    """An effect in words, with what scopes it where anything does.

    >>> words(Effect("pay", {"to": "ada", "amount": 5}, tenant="acme", occurrence=2))
    "pay(to='ada', amount=5) for tenant 'acme', occurrence 2"
    """
    plain = all(name.isidentifier() for name in effect.arguments)
    told = ", ".join(f"{name}={value_words(held)}" for name, held in effect.arguments.items())
    said = f"{effect.tool if effect.tool.isprintable() else ascii(effect.tool)}"
    said += f"({told})" if plain else f"(**{value_words(dict(effect.arguments))})"
    scope = [f"for tenant {effect.tenant!a}"] if effect.tenant else []
    scope += [f"in session {effect.session!a}"] if effect.session else []
    scope += [f"occurrence {effect.occurrence}"] if effect.occurrence else []
    return f"{said} {', '.join(scope)}".rstrip()
