"""What a lifted method can do: a decision tree over the state, with an outcome at every leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import attrs

from meshspec.errors import Where
from meshspec.expr.build import FALSE, conj, const, disj, equal, ite, negate
from meshspec.expr.nodes import Name, Node, Symbol

_L = TypeVar("_L")


@attrs.frozen(cache_hash=True)
class Write:
    """One entry of a variable gets a value; ``absent`` says when that value is ``None``."""

    keys: tuple[Node, ...]
    value: Node
    absent: Node = FALSE


@attrs.frozen(cache_hash=True)
class WriteAll:
    """Every entry of a one-key map gets a value that depends on its key, named `bound`."""

    bound: Name
    value: Node
    absent: Node = FALSE


@attrs.frozen(cache_hash=True)
class Update:
    """What happens to one variable: its writes in order, a later one winning; all values are of the state before."""

    symbol: Symbol
    writes: tuple[Write | WriteAll, ...]


@attrs.frozen(cache_hash=True)
class Does:
    """The action is taken; what is not written keeps its value."""

    updates: tuple[Update, ...]


@attrs.frozen(cache_hash=True)
class Blocks:
    """The action is not enabled."""


@attrs.frozen(cache_hash=True)
class Raises:
    """The body raises: VIOLATED if reachable, never "not enabled"."""

    error: str


@attrs.frozen(cache_hash=True)
class Says:
    """A claim's value, for each ``implies`` in it when its antecedent is true, and both sides of a ``leads_to``."""

    value: Node
    antecedents: tuple[tuple[str, Node], ...] = ()
    response: tuple[Node, Node] | None = None


Outcome = Does | Blocks | Raises | Says


@attrs.frozen(cache_hash=True)
class Leaf(Generic[_L]):
    value: _L


@attrs.frozen(cache_hash=True)
class Split(Generic[_L]):
    """A question that a body asked, and what follows for each answer."""

    question: Node
    options: tuple[object, ...]
    below: tuple[Tree[_L], ...]
    where: Where | None = attrs.field(eq=False, default=None)


Tree = Leaf[_L] | Split[_L]


def answer_is(question: Node, option: object) -> Node:
    """The condition under which `question` has this answer."""
    if option is True:
        return question
    if option is False:
        return negate(question)
    return equal(question, const(option))  # type: ignore[arg-type]  # the other options are enum members


def merged(tree: Tree[_L]) -> Tree[_L]:
    """The same tree without questions whose answers make no difference."""
    if isinstance(tree, Leaf):
        return tree
    below = tuple(merged(child) for child in tree.below)
    if all(child == below[0] for child in below[1:]):
        return below[0]
    return attrs.evolve(tree, below=below)


def leaves(tree: Tree[_L]) -> Iterator[tuple[tuple[Node, ...], _L]]:
    """Every raw path: its condition, one conjunct per answer, and its leaf."""
    stack: list[tuple[tuple[Node, ...], Tree[_L]]] = [((), tree)]
    while stack:
        condition, top = stack.pop()
        if isinstance(top, Leaf):
            yield condition, top.value
            continue
        answers = zip(top.options, top.below, strict=True)
        stack.extend(reversed([((*condition, answer_is(top.question, o)), child) for o, child in answers]))


def grouped(tree: Tree[_L]) -> Iterator[tuple[tuple[Node, ...], _L]]:
    """Every path of a merged tree, answers with the same continuation taken together."""
    if isinstance(tree, Leaf):
        yield (), tree.value
        return
    groups: dict[Tree[_L], list[object]] = {}
    for option, child in zip(tree.options, tree.below, strict=True):
        groups.setdefault(child, []).append(option)
    for child, options in groups.items():
        here = disj(*(answer_is(tree.question, option) for option in options))
        if len(options) > 1 and len(options) > len(tree.options) // 2:
            others = [o for o in tree.options if o not in options]
            here = conj(*(negate(answer_is(tree.question, option)) for option in others))
        for condition, leaf in grouped(child):
            yield (() if here == conj() else (here,)) + condition, leaf


def expression(tree: Tree[_L], read: Callable[[_L], Node]) -> Node:
    """The tree as one expression, with `read` giving each leaf's."""
    if isinstance(tree, Leaf):
        return read(tree.value)
    below = [expression(child, read) for child in tree.below]
    result = below[-1]
    for option, node in list(zip(tree.options, below, strict=True))[-2::-1]:
        result = ite(answer_is(tree.question, option), node, result)
    return result


Asked = tuple[Node, tuple[object, ...], int, Where | None]
"""A question, its options, which of them was the answer, and where it was asked."""


def tree_of(runs: list[tuple[list[Asked], _L]], depth: int = 0) -> Tree[_L]:
    """The decision tree of all runs of a body, each with what it asked and what it came to."""
    taken, leaf = runs[0]
    if len(taken) == depth:
        return Leaf(leaf)
    question, options, _, place = taken[depth]
    below = tuple(
        tree_of([run for run in runs if run[0][depth][2] == index], depth + 1) for index in range(len(options))
    )
    return Split(question, options, below, place)
