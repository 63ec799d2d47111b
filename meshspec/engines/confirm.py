"""confirm: is the evidence for a model's promise what its file says?

One line of evidence is one question: the exact counts, each claim in its scope, each proof, each incident with its
exact path, and that nothing holds vacuously. An incident must change what the model does, break what it is listed
for by exactly that path, keep every other claim, and be mended by its parent on the same schedule.

Sound when the engines it runs are. Misses nothing that a line says; a claim without a line is refused before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial

import attrs

from meshspec.answer import Answer, Finding, Strength
from meshspec.backends import native
from meshspec.backends.certificate import certified
from meshspec.backends.layout import Layout
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.engines.prove import prove
from meshspec.lang.evidence import Evidence, Promise
from meshspec.lang.lift import Lifted, LiftedModel, label

PROMISES = ("always", "sometimes")


@attrs.frozen
class Line:
    """One line of evidence: a readable id and the check that confirms it."""

    id: str
    confirm: Callable[[], Finding]


class Confirmation:
    """The evidence of one model, line by line; the searches behind the lines are run once."""

    def __init__(self, evidence: Evidence, limits: Limits | None = None) -> None:
        self.evidence = evidence
        self.limits = limits or Limits()
        self._explored: dict[type, list[Finding]] = {}

    @cached_property
    def model(self) -> LiftedModel:
        return certified(self.evidence.model)

    @property
    def incidents(self) -> list[type]:
        found = {incident: None for line in self.evidence.promises.values() for incident in line.refuted_by}
        return list(found)

    def lines(self) -> list[Line]:
        """Every line, in the fixed order: holds, proved, refuted, not vacuous."""
        lines: list[tuple[str, Callable[[], Finding]]] = [("states", self.counts)]
        for claim, promise in self.evidence.promises.items():
            lines.append((f"{claim} holds", partial(self.holds, claim)))
            if promise.proved:
                lines.append((f"{claim} is proved", partial(self.proved, claim)))
            for incident in promise.refuted_by:
                what = f"{claim} is refuted by {incident.__name__}"
                lines.append((what, partial(self.refuted, claim, incident)))
        for incident in self.incidents:
            what = f"{incident.__name__} breaks only what it is listed for"
            lines.append((what, partial(self.incident, incident)))
        lines.append(("nothing is vacuous", self.not_vacuous))
        lines.append(("every promise can be refuted", self.refutable))
        return [Line(id, confirm) for id, confirm in lines]

    def explored(self, model: type) -> list[Finding]:
        if model not in self._explored:
            lifted = self.model if model is self.evidence.model else certified(model)
            self._explored[model] = explore(lifted, self.evidence.scope, self.limits)
        return self._explored[model]

    def _of(self, model: type, claim: str) -> Finding:
        return next(f for f in self.explored(model) if f.property == claim)

    @cached_property
    def _proofs(self) -> Mapping[str, Finding]:
        return {finding.property: finding for finding in prove(self.model)}

    def _line(self, what: str, problem: str, found: Finding | None = None) -> Finding:
        scope = {sort.__name__: size for sort, size in self.evidence.scope.items()}
        name = self.evidence.model.__name__
        if found is not None and found.answer is Answer.UNDETERMINED:
            return attrs.evolve(found, subject=name, property=what, kind="evidence")
        if not problem:
            strength = found.strength if found is not None and found.strength else Strength.EXHAUSTIVE
            states = found.states if found is not None else None
            return Finding(
                name, what, Answer.HOLDS, "confirm", kind="evidence", strength=strength, scope=scope, states=states
            )
        counterexample = found.counterexample if found is not None else None
        return Finding(
            name,
            what,
            Answer.VIOLATED,
            "confirm",
            kind="evidence",
            scope=scope,
            reason=problem,
            counterexample=counterexample,
        )

    # -- the lines ---------------------------------------------------------------------------------------------

    def counts(self) -> Finding:
        found = self.explored(self.evidence.model)[0]
        seen = (found.states, found.facts["deadlocks"])
        said = (self.evidence.states, self.evidence.deadlocks)
        problem = (
            ""
            if seen == said
            else f"{said[0]} states and {said[1]} deadlocks are pinned; found {seen[0]} and {seen[1]}"
        )
        if not found.facts["complete"]:
            problem = f"the search was cut after {found.states} states"
        return self._line(f"{said[0]} states, {said[1]} deadlocks", problem, None)

    def holds(self, claim: str) -> Finding:
        found = self._of(self.evidence.model, claim)
        problem = "" if found.answer is Answer.HOLDS else f"{found.answer.value}: {found.reason or 'see the path'}"
        return self._line(f"{claim} holds", problem, found)

    def proved(self, claim: str) -> Finding:
        found = self._proofs[claim]
        problem = "" if found.strength is Strength.EVERY_SIZE else f"not proved: {found.reason}"
        return self._line(f"{claim} is proved", problem, found)

    def refuted(self, claim: str, incident: type) -> Finding:
        promise: Promise = self.evidence.promises[claim]
        found = self._of(incident, claim)
        what = f"{claim} is refuted by {incident.__name__}"
        if found.answer is Answer.UNDETERMINED:
            return self._line(what, "", found)
        if found.counterexample is None:
            return self._line(what, f"{incident.__name__} does not break {claim}: {found.answer.value}", found)
        path, pinned = found.counterexample.actions, promise.refuted_by[incident]
        if path != pinned:
            return self._line(what, f"the shortest path is {', '.join(path)}; pinned is {', '.join(pinned)}", found)
        return self._line(what, self._mended(claim, incident, found), None)

    def _mended(self, claim: str, incident: type, found: Finding) -> str:
        """Empty when the parent, on the incident's schedule, does not break the claim."""
        assert found.counterexample is not None
        layout = Layout(self.model, self.evidence.scope)
        values: native.Values = layout.decode(next(layout.initial_states()))
        ground = {label(lifted.name, arguments): (lifted, arguments) for lifted, arguments in layout.ground_actions()}
        for action in found.counterexample.actions:
            lifted, arguments = ground[action]
            after = native.run(layout, lifted, values, arguments)
            if not isinstance(after, native.Next):
                return ""  # the parent refuses a step of the schedule: the violation is gone with it
            values = after.values
        said: Lifted = next(c for c in self.model.claims if c.name == claim)
        kept = all(
            native.run(layout, said, values, arguments) == native.Value(True)
            for arguments in layout.arguments(said.parameters)
        )
        return (
            ""
            if kept
            else f"{self.evidence.model.__name__} breaks {claim} on the schedule of {incident.__name__} too"
        )

    def incident(self, incident: type) -> Finding:
        """It changes what the model does, and keeps every claim that it is not listed for."""
        what = f"{incident.__name__} breaks only what it is listed for"
        mine, theirs = self.model, certified(incident)
        if transitions(mine, self.evidence) == transitions(theirs, self.evidence):
            return self._line(what, f"the transitions of {incident.__name__} equal its parent's: it changes nothing")
        for claim, promise in self.evidence.promises.items():
            found = self._of(incident, claim)
            if incident not in promise.refuted_by and found.answer is not Answer.HOLDS:
                return self._line(what, f"{claim} is {found.answer.value} too: list it", found)
        return self._line(what, "")

    def not_vacuous(self) -> Finding:
        """Every action fires, every fault strikes, every condition is met somewhere, every witness exists."""
        for found in self.explored(self.evidence.model):
            if found.answer is Answer.VACUOUS:
                return attrs.evolve(found, property=f"nothing is vacuous: {found.property}", kind="evidence")
            if found.answer is not Answer.HOLDS:
                return self._line("nothing is vacuous", f"{found.property}: {found.answer.value}", found)
        return self._line("nothing is vacuous", "")

    def refutable(self) -> Finding:
        """Every ``@always`` promise has an incident that refutes it."""
        kinds = {lifted.name: lifted.method.kind for lifted in self.model.claims}
        idle = [c for c, p in self.evidence.promises.items() if kinds[c] == "always" and not p.refuted_by]
        if not idle:
            return self._line("every promise can be refuted", "")
        name = self.evidence.model.__name__
        reason = f"{', '.join(idle)}: no incident refutes it, so nothing shows that it can fail"
        return Finding(
            name, "every promise can be refuted", Answer.VACUOUS, "confirm", kind="evidence", reason=reason
        )


def transitions(model: LiftedModel, evidence: Evidence) -> frozenset[tuple[object, ...]]:
    """Every step between reachable states in the evidence's scope, as (state, action, state)."""
    from meshspec.backends.generated import Generator
    from meshspec.engines.explore import search_states

    search, _ = search_states(model, evidence.scope, Limits())
    successors = Generator(search.layout).successors()
    ground = [label(lifted.name, arguments) for lifted, arguments in search.layout.ground_actions()]
    return frozenset(
        (state, ground[action], reached) for state in search.states for action, reached, _ in successors(state)
    )
