"""What `prove` has to prove: properties, and for each the questions that decide whether it is inductive.

A question is: can every hypothesis hold, a path of an action be taken, and the property be false afterwards? It is
answered by ground instances first, then, when those leave it open, by quantifiers under the solver's step limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from meshspec.backends.after import Outside, after, apart, initial_fact, initially, tidied
from meshspec.backends.instances import Elements, TooMany, Universal, within
from meshspec.backends.solver import AnySize, Leaves, Reply, Sat, Solver, Structure, Term, Unsat
from meshspec.engines.cti import Cti, replay, replay_initial
from meshspec.engines.inductive import Property
from meshspec.expr.build import FALSE, TRUE, conj, disj, negate
from meshspec.expr.nodes import Name, Node, SortType
from meshspec.expr.walk import symbols
from meshspec.lang.declare import Parameter
from meshspec.lang.lift import Lifted, LiftedModel, Path
from meshspec.lang.outcomes import Does, Raises, Update


@attrs.frozen(eq=False)
class Obligation:
    """One question: the initial states (no action), or one path of one action; no property for a path that raises."""

    property: Property | None
    action: Lifted | None = None
    path: Path | None = None


@attrs.frozen
class Proved:
    """It cannot fail, given the properties in ``core``."""

    core: frozenset[str]


@attrs.frozen
class Refuted:
    """It fails in this state, replayed on CPython."""

    cti: Cti


@attrs.frozen
class Open:
    """Neither was shown; ``outside``, when the question could not even be asked for every size."""

    reason: str
    outside: bool = False


Settled = Proved | Refuted | Open


def obligations_of(model: LiftedModel, property: Property) -> list[Obligation]:
    """The base case, then every path that changes what the property reads."""
    reads = symbols(property.universal.body)
    steps = [
        Obligation(property, action, path)
        for action in model.actions
        for path in action.paths
        if isinstance(path.outcome, Does) and any(update.symbol in reads for update in path.outcome.updates)
    ]
    return [Obligation(property), *steps]


def raising(model: LiftedModel) -> list[Obligation]:
    """Every path that raises: it may not be reachable."""
    return [
        Obligation(None, action, path)
        for action in model.actions
        for path in action.paths
        if isinstance(path.outcome, Raises)
    ]


class Prover:
    """Answers obligations about one model, with one solver."""

    def __init__(self, model: LiftedModel, rlimit: int, max_members: int, rounds: int) -> None:
        self.model = model
        self.rlimit, self.max_members, self.rounds = rlimit, max_members, rounds
        self.terms = AnySize()
        self.solver = Solver(self.terms, rlimit)
        self.asked = 0
        variables = model.declared.variables
        self.holders = [v.symbol for v in variables if isinstance(v.symbol.type, SortType)]
        facts = [(v, fact) for v in variables if (fact := initial_fact(v)) is not None]
        self.initial = [
            Universal(body, tuple(Parameter(name.name, name.type) for name in names)) for _, (names, body) in facts
        ]
        self._apart: dict[Property, Node] = {}

    def settle(self, obligation: Obligation, hypotheses: Mapping[str, Property]) -> Settled:
        """Prove the obligation, or refute it, under these hypotheses (which a base case does not use)."""
        try:
            goal = self._goal(obligation)
        except Outside as outside:
            return Open(str(outside), outside=True)
        if goal == TRUE:
            return Proved(frozenset())
        return _Question(self, obligation, goal, hypotheses if obligation.action is not None else {}).answer()

    def _goal(self, obligation: Obligation) -> Node:
        """What must be true in the state before, with the property's own names primed."""
        property = obligation.property
        if property is None:
            return FALSE
        if property not in self._apart:
            self._apart[property] = apart(property.universal.body)
        body = self._apart[property]
        if obligation.path is None:
            return initially(body, self.model.declared.variables)
        return after(body, updates_of(obligation.path))


def updates_of(path: Path) -> tuple[Update, ...]:
    assert isinstance(path.outcome, Does)
    return tuple(
        attrs.evolve(update, writes=tuple(attrs.evolve(write, value=tidied(write.value)) for write in update.writes))
        for update in path.outcome.updates
    )


