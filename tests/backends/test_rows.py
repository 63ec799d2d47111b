"""Rows say exactly what their ground action does: they are disjoint, complete, and never write what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import pytest

from meshspec import Map, Range, Sort, action, count, exists, forall, model, require, total, var
from meshspec.backends.intervals import bounds_of
from meshspec.backends.layout import Layout, State
from meshspec.backends.lowering import Term
from meshspec.backends.packing import Field, Packing
from meshspec.backends.rows import Guard, Lowering, Row
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel, lift
from tests.agreement.models import corners, generated
from tests.backends.stepping import Expected, by_cpython, by_generated, random_states
from tests.models.jugs import Jugs
from tests.models.lock import Peterson
from tests.models.m_budget import Budget, Component, Failure
from tests.models.m_ledger import Delegation, Ledger
from tests.models.plain_ledger import Effect, EffectLedger
from tests.models.two_phase_commit import Manager, TwoPhase

SEEDS = range(25)


class Node(Sort):
    """Something with a number."""


@model
class Edges:
    """What goes over either end of its Range, and what lies beside it."""

    below: Annotated[int, Range(0, 3)] = var(0)
    x: Annotated[int, Range(-2, 5)] = var(0)
    above: Annotated[int, Range(0, 3)] = var(0)

    @action
    def up(self) -> None:
        self.x += 3

    @action
    def down(self) -> None:
        self.x -= 2

    @action
    def guarded(self) -> None:
        require(self.x + self.above <= 4)
        self.x += self.above

    @action
    def far(self) -> None:
        self.x = self.below * self.above

    @action
    def divided(self) -> None:
        self.x = 5 // self.below


@model
class Shapes:
    """Conditions and values that need sums, tables, keys told apart and regions split."""

    at: Map[Node, Annotated[int, Range(0, 9)]] = var(0)
    on: Map[Node, bool] = var(False)
    who: Node | None = var(None)
    next: Map[Node, Node | None] = var(None)
    big: Annotated[int, Range(0, 1_000_000)] = var(0)
    other: Annotated[int, Range(-50_000, 50_000)] = var(0)

    @action
    def most_are_on(self, n: Node) -> None:
        require(count(Node, lambda m: self.on[m]) >= 2 and exists(Node, lambda m: self.at[m] > 7))
        self.on[n] = not self.on[n]

    @action
    def balanced(self) -> None:
        require(total(Node, lambda m: self.at[m]) == self.big)
        self.big = total(Node, lambda m: self.at[m]) + 1

    @action
    def unlike(self, n: Node, m: Node) -> None:
        require(self.at[n] != self.at[m] and self.big != self.other)
        self.at[n], self.at[m] = self.at[m], self.at[n]

    @action
    def follow(self, n: Node) -> None:
        following = self.next[n]
        require(self.who is not None)
        if following is not None:
            self.who = following
            self.on[following] = self.at[following] > self.at[n] or self.on[n]

    @action
    def link(self, n: Node, m: Node) -> None:
        require(self.who == n or (self.who is None and forall(Node, lambda k: not self.on[k])))
        self.next[n] = None if n == m else m

    @action
    def rest(self, n: Node) -> None:
        self.at[n] = (self.at[n] * 3 + 1) % 10
        self.big += self.at[n]


def _sum(terms: Sequence[Term], codes: Sequence[int], fields: Sequence[Field]) -> int:
    found = 0
    for term in terms:
        place = 0
        for cell in term.cells:
            place = place * fields[cell].codes + codes[cell]
        found += term.table[place] if term.table else term.coefficient * codes[term.cells[0]]
    return found


def matches(row: Row, codes: Sequence[int], fields: Sequence[Field]) -> bool:
    def keeps(guard: Guard) -> bool:
        return _sum(guard.terms, codes, fields) <= guard.bound

    return all(box >> codes[cell] & 1 for cell, box in row.region.boxes.items()) and all(
        map(keeps, row.region.guards)
    )


def by_rows(rows: Sequence[Row], fields: Sequence[Field], states: Sequence[State]) -> Expected:
    """One step as the rows say it; each value is looked at before it is called one that fits."""
    actions = max((row.action for row in rows), default=-1) + 1
    taken, reached, odd, stuck = [0] * actions, set[State](), list[tuple[int, int]](), list[int]()
    for source, state in enumerate(states):
        codes = [f.size if v is None else int(v) - f.lo for v, f in zip(state, fields, strict=True)]
        here = [row for row in rows if matches(row, codes, fields)]
        assert len({row.action for row in here}) == len(here), "two rows of one ground action"
        if not here:
            stuck.append(source)
        for row in here:
            taken[row.action] += 1
            if row.odd:
                odd.append((source, row.action))
                continue
            after = list(codes)
            for cell, form in row.writes:
                after[cell] = form.constant + _sum(form.terms, codes, fields)
                assert 0 <= after[cell] < fields[cell].codes, "a row writes what does not fit"
            values = [None if c == f.size else f.lo + c for c, f in zip(after, fields, strict=True)]
            pairs = zip(values, state, strict=True)
            reached.add(tuple(bool(v) if isinstance(old, bool) else v for v, old in pairs))
    return Expected(frozenset(reached), tuple(taken), tuple(odd), tuple(stuck))


def lowered(subject: LiftedModel, sizes: dict[type[Sort], int]) -> tuple[Layout, Packing, list[Row]]:
    layout = Layout(subject, sizes)
    packing = Packing(layout, bounds_of(layout))
    return layout, packing, Lowering(layout, packing).rows


def subjects() -> Iterator[tuple[LiftedModel, dict[type[Sort], int]]]:
    yield lift(Jugs), {}
    yield lift(Edges), {}
    yield lift(Shapes), {Node: 3}
    yield lift(Peterson), {}
    yield lift(TwoPhase), {Manager: 4}
    yield lift(EffectLedger), {Effect: 3}
    yield lift(Ledger), {Delegation: 3}
    yield lift(Budget), {Component: 3, Failure: 2}
    for one in corners():
        yield one, {sort: 2 + place for place, sort in enumerate(one.sorts)}
    for seed in SEEDS:
        yield generated(seed).lifted, generated(seed).scope


def trimmed(expected: Expected) -> Expected:
    """Without ground actions at the end that no row is about."""
    taken = list(expected.taken)
    while taken and not taken[-1]:
        taken.pop()
    return Expected(expected.reached, tuple(taken), expected.odd, expected.stuck)


def test_rows_do_what_generated_python_does_on_random_states() -> None:
    steps = strange = bounded = 0
    for subject, sizes in subjects():
        try:
            layout, packing, rows = lowered(subject, sizes)
        except UsageError as error:
            assert "no bounds can be proved" in str(error)
            continue
        bounded += 1
        states = random_states(layout, packing.fields, 60, subject.name)
        expected = by_generated(layout, packing.fields, states)
        assert trimmed(by_rows(rows, packing.fields, states)) == trimmed(expected), subject.name
        steps += sum(expected.taken)
        strange += len(expected.odd)
    assert bounded > 25
    assert steps > 5_000
    assert strange > 300


@pytest.mark.parametrize(
    ("cls", "sizes"),
    [(Jugs, {}), (Edges, {}), (Shapes, {Node: 3}), (TwoPhase, {Manager: 3}), (Ledger, {Delegation: 2})],
)
def test_rows_do_what_cpython_does_on_random_states(cls: type, sizes: dict[type[Sort], int]) -> None:
    layout, packing, rows = lowered(lift(cls), sizes)
    states = random_states(layout, packing.fields, 40, cls.__name__)
    expected = by_cpython(layout, packing.fields, states)
    assert sum(expected.taken) > 40
    assert trimmed(by_rows(rows, packing.fields, states)) == trimmed(expected)


def test_a_step_over_either_end_of_a_range_is_odd_and_writes_nothing() -> None:
    layout, packing, rows = lowered(lift(Edges), {})
    up, down = 0, 1
    every = [(0, x, 3) for x in range(-2, 6)]
    found = by_rows(rows, packing.fields, every)
    assert [every[source][1] for source, number in found.odd if number == up] == [3, 4, 5]
    assert [every[source][1] for source, number in found.odd if number == down] == [-2, -1]
    assert {after[1] for after in found.reached} <= set(range(-2, 6))
    assert {layout.cells[row.leaves].variable.symbol.name for row in rows if row.odd and row.leaves >= 0} == {"x"}


def test_what_a_guard_says_of_a_sum_is_proof_enough_that_it_fits() -> None:
    _, _, rows = lowered(lift(Edges), {})
    assert not [row for row in rows if row.odd and row.action == 2], "x + above <= 4, and both are small"


def test_a_body_that_raises_is_an_odd_row() -> None:
    _, packing, rows = lowered(lift(Edges), {})
    assert [row.leaves for row in rows if row.odd and row.action == 4] == [-1], "divided by zero; 5 // 1 still fits"
    assert by_rows(rows, packing.fields, [(0, 0, 0)]).odd == ((0, 4),)


def test_a_count_of_many_cells_is_one_sum_and_not_every_combination() -> None:
    _, _, rows = lowered(lift(Shapes), {Node: 12})
    each: dict[int, int] = {}
    for row in rows:
        each[row.action] = each.get(row.action, 0) + 1
    assert max(each[number] for number in range(12)) <= 4


@model
class Tangled:
    """A product of many variables: nothing adds up."""

    a: Map[Node, Annotated[int, Range(0, 99)]] = var(0)

    @action
    def multiply(self, n: Node, m: Node, k: Node, j: Node) -> None:
        require(self.a[n] * self.a[m] * self.a[k] * self.a[j] == 7)
        self.a[n] = 0


@model
class TangledInTables(Tangled):
    """A product of three is a table for each value of one."""

    a: Map[Node, Annotated[int, Range(0, 60)]] = var(0)

    @action
    def multiply(self, n: Node, m: Node, k: Node, j: Node) -> None:
        require(self.a[n] * self.a[m] * self.a[k] == self.a[j] + 7)
        self.a[n] = 0


def test_too_many_rows_are_refused_with_the_action_and_its_line() -> None:
    with pytest.raises(UsageError, match=r"test_rows\.py:\d+: multiply takes too many rows .*narrower Ranges"):
        lowered(lift(Tangled), {Node: 4})


def test_tables_that_are_too_large_together_are_refused_soon() -> None:
    with pytest.raises(UsageError, match=r"test_rows\.py:\d+: multiply takes too many rows .*narrower Ranges"):
        lowered(lift(TangledInTables), {Node: 4})


def test_rows_are_the_same_each_time_they_are_made() -> None:
    first, again = (lowered(lift(Shapes), {Node: 3})[2] for _ in range(2))
    assert first == again
