"""Expressions as the author would write them, for messages, counterexamples and a stable order."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TypeGuard, cast

from meshspec.expr.nodes import Absent, Cell, Const, Name, Node, Op, Quant
from meshspec.sorts import Sort

_HUGE = 13_288  # bits

_TIGHTNESS = {"or": 1, "and": 2, "not": 3, "==": 4, "<": 4, "<=": 4, "+": 5, "-": 5, "*": 6, "//": 6, "%": 6}

_SWAPPED = {"<": ">", "<=": ">="}
_OPPOSITE = {"==": "!=", "<": ">=", "<=": ">"}


def value_text(value: object) -> str:
    """A value as counterexamples print it: members by name, tuples of them, the rest as Python does."""
    if type(value) is tuple:
        inside = [value_text(part) for part in cast("tuple[object, ...]", value)]
        return f"({inside[0]},)" if len(inside) == 1 else f"({', '.join(inside)})"
    if isinstance(value, Sort):
        return Sort.__repr__(value)  # an author's own may say or do anything
    if is_huge(value):
        return hex(value)
    return value.name if isinstance(value, Enum) else repr(value)


def is_huge(value: object) -> TypeGuard[int]:
    """Whether Python would refuse to write an integer in decimal, or nearly: it has some 4,000 digits or more."""
    return type(value) is int and value.bit_length() > _HUGE


def cell_text(name: str, keys: tuple[str, ...]) -> str:
    return f"{name}[{', '.join(keys)}]" if keys else name


@lru_cache(maxsize=1 << 16)
def text(node: Node) -> str:
    """The expression in Python's own notation.

    >>> from meshspec.expr.nodes import BOOL
    >>> text(Op("not", (Name("up", BOOL),), BOOL))
    'not up'
    """
    match node:
        case Const(value):
            return value_text(value)
        case Name(name):
            return name
        case Cell(symbol, keys):
            return cell_text(symbol.name, tuple(text(key) for key in keys))
        case Absent(symbol, keys):
            return cell_text(symbol.name, tuple(text(key) for key in keys)) + " is None"
        case Quant(kind, bound, body):
            return f"{kind}({bound.type}, lambda {bound.name}: {text(body)})"
        case Op("ite", (condition, then, otherwise)):
            return f"({text(then)} if {text(condition)} else {text(otherwise)})"
        case Op("not", (Op("<" | "<=" as op, (Const() as left, right)),)) if not isinstance(right, Const):
            return f"{_inner(right, 5)} {'<=' if op == '<' else '<'} {text(left)}"
        case Op("not", (Op(op, args),)) if op in _OPPOSITE:
            return f" {_OPPOSITE[op]} ".join(_inner(arg, 5) for arg in args)
        case Op("not", (arg,)):
            return f"not {_inner(arg, 3)}"
        case Op("<" | "<=" as op, (Const() as left, right)) if not isinstance(right, Const):
            return f"{_inner(right, 5)} {_SWAPPED[op]} {text(left)}"
        case Op(op, args):
            level = _TIGHTNESS[op]
            return f" {op} ".join(_inner(arg, level + (level >= 4)) for arg in args)


def _inner(node: Node, level: int) -> str:
    tightness = _TIGHTNESS.get(node.op, 9) if isinstance(node, Op) else 9
    return f"({text(node)})" if tightness < level else text(node)
