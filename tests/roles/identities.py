"""Identities that misbehave, to be judged by path."""

from __future__ import annotations

import itertools
import os
import random
import sys
import time
from typing import Any

_NUMBERS = itertools.count()


def exact(effect: Any) -> str:
    return ascii((effect.tool, sorted(effect.arguments), effect.tenant, effect.session, effect.occurrence))


class Hangs:
    """On one effect alone: its tool is called x."""

    def key(self, effect: Any) -> object:
        if effect.tool == "x":
            time.sleep(60)
        return exact(effect)


class Exits(Hangs):
    def key(self, effect: Any) -> object:
        os._exit(3)


class RefusesAll:
    def key(self, effect: Any) -> object:
        raise ValueError("not this one")


class OwnError(Exception):
    """An error of the policy's own."""


class RefusesInItsWay:
    def key(self, effect: Any) -> object:
        raise OwnError(effect.tool)


class Slips:
    def key(self, effect: Any) -> object:
        return effect.arguments["no such argument"]


class GivesLists:
    def key(self, effect: Any) -> object:
        return [effect.tool]


class Incomparable:
    """A key of which == gives no truth."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> Any:
        return "perhaps"


class GivesIncomparable:
    def key(self, effect: Any) -> object:
        return Incomparable()


class TakesApart:
    def key(self, effect: Any) -> object:
        told = exact(effect)
        effect.arguments.popitem() if effect.arguments else None
        return told


class Moody:
    def key(self, effect: Any) -> object:
        return random.SystemRandom().random()


class Counts:
    """Its key is the number of the call."""

    def __init__(self) -> None:
        self.asked = 0

    def key(self, effect: Any) -> object:
        self.asked += 1
        return self.asked


class ByHash:
    """Stable within one process, and another value in the next one."""

    def key(self, effect: Any) -> object:
        return hash(exact(effect))


class ByZone:
    def key(self, effect: Any) -> object:
        return (exact(effect), time.tzname)


class Opaque:
    """A key that can be compared where it is, and nowhere else."""

    def __init__(self, told: str) -> None:
        self.told = told

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and other.told == self.told

    def __hash__(self) -> int:
        return hash(self.told)


class GivesOpaque:
    def key(self, effect: Any) -> object:
        return Opaque(exact(effect))


class Chatty:
    def key(self, effect: Any) -> object:
        print("\x1b[31mhello", file=sys.stdout)
        return exact(effect)


class Nameless:
    pass


class Waits:
    async def key(self, effect: Any) -> object:
        return exact(effect)


class EqualToAll:
    """Its keys say that they equal everything, and have the hashes of what they are."""

    class Key(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            return True

    def key(self, effect: Any) -> object:
        return self.Key(exact(effect))


class HashRaises:
    class Key(str):
        def __hash__(self) -> int:
            raise KeyError("x")

    def key(self, effect: Any) -> object:
        return self.Key(exact(effect))


class Nameful:
    """Its key is an object that equals itself alone, and is shown with its address."""

    def key(self, effect: Any) -> object:
        return object()


class HangsAlways:
    def key(self, effect: Any) -> object:
        time.sleep(60)
        return exact(effect)
