"""The pairs that are asked by default: those of :mod:`meshspec.roles.pairs`, and some made with attrs."""

from __future__ import annotations

from collections.abc import Iterable

from meshspec.adequacy.bookings import Booking, Cancellation
from meshspec.errors import UsageError
from meshspec.roles import pairs
from meshspec.roles.effects import Effect
from meshspec.roles.pairs import AGREE, DIFFER, Pair

TOPICS = (*pairs.TOPICS, "attrs")


def catalogue(topics: Iterable[str] | None = None) -> tuple[Pair, ...]:
    """Every pair of these topics, by default of all, with new objects each time.

    Raises :class:`UsageError` for a topic that there is not.

    >>> len({pair.name for pair in catalogue()}) == len(catalogue())
    True
    """
    wanted = tuple(TOPICS if topics is None else topics)
    odd = [topic for topic in wanted if topic not in TOPICS]
    if odd:
        raise UsageError(f"there is no topic {odd[0]!r}; there are {', '.join(TOPICS)}")
    found = pairs.catalogue(Effect, [topic for topic in wanted if topic != "attrs"])
    return found + (_of_attrs() if "attrs" in wanted else ())


def named(name: str) -> Pair:
    """The pair of this name, with new objects.

    Raises :class:`UsageError` where there is none.

    >>> named("1 and True").relation
    'differ'
    """
    for pair in catalogue():
        if pair.name == name:
            return pair
    raise UsageError(f"there is no pair {name!r}; see meshspec.adequacy.catalogue()")


def must_differ(one: object, other: object, why: str) -> Pair:
    """A pair of one's own, of anything that has a name, which an identity must tell apart."""
    return Pair(why, "given", one, other, DIFFER, why)


def must_agree(one: object, other: object, why: str) -> Pair:
    """A pair of one's own, of anything that has a name, which an identity must not tell apart."""
    return Pair(why, "given", one, other, AGREE, why)


def _of_attrs() -> tuple[Pair, ...]:
    def pay(value: object) -> Effect:
        return Effect("pay", {"a": value})

    rows = (
        ("equal attrs objects", Booking(7), Booking(7), AGREE, "One value, made again."),
        ("attrs fields", Booking(7), Booking(7, "b"), DIFFER, "The row is part of the booking."),
        ("two attrs classes", Booking(7), Cancellation(7), DIFFER, "To book is not to cancel."),
    )
    return tuple(Pair(name, "attrs", pay(one), pay(other), word, why) for name, one, other, word, why in rows)
