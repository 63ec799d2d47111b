"""Pairs of effects that must differ or must agree: what an identity is held against, one sentence each.

Standard library only, Python 3.9 and later, nothing of meshspec: the check loads this file by its path inside the
environment of somebody else's package. So the class of effects is an argument::

    for pair in catalogue(Effect):
        same = key(pair.one) == key(pair.other)

Where what two effects have to do with each other is arguable, the pair names the convention it is judged under, and
:func:`judged` switches it. By default two effects differ wherever something that receives them could tell them apart:
an identity that is too coarse loses an effect and nobody hears of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

if TYPE_CHECKING:
    from meshspec.roles.effects import Effect

DIFFER = "differ"
AGREE = "agree"
EITHER = "either"

CONVENTIONS: Mapping[str, tuple[str, str]] = {
    "numbers": (DIFFER, "1 and 1.0: two texts on most wires, one number in JSON's own reading (RFC 8785) and for =="),
    "zeros": (DIFFER, "0.0 and -0.0: equal for ==, told apart by copysign and by how they are written"),
    "unicode": (DIFFER, "one text in two normal forms: looks the same, is other bytes to a file system or a hash"),
    "instants": (
        DIFFER,
        "one instant told in two zones: equal for ==, another text and another calendar day perhaps",
    ),
    "precision": (DIFFER, "1.5 and 1.50 as decimals: equal for ==, but the second says more"),
    "session": (
        DIFFER,
        "one call in two sessions: a resumed run's retry, or a second conversation that means it too",
    ),
    "containers": (AGREE, "a list and a tuple, a set and a frozenset, bytes and bytearray: no wire tells them apart"),
    "nan": (AGREE, "two NaNs: unequal for ==, but a retry of one call"),
}
"""What is arguable: how it is judged unless one says otherwise, and what the argument is about."""


class Pair(NamedTuple):
    """Two effects, or two of whatever else has a name, and whether an identity must tell them apart."""

    name: str
    topic: str
    one: Any
    other: Any
    relation: str
    why: str
    convention: str = ""


@dataclass(frozen=True)
class Order:
    """A value as programs pass it around."""

    number: int
    amount: int = 1


@dataclass(frozen=True)
class Refund:
    """Another, with the same fields."""

    number: int
    amount: int = 1


class Ticket:
    """A plain object with equality and no text of its own: its repr is its address."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ticket) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)


class Colour(Enum):
    """An enum whose member has the value of a plain text."""

    RED = "red"


