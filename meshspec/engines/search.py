"""The search behind `explore`: breadth first over exact states, each property watched until a state settles it.

Sound and complete in its scope unless ``cut`` says why it stopped. Parents are kept, so every path it gives is a
shortest one, and among the shortest the first in the order of initial states, actions and members.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State, range_name
from meshspec.engines.limits import INTERRUPTED, Limits, memory_now
from meshspec.expr.build import negate
from meshspec.expr.nodes import Node
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

_CELLS_BETWEEN_LOOKS = 1 << 18  # at most about this many entries of states are added before memory is looked at


@attrs.define
class Exploration:
    """What a search has seen: states in the order found, how each was reached, how often each action fired.

    ``deadlocks`` counts the states in which no action is enabled; ``closed`` are the states in which a Range is
    left, from which no step is taken; ``cut`` is why the search stopped early.
    """

    layout: Layout
    states: list[State] = attrs.field(factory=list[State])
    parents: list[tuple[int, int]] = attrs.field(factory=list[tuple[int, int]])
    transitions: int = 0
    depth: int = 0
    deadlocks: int = 0
    first_deadlock: int | None = None
    fired: list[int] = attrs.field(factory=list[int])
    closed: set[int] = attrs.field(factory=set[int])
    cut: str = ""

    @property
    def complete(self) -> bool:
        return not self.cut

    def path(self, state: int) -> tuple[int, list[tuple[int, int]]]:
        """The initial state this one is reached from, and the steps: (ground action, state reached)."""
        steps: list[tuple[int, int]] = []
        while self.parents[state][0] >= 0:
            parent, action = self.parents[state]
            steps.append((action, state))
            state = parent
        return state, steps[::-1]


@attrs.define
class Watched:
    """What is evaluated in every new state until one settles it: ``found``, for the arguments at ``which``.

    ``site`` is where an ``implies`` stands whose antecedent this is.
    """

    lifted: Lifted
    arguments: list[tuple[Any, ...]]
    test: Callable[[State], int]
    site: str = ""
    found: int | None = None
    which: int = -1


@attrs.define
class Seen:
    """Where each property was settled: refuted claims, antecedents met, witnesses, Ranges left, errors, ends."""

    claims: list[Watched] = attrs.field(factory=list[Watched])
    antecedents: list[Watched] = attrs.field(factory=list[Watched])
    witnesses: list[Watched] = attrs.field(factory=list[Watched])
    ranges: dict[str, tuple[int, int]] = attrs.field(factory=dict[str, tuple[int, int]])
    raised: tuple[int, int, str] | None = None
    bad_end: int | None = None


def search_states(
    model: LiftedModel, sizes: Mapping[type[Sort], int], limits: Limits, progress: Progress = silent
) -> tuple[Exploration, Seen]:
    """Every reachable state of the model in this scope, or as many as the limits allow.

    Raises :class:`meshspec.errors.UsageError` for a scope that lacks a sort or is too large to build.
    """
    layout = Layout(model, sizes)
    generator = Generator(layout)
    seen = _watch(model, layout, generator)
    ends = next((c for c in model.claims if c.method.kind == "terminal"), None)
    may_end = _test(generator, layout, ends, ends.claim) if ends is not None else None
    run = _Search(layout, generator, seen, may_end, limits, progress)
    try:
        run.go()
    except KeyboardInterrupt:
        run.result.cut = INTERRUPTED
    except MemoryError:
        run.result.cut = "the end of memory"
    progress("")
    return run.result, seen


def _test(generator: Generator, layout: Layout, lifted: Lifted, node: Node) -> Callable[[State], int]:
    names = [generator.names(lifted, arguments) for arguments in layout.arguments(lifted.parameters)]
    return generator.first_failure(node, names)


def _watch(model: LiftedModel, layout: Layout, generator: Generator) -> Seen:
    seen = Seen()
    for lifted in model.claims:
        arguments = layout.arguments(lifted.parameters)
        if lifted.method.kind in ("always", "lemma"):
            seen.claims.append(Watched(lifted, arguments, _test(generator, layout, lifted, lifted.claim)))
            for site, node in lifted.antecedents.items():
                met = _test(generator, layout, lifted, negate(node))
                seen.antecedents.append(Watched(lifted, arguments, met, site))
        elif lifted.method.kind == "sometimes":
            for one in arguments:
                never = generator.first_failure(negate(lifted.claim), [generator.names(lifted, one)])
                seen.witnesses.append(Watched(lifted, [one], never))
    return seen


class _Search:
    def __init__(
        self,
        layout: Layout,
        generator: Generator,
        seen: Seen,
        may_end: Callable[[State], int] | None,
        limits: Limits,
        progress: Progress,
    ) -> None:
        self.result = Exploration(layout)
        self.successors = generator.successors()
        self.out_of_range = generator.out_of_range()
        self.seen = seen
        self.may_end = may_end
        self.limits = limits
        self.progress = progress
        self.number: dict[State, int] = {}
        self.unsettled = [*seen.claims, *seen.witnesses, *seen.antecedents]
        self.between_looks = max(1, min(4096, _CELLS_BETWEEN_LOOKS // max(1, len(layout.cells))))
        self.memory_before = memory_now()

    def go(self) -> None:
        result = self.result
        result.fired = [0] * len(result.layout.ground_actions())
        for state in result.layout.initial_states():
            if not self._add(state, -1, -1):
                return
        here, layer_end = 0, len(result.states)
        while here < len(result.states):
            if here == layer_end:
                result.depth += 1
                layer_end = len(result.states)
            if here % 4096 == 0:
                self.progress(f"explore {result.layout.model.name}: {len(result.states):,} states")
            if here not in result.closed and not self._expand(here):
                return
            here += 1

    def _expand(self, here: int) -> bool:
        result, after = self.result, self.successors(self.result.states[here])
        if not after:
            self._deadlock(here)
        for action, state, error in after:
            result.transitions += 1
            result.fired[action] += 1
            if state is None:
                if self.seen.raised is None:
                    self.seen.raised = (here, action, error)
            elif state not in self.number and not self._add(state, here, action):
                return False
        return True

    def _deadlock(self, here: int) -> None:
        self.result.deadlocks += 1
        if self.result.first_deadlock is None:
            self.result.first_deadlock = here
        if self.may_end is not None and self.seen.bad_end is None and self.may_end(self.result.states[here]) >= 0:
            self.seen.bad_end = here

    def _add(self, state: State, parent: int, action: int) -> bool:
        """Take in a new state and settle what it settles; False when a bound is reached."""
        if state in self.number:
            return True
        result, number = self.result, len(self.result.states)
        if not self._may_add(number):
            return False
        self.number[state] = number
        result.parents.append((parent, action))
        result.states.append(state)
        for cell in self.out_of_range(state):  # what a model means ends where a Range is left: no step goes on
            name = range_name(result.layout.cells[cell].variable, result.layout.model.instance)
            self.seen.ranges.setdefault(name, (number, cell))
            result.closed.add(number)
        for watched in tuple(self.unsettled):
            which = watched.test(state)
            if which >= 0:
                watched.found, watched.which = number, which
                self.unsettled.remove(watched)
        return True

    def _may_add(self, number: int) -> bool:
        if number >= self.limits.max_states:
            self.result.cut = f"--max-states of {self.limits.max_states:,}"
        elif number % self.between_looks == 0 and memory_now() - self.memory_before > self.limits.max_memory:
            self.result.cut = f"--max-memory of {self.limits.max_memory:,} bytes"
        return not self.result.cut
