"""lasso: a run on which what is asked for never comes, if a graph has one that is fair.

Such a run, if there is any, can be had as a lasso: a *stem* to a state in which something is pending, then a *loop*
through pending states that is taken for ever and leaves no fair action out; or it ends in a pending state where the
system has no step left, and stays there. Cycles are looked for in strongly connected components: a component meets
weak fairness of an action if the action is taken inside it or disabled somewhere in it, and strong fairness if it is
taken inside or enabled nowhere. Where strong fairness fails, the states that enable the action are left out and the
rest is searched again (Emerson and Lei, Sci. Comput. Programming 8(3), 1987; the pairs are those of Streett).

An action is fair for each combination of its arguments; whichever way its choices fall, it is taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import attrs

from meshspec.engines.graph import Graph, Regions
from meshspec.lang.fairness import Fairness

Steps = list[tuple[int, int]]
"""Of each step the ground action's number and the state it leads to."""


@attrs.frozen
class Lasso:
    """A run of a graph: from `start` the steps of `stem`, then those of `loop` for ever; without a loop it stays."""

    start: int
    stem: Steps
    loop: Steps

    @property
    def entry(self) -> int:
        return self.stem[-1][1] if self.stem else self.start

    @property
    def states(self) -> list[int]:
        return [self.start, *(state for _, state in (*self.stem, *self.loop))]


@attrs.frozen
class Owed:
    """A fair action with certain arguments, as the ground actions that take it; ``bit`` stands for it in masks."""

    name: str
    strong: bool
    actions: frozenset[int]
    bit: int


class Owing:
    """What fairness demands on a graph. A mask is an int with the bits of some of :attr:`each`."""

    def __init__(self, graph: Graph, fairness: Fairness) -> None:
        self.graph, self.fairness = graph, fairness
        groups: dict[tuple[str, tuple[object, ...]], list[int]] = {}
        for number, (lifted, arguments) in enumerate(graph.layout.ground_actions()):
            own = arguments[: len(lifted.parameters) - len(lifted.choices)]
            groups.setdefault((lifted.name, tuple(map(graph.layout.encode_value, own))), []).append(number)
        self.each: list[Owed] = []
        for names, strong in ((fairness.weak, False), (fairness.strong, True)):
            for (name, _), numbers in groups.items():
                if name in names:
                    self.each.append(Owed(name, strong, frozenset(numbers), 1 << len(self.each)))
        self.all = sum(owed.bit for owed in self.each)
        self.strong = sum(owed.bit for owed in self.each if owed.strong)
        self.weak = self.all - self.strong
        self.bits: dict[int, int] = {action: owed.bit for owed in self.each for action in owed.actions}

    @cached_property
    def enabled(self) -> list[int]:
        """For each state the mask of what is enabled there."""
        graph, bits = self.graph, self.bits
        known: dict[int, int] = {}
        found = [0] * len(graph.states)
        for state in range(graph.expanded) if bits else ():
            mask = 0
            for action in graph.actions[graph.first[state] : graph.first[state + 1]]:
                mask |= bits.get(action, 0)
            found[state] = known.setdefault(mask, mask)  # equal masks are one object
        return found

    @property
    def idle(self) -> list[str]:
        """The fair actions that are enabled in no state."""
        ever = 0
        for mask in self.enabled:
            ever |= mask
        names = dict.fromkeys(owed.name for owed in self.each)
        return [name for name in names if not any(o.name == name and o.bit & ever for o in self.each)]

    def unmet(self, states: Iterable[int], actions: Iterable[int]) -> int:
        """What visiting these states and taking these actions again and again leaves undone that it may not."""
        always, ever, taken = self.all, 0, 0
        for state in states:
            always &= self.enabled[state]
            ever |= self.enabled[state]
        for action in actions:
            taken |= self.bits.get(action, 0)
        return ((always & self.weak) | (ever & self.strong)) & ~taken


