"""``leads_to``: what is said of it while a body runs, and where it may stand.

Its two sides are kept apart from the value it returns, because that value alone cannot tell "not asked for" from
"come about". They are those of a whole claim only where the call is the last thing that the body does, so anywhere
else it is refused.
"""

from __future__ import annotations

import dis
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType, FrameType

import attrs

from meshspec.errors import LiftError, Where
from meshspec.expr.build import FALSE, TRUE
from meshspec.expr.nodes import Node
from meshspec.lang.declare import Method
from meshspec.lang.outcomes import Outcome, Says, Tree, expression, leaves
from meshspec.lang.places import shown

Response = tuple[Node, Node]
"""When something is asked for, and when it has come about."""


@attrs.frozen
class Call:
    """One call of ``leads_to``: what it was given, in which code, at which instruction and line."""

    before: bool
    after: bool
    code: CodeType
    instruction: int
    line: int

    @property
    def where(self) -> Where:
        return Where(shown(self.code.co_filename), self.line)

    @property
    def is_returned(self) -> bool:
        """Whether what it returns is at once returned by the code that calls it."""
        then = next((i for i in dis.get_instructions(self.code) if i.offset > self.instruction), None)
        return then is not None and then.opname == "RETURN_VALUE"


_listeners: ContextVar[tuple[list[Call], ...]] = ContextVar("meshspec_leads_to", default=())


def note(before: bool, after: bool, frame: FrameType) -> None:
    """Remember a call made in `frame` for whoever listens."""
    for calls in _listeners.get():
        calls.append(Call(before, after, frame.f_code, frame.f_lasti, frame.f_lineno))


@contextmanager
def listening() -> Generator[list[Call]]:
    """The calls made inside the ``with`` block, as they come."""
    calls: list[Call] = []
    token = _listeners.set((*_listeners.get(), calls))
    try:
        yield calls
    finally:
        _listeners.reset(token)


def response_in(method: Method, calls: list[Call]) -> Response | None:
    """Both sides of what a run of the body returned, or ``None`` where it did not call ``leads_to``.

    Raises :class:`LiftError` for a call that is not the outermost thing that an ``@eventually`` returns.
    """
    for call in calls:
        if method.kind != "eventually":
            why = f"{method.name} is @{method.kind}: leads_to speaks of runs and stands in an @eventually"
            raise LiftError(why, call.where)
        if call.code is not getattr(method.function, "__code__", None) or not call.is_returned:
            raise LiftError(
                f"{method.name}: leads_to must be the whole of what the claim returns, `return leads_to(p, q)` in "
                "its own body: it cannot be negated, combined, quantified, kept or called by a helper",
                call.where,
            )
    return (_const(calls[0].before), _const(calls[0].after)) if calls else None


def _const(value: bool) -> Node:
    return TRUE if value else FALSE


def refuse_mixed(method: Method, raw: Tree[Outcome]) -> None:
    """Raise :class:`LiftError` for a claim that ends in ``leads_to`` in some cases only."""
    kinds = {leaf.response is None for _, leaf in leaves(raw) if isinstance(leaf, Says)}
    if len(kinds) > 1:
        raise LiftError(
            f"{method.name} returns leads_to(...) in some cases and not in others: every return must be one; "
            "what is nowhere asked for is leads_to(False, ...)",
            method.where,
        )


def response_of(raw: Tree[Outcome]) -> Response | None:
    """Both sides of a lifted ``leads_to`` claim as expressions, or ``None`` for a claim without it.

    Where the body raises, something is asked for and never comes.
    """
    if not any(isinstance(leaf, Says) and leaf.response is not None for _, leaf in leaves(raw)):
        return None
    asked = expression(raw, lambda leaf: _sides(leaf)[0])
    return asked, expression(raw, lambda leaf: _sides(leaf)[1])


def _sides(leaf: Outcome) -> Response:
    return leaf.response if isinstance(leaf, Says) and leaf.response is not None else (TRUE, FALSE)
