"""The reference meaning: CPython runs the author's method on a state."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from typing import Any

import attrs

from meshspec.backends.layout import Key, Layout, Values
from meshspec.errors import Blocked
from meshspec.expr.text import cell_text, value_text
from meshspec.lang.containers import Map, SetOf, owned
from meshspec.lang.declare import PARTS, Variable, declared
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Blocks, Raises
from meshspec.lang.words import choice_name, choosing, chosen
from meshspec.sorts import scope


@attrs.frozen
class Next:
    """The action was taken and led here."""

    values: Values


@attrs.frozen
class Value:
    """The claim returned this."""

    value: bool


Native = Next | Value | Blocks | Raises


def load(layout: Layout, values: Values) -> Any:
    """A model instance in the given state."""
    fresh = _copy(layout.model.instance)
    for variable in layout.model.declared.variables:
        if not variable.constant:
            vars(_holder(fresh, variable))[variable.path[-1]] = _kept(layout, variable, values)
    return fresh


def _copy(instance: object) -> object:
    fresh = copy.copy(instance)
    for name, _ in declared(type(instance)).submachines:
        vars(fresh)[name] = _copy(getattr(instance, name))
    return fresh


def _holder(instance: object, variable: Variable) -> object:
    for part in variable.path[:-1]:
        instance = vars(instance)[part]
    return instance


def _kept(layout: Layout, variable: Variable, values: Values) -> Any:
    symbol = variable.symbol
    if not symbol.keys:
        return values[symbol.name, ()]
    first = layout.base[symbol.name]
    mine = itertools.takewhile(lambda cell: cell.variable is variable, itertools.islice(layout.cells, first, None))
    entries = {cell.keys: values[symbol.name, cell.keys] for cell in mine}
    if variable.is_set:
        held = owned(SetOf[Any](), symbol)
        for keys, inside in entries.items():
            if inside:
                held.add(keys[0])
        return held
    flat = {keys[0] if len(keys) == 1 else keys: value for keys, value in entries.items()}
    return owned(Map[Any, Any](None, flat), symbol)


def dump(layout: Layout, instance: object) -> Values:
    """The state that a model instance is in."""
    values: dict[Key, object] = {}
    for cell in layout.cells:
        held: Any = vars(_holder(instance, cell.variable))[cell.variable.path[-1]]
        if not cell.keys:
            values[cell.key] = held
        elif cell.variable.is_set:
            values[cell.key] = cell.keys[0] in held
        else:
            values[cell.key] = held[cell.keys[0] if len(cell.keys) == 1 else cell.keys]
    return values


def run(layout: Layout, lifted: Lifted, values: Values, arguments: Sequence[Any]) -> Native:
    """What CPython makes of the method on this state; `arguments` are those of ``lifted.parameters``."""
    return call(layout, lifted, load(layout, values), arguments)


def call(layout: Layout, lifted: Lifted, instance: Any, arguments: Sequence[Any]) -> Native:
    """What CPython makes of the method on an instance, which is changed by it."""
    subject = instance
    for part in lifted.method.path:
        subject = getattr(subject, part)
    own, picked = lifted.assembled(arguments)
    answers = dict(zip((p.name for p in lifted.choices), picked, strict=True))
    asked = 0

    def choose(options: Sequence[object]) -> object:
        nonlocal asked
        asked += 1
        return answers.get(choice_name(asked, options), options[0])

    token = choosing(choose)
    try:
        with scope(layout.sizes):
            result = lifted.method.function(subject, *own)
    except Blocked:
        return Blocks()
    except Exception as error:  # whatever an author's body raises is an outcome of it
        return Raises(type(error).__name__)
    finally:
        chosen(token)
    if lifted.method.kind in PARTS:
        return Next(dump(layout, instance))
    return Value(bool(result))


def told(outcome: object, values: Values) -> str:
    """An outcome in words: only what changed."""
    match outcome:
        case Blocks():
            return "is blocked"
        case Raises(error):
            return f"raises {error}"
        case Value(value):
            return f"says {value}"
        case Next(after):
            changed = [
                f"{cell_text(name, tuple(map(value_text, keys)))}={value_text(value)}"
                for (name, keys), value in after.items()
                if value != values[name, keys]
            ]
            return f"leads to {', '.join(changed) or 'the same state'}"
        case _:
            return str(outcome)