class Autumn(tzinfo):
    """A zone in the night in which its clocks go back: the hour from two to three comes twice."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        return timedelta(hours=1 if moment is not None and moment.fold else 2)

    def dst(self, moment: datetime | None) -> timedelta:
        return self.utcoffset(moment) - timedelta(hours=1)

    def tzname(self, moment: datetime | None) -> str:
        return "WINTER" if moment is not None and moment.fold else "SUMMER"


_Row = tuple[str, "Effect", "Effect", str, str, str]


class _Rows:
    """Makes the rows of the catalogue; each value is made anew, so that no pair agrees by being one object."""

    def __init__(self, effect: type[Effect]) -> None:
        self.effect = effect

    def differ(self, name: str, one: object, other: object, why: str, convention: str = "") -> _Row:
        return name, self.call(one), self.call(other), DIFFER, why, convention

    def agree(self, name: str, one: object, other: object, why: str, convention: str = "") -> _Row:
        return name, self.call(one), self.call(other), AGREE, why, convention

    def call(self, given: object) -> Effect:
        if isinstance(given, self.effect):
            return given
        return self.effect("pay", given if isinstance(given, dict) else {"a": given})

    def types(self) -> Iterator[_Row]:
        yield self.differ("1 and '1'", 1, "1", "A number is no text: one service adds, another concatenates.")
        yield self.differ("1 and True", 1, True, "Equal for ==, but JSON says 1 and true.")
        yield self.differ("0 and False", 0, False, "Equal for ==, but JSON says 0 and false.")
        yield self.differ("1 and 1.0", 1, 1.0, "Two texts on the wire, though one number.", "numbers")
        yield self.differ("'1' and '1.0'", "1", "1.0", "Two texts.")
        yield self.differ("None and missing", {"a": None}, {}, "Null deletes a field; absence leaves it alone.")
        yield self.differ("None and 'None'", None, "None", "Nothing is not the word for it.")
        yield self.differ("None and ''", None, "", "No note is not an empty note.")
        yield self.differ("None and False", None, False, "Unknown is not no.")
        yield self.differ("key 1 and key '1'", {"a": {1: "x"}}, {"a": {"1": "x"}}, "JSON writes both keys alike.")
        yield self.differ("decimal and its text", Decimal("1.5"), "1.5", "An amount is not a text.")
        yield self.differ("decimal and float", Decimal("1.5"), 1.5, "Exact and inexact arithmetic.", "numbers")
        yield self.differ("1.5 and 1.50", Decimal("1.5"), Decimal("1.50"), "Two stated precisions.", "precision")
        yield self.differ("uuid and its text", UUID(int=1), str(UUID(int=1)), "A typed name is not a text.")
        yield self.differ("path and its text", PurePosixPath("a"), "a", "A typed name is not a text.")
        yield self.differ("enum and its value", Colour.RED, "red", "A member is not the text that it stands for.")

    def nesting(self) -> Iterator[_Row]:
        yield self.agree("argument order", {"a": 1, "b": 2}, {"b": 2, "a": 1}, "Arguments go by name.")
        given = {"x": 1, "y": {"p": 1, "q": 2}}
        turned = {"y": {"q": 2, "p": 1}, "x": 1}
        yield self.agree("nested key order", given, turned, "A mapping has no order, however deep it lies.")
        yield self.agree("key order in a list", [given], [turned], "Nor has one inside a list.")
        yield self.differ("list order", [1, 2], [2, 1], "A list has an order.")
        yield self.differ("nesting of lists", [["x"], "y"], [["x", "y"]], "Where a bracket closes matters.")
        yield self.differ("list and its only item", ["x"], "x", "One recipient is not a list of one.")
        yield self.differ("[] and {}", [], {}, "An empty list is not an empty mapping.")
        yield self.differ("empty and missing", {"a": {}}, {}, "An argument that is empty was given.")
        yield self.differ("nested and flat", {"a": {"b": 1}}, {"a.b": 1}, "A dotted name is not a path.")
        yield self.differ("moved inwards", {"a": {}, "b": 1}, {"a": {"b": 1}}, "A field belongs to its mapping.")
        yield self.differ("names changed places", {"a": 1, "b": 2}, {"a": 2, "b": 1}, "From and to are not alike.")
        yield self.agree("list and tuple", [1, 2], (1, 2), "No wire tells them apart.", "containers")
        twelve = dict.fromkeys("abcdefghijkl", 1)
        yield self.differ("the last of twelve", twelve, {**twelve, "l": 2}, "However many there are, each counts.")
        for what, name in _names("a"):
            yield self.differ(f"{what} an argument's name", {"a": 1}, {name: 1}, "A name is taken as it is given.")
        yield self.agree("made again", {"a": [1, {"b": "x"}]}, {"a": [1, {"b": "x"}]}, "A retry makes new objects.")

    def texts(self) -> Iterator[_Row]:
        yield self.differ("NFC and NFD", "caf\u00e9", "cafe\u0301", "Looks the same, is other bytes.", "unicode")
        yield self.differ("upper and lower case", "X", "x", "Names of files, branches and buckets heed case.")
        yield self.differ("trailing space", "x", "x ", "Space is content.")
        yield self.differ("leading space", "x", " x", "At the beginning, too.")
        yield self.differ("zero-width space", "x", "x\u200b", "What cannot be seen is sent all the same.")
        yield self.differ("look-alikes", "a", "\u0430", "Latin a is not Cyrillic a.")
        yield self.differ("two emoji", "\U0001f600", "\U0001f601", "Outside the first plane, texts differ too.")
        yield self.differ("lone surrogate and ?", "\ud800", "?", "What cannot be encoded must not become a mark.")
        yield self.differ("end of a long text", "y" * 5000 + "1", "y" * 5000 + "2", "A key that cuts cuts this off.")
        yield self.differ("NUL at the end", "x", "x\0", "NUL ends a text for C and not for us.")
        yield self.differ("backslash and newline", "\\n", "\n", "Escaping must be undone in one way only.")
        yield self.differ("quote inside", 'x", "b": "y', {"a": "x", "b": "y"}, "A quote must not end the value.")

    def numbers(self) -> Iterator[_Row]:
        yield self.differ("sign of an int", 10, -10, "What is given is not what is taken.")
        yield self.differ("2**53 and one more", 2**53, 2**53 + 1, "A double holds only one of the two.")
        yield self.differ("2**64 and 0", 2**64, 0, "An int does not wrap.")
        yield self.differ("large ints", 10**400, 10**400 + 1, "Beyond what a float can hold at all.")
        yield self.differ("very large ints", 10**5000, 10**5000 + 1, "Beyond what str() will write.")
        yield self.differ(
            "0.1 + 0.2 and 0.3", 0.1 + 0.2, 0.3, "Two floats; repr tells them apart, rounding does not."
        )
        yield self.differ("the ninth place", 1.000000001, 1.000000002, "Rounding to eight places merges these.")
        yield self.differ("0.0 and -0.0", 0.0, -0.0, "Equal for ==, two texts.", "zeros")
        yield self.differ("infinity and 'inf'", float("inf"), "inf", "A number is not its name.")
        yield self.differ("NaN and 'NaN'", float("nan"), "NaN", "No number is still no text.")
        yield self.differ("NaN and None", float("nan"), None, "No number is not nothing.")
        yield self.agree("NaN again", float("nan"), -float("nan"), "A retry of one call.", "nan")
        yield self.agree("a float written twice", 1000.0, 1e3, "One float, two ways to write it.")

    def values(self) -> Iterator[_Row]:
        words = ["x", "y", "z", "w", "v"]
        yield self.agree("sets", set(words), set(words), "A set has no order, whatever the hash seed.")
        yield self.agree("sets filled in another order", {0, 8}, {8, 0}, "Nor a history.")  # 0 and 8 share a slot
        yield self.agree("set and frozenset", set(words), frozenset(words), "No wire has both.", "containers")
        yield self.differ("sets that differ", {"x", "y"}, {"x", "z"}, "A set has members.")
        yield self.differ("set of 1 and set of '1'", {1}, {"1"}, "A member has a type.")
        yield self.differ("bytes and their repr", b"x", "b'x'", "What str() makes of bytes is a text.")
        yield self.differ("bytes and text", b"x", "x", "Bytes are not decoded on their own.")
        yield self.differ("bytes that are no text", b"\xff", b"\xfe", "What cannot be decoded must not be replaced.")
        yield self.agree("bytes and bytearray", b"x", bytearray(b"x"), "No wire tells them apart.", "containers")
        yield self.agree("uuids", UUID(int=1), UUID(int=1), "One name, made again.")
        yield self.agree("equal dataclasses", Order(7), Order(7), "One value, made again.")
        yield self.differ("dataclass fields", Order(7), Order(7, 9000), "The amount is part of the order.")
        yield self.differ("two dataclasses", Order(7), Refund(7), "To order is not to refund.")
        yield self.agree("equal objects", Ticket(7), Ticket(7), "Equal for ==; only the address differs.")
        yield self.differ("objects that differ", Ticket(7), Ticket(8), "A name of the class is no name of the value.")

    def dates(self) -> Iterator[_Row]:
        utc, east = timezone.utc, timezone(timedelta(hours=2))  # noqa: UP017  # datetime.UTC is younger than 3.9
        nine, late = datetime(2026, 10, 25, 9), datetime(2026, 10, 25, 2, 30, tzinfo=Autumn())
        yield self.agree("a moment again", datetime(2026, 1, 1), datetime(2026, 1, 1), "One moment, made again.")
        yield self.differ("naive and with a zone", nine, nine.replace(tzinfo=utc), "Without a zone it is no instant.")
        at_nine, in_east = nine.replace(tzinfo=utc), nine.replace(tzinfo=east)
        yield self.differ("two zones", at_nine, in_east, "Nine o'clock here is not nine o'clock there.")
        there = at_nine.astimezone(east)
        yield self.differ("one instant, two zones", at_nine, there, "Equal for ==, two texts.", "instants")
        yield self.differ("the hour that comes twice", late, late.replace(fold=1), "Equal for ==, an hour apart.")
        yield self.differ("a microsecond", nine, nine.replace(microsecond=1), "To the second is not to the end.")
        yield self.differ(
            "day and midnight", date(2026, 1, 1), datetime(2026, 1, 1), "A day is not its first moment."
        )
        yield self.differ("date and its text", date(2026, 1, 1), "2026-01-01", "A date is not a text.")

    def separators(self) -> Iterator[_Row]:
        effect = self.effect
        yield self.differ(
            "'ab','c' and 'a','bc'", {"a": "ab", "b": "c"}, {"a": "a", "b": "bc"}, "Joined, both are abc."
        )
        yield self.differ("comma in an item", ["x,y"], ["x", "y"], "A comma inside is content.")
        yield self.differ("= and & inside", {"a": "1&b=2"}, {"a": "1", "b": "2"}, "A query string needs its escapes.")
        for name, mark in (
            ("NUL", "\0"),
            ("::", "::"),
            ("newline", "\n"),
            ("bar", "|"),
            ("colon", ":"),
            ("slash", "/"),
        ):
            one = effect("pay", {"a": 1}, tenant=f"a{mark}b", session="c")
            other = effect("pay", {"a": 1}, tenant="a", session=f"b{mark}c")
            yield self.differ(f"{name} in scope", one, other, "What separates two parts may also stand in one.")
            one = effect("x", {"a": 1}, session=f"s{mark}t")
            other = effect(f"t{mark}x", {"a": 1}, session="s")
            yield self.differ(f"{name} in a tool's name", one, other, "A tool's name is a part like the others.")

    def scopes(self) -> Iterator[_Row]:
        effect, given = self.effect, {"a": 1}
        yield self.differ("tool", effect("pay", given), effect("refund", given), "The tool is part of what is done.")
        one, other = effect("pay", given, tenant="acme"), effect("pay", given, tenant="umbra")
        yield self.differ("tenant", one, other, "One customer's effect must never suppress another's.")
        one, other = effect("pay", given, tenant="acme"), effect("pay", given, session="acme")
        yield self.differ("tenant and session", one, other, "A tenant is not a session of that name.")
        one, other = effect("pay", given, session="s1"), effect("pay", given, session="s2")
        yield self.differ("session", one, other, "A resumed run's retry, or a second one's intent.", "session")
        one, other = effect("pay", given), effect("pay", given, occurrence=1)
        yield self.differ("occurrence", one, other, "An intended repeat is another effect.")
        one, other = effect("pay", {"a": 1, "occurrence": 1}), effect("pay", {"a": 1}, occurrence=1)
        yield self.differ("an argument named occurrence", one, other, "An argument is not the number of a repeat.")
        for name in ("id", "timestamp", "nonce", "request_id"):
            yield self.differ(
                f"{name} alone", {name: "o-1"}, {name: "o-2"}, "A field that looks like noise may be all."
            )
        one = effect("pay", {"a": 1}, tenant="acme", session="s1", occurrence=2)
        other = effect("pay", {"a": 1}, tenant="acme", session="s1", occurrence=2)
        yield self.agree("a retry", one, other, "A retry is the same effect.")
        for what, name in _names("pay"):
            one, other = effect("pay", given), effect(name, given)
            yield self.differ(f"{what} a tool's name", one, other, "Who looks a tool up takes its name as it is.")
        for what, name in _names("acme"):
            one, other = effect("pay", given, tenant="acme"), effect("pay", given, tenant=name)
            yield self.differ(f"{what} a tenant's name", one, other, "Two customers may have names as much alike.")
        one, other = (effect("pay", given, tenant="t" * 300 + end) for end in "12")
        yield self.differ("end of a long tenant", one, other, "Customers of one house have names that begin alike.")


def _names(name: str) -> tuple[tuple[str, str], ...]:
    """What a key that tidies names up takes for this one."""
    return ("case of", name.upper()), ("blank before", f" {name}"), ("blank after", f"{name} ")


TOPICS = ("types", "nesting", "texts", "numbers", "values", "dates", "separators", "scopes")


def catalogue(effect: type[Effect], topics: Iterable[str] = TOPICS) -> tuple[Pair, ...]:
    """Every pair of these topics, each effect made anew, as an instance of ``effect``.

    Raises :class:`ValueError` for a topic that there is not.
    """
    rows = _Rows(effect)
    found: list[Pair] = []
    for topic in topics:
        if topic not in TOPICS:
            raise ValueError(f"there is no topic {topic!r}; there are {', '.join(TOPICS)}")
        made: Iterator[_Row] = getattr(rows, topic)()
        for name, one, other, relation, why, convention in made:
            found.append(Pair(name, topic, one, other, relation, why, convention))
    return tuple(found)


def judged(pairs: Iterable[Pair], conventions: Mapping[str, str]) -> tuple[Pair, ...]:
    """The pairs as these conventions judge them: ``differ``, ``agree``, or ``either``, which leaves a pair out.

    A convention that is not named is judged as :data:`CONVENTIONS` says. Raises :class:`ValueError` for one that
    there is not, and for another word.
    """
    for name, word in conventions.items():
        if name not in CONVENTIONS:
            raise ValueError(f"there is no convention {name!r}; there are {', '.join(CONVENTIONS)}")
        if word not in (DIFFER, AGREE, EITHER):
            raise ValueError(f"{name} is judged {word!r}; write {DIFFER!r}, {AGREE!r} or {EITHER!r}")
    said = {name: conventions.get(name, default) for name, (default, _) in CONVENTIONS.items()}
    words = ((pair, said[pair.convention] if pair.convention else pair.relation) for pair in pairs)
    return tuple(pair._replace(relation=word) for pair, word in words if word != EITHER)
