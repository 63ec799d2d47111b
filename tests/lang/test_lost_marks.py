"""What an author meant to be read and is not: hidden, lost or unmarked methods; and what must not be read at all."""

from __future__ import annotations

import datetime
import random
import time
from random import random as chance
from typing import Annotated, Any

import pytest

from meshspec import Range, action, always, lemma, model, require, var
from meshspec.answer import Answer
from meshspec.engines.explore import explore
from meshspec.errors import LiftError, ModelError
from meshspec.lang.lift import lift


@pytest.mark.parametrize("hider", [property, staticmethod, classmethod])
def test_a_claim_hidden_by_a_decorator_is_refused_at_its_line(hider: Any) -> None:
    def body(self: Any) -> bool:
        return bool(self.n < 2)

    body.__name__ = "small"
    with pytest.raises(
        ModelError, match=f"test_lost_marks.py:.* Hidden.small is marked @always and hidden by @{hider.__name__}"
    ):

        @model
        class Hidden:
            n: int = var(0)
            small = hider(always(body))


def test_of_two_claims_with_one_name_none_is_dropped_silently() -> None:
    with pytest.raises(ModelError, match=r"Twice.ok is marked @always and lost: the class has another 'ok'"):

        @model
        class Twice:
            n: int = var(0)

            @always
            def ok(self) -> bool:  # pyright: ignore[reportRedeclaration]  # what is tested
                return self.n < 2

            @always  # type: ignore[no-redef]  # what is tested
            def ok(self) -> bool:  # noqa: F811  # what is tested
                return self.n < 4


def test_a_claim_followed_by_a_plain_method_of_its_name_is_refused() -> None:
    with pytest.raises(ModelError, match="marked @action and lost"):

        @model
        class Lost:
            n: int = var(0)

            @action
            def go(self) -> None:  # pyright: ignore[reportRedeclaration]  # what is tested
                self.n += 1

            def go(self) -> None:  # type: ignore[no-redef]  # noqa: F811  # what is tested
                self.n += 2


def test_an_override_is_no_namesake() -> None:
    @model
    class Parent:
        n: Annotated[int, Range(0, 3)] = var(0)

        @action
        def go(self) -> None:
            require(self.n < 3)
            self.n += 1

    @model
    class Child(Parent):
        @action
        def go(self) -> None:
            require(self.n < 2)
            self.n += 1

    assert [lifted.name for lifted in lift(Child).actions] == ["go"]


@model
class Forgetful:
    n: Annotated[int, Range(0, 3)] = var(0)

    @action
    def go(self) -> None:
        require(self.below(3))
        self.n += 1

    def below(self, most: int) -> bool:
        return self.n < most

    def forgotten(self) -> bool:
        return self.n < 2

    @always
    def small(self) -> bool:
        return self.n <= 3


def test_a_method_without_a_mark_that_nothing_calls_is_named() -> None:
    assert [name for name, _ in lift(Forgetful).unread] == ["forgotten"]


@model
class Tautologies:
    n: Annotated[int, Range(0, 1)] = var(0)

    @action
    def flip(self) -> None:
        self.n = 1 - self.n

    @always
    def always_true(self) -> bool:
        return True

    @lemma
    def equals_itself(self) -> bool:
        return self.n == self.n  # what is tested

    @always
    def says_something(self) -> bool:
        return self.n != 2


def test_a_claim_that_is_true_whatever_the_state_is_vacuous() -> None:
    found = {finding.property: finding.answer for finding in explore(lift(Tautologies), {})}
    assert found["always_true"] is Answer.VACUOUS
    assert found["equals_itself"] is Answer.VACUOUS
    assert found["says_something"] is Answer.HOLDS


def by_the_clock() -> int:
    return 3 if datetime.datetime.now().second == 59 else 0


def by_seconds() -> int:
    return 3 if time.time() < 0 else 0


def by_chance() -> int:
    return 3 if random.random() < 0 else 0


def by_imported_chance() -> int:
    return 3 if chance() < 0 else 0


def by_a_local_import() -> int:
    import random as dice

    return 3 if dice.random() < 0 else 0


@pytest.mark.parametrize("source", [by_the_clock, by_seconds, by_chance, by_imported_chance, by_a_local_import])
def test_a_body_that_asks_a_clock_or_chance_is_refused_at_its_line(source: Any) -> None:
    @model
    class Impure:
        n: int = var(0)

        @action
        def go(self) -> None:
            self.n = source()

    with pytest.raises(LiftError, match=r"test_lost_marks.py:\d+: .* differs from run to run"):
        lift(Impure)
