"""A policy object as a constant of a model: the same plain Python decides natively, lifted, explored and proved."""

from typing import Annotated

import attrs

from meshspec import Map, Range, Sort, action, always, model, require, sometimes, total, var
from meshspec.answer import Answer, Strength
from meshspec.backends.certificate import certified
from meshspec.engines.explore import explore
from meshspec.engines.prove import prove


class Caller(Sort):
    """Someone who spends."""


@attrs.frozen
class Cap:
    """A budget policy as a user would write it, with no word of meshspec in it."""

    limit: int
    strict: bool = True

    def admits(self, spent: int, cost: int) -> bool:
        return spent + cost <= self.limit if self.strict else spent <= self.limit


@model
class Budget:
    policy: Cap = Cap(3)
    spent: Annotated[int, Range(0, 9)] = var(0)
    by: Map[Caller, Annotated[int, Range(0, 9)]] = var(0)

    @action
    def spend(self, c: Caller, cost: Annotated[int, Range(1, 2)]) -> None:
        require(self.policy.admits(self.spent, cost))
        self.spent += cost
        self.by[c] += cost

    @always
    def within_the_cap(self) -> bool:
        return self.spent <= self.policy.limit

    @always
    def nobody_spends_more_than_all(self, c: Caller) -> bool:
        return self.by[c] <= self.spent

    @sometimes
    def the_cap_is_reached(self) -> bool:
        return self.spent == self.policy.limit and total(Caller, lambda c: self.by[c]) == self.spent


def answers(budget: object, size: int = 2) -> dict[str, Answer]:
    return {f.property: f.answer for f in explore(certified(budget), {Caller: size})}


def test_a_model_with_a_policy_that_keeps_the_cap_holds() -> None:
    assert set(answers(Budget).values()) == {Answer.HOLDS}


def test_another_policy_in_the_same_model_is_refuted_by_the_shortest_path() -> None:
    found = {f.property: f for f in explore(certified(Budget(policy=Cap(3, strict=False))), {Caller: 1})}
    path = found["within_the_cap"].counterexample
    assert path is not None
    assert path.actions == ("spend(caller0, 2)", "spend(caller0, 2)")


def test_the_policy_is_proved_with_the_model_for_any_number_of_callers() -> None:
    found = {f.property: f for f in prove(certified(Budget))}
    assert found["within_the_cap"].strength is Strength.EVERY_SIZE
    loose = {f.property: f for f in prove(certified(Budget(policy=Cap(3, strict=False))))}
    assert loose["within_the_cap"].answer is not Answer.HOLDS
