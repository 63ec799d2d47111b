"""The second solver is asked what Z3 was asked; that it contradicts, or gives up, would be seen.

The second solver itself is no part of a development installation (``make soak`` brings it): here its place is taken
by Z3, which reads the questions as it would, from their text.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from meshspec.backends.solver import AnySize, Solver, Unsat
from meshspec.engines.prove import SEARCH, prove
from meshspec.expr.build import TRUE, negate
from meshspec.expr.nodes import BOOL, Name
from meshspec.lang.lift import lift
from tests.agreement import second_solver
from tests.agreement.second_solver import compared, main, questions, recording
from tests.models import p_counts, p_ledger, p_lock, p_sizes, p_thresholds


def from_its_text(text: str, _steps: int = 0) -> str:
    z3: Any = import_module("z3")
    solver = z3.Solver(ctx=z3.Context())
    solver.from_string(text)
    return str(solver.check())


@pytest.fixture(autouse=True)
def another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_solver, "second_opinion", from_its_text)


@pytest.mark.parametrize(
    "model", [p_ledger.EffectLedger, p_lock.Fencing, p_counts.Budget, p_thresholds.Seats], ids=str
)
def test_each_question_says_in_its_text_all_that_makes_it_unsatisfiable(model: type) -> None:
    asked = questions(lift(model), SEARCH)
    tally = compared(model.__name__, asked)
    assert tally.unsat == tally.asked == len(asked) > 0


def test_every_kind_of_question_is_among_them() -> None:
    """For every size, of a path from the start, and of an induction step at a scope."""
    asked = questions(lift(p_ledger.BareLedger))
    assert any("(declare-sort |Effect#" in text for text in asked)
    assert any("|self.up @4|" in text for text in asked)
    assert any("assume below_four" in text and " @3|" in text for text in questions(lift(p_sizes.Counter)))


def test_recording_ends_with_its_block() -> None:
    with recording() as asked:
        prove(lift(p_lock.Lock))
    before = dict(asked)
    prove(lift(p_ledger.EffectLedger))
    assert before and asked == before


def test_the_labels_that_were_assumed_are_part_of_the_question() -> None:
    terms = AnySize()
    solver = Solver(terms)
    rains = Name("it's raining'", BOOL)
    solver.add(terms.term(rains), "yes")
    solver.add(terms.term(negate(rains)), "no")
    assert isinstance(solver.check(["yes", "no"]), Unsat)
    assert from_its_text(solver.smt2(["yes", "no"])) == "unsat"
    assert from_its_text(solver.smt2(["yes"])) == "sat"


def test_names_with_a_prime_are_quoted_for_solvers_that_ask_for_it() -> None:
    terms = AnySize()
    solver = Solver(terms)
    solver.add(terms.term(Name("up'", BOOL)))
    assert "(declare-fun |up'| () Bool)" in solver.smt2()
    assert "up'" not in solver.smt2().replace("|up'|", "")


def test_a_contradiction_is_kept_with_its_question_and_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terms = AnySize()
    solver = Solver(terms)
    solver.add(terms.term(TRUE))
    assert compared("wrong", [solver.smt2()]).sat == [solver.smt2()]

    def wrong(*_: object) -> list[str]:
        return [solver.smt2()]

    monkeypatch.setattr(second_solver, "questions", wrong)
    assert main(["--only", "p_lock.Lock"]) == 1
    assert "CONTRADICTION" in capsys.readouterr().out


def test_where_the_second_solver_gives_up_it_is_counted_and_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gives_up(*_: object) -> str:
        return "unknown"

    monkeypatch.setattr(second_solver, "second_opinion", gives_up)
    assert main(["--only", "p_lock.Lock"]) == 0
    assert " 0 unsat, 5 unknown, 0 sat" in capsys.readouterr().out


def test_a_run_that_asks_nothing_is_no_success() -> None:
    assert main(["--only", "no such model"]) == 1
