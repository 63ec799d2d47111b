"""The reference for the role `identity`: a canonical form in which every value has its type and its length."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Protocol, cast
from uuid import UUID

_DEEPEST = 100
_WRITE = (
    ("Enum", "its .name or .value"),
    ("PurePath", "str() of it, made absolute or relative first"),
    ("tuple", "a plain tuple or mapping of its fields"),
    ("time", ".isoformat() of it"),
    ("timedelta", "its .total_seconds() or str() of it"),
    ("memoryview", "bytes() of it"),
)


class _Effect(Protocol):
    """What is asked of an effect: five fields to read."""

    @property
    def tool(self) -> str: ...
    @property
    def arguments(self) -> Mapping[str, object]: ...
    @property
    def tenant(self) -> str: ...
    @property
    def session(self) -> str: ...
    @property
    def occurrence(self) -> int: ...


class CanonicalIdentity:
    """A key for an effect: equal wherever two effects are equal in value, and different wherever they differ.

    The key digests the canonical form of tenant, session, tool, arguments and occurrence, in this order. Each value
    is written with its type and its length before it, so nothing inside a text can end it and no two parts can be
    joined otherwise. Mappings and sets are written in the order of their members' forms, hence whatever the order
    in which they were filled and the hash seed. It reads no clock, no locale and no address.

    A list and a tuple are one sequence, a set and a frozenset one set, bytes and bytearray the same bytes; all else
    that has two types is two things. In particular **1 and 1.0 differ**, as do 0.0 and -0.0. JSON's canonical form
    (RFC 8785) writes both of the first as 1 and other encoders do not, so two digests of "the same JSON" may differ
    unnoticed; here no encoder is asked. The price: take the key before the arguments are written, or always after
    they were read, but not now one and now the other, since what a JSON document gives back for 1.0 may be 1.

    ``across_sessions`` decides what a session is. By default it belongs to the scope: one call in two sessions is two
    effects. With ``across_sessions=True`` it does not, which suits runs that are resumed under a new session's name.

    It refuses what has no form that another process would find again: NaN with :class:`ValueError`, objects, enums,
    paths and subclasses of plain types with :class:`TypeError`, and says what to write instead. Nothing is guessed
    from a ``repr``.

    What it cannot know:

    - whether the same effect is meant once more. X, Y, X leaves Y unless the caller numbers the second X with
      ``occurrence``; nothing in the content tells a repeat from a retry.
    - whether an agent composed the same intent in other words. That is another key, and the effect is done twice.
    - which fields are noise. A timestamp or a nonce made at each attempt makes each attempt an effect of its own.
    - what the service fills in or folds together: a default written out or left out, ``a/../b`` and ``b``, upper and
      lower case, NFC and NFD, one instant told in two zones are different here.
    - whether somebody found two contents with one SHA-256.

    >>> from collections import namedtuple
    >>> Effect = namedtuple("Effect", "tool arguments tenant session occurrence", defaults=("", "", 0))
    >>> key = CanonicalIdentity().key
    >>> key(Effect("pay", {"a": 1, "b": 2})) == key(Effect("pay", {"b": 2, "a": 1}))
    True
    >>> key(Effect("pay", {"a": 1})) == key(Effect("pay", {"a": True}))
    False
    """

    def __init__(self, *, across_sessions: bool = False) -> None:
        self.across_sessions = across_sessions

    def key(self, effect: _Effect) -> str:
        """The key: 64 hexadecimal digits. Raises :class:`TypeError` or :class:`ValueError` where there is none."""
        return hashlib.sha256(self.canonical(effect)).hexdigest()

    def canonical(self, effect: _Effect) -> bytes:
        """What the key is the digest of."""
        for name, text in (("tenant", effect.tenant), ("session", effect.session), ("tool", effect.tool)):
            if type(text) is not str:
                raise TypeError(f"{name} is {_told(text)}; write a text")
        if type(effect.occurrence) is not int or effect.occurrence < 0:
            raise ValueError(f"occurrence is {_told(effect.occurrence)}; write how many repeats came before: 0, 1, 2")
        if not isinstance(cast(object, effect.arguments), Mapping):
            raise TypeError(f"arguments are {_told(effect.arguments)}; write a mapping from names to values")
        session = None if self.across_sessions else effect.session
        scope = b"".join(_form(part, "", 0) for part in (effect.tenant, session, effect.tool))
        return scope + _form(effect.arguments, "arguments", 0) + _form(effect.occurrence, "", 0)


def _form(value: object, where: str, depth: int) -> bytes:
    """The value with its type and length. Two values have one form where they are equal and of one kind."""
    if depth > _DEEPEST:
        raise ValueError(f"{where[:60]}... is nested more than {_DEEPEST} deep; is it a part of itself?")
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        forms = sorted(
            _form(key, f"the key {_told(key)} of {where}", depth + 1)
            + _form(item, f"{where}[{_told(key)}]", depth + 1)
            for key, item in entries.items()
        )
        return _framed(b"m", b"".join(forms))
    kind = type(value)
    if kind in (list, tuple):
        items = cast("list[object] | tuple[object, ...]", value)
        forms = [_form(item, f"{where}[{number}]", depth + 1) for number, item in enumerate(items)]
        return _framed(b"l", b"".join(forms))
    if kind in (set, frozenset):
        members = cast("set[object] | frozenset[object]", value)
        return _framed(b"t", b"".join(sorted(_form(one, f"a member of {where}", depth + 1) for one in members)))
    return _framed(*_plain(value, where))


def _plain(value: object, where: str) -> tuple[bytes, bytes]:
    """Tag and content of a value that has no parts."""
    kind = type(value)
    if value is None:
        return b"n", b""
    if kind is bool:
        return b"b", b"1" if value else b"0"
    if kind is int:
        return b"i", format(cast(int, value), "x").encode()  # str() of a very large int is refused by Python
    if kind is float:
        number = cast(float, value)
        if number != number:
            raise ValueError(f"{where} is NaN, which equals nothing, not itself; write None, or a text that says why")
        return b"f", number.hex().encode()
    if kind is str:
        return b"s", cast(str, value).encode("utf-8", "surrogatepass")
    if kind in (bytes, bytearray):
        return b"y", bytes(cast(bytes, value))
    if kind is Decimal:
        amount = cast(Decimal, value)
        if not amount.is_finite():
            raise ValueError(f"{where} is the decimal {amount}; write None, or a text that says why")
        sign, digits, exponent = amount.as_tuple()
        return b"d", f"{sign}:{''.join(map(str, digits))}:{exponent}".encode()
    if kind is UUID:
        return b"u", cast(UUID, value).bytes
    if kind is datetime:
        return _moment(cast(datetime, value))
    if kind is date:
        return b"D", cast(date, value).isoformat().encode()
    raise TypeError(f"{where} is {_told(value)}; write {_instead(kind)}")


def _moment(moment: datetime) -> tuple[bytes, bytes]:
    """The wall clock's reading, and how far it is from UTC; without a zone, which of an hour that comes twice."""
    wall, offset = moment.replace(tzinfo=None, fold=0).isoformat(), moment.utcoffset()
    if offset is None:
        return b"w", f"{wall} {moment.fold}".encode()
    microseconds = (offset.days * 86_400 + offset.seconds) * 1_000_000 + offset.microseconds
    return b"z", f"{wall} {microseconds}".encode()


def _framed(tag: bytes, content: bytes) -> bytes:
    return tag + str(len(content)).encode() + b":" + content


def _told(value: object) -> str:
    kind = type(value)
    if kind is int and cast(int, value).bit_length() > 200:
        return f"an int of {cast(int, value).bit_length()} bits"  # which str() may refuse to write
    plain = kind in (str, int, float, bool, type(None))
    return f"{value!r:.60}" if plain else f"a {kind.__module__}.{kind.__qualname__}"


def _instead(kind: type) -> str:
    for name, instead in _WRITE:
        if any(base.__name__ == name for base in kind.__mro__):
            return instead
    for base in (bool, int, float, str, bytes):
        if issubclass(kind, base):
            return f"{base.__name__}() of it"
    return "a mapping of the fields that matter, with the name of what it is where that matters too"
