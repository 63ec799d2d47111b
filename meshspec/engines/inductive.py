"""What an induction may be about: the claims that speak of every reachable state, and the Ranges of variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from meshspec.backends.after import tidied
from meshspec.backends.instances import Universal, within
from meshspec.backends.layout import range_name
from meshspec.expr.build import disj
from meshspec.expr.nodes import Absent, Cell, Name
from meshspec.lang.declare import Parameter, Variable
from meshspec.lang.lift import Lifted, LiftedModel, label
from meshspec.sorts import Range


@attrs.frozen(eq=False)
class Property:
    """Something that may be true of every reachable state; ``lifted`` for a claim, ``variable`` for a Range.

    With neither it is a formula that nobody wrote: a candidate for a lemma. ``bounds`` are those of the variable.
    """

    name: str
    kind: str
    universal: Universal
    lifted: Lifted | None = None
    variable: Variable | None = None
    bounds: range | None = None

    @property
    def where(self) -> str:
        return str(self.lifted.method.where) if self.lifted is not None else ""

    def at(self, arguments: Sequence[Any]) -> str:
        """The property at values of its parameters, as counterexamples print it."""
        return self.lifted.called(arguments) if self.lifted is not None else label(self.name, tuple(arguments))


def bounds_of(parameters: Iterable[Parameter], constants: object) -> dict[str, range]:
    return {p.name: p.range.of(constants) for p in parameters if isinstance(p.range, Range)}


def properties_of(model: LiftedModel) -> list[Property]:
    """Every claim that an induction may be about, then every Range."""
    found: list[Property] = []
    for lifted in model.claims:
        if lifted.method.kind in ("always", "lemma"):
            bounds = bounds_of(lifted.parameters, model.instance)
            universal = Universal(tidied(lifted.claim), lifted.parameters, bounds)
            found.append(Property(lifted.name, lifted.method.kind, universal, lifted=lifted))
    for variable in model.declared.variables:
        if variable.range is not None and not variable.constant:
            found.append(_range(variable, model.instance))
    return found


def _range(variable: Variable, constants: object) -> Property:
    assert variable.range is not None
    symbol = variable.symbol
    parameters = tuple(Parameter(f"key{place}", type) for place, type in enumerate(symbol.keys))
    keys = tuple(Name(p.name, p.type) for p in parameters)
    bounds = variable.range.of(constants)
    inside = within(Cell(symbol, keys), bounds)
    body = disj(Absent(symbol, keys), inside) if symbol.optional else inside
    name = range_name(variable, constants)
    return Property(name, "range", Universal(body, parameters), variable=variable, bounds=bounds)
