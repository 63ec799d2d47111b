"""Counterexamples to induction: a state that the solver found, run on CPython before anyone is shown it.

The solver's state becomes a concrete scope. Every hypothesis is evaluated natively for all its arguments there, the
action is run natively, and the property must come out natively false. Anything else is told as a reason, not shown.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from meshspec.backends import native
from meshspec.backends.evaluate import evaluate, failed_clause
from meshspec.backends.layout import CellAt, Layout, Values
from meshspec.backends.solver import Value
from meshspec.engines.inductive import Property
from meshspec.errors import UsageError
from meshspec.expr.nodes import Name, Node, Symbol
from meshspec.expr.text import value_text
from meshspec.lang.containers import Map
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Blocks, Raises
from meshspec.sorts import Sort, scope

MAX_EVALUATIONS = 50_000


class Structure(Protocol):
    """A state that a solver found, with values for the parameters of action and property.

    ``value`` and ``cell`` may raise :class:`meshspec.backends.solver.Leaves`.
    """

    @property
    def sizes(self) -> Mapping[type[Sort], int]: ...

    def value(self, node: Node) -> Value: ...

    def cell(self, symbol: Symbol, keys: tuple[Value, ...]) -> Value | None: ...


@attrs.frozen
class Found:
    """A structure in plain values: cells by variable and keys, parameters by name."""

    sizes: Mapping[type[Sort], int]
    cells: Mapping[tuple[str, tuple[Value, ...]], Value | None]
    names: Mapping[Node, Value]

    def value(self, node: Node) -> Value:
        return self.names[node]

    def cell(self, symbol: Symbol, keys: tuple[Value, ...]) -> Value | None:
        return self.cells[symbol.name, keys]


@attrs.frozen
class Cti:
    """A state before in words, the action taken in it, what that changes, and what is false afterwards.

    ``unlike`` are the cells of the state that do not hold what they hold at the start, and the entries of constant
    tables that are not the model's: a proof is about all tables.
    """

    scope: dict[str, int]
    state: dict[str, str]
    unlike: dict[str, str]
    action: str
    changes: dict[str, tuple[str, str]]
    failed: str

    @property
    def difference(self) -> str:
        """The state before and what the action makes of it, only what matters: to be read in a sentence."""
        here = ", ".join(f"{cell} = {value}" for cell, value in self.unlike.items())
        changed = ", ".join(f"{cell} {old} -> {new}" for cell, (old, new) in self.changes.items())
        state = f"where {here} and all else is as at the start" if here else "at the start"
        return f"{state}, {self.action} changes {changed}" if changed else f"{state}, by {self.action}"

    def facts(self) -> dict[str, object]:
        changes = {cell: list(values) for cell, values in self.changes.items()}
        return {
            "scope": self.scope,
            "state": self.state,
            "unlike the start": self.unlike,
            "action": self.action,
            "changes": changes,
            "false": self.failed,
        }


def replay(
    model: LiftedModel,
    structure: Structure,
    action: Lifted,
    property: Property | None,
    hypotheses: Sequence[Property],
) -> Cti | str:
    """The step on CPython: `property` is false after it (without one: it raises), or the reason why not."""
    try:
        layout = _layout(_with_tables(model, structure), structure)
    except UsageError as error:
        return str(error)
    before = _values(layout, structure)
    problem = _false_hypothesis(layout, before, hypotheses)
    if problem:
        return problem
    arguments = tuple(structure.value(Name(p.name, p.type)) for p in action.parameters)
    called = action.called(arguments)
    came_to = native.run(layout, action, before, arguments)
    shown = layout.show(layout.encode(before))
    unlike = _unlike(layout, before, _layout(model, structure))
    if property is None:
        if not isinstance(came_to, Raises):
            return f"{called} does not raise in the replayed state"
        return Cti(layout.scope_names, shown, unlike, called, {}, f"{called} raises {came_to.error}")
    if not isinstance(came_to, native.Next):
        how = "is not enabled" if isinstance(came_to, Blocks) else "raises"
        return f"{called} {how} in the replayed state"
    failed = _failure(layout, came_to.values, property, structure)
    if failed is None:
        return f"{property.name} is true after {called} in the replayed state"
    changes = layout.changes(layout.encode(before), layout.encode(came_to.values))
    return Cti(layout.scope_names, shown, unlike, called, changes, failed)


def replay_initial(model: LiftedModel, structure: Structure, property: Property) -> Cti | str:
    """The initial state on CPython, with the model's own constants: `property` is false in it, or why not."""
    try:
        layout = _layout(model, structure)
    except UsageError as error:
        return str(error)
    values: dict[tuple[str, tuple[object, ...]], object] = {}
    for cell in layout.cells:
        first = cell.variable.initial[0]
        fixed = len(cell.variable.initial) == 1 and not isinstance(first, type)
        values[cell.key] = first if fixed else _cell(structure, cell)
        if not _may_start_at(cell, values[cell.key]):
            return f"{cell} does not start at {value_text(values[cell.key])}"
    failed = _failure(layout, values, property, structure)
    if failed is None:
        return f"{property.name} is true in the replayed initial state"
    return Cti(layout.scope_names, layout.show(layout.encode(values)), {}, "", {}, failed)


