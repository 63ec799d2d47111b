"""A model at a scope as a relation of solver terms: its initial states, one step, what is said of a state.

Everything is built once over the constants of one state and of the next; :meth:`Steps.at` puts it at any step of a
path by renaming them. A step is one path of one action, numbered in the order of actions, with its own parameters.
As in `explore`, no step is taken from a state in which a Range is left, and a path that raises leads nowhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends.after import after
from meshspec.backends.atscope import AtScope
from meshspec.backends.instances import Universal, within
from meshspec.backends.layout import Layout
from meshspec.backends.terms import Term
from meshspec.expr.build import conj, negate
from meshspec.expr.nodes import Absent, BoolType, Cell, Name, Node, Symbol, Type
from meshspec.expr.walk import substitute
from meshspec.lang.containers import order_of
from meshspec.lang.declare import Parameter, Variable
from meshspec.lang.lift import Lifted, LiftedModel, Path
from meshspec.lang.outcomes import Does, Raises
from meshspec.sorts import Sort, is_sort


@attrs.frozen(eq=False)
class Move:
    """One path of one action that is taken or raises; ``parameters`` are the action's, under names of their own."""

    number: int
    action: Lifted
    path: Path
    parameters: tuple[Name, ...]


def _sides(symbol: Symbol) -> tuple[bool, ...]:
    """What a cell consists of: its value, and for an optional one whether it is ``None``."""
    return (False, True) if symbol.optional else (False,)


class _Tabled(AtScope):
    """Terms at a scope in which the entries of constant tables are the values they have there."""

    def __init__(self, layout: Layout, free_tables: bool) -> None:
        super().__init__(layout.sizes)
        self._tables = {} if free_tables else layout.tables

    def ground(self, symbol: Symbol, at: tuple[int, ...], absent: bool = False) -> Term:
        table = self._tables.get(symbol.name)
        if table is None:
            return super().ground(symbol, at, absent)
        place = 0
        for key, type in zip(at, symbol.keys, strict=True):
            place = place * self._size(type) + key
        held = table[place]
        if absent:
            return self.z3.BoolVal(held is None, self.context)
        if isinstance(symbol.type, BoolType):
            return self.z3.BoolVal(bool(held), self.context)
        return self.z3.IntVal(held or 0, self.context)


