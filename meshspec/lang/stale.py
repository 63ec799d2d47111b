"""Whether what a model speaks of was defined again since: a cell that was run once more, a module loaded anew.

The model still ranges over the old class while its methods find the new one by its name, and no value of one is a
value of the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from meshspec.errors import ModelError
from meshspec.expr.nodes import EnumType, SortType
from meshspec.lang.declare import Declared
from meshspec.lang.places import where_is


def refuse_stale(known: Declared) -> None:
    """Raise :class:`ModelError` where a sort, an enum or a nested model has a successor of the same name."""
    name, classes = known.cls.__name__, tuple(dict.fromkeys(_classes(known)))
    for method in known.methods:
        for cls in classes:
            found = getattr(method.function, "__globals__", {}).get(cls.__name__)
            if isinstance(found, type) and found is not cls and _names(found) == _names(cls):
                raise ModelError(
                    f"{cls.__name__} was defined again after {name}: run the cell that defines {name} again "
                    "(or import its file anew)",
                    where_is(known.cls),
                )


def _classes(known: Declared) -> Iterator[type]:
    types = [one for variable in known.variables for one in (*variable.symbol.keys, variable.symbol.type)]
    types += [parameter.type for method in known.methods for parameter in method.parameters]
    yield from (one.cls for one in types if isinstance(one, (SortType, EnumType)))
    yield from (cls for _, cls in known.submachines)


def _names(cls: type) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__
