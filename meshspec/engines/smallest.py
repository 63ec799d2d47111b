"""The smallest counterexample to induction: what stands in the way, and nothing beside it.

Fewest members of the sorts, all told; among those states the one with the fewest cells that are not as at the start
(and entries of constant tables that are not the model's),
and then ints nearest to what they are there. Asked of Z3 at scopes, where its answers are exact; what it finds is
replayed on CPython like any other counterexample to induction. Every question has the step limit of the prover, and
where that ends the search the smallest found so far is kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from meshspec.backends.solver import Sat, Solver, Term
from meshspec.backends.steps import Move, Steps
from meshspec.engines.cti import Cti, Found, replay
from meshspec.engines.inductive import Property
from meshspec.errors import UsageError
from meshspec.expr.nodes import IntType, Name
from meshspec.lang.lift import LiftedModel
from meshspec.sorts import Sort

MAX_SCOPES = 12
MAX_CELLS = 200


class Shrinker:
    """Looks for smaller counterexamples than those that a proof stumbled over; terms are kept between them."""

    def __init__(self, model: LiftedModel, rlimit: int) -> None:
        self.model, self.rlimit = model, rlimit
        self._steps: dict[tuple[int, ...], Steps | None] = {}

    def smallest(self, cti: Cti, property: Property | None, hypotheses: Sequence[Property]) -> Cti:
        """The smallest one, at most as large as `cti`; `cti` itself when none is found."""
        largest = [cti.scope[sort.__name__] for sort in self.model.sorts]
        scopes = sorted(
            itertools.product(*(range(1, max(1, size) + 1) for size in largest)), key=lambda s: (sum(s), s)
        )
        for sizes in scopes[:MAX_SCOPES]:
            steps = self._at(sizes)
            if steps is None:
                return cti
            found = self._in(steps, property, hypotheses)
            if found is not None:
                return found
        return cti

    def _at(self, sizes: tuple[int, ...]) -> Steps | None:
        if sizes not in self._steps:
            scope: Mapping[type[Sort], int] = dict(zip(self.model.sorts, sizes, strict=True))
            try:
                made = Steps(self.model, scope, free_tables=True)
            except UsageError:  # too large to be built: the counterexample stays as it was found
                self._steps[sizes] = None
            else:
                self._steps[sizes] = made if len(made.cells) <= MAX_CELLS else None
        return self._steps[sizes]

    def _in(self, steps: Steps, property: Property | None, hypotheses: Sequence[Property]) -> Cti | None:
        solver, terms = Solver(steps.terms, self.rlimit), steps.terms
        for one in hypotheses:
            solver.add(steps.at(steps.holds(one.name, one.universal), 0))
        if property is None:
            solver.add(steps.at(steps.raising, 0))
        else:
            solver.add(steps.at(steps.step, 0))
            solver.add(steps.at(steps.fails(property.name, property.universal), 1))
        solver.add(steps.domain(0))
        solver.add(steps.domain(1))
        narrow = _Narrow(solver)
        if not narrow.can():
            return None
        unlike: list[Term] = []
        far: list[Term] = []
        zero, one = steps.literal(0, IntType()), steps.literal(1, IntType())
        for variable, at in steps.cells:
            options = [steps.entry(variable, at)] if variable.constant else steps.options(variable)
            starts = [steps.at(steps.starts(variable, at, option), 0) for option in options]
            differs = terms.no(terms.join("or", starts))
            unlike.append(steps.z3.If(differs, one, zero))
            if isinstance(variable.symbol.type, IntType):
                held = steps.at(terms.ground(variable.symbol, at), 0)
                start = next((o for o in options if isinstance(o, int)), 0)
                away = held - start
                far.append(steps.z3.If(differs, steps.z3.If(away >= 0, away, -away), zero))
        for measure in (unlike, far, [steps.at(steps.which, 0)]):
            narrow.least(steps.z3.Sum(measure) if measure else None)
        return self._replayed(steps, narrow.model, property, hypotheses)

    def _replayed(self, steps: Steps, model: Any, property: Property | None, given: Sequence[Property]) -> Cti | None:
        def read(term: Term, place: int) -> Any:
            return model.eval(steps.at(term, place), model_completion=True)

        move = steps.moves[int(read(steps.which, 0).as_long())]
        cells: dict[Any, Any] = {}
        for variable, at in steps.cells:
            symbol = variable.symbol
            keys = tuple(steps.terms.decode(place, type) for place, type in zip(at, symbol.keys, strict=True))
            gone = symbol.optional and steps.z3.is_true(read(steps.terms.ground(symbol, at, True), 0))
            cells[symbol.name, keys] = (
                None if gone else steps.decoded(read(steps.terms.ground(symbol, at), 0), symbol.type)
            )
        names = _arguments(move, lambda name: steps.decoded(read(steps.terms.term(name), 0), name.type))
        if property is not None:
            for inner, name in steps.own(f"{property.name}!", property.universal.parameters).items():
                names[Name(f"{inner.name}'", inner.type)] = steps.decoded(read(steps.terms.term(name), 1), inner.type)
        found = Found(steps.layout.sizes, cells, names)
        replayed = replay(self.model, found, move.action, property, given)
        return replayed if isinstance(replayed, Cti) else None


def _arguments(move: Move, read: Callable[[Name], Any]) -> dict[Any, Any]:
    return {Name(p.name, p.type): read(name) for p, name in zip(move.action.parameters, move.parameters, strict=True)}


class _Narrow:
    """Narrows what the solver may answer to the least value of one measure after the other."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.model: Any = None

    def can(self) -> bool:
        """Whether anything is left."""
        reply = self.solver.check()
        if isinstance(reply, Sat):
            self.model = reply.model
        return isinstance(reply, Sat)

    def least(self, measure: Term | None) -> None:
        """Make a measure that is never negative as small as the solver can within its limit."""
        if measure is None:
            return
        low, high = 0, self._value(measure)
        while low < high:
            middle = (low + high) // 2
            with self.solver.within():
                self.solver.add(measure <= middle)
                possible = self.can()
            if possible:
                high = self._value(measure)
            else:  # or not within the limit: then what is kept is small, and perhaps not the smallest
                low = middle + 1
        self.solver.add(measure <= high)

    def _value(self, measure: Term) -> int:
        return int(self.model.eval(measure, model_completion=True).as_long())
