"""The native `Map` and `SetOf`: total, typed, and the same object wherever they are named."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Generic, NoReturn, TypeGuard, TypeVar, cast

from meshspec.errors import ModelError
from meshspec.expr.nodes import BoolType, EnumType, SortType, Symbol, Type
from meshspec.expr.text import value_text
from meshspec.sorts import Sort

_K = TypeVar("_K")
_V = TypeVar("_V")
_Held = TypeVar("_Held", bound="Map[Any, Any] | SetOf[Any]")


def fits(value: object, type: Type) -> bool:
    """Whether a native value belongs to a type; a ``bool`` or a member of an ``IntEnum`` is not an ``int`` here.

    >>> from meshspec.expr.nodes import INT
    >>> fits(1, INT), fits(True, INT)
    (True, False)
    """
    match type:
        case BoolType():
            return isinstance(value, bool)
        case EnumType(cls):
            return isinstance(value, cls)
        case SortType(cls):
            return isinstance(value, cls)
        case _:
            return value.__class__ is int  # what a handle says of itself, too


def is_map(thing: object) -> TypeGuard[Map[Any, Any]]:
    return isinstance(thing, Map)


def owned(held: _Held, symbol: Symbol) -> _Held:
    """The map or set itself, which from now on checks what it is given by the symbol of its variable."""
    held.symbol = symbol
    return held


class Map(Generic[_K, _V]):
    """A total function from the members of a sort or an enum: ``recorded: Map[Effect, bool] = var(False)``.

    Two keys are written ``Map[tuple[Worker, Job], bool]`` and read ``self.holds[w, j]``. A map is never copied
    or replaced, except as a whole by ``each(Effect, lambda e: ...)``. As a constant it is a table:
    ``Map(1, {Effect(0): 2})`` is 2 at ``effect0`` and 1 elsewhere.
    """

    def __init__(self, default: _V, entries: Mapping[_K, _V] | None = None) -> None:
        self._default = default
        self._entries: dict[_K, _V] = dict(entries or {})
        self.symbol: Symbol | None = None  # of the variable that it belongs to, if any

    @property
    def _name(self) -> str:
        return self.symbol.name if self.symbol else "this map"

    def _check(self, key: object) -> None:
        if self.symbol is None:
            return
        given, wanted = _parts(key), self.symbol.keys
        if len(given) != len(wanted) or not all(map(fits, given, wanted)):
            raise ModelError(f"{self._name}[{value_text(key)}]: the key must be {', '.join(map(str, wanted))}")

    def __getitem__(self, key: _K, /) -> _V:
        self._check(key)
        return self._entries.get(key, self._default)

    def __setitem__(self, key: _K, value: _V, /) -> None:
        self._check(key)
        of = self.symbol
        if of is not None and not (fits(value, of.type) or (value is None and of.optional)):
            raise ModelError(f"{of.name} holds {of.type}; {value_text(value)} is not one")
        self._entries[key] = value

    def __iter__(self) -> NoReturn:
        raise ModelError(f"{self._name} cannot be iterated: use forall/exists/count/total over its sort")

    def __len__(self) -> NoReturn:
        raise ModelError(f"{self._name} has no length: a Map has every key")

    def __contains__(self, key: object) -> NoReturn:
        raise ModelError(f"`in {self._name}`: a Map has every key; read it with [ ]")

    def __bool__(self) -> NoReturn:
        raise ModelError(f"{self._name} has no truth value: use forall/exists over its sort")

    def __eq__(self, other: object) -> bool:
        """Equal as functions. For tests and notebooks; in a model write ``forall``."""
        if not isinstance(other, Map):
            return NotImplemented
        return self._function() == other._function()

    __hash__ = None  # type: ignore[assignment]  # mutable

    def _function(self) -> tuple[object, object]:
        return self._default, self._rest()

    def _rest(self) -> dict[_K, _V]:
        return {key: value for key, value in self._entries.items() if value != self._default}

    def __repr__(self) -> str:
        inside = "".join(f"{value_text(key)}: {value_text(value)}, " for key, value in self._rest().items())
        return f"Map({{{inside.rstrip(', ')}}}, else {value_text(self._default)})"


class Fresh(Map[_K, _V]):
    """What ``each`` makes: a map not yet owned by any variable, so that it may be assigned once."""

    @property
    def entries(self) -> Mapping[Any, Any]:
        return self._entries


class SetOf(Generic[_K]):
    """A set of members of a sort: ``seen: SetOf[Effect] = var()``."""

    def __init__(self) -> None:
        self._members: set[object] = set()
        self.symbol: Symbol | None = None  # of the variable that it belongs to, if any

    @property
    def _name(self) -> str:
        return self.symbol.name if self.symbol else "this set"

    @property
    def _sort(self) -> str:
        return str(self.symbol.keys[0]) if self.symbol else "Sort"

    def _check(self, key: object) -> None:
        if self.symbol is not None and not fits(key, self.symbol.keys[0]):
            raise ModelError(f"{self._name} is a set of {self._sort}; {value_text(key)} is not one")

    def __contains__(self, key: _K, /) -> bool:
        self._check(key)
        return key in self._members

    def add(self, key: _K, /) -> None:
        self._check(key)
        self._members.add(key)

    def discard(self, key: _K, /) -> None:
        self._check(key)
        self._members.discard(key)

    def __iter__(self) -> NoReturn:
        raise ModelError(f"{self._name} cannot be iterated: use forall/exists/count over its sort")

    def __len__(self) -> NoReturn:
        raise ModelError(f"len({self._name}): write count({self._sort}, lambda x: x in {self._name})")

    def __bool__(self) -> NoReturn:
        raise ModelError(f"{self._name} has no truth value: write exists({self._sort}, lambda x: x in ...)")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SetOf):
            return NotImplemented
        return self._members == other._members

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        def place(member: object) -> tuple[int, str]:
            return (member.index if isinstance(member, Sort) else 0, value_text(member))

        return f"SetOf({{{', '.join(value_text(m) for m in sorted(self._members, key=place))}}})"


def _parts(key: object) -> tuple[object, ...]:
    return cast("tuple[object, ...]", key) if isinstance(key, tuple) else (key,)


def order_of(value: object) -> int:
    """The position of a member of a sort or an enum among its fellows."""
    if isinstance(value, Sort):
        return value.index
    if isinstance(value, Enum):
        return list(type(value)).index(value)
    return int(value)  # type: ignore[call-overload, no-any-return]  # a bool or an int
