"""Expressions as terms of z3: what is the same whether a sort has a size or not.

This is the only file that imports z3, and it does so when first used. z3 has no types: what comes out of it is
`Any` (:data:`Term`), and only the files that build terms (this one, :mod:`meshspec.backends.anysize`,
:mod:`meshspec.backends.atscope`, :mod:`meshspec.backends.solver`) do more with a `Term` than hand it back.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Literal

from meshspec.expr.nodes import Absent, Cell, Const, Name, Node, Op, Operator, Quant, Symbol, Type
from meshspec.expr.walk import fold, free_names
from meshspec.sorts import Sort

Term = Any  # an expression of z3, which has no types
Value = bool | int | Enum | Sort


class Terms(ABC):
    """Translates expressions; equal expressions become one term, built once.

    Each translator has a z3 context of its own, so that what the solver finds does not depend on what was asked
    before elsewhere. Free names become constants of the solver; :meth:`at` puts other expressions in their place.
    ``facts`` are truths about the terms made so far, to be given to the solver with them.
    """

    def __init__(self) -> None:
        self.z3: Any = importlib.import_module("z3")
        self.context: Any = self.z3.Context()
        self.facts: list[Term] = []
        self._made: dict[Node, Term] = {}
        self._free: dict[Node, tuple[Name, ...]] = {}
        self._at: dict[tuple[Node, tuple[tuple[Name, Node], ...]], Term] = {}

    def term(self, node: Node) -> Term:
        return fold(node, self._rule, self._made)

    def at(self, node: Node, by: Mapping[Name, Node]) -> Term:
        """The term of `node` with other expressions in place of its free names."""
        key = node, tuple((name, by[name]) for name in self.free_of(node) if name in by)
        found = self._at.get(key)
        if found is None:
            pairs = [(self.term(name), self.term(value)) for name, value in key[1]]
            found = self.z3.substitute(self.term(node), *pairs) if pairs else self.term(node)
            self._at[key] = found
        return found

    def free_of(self, node: Node) -> tuple[Name, ...]:
        found = self._free.get(node)
        if found is None:
            found = self._free[node] = tuple(sorted(free_names(node), key=lambda name: name.name))
        return found

    def _rule(self, node: Node, below: tuple[Term, ...]) -> Term:
        match node:
            case Const(value):
                return self.literal(value)
            case Name(name, type):
                return self.constant(name, type)
            case Cell(symbol):
                return self.cell(symbol, below)
            case Absent(symbol):
                return self.absent(symbol, below)
            case Op(op):
                return self._operator(op, below)
            case Quant():
                return self.quantifier(node, below[0], below[1])

    def _operator(self, op: Operator, args: tuple[Term, ...]) -> Term:
        z3 = self.z3
        match op, args:
            case "not", (a,):
                return z3.Not(a)
            case "and", _:
                return z3.And(*args)
            case "or", _:
                return z3.Or(*args)
            case "ite", (condition, then, otherwise):
                return z3.If(condition, then, otherwise)
            case "==", (a, b):
                return a == b
            case "<", (a, b):
                return a < b
            case "<=", (a, b):
                return a <= b
            case "+", (a, b):
                return a + b
            case "-", (a, b):
                return a - b
            case "*", (a, b):
                return a * b
            case "//", (a, b):  # Python floors; z3 rounds so that the remainder is not negative
                return a / b if self._positive(b) else z3.If(b > 0, a / b, (-a) / (-b))
            case "%", (a, b):  # Python's remainder has the sign of the divisor
                return a % b if self._positive(b) else z3.If(b > 0, a % b, -((-a) % (-b)))
            case _:
                raise AssertionError(f"{op} on {len(args)} arguments")

    def _positive(self, term: Term) -> bool:
        return bool(self.z3.is_int_value(term)) and term.as_long() > 0

    def join(self, how: Literal["and", "or"], terms: Sequence[Term]) -> Term:
        """The conjunction or disjunction of any number of terms."""
        if not terms:
            return self.literal(how == "and")
        if len(terms) == 1:
            return terms[0]
        return self.z3.And(*terms) if how == "and" else self.z3.Or(*terms)

    def no(self, term: Term) -> Term:
        return self.z3.Not(term)

    @abstractmethod
    def literal(self, value: bool | int | Enum) -> Term: ...

    @abstractmethod
    def constant(self, name: str, type: Type) -> Term: ...

    @abstractmethod
    def cell(self, symbol: Symbol, keys: tuple[Term, ...]) -> Term: ...

    @abstractmethod
    def absent(self, symbol: Symbol, keys: tuple[Term, ...]) -> Term: ...

    @abstractmethod
    def quantifier(self, node: Quant, bound: Term, body: Term) -> Term: ...
