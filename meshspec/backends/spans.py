"""Intervals of integers, open-ended ones too: what an operator can make of values between given bounds."""

from __future__ import annotations

import math

import attrs

from meshspec.expr.nodes import Operator

End = float  # an int of any size, or an infinity; ints are never turned into floats
FAR = math.inf


@attrs.frozen
class Span:
    """The integers from ``lo`` to ``hi``, both included; either may be infinite. ``lo > hi`` is no integer at all."""

    lo: End
    hi: End

    @property
    def empty(self) -> bool:
        return self.lo > self.hi

    @property
    def bounded(self) -> bool:
        return self.empty or (_finite(self.lo) and _finite(self.hi))

    def __contains__(self, value: End) -> bool:
        return self.lo <= value <= self.hi

    def inside(self, other: Span) -> bool:
        return self.empty or (other.lo <= self.lo and self.hi <= other.hi)

    def hull(self, other: Span) -> Span:
        """The least interval with the values of both."""
        if self.empty or other.empty:
            return other if self.empty else self
        return Span(min(self.lo, other.lo), max(self.hi, other.hi))

    def meet(self, other: Span) -> Span:
        return Span(max(self.lo, other.lo), min(self.hi, other.hi))


ANY, NONE, TRUTH = Span(-FAR, FAR), Span(FAR, -FAR), Span(0, 1)


def exactly(value: End) -> Span:
    return Span(value, value)


def _finite(x: End) -> bool:
    # not math.isinf: that makes a float of the number first, and some are too large for one
    return -FAR < x < FAR


def plus(x: End, y: End) -> End:
    """A sum of two ends; infinities of different signs do not meet."""
    return x if not _finite(x) else y if not _finite(y) else x + y


def _times(x: End, y: End) -> End:
    if x == 0 or y == 0:
        return 0
    if _finite(x) and _finite(y):
        return x * y
    return FAR if (x > 0) == (y > 0) else -FAR


def _floor(x: End, y: End) -> End:
    """``x // y``; of an infinite ``y``, what it comes close to."""
    if not _finite(y):
        return 0 if x == 0 or (x > 0) == (y > 0) else -1 if _finite(x) else -FAR
    if not _finite(x):
        return FAR if (x > 0) == (y > 0) else -FAR
    return x // y


def arithmetic(op: Operator, a: Span, b: Span) -> Span:
    """All that ``a op b`` may be, where ``b`` is not 0 if it divides.

    >>> arithmetic("//", Span(-7, 7), Span(-2, 3))
    Span(lo=-7, hi=7)
    """
    if a.empty or b.empty:
        return NONE
    match op:
        case "+":
            return Span(plus(a.lo, b.lo), plus(a.hi, b.hi))
        case "-":
            return Span(plus(a.lo, -b.hi), plus(a.hi, -b.lo))
        case "*":
            corners = [_times(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            return Span(min(corners), max(corners))
        case "//":
            found = NONE
            for part in (b.meet(Span(1, FAR)), b.meet(Span(-FAR, -1))):
                if not part.empty:
                    corners = [_floor(x, y) for x in (a.lo, a.hi) for y in (part.lo, part.hi)]
                    found = found.hull(Span(min(corners), max(corners)))
            return found
        case "%":
            return _remainder(a, b)
        case _:
            raise AssertionError(f"{op} is not integer arithmetic")


def _remainder(a: Span, b: Span) -> Span:
    found = NONE
    above, below = b.meet(Span(1, FAR)), b.meet(Span(-FAR, -1))
    if not above.empty:  # 0 <= a % b < b, and a itself where 0 <= a < b
        rest = Span(0, plus(above.hi, -1))
        if a.lo >= 0:
            rest = a if a.hi < above.lo else rest.meet(Span(0, a.hi))
        found = found.hull(rest)
    if not below.empty:
        rest = Span(plus(below.lo, 1), 0)
        if a.hi <= 0:
            rest = a if a.lo > below.hi else rest.meet(Span(a.lo, 0))
        found = found.hull(rest)
    return found
