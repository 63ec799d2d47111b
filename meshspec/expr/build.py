"""Smart constructors: the only way expressions are built, so that equal meanings meet as equal nodes early."""

from __future__ import annotations

from enum import Enum

from meshspec.expr.nodes import BOOL, INT, Const, EnumType, Name, Node, Op, Operator, Quant, Quantifier
from meshspec.expr.text import text

TRUE, FALSE = Const(True, BOOL), Const(False, BOOL)
ZERO, ONE = Const(0, INT), Const(1, INT)


def const(value: bool | int | Enum) -> Const:
    """The literal of a Python value.

    >>> const(True) == const(1)
    False
    """
    if isinstance(value, Enum):
        return Const(value, EnumType(type(value)))
    return Const(value, BOOL if isinstance(value, bool) else INT)


def truth(value: bool) -> Const:
    return TRUE if value else FALSE


def negate(a: Node) -> Node:
    if isinstance(a, Const):
        return truth(not a.value)
    if isinstance(a, Op) and a.op == "not":
        return a.args[0]
    return Op("not", (a,), BOOL)


def _junction(op: Operator, neutral: Const, absorbing: Const, args: tuple[Node, ...]) -> Node:
    flat: dict[Node, None] = {}
    for arg in args:
        if arg == absorbing:
            return absorbing
        parts = arg.args if isinstance(arg, Op) and arg.op == op else (arg,)
        flat.update((part, None) for part in parts if part != neutral)
    if any(negate(part) in flat for part in flat):
        return absorbing
    if len(flat) <= 1:
        return next(iter(flat), neutral)
    return Op(op, tuple(flat), BOOL)


def conj(*args: Node) -> Node:
    """Conjunction, flattened, without repetition; ``True`` when empty."""
    return _junction("and", TRUE, FALSE, args)


def disj(*args: Node) -> Node:
    """Disjunction, flattened, without repetition; ``False`` when empty."""
    return _junction("or", FALSE, TRUE, args)


def ite(condition: Node, then: Node, otherwise: Node) -> Node:
    """``then if condition else otherwise``; on booleans a connective where one will do."""
    if then == otherwise or condition == TRUE:
        return then
    if condition == FALSE:
        return otherwise
    if isinstance(condition, Op) and condition.op == "not":
        return ite(condition.args[0], otherwise, then)
    if then.type == BOOL:
        if then == TRUE:
            return disj(condition, otherwise)
        if then == FALSE:
            return conj(negate(condition), otherwise)
        if otherwise == TRUE:
            return disj(negate(condition), then)
        if otherwise == FALSE:
            return conj(condition, then)
    return Op("ite", (condition, then, otherwise), then.type)


def equal(a: Node, b: Node) -> Node:
    """``a == b`` for two nodes of one type; operands are put in a fixed order, constants last."""
    if a == b:
        return TRUE
    if isinstance(a, Const) and isinstance(b, Const):
        return FALSE
    if isinstance(a, Const) or (not isinstance(b, Const) and text(b) < text(a)):
        a, b = b, a
    if a.type == BOOL:
        return ite(b, a, negate(a)) if isinstance(b, Const) else Op("==", (a, b), BOOL)
    return Op("==", (a, b), BOOL)


def less(a: Node, b: Node, *, or_equal: bool = False) -> Node:
    if isinstance(a, Const) and isinstance(b, Const):
        x, y = int_of(a), int_of(b)
        return truth(x <= y if or_equal else x < y)
    if a == b:
        return truth(or_equal)
    return Op("<=" if or_equal else "<", (a, b), BOOL)


def int_of(a: Const) -> int:
    """The value of an integer literal; anything else is a fault of the caller."""
    if isinstance(a.value, bool) or not isinstance(a.value, int):
        raise AssertionError(f"{a!r} is not an integer literal")
    return a.value


def arith(op: Operator, a: Node, b: Node) -> Node:
    """``+ - * // %`` on integers; division by a literal zero is left to the caller to refuse."""
    if isinstance(a, Const) and isinstance(b, Const) and not (op in ("//", "%") and b == ZERO):
        return Const(fold_ints(op, int_of(a), int_of(b)), INT)
    if op in ("+", "-") and b == ZERO:
        return a
    if op == "+" and a == ZERO:
        return b
    if op == "*" and ONE in (a, b):
        return b if a == ONE else a
    if op in ("+", "-") and isinstance(b, Const) and isinstance(a, Op) and a.op == "+":
        left, right = a.args
        if isinstance(right, Const):  # (x + 1) + 1 is x + 2: counters stay readable and paths meet
            return arith("+", left, Const(int_of(right) + (int_of(b) if op == "+" else -int_of(b)), INT))
    if op == "-" and isinstance(b, Const):
        return arith("+", a, Const(-int_of(b), INT))
    return Op(op, (a, b), INT)


def fold_ints(op: Operator, x: int, y: int) -> int:
    match op:
        case "+":
            return x + y
        case "-":
            return x - y
        case "*":
            return x * y
        case "//":
            return x // y
        case "%":
            return x % y
        case _:
            raise AssertionError(f"{op} is not integer arithmetic")


def operate(op: Operator, args: tuple[Node, ...]) -> Node:
    """Rebuild an operator node from new arguments, simplifying again."""
    match op:
        case "not":
            return negate(args[0])
        case "and":
            return conj(*args)
        case "or":
            return disj(*args)
        case "ite":
            return ite(*args)
        case "==":
            return equal(*args)
        case "<" | "<=":
            return less(*args, or_equal=op == "<=")
        case _:
            return arith(op, *args)


def quantify(kind: Quantifier, bound: Name, body: Node) -> Node:
    """A quantifier; ``forall`` and ``exists`` of a constant are that constant, since sorts are not empty."""
    if kind in ("forall", "exists") and isinstance(body, Const):
        return body
    return Quant(kind, bound, body)


def same_keys(left: tuple[Node, ...], right: tuple[Node, ...]) -> Node:
    return conj(*(equal(a, b) for a, b in zip(left, right, strict=True)))
