"""Instances: quantified formulas at named elements, as ground terms for the solver.

What is universal is put at the elements that have a name (parameters, members that a variable holds, witnesses);
what is existential gets a witness, a new name. Leaving instances out only weakens what is assumed, so *unsatisfiable*
is a proof however few there are; *satisfiable* is not, and must be replayed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Literal

import attrs

from meshspec.backends.solver import AnySize, Term
from meshspec.expr.build import conj, const, equal, less
from meshspec.expr.nodes import (
    BoolType,
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
    values_of,
)
from meshspec.expr.walk import fold
from meshspec.lang.declare import Parameter
from meshspec.sorts import Sort

MAX_INSTANCES = 2_000
SMALL_RANGE = 8

By = Mapping[Name, Node]
_NO_BOUNDS: Mapping[str, range] = MappingProxyType({})


@attrs.frozen
class Universal:
    """A formula that holds for all values of its parameters (of ints: within ``bounds``)."""

    body: Node
    parameters: tuple[Parameter, ...]
    bounds: Mapping[str, range] = attrs.field(default=_NO_BOUNDS, eq=False)


class TooMany(Exception):
    """More named elements or instances than the cap allows."""


class Elements:
    """The named elements of one question, and what formulas come to at them.

    ``named`` are ground expressions by sort; :meth:`grow` adds what is newly named and says whether anything was.
    """

    def __init__(self, terms: AnySize, sorts: Sequence[type[Sort]], max_members: int) -> None:
        self.terms = terms
        self.max_members = max_members
        self.named: dict[Type, dict[Node, None]] = {SortType(sort): {} for sort in sorts}
        self.ints: dict[Node, None] = {}
        self._witnesses: dict[tuple[Quant, tuple[tuple[Name, Node], ...]], Name] = {}

    def name(self, node: Node) -> None:
        """Make a ground expression one of the named elements."""
        if isinstance(node.type, IntType):
            self.ints[node] = None
        elif isinstance(node.type, SortType):
            self.named.setdefault(node.type, {})[node] = None

    def grow(self, holders: Sequence[Symbol]) -> bool:
        """Name the witnesses found so far, one member of every sort, and what `holders` hold at named keys.

        Raises :class:`TooMany` beyond the cap.
        """
        before = self._size()
        for witness in self._witnesses.values():
            self.name(witness)
        for type, known in self.named.items():
            if not known:
                self.name(Name(f"some {type}", type))
        for symbol in holders:
            for keys in list(itertools.product(*(self.values(key) for key in symbol.keys))):
                self.name(Cell(symbol, keys))
        if any(len(known) > self.max_members for known in self.named.values()):
            raise TooMany(f"more than {self.max_members} named members of one sort")
        return self._size() > before

    def _size(self) -> int:
        return sum(map(len, self.named.values()))

    def values(self, type: Type, bounds: range | None = None) -> list[Node]:
        """The values at which something universal over `type` is put."""
        match type:
            case SortType():
                return list(self.named.get(type, ()))
            case IntType():
                if bounds is not None and len(bounds) <= SMALL_RANGE:
                    return [const(value) for value in bounds]
                ends = [const(bounds[0]), const(bounds[-1])] if bounds is not None else []
                return list(dict.fromkeys([*self.ints, *ends]))
            case BoolType() | EnumType():
                return [const(value) for value in values_of(type) if isinstance(value, (bool, Enum))]

    def instances(self, universal: Universal) -> Iterator[Term]:
        """The formula at every combination of values for its parameters.

        An int that has a name need not lie within the bounds: such an instance says so as its condition.
        """
        domains = [self.values(p.type, universal.bounds.get(p.name)) for p in universal.parameters]
        many = 1
        for domain in domains:
            many *= len(domain)
        if many > MAX_INSTANCES:
            raise TooMany(f"more than {MAX_INSTANCES:,} instances of one formula")
        names = [Name(p.name, p.type) for p in universal.parameters]
        if not universal.bounds and not self._has_quantifier(universal.body):
            known = self.terms.ground_instances
            for values in itertools.product(*domains):
                key = universal.body, universal.parameters, values
                term = known.get(key)
                if term is None:
                    by = dict(zip(names, values, strict=True))
                    term = known[key] = self.terms.at(universal.body, by)
                yield term
            return
        for values in itertools.product(*domains):
            by = dict(zip(names, values, strict=True))
            term = self.holds(universal.body, by)
            inside = [
                self.terms.at(within(name, bounds), by)
                for name in names
                if (bounds := universal.bounds.get(name.name)) is not None and len(bounds) > SMALL_RANGE
            ]
            yield self.terms.join("or", [*(self.terms.no(part) for part in inside), term]) if inside else term

    def holds(self, node: Node, by: By, truth: bool = True) -> Term:
        """A term that follows from `node` being true (or false), at the named elements."""
        if not self._has_quantifier(node):
            term = self.terms.at(node, by)
            return term if truth else self.terms.no(term)
        match node:
            case Quant(kind, bound, body) if kind in ("forall", "exists"):
                if (kind == "forall") == truth:
                    parts = [self.holds(body, {**by, bound: value}, truth) for value in self.values(bound.type)]
                    return self.terms.join("and", parts)
                return self.holds(body, {**by, bound: self._witness(node, by)}, truth)
            case Op("not", (arg,)):
                return self.holds(arg, by, not truth)
            case Op("and" | "or", args):
                how: Literal["and", "or"] = "and" if (node.op == "and") == truth else "or"
                return self.terms.join(how, [self.holds(arg, by, truth) for arg in args])
            case Op("ite", (condition, then, otherwise)) if node.type == BoolType():
                yes, no = self.holds(condition, by), self.holds(condition, by, False)
                first, second = self.holds(then, by, truth), self.holds(otherwise, by, truth)
                return self._both(self._either(no, first), self._either(yes, second))
            case Op("==", (a, b)) if a.type == BoolType():
                one = self._both(self.holds(a, by), self.holds(b, by, truth))
                other = self._both(self.holds(a, by, False), self.holds(b, by, not truth))
                return self._either(one, other)
            case _:  # a quantifier inside an int: the solver gets it as it is
                term = self.terms.at(node, by)
                return term if truth else self.terms.no(term)

    def sums(self, aggregate: Quant) -> Iterator[tuple[Term, Term]]:
        """An aggregate at named values of its free names, and the sum over the named members, equal ones once."""
        z3, members = self.terms.z3, self.values(aggregate.bound.type)
        one, none = self.terms.literal(1), self.terms.literal(0)
        names = self.terms.free_of(aggregate)
        for values in itertools.product(*(self.values(name.type) for name in names)):
            by = dict(zip(names, values, strict=True))
            summands: list[Term] = [none]
            for place, member in enumerate(members):
                summand = self.terms.at(aggregate.body, {**by, aggregate.bound: member})
                if aggregate.kind == "count":
                    summand = z3.If(summand, one, none)
                again = [self.terms.at(equal(member, other), {}) for other in members[:place]]
                summands.append(z3.If(self.terms.join("or", again), none, summand) if again else summand)
            yield self.terms.at(aggregate, by), z3.Sum(summands)

    def _both(self, a: Term, b: Term) -> Term:
        return self.terms.join("and", [a, b])

    def _either(self, a: Term, b: Term) -> Term:
        return self.terms.join("or", [a, b])

    def _witness(self, node: Quant, by: By) -> Name:
        """A name for what makes an ``exists`` true, or a ``forall`` false, under these values of its names."""
        key = node, tuple((name, by[name]) for name in self.terms.free_of(node) if name in by)
        found = self._witnesses.get(key)
        if found is None:
            found = self._witnesses[key] = Name(f"{node.bound.name}#{len(self._witnesses)}", node.bound.type)
        return found

    def _has_quantifier(self, node: Node) -> bool:
        def rule(top: Node, below: tuple[bool, ...]) -> bool:
            if isinstance(top, Quant):
                return top.kind in ("forall", "exists") or below[1]
            return any(below)

        return fold(node, rule, self.terms.quantified)


def within(node: Node, bounds: range) -> Node:
    """That an int lies in its range."""
    return conj(less(const(bounds[0]), node, or_equal=True), less(node, const(bounds[-1]), or_equal=True))
