"""Candidates for lemmas: simple formulas over a model's variables that are true in every state seen of a small scope.

For no member, for one of each sort, for one of each of two sorts: literals (a bool; an enum, an optional or a
sort-valued entry being this value; an int against a constant that occurs in the model, or against another int),
implications between two literals, and for every action "where its guard holds, so does this literal", with as little
of the guard as the states seen allow. For two different members: that no two have a literal in common, and that no
two hold the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from meshspec.backends.generated import Code, Generator
from meshspec.backends.instances import Universal
from meshspec.backends.layout import Layout, State
from meshspec.errors import UsageError
from meshspec.expr.build import FALSE, TRUE, conj, const, disj, equal, less, negate
from meshspec.expr.nodes import (
    Absent,
    BoolType,
    Cell,
    Const,
    EnumType,
    IntType,
    Name,
    Node,
    Op,
    SortType,
    Type,
    values_of,
)
from meshspec.expr.walk import free_names, parts, substitute
from meshspec.lang.declare import Parameter, Variable
from meshspec.lang.lift import LiftedModel
from meshspec.lang.outcomes import Does
from meshspec.sorts import Sort

MAX_STATES = 1_000
MAX_SAMPLES = 6_000
MAX_CONSTANTS = 6
MAX_LITERALS = 120
MAX_GUARD = 6


@attrs.frozen
class Candidate:
    """A formula for all members of these sorts; ``size`` is how many literals it has."""

    universal: Universal
    size: int


@attrs.frozen
class Seen:
    """States of a small scope, reached from its initial ones."""

    layout: Layout
    states: tuple[State, ...]
    complete: bool


def reachable(model: LiftedModel, size: int = 2, most: int = MAX_STATES) -> Seen | None:
    """The first states reached with `size` members of each sort; ``None`` where that is too large to build."""
    try:
        layout = Layout(model, dict.fromkeys(model.sorts, size))
    except UsageError:
        return None
    generator = Generator(layout)
    successors, left = generator.successors(), generator.out_of_range()
    known = dict.fromkeys(itertools.islice(layout.initial_states(), most))
    todo = list(known)
    for state in todo:
        if left(state):  # what a model means ends where a Range is left
            continue
        for _, reached, _ in successors(state):
            if reached is not None and reached not in known:
                if len(known) >= most:
                    return Seen(layout, tuple(known), complete=False)
                known[reached] = None
                todo.append(reached)
    return Seen(layout, tuple(known), complete=True)


def candidates(model: LiftedModel, seen: Seen, most: int) -> list[Candidate]:
    """At most so many candidates, the simplest first; all are true in every state seen."""
    constants = _constants(model)
    contexts = [_Context(model, seen, sorts, constants) for sorts in _sorts(model)]
    families = [
        [one for context in contexts for one in context.units()],
        [one for sort in model.sorts for one in _Context(model, seen, (sort, sort), constants).unique()],
        [one for context in contexts for one in context.guarded()],
        [one for context in contexts for one in context.implications()],
    ]
    found = dict.fromkeys(one for family in families for one in family)
    return list(found)[:most]


def _sorts(model: LiftedModel) -> list[tuple[type[Sort], ...]]:
    return [(), *((sort,) for sort in model.sorts), *itertools.combinations(model.sorts, 2)]


def _nodes(model: LiftedModel) -> Iterator[Node]:
    for action in model.actions:
        for path in action.paths:
            yield from path.condition
            if isinstance(path.outcome, Does):
                yield from (write.value for update in path.outcome.updates for write in update.writes)
    for claim in model.claims:
        if claim.method.kind != "eventually":
            yield claim.claim


def _constants(model: LiftedModel) -> list[int]:
    """The ints that the model speaks of, the smallest first."""
    found: set[int] = {0}
    for node in _nodes(model):
        found.update(p.value for p in parts(node) if isinstance(p, Const) and type(p.value) is int)
    for variable in model.declared.variables:
        found.update(value for value in variable.initial if type(value) is int)
    return sorted(found, key=lambda value: (abs(value), value))[:MAX_CONSTANTS]


class _Context:
    """Some members, what can be said of them in one literal, and in which of the samples it is true.

    A sample is a state seen and a choice of different members; truth is a bit for each.
    """

    def __init__(
        self, model: LiftedModel, seen: Seen, sorts: tuple[type[Sort], ...], constants: Sequence[int]
    ) -> None:
        self.model, self.seen, self.constants = model, seen, constants
        names = [sort.__name__[0].lower() for sort in sorts]
        spoken = [name if names.count(name) == 1 else f"{name}{place + 1}" for place, name in enumerate(names)]
        self.parameters = tuple(Parameter(n, SortType(s)) for n, s in zip(spoken, sorts, strict=True))
        self.names = tuple(Name(p.name, p.type) for p in self.parameters)
        sets = [s for s in seen.layout.arguments(self.parameters) if len(set(s)) == len(s)]
        few = seen.states[: max(1, MAX_SAMPLES // max(1, len(sets)))]
        self.generator = Generator(seen.layout)
        self.samples = [(state, members) for state in few for members in sets]
        self.members = sets
        self.states = few
        self.all = (1 << len(self.samples)) - 1
        self._masks: dict[Node, int] = {TRUE: self.all, FALSE: 0}
        self.literals = self._literals()

    # -- literals ----------------------------------------------------------------------------------------------

    def _cells(self) -> Iterator[tuple[Variable, tuple[Node, ...]]]:
        """Entries at the members, and at every value of keys that are enums or bools."""
        for variable in self.model.declared.variables:
            if not variable.constant:
                options = [self._keys(type) for type in variable.symbol.keys]
                yield from ((variable, keys) for keys in itertools.product(*options))

    def _keys(self, type: Type) -> list[Node]:
        if isinstance(type, SortType):
            return [name for name in self.names if name.type == type]
        return [const(value) for value in values_of(type)]  # type: ignore[arg-type]  # keys are enums or bools

    def _literals(self) -> list[tuple[Node, Node]]:
        """Every literal with the cell that it speaks of; for members, only what speaks of one or of no entry."""
        found: dict[Node, Node] = {}
        ints: list[Node] = []
        for variable, keys in self._cells():
            symbol = variable.symbol
            cell, gone = Cell(symbol, keys), Absent(symbol, keys)
            here = [gone, negate(gone)] if symbol.optional else []
            there = negate(gone) if symbol.optional else TRUE
            match symbol.type:
                case BoolType():
                    here += [conj(there, cell), conj(there, negate(cell))]
                case EnumType(cls):
                    for member in cls:
                        same = conj(there, equal(cell, const(member)))
                        here += [same, negate(same)]
                case SortType():
                    for name in self.names:
                        if name.type == symbol.type:
                            same = conj(there, equal(cell, name))
                            here += [same, negate(same)]
                case IntType():
                    if not symbol.optional:
                        ints.append(cell)
                        for value in self.constants:
                            here += [less(cell, const(value), or_equal=True), less(const(value), cell, or_equal=True)]
            found.update(dict.fromkeys(here, cell))
        for one, other in itertools.combinations(ints[:8], 2):
            for low, high in ((one, other), (other, one)):
                found[less(low, high, or_equal=True)] = one
                found[less(low, high)] = one
        return list(found.items())[:MAX_LITERALS]

    def mask(self, node: Node) -> int:
        """In which samples the formula is true."""
        known = self._masks.get(node)
        if known is None:
            tests = [self.generator.first_failure(node, [self._at(members)]) for members in self.members]
            known, bit = 0, 1
            for state in self.states:
                for test in tests:
                    if test(state) < 0:
                        known |= bit
                    bit <<= 1
            self._masks[node] = known
        return known

    def _at(self, members: tuple[Any, ...]) -> dict[str, Code]:
        """What generated code is told of the members: their positions."""
        places = [self.seen.layout.encode_value(member) for member in members]
        return {p.name: Code(repr(place), place) for p, place in zip(self.parameters, places, strict=True)}

    # -- families ----------------------------------------------------------------------------------------------

    def _candidate(self, clause: Iterable[Node]) -> Candidate | None:
        literals = tuple(clause)
        body = disj(*literals)
        used = free_names(body)
        if not set(self.names) <= used:  # said of fewer members already
            return None
        return Candidate(Universal(body, self.parameters), len(literals))

    def _kept(self, clauses: Iterable[tuple[Node, ...]]) -> Iterator[Candidate]:
        for clause in clauses:
            made = self._candidate(clause)
            if made is not None and not isinstance(made.universal.body, Const):
                yield made

    def units(self) -> Iterator[Candidate]:
        return self._kept((literal,) for literal, _ in self.literals if self.mask(literal) == self.all)

    def implications(self) -> Iterator[Candidate]:
        """``p or q`` of two cells, neither true by itself: ``not p`` implies ``q``."""
        open_ones = [(node, cell) for node, cell in self.literals if self.mask(node) != self.all]
        pairs = (
            (one, other)
            for (one, cell), (other, beside) in itertools.combinations(open_ones, 2)
            if cell != beside and self.mask(one) | self.mask(other) == self.all
        )
        return self._kept(pairs)

    def guarded(self) -> Iterator[Candidate]:
        """Where the guard of an action holds, a literal does: three literals or more."""
        found: dict[tuple[Node, ...], None] = {}
        for guard in self._guards():
            denied = [negate(part) for part in guard]
            for literal, _ in self.literals:
                if self.mask(literal) == self.all or literal in denied or negate(literal) in denied:
                    continue
                for order in (denied, denied[::-1]):
                    clause = self._least(order, literal)
                    if clause is not None and len(clause) > 2:
                        found[tuple(sorted(clause, key=lambda part: (part == literal, repr(part))))] = None
        return self._kept(found)

    def _least(self, denied: Sequence[Node], literal: Node) -> list[Node] | None:
        kept = list(denied)
        if self._truth([*kept, literal]) != self.all:
            return None
        for part in denied:
            fewer = [other for other in kept if other != part]
            if self._truth([*fewer, literal]) == self.all:
                kept = fewer
        return [*kept, literal]

    def _truth(self, clause: Iterable[Node]) -> int:
        known = 0
        for part in clause:
            known |= self.mask(part)
        return known

    def _guards(self) -> Iterator[list[Node]]:
        """The conjuncts of every path that speak of these members and of nothing else that is chosen."""
        for action in self.model.actions:
            own = [Name(p.name, p.type) for p in action.parameters]
            choices = [[name for name in own if name.type == mine.type] for mine in self.names]
            for chosen in itertools.product(*choices):
                by = dict(zip(chosen, self.names, strict=True))
                others = frozenset(own) - set(chosen)
                for path in action.paths:
                    flat = [one for part in path.condition for one in _conjuncts(part) if _is_total(one)]
                    guard = [_meaningful(substitute(part, by)) for part in flat if not free_names(part) & others]
                    if isinstance(path.outcome, Does) and 1 < len(guard) <= MAX_GUARD:
                        yield guard

    def unique(self) -> Iterator[Candidate]:
        """For two different members: not both have it, not both hold the same."""
        first, second = self.names
        same, only = equal(first, second), frozenset((first,))
        for literal, cell in self.literals:
            if free_names(literal) == only and free_names(cell) == only:
                both = negate(literal), negate(substitute(literal, {first: second}))
                if self._truth(both) == self.all:
                    yield from self._kept([(same, *both)])
        for variable, keys in self._cells():
            symbol = variable.symbol
            if keys != (first,) or isinstance(symbol.type, BoolType):
                continue
            gone = [Absent(symbol, (name,)) for name in self.names] if symbol.optional else []
            clause = (*gone, negate(equal(Cell(symbol, (first,)), Cell(symbol, (second,)))))
            if self._truth([disj(*clause)]) == self.all:
                yield from self._kept([(same, *clause)])


def _conjuncts(node: Node) -> tuple[Node, ...]:
    return node.args if isinstance(node, Op) and node.op == "and" else (node,)


def _is_total(part: Node) -> bool:
    """Whether it has a value in every state: what divides by something that may be zero has none there."""
    divisions = (one for one in parts(part) if isinstance(one, Op) and one.op in ("//", "%"))
    return all(isinstance(one.args[1], Const) and one.args[1].value != 0 for one in divisions)


def _meaningful(part: Node) -> Node:
    """The conjunct, false where it looks at the value of an optional variable that has none."""
    cells = [one for one in parts(part) if isinstance(one, Cell) and one.symbol.optional]
    return conj(*(negate(Absent(cell.symbol, cell.keys)) for cell in cells), part)
