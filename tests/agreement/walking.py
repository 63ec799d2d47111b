"""A second search: breadth first with nothing but CPython, to be held against `explore` and `simulate`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from meshspec.answer import Counterexample, Finding
from meshspec.backends import native
from meshspec.backends.layout import CellAt, Layout, State, Values
from meshspec.errors import Blocked
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Blocks, Raises
from meshspec.lang.words import choosing, chosen
from meshspec.sorts import Sort, scope

Step = tuple[str, tuple[Any, ...], State | None, str]
"""An action, its arguments, the state it leads to, or ``None`` and what it raises."""


@attrs.define
class Walked:
    """What CPython alone finds: states by layer; ``complete`` unless the budget of runs was spent.

    ``first`` is the depth at which a claim is first false, an error first raised, a Range first left.
    """

    layers: list[set[State]] = attrs.field(factory=list[set[State]])
    order: list[State] = attrs.field(factory=list[State])
    steps: dict[State, list[Step]] = attrs.field(factory=dict[State, list[Step]])
    deadlocks: set[State] = attrs.field(factory=set[State])
    left: set[State] = attrs.field(factory=set[State])
    first: dict[str, int] = attrs.field(factory=dict[str, int])
    bad_ends: set[State] = attrs.field(factory=set[State])
    unwitnessed: dict[str, set[tuple[Any, ...]]] = attrs.field(factory=dict[str, set[tuple[Any, ...]]])
    fired: set[str] = attrs.field(factory=set[str])
    runs: int = 0
    complete: bool = False


class Walker:
    """Breadth first over one model at one scope, on CPython only."""

    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int], budget: int) -> None:
        self.model, self.budget = model, budget
        self.layout = Layout(model, sizes)
        self.found = Walked()

    def go(self) -> Walked:
        found, seen = self.found, set[State]()
        layer = list(dict.fromkeys(self._initial()))
        while layer:
            seen.update(layer)
            found.layers.append(set(layer))
            found.order += layer
            for state in layer:
                self._look(state)
            following: dict[State, None] = {}
            for state in layer:
                if state in found.left:
                    continue
                if found.runs > self.budget:
                    return found
                steps = list(self._steps(state))
                found.steps[state] = steps
                if not steps:
                    self._ends(state)
                for name, _, reached, _ in steps:
                    if reached is None:
                        found.first.setdefault("no action raises", len(found.layers) - 1)
                        continue
                    found.fired.add(name)
                    if reached not in seen:
                        following[reached] = None
            layer = list(following)
        found.complete = True
        return found

    def _initial(self) -> Iterator[State]:
        """Every initial state from what is declared, in the order in which it is declared."""
        options: list[list[Any]] = []
        for cell in self.layout.cells:
            mine: list[Any] = []
            for value in cell.variable.initial:
                if isinstance(value, type):
                    with scope(self.layout.sizes):
                        mine += [member.index for member in value]  # type: ignore[attr-defined]  # a sort
                else:
                    mine.append(self.layout.encode_value(value))
            options.append(mine)
        return iter(itertools.product(*options))

    def _steps(self, state: State) -> Iterator[Step]:
        values = self.layout.decode(state)
        for lifted in self.model.actions:
            every = self.layout.arguments(lifted.parameters)
            for arguments in dict.fromkeys(lifted.assembled(one)[0] for one in every):
                once: dict[Step, None] = {}  # two choices that lead to one state are one step here
                for came_to in self._every_choice(lifted, values, arguments):
                    if isinstance(came_to, Raises):
                        once[lifted.name, arguments, None, came_to.error] = None
                    elif isinstance(came_to, native.Next):
                        once[lifted.name, arguments, self.layout.encode(came_to.values), ""] = None
                yield from once

    def _every_choice(self, lifted: Lifted, values: Values, arguments: tuple[Any, ...]) -> Iterator[native.Native]:
        """One run for each way to answer the choices that the body makes, the last choice fastest."""
        script: list[int] = []
        while True:
            sizes: list[int] = []

            def answer(options: Sequence[object], script: list[int] = script, sizes: list[int] = sizes) -> object:
                place = len(sizes)
                sizes.append(len(options))
                if place == len(script):
                    script.append(0)
                return options[script[place]]

            yield self._run(lifted, values, arguments, answer)
            while script and script[-1] + 1 == sizes[len(script) - 1]:
                script.pop()
            if not script:
                return
            script[-1] += 1

    def _run(self, lifted: Lifted, values: Values, arguments: tuple[Any, ...], answer: Any) -> native.Native:
        self.found.runs += 1
        instance = native.load(self.layout, values)
        token = choosing(answer)
        try:
            with scope(self.layout.sizes):
                lifted.method.function(instance, *arguments)
        except Blocked:
            return Blocks()
        except Exception as error:  # whatever the body raises is an outcome of it
            return Raises(type(error).__name__)
        finally:
            chosen(token)
        return native.Next(native.dump(self.layout, instance))

    def _says(self, lifted: Lifted, values: Values, arguments: tuple[Any, ...]) -> bool:
        self.found.runs += 1
        return native.run(self.layout, lifted, values, arguments) == native.Value(True)

    def _look(self, state: State) -> None:
        found, depth, values = self.found, len(self.found.layers) - 1, self.layout.decode(state)
        for lifted in self.model.claims:
            every = self.layout.arguments(lifted.parameters)
            if lifted.method.kind in ("always", "lemma"):
                if lifted.name not in found.first and not all(self._says(lifted, values, one) for one in every):
                    found.first[lifted.name] = depth
            elif lifted.method.kind == "sometimes":
                missing = found.unwitnessed.setdefault(lifted.name, set(every))
                missing -= {one for one in missing if self._says(lifted, values, one)}
        for cell in self.layout.cells:
            bounds, value = cell.variable.range, values[cell.key]
            if bounds is not None and value is not None:
                inside = bounds.of(self.model.instance)
                if value not in inside:
                    found.left.add(state)
                    found.first.setdefault(f"{cell.variable.symbol.name} stays in {inside[0]}..{inside[-1]}", depth)

    def _ends(self, state: State) -> None:
        self.found.deadlocks.add(state)
        for lifted in self.model.claims:
            if lifted.method.kind == "terminal" and not self._says(lifted, self.layout.decode(state), ()):
                self.found.bad_ends.add(state)


def replayed(model: LiftedModel, sizes: Mapping[type[Sort], int], finding: Finding) -> str:
    """What is wrong with a counterexample when CPython takes its steps; empty when nothing is."""
    path = finding.counterexample
    if path is None:
        return "there is no counterexample"
    layout = Layout(model, sizes)
    state = next((one for one in layout.initial_states() if layout.show(one) == dict(path.initial)), None)
    if state is None:
        return f"it does not start in an initial state: {dict(path.initial)}"
    return _followed(model, layout, state, path, finding)


def _followed(model: LiftedModel, layout: Layout, state: State, path: Counterexample, finding: Finding) -> str:
    by_label: dict[str, list[tuple[Lifted, tuple[Any, ...]]]] = {}
    for lifted in model.actions:
        for arguments in layout.arguments(lifted.parameters):
            by_label.setdefault(lifted.called(arguments), []).append((lifted, arguments))
    for number, step in enumerate(path.steps):
        came_to = [native.run(layout, lifted, layout.decode(state), args) for lifted, args in by_label[step.action]]
        if number == len(path.steps) - 1 and step.note:
            raised = [f"raises {one.error}" for one in came_to if isinstance(one, Raises)]
            return "" if step.note in raised else f"{step.action}: {step.note} is said, CPython: {came_to}"
        reached = [layout.encode(one.values) for one in came_to if isinstance(one, native.Next)]
        fitting = [one for one in reached if layout.changes(state, one) == dict(step.changes)]
        if not fitting:
            return f"step {number + 1}, {step.action}, changes {dict(step.changes)} is said, CPython: {came_to}"
        state = fitting[0]
    return _refuted(model, layout, state, finding)


def _has_left(cell: CellAt, value: object, model: LiftedModel) -> bool:
    bounds = cell.variable.range
    return bounds is not None and value is not None and value not in bounds.of(model.instance)


def _refuted(model: LiftedModel, layout: Layout, state: State, finding: Finding) -> str:
    """Whether the last state refutes what the finding is about."""
    values = layout.decode(state)
    if finding.kind == "range":
        shown = finding.counterexample.failed if finding.counterexample is not None else ""
        left = [cell for cell in layout.cells if _has_left(cell, values[cell.key], model)]
        return "" if any(shown.startswith(str(cell)) for cell in left) else f"{shown}: no such cell"
    if finding.kind == "terminal":
        lifted = next(claim for claim in model.claims if claim.method.kind == "terminal")
    else:
        lifted = next(claim for claim in model.claims if claim.name == finding.property)
    every = layout.arguments(lifted.parameters)
    said = [native.run(layout, lifted, values, one) for one in every]
    return "" if any(one != native.Value(True) for one in said) else f"{lifted.name} is true at the end of its path"
