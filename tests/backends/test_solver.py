"""Terms mean what Python means, at a scope and at any size, and what the solver says is passed on as it is."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from enum import Enum
from typing import Literal

import pytest

from meshspec.backends.evaluate import evaluate
from meshspec.backends.layout import Layout
from meshspec.backends.solver import AnySize, AtScope, Sat, Solver, Terms, Unknown, Unsat
from meshspec.expr.build import FALSE, TRUE, arith, conj, const, disj, equal, less, negate, quantify
from meshspec.expr.nodes import (
    BOOL,
    INT,
    Absent,
    Cell,
    EnumType,
    IntType,
    Name,
    Node,
    Op,
    Quant,
    SortType,
    Symbol,
    Type,
)
from meshspec.expr.walk import free_names
from meshspec.lang.lift import LiftedModel, lift
from meshspec.lang.outcomes import Does
from meshspec.sorts import Sort
from tests.models.p_counts import Budget, Counted
from tests.models.p_ledger import EffectLedger
from tests.models.p_lock import Fencing, Lock
from tests.models.p_shapes import Assignment, Chain, Nested
from tests.models.p_two_phase import TwoPhase

A, B = Name("a", INT), Name("b", INT)
NUMBERS = [*range(-7, 8), 2**63, -(2**63)]


class Thing(Sort):
    """Something."""


class Colour(Enum):
    RED = 0
    BLUE = 1


def readings() -> list[Terms]:
    return [AnySize(), AtScope({Thing: 2})]


@pytest.mark.parametrize("reading", readings(), ids=["any size", "at a scope"])
@pytest.mark.parametrize("op", ["//", "%"])
def test_division_floors_as_python_does_also_by_negative_numbers(reading: Terms, op: Literal["//", "%"]) -> None:
    solver, by_name = Solver(reading), arith(op, A, B)
    for a, b in itertools.product(NUMBERS, [b for b in NUMBERS if b]):
        expected = a // b if op == "//" else a % b
        by_literal = arith(op, A, const(b))
        with solver.within():
            solver.add(reading.term(equal(A, const(a))))
            solver.add(reading.term(equal(B, const(b))))
            wrong = disj(negate(equal(by_name, const(expected))), negate(equal(by_literal, const(expected))))
            solver.add(reading.term(wrong))
            assert isinstance(solver.check(), Unsat), (a, op, b)


MODELS = [EffectLedger, TwoPhase, Lock, Fencing, Assignment, Nested, Chain, Budget, Counted]


def _guarded(lifted: LiftedModel) -> Iterator[tuple[Node, Node]]:
    """Every expression of a model, with the condition under which its value means something."""
    for claim in lifted.claims:
        yield TRUE, claim.claim
    for path in (path for action in lifted.actions for path in action.paths):
        taken = conj(*path.condition)
        yield TRUE, taken
        if isinstance(path.outcome, Does):
            writes = [write for update in path.outcome.updates for write in update.writes]
            yield from ((taken, write.value) for write in writes if write.absent == FALSE)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_at_a_scope_every_expression_of_a_model_has_the_value_that_python_computes(model: type) -> None:
    lifted = lift(model)
    layout = Layout(lifted, dict.fromkeys(lifted.sorts, 2))
    terms, rng, compared = AtScope(layout.sizes), random.Random(7), 0
    solver, nodes = Solver(terms), list(_guarded(lifted))
    free = sorted({name for pair in nodes for node in pair for name in free_names(node)}, key=str)
    for node in (node for pair in nodes for node in pair):
        terms.term(node)
    for _ in range(20):
        values: dict[tuple[str, tuple[object, ...]], object] = {}
        with solver.within():
            for cell in layout.cells:
                symbol, at = cell.variable.symbol, tuple(layout.encode_value(key) for key in cell.keys)
                value = values[cell.key] = rng.choice(_values(layout, symbol.type, symbol.optional))
                if symbol.optional:
                    gone = terms.ground(symbol, at, absent=True)
                    solver.add(gone if value is None else terms.no(gone))
                if value is not None:
                    solver.add(terms.ground(symbol, at) == terms.literal(layout.encode_value(value)))
            names = {name: rng.choice(_values(layout, name.type)) for name in free}
            for name, value in names.items():
                solver.add(terms.term(name) == terms.literal(layout.encode_value(value)))
            reply = solver.check()
            assert isinstance(reply, Sat)
            by = {name.name: value for name, value in names.items()}
            for condition, node in nodes:
                if evaluate(condition, layout, values, by):
                    assert terms.value(reply.model, node) == evaluate(node, layout, values, by)
                    compared += 1
    assert compared > 20


def _values(layout: Layout, type: Type, optional: bool = False) -> list[object]:
    some: list[object] = [-3, 0, 1, 4] if isinstance(type, IntType) else list(layout.values(type))
    return [None, *some] if optional else some


@pytest.mark.parametrize("reading", readings(), ids=["any size", "at a scope"])
def test_a_parameter_named_like_a_variable_is_not_the_variable(reading: Terms) -> None:
    solver = Solver(reading)
    solver.add(reading.term(Name("up", BOOL)))
    solver.add(reading.term(negate(Cell(Symbol("up", (), BOOL), ()))))
    solver.add(reading.term(negate(Absent(Symbol("up", (), BOOL, optional=True), ()))))
    assert isinstance(solver.check(), Sat)


@pytest.mark.parametrize("reading", readings(), ids=["any size", "at a scope"])
def test_forall_is_of_all_and_exists_of_one(reading: Terms) -> None:
    on = Symbol("on", (SortType(Thing),), BOOL)
    x, y, z = (Name(name, SortType(Thing)) for name in "xyz")
    every, some = quantify("forall", z, Cell(on, (z,))), quantify("exists", z, Cell(on, (z,)))

    def possible(*nodes: Node) -> bool:
        solver = Solver(reading)
        for node in nodes:
            solver.add(reading.term(node))
        return isinstance(solver.check(), Sat)

    x_on, y_on = Cell(on, (x,)), Cell(on, (y,))
    assert possible(every, x_on) and not possible(every, negate(x_on))
    assert possible(some, negate(x_on), y_on) and not possible(negate(some), x_on)
    assert possible(negate(every), x_on) and not possible(every, negate(some))


def _another_colour() -> type[Enum]:
    class Colour(Enum):
        """One member, where the other of this name has two."""

        GREEN = 0

    return Colour


def test_two_sorts_or_enums_of_one_name_stay_apart() -> None:
    other_sort: type[Sort] = type("Thing", (Sort,), {})
    other_enum = _another_colour()
    terms = AnySize()
    solver = Solver(terms)
    for type_ in (SortType(Thing), SortType(other_sort), EnumType(Colour), EnumType(other_enum)):
        solver.add(terms.term(equal(Name("x", type_), Name("y", type_))))
    solver.add(terms.term(negate(equal(Name("p", EnumType(Colour)), Name("q", EnumType(Colour))))))
    assert isinstance(solver.check(), Sat)
    solver.add(terms.term(negate(equal(Name("p", EnumType(other_enum)), Name("q", EnumType(other_enum))))))
    assert isinstance(solver.check(), Unsat)


def test_at_any_size_nothing_is_unsatisfiable_that_needs_many_members() -> None:
    terms, many = AnySize(), [Name(f"x{i}", SortType(Thing)) for i in range(6)]
    solver = Solver(terms)
    for x, y in itertools.combinations(many, 2):
        solver.add(terms.term(negate(equal(x, y))))
    assert isinstance(solver.check(), Sat)


def test_at_a_scope_there_are_no_more_members_than_its_size() -> None:
    terms = AtScope({Thing: 2})
    solver, many = Solver(terms), [Name(f"x{i}", SortType(Thing)) for i in range(3)]
    for x, y in itertools.combinations(many, 2):
        solver.add(terms.term(negate(equal(x, y))))
    assert isinstance(solver.check(), Unsat)


def test_facts_learnt_inside_a_block_are_still_in_force_after_it() -> None:
    terms = AtScope({Thing: 1})
    solver = Solver(terms)
    x, y = Name("x", SortType(Thing)), Name("y", SortType(Thing))
    with solver.within():
        solver.add(terms.term(equal(x, y)))
        assert isinstance(solver.check(), Sat)
    solver.add(terms.term(negate(equal(x, y))))
    assert isinstance(solver.check(), Unsat)


def test_the_core_names_only_what_was_needed() -> None:
    terms = AnySize()
    solver = Solver(terms)
    solver.add(terms.term(less(A, const(0))), "negative")
    solver.add(terms.term(less(B, const(0))), "beside the point")
    solver.add(terms.term(less(const(0), A)), "positive")
    assert solver.check(["negative", "beside the point", "positive"]) == Unsat(frozenset({"negative", "positive"}))
    assert isinstance(solver.check(["negative", "beside the point"]), Sat)


def test_a_solver_that_reaches_its_limit_says_so_and_nothing_else() -> None:
    terms = AnySize()
    solver = Solver(terms, rlimit=1)
    a, b, c = (arith("*", arith("*", x, x), x) for x in (A, B, Name("c", INT)))
    solver.add(terms.term(equal(arith("+", a, b), c)))
    for x in (A, B, Name("c", INT)):
        solver.add(terms.term(less(const(0), x)))
    reply = solver.check()
    assert isinstance(reply, Unknown) and "rlimit" in reply.reason


def test_at_any_size_an_aggregate_is_the_same_unknown_wherever_and_under_whatever_names_it_stands() -> None:
    holds = Symbol("holds", (SortType(Thing), SortType(Thing)), BOOL)

    def many(free: str, bound: str) -> Node:
        x = Name(bound, SortType(Thing))
        return Quant("count", x, Cell(holds, (Name(free, SortType(Thing)), x)))

    terms = AnySize()
    solver = Solver(terms)
    solver.add(terms.term(less(many("w", "x"), const(0))))
    assert isinstance(solver.check(), Unsat), "a count is not negative"
    solver = Solver(terms)
    solver.add(terms.term(equal(Name("w", SortType(Thing)), Name("v", SortType(Thing)))))
    solver.add(terms.term(negate(equal(many("w", "x"), many("v", "y")))))
    assert isinstance(solver.check(), Unsat)
    solver = Solver(terms)
    solver.add(terms.term(negate(equal(many("w", "x"), many("v", "y")))))
    assert isinstance(solver.check(), Sat)


def test_at_any_size_a_model_is_read_back_as_python_values() -> None:
    owner = Symbol("owner", (), SortType(Thing), optional=True)
    colour = Symbol("colour", (SortType(Thing),), EnumType(Colour))
    terms = AnySize()
    solver, x, y = Solver(terms), Name("x", SortType(Thing)), Name("y", SortType(Thing))
    for node in (
        negate(equal(x, y)),
        negate(Absent(owner, ())),
        equal(Cell(owner, ()), y),
        equal(Cell(colour, (x,)), const(Colour.BLUE)),
        equal(Cell(colour, (y,)), const(Colour.RED)),
        TRUE,
    ):
        solver.add(terms.term(node))
    reply = solver.check()
    assert isinstance(reply, Sat)
    found = terms.structure(reply.model, {Thing: [x, y]})
    assert found.sizes == {Thing: 2}
    assert found.value(x) is Thing(0) and found.cell(owner, ()) is Thing(1)
    assert [found.cell(colour, (Thing(i),)) for i in range(2)] == [Colour.BLUE, Colour.RED]


def test_what_z3_finds_does_not_depend_on_what_was_asked_elsewhere() -> None:
    def ask() -> object:
        terms = AnySize()
        solver = Solver(terms)
        solver.add(terms.term(Op("<", (A, B), BOOL)))
        reply = solver.check()
        assert isinstance(reply, Sat)
        return str(reply.model)

    first = ask()
    noise = Solver(AnySize())
    noise.add(noise.terms.term(less(B, A)))
    noise.check()
    assert ask() == first