def _unlike(layout: Layout, values: Values, own: Layout) -> dict[str, str]:
    """Where a state is unlike the start, and a table unlike that of the model as it is."""
    cells = (cell for cell in layout.cells if not _may_start_at(cell, values[cell.key]))
    unlike = {str(cell): value_text(values[cell.key]) for cell in cells}
    for variable in layout.model.declared.variables:
        if variable.constant:
            name, type = variable.symbol.name, variable.symbol.type
            every = itertools.product(*(layout.values(key) for key in variable.symbol.keys))
            for keys, held, usual in zip(every, layout.tables[name], own.tables[name], strict=True):
                if held != usual:
                    unlike[str(CellAt(variable, keys))] = value_text(layout.decode_value(held, type))
    return unlike


def _layout(model: LiftedModel, structure: Structure) -> Layout:
    """The scope of the solver's state; one action is taken in it, so it may have more actions than can be listed."""
    actions = tuple(attrs.evolve(action, parameters=()) for action in model.actions)
    claims = tuple(attrs.evolve(claim, parameters=()) for claim in model.claims)
    return Layout(attrs.evolve(model, actions=actions, claims=claims), structure.sizes)


def _may_start_at(cell: CellAt, value: object) -> bool:
    return any(
        isinstance(value, option) if isinstance(option, type) else type(value) is type(option) and value == option
        for option in cell.variable.initial
    )


def _with_tables(model: LiftedModel, structure: Structure) -> LiftedModel:
    """The model with the constant tables that the solver chose: a proof is about all of them."""
    tables = [variable for variable in model.declared.variables if variable.constant]
    if not tables:
        return model
    layout = _layout(model, structure)
    instance = native.load(layout, _values(layout, structure))
    for variable in tables:
        symbol = variable.symbol
        entries: dict[object, object] = {}
        for keys in itertools.product(*(layout.values(key) for key in symbol.keys)):
            entries[keys[0] if len(keys) == 1 else keys] = structure.cell(symbol, keys)
        holder = instance
        for part in variable.path[:-1]:
            holder = getattr(holder, part)
        vars(holder)[variable.path[-1]] = Map(next(iter(entries.values())), entries)
    return attrs.evolve(model, instance=instance)


def _values(layout: Layout, structure: Structure) -> Values:
    return {cell.key: _cell(structure, cell) for cell in layout.cells}


def _cell(structure: Structure, cell: CellAt) -> object:
    return structure.cell(cell.variable.symbol, cell.keys)  # type: ignore[arg-type]  # keys are values of the scope


def _false_hypothesis(layout: Layout, values: Values, hypotheses: Sequence[Property]) -> str:
    """A hypothesis that is natively false for some arguments in this state, or an empty string."""
    instance = native.load(layout, values)
    for hypothesis in hypotheses:
        parameters = hypothesis.universal.parameters
        domains = [layout.values(p.type, hypothesis.universal.bounds.get(p.name)) for p in parameters]
        many = 1
        for domain in domains:
            many *= len(domain)
        if many > MAX_EVALUATIONS:
            return f"{hypothesis.name} has too many arguments to be evaluated in the replayed state"
        for arguments in itertools.product(*domains):
            if not is_true(layout, instance, values, hypothesis, arguments):
                return f"hypothesis {hypothesis.at(arguments)} is false in the replayed state"
    return ""


def _failure(layout: Layout, values: Values, property: Property, structure: Structure) -> str | None:
    """What is false of the property in this state, at the arguments the solver chose; ``None`` if it is true."""
    parameters = property.universal.parameters
    arguments = tuple(structure.value(Name(f"{p.name}'", p.type)) for p in parameters)
    if is_true(layout, native.load(layout, values), values, property, arguments):
        return None
    if property.lifted is not None:
        clause = failed_clause(property.lifted, layout, values, arguments)
        return f"{property.at(arguments)}: {clause}"
    if property.variable is None:
        return f"{property.at(arguments)} is false"
    cell = CellAt(property.variable, arguments)
    return f"{cell} = {value_text(values[cell.key])} leaves its Range"


def is_true(layout: Layout, instance: Any, values: Values, property: Property, arguments: tuple[Any, ...]) -> bool:
    """The property on CPython: a claim by running its body, a Range by looking at the cell, a formula as it says."""
    if property.lifted is not None:
        subject = instance
        for part in property.lifted.method.path:
            subject = getattr(subject, part)
        own, _ = property.lifted.assembled(arguments)
        try:
            with scope(layout.sizes):
                return property.lifted.method.function(subject, *own) is True
        except KeyboardInterrupt:  # the user's, who wants to stop
            raise
        except BaseException:  # whatever else a body raises makes the claim false, SystemExit too
            return False
    if property.variable is None or property.bounds is None:
        names = {p.name: value for p, value in zip(property.universal.parameters, arguments, strict=True)}
        return evaluate(property.universal.body, layout, values, names) is True
    value = values[property.variable.symbol.name, arguments]
    return value is None or (isinstance(value, int) and value in property.bounds)
