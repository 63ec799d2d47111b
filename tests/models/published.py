"""Models that others have stated and counted, stated again: their sources stand in tests/test_known_answers.py.

Where they start in a state that is built in many ways at once, a first action builds it here.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    any_of,
    count,
    forall,
    implies,
    model,
    require,
    sometimes,
    var,
)


class Manager(Sort):
    """A resource manager of a transaction."""


class Stage(Enum):
    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


@model
class TransactionCommit:
    """What any commit protocol comes to: all commit, or all abort."""

    stage: Map[Manager, Stage] = var(Stage.WORKING)

    @action
    def prepare(self, m: Manager) -> None:
        require(self.stage[m] is Stage.WORKING)
        self.stage[m] = Stage.PREPARED

    @action
    def commit(self, m: Manager) -> None:
        require(self.stage[m] is Stage.PREPARED)
        require(forall(Manager, lambda o: self.stage[o] in (Stage.PREPARED, Stage.COMMITTED)))
        self.stage[m] = Stage.COMMITTED

    @action
    def abort(self, m: Manager) -> None:
        require(self.stage[m] in (Stage.WORKING, Stage.PREPARED))
        require(forall(Manager, lambda o: self.stage[o] is not Stage.COMMITTED))
        self.stage[m] = Stage.ABORTED

    @always
    def consistent(self, a: Manager, b: Manager) -> bool:
        return not (self.stage[a] is Stage.ABORTED and self.stage[b] is Stage.COMMITTED)


class Prisoner(Sort):
    """A prisoner who does not count."""


@model
class Prisoners:
    """One lamp, one prisoner who counts, and the others, who each light it once; the warden lets in whom he likes."""

    signals: int = 1
    threshold: int = 3
    counted: Annotated[int, Range(1, 6)] = var(1)
    announced: bool = var(False)
    light: bool = var(False)
    counter_was_in: bool = var(False)
    was_in: Map[Prisoner, bool] = var(False)
    signalled: Map[Prisoner, Annotated[int, Range(0, 2)]] = var(0)

    @action
    def let_in_the_counter(self) -> None:
        if self.light:
            self.light = False
            self.counted += 1
        self.announced = self.counted >= self.threshold
        self.counter_was_in = True

    @action
    def let_in(self, p: Prisoner) -> None:
        if not self.light and self.signalled[p] < self.signals:
            self.light = True
            self.signalled[p] += 1
        self.was_in[p] = True

    @always
    def announced_truly(self) -> bool:
        return implies(self.announced, self.counter_was_in and forall(Prisoner, lambda p: self.was_in[p]))


@model
class PrisonersInTheDark(Prisoners):
    """Nobody knows whether the lamp is lit at first: each signals twice."""

    signals: int = 2
    threshold: int = 5
    light: bool = var(any_of(False, True))


class Way(Enum):
    LEFT = -1
    RIGHT = 1


@model
class CatInSixBoxes:
    """Each night the cat moves to a box beside hers; each morning one box is looked into, to and fro."""

    boxes: int = 6
    cat: Annotated[int, Range(1, 6)] = var(any_of(range(1, 7)))
    looked_at: Annotated[int, Range(2, 5)] = var(any_of(range(2, 6)))
    way: Way = var(any_of(Way.LEFT, Way.RIGHT))

    @action
    def pass_a_day(self, goes: Way) -> None:
        require(1 <= self.cat + goes.value <= self.boxes)
        self.cat += goes.value
        following = self.looked_at + self.way.value
        if 2 <= following <= self.boxes - 1:
            self.looked_at = following
        else:
            self.way = Way.LEFT if self.way is Way.RIGHT else Way.RIGHT

    @sometimes
    def found(self) -> bool:
        return self.cat == self.looked_at


@model
class CatInFiveBoxes(CatInSixBoxes):
    boxes: int = 5
    cat: Annotated[int, Range(1, 5)] = var(any_of(range(1, 6)))
    looked_at: Annotated[int, Range(2, 4)] = var(any_of(range(2, 5)))


class Ingredient(Enum):
    MATCHES = 0
    PAPER = 1
    TOBACCO = 2


@model
class Smokers:
    """A dealer offers all ingredients but one; who has that one smokes."""

    missing: Ingredient | None = var(any_of(*Ingredient))
    smokes: Map[Ingredient, bool] = var(False)

    @action
    def start(self) -> None:
        require(self.missing is not None)
        for who in Ingredient:
            self.smokes[who] = who == self.missing
        self.missing = None

    @action
    def stop(self, then: Ingredient) -> None:
        require(self.missing is None)
        for who in Ingredient:
            self.smokes[who] = False
        self.missing = then

    @always
    def at_most_one(self) -> bool:
        return sum(self.smokes[who] for who in Ingredient) <= 1


@model
class CoffeeCan:
    """Two beans are taken out and one is put in; at first the white ones lie there, and the black ones are added."""

    size: int = 100
    filled: bool = var(False)
    white: Annotated[int, Range(0, 100)] = var(any_of(range(101)))
    black: Annotated[int, Range(0, 100)] = var(0)

    @action
    def fill(self, black: Annotated[int, Range(0, 100)]) -> None:
        require(not self.filled and 1 <= black + self.white <= self.size)
        self.filled = True
        self.black = black

    @action
    def take_black(self) -> None:
        require(self.filled and self.black >= 2)
        self.black -= 1

    @action
    def take_white(self) -> None:
        require(self.filled and self.white >= 2)
        self.white -= 2
        self.black += 1

    @action
    def take_both(self) -> None:
        require(self.filled and self.black >= 1 and self.white >= 1)
        self.black -= 1

    @action
    def rest(self) -> None:
        require(self.filled and self.black + self.white == 1)


class Seat(Enum):
    """A philosopher, and the fork at the left."""

    A = 1
    B = 2
    C = 3
    D = 4
    E = 5

    @property
    def right(self) -> Seat:
        return Seat(self.value % 5 + 1)


class At(Enum):
    LOOP = 0
    EAT = 1
    THINK = 2


@model
class CleanForks:
    """Dining philosophers after Chandy and Misra: a dirty fork is cleaned and handed over.

    A fork lies at the left of its own seat or with the neighbour; all but the second start at their own.
    """

    moved: Map[Seat, bool] = var(False)
    clean: Map[Seat, bool] = var(False)
    hungry: Map[Seat, bool] = var(True)
    at: Map[Seat, At] = var(At.LOOP)

    def has_left(self, p: Seat) -> bool:
        return self.moved[p] if p is Seat.B else not self.moved[p]

    def hand_over(self, fork: Seat) -> None:
        self.moved[fork] = not self.moved[fork]
        self.clean[fork] = True

    def left_is_dirty(self, p: Seat) -> bool:
        return self.has_left(p) and not self.clean[p]

    def right_is_dirty(self, p: Seat) -> bool:
        return not self.has_left(p.right) and not self.clean[p.right]

    @action
    def hand_over_left(self, p: Seat) -> None:
        require(self.at[p] is At.LOOP and self.left_is_dirty(p))
        self.hand_over(p)
        if not self.hungry[p]:
            self.at[p] = At.THINK

    @action
    def hand_over_right(self, p: Seat) -> None:
        require(self.at[p] is At.LOOP and not self.left_is_dirty(p) and self.right_is_dirty(p))
        self.hand_over(p.right)
        if not self.hungry[p]:
            self.at[p] = At.THINK

    @action
    def go_on(self, p: Seat) -> None:
        require(self.at[p] is At.LOOP and not self.left_is_dirty(p) and not self.right_is_dirty(p))
        if not self.hungry[p]:
            self.at[p] = At.THINK
        elif self.has_left(p) and not self.has_left(p.right):
            self.at[p] = At.EAT

    @action
    def eat(self, p: Seat) -> None:
        require(self.at[p] is At.EAT)
        self.hungry[p] = False
        self.clean[p] = False
        self.clean[p.right] = False
        self.at[p] = At.LOOP

    @action
    def think(self, p: Seat) -> None:
        require(self.at[p] is At.THINK)
        self.hungry[p] = True
        self.at[p] = At.LOOP

    @always
    def no_neighbours_eat(self, p: Seat) -> bool:
        return not (self.at[p] is At.EAT and self.at[p.right] is At.EAT)


class Thread(Sort):
    """Reads a shared number, adds one, writes it back."""


class Step(Enum):
    READ = 1
    WRITE = 2
    DONE = 3


@model
class Increment:
    """Threads that lose an update."""

    shared: Annotated[int, Range(0, 3)] = var(0)
    own: Map[Thread, Annotated[int, Range(0, 3)]] = var(0)
    step: Map[Thread, Step] = var(Step.READ)

    @action
    def read(self, t: Thread) -> None:
        require(self.step[t] is Step.READ)
        self.own[t] = self.shared
        self.step[t] = Step.WRITE

    @action
    def write(self, t: Thread) -> None:
        require(self.step[t] is Step.WRITE)
        self.shared = self.own[t] + 1
        self.step[t] = Step.DONE

    @always
    def no_update_is_lost(self) -> bool:
        return count(Thread, lambda t: self.step[t] is Step.DONE) == self.shared
