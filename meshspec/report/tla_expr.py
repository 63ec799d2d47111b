"""Expressions as TLA+, and names that TLA+ can have.

A sort is a constant set of model values, an enum a set of strings, ``None`` a model value. ``//`` and ``%`` floor as
Python's do; TLA+ defines ``\\div`` and ``%`` for a positive divisor only, so another divisor goes through an operator
of ours. A count is a cardinality, a total a recursive sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

import attrs

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
    Quant,
    SortType,
    Type,
)
from meshspec.sorts import Sort

_KEYWORDS = """
    ASSUME ASSUMPTION AXIOM CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS IF IN INSTANCE LAMBDA
    LET LOCAL MODULE OTHER RECURSIVE SF_ STATE SUBSET THEN THEOREM UNCHANGED UNION VARIABLE VARIABLES WF_ WITH ACTION
    BY COROLLARY DEF DEFINE DEFS HAVE HIDE LEMMA NEW OBVIOUS OMITTED ONLY PICK PROOF PROPOSITION PROVE QED SUFFICES
    TAKE TEMPORAL USE WITNESS TRUE FALSE BOOLEAN STRING
    Nat Int Real Cardinality IsFiniteSet Print PrintT Assert JavaTime TLCGet TLCSet Permutations SortSeq RandomElement
    Any ToString TLCEval TLCModelValue
