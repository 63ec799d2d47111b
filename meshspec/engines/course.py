"""One example: a live instance of a model, driven step by step.

A step is the author's method, run by CPython on one instance that lives for the whole example. What it leads to must
be what the lifted reading says, and where that says that nothing is enabled every method must block: else
:class:`meshspec.errors.Disagreement` is raised.
"""

from __future__ import annotations

from typing import Any

from meshspec.backends import native
from meshspec.backends.layout import State
from meshspec.engines.driven import Plan, Trace
from meshspec.errors import Disagreement
from meshspec.lang.outcomes import Blocks


class Course:
    """One example: a live instance, the state it is in, and the way it came.

    ``off`` are the kinds of action that are taken only where nothing else is enabled.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.off: frozenset[int] = frozenset()
        self.begin(0)

    def begin(self, start: int) -> None:
        """Put a new instance into the initial state of this number."""
        self.start, self.path = start, list[int]()
        self.state = self.plan.initial[start]
        self.live: Any = native.load(self.plan.layout, self.plan.layout.decode(self.state))

    @property
    def trace(self) -> Trace:
        return Trace(self.start, tuple(self.path))

    def look(self) -> None:
        """Note what the present state witnesses; raise :class:`Refuted` for the first property that it refutes."""
        __tracebackhide__ = True
        plan = self.plan
        for one in plan.here(self.state).settles:
            if one.witness:
                if one.name not in plan.witnessed:
                    plan.witnessed[one.name] = self.trace
            elif one.property in plan.open:
                raise plan.error(one.property)(plan, one.property, self.trace)

    def pick(self, choice: int) -> tuple[int, State] | None:
        """The enabled action that a number stands for, with where it leads; ``None`` where nothing is enabled."""
        plan = self.plan
        ways = plan.here(self.state).ways
        if not ways:
            return None
        if self.off:
            ways = tuple(way for way in ways if plan.kind_of[way[0]] not in self.off) or ways
        if plan.even:
            return ways[choice % len(ways)]
        weights = [plan.weights[plan.kind_of[number]] for number, _ in ways]
        left = choice % sum(weights)
        for way, weight in zip(ways, weights, strict=True):
            left -= weight
            if left < 0:
                return way
        raise AssertionError("a number below the sum of the weights is below one of their partial sums")

    def take(self, number: int, expected: State, *, counted: bool = True) -> None:
        """Run the author's method on the live instance; raise :class:`Disagreement` if it does not lead there."""
        plan = self.plan
        lifted, arguments = plan.ground[number]
        after = native.call(plan.layout, lifted, self.live, arguments)
        if not isinstance(after, native.Next) or plan.layout.encode(after.values) != expected:
            before = plan.layout.decode(self.state)
            lifts = native.told(native.Next(plan.layout.decode(expected)), before)
            raise Disagreement(
                f"{plan.called[number]}: lifted it {lifts}, on CPython it {native.told(after, before)}. "
                "This is a bug of meshspec."
            )
        self.path.append(number)
        self.state = expected
        if counted:
            plan.taken[lifted.name] += 1
            plan.steps += 1

    def idle(self) -> None:
        """Nothing is enabled: every method must block, which is looked at once for each such state."""
        plan, state = self.plan, self.state
        if state in plan.stuck or plan.outside(state):
            return
        values = plan.layout.decode(state)
        raising = {number for number, reached, _ in plan.successors(state) if reached is None}
        for number, (lifted, arguments) in enumerate(plan.ground):
            if number not in raising and not isinstance(native.run(plan.layout, lifted, values, arguments), Blocks):
                told = f"{plan.called[number]} is enabled on CPython and not as it was lifted"
                raise Disagreement(f"{told}. This is a bug of meshspec.")
        plan.stuck.add(state)
