"""The expression language that every backend evaluates: eight kinds of node, frozen and structurally equal.

Integers are unbounded, ``//`` and ``%`` floor, sort members are compared and nothing else. Build expressions
with :mod:`meshspec.expr.build`, which simplifies; take them apart with :mod:`meshspec.expr.walk`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Literal

import attrs

from meshspec.errors import ModelError
from meshspec.sorts import Sort, members


@attrs.frozen
class BoolType:
    def __str__(self) -> str:
        return "bool"


@attrs.frozen
class IntType:
    def __str__(self) -> str:
        return "int"


@attrs.frozen
class EnumType:
    cls: type[Enum]

    def __str__(self) -> str:
        return self.cls.__name__


@attrs.frozen
class SortType:
    cls: type[Sort]

    def __str__(self) -> str:
        return self.cls.__name__


Type = BoolType | IntType | EnumType | SortType
BOOL, INT = BoolType(), IntType()


def values_of(type: Type) -> Sequence[object]:
    """All values of a finite type, in order; a sort needs a scope, an int raises :class:`ModelError`."""
    match type:
        case BoolType():
            return (False, True)
        case EnumType(cls):
            return tuple(cls)
        case SortType(cls):
            return members(cls)
        case IntType():
            raise ModelError("an int without a range has no finite set of values: Annotated[int, Range(lo, hi)]")


@attrs.frozen(cache_hash=True)
class Symbol:
    """What a state variable is called and how it is read: ``applied[Effect] -> int``.

    An optional variable holds a value or ``None``; whether it is ``None`` is asked with :class:`Absent`, and its
    :class:`Cell` means something only where it is not.
    """

    name: str
    keys: tuple[Type, ...]
    type: Type
    optional: bool = False


Operator = Literal["not", "and", "or", "ite", "==", "<", "<=", "+", "-", "*", "//", "%"]
Quantifier = Literal["forall", "exists", "count", "total"]


@attrs.frozen(cache_hash=True)
class Const:
    """A value: a bool, an int or an enum member (never a member of a sort: they have no names in a model)."""

    value: bool | int | Enum
    type: Type


@attrs.frozen(cache_hash=True)
class Name:
    """A parameter of the method, a choice, or the bound variable of a quantifier."""

    name: str
    type: Type


@attrs.frozen(cache_hash=True)
class Cell:
    """The value of a state variable before the action, at these keys."""

    symbol: Symbol
    keys: tuple[Node, ...]

    @property
    def type(self) -> Type:
        return self.symbol.type


@attrs.frozen(cache_hash=True)
class Absent:
    """Whether an optional state variable is ``None`` before the action, at these keys."""

    symbol: Symbol
    keys: tuple[Node, ...]

    @property
    def type(self) -> Type:
        return BOOL


@attrs.frozen(cache_hash=True)
class Op:
    """An operator on its arguments; ``and`` and ``or`` take two or more, ``ite`` is (condition, then, else)."""

    op: Operator
    args: tuple[Node, ...]
    type: Type


@attrs.frozen(cache_hash=True)
class Quant:
    """``forall``, ``exists``, ``count`` (of the true) or ``total`` (of the values) of `body` over `bound`."""

    kind: Quantifier
    bound: Name
    body: Node

    @property
    def type(self) -> Type:
        return BOOL if self.kind in ("forall", "exists") else INT


Node = Const | Name | Cell | Absent | Op | Quant
