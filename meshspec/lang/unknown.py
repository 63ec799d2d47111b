"""An attribute that a body reads and its model has not: refused where it is read, as one that is written is.

On CPython it raises AttributeError, which would be told as what the action does, and is a slip of the pen.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, NoReturn

from meshspec.lang.declare import Declared


def unknown(cls: type, known: Declared, refuse: Callable[[str], NoReturn]) -> Callable[[Any, str], object]:
    """A ``__getattr__`` for the lifted instances of a class, which gives way to one that the class has."""
    own_way: Callable[[Any, str], object] | None = getattr(cls, "__getattr__", None)
    if own_way is not None:
        return own_way
    has = [variable.path[0] for variable in known.variables]
    has += [*known.constants, *(name for name, _ in known.submachines)]

    def missing(_self: Any, name: str) -> NoReturn:
        if hasattr(cls, name) or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)  # a property whose own body raised it, or Python asking what it can do
        own = [one for one in dir(cls) if not one.startswith("_")]
        close = difflib.get_close_matches(name, list(dict.fromkeys([*has, *own])), 3)
        said = f"did you mean {' or '.join(close)}?" if close else f"it has {', '.join(dict.fromkeys(has))}"
        refuse(f"{cls.__name__} has no {name!r} to read; {said}")

    return missing
