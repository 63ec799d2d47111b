"""What in a claim or an action is beyond what `prove` decides for every size, by name, and the usual way out.

None of it is refused: it may be proved all the same. It is said where a proof was not found, for then it is the
likely reason.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from meshspec.expr.nodes import Cell, Const, Node, Op, Quant, SortType
from meshspec.expr.walk import children, free_names, parts

GHOST = (
    "a ghost total: a variable that every action changes as it changes the sum; claims about it are proved step by "
    "step, and an @always that it equals the sum is checked in a scope, exhaustively and not for every size"
)


@attrs.frozen
class Beyond:
    """One thing that is beyond the fragment, and what to write instead."""

    what: str
    way_out: str


def beyond(node: Node, universal: bool) -> list[Beyond]:
    """Everything in a formula that is beyond; `universal`, when it is said of every member of some sort."""
    found = [*_aggregates(node), *_nested(node, universal), *_products(node), *_cycles(node)]
    return list(dict.fromkeys(found))


def _aggregates(node: Node) -> Iterator[Beyond]:
    for part in parts(node):
        if isinstance(part, Quant) and part.kind in ("count", "total"):
            yield Beyond(f"a {part.kind} over {part.bound.type}, of which only what changes is followed", GHOST)
        if isinstance(part, Quant) and part.kind in ("forall", "exists"):
            inner = [one for one in parts(part.body) if isinstance(one, Quant) and one.kind in ("count", "total")]
            if any(part.bound in free_names(one) for one in inner):
                what = f"a {inner[0].kind} inside a {part.kind} over {part.bound.type}"
                yield Beyond(what, f"a Map[{part.bound.type}, int] that the actions keep, one ghost total for each")


def _nested(node: Node, universal: bool) -> Iterator[Beyond]:
    """An existential under something universal: each member has a witness of its own, too many to be named."""
    for kinds, part in _quantifiers(node, ("forall",) if universal else ()):
        outside = [kind for kind in kinds if kind != part.kind]
        if part.kind in ("forall", "exists") and outside:
            what = f"{part.kind} over {part.bound.type} under {'forall' if part.kind == 'exists' else 'exists'}"
            yield Beyond(f"nested quantifiers ({what})", f"a variable that holds which {part.bound.type} it is")


def _quantifiers(node: Node, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Quant]]:
    stack: list[tuple[Node, tuple[str, ...]]] = [(node, above)]
    while stack:
        top, kinds = stack.pop()
        if isinstance(top, Quant):
            yield kinds, top
            stack.append((top.body, (*kinds, top.kind)))
            continue
        stack.extend((child, kinds) for child in reversed(children(top)))


def _products(node: Node) -> Iterator[Beyond]:
    for part in parts(node):
        if isinstance(part, Op) and part.op in ("*", "//", "%"):
            first, second = part.args
            if not isinstance(second, Const) and (part.op != "*" or not isinstance(first, Const)):
                yield Beyond(f"{part.op} of two ints that both vary", "a constant for one of them")


def _cycles(node: Node) -> Iterator[Beyond]:
    for part in parts(node):
        if isinstance(part, Cell) and isinstance(part.type, SortType) and part.type in part.symbol.keys:
            what = f"{part.symbol.name}, which leads from {part.type} to {part.type}"
            yield Beyond(what, f"a set or a Map over {part.type} that says what the chain is followed for")
