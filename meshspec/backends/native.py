"""The reference meaning: CPython runs the author's method on a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from weakref import WeakKeyDictionary

import attrs

from meshspec.backends.layout import Key, Layout, Values
from meshspec.errors import Blocked
from meshspec.expr.text import cell_text, value_text
from meshspec.lang.containers import Map, SetOf, owned
from meshspec.lang.declare import PARTS, Variable, declared
from meshspec.lang.fences import Fenced, calling
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Blocks, Raises
from meshspec.lang.response import listening
from meshspec.lang.words import choice_name, choosing, chosen
from meshspec.sorts import scope


@attrs.frozen
class Next:
    """The action was taken and led here."""

    values: Values


@attrs.frozen
class Value:
    """The claim returned this; ``sides`` are those of the ``leads_to`` that it is."""

    value: bool
    sides: tuple[bool, bool] | None = None


Native = Next | Value | Blocks | Raises


def load(layout: Layout, values: Values) -> Any:
    """A model instance in the given state."""
    fresh = _copy(layout.model.instance)
    for place in _places(layout):
        vars(_holder(fresh, place.variable))[place.variable.path[-1]] = place.held(values)
    return fresh


def _copy(instance: object) -> object:
    fresh: object = object.__new__(type(instance))
    vars(fresh).update(vars(instance))
    for name, _ in declared(type(instance)).submachines:
        vars(fresh)[name] = _copy(getattr(instance, name))
    return fresh


def _holder(instance: object, variable: Variable) -> object:
    for part in variable.path[:-1]:
        instance = vars(instance)[part]
    return instance


@attrs.frozen
class _Place:
    """A variable with its cells: of each its name in a state, and the key under which the variable's map has it."""

    variable: Variable
    entries: tuple[tuple[Key, Any], ...]

    def held(self, values: Values) -> Any:
        """What a model instance holds for the variable in this state."""
        symbol = self.variable.symbol
        if not symbol.keys:
            return values[symbol.name, ()]
        if self.variable.is_set:
            members = owned(SetOf[Any](), symbol)
            for at, key in self.entries:
                if values[at]:
                    members.add(key)
            return members
        return owned(Map(None, {key: values[at] for at, key in self.entries}), symbol)


_PLACES: WeakKeyDictionary[Layout, tuple[_Place, ...]] = WeakKeyDictionary()


def _places(layout: Layout) -> tuple[_Place, ...]:
    found = _PLACES.get(layout)
    if found is None:
        entries: dict[str, list[tuple[Key, Any]]] = {}
        for cell in layout.cells:
            key = cell.keys[0] if len(cell.keys) == 1 else cell.keys
            entries.setdefault(cell.variable.symbol.name, []).append((cell.key, key))
        found = _PLACES[layout] = tuple(
            _Place(variable, tuple(entries[variable.symbol.name]))
            for variable in layout.model.declared.variables
            if not variable.constant
        )
    return found


def dump(layout: Layout, instance: object) -> Values:
    """The state that a model instance is in."""
    values: dict[Key, object] = {}
    for place in _places(layout):
        held: Any = vars(_holder(instance, place.variable))[place.variable.path[-1]]
        if not place.variable.symbol.keys:
            values[place.variable.symbol.name, ()] = held
        elif place.variable.is_set:
            inside = cast("dict[str, Any]", vars(held))
            values.update({at: key in inside["_members"] for at, key in place.entries})
        else:
            whole = cast("dict[str, Any]", vars(held))  # keys of ours need no check
            values.update({at: whole["_entries"].get(key, whole["_default"]) for at, key in place.entries})
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
        with scope(layout.sizes), listening() as heard, calling:
            result = lifted.method.function(subject, *own)
    except Blocked:
        return Blocks()
    except (Fenced, KeyboardInterrupt):  # stopped by us, or by the user, who wants to stop
        raise
    except BaseException as error:  # whatever else a body raises is an outcome of it, SystemExit too
        return Raises(type(error).__name__)
    finally:
        chosen(token)
    if lifted.method.kind in PARTS:
        return Next(dump(layout, instance))
    return Value(bool(result), (heard[0].before, heard[0].after) if heard else None)


def told(outcome: object, values: Values) -> str:
    """An outcome in words: only what changed."""
    match outcome:
        case Blocks():
            return "is blocked"
        case Raises(error):
            return f"raises {error}"
        case Value(value, sides):
            return f"says {value}" + (f", asked for {sides[0]} and come about {sides[1]}" if sides else "")
        case Next(after):
            changed = [
                f"{cell_text(name, tuple(map(value_text, keys)))}={value_text(value)}"
                for (name, keys), value in after.items()
                if value != values[name, keys]
            ]
            return f"leads to {', '.join(changed) or 'the same state'}"
        case _:
            return str(outcome)
