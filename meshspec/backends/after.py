"""The state after a step, in terms of the state before: what must be true now for a claim to be true then.

A claim about the state after is rewritten into one about the state before, so that a backend knows one state only.
Aggregates follow point writes exactly (:func:`_change`); where they cannot, :class:`Outside` says which and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

from meshspec.errors import MeshspecError
from meshspec.expr.build import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    arith,
    const,
    disj,
    equal,
    ite,
    negate,
    operate,
    quantify,
    same_keys,
)
from meshspec.expr.nodes import Absent, Cell, Const, Name, Node, Op, Quant, SortType, Symbol
from meshspec.expr.text import text
from meshspec.expr.walk import fold, parts, substitute, symbols
from meshspec.lang.declare import Variable
from meshspec.lang.outcomes import Update, Write, WriteAll


class Outside(MeshspecError):
    """An expression that cannot be followed through a step for every size; the message names it."""


Read = Callable[[Symbol, tuple[Node, ...], bool], Node]
Writes = tuple[Write | WriteAll, ...]


def apart(node: Node) -> Node:
    """The same expression with every name primed, so that it shares none with an action."""

    def rule(top: Node, below: tuple[Node, ...]) -> Node:
        match top:
            case Const():
                return top
            case Name(name, type):
                return Name(f"{name}'", type)
            case Quant(kind, _, _):
                bound, body = below
                assert isinstance(bound, Name)
                return quantify(kind, bound, body)
            case _:
                return _rebuilt(top, below)

    return fold(node, rule)


def tidied(node: Node) -> Node:
    """The same expression without cases on two members being equal that make no difference to it.

    Lifting decides whether members are equal when it sees them: ``open[a] if a == x else open[x]`` is ``open[x]``.
    """

    def rule(top: Node, below: tuple[Node, ...]) -> Node:
        match top:
            case Const() | Name():
                return top
            case Quant(kind, bound, _):
                return quantify(kind, bound, below[1])
            case Op("ite"):
                return _one_case(*below)
            case _:
                return _rebuilt(top, below)

    return fold(node, rule)


def _one_case(condition: Node, then: Node, otherwise: Node) -> Node:
    if isinstance(condition, Op) and condition.op == "==" and isinstance(condition.args[0].type, SortType):
        a, b = condition.args
        for name, value in ((a, b), (b, a)):
            if isinstance(name, Name) and substitute(then, {name: value}) == substitute(otherwise, {name: value}):
                return otherwise
    return ite(condition, then, otherwise)


def _rebuilt(top: Node, below: tuple[Node, ...]) -> Node:
    match top:
        case Cell(symbol):
            return Cell(symbol, below)
        case Absent(symbol):
            return Absent(symbol, below)
        case Op(op):
            return operate(op, below)
        case _:
            raise AssertionError(f"not an inner node: {text(top)}")


def after(node: Node, updates: Iterable[Update]) -> Node:
    """`node`, which speaks of the state after these updates, as an expression over the state before.

    The names of `node` must be :func:`apart` from those of the updates. Raises :class:`Outside` for an aggregate
    that the updates change in a way that has no finite expression.
    """
    written = {update.symbol: update.writes for update in updates}

    def read(symbol: Symbol, keys: tuple[Node, ...], absent: bool) -> Node:
        result: Node = Absent(symbol, keys) if absent else Cell(symbol, keys)
        for write in written.get(symbol, ()):
            value = write.absent if absent else write.value
            if isinstance(write, WriteAll):
                result = substitute(value, {write.bound: keys[0]})
            else:
                result = ite(same_keys(keys, write.keys), value, result)
        return result

    return _elsewhere(node, read, written)


def initially(node: Node, variables: Iterable[Variable]) -> Node:
    """`node` in an initial state; what has several initial values is left as it is."""
    known = {v.symbol: v.initial[0] for v in variables if len(v.initial) == 1 and not v.constant}

    def read(symbol: Symbol, keys: tuple[Node, ...], absent: bool) -> Node:
        value = known.get(symbol)
        if absent and symbol in known:
            return TRUE if value is None else FALSE
        if isinstance(value, (bool, int, Enum)):
            return const(value)
        return Absent(symbol, keys) if absent else Cell(symbol, keys)

    return _elsewhere(node, read, {})


def initial_fact(variable: Variable) -> tuple[tuple[Name, ...], Node] | None:
    """For a variable with several initial values: that it has one of them, whatever its keys (the names given)."""
    symbol = variable.symbol
    if variable.constant or len(variable.initial) == 1:
        return None
    names = tuple(Name(f"key{place}", type) for place, type in enumerate(symbol.keys))
    cell, gone = Cell(symbol, names), Absent(symbol, names)
    cases: list[Node] = []
    for value in variable.initial:
        if value is None:
            cases.append(gone)
        elif isinstance(value, (bool, int, Enum)):
            cases.append(
                operate("and", (negate(gone), equal(cell, const(value))))
                if symbol.optional
                else equal(cell, const(value))
            )
        else:  # a sort: any of its members
            cases.append(negate(gone) if symbol.optional else TRUE)
    return names, disj(*cases)


def _elsewhere(node: Node, read: Read, written: dict[Symbol, Writes]) -> Node:
    def rule(top: Node, below: tuple[Node, ...]) -> Node:
        match top:
            case Const() | Name():
                return top
            case Cell(symbol):
                return read(symbol, below, False)
            case Absent(symbol):
                return read(symbol, below, True)
            case Op(op):
                return operate(op, below)
            case Quant(kind, bound, body):
                if kind in ("forall", "exists"):
                    return quantify(kind, bound, below[1])
                if below[1] in (FALSE, ZERO):
                    return ZERO
                return _change(top, below[1], {s: w for s, w in written.items() if s in symbols(body)})

    return fold(node, rule)


def _change(node: Quant, body: Node, written: dict[Symbol, Writes]) -> Node:
    """``count`` or ``total`` after point writes: before, plus what changed at the written keys, equal keys once."""
    if not written:
        return quantify(node.kind, node.bound, body)
    places: dict[Node, None] = {}
    for part in parts(node.body):
        if isinstance(part, (Cell, Absent)) and part.symbol in written:
            at = next((i for i, key in enumerate(part.keys) if key == node.bound), None)
            for write in written[part.symbol]:
                if isinstance(write, WriteAll) or at is None:
                    raise Outside(
                        f"{node.kind} over {node.bound.type} is outside what prove can follow for every size: "
                        f"the action changes {part.symbol.name} "
                        + ("everywhere" if isinstance(write, WriteAll) else "on which every summand may depend")
                    )
                places[write.keys[at]] = None
    result: Node = node
    before: list[Node] = []
    for place in places:
        here = {node.bound: place}
        change = arith("-", _summand(node, substitute(body, here)), _summand(node, substitute(node.body, here)))
        again = disj(*(equal(place, other) for other in before))
        result = arith("+", result, ite(again, ZERO, change))
        before.append(place)
    return result


def _summand(node: Quant, value: Node) -> Node:
    return ite(value, ONE, ZERO) if node.kind == "count" else value
