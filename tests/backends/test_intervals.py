"""Bounds of ints: declared ones as they are, others only where they are proved, and never too tight."""

from __future__ import annotations

import inspect
import itertools
import operator
import random
from collections.abc import Callable, Mapping

import pytest

from meshspec.backends.evaluate import evaluate
from meshspec.backends.generated import Generator
from meshspec.backends.intervals import bounds_of, inferred
from meshspec.backends.layout import Layout, State
from meshspec.backends.refinement import Known
from meshspec.backends.spans import FAR, Span, arithmetic
from meshspec.errors import UsageError
from meshspec.expr.build import arith, conj, const, disj, equal, ite, less, negate
from meshspec.expr.nodes import INT, Cell, Node, Operator, Symbol
from meshspec.expr.text import text
from meshspec.lang.lift import lift
from tests.agreement.models import generated
from tests.models import bounded, p_counts, p_shapes
from tests.models.batches import Odds
from tests.models.bounded import Derived, Doubling, Endless, Limited, Outer, Saturating, Swapped


def layout_of(cls: type, size: int = 2) -> Layout:
    lifted = lift(cls)
    return Layout(lifted, dict.fromkeys(lifted.sorts, size))


def reached(layout: Layout, most: int) -> set[State]:
    """All states that can be reached, or as many; no step is taken where a Range is left."""
    generator = Generator(layout)
    successors, left = generator.successors(), generator.out_of_range()
    found = set(layout.initial_states())
    waiting = list(found)
    while waiting and len(found) < most:
        state = waiting.pop(0)
        for _, after, _ in [] if left(state) else successors(state):
            if after is not None and after not in found:
                found.add(after)
                waiting.append(after)
    return found


def seen(layout: Layout, most: int = 3000) -> Mapping[str, set[int]]:
    """The values of every variable without a Range."""
    states = reached(layout, most)
    names = inferred(layout)
    return {
        name: {s[i] for i, c in enumerate(layout.cells) if c.variable.symbol.name == name for s in states} - {None}
        for name in names
    }


@pytest.mark.parametrize("cls", [Saturating, Limited, Swapped, Derived, p_shapes.Quota])
def test_the_bounds_hold_whatever_a_search_finds(cls: type) -> None:
    layout = layout_of(cls)
    found = inferred(layout)
    for name, values in seen(layout).items():
        assert all(value in found[name] for value in values), name


def test_min_max_and_guards_bound_what_they_should() -> None:
    assert inferred(layout_of(Saturating)) == {"up": range(6), "down": range(10)}
    assert inferred(layout_of(Limited)) == {"n": range(1007)}
    assert inferred(layout_of(Swapped)) == {"x": range(-3, 3), "y": range(-3, 3), "z": range(-5, 6)}


def test_counts_totals_tables_parameters_and_optionals_bound_what_is_made_of_them() -> None:
    found = inferred(layout_of(Derived, 3))
    assert "declared" not in found, "a declared Range is not inferred"
    assert found == {
        "counted": range(4),
        "summed": range(-3, 16),
        "rest": range(4),
        "part": range(-1, 1),
        "last": range(2, 5),
        "never": range(1),
        "given": range(1, 17),
        "best": range(9),
        "diff": range(-4, 7),
    }


def test_a_declared_range_is_the_bound_whatever_is_written() -> None:
    assert bounds_of(layout_of(Derived))["declared"] == range(-2, 3)
    assert bounds_of(layout_of(Derived)).keys() > inferred(layout_of(Derived)).keys()


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_no_generated_model_leaves_its_inferred_bounds(first: int) -> None:
    compared = 0
    for seed in range(first, first + 10):
        layout = Layout(generated(seed).lifted, generated(seed).scope)
        try:
            found = inferred(layout)
        except UsageError:
            continue
        for name, values in seen(layout, 300).items() if found else ():
            compared += 1
            assert all(value in found[name] for value in values), f"seed {seed}: {name} in {found[name]}"
    assert compared, "some of them have an int without a Range"


@pytest.mark.parametrize("cls", [Endless, Doubling, p_counts.Budget, p_counts.Counted, p_shapes.Nested])
def test_what_grows_without_bound_is_refused(cls: type) -> None:
    with pytest.raises(UsageError, match=r"no bounds can be proved for .*: Annotated\[int, Range\(lo, hi\)\]"):
        bounds_of(layout_of(cls))


def _line(cls: type, text: str) -> int:
    lines, begin = inspect.getsourcelines(cls)
    return begin + next(place for place, line in enumerate(lines) if text in line)


