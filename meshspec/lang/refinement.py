"""``@refinement``: how the states of one model are seen as states of a simpler one, stated in plain Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType, MappingProxyType
from typing import Any, TypeVar, cast

import attrs

from meshspec.errors import ModelError, Where
from meshspec.lang.declare import is_model, undecorated
from meshspec.lang.places import where_is, where_now
from meshspec.sorts import Sort, is_sort

_C = TypeVar("_C")
_A = TypeVar("_A")


@attrs.frozen(eq=False)
class Refinement:
    """What ``@refinement`` makes of a mapping: which model is seen as which, and how.

    ``sorts`` says which sort of the concrete model each sort of the abstract one that it does not share has its size
    from.
    """

    concrete: type[Any]
    abstract: type[Any]
    mapping: Callable[[Any, Any], None]
    sorts: Mapping[type[Sort], type[Sort]]

    @property
    def name(self) -> str:
        return self.mapping.__name__

    @property
    def where(self) -> Where:
        return where_is(self.mapping)


def refinement(
    concrete: type[_C], abstract: type[_A], /, *, sorts: Mapping[type[Sort], type[Sort]] = MappingProxyType({})
) -> Callable[[Callable[[_C, _A], None]], Refinement]:
    """State that `concrete` refines `abstract` under the mapping that is decorated.

    The mapping looks at a concrete state and assigns every variable of the abstract one; ``meshspec refine`` checks
    every step. A set starts empty. Members of a sort that both models share stay what they are; for one that they do
    not, ``sorts={Account: Manager}`` says that there are as many accounts as managers: ``Account(m.index)``.

        @refinement(TwoPhase, TransactionCommit)
        def decisions(c: TwoPhase, a: TransactionCommit) -> None:
            a.part = each(Manager, lambda m: c.part[m])

    Raises :class:`ModelError` for what is no model, no function of two states, or no pair of sorts.
    """
    here = where_now()
    given: tuple[Any, ...] = (concrete, abstract)
    for one in given:
        kind: object = cast("object", type(one))
        if not is_model(one):
            problem = undecorated(one) if isinstance(one, type) else ""
            hint = " (give the class; constants are chosen in a subclass)" if is_model(kind) else ""
            raise ModelError(problem or f"@refinement relates two models, and {one!r} is none{hint}", here)
    for pair in sorts.items():
        for one in pair:
            if not is_sort(one):
                raise ModelError(f"@refinement: sorts pairs sorts, {{Account: Manager}}, and {one!r} is none", here)

    def mapped(mapping: Callable[[_C, _A], None]) -> Refinement:
        if not isinstance(mapping, FunctionType):
            raise ModelError(f"@refinement marks a function, not {mapping!r}", here)
        if len(inspect.signature(mapping).parameters) != 2:
            shape = f"def {mapping.__name__}(c: {concrete.__name__}, a: {abstract.__name__}) -> None"
            raise ModelError(f"{mapping.__name__} takes a concrete and an abstract state: {shape}", where_is(mapping))
        return Refinement(concrete, abstract, mapping, dict(sorts))

    return mapped
