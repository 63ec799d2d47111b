"""Reports about tools like ours: what was never tried passes in silence, and answers hang on what was asked before.

source: HypothesisWorks/hypothesis#213, Z3Prover/z3#1406
"""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from meshspec import Range, action, always, model, require, var
from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.solver import AnySize, Solver, Unknown, Unsat
from meshspec.engines.drive import drive
from meshspec.engines.explore import FIRES, explore
from meshspec.engines.prove import prove
from meshspec.lang.lift import lift

# -- HypothesisWorks/hypothesis#213: a rule whose assumption never holds passes in silence -------------------------


@model
class Account:
    """A refund is for more than was paid, which no payment allows."""

    paid: Annotated[int, Range(0, 3)] = var(0)
    back: Annotated[int, Range(0, 3)] = var(0)

    @action
    def pay(self) -> None:
        require(self.paid < 3)
        self.paid += 1

    @action
    def refund(self, amount: Annotated[int, Range(0, 3)]) -> None:
        require(amount > self.paid and self.paid == 3)
        self.back = amount

    @always
    def no_more_back_than_paid(self) -> bool:
        return self.back <= self.paid


@model
class Hundredth(Account):
    """A refund is possible, in a corner that few runs come to."""

    @action
    def refund(self, amount: Annotated[int, Range(0, 3)]) -> None:
        require(amount == 3 and self.paid == 3 and self.back == 0)
        self.back = amount


def fires(findings: list[Finding]) -> Finding:
    return next(one for one in findings if one.property == FIRES)


def test_a_rule_that_can_never_fire_is_vacuous_by_name() -> None:
    never = fires(explore(lift(Account), {}))
    assert never.answer is Answer.VACUOUS
    assert never.states == 1 + 3, "it was tried in every state: from nothing to three paid"
    assert never.reason.startswith("refund: never enabled in any reachable state")


def test_a_rule_that_examples_were_too_few_for_is_starved_which_is_another_answer() -> None:
    for target in (Account, Hundredth):
        starved = fires(drive(lift(target), {}, examples=2, steps=2, seed=0))
        assert (starved.answer, starved.reason) == (Answer.UNDETERMINED, "no example took refund")
        assert starved.known == f"{starved.facts['steps']} steps in 2 examples"
        assert starved.settles == "explore, which visits every state of a scope"
    assert fires(explore(lift(Hundredth), {})).answer is Answer.HOLDS


def test_a_rule_that_is_met_holds_with_how_often_it_was_taken() -> None:
    met = fires(drive(lift(Hundredth), {}, examples=40, steps=12, seed=0))
    assert (met.answer, met.strength) == (Answer.HOLDS, Strength.TESTED)
    taken = met.facts["taken"]
    assert isinstance(taken, dict) and taken["refund"] > 0


# -- Z3Prover/z3#1406: an unused push turns unsat into unknown -----------------------------------------------------


@model
class Alone:
    """One goal that is proved, and one that is true and does not follow from itself."""

    n: Annotated[int, Range(0, 99)] = var(0)
    even: bool = var(True)

    @action
    def step(self, by: Annotated[int, Range(0, 9)]) -> None:
        require(self.n + 2 * by <= 98)
        self.n += 2 * by
        self.even = self.n % 2 == 0

    @always
    def a_square_leaves_no_two(self) -> bool:
        return (self.n * self.n) % 4 != 2

    @always
    def it_is_even(self) -> bool:
        return self.even


@model
class Tenth:
    """The same goals, after nine others."""

    n: Annotated[int, Range(0, 99)] = var(0)
    even: bool = var(True)

    @action
    def step(self, by: Annotated[int, Range(0, 9)]) -> None:
        require(self.n + 2 * by <= 98)
        self.n += 2 * by
        self.even = self.n % 2 == 0

    @always
    def one(self) -> bool:
        return self.n >= 0

    @always
    def two(self) -> bool:
        return self.n * self.n >= self.n

    @always
    def three(self) -> bool:
        return (self.n * self.n) % 3 != 2

    @always
    def four(self) -> bool:
        return self.n < 99 or self.n > 99

    @always
    def five(self) -> bool:
        return self.n * 2 != 17

    @always
    def six(self) -> bool:
        return self.n // 7 <= 14

    @always
    def seven(self) -> bool:
        return self.n - self.n // 2 >= 0

    @always
    def eight(self) -> bool:
        return self.even or self.n != 4

    @always
    def nine(self) -> bool:
        return self.n * self.n != 2

    @always
    def a_square_leaves_no_two(self) -> bool:
        return (self.n * self.n) % 4 != 2

    @always
    def it_is_even(self) -> bool:
        return self.even


@pytest.mark.parametrize("goal", ["a_square_leaves_no_two", "it_is_even"])
def test_a_goal_has_the_same_answer_alone_and_after_nine_others(goal: str) -> None:
    said = [next(f for f in prove(lift(cls)) if f.property == goal) for cls in (Alone, Tenth)]
    assert said[0].answer is {"it_is_even": Answer.UNDETERMINED}.get(goal, Answer.HOLDS)
    assert (said[1].answer, said[1].strength, said[1].reason) == (said[0].answer, said[0].strength, said[0].reason)


def no_greatest_even(solver: Solver) -> None:
    """State that above some whole number there is no even one, which is false."""
    z3, context = solver.terms.z3, solver.terms.context
    x, y = (z3.Int(name, context) for name in ("x", "y"))
    solver.add(z3.Not(z3.ForAll([x], z3.Exists([y], z3.And(y > x, y % 2 == 0)))))


def test_what_an_incremental_solver_gives_up_a_fresh_one_is_asked() -> None:
    alone, after = Solver(AnySize()), Solver(AnySize())
    no_greatest_even(alone)
    assert alone.check() == Unsat(frozenset())
    with after.within():
        no_greatest_even(after)
        assert after.check() == Unsat(frozenset())


def test_what_both_give_up_is_unknown_with_what_either_said(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = AnySize()

    def tired(_: object) -> Any:
        return terms.z3.unknown

    def why(_: object) -> str:
        return "(incomplete quantifiers)"

    solver = Solver(terms)
    with monkeypatch.context() as patch:
        patch.setattr(terms.z3.Solver, "check", tired)
        patch.setattr(terms.z3.Solver, "reason_unknown", why)
        reply = solver.check()
    told = "the incremental solver gave up: (incomplete quantifiers); and a fresh one: (incomplete quantifiers)"
    assert reply == Unknown(told)
