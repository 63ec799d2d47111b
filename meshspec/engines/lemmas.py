"""lemmas: is there a set of simple formulas with which what is not inductive is?

Candidates come from templates (:mod:`meshspec.engines.templates`) and are true in every state seen of a small scope.
Of those and of the model's own properties the largest set is looked for that proves itself at every size (Houdini:
what a step makes false is dropped, until no step does). The proofs are then done anew by the induction that `prove`
trusts, with what is left as lemmas, and those that can be done without are left out one by one.

*Sound when* `prove` is: what is found here is only ever a suggestion to it. *Misses* whatever is no template.
Everything is bounded: states seen, candidates, steps of the solver; the same model has the same lemmas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends.after import Outside, after, apart, tidied
from meshspec.backends.instances import Elements, TooMany, within
from meshspec.backends.layout import NO_RAISE
from meshspec.backends.solver import Sat, Solver, Unsat
from meshspec.engines.induction import Induction
from meshspec.engines.inductive import Property
from meshspec.engines.obligations import Proved, Prover, obligations_of, updates_of
from meshspec.engines.paste import lemma
from meshspec.engines.templates import Candidate, candidates, reachable
from meshspec.expr.build import TRUE
from meshspec.expr.nodes import Name, Node, Op
from meshspec.expr.walk import symbols
from meshspec.lang.lift import Lifted, Path
from meshspec.lang.outcomes import Does
from meshspec.progress import Progress, silent

MAX_CANDIDATES = 400


@attrs.frozen
class Search:
    """What came of it: an induction in which more is proved, the methods to paste by name, how many were tried."""

    induction: Induction | None
    methods: Mapping[str, str]
    tried: int
    reason: str = ""


def search(
    prover: Prover,
    wanted: Sequence[str],
    most: int = MAX_CANDIDATES,
    progress: Progress = silent,
) -> Search:
    """Look for lemmas with which these properties, or some of them, are proved for every size.

    That no action raises may be among them, as :data:`NO_RAISE`. `most` bounds the candidates. What is proved, and
    with which lemmas, is in the induction of the answer.
    """
    model = prover.model
    progress(f"prove {model.name}: states for the search for lemmas")
    seen = reachable(model) or reachable(model, size=1)
    if seen is None:
        return Search(None, {}, 0, "no scope is small enough to see states of")
    tried = candidates(model, seen, most)
    extra = [_property(f"candidate {number}", one) for number, one in enumerate(tried, 1)]
    start = Induction(prover, progress)
    kept = _Houdini(prover, [*start.properties, *extra], progress).run()
    left = [one for one in extra if one.name in kept]
    if not set(wanted) & {*kept, NO_RAISE}:
        return Search(None, {}, len(tried))
    best = _induct(prover, wanted, left, progress)
    goal = _proved(best, wanted)
    if not goal:
        return Search(None, {}, len(tried))
    left = _used(best, goal, left)
    for one in reversed(left):
        fewer = [other for other in left if other is not one]
        if _proved(_induct(prover, goal, fewer, progress), goal) == goal:
            left = fewer
    named = {f"found_{number}": one for number, one in enumerate(left, 1)}
    last = _induct(prover, wanted, [attrs.evolve(one, name=name) for name, one in named.items()], progress)
    methods = {
        name: lemma(name, one.universal.parameters, literals_of(one.universal.body), model.declared)
        for name, one in named.items()
    }
    return Search(last, methods, len(tried))


def _property(name: str, candidate: Candidate) -> Property:
    return Property(name, "lemma", candidate.universal)


def literals_of(body: Node) -> tuple[Node, ...]:
    """The literals of which one is true."""
    return body.args if isinstance(body, Op) and body.op == "or" else (body,)


def _induct(prover: Prover, wanted: Sequence[str], extra: Sequence[Property], progress: Progress) -> Induction:
    induction = Induction(prover, progress, extra)
    induction.run([name for name in wanted if name != NO_RAISE], NO_RAISE in wanted)
    return induction


def _proved(induction: Induction, wanted: Sequence[str]) -> list[str]:
    return [name for name in wanted if name not in induction.fallen]


def _used(induction: Induction, wanted: Sequence[str], extra: Sequence[Property]) -> list[Property]:
    used = {other for name in wanted for other in induction.uses(name)}
    return [one for one in extra if one.name in used]


class _Houdini:
    """The largest set of formulas that no step leaves, found a path at a time with all that may fail as one goal."""

    def __init__(self, prover: Prover, properties: Sequence[Property], progress: Progress) -> None:
        self.prover, self.progress = prover, progress
        self.model, self.terms = prover.model, prover.terms
        self.alive = {p.name: p for p in properties}
        self.primed = {p.name: apart(tidied(p.universal.body)) for p in properties}
        self.solver = Solver(self.terms, prover.rlimit, minimal=False)

    def run(self) -> set[str]:
        """The names of what is left."""
        for name, one in list(self.alive.items()):
            if not isinstance(self.prover.settle(obligations_of(self.model, one)[0], {}), Proved):
                del self.alive[name]
        paths = [(a, p) for a in self.model.actions for p in a.paths if isinstance(p.outcome, Does)]
        safe: set[int] = set()
        while len(safe) < len(paths):
            for number, (action, path) in enumerate(paths):
                if number in safe:
                    continue
                before = len(self.alive)
                self.progress(f"prove {self.model.name}: {before} candidates, {action.name}")
                self._step(action, path)
                if len(self.alive) < before:
                    safe.clear()
                safe.add(number)
        return set(self.alive)

    def _step(self, action: Lifted, path: Path) -> None:
        """Drop what this path may make false."""
        goals = self._goals(path)
        if not goals:
            return
        elements = Elements(self.terms, self.model.sorts, self.prover.max_members)
        constants = self.model.instance
        condition: list[Node] = [tidied(part) for part in path.condition]
        for p in action.parameters:
            own = Name(p.name, p.type)
            elements.name(own)
            if p.range is not None:
                condition.append(within(own, p.range.of(constants)))
        for name in goals:
            universal = self.alive[name].universal
            for p in universal.parameters:
                primed = Name(f"{p.name}'", p.type)
                elements.name(primed)
                if p.name in universal.bounds:
                    condition.append(within(primed, universal.bounds[p.name]))
        try:
            self._narrow(elements, condition, goals)
        except TooMany:
            for name in goals:
                self.alive.pop(name, None)

    def _goals(self, path: Path) -> dict[str, Node]:
        """What must be true before the path for each formula to be true after it; what cannot be said falls."""
        assert isinstance(path.outcome, Does)
        written = {update.symbol for update in path.outcome.updates}
        goals: dict[str, Node] = {}
        for name, one in list(self.alive.items()):
            if written.isdisjoint(symbols(one.universal.body)):
                continue
            try:
                goal = after(self.primed[name], updates_of(path))
            except Outside:
                del self.alive[name]
                continue
            if goal != TRUE:
                goals[name] = goal
        return goals

    def _narrow(self, elements: Elements, condition: Sequence[Node], goals: dict[str, Node]) -> None:
        solver, terms = self.solver, self.terms
        for part in condition:
            elements.holds(part, {})
        for goal in goals.values():
            elements.holds(goal, {}, False)
        elements.grow(self.prover.holders)
        with solver.within():
            for part in condition:
                solver.add(elements.holds(part, {}))
            for name, one in self.alive.items():
                for term in elements.instances(one.universal):
                    solver.add(term, name)
            fails = {name: elements.holds(goal, {}, False) for name, goal in goals.items()}
            while left := [name for name in goals if name in self.alive]:
                self.prover.asked += 1
                with solver.within():
                    solver.add(terms.join("or", [fails[name] for name in left]))
                    reply = solver.check(list(self.alive))
                    false = self._false(reply.model, fails, left) if isinstance(reply, Sat) else left
                if isinstance(reply, Unsat):
                    return
                for name in false or left:  # an answer that cannot be read, or none: all of them
                    del self.alive[name]

    def _false(self, model: Any, fails: Mapping[str, Any], left: Sequence[str]) -> list[str]:
        return [name for name in left if self.terms.z3.is_true(model.eval(fails[name], model_completion=True))]
