"""The child's side of the role `identity`: show somebody's policy pairs of effects, say what keys it gave.

Run by path; standard library only, Python 3.9 and later. A question is ``[topic, number, wraps]``: which pair of
:mod:`meshspec.roles.pairs`, and in what its arguments are wrapped, from inside out. The answer is one of::

    ["asked", one, other, same, again, agrees, turned, kept]
    ["memory"]
    ["replaced", what it replaces, file, line]

where ``one``, ``other`` and ``turned`` are ``["key", shown, written]``, ``["refused", error]``,
``["slip", error, file, line]`` or ``["nonsense", what is wrong with it]``. A policy *refuses* an effect where it
raises an error of its own or one that says that a value will not do; ``NameError`` and its like are slips.
``written`` is a key in a form that can be compared from process to process, and None for an object that has none.
``same`` is whether the two keys are equal and of one hash, and ``again`` whether another policy of the kind says the
same of the first effect after it was asked about the other. ``turned`` is what it says of the first effect made anew,
with every mapping and set filled in the other order, and ``agrees`` whether that is the same key. Where there are not
two keys, None stands instead. ``kept`` is whether the effects are as they were.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import importlib
import uuid
from typing import Any, Callable, Optional  # noqa: UP035  # collections.abc.Callable[...] is no type before 3.9.2

asked_host: Any = importlib.import_module(
    f"{__package__}.asked_host" if __package__ else "asked_host"
)  # our neighbour
host: Any = asked_host.host
effects: Any = asked_host.near("effects")
pairs: Any = asked_host.near("pairs")
wraps: Any = asked_host.near("wraps")

REFUSALS = (TypeError, ValueError, ArithmeticError, NotImplementedError)
"""Errors of the language with which a policy may refuse an effect; of its own it may have others."""


def kind_of(value: object) -> Any:
    """The real type of a value."""
    return type(value)


def of(kind: Callable[[Any], Any], members: list[Any]) -> Any:
    """A container of that kind."""
    return kind(members)


def rebuilt(value: Any, turn: bool) -> Any:
    """The same value of new containers; where `turn`, mappings and sets are filled in the other order."""
    kind = kind_of(value)
    if kind is dict:
        items: list[tuple[Any, Any]] = [(key, rebuilt(held, turn)) for key, held in value.items()]
        return dict(reversed(items) if turn else items)
    if kind in (list, tuple):
        return of(kind, [rebuilt(held, turn) for held in value])
    if kind in (set, frozenset):
        return of(kind, list(value)[::-1] if turn else list(value))
    return value


def identical(one: Any, other: Any) -> bool:
    """Whether two values are containers of the very same things, in the same order."""
    kind = kind_of(one)
    if kind is not kind_of(other):
        return False
    if kind is dict:
        return list(one) == list(other) and all(identical(one[key], other[key]) for key in one)
    if kind in (list, tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    return bool(one == other) if kind in (set, frozenset) else one is other


PLAIN = (str, bytes, int, float, bool, type(None), decimal.Decimal, uuid.UUID, datetime.date, datetime.datetime)


def written(key: Any) -> Optional[str]:  # noqa: UP045  # Python 3.9
    """The key as text that is equal where keys are, in whatever process; None where there is no such text."""
    if type(key) in PLAIN:
        if type(key) is int:
            return f"int {key:x}"  # of any size
        return f"{type(key).__name__} {key!a}"
    kinds: Any = type(key).__mro__
    if enum.Enum in kinds:
        return f"enum {type(key).__qualname__}.{key.name}"
    parts: Any = None
    if tuple in kinds:
        parts = [written(part) for part in key]
    elif kinds[0] is frozenset:
        parts = [written(part) for part in key]
        parts = None if None in parts else sorted(parts)
    elif dataclasses.is_dataclass(key):
        parts = [written(getattr(key, field.name)) for field in dataclasses.fields(key)]
    if parts is None or None in parts:
        return None
    return f"{type(key).__qualname__}({','.join(parts)})"


def asked(policy: Callable[[Any], Any], effect: Any, file: str) -> tuple[list[Any], Any]:
    """What the policy said of one effect, and the key it gave."""
    try:
        key = policy(effect)
    except MemoryError:
        raise
    except BaseException as error:
        own = isinstance(error, Exception) and type(error).__module__ != "builtins"
        if own or isinstance(error, REFUSALS):
            return ["refused", host._told(error)], None
        return ["slip", host._told(error), *host._place(error, file)], None
    try:
        if hash(key) != hash(key):
            return ["nonsense", f"{host._shown(key)} can be no key: its hash is another one each time"], None
        if type(key == key) is not bool:
            return ["nonsense", f"{host._shown(key)} does not compare: == gives {host._shown(key == key)}"], None
    except MemoryError:
        raise
    except BaseException as error:
        what = f"hash() or == of it raises {host._told(error)}"
        return ["nonsense", f"{host._shown(key)} can be no key: {what}"], None
    return ["key", host._shown(key), written(key)], key


def equal(one: list[Any], other: list[Any], key: Any, and_key: Any) -> Optional[bool]:  # noqa: UP045  # Python 3.9
    """Whether two keys are one for a mapping; None where there are not two, each lawful beside the other."""
    if one[0] != "key" or other[0] != "key":
        return None
    if (key == and_key) is not True and (and_key == key) is not True:
        return False
    if hash(key) != hash(and_key):  # told as what the second of them is
        both = f"{host._shown(key)} and {host._shown(and_key)}"
        other[:] = ["nonsense", f"{both} are equal (==), and their hashes differ"]
        return None
    return True


def answer(make: Callable[[], Any], question: Any, at: Callable[[int], None], file: str) -> list[Any]:
    """Ask about one pair: each side, then the first again of another policy, as it was and turned."""
    topic, number, within = question

    def made() -> tuple[Any, Any]:
        pair = pairs.catalogue(effects.Effect, (topic,))[number]
        one, other = pair.one, pair.other
        return tuple(e._replace(arguments=wraps.wrapped(e.arguments, within)) for e in (one, other))

    try:
        policy = make().key
        one, other = made()
        before = [rebuilt(effect.arguments, turn=False) for effect in (one, other)]
        at(1)
        first, key = asked(policy, one, file)
        at(2)
        second, and_key = asked(policy, other, file)
        kept = all(map(identical, before, (one.arguments, other.arguments)))
        policy = make().key
        at(3)
        asked(policy, other, file)  # in the other order: what was asked before must not matter
        third, key_again = asked(policy, one, file)
        again = equal(first, third, key, key_again)
        again = first[0] == third[0] or third[0] == "nonsense" if again is None else again
        anew = made()[0]
        turned = anew._replace(arguments=rebuilt(anew.arguments, turn=True))
        at(4)
        fourth, key_turned = asked(policy, turned, file)
        agrees = equal(third, fourth, key_again, key_turned)
        same = equal(first, second, key, and_key)
        second = third if third[0] == "nonsense" and second[0] == "key" else second
        return ["asked", first, second, same, again, agrees, fourth, kept]
    except MemoryError:
        return ["memory"]
    except BaseException as error:  # while it was being made, or its keys compared
        slip = ["slip", host._told(error), *host._place(error, file)]
        return ["asked", slip, slip, None, True, None, slip, True]


def made(given: Callable[..., Any]) -> Any:
    """A policy."""
    return given()


if __name__ == "__main__":
    asked_host.serve("identity", ("key",), made, answer)
