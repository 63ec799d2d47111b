"""endless: does a run that goes on for ever leave undone what a claim waits for? Asked of CPython alone.

A run is given as the states it was in and the actions it took; from the state numbered ``loop`` on it is repeated for
ever, or, where that is its last state, nothing more happens. What is said here of it is said by the author's own
methods, run natively: nothing lifted is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from meshspec.backends import native
from meshspec.backends.layout import Layout, Values
from meshspec.lang.fairness import fairness_of
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Blocks
from meshspec.lang.response import response_of

Ground = tuple[Lifted, tuple[Any, ...]]


@attrs.frozen
class Endless:
    """A run of a model: the states it was in, the ground actions it took, the number of the state it returns to."""

    layout: Layout
    states: Sequence[Values]
    taken: Sequence[Ground]
    loop: int

    @property
    def stays(self) -> bool:
        """Whether nothing more happens at its end."""
        return self.loop == len(self.taken)

    def ends_soon(self) -> str:
        """Why it is no run that goes on for ever, in words; empty where it is one."""
        if not self.stays:
            return "" if self.states[-1] == self.states[self.loop] else "its loop does not return to where it began"
        able = next(enabled(self.layout, self.states[-1], faults=False), None)
        return f"it ends where {able[0].called(able[1])} is enabled" if able is not None else ""

    def unfair(self, claim: Lifted) -> str:
        """Which action that the claim calls fair its loop leaves out, in words; empty where there is none."""
        fair = fairness_of(claim.method)
        inside = self.states[self.loop :]
        taken = {_owed(ground) for ground in self.taken[self.loop :]}
        groups: dict[tuple[str, tuple[object, ...]], list[Ground]] = {}
        for ground in self.layout.ground_actions():
            if ground[0].name in (*fair.weak, *fair.strong):
                groups.setdefault(_owed(ground), []).append(ground)
        for owed, grounds in groups.items():
            if owed in taken:
                continue
            able = [any(is_enabled(self.layout, values, ground) for ground in grounds) for values in inside]
            for names, holds, how in ((fair.weak, all, "all along"), (fair.strong, any, "again and again")):
                if owed[0] in names and holds(able):
                    said = grounds[0][0].called(grounds[0][1])
                    return f"its loop leaves {said} out, which the claim counts on and which is enabled {how}"
        return ""

    def asked_at(self, claim: Lifted, arguments: tuple[Any, ...]) -> int | None:
        """After how many steps the claim asked for what never comes on this run; ``None`` where it comes."""
        since: int | None = None
        responds = response_of(claim.raw) is not None
        for number, values in enumerate(self.states):
            said = native.run(self.layout, claim, values, arguments)
            if isinstance(said, native.Value) and said.sides is not None:
                asked, done = said.sides
            else:
                done = isinstance(said, native.Value) and said.value
                asked = responds or number == 0  # a body that raises asks for what it never says has come
            if done:
                since = None
            elif since is None and asked:
                since = number
        return since if since is not None and since <= self.loop else None


def is_enabled(layout: Layout, values: Values, ground: Ground) -> bool:
    """Whether CPython takes the action in this state; one that raises is enabled too."""
    return not isinstance(native.run(layout, ground[0], values, ground[1]), Blocks)


def enabled(layout: Layout, values: Values, *, faults: bool = True) -> Iterator[Ground]:
    """What is enabled in a state, in the order of counterexamples; without `faults` the system's own steps alone."""
    for ground in layout.ground_actions():
        if (faults or ground[0].method.kind != "fault") and is_enabled(layout, values, ground):
            yield ground


def _owed(ground: Ground) -> tuple[str, tuple[object, ...]]:
    """What fairness speaks of: an action with its arguments, whichever way its choices fall."""
    return ground[0].name, ground[0].assembled(ground[1])[0]
