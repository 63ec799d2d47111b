"""Models whose promises need a lemma that nobody wrote, and paths of a few steps."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, any_of, implies, model, require, var


class Worker(Sort):
    """Waits, works."""


class Place(Enum):
    START = 0
    NEXT = 1
    LOST = 2
    OFF = 3


@model
class Tickets:
    """A ticket each, from a counter: that no two have the same needs to know that all are below the counter."""

    ticket: Map[Worker, int] = var(-1)
    next: int = var(0)

    @action
    def draw(self, w: Worker) -> None:
        self.ticket[w] = self.next
        self.next += 1

    @always
    def tickets_differ(self, a: Worker, b: Worker) -> bool:
        return implies(self.ticket[a] == self.ticket[b] and self.ticket[a] >= 0, a is b)


@model
class Desk:
    """One desk, and a promise about it that is proved only from this: no two are at it at once."""

    at_desk: Map[Worker, bool] = var(False)
    taken: bool = var(False)
    handed: Map[Worker, bool] = var(False)

    @action
    def come(self, w: Worker) -> None:
        require(not self.taken)
        self.at_desk[w] = True
        self.taken = True

    @action
    def go(self, w: Worker) -> None:
        require(self.at_desk[w])
        self.at_desk[w] = False
        self.taken = False

    @always
    def whoever_is_there_took_it(self, w: Worker) -> bool:
        return implies(self.at_desk[w], self.taken)


@model
class Odd:
    """An even number that is never seven: no comparison with a constant says why."""

    number: int = var(0)

    @action
    def grow(self) -> None:
        self.number += 2

    @always
    def never_seven(self) -> bool:
        return self.number != 7


@model
class Share:
    """A division that never fails, since whoever is in is counted."""

    parts: int = var(0)
    started: bool = var(False)
    share: int = var(0)

    @action
    def start(self) -> None:
        self.started = True
        self.parts = 3

    @action
    def more(self) -> None:
        require(self.started)
        self.parts += 1

    @action
    def divide(self) -> None:
        require(self.started)
        self.share = 12 // self.parts

    @always
    def share_is_no_debt(self) -> bool:
        return self.parts >= 0


@model
class Loop:
    """Nobody is ever lost, so nobody goes off; but who were lost could stay so for any number of steps."""

    place: Place = var(Place.START)

    @action
    def begin(self) -> None:
        require(self.place is Place.START)
        self.place = Place.NEXT

    @action
    def stay(self) -> None:
        require(self.place is Place.LOST)

    @action
    def leave(self) -> None:
        require(self.place is Place.LOST)
        self.place = Place.OFF

    @always
    def never_off(self) -> bool:
        return self.place is not Place.OFF


@model
class Early:
    """False after one step and never again: an induction step of two states sees nothing of it."""

    place: Place = var(Place.START)

    @action
    def begin(self) -> None:
        require(self.place is Place.START)
        self.place = Place.OFF

    @action
    def end(self) -> None:
        require(self.place is Place.OFF)
        self.place = Place.LOST

    @always
    def never_off(self) -> bool:
        return self.place is not Place.OFF


@model
class Beyond:
    """`never_five` is false only after the Range was left, and there no path goes on."""

    level: Annotated[int, Range(0, 3)] = var(any_of(1, 0))
    known: bool = var(False)
    share: int = var(0)

    @action
    def raise_it(self) -> None:
        self.level += 2

    @action
    def note(self) -> None:
        require(self.level > 3)
        self.known = True

    @action
    def divide(self) -> None:
        require(self.level > 3)
        self.share = 6 // (self.level - 5)

    @always
    def never_five(self) -> bool:
        return self.level != 5 or self.known

    @always
    def never_known(self) -> bool:
        return not self.known


@model
class Steep:
    """What stands in the way of a proof is a number: 24 is the first of many."""

    level: int = var(0)

    @action
    def climb(self) -> None:
        require(self.level % 7 == 3 and self.level * 5 > 100)
        self.level += 1

    @always
    def never_there(self) -> bool:
        return self.level % 7 != 4


@model
class Measured:
    """A claim about some numbers: of those outside their Range it says nothing, and of zero it would be false."""

    level: int = var(0)

    @action
    def climb(self) -> None:
        require(self.level < 3)
        self.level += 1

    @always
    def less_than_three_and_some(self, some: Annotated[int, Range(1, 3)]) -> bool:
        return self.level < 3 + some
