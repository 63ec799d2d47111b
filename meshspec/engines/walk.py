"""walk: what happens when a model is walked by hand, step by step?

Which actions are enabled is read from the lifted model; every step that is taken, every guard that is asked about and
every claim is run on CPython, and where the two differ :class:`meshspec.errors.Disagreement` is raised.

Sound when it says that a claim is false: the path is one of the model. Misses whatever was not walked: a walk checks
nothing, and nothing holds because of it.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import attrs

from meshspec.answer import Counterexample, Step
from meshspec.backends import native
from meshspec.backends.evaluate import evaluate, failed_clause
from meshspec.backends.generated import Generator, Successor
from meshspec.backends.layout import NO_RAISE, Layout, State, Values, range_name
from meshspec.display import Shown
from meshspec.engines.explore import ENDS
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.guards import GUARD, Guarded, Site, guarded
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Blocks, Raises, Split
from meshspec.sorts import Sort, is_sort

MAX_INITIAL = 1_000_000  # initial states are counted off one by one


@attrs.frozen
class Broken:
    """A property that the present state refutes: its name and kind, why with values, ``file:line`` of the claim."""

    property: str
    kind: str
    failed: str
    where: str = ""


@attrs.frozen
class _Taken:
    """A step that was taken: the ground action, and the state it led to; ``None`` where it raised."""

    number: int
    step: Step
    after: State | None


class Walk(Shown):
    """A model in a scope, walked by hand from the initial state numbered `start`, counted from 0.

    Raises :class:`UsageError` for a scope that lacks a sort or is too large to build, and for an initial state that
    there is not.
    """

    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int], start: int = 0) -> None:
        self.model, self.layout = model, Layout(model, sizes)
        self._ground = self.layout.ground_actions()
        self._called = [lifted.called(arguments) for lifted, arguments in self._ground]
        self._numbers = {"".join(called.split()): n for n, called in reversed(list(enumerate(self._called)))}
        generator = Generator(self.layout)
        self._successors, self._outside = generator.successors(), generator.out_of_range()
        self._taken: list[_Taken] = []
        self._here: State | None = None  # of which state `_open` tells
        self._open: list[Successor] = []
        self.start = 0
        self._first: State = ()
        self.reset(start)

    # -- where it stands ---------------------------------------------------------------------------------------

    @property
    def _state(self) -> State:
        """The present state; an action that raised changed nothing."""
        return next((taken.after for taken in reversed(self._taken) if taken.after is not None), self._first)

    @property
    def _raised(self) -> bool:
        return bool(self._taken) and self._taken[-1].after is None

    @property
    def state(self) -> dict[str, str]:
        """The whole state as text, by cell: ``applied[effect0]``."""
        return self.layout.show(self._state)

    @property
    def values(self) -> Values:
        """The whole state as the values an author knows, by variable and keys."""
        return self.layout.decode(self._state)

    @property
    def scope(self) -> dict[str, int]:
        """Sizes of the sorts, by name."""
        return self.layout.scope_names

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps taken, each with what it changed."""
        return tuple(taken.step for taken in self._taken)

    @property
    def path(self) -> tuple[str, ...]:
        """The actions taken, as :meth:`take` reads them."""
        return tuple(step.action for step in self.steps)

    @property
    def initials(self) -> int:
        """How many initial states there are."""
        starts = (cell.variable.initial for cell in self.layout.cells)
        return math.prod(sum(self.layout.sizes[v] if is_sort(v) else 1 for v in every) for every in starts)

    # -- what can be done --------------------------------------------------------------------------------------

    @property
    def _ways(self) -> list[Successor]:
        state = self._state
        if self._raised or self._outside(state):
            return []  # what a model means ends where a Range is left or an action raises
        if self._here != state:
            self._here, self._open = state, self._successors(state)
        return self._open

    @property
    def enabled(self) -> list[str]:
        """The enabled actions, in the order of actions and members; one that would raise is among them."""
        return [self._called[number] for number, _, _ in self._ways]

    @property
    def done(self) -> bool:
        """Whether nothing is enabled."""
        return not self._ways

    def is_fault(self, action: str) -> bool:
        """Whether an action, with its arguments, is a fault of the environment."""
        return self._ground[self._number(action)][0].method.kind == "fault"

    def where(self, action: str) -> str:
        """``file:line`` of the action's method."""
        return str(self._ground[self._number(action)][0].method.where)

    @property
    def actions(self) -> list[str]:
        """Every action with every combination of arguments, enabled or not."""
        return list(self._called)

    def _number(self, action: str) -> int:
        if (number := self._numbers.get("".join(action.split()))) is not None:
            return number
        close = difflib.get_close_matches(action, self._called, 3, 0.5)
        said = f"did you mean {' or '.join(close)}?" if close else f"it has {', '.join(self._called[:12])}"
        said += ", ..." if not close and len(self._called) > 12 else ""
        raise UsageError(f"{self.model.name} has no action {action!r}; {said}")

    def why_not(self, action: str) -> str:
        """Why an action is not enabled: the guard that fails, in the author's words, where, and the values it met.

        Empty where it is enabled. Raises :class:`UsageError` for an action that there is not.
        """
        number = self._number(action)
        called = self._called[number]
        if any(number == open_ for open_, _, _ in self._ways):
            return ""
        if self._raised:
            return f"{called} is not enabled: what the model means ends where {self.path[-1]} raised"
        if out := self._outside(self._state):
            return f"{called} is not enabled: no step is taken from a state in which {self._range(out[0])} is left"
        lifted, arguments = self._ground[number]
        values = self.values
        said = native.run(self.layout, lifted, values, arguments)
        if not isinstance(said, Blocks):
            if lifted.choices:  # a choice that is not looked at: the same step stands at its first value
                return f"{called} is not listed: it does not use its choice here, and is listed with another value"
            raise Disagreement(f"{called} is enabled on CPython and not as it was lifted. This is a bug of meshspec.")
        here = failed_clause(lifted, self.layout, values, arguments)
        site = self._failing(lifted, arguments)
        guard = f"`{site.text}` is false at {site.where}" if site is not None else "its guard is false"
        return f"{called} is not enabled: {guard}; here {here}"

    @cached_property
    def _guards(self) -> tuple[list[Site], dict[str, Guarded]]:
        sites, every, _ = guarded(self.model)
        return sites, {one.action.name: one for one in every}

    def _failing(self, lifted: Lifted, arguments: tuple[Any, ...]) -> Site | None:
        """The conjunct that blocks an action here, or ``None`` where no file holds its source."""
        sites, every = self._guards
        tree = every[lifted.name].tree
        values = self.values
        names = {p.name: value for p, value in zip(lifted.parameters, arguments, strict=True)}
        while isinstance(tree, Split):
            tree = tree.below[tree.options.index(evaluate(tree.question, self.layout, values, names))]
        false = [sites[number] for number, held in tree.value.met if not held and sites[number].kind == GUARD]
        return false[-1] if false else None

    # -- steps -------------------------------------------------------------------------------------------------

    def take(self, action: str | int) -> Step:
        """Take an enabled action, given as text or by its place in :attr:`enabled`, counted from 0.

        An action that raises is a step too, and the last one. Raises :class:`UsageError` where it is not enabled, and
        says why.
        """
        ways = self._ways
        if isinstance(action, int):
            if not 0 <= action < len(ways):
                raise UsageError(f"there is no action {action}: {len(ways)} are enabled, counted from 0")
            chosen = ways[action]
        else:
            number = self._number(action)
            found = next((way for way in ways if way[0] == number), None)
            if found is None:
                raise UsageError(self.why_not(action))
            chosen = found
        taken = self._run(*chosen)
        self._taken.append(taken)
        return taken.step

    def _run(self, number: int, reached: State | None, error: str) -> _Taken:
        lifted, arguments = self._ground[number]
        called, where, before = self._called[number], str(lifted.method.where), self._state
        values = self.layout.decode(before)
        said = native.run(self.layout, lifted, values, arguments)
        expected = Raises(error) if reached is None else native.Next(self.layout.decode(reached))
        if said != expected:
            told = native.told(said, values)
            raise Disagreement(f"{called}: lifted it {native.told(expected, values)}, on CPython it {told}. "
                               "This is a bug of meshspec.")  # fmt: skip
        if reached is None:
            return _Taken(number, Step(called, note=f"raises {error}", where=where), None)
        return _Taken(number, Step(called, self.layout.changes(before, reached), where=where), reached)

    def back(self) -> Step:
        """Undo the last step and return it; raises :class:`UsageError` at the start."""
        if not self._taken:
            raise UsageError("there is no step to go back: this is the initial state")
        return self._taken.pop().step

    def reset(self, initial: int | None = None) -> None:
        """Go back to the start, or to another initial state, counted from 0.

        Raises :class:`UsageError` for one that there is not.
        """
        wanted = self.start if initial is None else initial
        if not 0 <= wanted < min(self.initials, MAX_INITIAL):
            most = f"{self.initials:,}" if self.initials <= MAX_INITIAL else f"more than {MAX_INITIAL:,}"
            raise UsageError(f"there is no initial state {wanted}: {self.model.name} has {most}, counted from 0")
        self._first = next(itertools.islice(self.layout.initial_states(), wanted, None))
        self._taken, self.start = [], wanted

    # -- what is said of it ------------------------------------------------------------------------------------

    def _range(self, cell: int) -> str:
        return range_name(self.layout.cells[cell].variable, self.model.instance)

    @property
    def claims(self) -> list[Broken]:
        """What the present state refutes: claims (for the first arguments that do), Ranges, errors, ends.

        An ``@eventually`` is about whole runs and never among them.
        """
        if self._raised:
            last = self._taken[-1]
            return [Broken(NO_RAISE, "total", f"{last.step.action} {last.step.note}", last.step.where)]
        shown = self.state
        out = {self._range(cell): cell for cell in reversed(self._outside(self._state))}
        if out:
            cells = self.layout.cells
            return [
                Broken(name, "range", f"{cells[at]} = {shown[str(cells[at])]} leaves its Range")
                for name, at in reversed(out.items())
            ]
        return [broken for lifted in self.model.claims if (broken := self._refuted(lifted)) is not None]

    def _refuted(self, lifted: Lifted) -> Broken | None:
        kind, where = lifted.method.kind, str(lifted.method.where)
        if kind == "eventually" or (kind == "terminal" and not self.done):
            return None
        for arguments, said in self._said(lifted):
            if isinstance(said, Raises) if kind == "sometimes" else not _true(said):
                if kind == "terminal":
                    return Broken(ENDS, kind, f"a deadlock where {lifted.called(arguments)} is false", where)
                clause = failed_clause(lifted, self.layout, self.values, arguments)
                return Broken(lifted.name, kind, f"{lifted.called(arguments)}: {clause}", where)
        return None

    def _said(self, lifted: Lifted) -> Iterator[tuple[tuple[Any, ...], native.Native]]:
        """What a claim says of the present state on CPython, for all arguments."""
        values = self.values
        for arguments in self.layout.arguments(lifted.parameters):
            yield arguments, native.run(self.layout, lifted, values, arguments)

    @property
    def witnessed(self) -> list[str]:
        """The ``@sometimes`` claims that are true now, with their arguments."""
        if self._raised or self._outside(self._state):
            return []
        sometimes = [lifted for lifted in self.model.claims if lifted.method.kind == "sometimes"]
        return [one.called(arguments) for one in sometimes for arguments, said in self._said(one) if _true(said)]

    def counterexample(self, property: str) -> Counterexample:
        """The walk as an argument against a property that the present state refutes.

        Raises :class:`UsageError` for any other.
        """
        broken = {one.property: one for one in self.claims}
        if property not in broken:
            has = f"it refutes {', '.join(broken)}" if broken else "it refutes nothing"
            raise UsageError(f"the walk does not end in a state that refutes {property}: {has}")
        return Counterexample(self.layout.show(self._first), self.steps, broken[property].failed, "as walked")


def _true(said: native.Native) -> bool:
    return isinstance(said, native.Value) and said.value
