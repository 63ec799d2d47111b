"""Terms for sorts of any size: what is unsatisfiable here is so for every number of members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import attrs

from meshspec.backends.terms import Term, Terms, Value
from meshspec.expr.build import operate, quantify
from meshspec.expr.nodes import (
    Absent,
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
)
from meshspec.expr.text import text
from meshspec.expr.walk import children, free_names, parts, substitute
from meshspec.sorts import Sort


class AnySize(Terms):
    """Sorts of any size: uninterpreted sorts, variables as functions, aggregates as unknown functions.

    ``count`` and ``total`` of the state become functions of the names that are free in them, of which only what
    follows from any reading is used (a count is not negative): what is proved is proved whatever they are.
    """

    def __init__(self) -> None:
        super().__init__()
        self._sorts: dict[Type, Any] = {}
        self._members: dict[Enum, Term] = {}
        self._functions: dict[tuple[Symbol, bool], Any] = {}
        self._aggregates: dict[Node, Any] = {}
        self.quantified: dict[Node, bool] = {}
        """Which expressions have a ``forall`` or ``exists`` in them: known once for all questions."""
        self.ground_instances: dict[object, Term] = {}
        """Instances of universal formulas without further quantifiers, which are the same in every question."""

    def literal(self, value: bool | int | Enum) -> Term:
        if isinstance(value, Enum):
            self._sort(EnumType(type(value)))
            return self._members[value]
        if isinstance(value, bool):
            return self.z3.BoolVal(value, self.context)
        return self.z3.IntVal(value, self.context)

    def constant(self, name: str, type: Type) -> Term:
        return self.z3.Const(name, self._sort(type))

    def _sort(self, type: Type) -> Any:
        found = self._sorts.get(type)
        if found is None:
            found = self._sorts[type] = self._new_sort(type)
        return found

    def _new_sort(self, type: Type) -> Any:
        match type:
            case BoolType():
                return self.z3.BoolSort(self.context)
            case IntType():
                return self.z3.IntSort(self.context)
            case SortType(cls):  # numbered, since two classes may bear one name
                return self.z3.DeclareSort(f"{cls.__name__}#{len(self._sorts)}", self.context)
            case EnumType(cls):
                number = len(self._sorts)
                names = [f"{member.name}#{number}" for member in cls]
                sort, terms = self.z3.EnumSort(f"{cls.__name__}#{number}", names, self.context)
                self._members.update(zip(cls, terms, strict=True))
                return sort

    def _function(self, symbol: Symbol, absent: bool) -> Any:
        found = self._functions.get((symbol, absent))
        if found is None:
            # a dot keeps variables apart from parameters, whose names have none
            name = f"self.{symbol.name} is None" if absent else f"self.{symbol.name}"
            result = self.z3.BoolSort(self.context) if absent else self._sort(symbol.type)
            if symbol.keys:
                found = self.z3.Function(name, *map(self._sort, symbol.keys), result)
            else:
                found = self.z3.Const(name, result)
            self._functions[symbol, absent] = found
        return found

    def cell(self, symbol: Symbol, keys: tuple[Term, ...]) -> Term:
        function = self._function(symbol, absent=False)
        return function(*keys) if keys else function

    def absent(self, symbol: Symbol, keys: tuple[Term, ...]) -> Term:
        function = self._function(symbol, absent=True)
        return function(*keys) if keys else function

    def quantifier(self, node: Quant, bound: Term, body: Term) -> Term:
        if node.kind == "forall":
            return self.z3.ForAll([bound], body)
        if node.kind == "exists":
            return self.z3.Exists([bound], body)
        z3 = self.z3
        common, free = _common(node)
        if common not in self._aggregates:
            name, ints = f"{text(common)} #{len(self._aggregates)}", z3.IntSort(self.context)
            sorts = [self._sort(part.type) for part in free]
            self._aggregates[common] = z3.Function(name, *sorts, ints) if free else z3.Const(name, ints)
        made = self._aggregates[common]
        unknown = made(*map(self.term, free)) if free else made
        return z3.If(unknown >= 0, unknown, self.literal(0)) if node.kind == "count" else unknown

    @property
    def aggregates(self) -> list[Quant]:
        """Every ``count`` and ``total`` met so far, under common names."""
        return [node for node in self._aggregates if isinstance(node, Quant)]

    def closed(self, names: Sequence[Name], body: Node) -> Term:
        """`body` for all values of these names."""
        term = self.term(body)
        return self.z3.ForAll([self.term(name) for name in names], term) if names else term

    def structure(self, model: Any, named: Mapping[type[Sort], Iterable[Node]], whole: bool = False) -> Structure:
        """A concrete scope out of a model the solver found: the members of `named`, or all there are if `whole`."""
        members: dict[type[Sort], list[Term]] = {}
        for sort, nodes in named.items():
            found = [model.eval(self.term(node), model_completion=True) for node in nodes]
            known = self._sorts.get(SortType(sort))
            if whole and known is not None:
                found += model.get_universe(known) or ()
            distinct = {str(term): term for term in found}
            members[sort] = list(distinct.values())
        return Structure(self, model, members)

    def literals(self, type: EnumType) -> Mapping[Enum, Term]:
        self._sort(type)
        return {member: self._members[member] for member in type.cls}


@attrs.frozen
class Structure:
    """A model of :class:`AnySize` cut down to finitely many members of each sort, read as Python values."""

    terms: AnySize
    model: Any
    members: Mapping[type[Sort], Sequence[Term]]

    @property
    def sizes(self) -> dict[type[Sort], int]:
        return {sort: len(found) for sort, found in self.members.items()}

    def value(self, node: Node) -> Value:
        """What a ground expression is here; raises :class:`Leaves` when it is none of the members."""
        return self._read(self.terms.term(node), node.type)

    def cell(self, symbol: Symbol, keys: tuple[Value, ...]) -> Value | None:
        """What a variable holds at these keys."""
        at = tuple(self._key(key) for key in keys)
        if symbol.optional and self._read(self.terms.absent(symbol, at), BoolType()):
            return None
        return self._read(self.terms.cell(symbol, at), symbol.type)

    def _key(self, key: Value) -> Term:
        if isinstance(key, Sort):
            known = self.members[type(key)]
            return (
                known[key.index] if known else self.terms.constant(f"some {type(key).__name__}", SortType(type(key)))
            )
        return self.terms.literal(key)

    def _read(self, term: Term, type: Type) -> Value:
        found = self.model.eval(term, model_completion=True)
        match type:
            case BoolType():
                return bool(self.terms.z3.is_true(found))
            case IntType():
                return int(found.as_long())
            case EnumType():
                return next(member for member, literal in self.terms.literals(type).items() if literal.eq(found))
            case SortType(cls):
                place = next((i for i, member in enumerate(self.members[cls]) if member.eq(found)), None)
                if place is None:
                    raise Leaves(f"{term} is none of the named members")
                return cls(place)


class Leaves(Exception):
    """A value is none of the members of a :class:`Structure`."""


def _common(node: Quant) -> tuple[Node, tuple[Name, ...]]:
    """The same expression under names that do not depend on where it stands, and its free names in their order."""
    free = tuple(dict.fromkeys(part for part in parts(node) if isinstance(part, Name) and part in free_names(node)))
    by: dict[Name, Node] = {name: Name(f"free {place}", name.type) for place, name in enumerate(free)}
    return _renamed(substitute(node, by), 0), free


def _renamed(node: Node, depth: int) -> Node:
    """The same expression with its bound names numbered from the outside in."""
    if isinstance(node, Quant):
        bound = Name(f"bound {depth}", node.bound.type)
        return quantify(node.kind, bound, _renamed(substitute(node.body, {node.bound: bound}), depth + 1))
    below = tuple(_renamed(child, depth) for child in children(node))
    match node:
        case Cell(symbol):
            return Cell(symbol, below)
        case Absent(symbol):
            return Absent(symbol, below)
        case Op(op):
            return operate(op, below)
        case _:
            return node
