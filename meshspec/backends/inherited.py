"""Certificates that a model has from another: a method that is the very same in both need be tried only once.

An incident changes one method of its parent and inherits the others, and everybody's tests ask for all of them. A
method was tried already if its function is the same object, it lifted to the same trees in a model with the same
variables, sorts and constants, and every attribute that its code and the code it reaches name is the same object in
both classes. It is kept with the function, in this process, and only what succeeded is kept.

Sound when code reaches other code by the names in it. What may look at its own class (``super``, ``type``,
``getattr``, ``isinstance`` and their like) is tried anew each time, and so is every method of a model with nested
machines. A stranger who replaces an engine's function between two models is not noticed.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, cast

from meshspec.lang.containers import Map, is_map
from meshspec.lang.declare import declared
from meshspec.lang.lift import Lifted, LiftedModel

_KEPT = "_meshspec_tried"
_MOST = 64  # models whose certificates are kept with one function
_LOOKS_AT_ITS_CLASS = {
    "super", "type", "isinstance", "issubclass", "getattr", "setattr", "hasattr", "vars", "dir", "globals", "locals",
    "eval", "exec", "attrgetter", "methodcaller", "mro", "__class__", "__dict__", "__mro__", "__bases__",
    "__getattribute__", "__subclasses__", "__init_subclass__",
}  # fmt: skip
_MISSING = object()


def keep(model: LiftedModel, lifted: Lifted, certificate: object) -> None:
    """Keep the certificate of a method that was tried in this model."""
    try:
        constants = constants_of(model.instance)
    except TypeError:
        return
    kept = vars(lifted.method.function).setdefault(_KEPT, [])
    kept.append((model, constants, lifted, certificate))
    del kept[:-_MOST]


def found(model: LiftedModel, lifted: Lifted) -> object | None:
    """The certificate of the very same method, tried in another model; ``None`` where it has to be tried."""
    for other, constants, theirs, certificate in vars(lifted.method.function).get(_KEPT, ()):
        if _alike(model, other, constants) and _same(model, lifted, other, theirs):
            return cast(object, certificate)
    return None


def constants_of(instance: object) -> tuple[object, ...]:
    """The constants of a model as they are now, tables taken apart, those of nested machines last.

    Raises :class:`TypeError` for one that cannot be hashed, and so may be another one tomorrow.
    """
    known, held = declared(type(instance)), dict[str, object](vars(instance))
    own = [_still(held[name]) for name in known.constants]
    return (*own, *(constants_of(held[name]) for name, _ in known.submachines))


def _still(value: object) -> object:
    if is_map(value):
        entries: dict[object, object] = vars(value)["_entries"]
        return (Map, _still(vars(value)["_default"]), *((_still(key), _still(held)) for key, held in entries.items()))
    hash(value)
    return value


def same(one: object, other: object) -> bool:
    """Whether two values are equal in kind as well: ``1`` is no ``True``.

    >>> same((1, 2), (1, 2)), same((1, 2), (True, 2)), same((1,), (1, 2))
    (True, False, False)
    """
    if type(one) is not type(other):
        return False
    if type(one) is tuple and type(other) is tuple:
        mine, theirs = cast("tuple[object, ...]", one), cast("tuple[object, ...]", other)
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    return one is other or bool(one == other)


def _alike(model: LiftedModel, other: LiftedModel, constants: tuple[object, ...]) -> bool:
    """Whether two models have the same variables, sorts and constants as they were then, and no nested machines."""
    mine, theirs = model.declared, other.declared
    if mine.submachines or theirs.submachines or mine.constants != theirs.constants or model.sorts != other.sorts:
        return False
    try:
        return mine.variables == theirs.variables and same(constants_of(model.instance), constants)
    except TypeError:
        return False


def _same(model: LiftedModel, lifted: Lifted, other: LiftedModel, theirs: Lifted) -> bool:
    asked, known = lifted.method, theirs.method
    if (asked.name, asked.kind, asked.path, asked.parameters) != (
        known.name,
        known.kind,
        known.path,
        known.parameters,
    ):
        return False
    if (lifted.parameters, lifted.sorts, lifted.ran) != (theirs.parameters, theirs.sorts, theirs.ran):
        return False
    try:
        read = (lifted.raw, lifted.tree, lifted.reads) == (theirs.raw, theirs.tree, theirs.reads)
    except RecursionError:  # a deep tree is tried again sooner than compared
        return False
    variables = {variable.path[0] for variable in model.declared.variables} | set(model.declared.constants)
    return read and _reaches_the_same(model.declared.cls, other.declared.cls, lifted, variables)


def _reaches_the_same(cls: type, other: type, lifted: Lifted, apart: set[str]) -> bool:
    """Whether every attribute that may be reached is the same object in both classes; those `apart` are variables."""
    waiting: list[CodeType] = [*lifted.ran, *_codes(lifted.method.function)]
    seen, names = set[CodeType](), set[str]()
    while waiting:
        code = waiting.pop()
        if code in seen:
            continue
        seen.add(code)
        waiting += [const for const in code.co_consts if isinstance(const, CodeType)]
        if _LOOKS_AT_ITS_CLASS & {*code.co_names, *code.co_freevars}:
            return False
        for name in set(code.co_names) - names - apart:
            names.add(name)
            mine, theirs = (inspect.getattr_static(owner, name, _MISSING) for owner in (cls, other))
            if mine is not theirs:
                return False
            waiting += _codes(mine)
    return True


def _codes(thing: object) -> Iterator[CodeType]:
    """The code of a function, a property, a static or a class method; of anything else there is none."""
    inside: tuple[object, ...] = (thing,)
    if isinstance(thing, property):
        inside = (thing.fget, thing.fset, thing.fdel)
    elif isinstance(thing, (staticmethod, classmethod)):
        inside = (cast("Any", thing).__func__,)
    for one in inside:
        if isinstance(one, FunctionType):
            yield one.__code__
