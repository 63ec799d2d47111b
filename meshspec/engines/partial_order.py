"""Partial order reduction: of actions that do not bear on each other, one order is enough.

In each state some enabled actions are taken and the others wait. The ones taken are the enabled part of a strong
stubborn set: with every enabled action in it also all that depend on it, with every disabled one all that write what
its guard reads. So nothing that is left waiting can make a difference to what is taken, nor be made impossible by it.
Two ground actions depend on each other when one may write a cell that the other may read or write. If some wait, then

- none that is taken writes what anyone looks at: a claim, a Range, or an action that may raise; and
- one of the states reached is new, so that along a cycle nothing waits for ever; else all are taken.

Sound when the lifted model is certified. What a reduced search settles is in :data:`SETTLES`: violations and their
absence, witnesses, errors, and what is asked of deadlocks, all of which are reached. *Misses*: counts of states,
transitions and firings are of the reduced graph; an action that never fires in it proves nothing; a path to a
violation need not be a shortest one; what must come about is not asked of it. It is off by default.

After A. Valmari, Stubborn sets for reduced state space generation (1990); the proviso for breadth-first search after
D. Bosnacki, S. Leue and A. Lluch Lafuente, Partial-order reduction for general state exploring algorithms (2006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import attrs

from meshspec.backends.generated import Code, Generator, Successor
from meshspec.backends.layout import Layout, State
from meshspec.backends.symmetry import Symmetry
from meshspec.expr.nodes import Absent, Cell, Name, Node, Quant, SortType, Symbol
from meshspec.expr.walk import children
from meshspec.lang.containers import order_of
from meshspec.lang.outcomes import Does, Leaf, Outcome, Raises, Tree, WriteAll

SETTLES = frozenset({"always", "lemma", "range", "total", "terminal", "sometimes"})
"""The kinds of findings that a reduced search settles."""

MAX_GROUND_ACTIONS = 2_000
"""The most actions whose dependence is worked out pair by pair."""

_MEMO = 1 << 16


@attrs.frozen
class Access:
    """What a ground action may touch; sets of cells are ints with a bit for each."""

    guard: int
    reads: int
    writes: int
    raises: bool

    def bears_on(self, other: Access) -> bool:
        return bool(self.writes & (other.reads | other.writes) or other.writes & self.reads)


@attrs.define(eq=False)
class PartialOrder:
    """Which steps to take in a state. Sets of ground actions are ints with a bit for each, by number.

    Attributes:
        dependent: for each action, those that depend on it (itself too, if it writes anything).
        enabling: for each action, those that may write what its guard reads.
        visible: the actions that may write what is looked at.
    """

    dependent: Sequence[int]
    enabling: Sequence[int]
    visible: int
    _found: dict[int, tuple[int, ...]] = attrs.field(factory=dict[int, tuple[int, ...]], init=False)

    def choose(
        self, state: State, successors: Sequence[Successor], is_new: Callable[[State], bool]
    ) -> Sequence[Successor]:
        """The steps to take of all those that `state` has; `is_new` tells of a state whether it was not met yet."""
        enabled = _set(action for action, _, _ in successors)
        for some in self._enough(enabled):
            chosen = [one for one in successors if some >> one[0] & 1]
            if any(reached is not None and is_new(reached) for _, reached, _ in chosen):
                return chosen
        return successors

    def _enough(self, enabled: int) -> tuple[int, ...]:
        """The sets that may be taken while the others wait, smaller ones first."""
        found = self._found.get(enabled)
        if found is None:
            parts = dict.fromkeys(self._closed(action, enabled) & enabled for action in _members(enabled))
            few = [part for part in parts if part != enabled and not part & self.visible]
            found = tuple(sorted(few, key=int.bit_count))
            if len(self._found) >= _MEMO:
                self._found.clear()
            self._found[enabled] = found
        return found

    def _closed(self, action: int, enabled: int) -> int:
        """The least stubborn set with this action in it."""
        found, todo = 0, 1 << action
        while todo:
            one = todo.bit_length() - 1
            found |= 1 << one
            todo = (todo | (self.dependent if enabled >> one & 1 else self.enabling)[one]) & ~found
        return found


def ample(layout: Layout, symmetry: Symmetry | None = None) -> PartialOrder | str:
    """How to reduce a search, or why it would not be sound or would reduce nothing, in words for a user."""
    if symmetry is not None:
        return "symmetry is on, and the two together are not known to be sound: turn one of them off"
    model = layout.model
    owed = [claim.name for claim in model.claims if claim.method.kind == "eventually"]
    if owed:
        return f"{', '.join(owed)}: what must come about depends on steps that would be left out"
    ground = layout.ground_actions()
    if len(ground) > MAX_GROUND_ACTIONS:
        return f"{len(ground):,} ground actions are more than the {MAX_GROUND_ACTIONS:,} it can compare pair by pair"
    reader = _Reader(layout)
    touched = [reader.access(lifted.tree, reader.generator.names(lifted, args)) for lifted, args in ground]
    looked_at = reader.looked_at() | _union(one.reads for one in touched if one.raises)
    visible = _set(number for number, one in enumerate(touched) if one.writes & looked_at)
    if visible.bit_count() == len(ground):
        return "every action writes what a claim, a Range or an action that may raise looks at"
    dependent = [_set(at for at, other in enumerate(touched) if other.bears_on(one)) for one in touched]
    enabling = [_set(at for at, other in enumerate(touched) if other.writes & one.guard) for one in touched]
    return PartialOrder(dependent, enabling, visible)


def _set(members: Iterable[int]) -> int:
    return _union(1 << member for member in members)


def _union(sets: Iterable[int]) -> int:
    found = 0
    for one in sets:
        found |= one
    return found


def _members(of: int) -> Iterator[int]:
    while of:
        yield of.bit_length() - 1
        of &= ~(1 << of.bit_length() - 1)


class _Reader:
    """Which cells are read and written: every one that may be, where a key is known only in a state."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.generator = layout, Generator(layout)

    def looked_at(self) -> int:
        """The cells that a claim or a Range depends on; what is asked of deadlocks only is settled without."""
        found = _set(at for at, cell in enumerate(self.layout.cells) if cell.variable.range is not None)
        for claim in self.layout.model.claims:
            if claim.method.kind != "terminal":
                for arguments in self.layout.arguments(claim.parameters):
                    names = self.generator.names(claim, arguments)
                    found |= self.reads((claim.claim, claim.raising, *claim.antecedents.values()), names)
        return found

    def access(self, tree: Tree[Outcome], names: Mapping[str, Code]) -> Access:
        if isinstance(tree, Leaf):
            return self._outcome(tree.value, names)
        question, below = self.generator.code(tree.question, names), tree.below
        if question.known:
            answers = [one if isinstance(one, bool) else order_of(one) for one in tree.options]
            below = (tree.below[answers.index(question.value)],)
        asked = self.reads((tree.question,), names)
        each = [self.access(child, names) for child in below]
        return Access(
            asked | _union(one.guard for one in each),
            asked | _union(one.reads for one in each),
            _union(one.writes for one in each),
            any(one.raises for one in each),
        )

    def _outcome(self, outcome: Outcome, names: Mapping[str, Code]) -> Access:
        reads = writes = 0
        for update in outcome.updates if isinstance(outcome, Does) else ():
            for write in update.writes:
                keys = (write.bound,) if isinstance(write, WriteAll) else write.keys
                for here in self._each(write.bound, names) if isinstance(write, WriteAll) else (names,):
                    writes |= self._entries(update.symbol, keys, here)
                    reads |= self.reads((*keys, write.value, write.absent), here)
        return Access(0, reads, writes, isinstance(outcome, Raises))

    def reads(self, nodes: Iterable[Node], names: Mapping[str, Code]) -> int:
        """The cells that these expressions may look at."""
        found = 0
        for node in nodes:
            if self.generator.code(node, names).known:
                continue
            if isinstance(node, Quant):
                found |= _union(self.reads((node.body,), here) for here in self._each(node.bound, names))
                continue
            if isinstance(node, (Cell, Absent)) and node.symbol.name not in self.layout.tables:
                found |= self._entries(node.symbol, node.keys, names)
            found |= self.reads(children(node), names)
        return found

    def _each(self, bound: Name, names: Mapping[str, Code]) -> Iterator[Mapping[str, Code]]:
        assert isinstance(bound.type, SortType)
        return ({**names, bound.name: Code(str(at), at)} for at in range(self.layout.sizes[bound.type.cls]))

    def _entries(self, symbol: Symbol, keys: Sequence[Node], names: Mapping[str, Code]) -> int:
        """The cells that these keys may lead to."""
        places, inside = [self.layout.base[symbol.name]], 1
        for key, type in reversed([*zip(keys, symbol.keys, strict=True)]):
            size, code = len(self.layout.values(type)), self.generator.code(key, names)
            which = [int(code.value)] if code.known else range(size)
            places = [place + inside * one for place in places for one in which]
            inside *= size
        return _set(places)
