"""Parameters that are tuples of bounded length, as engines enumerate them: a length and elements.

A parameter ``ws: Annotated[tuple[Worker, ...], Range(0, 3)]`` stands for ``len(ws)`` and ``ws[0]`` to ``ws[2]``, in
this order and next to each other. Elements from the length on are looked at by nobody: enumerations keep them at
their first value (:func:`repeats`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from meshspec.errors import Where
from meshspec.expr.build import const, equal
from meshspec.expr.nodes import INT, Name
from meshspec.lang.declare import Parameter
from meshspec.lang.shapes import check_length

if TYPE_CHECKING:
    from meshspec.lang.trace import Tracer


def flat(own: Sequence[Parameter], constants: object, where: Where | None) -> tuple[Parameter, ...]:
    """The parameters with every tuple taken apart; the constants bound its length."""
    found: list[Parameter] = []
    for parameter in own:
        if parameter.length is None:
            found.append(parameter)
            continue
        lengths = parameter.length.of(constants)
        for bound in (lengths[0], lengths[-1]):
            check_length(bound, parameter.name, where)
        found.append(Parameter(f"len({parameter.name})", INT, parameter.length))
        for place in range(lengths[-1]):
            element = f"{parameter.name}[{place}]"
            found.append(Parameter(element, parameter.type, parameter.range, place=place))
    return tuple(found)


def arguments(
    own: Sequence[Parameter], parameters: Sequence[Parameter], constants: object, tracer: Tracer
) -> list[Any]:
    """What a lifted body gets: a real tuple of each length, one run or more for every length."""
    names = [Name(parameter.name, parameter.type) for parameter in parameters]
    found: list[Any] = []
    for parameter in own:
        name = names.pop(0)
        if parameter.length is None:
            found.append(tracer.value(name))
            continue
        *shorter, longest = parameter.length.of(constants)
        length = next((n for n in shorter if tracer.decide(equal(name, const(n)))), longest)
        elements, names = names[:longest], names[longest:]
        found.append(tuple(tracer.value(element) for element in elements[:length]))
    return found


def _ends(own: Sequence[Parameter], parameters: Sequence[Parameter]) -> list[int]:
    """Where each of a method's own parameters ends among the flat ones."""
    ends: list[int] = []
    for parameter in own:
        at = first = (ends[-1] if ends else 0) + 1
        if parameter.length is not None:
            while at < len(parameters) and parameters[at].place == at - first:
                at += 1
        ends.append(at)
    return ends


def assembled(
    own: Sequence[Parameter], parameters: Sequence[Parameter], values: Sequence[Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The arguments as the method takes them, and the values of what follows its own parameters: of its choices."""
    found: list[Any] = []
    begin = 0
    for parameter, end in zip(own, _ends(own, parameters), strict=True):
        first, *elements = values[begin:end]
        found.append(first if parameter.length is None else tuple(elements[:first]))
        begin = end
    return tuple(found), tuple(values[begin:])


def choices(own: Sequence[Parameter], parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """What follows a method's own parameters."""
    return tuple(parameters[_ends(own, parameters)[-1] if own else 0 :])


def repeats(parameters: Sequence[Parameter], values: Sequence[Any], domains: Sequence[Sequence[Any]]) -> bool:
    """Whether an element from the length on is not at its first value, so that another combination is the same."""
    return any(
        p.place is not None and values[at - p.place - 1] <= p.place and values[at] != domains[at][0]
        for at, p in enumerate(parameters)
    )


def ways(parameters: Sequence[Parameter], width: Callable[[Parameter], int], constants: object) -> int:
    """How many combinations of values there are, repetitions aside; `width` counts the values of one parameter."""
    many = 1
    for at, parameter in enumerate(parameters):
        following = parameters[at + 1] if at + 1 < len(parameters) else None
        if parameter.place is not None:
            continue
        if following is not None and following.place == 0 and parameter.range is not None:
            many *= sum(width(following) ** length for length in parameter.range.of(constants))
        else:
            many *= width(parameter)
    return many
