"""Sorts, ranges and scopes: what a model ranges over, and how large that is made for the finite engines."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar, Token
from enum import Enum
from types import MappingProxyType
from typing import Any, Self, TypeGuard, TypeVar

import attrs

from meshspec.errors import ImportedTwice, ModelError, UsageError

_T = TypeVar("_T")

_sizes: ContextVar[Mapping[type[Sort], int]] = ContextVar("meshspec_scope", default=MappingProxyType({}))
no_iteration: ContextVar[Callable[[str], None] | None] = ContextVar("meshspec_no_iteration", default=None)


_OURS = ("__eq__", "__ne__", "__hash__", "__new__", "__init__", "__setattr__", "__getattribute__", "__reduce__")


class _SortMeta(type):
    def __iter__(cls: type[_T]) -> Iterator[_T]:
        return iter(members(cls))  # type: ignore[arg-type]  # every class of this metaclass is a Sort

    def __len__(cls) -> int:
        return len(members(cls))  # type: ignore[arg-type]  # as above

    def __bool__(cls) -> bool:
        return True  # without this, truth would ask for a size


class Sort(metaclass=_SortMeta):
    """A set of interchangeable members: components, effects, delegations. Subclass it; the body stays empty.

    A sort has no size in a model; a :class:`scope` gives it one for the finite engines, and the prover needs
    none. Its members have equality and nothing else. Outside a model (tests, notebooks) ``Effect(0)`` is the
    first member and iterating over ``Effect`` inside a scope gives all of them.

    >>> class Effect(Sort): ...
    >>> Effect(0) is Effect(0), Effect(0) == Effect(1)
    (True, False)
    >>> with scope({Effect: 2}): list(Effect)
    [effect0, effect1]
    """

    index: int
    _pool: dict[int, Sort]

    def __init_subclass__(cls) -> None:
        for name in _OURS:
            owner = next(base for base in cls.__mro__ if name in vars(base))
            if owner is not Sort and owner is not object:
                raise ModelError(
                    f"{cls.__name__} has a {name} of its own: a sort has nothing but equality by identity"
                )
        cls._pool = {}

    def __new__(cls, index: int) -> Self:  # members are pooled per class
        if cls is Sort:
            raise ModelError(f"Sort({index!r}): only a subclass has members: class Effect(Sort): ...")
        refuse = no_iteration.get()
        if refuse is not None:
            refuse(f"{cls.__name__}({index!r}) is a particular member: a model may not name one (interchangeable)")
        if type(index) is not int or index < 0:
            raise ModelError(f"{cls.__name__}({index!r}): the members of a sort are numbered from 0")
        found = cls._pool.get(index)
        if found is None:
            found = object.__new__(cls)
            object.__setattr__(found, "index", index)
            cls._pool[index] = found
        return found  # type: ignore[return-value]  # the pool is the class's own

    def __init__(self, index: int) -> None: ...

    def __setattr__(self, name: str, value: object) -> None:
        raise ModelError(f"{self!r}.{name} cannot be set: a member of a sort has nothing but equality")

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name[0].lower()}{name[1:]}{self.index}"

    def __reduce__(self) -> tuple[type[Sort], tuple[int]]:
        return type(self), (self.index,)


def is_sort(thing: object) -> TypeGuard[type[Sort]]:
    """Whether `thing` is a sort (not a member of one)."""
    return isinstance(thing, type) and issubclass(thing, Sort)


def is_enum(thing: object) -> TypeGuard[type[Enum]]:
    """Whether `thing` is an enum (not a member of one)."""
    return isinstance(thing, type) and issubclass(thing, Enum)


def members(sort: type[Sort]) -> tuple[Sort, ...]:
    """The members of `sort` in the present scope.

    Raises :class:`ModelError` outside a scope, and a lifting error while a model is being read symbolically.
    """
    refuse = no_iteration.get()
    if refuse is not None:
        refuse(
            f"a sort has no size in a model: instead of iterating over {sort.__name__} or taking its length, "
            f"write forall/exists/count/total/each({sort.__name__}, lambda x: ...)"
        )
    size = _sizes.get().get(sort)
    if size is None:
        for other in _sizes.get():
            not_another(sort, other)
        raise ModelError(f"{sort.__name__} has no size here: run this inside `with scope({{{sort.__name__}: 3}}):`")
    return tuple(sort(i) for i in range(size))


def not_another(sort: type, other: type) -> None:
    """Raise :class:`ImportedTwice` where two classes are one in the text: their file was imported under two names."""
    if sort is other or sort.__qualname__ != other.__qualname__ or sort.__module__ == other.__module__:
        return
    one, two = (getattr(sys.modules.get(cls.__module__), "__file__", None) for cls in (sort, other))
    if one is not None and two is not None and os.path.realpath(one) == os.path.realpath(two):
        raise ImportedTwice(
            f"{sort.__name__} was imported twice: as {sort.__module__} and as {other.__module__}, which makes it two "
            "classes; import it under one name"
        )


class scope:  # a word of the vocabulary, read as a verb phrase: with scope({Effect: 2})
    """Give sizes to sorts for the time of a ``with`` block.

    Raises :class:`UsageError` when a size is not at least one.
    """

    def __init__(self, sizes: Mapping[type[Sort], int]) -> None:
        for sort, size in sizes.items():
            if type(size) is not int or size < 1:
                raise UsageError(f"{sort.__name__}={size}: a sort has at least one member")
        self.sizes = dict(sizes)
        self._tokens: list[Token[Mapping[type[Sort], int]]] = []

    def __enter__(self) -> None:
        self._tokens.append(_sizes.set({**_sizes.get(), **self.sizes}))

    def __exit__(self, *exc: object) -> None:
        _sizes.reset(self._tokens.pop())


@attrs.frozen
class Range:
    """The values an ``int`` may take, both ends included: ``Annotated[int, Range(0, 3)]``.

    A bound may be a function of the model's constants: ``Range(0, lambda m: m.capacity)``. For a variable it is
    an obligation, VIOLATED when left; for a parameter it is the set of its values.
    """

    lo: int | Callable[[Any], int]
    hi: int | Callable[[Any], int]

    def of(self, constants: object) -> range:
        """The range once the constants are known; raises :class:`ModelError` when it is empty."""
        lo = self.lo(constants) if callable(self.lo) else self.lo
        hi = self.hi(constants) if callable(self.hi) else self.hi
        if max(abs(lo), abs(hi)).bit_length() > 13_288:
            raise ModelError("the bound of a Range is an integer of more than 4,000 digits: write a smaller one")
        if hi < lo:
            raise ModelError(f"Range({lo}, {hi}) is empty: its first bound must not exceed its second")
        return range(lo, hi + 1)
