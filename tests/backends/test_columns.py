"""Expressions, guards and updates by NumPy mean what generated Python and CPython mean, or are refused."""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import Any

import pytest

from meshspec.backends import native
from meshspec.backends.columns import ColumnSpace
from meshspec.backends.evaluate import evaluate
from meshspec.backends.generated import Generator
from meshspec.backends.grounding import values
from meshspec.backends.layout import Layout
from meshspec.backends.packing import Packing
from meshspec.errors import UsageError
from meshspec.expr.build import ZERO, arith, const, equal, ite, less, negate
from meshspec.expr.nodes import BOOL, INT, Absent, Cell, Name, Node, Quant, SortType, Symbol
from meshspec.lang.lift import LiftedModel, lift
from tests.agreement.corners import CORNERS
from tests.agreement.models import generated
from tests.backends.stepping import Expected, by_cpython, by_generated, random_states
from tests.models import jugs, lock, p_counts, p_ledger, p_lock, p_shapes, two_phase_commit
from tests.models.batches import Broad, Odds, Wide, Worker

MODELS: list[type] = [
    *CORNERS,
    jugs.Jugs,
    lock.Peterson,
    p_counts.Budget,
    p_counts.Pairs,
    p_counts.Weighed,
    p_ledger.EffectLedger,
    p_lock.Lock,
    p_shapes.Assignment,
    p_shapes.Nested,
    p_shapes.Quota,
    p_shapes.Chain,
    two_phase_commit.TwoPhase,
]
SEEDS = range(45)


def layout_of(lifted: LiftedModel, size: int = 2) -> Layout:
    return Layout(lifted, {sort: size + place for place, sort in enumerate(lifted.sorts)})


def bounds_for(layout: Layout) -> dict[str, range]:
    """The declared ones; of the others, some that random states stay in and steps may leave."""
    ints = [v for v in layout.model.declared.variables if v.symbol.type == INT and not v.constant]
    return {v.symbol.name: v.range.of(layout.model.instance) if v.range else range(-3, 6) for v in ints}


def stepped(space: ColumnSpace, states: list[Any]) -> Expected:
    found = space.step(space.pack(states), [1] * len(states))
    reached = space.unpack(found.new)
    assert len(reached) == len(set(reached))
    odd = tuple((one.source, one.action) for one in found.odd)
    return Expected(frozenset(reached), tuple(found.taken), odd, tuple(map(int, found.stuck)))


def compare(layout: Layout, seed: object, many: int) -> ColumnSpace:
    """Every claim and every step on random states, against generated Python."""
    space = ColumnSpace(layout, bounds=bounds_for(layout))
    states = random_states(layout, space.packing.fields, many, seed)
    assert space.unpack(space.pack(states)) == states
    generator = Generator(layout)
    for lifted in layout.model.claims:
        every = layout.arguments(lifted.parameters)
        named = [{p.name: v for p, v in zip(lifted.parameters, one, strict=True)} for one in every]
        for node in (lifted.claim, negate(lifted.claim), *lifted.antecedents.values()):
            first = generator.first_failure(node, [generator.names(lifted, one) for one in every])
            assert list(space.test(node, named)(space.pack(states))) == [first(state) for state in states], (
                lifted.name
            )
    assert stepped(space, states) == by_generated(layout, space.packing.fields, states)
    return space


@pytest.mark.parametrize("cls", [*MODELS, Odds])
def test_claims_and_steps_are_those_of_generated_python(cls: type) -> None:
    compare(layout_of(lift(cls)), cls.__name__, 60)


@pytest.mark.parametrize("first", SEEDS[::15])
def test_claims_and_steps_of_generated_models_are_those_of_generated_python(first: int) -> None:
    for seed in range(first, first + 15):
        compare(Layout(generated(seed).lifted, generated(seed).scope), seed, 25)


@pytest.mark.parametrize("cls", [Odds, p_shapes.Assignment, lock.Peterson])
def test_steps_and_claims_are_those_of_cpython(cls: type) -> None:
    lifted = lift(cls)
    kept = [one for one in lifted.actions if not one.choices]  # a choice that nobody looks at is one step, not many
    layout = layout_of(LiftedModel(lifted.instance, lifted.declared, tuple(kept), lifted.claims))
    space = ColumnSpace(layout, bounds=bounds_for(layout))
    states = random_states(layout, space.packing.fields, 40, cls.__name__)
    assert stepped(space, states) == by_cpython(layout, space.packing.fields, states)
    for claim in layout.model.claims:
        for arguments in layout.arguments(claim.parameters):
            named = {p.name: v for p, v in zip(claim.parameters, arguments, strict=True)}
            said = [failed < 0 for failed in space.test(claim.claim, [named])(space.pack(states))]
            runs = [native.run(layout, claim, layout.decode(state), arguments) for state in states]
            assert said == [run == native.Value(True) for run in runs]


# -- expressions on their own ----------------------------------------------------------------------------------

N, D = Cell(Symbol("n", (), INT), ()), Cell(Symbol("d", (), INT), ())
WORKER = SortType(Worker)
CHIEF = Symbol("chief", (), WORKER, optional=True)
BOSS = Symbol("boss", (WORKER,), WORKER, optional=True)
WEIGHT = Symbol("weight", (WORKER,), INT)


@cache
def odds() -> Layout:
    return layout_of(lift(Odds), 3)


def everywhere(node: Node, arguments: dict[str, Any] | None = None) -> None:
    """NumPy says in many states what the interpreter says; its warnings are errors here."""
    layout = odds()
    packing = Packing(layout, bounds_for(layout))
    states = random_states(layout, packing.fields, 60, "expressions")
    of = values(layout, packing, node, arguments or {})
    expected = [evaluate(node, layout, layout.decode(state), arguments or {}) for state in states]
    encoded = [layout.encode_value(value) for value in expected]
    assert of(packing.pack(states)).tolist() == encoded


