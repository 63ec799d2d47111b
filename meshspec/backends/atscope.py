"""Terms at a scope: one constant of the solver for every ground cell."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from meshspec.backends.terms import Term, Terms, Value
from meshspec.expr.nodes import BoolType, EnumType, IntType, Node, Quant, SortType, Symbol, Type
from meshspec.expr.text import cell_text, value_text
from meshspec.sorts import Sort


class AtScope(Terms):
    """A scope: one constant of the solver for every ground cell and every name.

    Members of sorts and enums are their positions. ``facts`` say of every constant made so far that it is one of
    its type's values; assert them together with the terms. Quantifiers and aggregates are written out.
    """

    def __init__(self, sizes: Mapping[type[Sort], int]) -> None:
        super().__init__()
        self.sizes = dict(sizes)
        self._cells: dict[tuple[Symbol, tuple[int, ...], bool], Term] = {}

    def literal(self, value: bool | int | Enum) -> Term:
        if isinstance(value, Enum):
            return self.z3.IntVal(list(type(value)).index(value), self.context)
        if isinstance(value, bool):
            return self.z3.BoolVal(value, self.context)
        return self.z3.IntVal(value, self.context)

    def constant(self, name: str, type: Type) -> Term:
        made = self.z3.Bool(name, self.context) if type == BoolType() else self.z3.Int(name, self.context)
        if isinstance(type, (EnumType, SortType)):
            self.facts.append(self.z3.And(made >= 0, made < self._size(type)))
        return made

    def _size(self, type: Type) -> int:
        match type:
            case EnumType(cls):
                return len(cls)
            case SortType(cls):
                return self.sizes[cls]
            case BoolType():
                return 2
            case IntType():
                raise AssertionError("an int is no key")

    def ground(self, symbol: Symbol, at: tuple[int, ...], absent: bool = False) -> Term:
        """The constant that stands for one cell (or for its being ``None``); keys are given by position."""
        found = self._cells.get((symbol, at, absent))
        if found is None:
            keys = tuple(value_text(self.decode(place, key)) for place, key in zip(at, symbol.keys, strict=True))
            name = f"self.{cell_text(symbol.name, keys)}{' is None' if absent else ''}"
            found = self._cells[symbol, at, absent] = self.constant(name, BoolType() if absent else symbol.type)
        return found

    def cell(self, symbol: Symbol, keys: tuple[Term, ...]) -> Term:
        return self._chosen(symbol, keys, absent=False)

    def absent(self, symbol: Symbol, keys: tuple[Term, ...]) -> Term:
        return self._chosen(symbol, keys, absent=True)

    def _chosen(self, symbol: Symbol, keys: tuple[Term, ...], absent: bool) -> Term:
        """The cell at these keys: the constant itself, or a choice among the constants."""
        possible = [self._places(term, type) for term, type in zip(keys, symbol.keys, strict=True)]
        places = list(itertools.product(*possible))
        result = self.ground(symbol, places[-1], absent)
        for place in places[-2::-1]:
            here = self.join(
                "and", [self._is(t, p) for t, p, all_ in zip(keys, place, possible, strict=True) if len(all_) > 1]
            )
            result = self.z3.If(here, self.ground(symbol, place, absent), result)
        return result

    def _places(self, term: Term, type: Type) -> Sequence[int]:
        if self.z3.is_int_value(term):
            return (term.as_long(),)
        if self.z3.is_true(term) or self.z3.is_false(term):
            return (int(self.z3.is_true(term)),)
        return range(self._size(type))

    def _is(self, term: Term, place: int) -> Term:
        if self.z3.is_bool(term):
            return term if place else self.z3.Not(term)
        return term == place

    def quantifier(self, node: Quant, bound: Term, body: Term) -> Term:
        z3, ints = self.z3, self.z3.IntVal
        written = [
            z3.simplify(z3.substitute(body, (bound, ints(place, self.context))))
            for place in range(self._size(node.bound.type))
        ]
        match node.kind:
            case "forall":
                return self.join("and", written)
            case "exists":
                return self.join("or", written)
            case "count":
                one, none = ints(1, self.context), ints(0, self.context)
                return z3.Sum([z3.If(part, one, none) for part in written])
            case "total":
                return z3.Sum(written)

    def decode(self, place: int, type: Type) -> Value:
        """The value that an integer of the solver stands for."""
        match type:
            case BoolType():
                return bool(place)
            case EnumType(cls):
                return list(cls)[place]
            case SortType(cls):
                return cls(place)
            case IntType():
                return place

    def value(self, model: Any, node: Node) -> Value:
        return self._read(model, self.term(node), node.type)

    def value_of_cell(self, model: Any, symbol: Symbol, at: tuple[int, ...]) -> Value | None:
        """What one cell holds in a model the solver found; ``None`` where it is absent."""
        if symbol.optional and self._read(model, self.ground(symbol, at, absent=True), BoolType()):
            return None
        return self._read(model, self.ground(symbol, at), symbol.type)

    def _read(self, model: Any, term: Term, type: Type) -> Value:
        found = model.eval(term, model_completion=True)
        place = int(self.z3.is_true(found)) if isinstance(type, BoolType) else int(found.as_long())
        if isinstance(type, (EnumType, SortType)) and not 0 <= place < self._size(type):
            place = 0  # a constant that no assertion mentions: any value will do
        return self.decode(place, type)