class _Question:
    """One obligation under some hypotheses, from the first instances to the last resort."""

    def __init__(
        self, prover: Prover, obligation: Obligation, goal: Node, hypotheses: Mapping[str, Property]
    ) -> None:
        self.prover, self.obligation, self.goal, self.hypotheses = prover, obligation, goal, hypotheses
        self.terms = prover.terms
        model = prover.model
        self.elements = Elements(self.terms, model.sorts, prover.max_members)
        given: list[tuple[Parameter, Name, object]] = []
        self.condition: tuple[Node, ...] = ()
        if obligation.action is not None and obligation.path is not None:
            constants = model.instance
            given += [(p, Name(p.name, p.type), constants) for p in obligation.action.parameters]
            self.condition = tuple(tidied(part) for part in obligation.path.condition)
        property = obligation.property
        if property is not None:
            bounds = property.universal.bounds
            for p in property.universal.parameters:
                name = Name(f"{p.name}'", p.type)
                self.elements.name(name)
                if p.name in bounds:
                    self.condition = (*self.condition, within(name, bounds[p.name]))
        for p, name, constants in given:
            self.elements.name(name)
            if p.range is not None:
                self.condition = (*self.condition, within(name, p.range.of(constants)))

    def answer(self) -> Settled:
        why = ""
        try:
            for _ in range(self.prover.rounds):
                self._ground()  # the witnesses of path and goal get their names before anything is put at them
                grown = self.elements.grow(self.prover.holders)
                if why and not grown:
                    break
                reply = self._ask()
                if not isinstance(reply, Sat):
                    return _settled(reply)
                replayed = self._replay(self._structure(reply, whole=False))
                if isinstance(replayed, Cti):
                    return Refuted(replayed)
                why = replayed
            if self.terms.aggregates and (found := self._in_small_scopes()) is not None:
                return found
        except TooMany as many:
            why = why or str(many)
        return self._last_resort(why)

    def _in_small_scopes(self) -> Refuted | None:
        """Look for a counterexample in which aggregates are the sums that they are, among few more members."""
        for extra in range(self.prover.max_members):
            reply = self._ask(closed=True)
            if isinstance(reply, Sat):
                replayed = self._replay(self._structure(reply, whole=False))
                if isinstance(replayed, Cti):
                    return Refuted(replayed)
            for type in dict.fromkeys(aggregate.bound.type for aggregate in self.terms.aggregates):
                self.elements.name(Name(f"another {extra}", type))
            self.elements.grow(self.prover.holders)
        return None

    def _ground(self) -> list[Term]:
        """The path and the failing goal, at the elements named so far."""
        holds = self.elements.holds
        return [*(holds(part, {}) for part in self.condition), holds(self.goal, {}, False)]

    def _ask(self, closed: bool = False) -> Reply:
        """Ask at the named elements; `closed`, as if there were no others: then only *satisfiable* means anything."""
        self.prover.asked += 1
        solver = self.prover.solver
        assumed = [
            (term, name)
            for name, hypothesis in self.hypotheses.items()
            for term in self.elements.instances(hypothesis.universal)
        ]
        stated = self._ground()
        if self.obligation.action is None:
            stated += [term for fact in self.prover.initial for term in self.elements.instances(fact)]
        for aggregate in self.terms.aggregates:
            for whole, part in self.elements.sums(aggregate):
                if closed:
                    stated.append(whole == part)
                elif aggregate.kind == "count":
                    stated.append(whole >= part)
        with solver.within():
            for term in stated:
                solver.add(term)
            for term, label in assumed:
                solver.add(term, label)
            return solver.check(list(self.hypotheses))

    def _last_resort(self, why: str) -> Settled:
        """The same question with quantifiers, to a solver that has seen nothing else."""
        self.prover.asked += 1
        solver = Solver(self.terms, self.prover.rlimit)
        for part in self.condition:
            solver.add(self.terms.term(part))
        solver.add(self.terms.term(negate(self.goal)))
        for name, hypothesis in self.hypotheses.items():
            solver.add(self.terms.closed(*_closed(hypothesis.universal)), name)
        if self.obligation.action is None:
            for fact in self.prover.initial:
                solver.add(self.terms.closed(*_closed(fact)))
        reply = solver.check(list(self.hypotheses))
        if not isinstance(reply, Sat):
            return Open(f"{why}; {settled.reason}") if isinstance(settled := _settled(reply), Open) else settled
        structure = self._structure(reply, whole=True)
        replayed = self._replay(structure)
        return Refuted(replayed) if isinstance(replayed, Cti) else Open(f"instantiation spurious: {replayed}")

    def _structure(self, reply: Sat, whole: bool) -> Structure:
        named = {sort: self.elements.named.get(SortType(sort), ()) for sort in self.prover.model.sorts}
        return self.terms.structure(reply.model, named, whole)

    def _replay(self, structure: Structure) -> Cti | str:
        """The counterexample on CPython, or why it is none."""
        model, obligation = self.prover.model, self.obligation
        if any(size > self.prover.max_members for size in structure.sizes.values()):
            return f"the solver's state needs more than {self.prover.max_members} members of one sort"
        try:
            if obligation.action is None:
                assert obligation.property is not None
                return replay_initial(model, structure, obligation.property)
            return replay(model, structure, obligation.action, obligation.property, list(self.hypotheses.values()))
        except Leaves as leaves:
            return str(leaves)


def _settled(reply: Reply) -> Settled:
    if isinstance(reply, Unsat):
        return Proved(reply.core)
    assert not isinstance(reply, Sat)
    return Open(reply.reason)


def _closed(universal: Universal) -> tuple[Sequence[Name], Node]:
    """The formula with its parameters to be bound, and the condition that its ints lie in their ranges."""
    names = [Name(p.name, p.type) for p in universal.parameters]
    inside = [within(name, universal.bounds[name.name]) for name in names if name.name in universal.bounds]
    return names, disj(negate(conj(*inside)), universal.body) if inside else universal.body
