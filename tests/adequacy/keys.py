"""Identities that are wrong in one way each. The standard library alone: another process imports them soon."""

from __future__ import annotations

import codecs
import json
import locale
import os
import time
from datetime import datetime
from typing import Any


def dumped(effect: Any) -> str:
    """What many do: the order of keys stays as it is, and the scope is left out."""
    return json.dumps([effect.tool, effect.arguments], default=str)


def joined(effect: Any) -> str:
    """Parts with a mark between them, which may also stand in one."""
    parts = [effect.tenant, effect.session, effect.tool, repr(effect.arguments), str(effect.occurrence)]
    return "::".join(parts)


def all_of_it(effect: Any) -> str:
    """Differs wherever two effects do, and also where the order of their keys does."""
    return repr(tuple(effect))


def drawn(effect: Any) -> int:
    """The same in one process, another one in each."""
    return hash(effect.tool)


def first_key(effect: Any) -> str:
    """The order of keys matters: it shows only where a mapping is filled in another order."""
    return str(next(iter(effect.arguments), ""))


def local_time(effect: Any) -> float:
    """A day, read by the clock on the wall: another instant in each zone."""
    return datetime(2026, 1, 1).timestamp()


def encoding(effect: Any) -> str:
    """What the locale is written in."""
    return codecs.lookup(locale.getpreferredencoding(False)).name


def numbered(effect: Any, numbers: dict[str, int] = {}) -> int:  # noqa: B006  # the incident is that it remembers
    """Numbers tools as it meets them."""
    return numbers.setdefault(effect.tool, len(numbers))


def marked(effect: Any) -> str:
    """What the interpreter was started with."""
    return os.environ.get("ANOTHER_PYTHON", "")


def raising(effect: Any) -> str:
    return str(effect.arguments["nothing of this name"])


def raising_for_tenants(effect: Any) -> str:
    return str({"": "key"}[effect.tenant])


def refusing(effect: Any) -> str:
    raise TypeError(f"no key for {effect.tool}: write one")


def refusing_elsewhere(effect: Any) -> str:
    if os.environ.get("PYTHONHASHSEED") == "1":
        raise ValueError("not here")
    return "key"


def sleeping(effect: Any) -> str:
    if os.environ.get("PYTHONHASHSEED") == "1":
        time.sleep(60)
    return "key"


def dying(effect: Any) -> str:
    if os.environ.get("PYTHONHASHSEED") == "1":
        os._exit(7)
    return "key"


def unsendable(effect: Any) -> object:
    return UNSENDABLE


UNSENDABLE = (lambda: 0).__code__


class Torn:
    """Cannot be compared."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("which of my parts?")

    __hash__ = object.__hash__


def torn(effect: Any) -> object:
    return Torn()


class Keyed:
    """A policy that names its effects."""

    def key(self, effect: Any) -> str:
        return repr(tuple(effect))

    def tool(self, effect: Any) -> str:
        return str(effect.tool)


HELD = Keyed()
NOTHING = 7
