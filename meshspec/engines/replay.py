"""replay: a path that was found on a graph, run on CPython before anyone sees it.

Of a lasso: every step, the return of the loop to the very state it left, what the claim says in every state, that
the system can do nothing more where the run ends, and that no fair action is left out, all of it as CPython has it.
What differs is a bug of ours and raises :class:`meshspec.errors.Disagreement`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from meshspec.backends import native
from meshspec.backends.layout import Layout, State, Values
from meshspec.engines.endless import Endless
from meshspec.engines.graph import Graph
from meshspec.engines.lasso import Lasso, Owing
from meshspec.errors import Disagreement
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Blocks


def replay(graph: Graph, lasso: Lasso, lifted: Lifted, arguments: tuple[Any, ...], owing: Owing) -> int:
    """After how many steps something was asked for that never comes; raises :class:`Disagreement`."""
    check = _Replay(graph, lasso, f"the lasso found for {lifted.called(arguments)}")
    check.steps()
    check.goes_on_for_ever()
    check.is_fair(owing)
    return check.never_comes(lifted, arguments)


def retrace(layout: Layout, states: Sequence[State], actions: Sequence[int], what: str) -> None:
    """Take these ground actions on CPython from the first of the states; each must lead to the next of them."""
    if states[0] not in set(layout.initial_states()):
        raise Disagreement(f"{what} does not begin in an initial state. This is a bug of meshspec.")
    ground = layout.ground_actions()
    for number, action in enumerate(actions):
        lifted, arguments = ground[action]
        before = layout.decode(states[number])
        after = native.run(layout, lifted, before, arguments)
        if after != native.Next(layout.decode(states[number + 1])):
            told = native.told(after, before)
            raise Disagreement(f"{what} is none on CPython: step {number + 1} {told}. This is a bug of meshspec.")


class _Replay:
    def __init__(self, graph: Graph, lasso: Lasso, what: str) -> None:
        self.graph, self.lasso, self.what = graph, lasso, what
        self.layout = graph.layout
        self.ground = self.layout.ground_actions()
        self.values: list[Values] = [self.layout.decode(graph.states[state]) for state in lasso.states]

    def _wrong(self, problem: str) -> Disagreement:
        return Disagreement(f"{self.what} is none on CPython: {problem}. This is a bug of meshspec.")

    def _enabled(self, action: int, values: Values) -> bool:
        lifted, arguments = self.ground[action]
        return not isinstance(native.run(self.layout, lifted, values, arguments), Blocks)

    def steps(self) -> None:
        states = [self.graph.states[state] for state in self.lasso.states]
        retrace(self.layout, states, [action for action, _ in (*self.lasso.stem, *self.lasso.loop)], self.what)

    def goes_on_for_ever(self) -> None:
        lasso = self.lasso
        if lasso.loop:
            if lasso.loop[-1][1] != lasso.entry:
                raise self._wrong("its loop does not return to where it began")
            return
        for action, (lifted, arguments) in enumerate(self.ground):
            if lifted.method.kind != "fault" and self._enabled(action, self.values[-1]):
                raise self._wrong(f"it ends where {lifted.called(arguments)} is enabled")

    def is_fair(self, owing: Owing) -> None:
        inside = self.values[len(self.lasso.stem) :]
        taken = {action for action, _ in self.lasso.loop}
        for owed in owing.each:
            if taken & owed.actions:
                continue
            enabled = [any(self._enabled(action, values) for action in owed.actions) for values in inside]
            if any(enabled) if owed.strong else all(enabled):
                raise self._wrong(f"its loop leaves {owed.name} out, which is fair")

    def never_comes(self, lifted: Lifted, arguments: tuple[Any, ...]) -> int:
        taken = [self.ground[action] for action, _ in (*self.lasso.stem, *self.lasso.loop)]
        since = Endless(self.layout, self.values, taken, len(self.lasso.stem)).asked_at(lifted, arguments)
        if since is None:
            raise self._wrong(f"{lifted.name} comes about on it")
        return since
