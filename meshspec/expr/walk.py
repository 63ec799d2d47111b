"""The one traversal over expressions, and what is told by it: parts, free names, substitution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

import attrs

from meshspec.expr.build import operate, quantify
from meshspec.expr.nodes import Absent, Cell, Const, Name, Node, Op, Quant, Symbol

_R = TypeVar("_R")


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Const() | Name():
            return ()
        case Cell(_, keys) | Absent(_, keys):
            return keys
        case Op(_, args):
            return args
        case Quant(_, bound, body):
            return (bound, body)


def fold(node: Node, rule: Callable[[Node, tuple[_R, ...]], _R], memo: dict[Node, _R] | None = None) -> _R:
    """Apply `rule` to every distinct node, children first, each once; iterative, so depth is no limit.

    `rule` gets the node and the results for its :func:`children`. Pass the same `memo` to share work
    between calls, as long as the rule means the same.
    """
    results: dict[Node, _R] = {} if memo is None else memo
    stack = [node]
    while stack:
        top = stack[-1]
        if top in results:
            stack.pop()
            continue
        below = children(top)
        missing = [child for child in below if child not in results]
        if missing:
            stack.extend(reversed(missing))
            continue
        results[top] = rule(top, tuple(results[child] for child in below))
        stack.pop()
    return results[node]


def parts(node: Node) -> Iterator[Node]:
    """Every distinct node of the expression, children first."""
    seen: dict[Node, bool] = {}
    fold(node, lambda _n, _c: True, seen)
    return iter(seen)


def symbols(node: Node) -> frozenset[Symbol]:
    """The state variables that the expression reads."""
    return frozenset(part.symbol for part in parts(node) if isinstance(part, (Cell, Absent)))


def free_names(node: Node) -> frozenset[Name]:
    """The names that no quantifier of the expression binds."""

    def rule(top: Node, below: tuple[frozenset[Name], ...]) -> frozenset[Name]:
        if isinstance(top, Name):
            return frozenset((top,))
        found = frozenset[Name]().union(*below)
        return found - {top.bound} if isinstance(top, Quant) else found

    return fold(node, rule)


def substitute(node: Node, by: Mapping[Name, Node]) -> Node:
    """Replace free names, simplifying; a bound variable that would capture is renamed."""
    if not by:
        return node
    if isinstance(node, Quant):
        return _under(node, by)
    if isinstance(node, Name):
        return by.get(node, node)
    if isinstance(node, Const):
        return node
    below = tuple(substitute(child, by) for child in children(node))
    match node:
        case Cell(symbol):
            return Cell(symbol, below)
        case Absent(symbol):
            return Absent(symbol, below)
        case Op(op):
            return operate(op, below)


def _under(node: Quant, by: Mapping[Name, Node]) -> Node:
    bound, body = node.bound, node.body
    inner = {name: value for name, value in by.items() if name != bound}
    captured = {name.name for value in inner.values() for name in free_names(value)}
    if bound.name in captured:
        taken = captured | {name.name for name in free_names(body)}
        fresh = bound.name
        while fresh in taken:
            fresh += "'"
        body = substitute(body, {bound: attrs.evolve(bound, name=fresh)})
        bound = attrs.evolve(bound, name=fresh)
    return quantify(node.kind, bound, substitute(body, inner))
