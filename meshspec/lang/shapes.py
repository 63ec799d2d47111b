"""What an annotation says: a type that engines can enumerate, with its bounds."""

from __future__ import annotations

import types
import typing
from enum import Flag
from typing import Annotated, Any, get_args, get_origin

import attrs

from meshspec.errors import ModelError, Where
from meshspec.expr.nodes import BOOL, INT, EnumType, SortType, Type
from meshspec.lang.containers import fits
from meshspec.sorts import Range, Sort, is_enum, is_sort

MAX_LENGTH = 8


@attrs.frozen
class Shape:
    """The annotation of a value: its type, whether ``None`` is allowed, and its range if it has one.

    With a ``length`` it is that of a parameter which is a tuple of such values, of a length in this Range.
    """

    type: Type
    optional: bool = False
    range: Range | None = None
    length: Range | None = None


def shape(annotation: Any, what: str, where: Where | None) -> Shape:
    """Read ``bool``, ``int``, ``Annotated[int, Range(..)]``, an enum, a sort, or one of these ``| None``."""
    optional, bounds = False, None
    if get_origin(annotation) in (typing.Union, types.UnionType):
        inner = [arg for arg in get_args(annotation) if arg is not type(None)]
        optional = len(inner) < len(get_args(annotation))
        if len(inner) != 1:
            raise ModelError(f"{what}: {annotation} is a union; only `X | None` is", where)
        annotation = inner[0]
    if get_origin(annotation) is Annotated:
        annotation, *extras = get_args(annotation)
        bounds = next((extra for extra in extras if isinstance(extra, Range)), None)
    if _is_tuple(annotation):
        raise ModelError(
            f"{what}: only a parameter of an action or a claim may be a tuple, and not inside another type: "
            "a Map holds many values",
            where,
        )
    if bounds is not None and annotation is not int:
        raise ModelError(f"{what}: a Range bounds an int, not {annotation}", where)
    if bounds is not None:
        bounded_by_ints(bounds, what, where)
    if annotation is bool:
        return Shape(BOOL, optional)
    if annotation is int:
        return Shape(INT, optional, bounds)
    if is_enum(annotation):
        if len(annotation) == 0:
            raise ModelError(f"{what}: {annotation.__name__} has no members", where)
        if issubclass(annotation, Flag):
            raise ModelError(f"{what}: {annotation.__name__} is a Flag: write a bool for each of its members", where)
        return Shape(EnumType(annotation), optional)
    if is_sort(annotation) and annotation is not Sort:
        return Shape(SortType(annotation), optional)
    raise ModelError(
        f"{what}: {annotation!r} cannot be the type of a value in a model; "
        "use bool, int, Annotated[int, Range(lo, hi)], an Enum, a Sort, or one of these | None",
        where,
    )


def bounded_by_ints(bounds: Range, what: str, where: Where | None) -> None:
    """Refuse a Range that no int can lie in; what depends on constants is known with an instance only."""
    for bound in (bounds.lo, bounds.hi):
        if not (callable(bound) or fits(bound, INT)):
            raise ModelError(f"{what}: {bound!r} cannot bound a Range: give an int, or lambda m: m.capacity", where)
    if isinstance(bounds.lo, int) and isinstance(bounds.hi, int) and bounds.hi < bounds.lo:
        raise ModelError(f"{what}: Range({bounds.lo}, {bounds.hi}) is empty: no int lies in it", where)


def parameter_shape(annotation: Any, what: str, where: Where | None) -> Shape:
    """What :func:`shape` reads, or a bounded tuple of that: ``Annotated[tuple[Worker, ...], Range(0, 3)]``."""
    inner, length = annotation, None
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        length = next((extra for extra in extras if isinstance(extra, Range)), None)
    if not _is_tuple(inner):
        return shape(annotation, what, where)
    element = _element(inner, length, what, where)
    return attrs.evolve(shape(element, f"each element of {what}", where), length=length)


def _is_tuple(annotation: Any) -> bool:
    return annotation in (tuple, typing.Tuple) or get_origin(annotation) is tuple  # noqa: UP006  # as users may


def _element(annotation: Any, length: Range | None, what: str, where: Where | None) -> Any:
    """The annotation of the elements of a bounded tuple."""
    element, *rest = get_args(annotation) or (None,)
    name = element.__name__ if isinstance(element, type) else "Worker"
    instead = f"Annotated[tuple[{name}, ...], Range(0, 3)]"
    if rest != [...]:
        raise ModelError(
            f"{what}: write one parameter for each element, or a tuple of bounded length: {instead}", where
        )
    if length is None:
        raise ModelError(f"{what}: a tuple needs a Range for its length: {instead}", where)
    bounded_by_ints(length, what, where)
    for bound in (length.lo, length.hi):
        if isinstance(bound, int):
            check_length(bound, what, where)
    return element


def check_length(bound: int, what: str, where: Where | None) -> None:
    """Refuse a bound on the length of a tuple that no tuple has, or that makes too many cases."""
    if bound < 0:
        raise ModelError(f"{what}: the length of a tuple is never {bound}: write Range(0, hi)", where)
    if bound > MAX_LENGTH:
        raise ModelError(
            f"{what}: a tuple of {bound} elements makes too many cases: write a Range up to {MAX_LENGTH} at most",
            where,
        )