class Runs:
    """The runs of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.regions = Regions(graph)
        ground = graph.layout.ground_actions()
        self.faults = {n for n, (lifted, _) in enumerate(ground) if lifted.method.kind == "fault"}

    def may_end(self, state: int) -> bool:
        """Whether a run may stay in this state: nothing is enabled, or faults alone, and none of those is owed."""
        graph = self.graph
        if not graph.whole(state):
            return False
        return all(graph.actions[n] in self.faults for n in range(graph.first[state], graph.first[state + 1]))

    def pending(self, roots: Iterable[int], done: bytearray) -> list[int]:
        """The states that a run can be in while what was asked for in one of `roots` has not come, in order."""
        graph, seen = self.graph, bytearray(len(done))
        stack = [root for root in roots if not done[root]]
        for root in stack:
            seen[root] = 1
        while stack:
            state = stack.pop()
            if state >= graph.expanded:
                continue
            for target in graph.targets[graph.first[state] : graph.first[state + 1]]:
                if not seen[target] and not done[target]:
                    seen[target] = 1
                    stack.append(target)
        return [state for state in range(len(seen)) if seen[state]]

    def cycles(self, pending: Sequence[int], owing: Owing) -> tuple[list[list[int]], bool]:
        """Every largest set of pending states round which a fair run can go for ever; and whether any run can."""
        work = self.regions.components([state for state in pending if self.graph.whole(state)])
        any_cycle, fair = bool(work), list[list[int]]()
        while work:
            part = work.pop()
            unmet = owing.unmet(part, self._inside(part)) if owing.all else 0
            if not unmet:
                fair.append(part)
            else:  # of a weakly fair action that is left out nothing remains: it is enabled all over the component
                work += self.regions.components([state for state in part if not owing.enabled[state] & unmet])
        return fair, any_cycle

    def _inside(self, part: list[int]) -> Iterable[int]:
        graph, members = self.graph, set(part)
        for state in part:
            for step in range(graph.first[state], graph.first[state + 1]):
                if graph.targets[step] in members:
                    yield graph.actions[step]

    def stem(self, wanted: set[int], done: bytearray, asked: Callable[[int, bool], bool]) -> tuple[int, Steps]:
        """The shortest way on which something comes to be pending and still is in a state of `wanted`.

        Among the shortest it is the first in the order of actions and members. ``asked(state, at_start)`` says where
        something is asked for. Returns the initial state and the steps.
        """
        graph = self.graph
        came: dict[tuple[int, bool], tuple[tuple[int, bool], int] | None] = {}
        queue: deque[tuple[int, bool]] = deque()

        def meet(node: tuple[int, bool], by: tuple[tuple[int, bool], int] | None) -> bool:
            if node in came:
                return False
            came[node] = by
            queue.append(node)
            return node[1] and node[0] in wanted

        def way(node: tuple[int, bool]) -> tuple[int, Steps]:
            steps: Steps = []
            while (by := came[node]) is not None:
                steps.append((by[1], node[0]))
                node = by[0]
            return node[0], steps[::-1]

        for state in range(graph.initial):
            node = (state, not done[state] and asked(state, True))
            if meet(node, None):
                return way(node)
        while queue:
            here = queue.popleft()
            for action, state in graph.after(here[0]):
                node = (state, not done[state] and (here[1] or asked(state, False)))
                if meet(node, (here, action)):
                    return way(node)
        raise AssertionError("every pending state can be reached while something is pending")

    def loop(self, entry: int, part: Sequence[int], owing: Owing) -> Steps:
        """A short way from `entry` back to it inside a fair component that leaves out nothing that is owed."""
        members = set(part)

        def comes_back(_: int, state: int) -> bool:
            return state == entry

        shortest = self._nearest(entry, members, comes_back)
        if not owing.unmet([entry, *(s for _, s in shortest)], [a for a, _ in shortest]):
            return shortest
        walk: Steps = []
        at = entry
        while True:
            unmet = owing.unmet([entry, *(s for _, s in walk)], [a for a, _ in walk])
            if not unmet and at == entry and walk:
                return walk
            walk += self._nearest(at, members, self._helps(unmet, owing) if unmet else comes_back)
            at = walk[-1][1]

    @staticmethod
    def _helps(unmet: int, owing: Owing) -> Callable[[int, int], bool]:
        def helps(action: int, state: int) -> bool:
            return bool(owing.bits.get(action, 0) & unmet or unmet & owing.weak & ~owing.enabled[state])

        return helps

    def _nearest(self, start: int, members: set[int], good: Callable[[int, int], bool]) -> Steps:
        """The shortest way inside `members`, of at least one step, whose last step is good."""
        came: dict[int, tuple[int, int]] = {}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for action, state in self.graph.after(here):
                if state not in members:
                    continue
                if good(action, state):
                    steps: Steps = [(action, state)]
                    while here != start:
                        before, by = came[here]
                        steps.append((by, here))
                        here = before
                    return steps[::-1]
                if state not in came and state != start:
                    came[state] = (here, action)
                    queue.append(state)
        raise AssertionError("a fair component holds what it owes")