def test_the_refusal_names_every_such_variable_and_its_line_and_no_other() -> None:
    with pytest.raises(UsageError) as refused:
        inferred(layout_of(Endless))
    for name in ("spent", "owed"):
        assert f"{name} (tests/models/bounded.py:{_line(Endless, f'{name}: int')})" in str(refused.value)
    assert "calm" not in str(refused.value)


def test_the_refusal_names_the_line_of_a_nested_machine() -> None:
    with pytest.raises(UsageError, match=rf"inner\.n \(.*bounded\.py:{_line(bounded.Machine, 'n: int')}\).* n: Anno"):
        inferred(layout_of(Outer))


# -- what follows from a condition -----------------------------------------------------------------------------

N, D = Cell(Symbol("n", (), INT), ()), Cell(Symbol("d", (), INT), ())


def some_int(rnd: random.Random, depth: int) -> Node:
    if depth == 0 or rnd.random() < 0.3:
        return rnd.choice((N, D, const(rnd.randint(-4, 4))))
    op: Operator = rnd.choice(("+", "-", "*"))
    if rnd.random() < 0.25:
        return ite(some_bool(rnd, depth - 1), some_int(rnd, depth - 1), some_int(rnd, depth - 1))
    return arith(op, some_int(rnd, depth - 1), some_int(rnd, depth - 1))


def some_bool(rnd: random.Random, depth: int) -> Node:
    if depth == 0 or rnd.random() < 0.4:
        a, b = some_int(rnd, depth and depth - 1), some_int(rnd, depth and depth - 1)
        return rnd.choice((equal(a, b), less(a, b), less(a, b, or_equal=True)))
    parts = [some_bool(rnd, depth - 1) for _ in range(2)]
    return rnd.choice((conj(*parts), disj(*parts), negate(parts[0])))


def test_what_follows_from_a_condition_is_true_wherever_the_condition_is() -> None:
    rnd, narrower = random.Random(7), 0
    layout = layout_of(Odds)
    start = layout.decode(next(layout.initial_states()))
    states = [{**start, ("n", ()): n, ("d", ()): d} for n in range(-7, 8) for d in range(-3, 4)]
    everything = Known(layout, {"n": Span(-7, 7), "d": Span(-3, 3)})
    for _ in range(150):
        condition, asked, truth = some_bool(rnd, 3), [N, D, some_int(rnd, 2)], rnd.random() < 0.5
        there = everything.assuming(condition, truth)
        for values in states:
            if bool(evaluate(condition, layout, values, {})) is truth:
                assert there is not None, text(condition)
                for node in asked:
                    assert evaluate(node, layout, values, {}) in there.span(node), (text(condition), text(node))
        narrower += there is None or there.span(N) != everything.span(N)
    assert narrower > 30, "conditions narrow what is known"


# -- intervals -------------------------------------------------------------------------------------------------

OPERATORS: dict[Operator, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda x, y: x // y,
    "%": operator.mod,
}


@pytest.mark.parametrize("op", OPERATORS)
def test_an_interval_has_every_result_and_its_ends_are_results(op: Operator) -> None:
    ends = list(itertools.combinations_with_replacement(range(-4, 5), 2))
    for (a, b), (c, d) in itertools.product(ends, repeat=2):
        span = arithmetic(op, Span(a, b), Span(c, d))
        results = [
            OPERATORS[op](x, y) for x in range(a, b + 1) for y in range(c, d + 1) if y != 0 or op not in ("//", "%")
        ]
        assert span.empty if not results else span.lo <= min(results) and max(results) <= span.hi
        if results and op != "%":
            assert (span.lo, span.hi) == (min(results), max(results))


def test_an_interval_without_end_has_every_result() -> None:
    ends = [(-FAR, 3), (-2, FAR), (2, FAR), (0, FAR), (-FAR, -2), (-FAR, 0), (-FAR, FAR), (-4, 5), (3, 3)]
    far = [10**400, 1000, 10, 9, 8, 5, 4, 3, 2, 1]
    numbers = [*far, 0, *(-one for one in far)]
    for op, (a, b), (c, d) in itertools.product(OPERATORS, ends, ends):
        span = arithmetic(op, Span(a, b), Span(c, d))
        for x, y in itertools.product(numbers, numbers):
            if a <= x <= b and c <= y <= d and (y != 0 or op not in ("//", "%")):
                assert OPERATORS[op](x, y) in span, (op, x, y)
