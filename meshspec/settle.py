"""Evidence that belongs to no single model: functions in ``properties/`` that settle a claim or show an invariant.

A claim of the texts is settled by a function that reads the values printed there, and computes, explores or proves
what they must be; a named invariant without a model of its own is shown by a function. Either passes unless it
raises. pytest collects one item each::

    @settles("F1.verifier-loop.54-calls", "reproduced")
    def the_run_is_stopped_at_its_fourth_call(values: Values) -> None:
        stopped = first_trip(identical_successes(values.number("calls")))
        assert values.number("calls") - stopped == ...

    @shows("EL-IMPOSSIBLE")
    def no_function_of_the_log_recovers() -> None: ...

Soundness: a settlement that leaves a printed value unread fails, unless it says why nothing follows from it; that it
fails when a value it reads is another one is for :func:`perturbed` and a test to show. Misses: what the function
never asks. This module imports no model and no property.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Generic, TypeVar, cast

import attrs

from meshspec.claims import STATUSES, Value, load
from meshspec.errors import ModelError, Where


class Values(Mapping[str, Value]):
    """The values printed for one claim, which remember what was read of them.

    >>> values = Values({"calls": 54, "minutes": 11})
    >>> values.number("calls"), values.unread
    (54, ('minutes',))
    """

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = dict(values)
        self._read: set[str] = set()

    def __getitem__(self, name: str) -> Value:
        found = self._values[name]
        self._read.add(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def unread(self) -> tuple[str, ...]:
        """The names that nobody has read."""
        return tuple(name for name in self._values if name not in self._read)

    def number(self, name: str) -> int:
        """A value that is a whole number; raises :class:`TypeError` for another."""
        return self._as(name, int)

    def real(self, name: str) -> float:
        """A value that is a number; raises :class:`TypeError` for another."""
        found = self[name]
        return float(found) if type(found) is int else self._as(name, float)

    def text(self, name: str) -> str:
        """A value that is a text; raises :class:`TypeError` for another."""
        return self._as(name, str)

    def _as(self, name: str, kind: type[_V]) -> _V:
        found = self[name]
        if type(found) is not kind:
            raise TypeError(f"{name} is {found!r}, which is no {kind.__name__}")
        return cast(_V, found)


_V = TypeVar("_V")
F = TypeVar("F", bound=Callable[..., object])


@attrs.frozen(eq=False)
class Evidently(Generic[F]):
    """A function that is evidence: where it stands, and what it is called."""

    function: F

    @property
    def name(self) -> str:
        return str(getattr(self.function, "__name__", "?"))

    @property
    def where(self) -> Where:
        code = self.function.__code__
        return Where(code.co_filename, code.co_firstlineno)

    def says_nothing(self, answer: object) -> None:
        """Raise :class:`ModelError` where it answers something: ``return False`` would pass, so it must assert."""
        if answer is not None:
            raise ModelError(f"{self.name} returns {answer!r}, which nobody looks at: assert it instead", self.where)

    @property
    def reference(self) -> str:
        """What the registry calls it, as in ``properties.impossible:no_function_of_the_log_recovers``."""
        module = str(self.function.__module__).removeprefix("meshspec.")
        return f"{module}:{self.name}"


@attrs.frozen(eq=False)
class Settlement(Evidently[Callable[[Values], object]]):
    """What settles one claim of the texts; ``unread`` says of a printed value why nothing here follows from it."""

    claim: str
    status: str
    unread: Mapping[str, str] = MappingProxyType({})

    @property
    def id(self) -> str:
        return self.claim

    def run(self, values: Mapping[str, Value] | None = None) -> None:
        """Run it on the printed values, or on others; raises :class:`AssertionError` where it does not come out.

        Raises :class:`ModelError` for a claim that the registry does not have, for a value that is left unread
        without a reason, and for a reason about a value that was read or is not there.
        """
        known = load().claims
        if self.claim not in known:
            raise ModelError(f"the registry has no claim {self.claim!r}", self.where)
        read = Values(known[self.claim].values if values is None else values)
        self.says_nothing(self.function(read))
        if set(read.unread) != set(self.unread):
            odd = ", ".join(sorted(set(read.unread) ^ set(self.unread)))
            raise ModelError(f"{self.claim}: read every value, or say in unread= why not; see {odd}", self.where)


@attrs.frozen(eq=False)
class Showing(Evidently[Callable[[], object]]):
    """What shows named invariants, where no claim of a model does."""

    names: tuple[str, ...]

    @property
    def id(self) -> str:
        return ",".join(self.names)

    def run(self) -> None:
        """Run it; raises :class:`AssertionError` where it does not come out."""
        self.says_nothing(self.function())


def settles(
    claim: str, status: str, /, *, unread: Mapping[str, str] = MappingProxyType({})
) -> Callable[[Callable[[Values], object]], Settlement]:
    """Decorate the function that settles a claim of the registry, with the status that it gives it.

    Raises :class:`ModelError` for a status that there is not, or that needs no evidence.
    """

    def decorated(function: Callable[[Values], object]) -> Settlement:
        made = Settlement(function, claim, status, dict(unread))
        if status not in STATUSES or status == "open":
            raise ModelError(f"there is no way to settle a claim as {status!r}: {', '.join(STATUSES)}", made.where)
        _documented(made)
        return made

    return decorated


def shows(*names: str) -> Callable[[Callable[[], object]], Showing]:
    """Decorate a function that shows what the registry calls by these names.

    Raises :class:`ModelError` where there is no name.
    """

    def decorated(function: Callable[[], object]) -> Showing:
        made = Showing(function, names)
        if not names:
            raise ModelError(f"{made.name} shows nothing: name an invariant", made.where)
        _documented(made)
        return made

    return decorated


def _documented(made: Evidently[F]) -> None:
    if not inspect.getdoc(made.function):
        raise ModelError(f"{made.name} says nothing: give it a docstring that says what it settles", made.where)


def perturbed(values: Mapping[str, Value]) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """The values, with each single one changed: its name, and all of them.

    >>> [dict(changed) for _, changed in perturbed({"calls": 54, "word": "once"})]
    [{'calls': 55, 'word': 'once'}, {'calls': 53, 'word': 'once'}, {'calls': 54, 'word': 'once, or not'}]
    """
    for name, value in values.items():
        for other in _others(value):
            yield name, {**values, name: other}


def _others(value: Value) -> Iterator[Value]:
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1)
        case float():
            yield from (value * 1.1 + 0.01, value * 0.9 - 0.01)
        case str():
            yield f"{value}, or not"
        case list():
            for i, item in enumerate(value):
                for other in _others(cast(Value, item)):
                    yield [*value[:i], other, *value[i + 1 :]]
        case dict():
            for key, changed in perturbed(cast("dict[str, Value]", value)):
                yield {**value, key: changed[key]}
