"""The words of a model file: variables, marks on methods, guards, quantifiers, choices.

Natively each of them does the plain thing; while a body is being lifted it hands over to the reader.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from enum import Enum
from typing import Any, Literal, NoReturn, Protocol, TypeVar, cast, overload

from meshspec.errors import Blocked, ModelError
from meshspec.expr.handles import reader
from meshspec.lang.containers import Fresh, Map
from meshspec.lang.declare import MARK, MARKED, AnyOf, Kind, Var
from meshspec.lang.fairness import FAIR, stated
from meshspec.lang.places import is_ours, where_now
from meshspec.lang.response import note
from meshspec.sorts import Sort, is_enum, is_sort, members

_S = TypeVar("_S", bound="Sort | Enum")
_V = TypeVar("_V")
_Action = TypeVar("_Action", bound=Callable[..., None])
_Claim = TypeVar("_Claim", bound=Callable[..., bool])

_MISSING: Any = object()


class Lifting(Protocol):
    """What the words ask of whoever reads a body symbolically (:class:`meshspec.lang.trace.Tracer`)."""

    def require(self, condition: object, because: str, /) -> None: ...
    def choose(self, values: type[Sort] | type[Enum] | range, /) -> object: ...
    def antecedent(self, holds: bool, /) -> None: ...
    def quantified(self, word: str, over: type[Sort], body: Callable[[Any], object], /) -> Any: ...
    def refuse(self, message: str, /) -> NoReturn: ...


def _lifting() -> Lifting | None:
    return cast("Lifting | None", reader())


def var(initial: Any = _MISSING, *, init: Literal[False] = False) -> Any:
    """A state variable: ``up: bool = var(True)``, ``recorded: Map[Effect, bool] = var(False)``.

    `initial` is the value everywhere at the start (or :func:`any_of` several); a set and a nested machine take
    none. ``init`` is there for type checkers, which keep variables out of the constructor by it.
    """
    return Var(where=where_now()) if initial is _MISSING else Var(initial, where_now())


def any_of(*values: Any) -> Any:
    """Several initial values: ``var(any_of(0, 1))``, ``var(any_of(Worker))`` for every member of a sort."""
    return AnyOf(values)


def _mark(kind: Kind, body: Any) -> Any:
    if not callable(body):
        raise ModelError(f"@{kind} marks a method, not {body!r}", where_now())
    earlier = getattr(body, MARK, None)
    if earlier is not None:
        raise ModelError(f"{body.__name__} is marked @{earlier} already; it cannot be @{kind} too", where_now())
    setattr(body, MARK, kind)
    _remember(body)
    return body


def _remember(body: Any) -> None:
    """Note in the class body that is being run that it marked this method, so that none is lost unseen."""
    frame = inspect.currentframe()
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is not None and "__qualname__" in frame.f_locals:
        frame.f_locals.setdefault(MARKED, []).append(body)


def action(body: _Action, /) -> _Action:
    """A step that the system may take. First its guards (``require``), then its assignments; it returns nothing."""
    return cast(_Action, _mark("action", body))


def fault(body: _Action, /) -> _Action:
    """An action of the environment. One that is declared and never taken makes the check VACUOUS."""
    return cast(_Action, _mark("fault", body))


def always(claim: _Claim, /) -> _Claim:
    """A claim about every reachable state; its parameters are universally quantified."""
    return cast(_Claim, _mark("always", claim))


def sometimes(claim: _Claim, /) -> _Claim:
    """A claim that some reachable state satisfies, for every value of its parameters; else VACUOUS."""
    return cast(_Claim, _mark("sometimes", claim))


@overload
def eventually(claim: _Claim, /) -> _Claim: ...
@overload
def eventually(*, weak: Sequence[str] = (), strong: Sequence[str] = ()) -> Callable[[_Claim], _Claim]: ...
def eventually(claim: Any = None, /, *, weak: Sequence[str] = (), strong: Sequence[str] = ()) -> Any:
    """A claim that is true at some point of every run, or whatever ``leads_to`` in it says of every run.

    A run goes on for ever, or ends where no action is enabled (a fault is never owed) and stays there. Bare, the
    claim may count on nothing more; ``@eventually(weak=("send",), strong=("recover",))`` names actions that are
    fair, each for each combination of its arguments: a weakly fair one is taken if it stays enabled for ever, a
    strongly fair one also if it is enabled again and again.
    """
    if claim is not None:
        return _mark("eventually", claim)
    fair = stated(weak, strong, where_now())

    def mark(body: _Claim) -> _Claim:
        made = cast(_Claim, _mark("eventually", body))
        setattr(made, FAIR, fair)
        return made

    return mark


def lemma(claim: _Claim, /) -> _Claim:
    """A claim that helps the prover: true of every reachable state, and no promise to anyone."""
    return cast(_Claim, _mark("lemma", claim))


def terminal(claim: _Claim, /) -> _Claim:
    """Which states may be the end. With it, a deadlock in any other state is VIOLATED."""
    return cast(_Claim, _mark("terminal", claim))


def require(condition: bool, /, because: str = "") -> None:
    """Block the action unless `condition` holds. Comes before the first assignment.

    Raises :class:`meshspec.Blocked` natively, so that a blocked action called by hand changes nothing.
    """
    lifting = _lifting()
    if lifting is not None:
        lifting.require(condition, because)
        return
    if not _bool(condition, "require needs a bool"):
        raise Blocked(because)


def implies(antecedent: bool, consequent: bool, /) -> bool:
    """``consequent`` wherever ``antecedent``; an antecedent that is true in no reachable state is VACUOUS."""
    lifting = _lifting()
    for value in (antecedent, consequent):
        _bool(value, "implies needs bools")
    if lifting is not None:
        lifting.antecedent(antecedent)
    return consequent if antecedent else True


def leads_to(before: bool, after: bool, /) -> bool:
    """Whenever `before` is true, `after` is true then or later; the whole of what an ``@eventually`` returns.

    ``return leads_to(self.asked[e], self.answered[e])``. Called by hand it speaks of the present state alone: whether
    nothing is asked for, or it has come about.

    >>> leads_to(True, False), leads_to(False, False)
    (False, True)
    """
    for value in (before, after):
        _bool(value, "leads_to needs bools")
    frame = inspect.currentframe()
    if frame is not None and frame.f_back is not None:
        note(before, after, frame.f_back)
    return after or not before


_chooser: ContextVar[Callable[[Sequence[object]], object] | None] = ContextVar("meshspec_chooser", default=None)


def choosing(chooser: Callable[[Sequence[object]], object] | None) -> Any:
    """Set who answers ``choose`` natively; returns the token to give to :func:`chosen`."""
    return _chooser.set(chooser)


def chosen(token: Any) -> None:
    _chooser.reset(token)


def choose(values: type[_S] | range, /) -> Any:
    """Any one of the values, as a hidden parameter. Prefer parameters: they have names in counterexamples."""
    lifting = _lifting()
    if lifting is not None:
        return lifting.choose(cast("type[Sort] | type[Enum] | range", values))
    chooser = _chooser.get()
    if chooser is None:
        raise ModelError("choose() has no answer outside a run: the engine decides. Make it a parameter", where_now())
    return chooser(tuple(values) if isinstance(values, range) else domain(values))


def choice_name(position: int, values: Sequence[object]) -> str:
    """The name of the hidden parameter that a ``choose`` is: keyed by position and by domain."""
    first = values[0]
    inside = (
        f"{first}..{values[-1]}" if isinstance(first, int) and not isinstance(first, Enum) else type(first).__name__
    )
    return f"choice{position}({inside})"


def domain(over: Any) -> tuple[Any, ...]:
    """The members of a sort in the present scope, or of an enum, or of a range."""
    if is_sort(over):
        return members(over)
    if isinstance(over, range) or is_enum(over):
        return tuple(over)
    raise ModelError(f"{over!r} cannot be quantified over: give a Sort or an Enum", where_now())


def _bool(value: object, needed: str = "a quantifier's body must return a bool") -> bool:
    if not isinstance(value, bool):
        raise ModelError(f"{needed}, not {value!r}", where_now())
    return value


def forall(over: type[_S], claim: Callable[[_S], bool], /) -> bool:
    """Whether `claim` holds for every member of a sort or an enum."""
    lifting = _lifting()
    if lifting is not None and is_sort(over):
        return cast(bool, lifting.quantified("forall", over, claim))
    return all(_bool(claim(member)) for member in domain(over))


def exists(over: type[_S], claim: Callable[[_S], bool], /) -> bool:
    """Whether `claim` holds for some member of a sort or an enum."""
    lifting = _lifting()
    if lifting is not None and is_sort(over):
        return cast(bool, lifting.quantified("exists", over, claim))
    return any(_bool(claim(member)) for member in domain(over))


def count(over: type[_S], claim: Callable[[_S], bool], /) -> int:
    """How many members of a sort or an enum satisfy `claim`."""
    lifting = _lifting()
    if lifting is not None and is_sort(over):
        return cast(int, lifting.quantified("count", over, claim))
    return sum(_bool(claim(member)) for member in domain(over))


def total(over: type[_S], term: Callable[[_S], int], /) -> int:
    """The sum of `term` over the members of a sort or an enum."""
    lifting = _lifting()
    if lifting is not None and is_sort(over):
        return cast(int, lifting.quantified("total", over, term))
    return sum(term(member) for member in domain(over))


def each(over: type[_S], value: Callable[[_S], _V], /) -> Map[_S, _V]:
    """A whole map at once: ``self.sent = each(Effect, lambda e: False)``, reading the state at that moment."""
    lifting = _lifting()
    if lifting is not None and is_sort(over):
        return cast("Map[_S, _V]", lifting.quantified("each", over, value))
    return Fresh(cast(_V, None), {member: value(member) for member in domain(over)})
