"""Models on which a careless prover says the wrong thing."""

from __future__ import annotations

from typing import Annotated

from meshspec import Map, Range, Sort, action, always, any_of, implies, lemma, model, require, var


class Item(Sort):
    """Something."""


@model
class Mutual:
    """`a_follows_b` is inductive only given `b_holds`, and `b_holds` is false after two steps."""

    a: bool = var(False)
    b: bool = var(True)
    armed: bool = var(False)

    @action
    def arm(self) -> None:
        self.armed = True

    @action
    def lose(self) -> None:
        require(self.armed)
        self.b = False

    @action
    def slip(self) -> None:
        self.a = not self.b

    @always
    def a_never(self) -> bool:
        return not self.a

    @always
    def b_holds(self) -> bool:
        return self.b


@model
class Circle:
    """Each claim is inductive given the other; a third action breaks both."""

    left: int = var(0)
    right: int = var(0)

    @action
    def copy_left(self) -> None:
        self.right = self.left

    @action
    def copy_right(self) -> None:
        self.left = self.right

    @action
    def spill(self) -> None:
        require(self.left == 0 and self.right == 0)
        self.left = 9

    @always
    def left_is_low(self) -> bool:
        return self.left < 5

    @always
    def right_is_low(self) -> bool:
        return self.right < 5


@model
class BadStart:
    """False before anything happens, for one of its initial values only."""

    level: int = var(any_of(0, 1, 7))
    seen: Map[Item, bool] = var(any_of(False, True))

    @action
    def see(self, i: Item) -> None:
        self.seen[i] = True

    @always
    def level_is_low(self) -> bool:
        return self.level < 5

    @always
    def unseen(self, i: Item) -> bool:
        return not self.seen[i]

    @always
    def level_is_positive_or_zero(self) -> bool:
        return self.level >= 0


@model
class RaisingClaim:
    """A claim whose body raises is false there."""

    divisor: int = var(1)

    @action
    def shrink(self) -> None:
        self.divisor -= 1

    @always
    def divides(self) -> bool:
        return 10 // self.divisor >= -10

    @always
    def always_raises(self) -> bool:
        return 10 // (self.divisor - self.divisor) == 0


@model
class Raising:
    """`risky` divides: safe only as long as the lemma is proved."""

    safe: bool = True
    divisor: int = var(1)
    result: int = var(0)

    @action
    def grow(self) -> None:
        self.divisor += 1

    @action
    def shrink(self) -> None:
        require(not self.safe)
        self.divisor -= 1

    @action
    def risky(self) -> None:
        self.result = 10 // self.divisor

    @lemma
    def divisor_is_positive(self) -> bool:
        return self.divisor > 0


@model
class Ranged:
    """A Range is an obligation: kept where the guard is strict, left where it is not."""

    limit: int = 3
    slack: int = 0
    used: Map[Item, Annotated[int, Range(0, lambda m: m.limit)]] = var(0)
    spare: Annotated[int, Range(-2, 2)] | None = var(None)

    @action
    def use(self, i: Item, amount: Annotated[int, Range(1, 2)]) -> None:
        require(self.used[i] + amount <= self.limit + self.slack)
        self.used[i] += amount

    @action
    def set_spare(self, amount: Annotated[int, Range(-2, 2)]) -> None:
        self.spare = amount

    @action
    def drop_spare(self) -> None:
        self.spare = None

    @always
    def small(self, i: Item, bound: Annotated[int, Range(3, 40)]) -> bool:
        return implies(bound >= self.limit, self.used[i] <= bound)


@model
class Squares:
    """Nonlinear: what the solver may well give up on."""

    x: int = var(1)
    y: int = var(1)
    z: int = var(1)

    @action
    def step(self, a: Annotated[int, Range(1, 1000)], b: Annotated[int, Range(1, 1000)]) -> None:
        self.x = self.x * self.x * a + self.y
        self.y = self.y * self.z * b + self.x
        self.z = self.z * self.x + self.y * a * b

    @always
    def no_fermat(self) -> bool:
        return self.x * self.x * self.x + self.y * self.y * self.y != self.z * self.z * self.z
