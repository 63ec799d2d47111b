"""Terms: ground expressions that NumPy evaluates over many packed states at once.

A term knows the bounds of its values, and no term is made that could leave 64 bits. Terms that compute the same
thing are one object, and :class:`Lanes` computes each of them once for its states.

Every term is computed in every lane, also where the expression would not have been looked at: an absent value is one
above the others, and a divisor that is zero is taken for one. Lifted expressions ask first, so no such value ever
decides anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from meshspec.backends.packing import Field, Rows
from meshspec.backends.spans import TRUTH, Span, arithmetic, exactly
from meshspec.errors import UsageError
from meshspec.expr.nodes import Operator

Lane = Any
"""One value for each state: an array of bools or of int64, or a NumPy scalar where it is the same for all."""

INT64 = Span(-(2**63), 2**63 - 1)
_where: Any = np.where
_ARITHMETIC: dict[str, Any] = {"+": np.add, "-": np.subtract, "*": np.multiply}


class Lanes:
    """Some packed states, and what has been computed of them so far."""

    def __init__(self, rows: Rows, all: Lanes | None = None, chosen: Any = None) -> None:
        self.rows = rows
        self.size = len(rows)
        self.found: dict[int, Lane] = {}
        self._words: dict[int, Any] = {}
        self._all, self._chosen = all, chosen

    def at(self, chosen: Any) -> Lanes:
        """Some of these states, by their indexes; what is known of all is not computed again."""
        return Lanes(self.rows[chosen], self, chosen)

    def of(self, term: Term) -> Lane:
        found: Any = self.found.get(term.number)
        if found is None:
            above: Any = self._all.found.get(term.number) if self._all is not None else None
            found = term.compute(self) if above is None or np.ndim(above) == 0 else above[self._chosen]
            self.found[term.number] = found
        return found

    def word(self, number: int) -> Any:
        """One word of every state, side by side in memory."""
        found = self._words.get(number)
        if found is None:
            found = self._words[number] = np.ascontiguousarray(self.rows[:, number])
        return found


@attrs.frozen(eq=False)
class Term:
    """A ground expression. ``value`` is what it always is, where that is known; a bool is 0 or 1.

    ``field`` is set where the term is the value of one cell, as it is kept.
    """

    number: int
    span: Span
    is_bool: bool
    compute: Callable[[Lanes], Lane]
    field: Field | None = None

    @property
    def known(self) -> bool:
        return self.span.lo == self.span.hi

    @property
    def value(self) -> int:
        return int(self.span.lo)


class Terms:
    """Makes terms; the same twice is the same object."""

    def __init__(self) -> None:
        self._made: dict[object, Term] = {}
        self.true, self.false = self.known(True), self.known(False)

    def __len__(self) -> int:
        return len(self._made)

    def known(self, value: int) -> Term:
        is_bool = isinstance(value, bool)
        held: Any = np.bool_(value) if is_bool else np.int64(value) if value in INT64 else None
        return self._make(("known", is_bool, int(value)), exactly(int(value)), is_bool, lambda _lanes: held)

    def _make(
        self,
        key: object,
        span: Span,
        is_bool: bool,
        compute: Callable[[Lanes], Lane],
        field: Field | None = None,
    ) -> Term:
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Term(len(self._made), span, is_bool, compute, field)
        return found

    def _ints(self, key: object, span: Span, operands: Sequence[Term], compute: Callable[[Lanes], Lane]) -> Term:
        """A term of ints; raises :class:`UsageError` where it or an operand may leave 64 bits."""
        if span.lo == span.hi:
            return self.known(int(span.lo))
        for one in (*(operand.span for operand in operands), span):
            if not one.inside(INT64):
                raise UsageError(
                    f"a value may lie anywhere in {one.lo}..{one.hi}, and NumPy holds 64 bits: give the ints that it "
                    "is made of a narrower Annotated[int, Range(lo, hi)]"
                )
        return self._make(key, span, False, compute)

    # -- cells -------------------------------------------------------------------------------------------------

    def cell(self, field: Field, is_bool: bool) -> Term:
        """The value that a field holds; where it is absent, one above the others (True, of a bool)."""
        word, shift, bits = field.word, np.uint64(field.shift), np.uint64((1 << field.width) - 1)
        lo = np.int64(field.lo)
        if is_bool:
            mask = np.uint64(((1 << field.width) - 1) << field.shift)
            compute: Callable[[Lanes], Lane] = lambda lanes: (lanes.word(word) & mask) != 0  # noqa: E731
        elif lo == 0:
            compute = lambda lanes: ((lanes.word(word) >> shift) & bits).view(np.int64)  # noqa: E731
        else:
            compute = lambda lanes: ((lanes.word(word) >> shift) & bits).view(np.int64) + lo  # noqa: E731
        span = TRUTH if is_bool else Span(field.lo, field.lo + field.size - 1 + field.optional)
        if span.lo == span.hi:
            return self.known(int(span.lo))
        return self._make(("cell", word, field.shift, is_bool), span, is_bool, compute, field)

    def absent(self, field: Field) -> Term:
        """Whether a field holds ``None``."""
        return self._field_is(field, field.size) if field.optional else self.false

    def _field_is(self, field: Field, code: int) -> Term:
        mask, wanted = ((1 << field.width) - 1) << field.shift, code << field.shift
        m, w = np.uint64(mask), np.uint64(wanted)
        key = ("is", field.word, mask, wanted)
        return self._make(key, TRUTH, True, lambda lanes: (lanes.word(field.word) & m) == w)

    def entry(self, fields: Sequence[Field], place: Term, is_bool: bool) -> Term:
        """The value of the field at a place that only a state knows; all fields are alike but for where they are."""
        if place.known:
            return self.cell(fields[place.value], is_bool)
        one = fields[0]
        if one.width == 0:
            return self.known(one.lo)
        codes = self._codes(fields, place)
        if is_bool:
            return self._make(("entry is", codes.number), TRUTH, True, lambda lanes: lanes.of(codes) != 0)
        span = Span(one.lo, one.lo + one.size - 1 + one.optional)
        lo = np.int64(one.lo)
        return self._ints(("entry", codes.number, one.lo), span, (), lambda lanes: lanes.of(codes) + lo)

    def entry_absent(self, fields: Sequence[Field], place: Term) -> Term:
        if place.known:
            return self.absent(fields[place.value])
        codes, size = self._codes(fields, place), np.int64(fields[0].size)
        if not fields[0].optional:
            return self.false
        return self._make(("entry absent", codes.number), TRUTH, True, lambda lanes: lanes.of(codes) == size)

    def _codes(self, fields: Sequence[Field], place: Term) -> Term:
        at = self.within(place, len(fields))
        one = fields[0]
        bits = np.uint64((1 << one.width) - 1)
        shifts = np.array([field.shift for field in fields], dtype=np.uint64)
        words = np.array([field.word for field in fields], dtype=np.intp)
        together = one.word if all(field.word == one.word for field in fields) else None

        def compute(lanes: Lanes) -> Lane:
            where = lanes.of(at)
            word = lanes.word(together) if together is not None else lanes.rows[np.arange(lanes.size), words[where]]
            return ((word >> shifts[where]) & bits).view(np.int64)

        key = ("codes", one.word, one.shift, len(fields), at.number)
        return self._make(key, Span(0, one.size - 1 + one.optional), False, compute)

    def looked_up(self, table: Sequence[Any], place: Term, is_bool: bool) -> Term:
        """An entry of a constant table; where that is ``None``, any of its values."""
        present = [value for value in table if value is not None] or [False if is_bool else 0]
        if place.known:
            return self.known(present[0] if table[place.value] is None else table[place.value])
        span = Span(min(present), max(present))
        at = self.within(place, len(table))
        if not span.inside(INT64):
            raise UsageError(f"a constant table holds {span.lo}..{span.hi}, and NumPy holds 64 bits")
        held = np.array(
            [present[0] if value is None else value for value in table], dtype=np.bool_ if is_bool else np.int64
        )
        if span.lo == span.hi:
            return self.known(bool(span.lo) if is_bool else int(span.lo))
        return self._make(("table", id(table), at.number), span, is_bool, lambda lanes: held[lanes.of(at)])

    def looked_up_absent(self, table: Sequence[Any], place: Term) -> Term:
        if place.known or not any(value is None for value in table):
            return self.known(table[place.value] is None if place.known else False)
        held, at = np.array([value is None for value in table]), self.within(place, len(table))
        return self._make(("table absent", id(table), at.number), TRUTH, True, lambda lanes: held[lanes.of(at)])

    def within(self, place: Term, size: int) -> Term:
        """The place itself, as a position below `size` also in lanes where it is none."""
        place = self.number(place)
        if place.span.inside(Span(0, size - 1)):
            return place
        last = np.int64(size - 1)
        key = ("within", place.number, size)
        return self._make(key, Span(0, size - 1), False, lambda lanes: np.clip(lanes.of(place), np.int64(0), last))

    # -- truth -------------------------------------------------------------------------------------------------

    def no(self, a: Term) -> Term:
        if a.known:
            return self.known(not a.value)
        return self._make(("not", a.number), TRUTH, True, lambda lanes: ~lanes.of(a))

    def both(self, a: Term, b: Term) -> Term:
        if a.known or b.known:
            first, other = (a, b) if a.known else (b, a)
            return other if first.value else self.false
        if a is b:
            return a
        return self._make(("and", a.number, b.number), TRUTH, True, lambda lanes: lanes.of(a) & lanes.of(b))

    def either(self, a: Term, b: Term) -> Term:
        if a.known or b.known:
            first, other = (a, b) if a.known else (b, a)
            return self.true if first.value else other
        if a is b:
            return a
        return self._make(("or", a.number, b.number), TRUTH, True, lambda lanes: lanes.of(a) | lanes.of(b))

    def equal(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.true
        if a.is_bool and b.is_bool and (a.known or b.known):
            first, other = (a, b) if a.known else (b, a)
            return other if first.value else self.no(other)
        if a.span.meet(b.span).empty:
            return self.false
        for one, other in ((a, b), (b, a)):
            if one.field is not None and not one.is_bool and other.known:
                return self._field_is(one.field, other.value - one.field.lo)
        a, b = self._same(a, b)
        key = ("==", a.number, b.number)
        return self._make(key, TRUTH, True, lambda lanes: lanes.of(a) == lanes.of(b))

    def _same(self, a: Term, b: Term) -> tuple[Term, Term]:
        return (a, b) if a.is_bool and b.is_bool else (self.number(a), self.number(b))

    def less(self, a: Term, b: Term, *, or_equal: bool) -> Term:
        if a.span.hi < b.span.lo or (or_equal and a.span.hi == b.span.lo):
            return self.true
        if a.span.lo > b.span.hi or (not or_equal and a.span.lo == b.span.hi):
            return self.false
        a, b = self.number(a), self.number(b)
        compare = np.less_equal if or_equal else np.less
        key = ("<=" if or_equal else "<", a.number, b.number)
        return self._make(key, TRUTH, True, lambda lanes: compare(lanes.of(a), lanes.of(b)))

    # -- numbers -----------------------------------------------------------------------------------------------

    def number(self, a: Term) -> Term:
        """The term as an int: a bool is 0 or 1."""
        if not a.is_bool:
            return a
        if a.known:
            return self.known(a.value)
        return self._make(("int", a.number), TRUTH, False, lambda lanes: lanes.of(a).astype(np.int64))

    def choice(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """``then if condition else otherwise``."""
        if condition.known or then is otherwise:
            return then if then is otherwise or condition.value else otherwise
        then, otherwise = self._same(then, otherwise)
        key = ("ite", condition.number, then.number, otherwise.number)
        span = then.span.hull(otherwise.span)

        def compute(lanes: Lanes) -> Lane:
            return _where(lanes.of(condition), lanes.of(then), lanes.of(otherwise))

        if then.is_bool:
            return self._make(key, TRUTH, True, compute)
        return self._ints(key, span, (then, otherwise), compute)

    def arith(self, op: Operator, a: Term, b: Term) -> Term:
        """``a op b``; raises :class:`UsageError` where it may leave 64 bits."""
        a, b = self.number(a), self.number(b)
        span = arithmetic(op, a.span, b.span)
        if span.empty:  # nothing but zero divides here, so nobody looks
            return self.known(0)
        key = (op, a.number, b.number)
        if op in ("//", "%"):
            if 0 in b.span:  # and is taken for one
                span = span.hull(arithmetic(op, a.span, exactly(1)))
            return self._ints(key, span, (a, b), _division(op, a, b))
        work = _ARITHMETIC[op]
        return self._ints(key, span, (a, b), lambda lanes: work(lanes.of(a), lanes.of(b)))


def _division(op: Operator, a: Term, b: Term) -> Callable[[Lanes], Lane]:
    work = np.floor_divide if op == "//" else np.remainder
    if 0 not in b.span:
        return lambda lanes: work(lanes.of(a), lanes.of(b))
    one = np.int64(1)

    def compute(lanes: Lanes) -> Lane:
        divisor = lanes.of(b)
        return work(lanes.of(a), _where(divisor == 0, one, divisor))

    return compute