class Steps:
    """The terms of one model at one scope.

    With `free_tables` the entries of constant tables are unknowns, as they are in a proof for every size.
    Raises :class:`meshspec.errors.UsageError` for a scope that lacks a sort or is too large to build.
    """

    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int], free_tables: bool = False) -> None:
        self.model = model
        self.layout = Layout(model, sizes)
        self.terms = _Tabled(self.layout, free_tables)
        self.z3 = self.terms.z3
        variables = [v for v in model.declared.variables if free_tables or not v.constant]
        self.cells: list[tuple[Variable, tuple[int, ...]]] = [
            (v, at)
            for v in variables
            for at in itertools.product(*(range(self._width(key)) for key in v.symbol.keys))
        ]
        self.moves = self._moves()
        self.which: Term = self.z3.Int("which step", self.terms.context)
        self._now: list[Term] = []
        self._next: dict[Any, Term] = {}
        for variable, at in self.cells:
            for absent in _sides(variable.symbol):
                here = self.terms.ground(variable.symbol, at, absent)
                self._now.append(here)
                self._next[here.get_id()] = self._constant(f"{here.decl().name()}'", here)
        self._names: list[Term] = [self.which]
        self._pairs: dict[int, list[tuple[Term, Term]]] = {}
        self.initial = self._initial()
        self.inside = self._inside()
        self.step = self._step()
        self.raising = self._raising()

    def _width(self, type: Type) -> int:
        return len(self.layout.values(type))

    def _constant(self, name: str, like: Term) -> Term:
        return self.z3.Const(name, like.sort())

    def _next_of(self, term: Term) -> Term:
        return self._next[term.get_id()]

    def _all(self, terms: Iterable[Term]) -> Term:
        return self.terms.join("and", list(terms))

    # -- names -------------------------------------------------------------------------------------------------

    def own(self, owner: str, parameters: Sequence[Parameter]) -> dict[Name, Node]:
        """Names for the parameters of one method that no other method shares."""
        by: dict[Name, Node] = {Name(p.name, p.type): Name(f"{owner}({p.name})", p.type) for p in parameters}
        for name in by.values():
            term = self.terms.term(name)
            if not any(term.eq(known) for known in self._names):
                self._names.append(term)
                self._pairs.clear()
        return by

    def at(self, term: Term, place: int) -> Term:
        """The term at a step of a path: the state before it, the step itself, the state after it."""
        pairs = self._pairs.get(place)
        if pairs is None:
            pairs = list[tuple[Term, Term]]()
            for here in self._now:
                name = here.decl().name()
                pairs.append((here, self._constant(f"{name} @{place}", here)))
                pairs.append((self._next_of(here), self._constant(f"{name} @{place + 1}", here)))
            pairs += [(name, self._constant(f"{name.decl().name()} @{place}", name)) for name in self._names]
            self._pairs[place] = pairs
        return self.z3.substitute(term, *pairs)

    # -- the relation ------------------------------------------------------------------------------------------

    def _moves(self) -> list[Move]:
        found: list[Move] = []
        for action in self.model.actions:
            for path in action.paths:
                if isinstance(path.outcome, (Does, Raises)):
                    names = tuple(Name(f"{action.name}({p.name})", p.type) for p in action.parameters)
                    found.append(Move(len(found), action, path, names))
        return found

    def _initial(self) -> Term:
        parts: list[Term] = []
        for variable, at in self.cells:
            if not variable.constant:
                parts.append(self.terms.join("or", [self.starts(variable, at, o) for o in self.options(variable)]))
        return self._all(parts)

    def entry(self, variable: Variable, at: tuple[int, ...]) -> object:
        """What the model's own constant table holds there."""
        place = 0
        for key, type in zip(at, variable.symbol.keys, strict=True):
            place = place * self._width(type) + key
        return self.layout.tables[variable.symbol.name][place]

    def options(self, variable: Variable) -> list[object]:
        """Every initial value of a variable as states hold it, in the order of exploration."""
        found: list[object] = []
        for value in variable.initial:
            if is_sort(value):
                found += range(self.layout.sizes[value])
            else:
                found.append(self.layout.encode_value(value))
        return found

    def starts(self, variable: Variable, at: tuple[int, ...], value: object) -> Term:
        """That a cell holds an encoded value."""
        symbol = variable.symbol
        if value is None:
            return self.terms.ground(symbol, at, absent=True)
        held = self.terms.ground(symbol, at)
        same = held == (bool(value) if isinstance(symbol.type, BoolType) else value)
        if not symbol.optional:
            return same
        return self._all([self.terms.no(self.terms.ground(symbol, at, absent=True)), same])

    def _inside(self) -> Term:
        """That every Range is kept, and every constant has a value of its type."""
        parts: list[Term] = []
        for variable, at in self.cells:
            if variable.range is None or variable.constant:
                continue
            bounds, held = variable.range.of(self.model.instance), self.terms.ground(variable.symbol, at)
            kept = self._all([held >= bounds[0], held <= bounds[-1]])
            if variable.symbol.optional:
                kept = self.terms.join("or", [self.terms.ground(variable.symbol, at, absent=True), kept])
            parts.append(kept)
        return self._all(parts)

    def _step(self) -> Term:
        """One step from a state in which every Range is kept to the next."""
        z3, terms = self.z3, self.terms
        parts: list[Term] = [self.inside, self.which >= 0, self.which < len(self.moves)]
        writers: dict[Symbol, list[Term]] = {}
        for move in self.moves:
            taken, by = self.which == move.number, self.own(move.action.name, move.action.parameters)
            if not isinstance(move.path.outcome, Does):
                parts.append(terms.no(taken))
                continue
            parts.append(z3.Implies(taken, terms.term(substitute(conj(*self._enabled(move)), by))))
            for update in move.path.outcome.updates:
                writers.setdefault(update.symbol, []).append(taken)
                for here, value in self._written(update.symbol, move, by):
                    parts.append(z3.Implies(taken, self._next_of(here) == value))
        for variable, at in self.cells:
            for absent in _sides(variable.symbol):
                here = terms.ground(variable.symbol, at, absent)
                parts.append(terms.join("or", [*writers.get(variable.symbol, []), self._next_of(here) == here]))
        return self._all(parts)

    def _enabled(self, move: Move) -> list[Node]:
        bounds = [
            within(Name(p.name, p.type), p.range.of(self.model.instance))
            for p in move.action.parameters
            if p.range is not None
        ]
        return [*move.path.condition, *bounds]

    def _written(self, symbol: Symbol, move: Move, by: Mapping[Name, Node]) -> Iterable[tuple[Term, Term]]:
        """Every cell of a variable, and what it holds after the move."""
        assert isinstance(move.path.outcome, Does)
        keys = tuple(Name(f"key {place} of {type}", type) for place, type in enumerate(symbol.keys))
        forms: list[Node] = [Cell(symbol, keys), *([Absent(symbol, keys)] if symbol.optional else [])]
        for absent, form in enumerate(forms):
            value = self.terms.term(substitute(after(form, move.path.outcome.updates), by))
            for at in itertools.product(*(range(self._width(key)) for key in symbol.keys)):
                places = zip(keys, at, strict=True)
                pairs = [(self.terms.term(key), self.literal(place, key.type)) for key, place in places]
                here = self.terms.ground(symbol, at, bool(absent))
                yield here, self.z3.simplify(self.z3.substitute(value, *pairs)) if pairs else value

    def place(self, value: object) -> int:
        """How the terms write a value: its position; an int as it is."""
        return order_of(value)

    def decoded(self, term: Term, type: Type) -> object:
        """The value that a literal stands for."""
        if isinstance(type, BoolType):
            return bool(self.z3.is_true(term))
        return self.terms.decode(int(term.as_long()), type)

    def literal(self, place: int, type: Type) -> Term:
        """The term of an encoded value."""
        if isinstance(type, BoolType):
            return self.z3.BoolVal(bool(place), self.terms.context)
        return self.z3.IntVal(place, self.terms.context)

    def _raising(self) -> Term:
        """That some action raises in this state; as in a step, from a state in which every Range is kept."""
        raised = [
            self._all([self.which == move.number, self._condition(move)])
            for move in self.moves
            if isinstance(move.path.outcome, Raises)
        ]
        return self._all([self.inside, self.terms.join("or", raised)])

    def _condition(self, move: Move) -> Term:
        by = self.own(move.action.name, move.action.parameters)
        return self.terms.term(substitute(conj(*self._enabled(move)), by))

    # -- what is said of a state -------------------------------------------------------------------------------

    def fails(self, name: str, universal: Universal) -> Term:
        """That a property is false at its own parameters, which are names of their own."""
        by = self.own(f"{name}!", universal.parameters)
        inside = [within(name, universal.bounds[name.name]) for name in by if name.name in universal.bounds]
        return self.terms.term(substitute(conj(negate(universal.body), *inside), by))

    def holds(self, name: str, universal: Universal) -> Term:
        """That a property is true for all values of its parameters."""
        by = self.own(f"{name}!", universal.parameters)
        body = self.terms.term(substitute(universal.body, by))
        names = [(self.terms.term(by[Name(p.name, p.type)]), p.type) for p in universal.parameters]
        domains = [self.layout.values(p.type, universal.bounds.get(p.name)) for p in universal.parameters]
        written: list[Term] = []
        for values in itertools.product(*domains):
            pairs = [(name, self.literal(self.place(v), type)) for (name, type), v in zip(names, values, strict=True)]
            written.append(self.z3.simplify(self.z3.substitute(body, *pairs)) if pairs else body)
        return self._all(written)

    def raises_nowhere(self) -> Term:
        """That no action raises in this state, whatever its arguments."""
        parts: list[Term] = []
        for move in self.moves:
            if isinstance(move.path.outcome, Raises):
                body = negate(conj(*move.path.condition))
                bounds = {p.name: p.range.of(self.model.instance) for p in move.action.parameters if p.range}
                parts.append(self.holds(f"{move.action.name}?", Universal(body, move.action.parameters, bounds)))
        return self.terms.join("or", [self.terms.no(self.inside), self._all(parts)])

    def domain(self, place: int) -> Term:
        """That every constant of this step has a value of its type; to be asked for when all else is built."""
        return self.at(self._all(self.terms.facts), place)

    def differ(self, one: int, other: int) -> Term:
        """That the states before two steps of a path are not the same."""
        parts: list[Term] = []
        for variable, at in self.cells:
            here = self.terms.ground(variable.symbol, at)
            changed = self.at(here, one) != self.at(here, other)
            if variable.symbol.optional:
                gone = self.terms.ground(variable.symbol, at, absent=True)
                first, second = self.at(gone, one), self.at(gone, other)
                changed = self.terms.join("or", [first != second, self._all([self.terms.no(first), changed])])
            parts.append(changed)
        return self.terms.join("or", parts)
