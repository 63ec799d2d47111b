"""What a search watches for: claims refuted, antecedents met, witnesses, Ranges left, errors, ends.

Each is evaluated on every new state, a layer at a time, until enough states have settled it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends.layout import Layout, State
from meshspec.backends.space import Batch, Space, Test
from meshspec.backends.symmetry import Symmetry
from meshspec.engines.trails import Goal
from meshspec.expr.build import FALSE, negate
from meshspec.expr.nodes import Node
from meshspec.lang.lift import Lifted, LiftedModel


@attrs.define
class Settled:
    """The states that settle something, by rising depth, until there are `wanted` of them."""

    wanted: int = 1
    goals: list[Goal] = attrs.field(factory=list[Goal])

    @property
    def found(self) -> Goal | None:
        """The nearest states that settle it."""
        return self.goals[0] if self.goals else None

    @property
    def enough(self) -> bool:
        return sum(map(len, self.goals)) >= self.wanted

    def add(self, goal: Goal) -> None:
        if len(goal) and not self.enough:
            self.goals.append(goal)


@attrs.define
class Watched(Settled):
    """An expression that is false where it is settled, for one of `arguments` at least.

    ``site`` is where an ``implies`` stands whose antecedent this is. ``test`` asks batches of the space that a search
    is in, ``plain`` lists of tuples.
    """

    lifted: Lifted = attrs.field(kw_only=True)
    node: Node = attrs.field(kw_only=True)
    arguments: list[tuple[Any, ...]] = attrs.field(kw_only=True)
    site: str = attrs.field(kw_only=True, default="")
    test: Test = attrs.field(init=False, repr=False)
    plain: Test = attrs.field(init=False, repr=False)

    @property
    def named(self) -> list[dict[str, Any]]:
        """The arguments by the names of the parameters."""
        return [{p.name: v for p, v in zip(self.lifted.parameters, one, strict=True)} for one in self.arguments]


@attrs.define
class Seen:
    """Where each property was settled; ``raising`` says of each ``sometimes`` where its body raises."""

    claims: list[Watched] = attrs.field(factory=list[Watched])
    raising: list[Watched] = attrs.field(factory=list[Watched])
    antecedents: list[Watched] = attrs.field(factory=list[Watched])
    witnesses: list[Watched] = attrs.field(factory=list[Watched])
    end: Watched | None = None
    ranges: dict[str, Settled] = attrs.field(factory=dict[str, Settled])
    raised: Settled = attrs.field(factory=Settled)

    @property
    def watched(self) -> Iterator[Watched]:
        """What is asked of every state."""
        yield from (*self.claims, *self.raising, *self.witnesses, *self.antecedents)

    def ask(self, space: Space) -> None:
        """Put the questions to batches of this space from now on; raises what its ``test`` does."""
        every = [*self.watched, *([self.end] if self.end is not None else [])]
        tests = [space.test(one.node, one.named) for one in every]
        for one, test in zip(every, tests, strict=True):
            one.test = test

    def ask_plainly(self, space: Space) -> None:
        """The same for states as tuples."""
        self.ask(space)
        for one in (*self.watched, *([self.end] if self.end is not None else [])):
            one.plain = one.test

    def look(self, depth: int, batch: Batch, outside: Mapping[State, Sequence[int]]) -> None:
        """Settle what the new states of a layer settle; `outside` are those in which a Range is left."""
        states = list(outside)
        for one in self.watched:
            if not one.enough:
                left = {s: outside[s] for s, which in zip(states, one.plain(states), strict=True) if which >= 0}
                one.add(Goal(depth, where(one.test(batch)), left))

    def conclude(self) -> None:
        """A claim whose body raises in a state is refuted, and a witness elsewhere does not make up for it."""
        refuted = [one for one in self.raising if one.found is not None]
        self.claims += refuted
        self.raising = []
        self.witnesses = [w for w in self.witnesses if all(w.lifted is not one.lifted for one in refuted)]


def watch(model: LiftedModel, layout: Layout, symmetry: Symmetry | None, wanted: int) -> Seen:
    """What is to be settled of a model; `wanted` states for what refutes something.

    A witness is owed for every combination of arguments. Under a symmetry one that is found for one combination is
    one for all that permutations map it to, so those are watched together.
    """
    seen = Seen(raised=Settled(wanted))
    for lifted in model.claims:
        arguments = layout.arguments(lifted.parameters)
        if lifted.method.kind in ("always", "lemma"):
            seen.claims.append(Watched(wanted, lifted=lifted, node=lifted.claim, arguments=arguments))
            for site, node in lifted.antecedents.items():
                one = Watched(lifted=lifted, node=negate(node), arguments=arguments, site=site)
                seen.antecedents.append(one)
        elif lifted.method.kind == "sometimes":
            if lifted.raising != FALSE:
                seen.raising.append(Watched(wanted, lifted=lifted, node=negate(lifted.raising), arguments=arguments))
            for alike in _alike(lifted, arguments, symmetry):
                seen.witnesses.append(Watched(lifted=lifted, node=negate(lifted.claim), arguments=alike))
        elif lifted.method.kind == "terminal" and seen.end is None:
            seen.end = Watched(wanted, lifted=lifted, node=lifted.claim, arguments=arguments)
    return seen


def _alike(
    lifted: Lifted, arguments: Sequence[tuple[Any, ...]], symmetry: Symmetry | None
) -> list[list[tuple[Any, ...]]]:
    """Combinations of arguments, those that are images of each other together, in the order of the first of each."""
    alike: dict[Hashable, list[tuple[Any, ...]]] = {}
    for position, one in enumerate(arguments):
        kind: Hashable = position if symmetry is None else symmetry.alike(lifted, one)
        alike.setdefault(kind, []).append(one)
    return list(alike.values())


def where(which: Sequence[int]) -> Sequence[int]:
    """The indexes of the states for which a test is not true (its answer is not -1)."""
    if isinstance(which, list):
        return [index for index, answer in enumerate(which) if answer >= 0]
    packed: Any = which  # a NumPy array, which is looked at as one
    found: Sequence[int] = (packed >= 0).nonzero()[0]
    return found
