"""What a lifted body is given as ``self``: an instance of the class whose variables the tracer reads and writes."""

from __future__ import annotations

from typing import Any, NoReturn, cast

from meshspec.expr.handles import node_of
from meshspec.expr.nodes import Node
from meshspec.lang.containers import Map, SetOf
from meshspec.lang.declare import DECLARED, Variable, declared
from meshspec.lang.trace import Tracer
from meshspec.lang.unknown import unknown


class _LiftedMap:
    """A map or set of the state, as a lifted body holds it."""

    __slots__ = ("tracer", "variable")

    def __init__(self, tracer: Tracer, variable: Variable) -> None:
        self.tracer = tracer
        self.variable = variable

    @property  # type: ignore[misc]  # reads as the container that the annotation names
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]  # and is never set
        return SetOf if self.variable.is_set else Map

    def _keys(self, key: object) -> tuple[Node, ...]:
        symbol = self.variable.symbol
        given = cast("tuple[object, ...]", key) if type(key) is tuple else (key,)
        fitting = len(given) == len(symbol.keys) and all(map(self.tracer.fits, given, symbol.keys))
        if not fitting:
            wanted = ", ".join(map(str, symbol.keys))
            self.tracer.refuse(f"{symbol.name}: the key must be {wanted}")
        return tuple(node_of(part) for part in given)

    def __getitem__(self, key: object) -> Any:
        return self.tracer.read(self.variable.symbol, self._keys(key))

    def __setitem__(self, key: object, value: object) -> None:
        if self.variable.constant:
            self.tracer.refuse(f"{self.variable.symbol.name} is a constant: only variables may be assigned")
        self.tracer.write(self.variable.symbol, self._keys(key), value)

    def __contains__(self, key: object) -> bool:
        if not self.variable.is_set:
            self._refuse("`in` a Map: it has every key; read it with [ ]")
        return bool(self[key])

    def add(self, key: object) -> None:
        self[key] = True

    def discard(self, key: object) -> None:
        self[key] = False

    def _refuse(self, why: str) -> NoReturn:
        self.tracer.refuse(f"{self.variable.symbol.name}: {why}")

    def __iter__(self) -> NoReturn:
        self._refuse("a map or set cannot be iterated: use forall/exists/count/total over its sort")

    def __len__(self) -> NoReturn:
        self._refuse("len() has no meaning here: use count over its sort")

    def __bool__(self) -> NoReturn:
        self._refuse("a whole map or set has no truth value: use forall/exists over its sort")

    def __eq__(self, other: object) -> bool:
        return self is other or self._refuse("whole maps are not compared: use forall over its sort")

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        self._refuse("a whole map cannot be formatted: keep messages out of actions")

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse(f".{name} is not something a map or set of a model has; a Map is read with [ ]")


def _property(variable: Variable, tracer: Tracer) -> property:
    symbol = variable.symbol
    held = _LiftedMap(tracer, variable) if symbol.keys else None

    def get(_self: Any) -> Any:
        return held if held is not None else tracer.read(symbol, ())

    def put(_self: Any, value: object) -> None:
        if held is None:
            tracer.write(symbol, (), value)
        elif variable.constant:
            tracer.refuse(f"{symbol.name!r} is a constant; only variables (= var(...)) may be assigned")
        elif variable.is_set:
            tracer.refuse(f"{symbol.name} is a whole set: add and discard its members")
        else:
            tracer.write_all(symbol, value, held)

    return property(get, put)


def _is(self: object, other: object) -> bool:
    return self is other


def lifted_instance(source: object, variables: tuple[Variable, ...], tracer: Tracer, prefix: tuple[str, ...]) -> Any:
    """An object that is an instance of the model's class, its variables read and written through the tracer."""
    cls = type(source)
    known = declared(cls)
    here = [v for v in variables if v.path[:-1] == prefix]
    names = {v.path[-1] for v in here}

    def assign(self: Any, name: str, value: object) -> None:
        if name in names:
            accessors[name].fset(self, value)
        elif name in known.constants:
            tracer.refuse(f"{name!r} is a constant; only variables (= var(...)) may be assigned in an action")
        elif not (name in vars(self) and vars(self)[name] is value):
            listed = ", ".join(v.path[-1] for v in here if not v.constant)
            tracer.refuse(f"{cls.__name__} has no variable {name!r}; its variables are {listed}")

    accessors: dict[str, Any] = {v.path[-1]: _property(v, tracer) for v in here}
    body: dict[str, Any] = {**accessors, "__setattr__": assign, DECLARED: known, "__module__": cls.__module__}
    body["__eq__"], body["__hash__"] = _is, None
    body["__getattr__"] = unknown(cls, known, tracer.refuse)
    made: object = object.__new__(type(cls.__name__, (cls,), body))
    constants = {name: vars(source)[name] for name in known.constants if name not in names}
    vars(made).update(constants)
    for name, _ in known.submachines:
        vars(made)[name] = lifted_instance(getattr(source, name), variables, tracer, (*prefix, name))
    return made
