"""Kills: does a property refute a changed model because of the change?

A violation of a mutant counts only if its path uses the change (at some step the original, in the same state, does
not do what the mutant does) and if undoing the change undoes it: on the same schedule the original refuses a step, or
keeps the property all along. A mutant of the source has no certificate, so its path is also run by CPython; where
that takes another step, the mutant was read wrongly and nothing is concluded from it.

A lasso that refutes an ``@eventually`` is the change's own for another reason: it is looked for only where the
original has none at all (`live`, over every state of the scope). On the same schedule the original then refuses a
step, does not close the loop, or leaves out an action that it owes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from meshspec.answer import Counterexample, Finding
from meshspec.backends import native
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State, range_name
from meshspec.lang.lift import LiftedModel, label
from meshspec.lang.outcomes import Raises
from meshspec.sorts import Sort

SAFETY = ("always", "lemma", "range", "total", "terminal")
"""The kinds of property that a finite path refutes."""

LIVENESS = "eventually"
"""The kind that a lasso refutes."""

Kept = Callable[[State], bool]
Step = tuple[State | None, str]
"""Where an action leads, or no state and the error that it raises."""


class Misread(Exception):
    """CPython does not do what was read of a changed body."""


class Steps:
    """A model at a scope, one action at a time, by the names that counterexamples use."""

    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int]) -> None:
        self.model = model
        self.layout = Layout(model, sizes)
        self.generator = Generator(self.layout)
        self.ground = self.layout.ground_actions()
        self.names = [lifted.called(arguments) for lifted, arguments in self.ground]
        self._own = [label(lifted.name, lifted.assembled(arguments)[0]) for lifted, arguments in self.ground]
        self._successors = self.generator.successors()

    def from_(self, state: State) -> dict[str, Step]:
        """Every step from a state, by its name."""
        return {self.names[number]: (reached, error) for number, reached, error in self._successors(state)}

    def moves(self, state: State) -> frozenset[tuple[str, State | None, str]]:
        """Every step from a state, whichever choices inside an action lead to it."""
        return frozenset((self._own[number], reached, error) for number, reached, error in self._successors(state))

    def start(self, shown: Mapping[str, str]) -> State | None:
        """The initial state that looks like this, or ``None``."""
        for state in self.layout.initial_states():
            cells = self.layout.show(state)
            if all(shown.get(cell) == value for cell, value in cells.items()):
                return state
        return None


class Judge:
    """Judges violations of mutants of one model at one scope."""

    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int]) -> None:
        self.original = Steps(model, sizes)
        self._kept: dict[str, Kept] = {}

    def objection(self, changed: Steps, found: Finding, run_it: bool) -> str:
        """Nothing where the violation is the change's own; else why it is not. `run_it` by CPython too.

        Raises :class:`Misread` where CPython takes another path than the one found.
        """
        path = found.counterexample
        if path is None:
            return "there is no path to look at"
        walked = self._walk(changed, path)
        if isinstance(walked, str):
            return walked
        if run_it:
            self._run(changed, walked, path)
        if not self._uses_the_change(changed, walked, path, found.kind):
            return "every step of its path is one of the unchanged model"
        if found.kind != LIVENESS and not self._mended(found, path):
            return "the unchanged model breaks it on the same schedule"
        return ""

    def _walk(self, changed: Steps, path: Counterexample) -> list[State] | str:
        """The states along a path, without the one that a last step raises instead of reaching."""
        state = changed.start(path.initial)
        if state is None:
            return "its path starts in no initial state"
        walked = [state]
        for place, action in enumerate(path.actions):
            step = changed.from_(walked[-1]).get(action)
            if step is None:
                return f"{action} is not enabled on its path"
            if step[0] is None:
                last = place == len(path.actions) - 1
                return walked if last else f"{action} raises before its path ends"
            walked.append(step[0])
        return walked

    def _run(self, changed: Steps, walked: list[State], path: Counterexample) -> None:
        """Run the path on CPython; raises :class:`Misread` where it takes another step than was read."""
        layout = changed.layout
        bodies = dict(zip(changed.names, changed.ground, strict=True))
        for place, action in enumerate(path.actions):
            lifted, arguments = bodies[action]
            came_to = native.run(layout, lifted, layout.decode(walked[place]), arguments)
            reached = layout.encode(came_to.values) if isinstance(came_to, native.Next) else None
            raises = isinstance(came_to, Raises) and place + 1 == len(walked)
            if not raises and (place + 1 >= len(walked) or reached != walked[place + 1]):
                raise Misread(f"CPython does not take {action} as the changed body was read")

    def _uses_the_change(self, changed: Steps, walked: list[State], path: Counterexample, kind: str) -> bool:
        for state, action in zip(walked, path.actions, strict=False):
            if self.original.from_(state).get(action) != changed.from_(state).get(action):
                return True
        # a bad end is one because of what is not enabled there, a lasso is fair because of it, and no step shows that
        ends = walked if kind == LIVENESS else walked[-1:] if kind == "terminal" else []
        return any(self.original.from_(state) != changed.from_(state) for state in ends)

    def _mended(self, found: Finding, path: Counterexample) -> bool:
        """Whether the original, on the mutant's schedule, refuses a step or keeps the property at every step."""
        state = self.original.start(path.initial)
        if state is None:
            return True
        kept = self._keeps(found)
        for action in path.actions:
            if not kept(state):
                return False
            step = self.original.from_(state).get(action)
            if step is None:
                return True
            if step[0] is None:
                return found.kind != "total"
            state = step[0]
        return kept(state)

    def _keeps(self, found: Finding) -> Kept:
        """Whether the property is true in a state; that no action raises is a matter of steps."""
        if found.property not in self._kept:
            self._kept[found.property] = self._made(found)
        return self._kept[found.property]

    def _made(self, found: Finding) -> Kept:
        layout, generator = self.original.layout, self.original.generator
        model = self.original.model
        if found.kind == "total":
            return lambda state: True
        if found.kind == "range":
            out_of_range = generator.out_of_range()
            return lambda state: all(
                range_name(layout.cells[cell].variable, model.instance) != found.property
                for cell in out_of_range(state)
            )
        terminal = found.kind == "terminal"
        claims = [c for c in model.claims if (c.method.kind == "terminal" if terminal else c.name == found.property)]
        failures = [
            generator.first_failure(c.claim, [generator.names(c, a) for a in layout.arguments(c.parameters)])
            for c in claims
        ]
        if terminal:
            return lambda state: bool(self.original.from_(state)) or all(f(state) < 0 for f in failures)
        return lambda state: all(f(state) < 0 for f in failures)