def test_division_floors_whatever_the_signs() -> None:
    for op in ("//", "%"):
        guarded = arith(op, N, D)
        everywhere(ite(equal(D, ZERO), const(99), guarded))
        for by in (-3, -1, 2, 7):
            everywhere(arith(op, N, const(by)))


def test_a_zero_that_a_guard_excludes_divides_nothing() -> None:
    everywhere(ite(equal(D, ZERO), equal(N, ZERO), less(arith("//", const(7), D), arith("%", N, D))))
    never = ite(equal(D, ZERO), const(0), arith("//", const(7), arith("*", D, const(0))))
    layout = odds()
    packing = Packing(layout, bounds_for(layout))
    rows = packing.pack(random_states(layout, packing.fields, 50, 1))
    assert values(layout, packing, never, {})(rows).shape == (50,), (
        "no lane of it is looked at where it means nothing"
    )


def test_an_absent_key_is_looked_at_nowhere() -> None:
    chief = Cell(CHIEF, ())
    everywhere(ite(Absent(CHIEF, ()), const(-9), Cell(WEIGHT, (chief,))))
    everywhere(ite(Absent(CHIEF, ()), const(True), Absent(BOSS, (chief,))))
    nested = ite(Absent(BOSS, (chief,)), const(7), Cell(WEIGHT, (Cell(BOSS, (chief,)),)))
    everywhere(ite(Absent(CHIEF, ()), const(-9), nested))


def test_quantifiers_nest_and_an_inner_name_hides_an_outer_one() -> None:
    w, v = Name("w", WORKER), Name("v", WORKER)
    follows = ite(Absent(BOSS, (w,)), const(False), equal(Cell(BOSS, (w,)), v))
    for outer, inner in itertools.product(("forall", "exists"), repeat=2):
        everywhere(Quant(outer, v, Quant(inner, w, follows)))  # type: ignore[arg-type]  # two of the quantifiers
    everywhere(Quant("total", v, arith("*", Quant("count", w, follows), Cell(WEIGHT, (v,)))))
    everywhere(Quant("count", w, Quant("exists", w, Absent(BOSS, (w,)))))
    everywhere(arith("+", Cell(WEIGHT, (w,)), N), {"w": Worker(1)})


def test_comparisons_with_numbers_beyond_64_bits_are_decided_beforehand() -> None:
    everywhere(less(N, const(2**70)))
    everywhere(less(const(2**70), N, or_equal=True))
    everywhere(equal(N, const(-(2**64))))


A, B = Cell(Symbol("a", (), INT), ()), Cell(Symbol("b", (), INT), ())


def test_what_may_leave_64_bits_is_refused_and_what_cannot_is_not() -> None:
    layout = Layout(lift(Wide), {})
    packing = Packing(layout, bounds_for(layout))
    states = [(-(2**47), 2**20), (2**47 - 2, 2**20), (0, 0), (-1, 1)]
    inside = arith("*", A, const(2**15))
    assert values(layout, packing, inside, {})(packing.pack(states)).tolist() == [a * 2**15 for a, _ in states]
    for node in (
        arith("*", A, B),
        arith("*", A, const(2**17)),
        arith("+", A, const(2**63)),
        arith("//", A, const(2**64)),
        arith("//", A, arith("+", B, const(2**64))),
        ite(equal(B, ZERO), const(2**63), A),
    ):
        with pytest.raises(UsageError, match=r"Wide: .*: a value may lie anywhere in .*, and NumPy holds 64 bits"):
            values(layout, packing, node, {})


def test_the_message_of_a_refusal_names_the_expression() -> None:
    layout = Layout(lift(Wide), {})
    with pytest.raises(UsageError, match=r"Wide: a \* b: .*Annotated\[int, Range\(lo, hi\)\]"):
        values(layout, Packing(layout, bounds_for(layout)), arith("*", A, B), {})


def test_what_is_written_over_did_not_leave_its_range() -> None:
    layout = odds()
    space = ColumnSpace(layout, bounds=bounds_for(layout))
    start = layout.decode(next(layout.initial_states()))
    wanted: dict[int, bool] = {}
    for high in range(3):
        here = {**start, ("chief", ()): Worker(1), ("best", (Worker(high),)): 5}
        found = space.step(space.pack([layout.encode(here)]), [1])
        odd = [layout.ground_actions()[one.action][0].name for one in found.odd]
        wanted[high] = "level" in odd
    assert wanted == {0: True, 1: False, 2: True}


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_states_of_several_words_are_stepped_as_those_of_one(size: int) -> None:
    space = compare(layout_of(lift(Broad), size), size, 200)
    assert space.packing.words == size


def test_an_expression_in_many_slices_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meshspec.backends.grounding.Grounding.lanes", 7)
    everywhere(ite(equal(D, ZERO), const(99), arith("%", N, D)))
    compare(layout_of(lift(Odds)), "slices", 40)


def test_bools_come_as_bools_and_members_as_positions() -> None:
    layout = odds()
    packing = Packing(layout, bounds_for(layout))
    state = random.Random(3).choice(random_states(layout, packing.fields, 20, 2))
    found = values(layout, packing, equal(N, D), {})(packing.pack([state]))
    assert found.dtype == bool
    assert values(layout, packing, Name("w", WORKER), {"w": Worker(2)})(packing.pack([state])).tolist() == [2]
    assert values(layout, packing, const(True), {})(packing.pack([state, state])).tolist() == [True, True]
    assert Absent(CHIEF, ()).type == BOOL
