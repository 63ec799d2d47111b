"""rerun: is this path, told in words, a path of the model on CPython, and is its property false at the end?

Each step is found by its text and taken by the author's own method, run natively; the property is evaluated natively
in the state that this leads to. What was told of a step and is otherwise on CPython is kept as a difference, with the
step's number; a step that cannot be taken closes the path.

Sound: a path is *reproduced* only if every step was taken and the property was then seen to be false. It says nothing
of any other path: that this one is closed is no reason to believe that the property holds.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeGuard

import attrs

from meshspec.answer import Counterexample, Step
from meshspec.backends import native
from meshspec.backends.evaluate import failed_clause
from meshspec.backends.layout import NO_RAISE, CellAt, Layout, Values, range_name
from meshspec.engines.beginning import MANY, Start, Stop
from meshspec.engines.endless import Endless, Ground, enabled
from meshspec.expr.text import value_text
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Raises
from meshspec.lang.response import response_of
from meshspec.lang.words import choice_name, choosing, chosen
from meshspec.sorts import scope

MOST_STARTS = 64

KINDS = ("always", "lemma", "sometimes", "eventually", "range", "total", "terminal")
"""The kinds of properties whose counterexamples can be run again."""

_REFUTED = {
    "sometimes": ": a @sometimes is refuted by no path, unless its body raises",
    "eventually": ": an @eventually is refuted by a run that never ends, or where its body raises",
}


@attrs.frozen(eq=False)
class Taken:
    """A step as CPython took it.

    ``asked`` are the answers that its body was given to ``choose``, in order; ``values`` is the state after it, and
    that before it where the action raises, which ``note`` then says.
    """

    lifted: Lifted
    arguments: tuple[Any, ...]
    asked: tuple[Any, ...]
    values: Values
    changes: Mapping[str, tuple[str, str]]
    note: str = ""

    @property
    def called(self) -> str:
        return self.lifted.called(self.arguments)


@attrs.frozen(eq=False)
class Refuted:
    """What is false at the end: in the words of the engines, and for which arguments of which claim or which cell."""

    said: tuple[str, ...]
    claim: Lifted | None = None
    arguments: tuple[Any, ...] = ()
    cell: CellAt | None = None
    asked_at: int | None = None


@attrs.frozen(eq=False)
class Rerun:
    """A path as CPython has it: where it starts, the steps that were taken, and what it came to.

    Attributes:
        differs: what was told otherwise than it is, in the order of steps; the path goes on all the same.
        closed: why it could not be gone to its end, or why the property is not false there.
        refuted: what is false at its end; ``None`` where it is closed.
    """

    layout: Layout
    start: Values
    taken: tuple[Taken, ...]
    differs: tuple[Stop, ...]
    closed: Stop | None = None
    refuted: Refuted | None = None
    loop: int | None = None

    @cached_property
    def states(self) -> tuple[Values, ...]:
        """The state at the start and after every step."""
        return (self.start, *(step.values for step in self.taken))

    @property
    def wrong(self) -> Stop | None:
        """The first thing that is otherwise than it was told; ``None`` for a path reproduced to the letter."""
        return self.earliest([])

    def earliest(self, more: Sequence[Stop]) -> Stop | None:
        """The same, with what else was found to be otherwise."""
        stops = [*self.differs, *([self.closed] if self.closed is not None else []), *more]
        return min(stops, key=lambda stop: len(self.taken) + 2 if stop.step < 0 else stop.step) if stops else None

    def path(self, how: str) -> Counterexample:
        """The path as counterexamples are told."""
        steps = tuple(Step(taken.called, taken.changes, taken.note) for taken in self.taken)
        shown = self.layout.show(self.layout.encode(self.start))
        return Counterexample(shown, steps, self.refuted.said[0] if self.refuted else "", how, self.loop)


def rerun(layout: Layout, property: str, kind: str, path: Counterexample) -> Rerun:
    """Take the path on CPython, and look whether `property`, which is of that `kind`, is false at its end."""
    begin = Start(layout, path)
    found: list[Rerun] = []
    for start in itertools.islice(begin.starts(), MOST_STARTS):
        found.append(_Run(layout, property, kind, path, begin, start).go())
        if found[-1].wrong is None:
            return found[-1]
    return found[0]


class _Closed(Exception):
    def __init__(self, step: int, why: str) -> None:
        super().__init__(why)
        self.stop = Stop(step, why)


class _Run:
    def __init__(
        self, layout: Layout, property: str, kind: str, path: Counterexample, begin: Start, start: Values
    ) -> None:
        self.layout, self.property, self.kind, self.path = layout, property, kind, path
        self.begin, self.start = begin, start
        self.taken: list[Taken] = []
        self.differs: list[Stop] = list(begin.differs)
        self.ground: dict[str, list[Ground]] = {}
        for ground in layout.ground_actions():
            self.ground.setdefault(ground[0].called(ground[1]), []).append(ground)

    @property
    def here(self) -> Values:
        return self.taken[-1].values if self.taken else self.start

    def go(self) -> Rerun:
        closed: Stop | None = None
        refuted: Refuted | None = None
        try:
            if self.begin.closed is not None:
                raise _Closed(0, self.begin.closed.why)
            for number, step in enumerate(self.path.steps, 1):
                self._take(number, step)
            refuted = self._end()
        except _Closed as error:
            closed = error.stop
        if refuted is not None and self.path.failed not in refuted.said:
            self.differs.append(Stop(-1, f"the clause recorded is {self.path.failed!r}; it is {refuted.said[0]!r}"))
        done = tuple(self.taken)
        return Rerun(self.layout, self.start, done, tuple(self.differs), closed, refuted, self.path.loop)

    # -- the steps ---------------------------------------------------------------------------------------------

    def _take(self, number: int, step: Step) -> None:
        grounds = self.ground.get(step.action)
        if grounds is None:
            close = difflib.get_close_matches(step.action, self.ground, 1, 0.6)
            near = f"; did you mean {close[0]}?" if close else ""
            raise _Closed(number, f"there is no action {step.action!r}{near}{self._able()}")
        if outside := left_range(self.layout, self.here):
            raise _Closed(number, f"no step is taken from where {outside[0]} has left its Range")
        tried = [self._tried(ground) for ground in grounds]
        taken = next((one for one in tried if one is not None and _as_told(one, step)), None)
        taken = taken or next((one for one in tried if one is not None), None)
        if taken is None:
            raise _Closed(number, f"{step.action} is not enabled in this state{self._able()}")
        self.taken.append(taken)
        if taken.note and (self.kind != "total" or number != len(self.path.steps)):
            raise _Closed(number, f"{step.action} {taken.note}")
        self.differs += [Stop(number, why) for why in _differences(taken, step)]

    def _tried(self, ground: Ground) -> Taken | None:
        lifted, arguments = ground
        came_to = native.run(self.layout, lifted, self.here, arguments)
        if isinstance(came_to, Raises):
            return Taken(lifted, arguments, self._asked(ground), self.here, {}, f"raises {came_to.error}")
        if not isinstance(came_to, native.Next):
            return None
        before, after = self.layout.encode(self.here), self.layout.encode(came_to.values)
        changes = self.layout.changes(before, after)
        return Taken(lifted, arguments, self._asked(ground), came_to.values, changes)

    def _asked(self, ground: Ground) -> tuple[Any, ...]:
        """What the body is answered when it asks, in the order in which it does."""
        lifted, arguments = ground
        if not lifted.choices:
            return ()
        heard: list[Any] = []
        own, picked = lifted.assembled(arguments)
        answers = dict(zip((p.name for p in lifted.choices), picked, strict=True))

        def choose(options: Sequence[object]) -> object:
            heard.append(answers.get(choice_name(len(heard) + 1, options), options[0]))
            return heard[-1]

        subject = native.load(self.layout, self.here)
        token = choosing(choose)
        try:
            with scope(self.layout.sizes):
                lifted.method.function(subject, *own)
        except KeyboardInterrupt:
            raise
        except BaseException:  # what it comes to is known already; here only its questions are of interest
            pass
        finally:
            chosen(token)
        return tuple(heard)

    def _able(self) -> str:
        able = [lifted.called(arguments) for lifted, arguments in enabled(self.layout, self.here)]
        shown = ", ".join(able[:MANY]) + (f" and {len(able) - MANY} more" if len(able) > MANY else "")
        return f"; enabled here: {shown or 'nothing'}"

    # -- the end -----------------------------------------------------------------------------------------------

    def _end(self) -> Refuted:
        if self.path.loop is not None:
            return self._for_ever(self.path.loop)
        match self.kind:
            case "always" | "lemma" | "sometimes" | "eventually":
                return self._claim()
            case "range":
                return self._range()
            case "total":
                return self._total()
            case "terminal":
                return self._stuck()
            case _:
                raise _Closed(-1, f"a property of the kind {self.kind!r} cannot be run again")

    def _named(self, kind: str) -> Lifted:
        claims = [lifted for lifted in self.layout.model.claims if lifted.method.kind == kind]
        for lifted in claims:
            if kind == "terminal" or lifted.name == self.property:
                return lifted
        has = ", ".join(lifted.name for lifted in claims) or "none"
        said = f"there is no @{kind} {self.property!r}; of that kind there is {has}"
        raise _Closed(-1, said + (_REFUTED[kind] if kind == "sometimes" else ""))

    def _first(self, found: Sequence[Refuted]) -> Refuted:
        """The one that was recorded, else the first."""
        return next((one for one in found if self.path.failed in one.said), found[0])

    def _claim(self) -> Refuted:
        """A claim that is false here; of what must be witnessed or come about: one whose body raises."""
        claim = self._named(self.kind)
        found: list[Refuted] = []
        for arguments in self.layout.arguments(claim.parameters):
            said = native.run(self.layout, claim, self.here, arguments)
            untrue = said == native.Value(False) and self.kind in ("always", "lemma")
            if untrue or isinstance(said, Raises):
                clause = failed_clause(claim, self.layout, self.here, arguments)
                found.append(Refuted((f"{claim.called(arguments)}: {clause}",), claim, arguments))
        if not found:
            how = "is true here" if self.kind in ("always", "lemma") else f"raises nothing here{_REFUTED[self.kind]}"
            raise _Closed(-1, f"{claim.name} {how}")
        return self._first(found)

    def _range(self) -> Refuted:
        constants, cells = self.layout.model.instance, self.layout.cells
        ranged = [cell for cell in cells if cell.variable.range is not None]
        names = dict.fromkeys(range_name(cell.variable, constants) for cell in ranged)
        if self.property not in names:
            raise _Closed(-1, f"there is no {self.property!r}; of that kind there is {', '.join(names) or 'none'}")
        found = [
            Refuted((f"{cell} = {value_text(self.here[cell.key])} leaves its Range",), cell=cell)
            for cell in left_range(self.layout, self.here)
            if range_name(cell.variable, constants) == self.property
        ]
        if not found:
            raise _Closed(-1, f"here every {self.property}")
        return self._first(found)

    def _total(self) -> Refuted:
        last = self.taken[-1] if self.taken else None
        if self.property != NO_RAISE or last is None or not last.note:
            raise _Closed(-1, "no action raises")
        return Refuted((f"{last.called} {last.note}",))

    def _stuck(self) -> Refuted:
        claim = self._named("terminal")
        able = next(enabled(self.layout, self.here), None)
        if able is not None:
            raise _Closed(-1, f"this is no end: {able[0].called(able[1])} is enabled")
        found: list[Refuted] = []
        for arguments in self.layout.arguments(claim.parameters):
            if native.run(self.layout, claim, self.here, arguments) != native.Value(True):
                called, clause = claim.called(arguments), failed_clause(claim, self.layout, self.here, arguments)
                said = (f"a deadlock where {called} is false", f"a deadlock where {called}: {clause}")
                found.append(Refuted(said, claim, arguments))
        if not found:
            raise _Closed(-1, f"the model may end here: {claim.name} is true")
        return self._first(found)

    def _for_ever(self, loop: int) -> Refuted:
        if self.kind != "eventually" or not 0 <= loop <= len(self.taken):
            raise _Closed(-1, f"nothing is repeated from step {loop} on for ever: there are {len(self.taken)} steps")
        claim = self._named("eventually")
        states = (self.start, *(step.values for step in self.taken))
        run = Endless(self.layout, states, [(step.lifted, step.arguments) for step in self.taken], loop)
        if problem := run.ends_soon() or run.unfair(claim):
            raise _Closed(-1, problem)
        found: list[Refuted] = []
        for arguments in self.layout.arguments(claim.parameters):
            since = run.asked_at(claim, arguments)
            if since is not None:
                clause = failed_clause(claim, self.layout, states[since], arguments)
                when = f"after step {since}" if since else "at the start"
                never = f"asked for {when} and never answered: {clause}"
                said = never if response_of(claim.raw) else f"it is never true; at the start {clause}"
                found.append(Refuted((f"{claim.called(arguments)}: {said}",), claim, arguments, asked_at=since))
        if not found:
            raise _Closed(-1, f"{claim.name} comes about on this run")
        return self._first(found)


def left_range(layout: Layout, values: Values) -> list[CellAt]:
    """The cells that are outside the Range of their variable."""
    constants = layout.model.instance
    return [
        cell
        for cell in layout.cells
        if cell.variable.range is not None
        and _is_int(value := values[cell.key])
        and value not in cell.variable.range.of(constants)
    ]


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int)


def _as_told(taken: Taken, step: Step) -> bool:
    return not any(_differences(taken, step))


def _differences(taken: Taken, step: Step) -> Iterator[str]:
    """What was told of a step and is otherwise on CPython."""
    for name, (old, new) in step.changes.items():
        is_told = f"{name} {old} -> {new} was recorded"
        if name not in taken.changes:
            yield f"{is_told}, and it does not change"
        elif taken.changes[name] != (old, new):
            yield f"{is_told}, it is {' -> '.join(taken.changes[name])}"
    for name, (old, new) in taken.changes.items():
        if name not in step.changes:
            yield f"{name} {old} -> {new} was not recorded"
    if step.note != taken.note:
        yield f"{step.note!r} was recorded of it, and it {taken.note or 'raises nothing'}"