"""
_OPERATORS = {"and": "/\\", "or": "\\/", "==": "=", "<": "<", "<=": "<=", "+": "+", "-": "-", "*": "*"}

NONE, FLOOR_DIV, FLOOR_MOD, SUM_OVER = "NONE", "FloorDiv", "FloorMod", "SumOver"

HELPERS = {
    FLOOR_DIV: [f"{FLOOR_DIV}(a, b) == IF b > 0 THEN a \\div b ELSE (-a) \\div (-b)"],
    FLOOR_MOD: [f"{FLOOR_MOD}(a, b) == IF b > 0 THEN a % b ELSE -((-a) % (-b))"],
    SUM_OVER: [
        f"RECURSIVE {SUM_OVER}(_, _)",
        f"{SUM_OVER}(f, S) ==",
        "  IF S = {} THEN 0",
        f"  ELSE LET x == CHOOSE y \\in S : TRUE IN f[x] + {SUM_OVER}(f, S \\ {{x}})",
    ],
}


def identifier(name: str) -> str:
    """A name with what TLA+ does not allow in one written out.

    >>> identifier("breaker.open"), identifier("len(ws)"), identifier("größe")
    ('breaker_open', 'len_ws', 'gru00f6u00dfe')
    """
    plain = "".join(
        c if c.isascii() and (c.isalnum() or c == "_") else f"u{ord(c):04x}" if c.isalnum() else " " for c in name
    )
    joined = "_".join(plain.split())
    return joined if any(c.isalpha() for c in joined) else f"n{joined}"


class Names:
    """Which names are taken; nothing in a module may be called like anything else, bound variables included."""

    def __init__(self) -> None:
        helpers = {NONE, FLOOR_DIV, FLOOR_MOD, SUM_OVER, "a", "b", "f", "S", "x", "y"}
        self.taken = {*_KEYWORDS.split(), *helpers}
        self.given: dict[object, str] = {}

    def give(self, key: object, wanted: str) -> str:
        """The name of a thing for the whole module."""
        if key not in self.given:
            self.given[key] = self.fresh(wanted, ())
            self.taken.add(self.given[key])
        return self.given[key]

    def fresh(self, wanted: str, besides: Iterable[str]) -> str:
        base = found = identifier(wanted)
        number = 1
        while found in self.taken or found in besides or found.startswith(("WF_", "SF_")):
            number += 1
            found = f"{base}_{number}"
        return found


Bound = Mapping[str, str]
"""What parameters and bound variables are called, by their names in the model."""


@attrs.define
class Writer:
    """Writes expressions; ``used`` collects which helpers they need."""

    names: Names
    used: set[str] = attrs.field(factory=set[str])

    def value(self, value: object) -> str:
        if value is None:
            self.used.add(NONE)
            return NONE
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, Enum):
            return f'"{identifier(value.name)}"'
        if isinstance(value, Sort):
            return self.names.give(value, repr(value))
        return f"({value})" if isinstance(value, int) and value < 0 else str(value)

    def domain(self, type: Type, bounds: range | None = None) -> str:
        """The set of a type's values."""
        match type:
            case BoolType():
                return "BOOLEAN"
            case EnumType(cls) | SortType(cls):
                return self.names.give(cls, cls.__name__)
            case IntType():
                return "Int" if bounds is None else f"({self.value(bounds[0])}..{self.value(bounds[-1])})"

    def function(self, keys: tuple[Type, ...], of: str) -> str:
        """The functions from some keys into a set: ``[Effect -> BOOLEAN]``."""
        domains = [self.domain(key) for key in keys]
        return f"[{domains[0] if len(domains) == 1 else f'({_times(domains)})'} -> {of}]"

    def bind(self, names: Iterable[str], bound: Bound) -> dict[str, str]:
        """The same names with more of them bound."""
        made = dict(bound)
        for name in names:
            made[name] = self.names.fresh(name, made.values())
        return made

    def text(self, node: Node, bound: Bound) -> str:
        """The expression, in parentheses wherever it is more than a name."""
        match node:
            case Const(value):
                return self.value(value)
            case Name(name):
                return bound[name]
            case Cell(symbol, keys):
                return self.entry(symbol.name, keys, bound)
            case Absent(symbol, keys):
                return f"({self.entry(symbol.name, keys, bound)} = {self.value(None)})"
            case Quant():
                return self._quantifier(node, bound)
            case Op("not", (arg,)):
                return f"~{self.text(arg, bound)}"
            case Op("ite", (condition, then, otherwise)):
                parts = self.text(condition, bound), self.text(then, bound), self.text(otherwise, bound)
                return "(IF {} THEN {} ELSE {})".format(*parts)
            case Op("//" | "%" as op, (left, right)):
                return self._division(op, left, right, bound)
            case Op(op, args):
                return f"({f' {_OPERATORS[op]} '.join(self.text(arg, bound) for arg in args)})"

    def entry(self, name: str, keys: tuple[Node, ...], bound: Bound) -> str:
        """An entry of a variable before the step."""
        at = ", ".join(self.text(key, bound) for key in keys)
        return f"{self.names.given[name]}[{at}]" if keys else self.names.given[name]

    def _division(self, op: str, left: Node, right: Node, bound: Bound) -> str:
        a, b = self.text(left, bound), self.text(right, bound)
        if isinstance(right, Const) and isinstance(right.value, int) and right.value > 0:
            return f"({a} {'%' if op == '%' else chr(92) + 'div'} {b})"
        helper = FLOOR_MOD if op == "%" else FLOOR_DIV
        self.used.add(helper)
        return f"{helper}({a}, {b})"

    def _quantifier(self, node: Quant, bound: Bound) -> str:
        inner = self.bind([node.bound.name], bound)
        each = f"{inner[node.bound.name]} \\in {self.domain(node.bound.type)}"
        body = self.text(node.body, inner)
        match node.kind:
            case "forall":
                return f"(\\A {each} : {body})"
            case "exists":
                return f"(\\E {each} : {body})"
            case "count":
                return f"Cardinality({{{each} : {body}}})"
            case "total":
                self.used.add(SUM_OVER)
                return f"{SUM_OVER}([{each} |-> {body}], {self.domain(node.bound.type)})"

    def optional(self, value: Node, absent: Node, bound: Bound) -> str:
        """A value, or NONE where it is absent."""
        if isinstance(absent, Const):
            return self.value(None) if absent.value else self.text(value, bound)
        return f"(IF {self.text(absent, bound)} THEN {self.value(None)} ELSE {self.text(value, bound)})"


def _times(sets: list[str]) -> str:
    return " \\X ".join(sets)
