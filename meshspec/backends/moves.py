"""Ground actions over many packed states at once: which states a path is taken from, and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from meshspec.backends.arrays import Lanes, Term
from meshspec.backends.generated import names_in
from meshspec.backends.grounding import Grounding, Names
from meshspec.backends.packing import WORD, Field, Rows
from meshspec.backends.spans import Span
from meshspec.expr.build import FALSE
from meshspec.expr.nodes import Node, SortType, Symbol
from meshspec.expr.walk import free_names
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Blocks, Does, Leaf, Outcome, Raises, Tree, Update, WriteAll

_ALL = (1 << WORD) - 1


@attrs.frozen
class Move:
    """One path of a ground action: the states it is taken from, and what it does to them.

    ``leaves`` tells in which of those a value does not fit its cell; ``becomes`` is missing where the body raises.
    """

    action: int
    taken: Term
    becomes: Callable[[Lanes], Rows] | None
    leaves: Term


@attrs.frozen
class _Put:
    """One entry of a variable gets a value: at ``place`` among its ``fields``."""

    symbol: Symbol
    fields: Sequence[Field]
    place: Term
    value: Term
    absent: Term


def moves(grounding: Grounding) -> list[Move]:
    """Every path of every ground action, in their order, without those that are never taken.

    Raises :class:`UsageError` as :meth:`Grounding.term` does.
    """
    layout, found = grounding.layout, list[Move]()
    for number, (lifted, arguments) in enumerate(layout.ground_actions()):
        names = grounding.names({p.name: value for p, value in zip(lifted.parameters, arguments, strict=True)})
        spare = _spare(grounding, lifted, arguments)
        for condition, outcome in _paths(grounding, lifted.tree, names, spare, grounding.terms.true):
            if isinstance(outcome, Raises):
                found.append(Move(number, condition, None, grounding.terms.false))
            elif isinstance(outcome, Does):
                puts = [put for update in outcome.updates for put in _puts(grounding, update, names)]
                found.append(Move(number, condition, _becomes(grounding, puts), _leaves(grounding, puts)))
    return found


def _spare(grounding: Grounding, lifted: Lifted, arguments: tuple[Any, ...]) -> frozenset[str]:
    """The choices that are not at their first value: where nothing looks at one, the path is a repetition."""
    layout, (_, picked) = grounding.layout, lifted.assembled(arguments)
    return frozenset(
        p.name for p, value in zip(lifted.choices, picked, strict=True) if value != layout.arguments((p,))[0][0]
    )


def _paths(
    grounding: Grounding, tree: Tree[Outcome], names: Names, spare: frozenset[str], taken: Term
) -> Iterator[tuple[Term, Outcome]]:
    """Conditions and outcomes, as :class:`meshspec.backends.generated.Generator` nests its tests."""
    if isinstance(tree, Leaf):
        if not (isinstance(tree.value, Blocks) or spare - names_in(tree.value)):
            yield taken, tree.value
        return
    terms = grounding.terms
    spare = spare - {name.name for name in free_names(tree.question)}
    question = grounding.term(tree.question, names)
    for option, child in zip(tree.options, tree.below, strict=True):
        answer = terms.equal(question, grounding.literal(option))
        condition = terms.both(taken, answer)
        if not condition.known or condition.value:
            yield from _paths(grounding, child, names, spare, condition)


def _puts(grounding: Grounding, update: Update, names: Names) -> Iterator[_Put]:
    symbol = update.symbol
    for write in update.writes:
        if isinstance(write, WriteAll):
            assert isinstance(write.bound.type, SortType)
            for member in range(grounding.layout.sizes[write.bound.type.cls]):
                place = grounding.terms.known(member)
                here: Mapping[str, Term] = {**names, write.bound.name: place}
                yield _put(grounding, symbol, place, write.value, write.absent, here)
        else:
            place = grounding.place(symbol, [grounding.term(key, names) for key in write.keys])
            yield _put(grounding, symbol, place, write.value, write.absent, names)


def _put(
    grounding: Grounding, symbol: Symbol, place: Term, value: Node, absent: Node, names: Mapping[str, Term]
) -> _Put:
    fields = grounding.fields(symbol)
    gone = grounding.term(absent, names) if absent != FALSE else grounding.terms.false
    if gone.known and gone.value:
        return _Put(symbol, fields, place, grounding.terms.known(fields[0].lo), gone)
    return _Put(symbol, fields, place, grounding.term(value, names), gone)


def _leaves(grounding: Grounding, puts: Sequence[_Put]) -> Term:
    """Whether what is written, and not written over, fits no code of its cell."""
    terms, found = grounding.terms, grounding.terms.false
    for number, put in enumerate(puts):
        one = put.fields[0]
        lo, hi = one.lo, one.lo + one.size - 1
        if (put.absent.known and put.absent.value) or put.value.span.inside(Span(lo, hi)):
            continue
        value = terms.number(put.value)
        outside = terms.either(
            terms.less(value, terms.known(lo), or_equal=False), terms.less(terms.known(hi), value, or_equal=False)
        )
        outside = terms.both(terms.no(put.absent), outside)
        for later in puts[number + 1 :]:
            if later.symbol == put.symbol:
                outside = terms.both(outside, terms.no(terms.equal(put.place, later.place)))
        found = terms.either(found, outside)
    return found


def _code(grounding: Grounding, put: _Put) -> Term:
    """What is kept for a value; of one that does not fit, nothing that means anything."""
    terms, one = grounding.terms, put.fields[0]
    code = terms.arith("-", terms.number(put.value), terms.known(one.lo))
    return terms.choice(put.absent, terms.known(one.size), code) if one.optional else code


def _becomes(grounding: Grounding, puts: Sequence[_Put]) -> Callable[[Lanes], Rows]:
    """A function from states to what the writes make of them, one after the other."""
    stages: list[Callable[[Lanes, Rows], None]] = []
    fixed: dict[tuple[Symbol, int], tuple[Field, Term]] = {}
    for put in puts:
        code = _code(grounding, put)
        if put.place.known:  # a later write to the same cell wins
            fixed[put.symbol, put.place.value] = put.fields[put.place.value], code
            continue
        stages += [*_settled(list(fixed.values())), _scattered(put.fields, put.place, code)]
        fixed = {}
    stages += _settled(list(fixed.values()))

    def becomes(lanes: Lanes) -> Rows:
        rows = lanes.rows.copy()
        for stage in stages:
            stage(lanes, rows)
        return rows

    return becomes


def _mask(field: Field) -> int:
    return (1 << field.width) - 1


def _settled(fixed: Sequence[tuple[Field, Term]]) -> list[Callable[[Lanes, Rows], None]]:
    """Writes to cells that are known, those to one word together."""
    stages: list[Callable[[Lanes, Rows], None]] = []
    for word in sorted({field.word for field, _ in fixed}):
        here = [(field, code) for field, code in fixed if field.word == word]
        cleared, known, open_ = 0, 0, list[tuple[Any, Any, Term]]()
        for field, code in here:
            cleared |= _mask(field) << field.shift
            if code.known:
                known |= (code.value & _mask(field)) << field.shift
            else:
                open_.append((np.uint64(_mask(field)), np.uint64(field.shift), code))
        stages.append(_one_word(word, np.uint64(_ALL ^ cleared), np.uint64(known), open_))
    return stages


def _one_word(word: int, kept: Any, known: Any, open_: list[tuple[Any, Any, Term]]) -> Callable[[Lanes, Rows], None]:
    def stage(lanes: Lanes, rows: Rows) -> None:
        column = rows[:, word]
        column &= kept
        if known:
            column |= known
        for mask, shift, code in open_:
            column |= (lanes.of(code).view(np.uint64) & mask) << shift

    return stage


def _scattered(fields: Sequence[Field], place: Term, code: Term) -> Callable[[Lanes, Rows], None]:
    """A write to an entry that only the state knows."""
    mask = np.uint64(_mask(fields[0]))
    shifts = np.array([field.shift for field in fields], dtype=np.uint64)
    words = np.array([field.word for field in fields], dtype=np.intp)

    def stage(lanes: Lanes, rows: Rows) -> None:
        where = lanes.of(place)
        at, shift = (np.arange(lanes.size), words[where]), shifts[where]
        value = (np.asarray(lanes.of(code)).astype(np.uint64) & mask) << shift
        rows[at] = (rows[at] & ~(mask << shift)) | value

    return stage
