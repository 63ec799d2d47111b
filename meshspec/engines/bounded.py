"""bounded: paths of few steps in a scope, and what follows from there being none: k-induction.

Bounded search asks Z3 for a path of 0, 1, 2, ... steps from an initial state to a state that refutes a property.
Since fewer steps were asked for first, the first path found is a shortest one; among those it is the first in the
order of initial states, actions and members, and it is shown only after CPython has taken every step of it.

Properties are k-inductive together when none is false within k - 1 steps of the start (bounded search says that) and
no path of k steps through pairwise different states, on whose first k states all of them are true, ends in a state in
which one is false. What is proved for every size is assumed of every state.

*Sound when* the lifted model is certified. k-induction then holds in its scope and says nothing of others. Pairwise
different states may be asked for because a shortest path to a violation visits no state twice. As in `explore`, a
path ends where a Range is left, where an action raises, and where no action is enabled.

*Misses*: bounded search, what takes more steps than its depth, so it only refutes; k-induction, what is not inductive
for the k tried; both, whatever Z3 cannot decide within its step limit. What is neither refuted nor proved is
*unbroken*, never held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import attrs

from meshspec.answer import Counterexample, Step
from meshspec.backends import native
from meshspec.backends.evaluate import failed_clause
from meshspec.backends.layout import NO_RAISE, CellAt, Values
from meshspec.backends.solver import RLIMIT, Sat, Solver, Term, Unknown, Unsat
from meshspec.backends.steps import Move, Steps
from meshspec.engines.cti import is_true
from meshspec.engines.inductive import Property
from meshspec.errors import Disagreement
from meshspec.expr.text import value_text
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Raises
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

MAX_K = 4
MAX_DEPTH = 10


@attrs.frozen
class Broken:
    """A shortest path refutes it."""

    counterexample: Counterexample


@attrs.frozen
class Inductive:
    """It is k-inductive in the scope, with the properties in ``uses``: proved there or for every size, or with it."""

    k: int
    uses: tuple[str, ...]


@attrs.frozen
class Unbroken:
    """No path of at most ``depth`` steps refutes it (-1: not even that is known); ``reason`` says why no more is."""

    depth: int
    reason: str


Bounded = Broken | Inductive | Unbroken


@attrs.frozen
class Bounds:
    """How far to go: the largest k, the longest path, and the solver's steps for one question.

    Without ``distinct``, the states of an induction step may repeat: k-induction then proves less, not more.
    """

    k: int = MAX_K
    depth: int = MAX_DEPTH
    rlimit: int = RLIMIT
    distinct: bool = True


def bounded(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    properties: Sequence[Property],
    proved: Sequence[Property] = (),
    bounds: Bounds | None = None,
    progress: Progress = silent,
) -> dict[str, Bounded]:
    """What each of these properties comes to in this scope, and that no action raises under :data:`NO_RAISE`.

    `proved` are properties that hold for every size. Raises :class:`meshspec.errors.UsageError` for a scope that
    lacks a sort or is too large to build, and :class:`meshspec.errors.Disagreement` when CPython does not go the way
    that the solver found.
    """
    run = _Run(model, sizes, properties, proved, bounds or Bounds(), progress)
    run.go()
    return run.found


@attrs.frozen(eq=False)
class _Goal:
    """A property in terms of one state: when it is false, and that it is true for all arguments."""

    name: str
    fails: Term
    holds: Term
    property: Property | None


class _Run:
    def __init__(
        self,
        model: LiftedModel,
        sizes: Mapping[type[Sort], int],
        properties: Sequence[Property],
        proved: Sequence[Property],
        bounds: Bounds,
        progress: Progress,
    ) -> None:
        self.model, self.bounds, self.progress = model, bounds, progress
        self.steps = steps = Steps(model, sizes)
        self.open = {
            p.name: _Goal(p.name, steps.fails(p.name, p.universal), steps.holds(p.name, p.universal), p)
            for p in properties
        }
        if any(isinstance(move.path.outcome, Raises) for move in steps.moves):
            self.open[NO_RAISE] = _Goal(NO_RAISE, steps.raising, steps.raises_nowhere(), None)
        self.known = {p.name: steps.holds(p.name, p.universal) for p in proved}
        self.found: dict[str, Bounded] = {}
        self.stuck: dict[str, Unbroken] = {}
        self.base = Solver(steps.terms, bounds.rlimit)
        self.base.add(steps.at(steps.initial, 0))
        self.depth = -1

    def go(self) -> None:
        for k in range(1, self.bounds.k + 1):
            self._search(k - 1)
            if self._live():
                self._induct(k)
        self._search(self.bounds.depth)
        for name in self.open:
            if name not in self.found:
                why = f"not k-inductive for any k up to {self.bounds.k}"
                self.found[name] = self.stuck.get(name, Unbroken(self.depth, why))
        self.progress("")

    def _live(self) -> list[_Goal]:
        return [goal for name, goal in self.open.items() if name not in self.found and name not in self.stuck]

    # -- bounded search ----------------------------------------------------------------------------------------

    def _search(self, depth: int) -> None:
        """Go on to paths of so many steps, as long as anything is open."""
        while self.depth < depth and self._live():
            self.depth += 1
            self.progress(f"prove {self.model.name}: paths of {self.depth} steps")
            self.base.add(self.steps.domain(self.depth))
            if self.depth:
                self.base.add(self.steps.at(self.steps.step, self.depth - 1))
            for term in self.known.values():
                self.base.add(self.steps.at(term, self.depth))
            for goal in self._live():
                with self.base.within():
                    self.base.add(self.steps.at(goal.fails, self.depth))
                    reply = self.base.check()
                    if isinstance(reply, Sat):
                        self.found[goal.name] = Broken(self._path(goal, reply.model))
                if isinstance(reply, Unknown):
                    why = f"on paths of {self.depth} steps {reply.reason}"
                    self.stuck[goal.name] = Unbroken(self.depth - 1, why)

    def _path(self, goal: _Goal, model: Any) -> Counterexample:
        """The least of the shortest paths, taken by CPython."""
        least = _Least(self.base, model)
        steps = self.steps
        with ExitStack() as stack:
            stack.enter_context(self.base.within())
            for variable, at in steps.cells:
                options = steps.options(variable)
                if len(options) > 1:
                    least.first([steps.at(steps.starts(variable, at, option), 0) for option in options])
            length = self.depth + (goal.property is None)
            moves: list[tuple[Lifted, tuple[Any, ...]]] = []
            for place in range(length):
                moves.append(self._move(least, place))
        return self._replayed(goal, least.model, moves)

    def _move(self, least: _Least, place: int) -> tuple[Lifted, tuple[Any, ...]]:
        steps = self.steps
        groups: dict[Lifted, list[Move]] = {}
        for move in steps.moves:
            groups.setdefault(move.action, []).append(move)
        which = steps.at(steps.which, place)
        of = [steps.terms.join("or", [which == move.number for move in moves]) for moves in groups.values()]
        action = list(groups)[least.first(of)]
        arguments: list[Any] = []
        for p, name in zip(action.parameters, groups[action][0].parameters, strict=True):
            values = steps.layout.values(p.type, p.range.of(self.model.instance) if p.range else None)
            term = steps.at(steps.terms.term(name), place)
            is_it = [term == steps.literal(steps.place(value), p.type) for value in values]
            arguments.append(values[least.first(is_it)])
        return action, tuple(arguments)

    def _replayed(self, goal: _Goal, model: Any, moves: list[tuple[Lifted, tuple[Any, ...]]]) -> Counterexample:
        layout = self.steps.layout
        values: Values = {cell.key: self._value(cell, model) for cell in layout.cells}
        first = before = layout.encode(values)
        told: list[Step] = []
        for number, (action, arguments) in enumerate(moves):
            called, came_to = action.called(arguments), native.run(layout, action, values, arguments)
            if goal.property is None and number == len(moves) - 1:
                if isinstance(came_to, Raises):
                    told.append(Step(called, note=f"raises {came_to.error}"))
                    return Counterexample(layout.show(first), tuple(told), f"{called} raises {came_to.error}")
                raise self._bug(called, "does not raise")
            if not isinstance(came_to, native.Next):
                raise self._bug(called, "is not taken")
            values, after = came_to.values, layout.encode(came_to.values)
            told.append(Step(called, layout.changes(before, after)))
            before = after
        assert goal.property is not None
        failed = self._failed(goal.property, values)
        if failed is None:
            raise self._bug(goal.name, "is true at the end of it")
        return Counterexample(layout.show(first), tuple(told), failed)

    def _bug(self, what: str, how: str) -> Disagreement:
        return Disagreement(f"{self.model.name}: the solver found a path on which, for CPython, {what} {how}")

    def _value(self, cell: CellAt, model: Any) -> object:
        steps, symbol = self.steps, cell.variable.symbol
        keys = tuple(steps.place(key) for key in cell.keys)

        def held(absent: bool) -> Any:
            return model.eval(steps.at(steps.terms.ground(symbol, keys, absent), 0), model_completion=True)

        if symbol.optional and steps.z3.is_true(held(True)):
            return None
        return steps.decoded(held(False), symbol.type)

    def _failed(self, property: Property, values: Values) -> str | None:
        """What is false at the end, for the first arguments for which it is; ``None`` when nothing is."""
        layout = self.steps.layout
        instance, universal = native.load(layout, values), property.universal
        if property.variable is not None:
            for cell in layout.cells:
                if cell.variable is property.variable and not is_true(layout, instance, values, property, cell.keys):
                    return f"{cell} = {value_text(values[cell.key])} leaves its Range"
            return None
        for arguments in layout.arguments(universal.parameters):
            if not is_true(layout, instance, values, property, arguments):
                assert property.lifted is not None
                return f"{property.at(arguments)}: {failed_clause(property.lifted, layout, values, arguments)}"
        return None

    # -- k-induction -------------------------------------------------------------------------------------------

    def _induct(self, k: int) -> None:
        """Which of what is open is k-inductive together: drop what fails until nothing does."""
        self.progress(f"prove {self.model.name}: induction over {k} step{'s' if k > 1 else ''}")
        solver, steps = Solver(self.steps.terms, self.bounds.rlimit), self.steps
        for place in range(k + 1):
            solver.add(steps.domain(place))
            for name, term in self.known.items():
                solver.add(steps.at(term, place), name)
        for place in range(k):
            solver.add(steps.at(steps.step, place))
            for goal in self._live():
                solver.add(steps.at(goal.holds, place), goal.name)
            if self.bounds.distinct:  # the last state is not among those before it, for those are good
                for other in range(place):
                    solver.add(steps.differ(other, place))
        alive = {goal.name: goal for goal in self._live()}
        cores: dict[str, frozenset[str]] = {}
        while todo := [goal for goal in alive.values() if goal.name not in cores]:
            for goal in todo:
                with solver.within():
                    solver.add(steps.at(goal.fails, k))
                    reply = solver.check([*alive, *self.known])
                if isinstance(reply, Unsat):
                    cores[goal.name] = reply.core
                else:
                    del alive[goal.name]
                    cores = {name: core for name, core in cores.items() if goal.name not in core}
        hypotheses = (*alive, *self.known)
        for name, goal in alive.items():
            self.found[name] = Inductive(k, tuple(o for o in hypotheses if o in cores[name] and o != name))
            self.known[name] = goal.holds
            if self.depth >= 0:
                for place in range(self.depth + 1):
                    self.base.add(steps.at(goal.holds, place))


class _Least:
    """Narrows what the solver may answer, choice by choice, to the first possible; ``model`` is the last answer."""

    def __init__(self, solver: Solver, model: Any) -> None:
        self.solver, self.model = solver, model

    def first(self, choices: Sequence[Term]) -> int:
        """The first of these that is possible; it is fixed from now on."""
        terms = self.solver.terms
        low, high = 0, next(i for i, term in enumerate(choices) if self._is_true(term))
        while low < high:
            middle = (low + high) // 2
            with self.solver.within():
                self.solver.add(terms.join("or", list(choices[low : middle + 1])))
                reply = self.solver.check()
                if isinstance(reply, Sat):
                    self.model = reply.model
            if isinstance(reply, Unknown):
                break  # a shortest path it is all the same
            if isinstance(reply, Sat):
                high = next(i for i, term in enumerate(choices) if self._is_true(term))
            else:
                low = middle + 1
        self.solver.add(choices[high])
        return high

    def _is_true(self, term: Term) -> bool:
        return bool(self.solver.terms.z3.is_true(self.model.eval(term, model_completion=True)))
