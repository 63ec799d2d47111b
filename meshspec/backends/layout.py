"""A model at a scope: its ground cells in a fixed order, their values, its initial states."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

import attrs

from meshspec.errors import ModelError, UsageError
from meshspec.expr.nodes import BoolType, EnumType, IntType, SortType, Type
from meshspec.expr.text import cell_text, value_text
from meshspec.lang.containers import order_of
from meshspec.lang.declare import Parameter, Variable
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.sequences import repeats, ways
from meshspec.sorts import Sort, is_sort, scope

MAX_CELLS = 20_000
MAX_GROUND_ACTIONS = 20_000

Key = tuple[str, tuple[object, ...]]
Values = Mapping[Key, object]
State = tuple[Any, ...]


@attrs.frozen
class CellAt:
    """One entry of a variable at a scope, for instance ``applied[effect0]``."""

    variable: Variable
    keys: tuple[object, ...]

    @property
    def key(self) -> Key:
        return self.variable.symbol.name, self.keys

    def __str__(self) -> str:
        return cell_text(self.variable.symbol.name, tuple(value_text(key) for key in self.keys))


NO_RAISE = "no action raises"  # the name of an obligation that nobody writes, for every engine that speaks of it


def range_name(variable: Variable, constants: object) -> str:
    """The name of the obligation that a variable's Range is.

    >>> # range_name(applied, ledger) == "applied stays in 0..3"
    """
    assert variable.range is not None
    bounds = variable.range.of(constants)
    return f"{variable.symbol.name} stays in {bounds[0]}..{bounds[-1]}"


def _width(values: range) -> int:
    """``len`` of a range of step one, however long."""
    return values.stop - values.start


class Layout:
    """Ground cells of `model` in a scope that gives every sort a size.

    A :data:`State` is a tuple with one entry per cell: a bool, an int, the position of an enum or sort member,
    or ``None``. Raises :class:`UsageError` for a sort without a size and for a scope that is too large to build.
    """

    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int]) -> None:
        self.model = model
        self.sizes = {sort: sizes[sort] for sort in model.sorts if sort in sizes}
        missing = [sort.__name__ for sort in model.sorts if sort not in sizes]
        if missing:
            wanted = ",".join(f"{name}=2" for name in missing)
            raise UsageError(f"{model.name} needs a size for {', '.join(missing)}: --scope {wanted}")
        self._refuse_giants()
        with scope(self.sizes):
            self.cells = tuple(
                CellAt(variable, keys)
                for variable in model.declared.variables
                if not variable.constant
                for keys in itertools.product(*(self.values(key) for key in variable.symbol.keys))
            )
            self.tables = {v.symbol.name: self._table(v) for v in model.declared.variables if v.constant}
        self.index: dict[Key, int] = {cell.key: position for position, cell in enumerate(self.cells)}
        self.base: dict[str, int] = {}
        for position, cell in enumerate(self.cells):
            self.base.setdefault(cell.variable.symbol.name, position)

    def _refuse_giants(self) -> None:
        def size(type: Type) -> int:
            match type:
                case SortType(cls):
                    return self.sizes[cls]
                case EnumType(cls):
                    return len(cls)
                case _:
                    return 2

        def width(p: Parameter) -> int:
            return _width(p.range.of(self.model.instance)) if p.range is not None else size(p.type)

        shown = ",".join(f"{sort.__name__}={n}" for sort, n in self.sizes.items())
        cells = sum(math.prod(size(key) for key in v.symbol.keys) for v in self.model.declared.variables)
        if cells > MAX_CELLS:
            raise UsageError(f"--scope {shown} gives {self.model.name} {cells:,} cells, more than {MAX_CELLS:,}")
        for lifted in (*self.model.actions, *self.model.claims):
            ground = ways(lifted.parameters, width, self.model.instance)
            if ground > MAX_GROUND_ACTIONS:
                raise UsageError(
                    f"--scope {shown} gives {lifted.name} {ground:,} combinations of arguments, "
                    f"more than {MAX_GROUND_ACTIONS:,}"
                )

    @property
    def scope_names(self) -> dict[str, int]:
        return {sort.__name__: size for sort, size in self.sizes.items()}

    def values(self, type: Type, bounds: range | None = None) -> tuple[Any, ...]:
        """All values of a type in this scope; an int needs `bounds`."""
        match type:
            case BoolType():
                return (False, True)
            case EnumType(cls):
                return tuple(cls)
            case SortType(cls):
                return tuple(cls(position) for position in range(self.sizes[cls]))
            case IntType():
                if bounds is None:
                    raise ModelError("an int without a Range has no finite set of values")
                return tuple(bounds)

    def arguments(self, parameters: Sequence[Parameter]) -> list[tuple[Any, ...]]:
        """Every combination of arguments, the last parameter fastest; those that are the same call only once."""
        constants = self.model.instance
        domains = [self.values(p.type, p.range.of(constants) if p.range else None) for p in parameters]
        every = itertools.product(*domains)
        if all(p.place is None for p in parameters):
            return list(every)
        return [values for values in every if not repeats(parameters, values, domains)]

    def ground_actions(self) -> list[tuple[Lifted, tuple[Any, ...]]]:
        """Every action with every combination of arguments, in the order of counterexamples."""
        return [(lifted, args) for lifted in self.model.actions for args in self.arguments(lifted.parameters)]

    def encode_value(self, value: object) -> Any:
        """What a state holds for a value; an enum's position, also where its members are ints."""
        return order_of(value) if isinstance(value, (Enum, Sort)) else value

    def decode_value(self, encoded: int | None, type: Type) -> object:
        if encoded is None:
            return None
        match type:
            case EnumType(cls):
                return list(cls)[encoded]
            case SortType(cls):
                return cls(encoded)
            case BoolType():
                return bool(encoded)
            case IntType():
                return encoded

    def encode(self, values: Values) -> State:
        return tuple(self.encode_value(values[cell.key]) for cell in self.cells)

    def decode(self, state: State) -> dict[Key, object]:
        """The state as a mapping from cells to the values an author knows."""
        return {
            cell.key: self.decode_value(encoded, cell.variable.symbol.type)
            for cell, encoded in zip(self.cells, state, strict=True)
        }

    def _table(self, variable: Variable) -> tuple[Any, ...]:
        table: Any = self.model.instance
        for part in variable.path:
            table = getattr(table, part)
        keys = itertools.product(*(self.values(key) for key in variable.symbol.keys))
        return tuple(self.encode_value(table[k[0] if len(k) == 1 else k]) for k in keys)

    def initial_states(self) -> Iterator[State]:
        """Every initial state, in the order in which `any_of` lists its values, the last cell fastest."""
        options: list[tuple[Any, ...]] = []
        for cell in self.cells:
            found: list[Any] = []
            for value in cell.variable.initial:
                found += range(self.sizes[value]) if is_sort(value) else [self.encode_value(value)]
            options.append(tuple(found))
        return itertools.product(*options)

    def show(self, state: State) -> dict[str, str]:
        """The whole state as text, by cell."""
        decoded = self.decode(state)
        return {str(cell): value_text(decoded[cell.key]) for cell in self.cells}

    def changes(self, before: State, after: State) -> dict[str, tuple[str, str]]:
        """Only what differs, as text, by cell."""
        old, new = self.show(before), self.show(after)
        return {name: (old[name], new[name]) for name in old if old[name] != new[name]}
