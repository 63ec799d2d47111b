"""Equivalence: does a changed model take the same steps as the original, for every size?

Two actions are equal where no state that satisfies the given properties, and no arguments, make them differ: one is
blocked and the other is not, they raise differently, or they leave different values in some variable. The properties
must be proved for every size. From equal steps in all states that satisfy them, and the same initial states, it
follows that the changed model reaches the same states: nothing can tell the two apart.

*Sound when* both models were lifted rightly: *equal* is said only where Z3 found every difference unsatisfiable.
*Misses* what is equal for reasons that the properties do not state, and what the solver cannot decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from meshspec.backends.after import after, tidied
from meshspec.backends.instances import Elements, TooMany, Universal, within
from meshspec.backends.solver import RLIMIT, AnySize, Solver, Term, Unsat
from meshspec.engines.inductive import Property
from meshspec.expr.build import FALSE, TRUE, conj, disj, equal, negate
from meshspec.expr.nodes import Absent, Cell, Name, Node, SortType
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Does, Outcome, Split, Tree, answer_is, leaves

MAX_PAIRS = 256
"""How many pairs of paths of one action are compared before it is left open."""


def differences(
    one: Tree[Outcome], other: Tree[Outcome], condition: tuple[Node, ...] = ()
) -> Iterator[tuple[tuple[Node, ...], Outcome, Outcome]]:
    """The pairs of paths, one of each tree, that can be taken together and do not come to the same."""
    if one == other:
        return
    if isinstance(one, Split) and isinstance(other, Split) and one.question == other.question:
        for option, mine, theirs in zip(
            one.options, one.below, other.below, strict=True
        ):  # a question has its options
            yield from differences(mine, theirs, (*condition, answer_is(one.question, option)))
        return
    for first, a in leaves(one):
        for second, b in leaves(other):
            both = (*condition, *first, *second)
            if a != b and conj(*both) != FALSE:
                yield both, a, b


def unequal(model: LiftedModel, changed: LiftedModel, properties: Sequence[Property], rlimit: int = RLIMIT) -> str:
    """Nothing where both take the same steps in every state that satisfies `properties`; else where they may not."""
    asker = _Asker(model, properties, rlimit)
    for one, other in zip(model.actions, changed.actions, strict=True):
        if one.tree == other.tree:
            continue
        if one.parameters != other.parameters:
            return f"{one.name} makes other choices"
        for number, (condition, a, b) in enumerate(differences(one.tree, other.tree)):
            if number >= MAX_PAIRS:
                return f"{one.name} has more than {MAX_PAIRS} pairs of paths to compare"
            why = asker.may_differ(one, condition, _differ(a, b))
            if why:
                return f"{one.name}: {why}"
    return ""


def _differ(one: Outcome, other: Outcome) -> tuple[tuple[tuple[Name, ...], Node], ...]:
    """When two outcomes differ: for each variable, under names for its keys."""
    if not (isinstance(one, Does) and isinstance(other, Does)):
        return (((), TRUE),)  # blocked, or an error, against something else
    found: list[tuple[tuple[Name, ...], Node]] = []
    for symbol in dict.fromkeys(update.symbol for update in (*one.updates, *other.updates)):
        keys = tuple(Name(f"key{place} of {symbol.name}", type) for place, type in enumerate(symbol.keys))
        mine, theirs = (after(Cell(symbol, keys), each.updates) for each in (one, other))
        differs = negate(equal(tidied(mine), tidied(theirs)))
        if symbol.optional:
            gone, lost = (after(Absent(symbol, keys), each.updates) for each in (one, other))
            differs = disj(negate(equal(gone, lost)), conj(negate(gone), differs))
        found.append((keys, differs))
    return tuple(found)


class _Asker:
    """Asks one solver whether differences are possible."""

    def __init__(self, model: LiftedModel, properties: Sequence[Property], rlimit: int) -> None:
        self.model, self.rlimit = model, rlimit
        self.known: list[Universal] = [property.universal for property in properties]
        self.terms = AnySize()
        self.solver = Solver(self.terms, rlimit)
        variables = model.declared.variables
        self.holders = [v.symbol for v in variables if isinstance(v.symbol.type, SortType)]

    def may_differ(
        self, action: Lifted, condition: tuple[Node, ...], differ: tuple[tuple[tuple[Name, ...], Node], ...]
    ) -> str:
        """Nothing where no state has all of `condition` and one of `differ`; else why that is not shown."""
        conditions = [tidied(part) for part in condition]
        for p in action.parameters:
            if p.range is not None:
                conditions.append(within(Name(p.name, p.type), p.range.of(self.model.instance)))
        names = [Name(p.name, p.type) for p in action.parameters]
        for keys, node in differ:
            if node == FALSE:
                continue
            try:
                if not self._impossible([*conditions, node], [*names, *keys]):
                    return "the solver does not exclude that they differ"
            except TooMany as many:
                return str(many)
        return ""

    def _impossible(self, stated: list[Node], names: list[Name]) -> bool:
        """Whether nothing satisfies all of it, by instances at what is named, then by quantifiers."""
        elements = Elements(self.terms, self.model.sorts, max_members=8)
        for name in names:
            elements.name(name)
        for _ in range(2):
            self._terms(elements, stated)  # witnesses get their names before anything is put at them
            grown = elements.grow(self.holders)
            with self.solver.within():
                for term in (*self._terms(elements, stated), *self._instances(elements)):
                    self.solver.add(term)
                if isinstance(self.solver.check(), Unsat):
                    return True
            if not grown:
                break
        fresh = Solver(self.terms, self.rlimit)
        for node in stated:
            fresh.add(self.terms.term(node))
        for universal in self.known:
            parameters = [Name(p.name, p.type) for p in universal.parameters]
            inside = [within(n, universal.bounds[n.name]) for n in parameters if n.name in universal.bounds]
            fresh.add(self.terms.closed(parameters, disj(negate(conj(*inside)), universal.body)))
        return isinstance(fresh.check(), Unsat)

    def _terms(self, elements: Elements, stated: list[Node]) -> list[Term]:
        return [elements.holds(node, {}) for node in stated]

    def _instances(self, elements: Elements) -> Iterator[Term]:
        for universal in self.known:
            yield from elements.instances(universal)
