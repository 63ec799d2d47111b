"""seen: a concrete state as a state of the abstract model, by the mapping of a refinement.

The mapping runs on CPython on every state, as it stands, so there is nothing to certify. It runs twice, from two
abstract states that differ in every entry except those of sets, which start empty: what then differs was not
assigned, or does not depend on the concrete state alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from meshspec.backends import native
from meshspec.backends.layout import CellAt, Layout, State, Values
from meshspec.errors import Blocked, MeshspecError, ModelError
from meshspec.expr.nodes import INT, SortType
from meshspec.expr.text import value_text
from meshspec.lang.exits import no_way_out
from meshspec.lang.fences import calling
from meshspec.lang.places import where_raised
from meshspec.lang.refinement import Refinement
from meshspec.sorts import scope


class Seen:
    """Looks at states of one layout and gives states of another. Errors of the mapping are :class:`ModelError`."""

    def __init__(self, refinement: Refinement, concrete: Layout, abstract: Layout) -> None:
        self.refinement, self.concrete, self.abstract = refinement, concrete, abstract
        self.scope = scope({**concrete.sizes, **abstract.sizes})
        first = next(iter(abstract.initial_states()))
        self.starts = [abstract.decode(first)]
        self.starts.append({cell.key: self._other(cell, self.starts[0]) for cell in abstract.cells})

    def _other(self, cell: CellAt, values: Values) -> object:
        """Another value than this one, wherever there is one."""
        present, symbol = values[cell.key], cell.variable.symbol
        if cell.variable.is_set:
            return present
        if symbol.type == INT:
            return 0 if present is None else cast(int, present) + 1
        options = (*self.abstract.values(symbol.type), *((None,) if symbol.optional else ()))
        return next((value for value in options if value is not present), present)

    def __call__(self, state: State, way: Callable[[], str]) -> State:
        """The abstract state; `way` says how the concrete one is reached, for what goes wrong in it."""
        values = self.concrete.decode(state)
        once, again = (self._run(values, start, way) for start in self.starts)
        for cell in self.abstract.cells:
            if once[cell.key] != again[cell.key]:
                raise self._error(
                    f"leaves {cell} as it was, or makes it depend on something else than the concrete state: "
                    f"assign every variable of {self.abstract.model.name} from the concrete state alone"
                )
            self._within(cell, once[cell.key], way)
        return self.abstract.encode(once)

    def _run(self, values: Values, start: Values, way: Callable[[], str]) -> Values:
        concrete: Any = native.load(self.concrete, values)
        abstract: Any = native.load(self.abstract, start)
        name = self.refinement.name
        try:
            with self.scope, no_way_out(), calling:
                mapping: Callable[[Any, Any], object] = self.refinement.mapping  # whatever its annotation says
                result = mapping(concrete, abstract)
        except Blocked as error:
            raise ModelError(f"{name} uses require: a mapping sees every state", where_raised(error)) from None
        except MeshspecError as error:
            known = isinstance(error, ModelError) and error.where is not None
            raise error if known else ModelError(f"{name}: {error}", where_raised(error)) from None
        except KeyboardInterrupt:  # the user's, who wants to stop
            raise
        except BaseException as error:  # whatever else a mapping raises, it gives no state, SystemExit too
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise ModelError(
                f"{name} raises {what}, after {way()}", where_raised(error) or self.refinement.where
            ) from None
        if result is not None:
            raise self._error("returns nothing: it assigns the variables of its second argument")
        if native.dump(self.concrete, concrete) != values:
            raise self._error("changes the concrete state: it may only look at it")
        return native.dump(self.abstract, abstract)

    def _within(self, cell: CellAt, value: object, way: Callable[[], str]) -> None:
        type_ = cell.variable.symbol.type
        if isinstance(type_, SortType) and value is not None and value not in self.abstract.values(type_):
            has = self.abstract.sizes[type_.cls]
            raise self._error(
                f"gives {cell} the value {value_text(value)}, after {way()}; {type_} has {has} members here"
            )

    def _error(self, problem: str) -> ModelError:
        return ModelError(f"{self.refinement.name} {problem}", self.refinement.where)
