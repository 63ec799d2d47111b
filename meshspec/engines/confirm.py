"""confirm: is the evidence for a model's promise what its file says?

One line of evidence is one question: the exact counts, each claim in its scope, each proof, each incident with its
exact path, and that nothing holds vacuously. An incident must change what the model does, break what it is listed
for by exactly that path, keep every other claim, and be mended by its parent on the same schedule.

Sound when the engines it runs are. Misses nothing that a line says; a claim without a line is refused before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any

import attrs

from meshspec.answer import Answer, Finding, Strength
from meshspec.backends import native
from meshspec.backends.certificate import certified
from meshspec.backends.layout import Layout, Values
from meshspec.engines.exploration import Exploration
from meshspec.engines.explore import findings_of
from meshspec.engines.limits import Limits, Options
from meshspec.engines.live import live
from meshspec.engines.mutate import mutate
from meshspec.engines.mutation import died
from meshspec.engines.prove import prove
from meshspec.engines.search import search_states
from meshspec.errors import Disagreement
from meshspec.lang.evidence import Evidence
from meshspec.lang.lift import LiftedModel
from meshspec.lang.places import where_is

Unknown = Callable[[Iterable[str]], list[str]]
"""One message for each name that the registry of claims does not have."""

_Transitions = frozenset[tuple[object, ...]]
_EVERY_STATE = Options(symmetry=False)


@attrs.frozen
class Line:
    """One line of evidence: a readable id and the check that confirms it."""

    id: str
    confirm: Callable[[], Finding]


class Confirmation:
    """The evidence of one model, line by line; the searches behind the lines are run once.

    `unknown` looks the names that promises stand for up in the registry, which is above the engines.
    """

    def __init__(self, evidence: Evidence, unknown: Unknown, limits: Limits | None = None) -> None:
        self.evidence = evidence
        self.unknown = unknown
        self.limits = limits or Limits()
        self._searched: dict[type, tuple[Exploration, list[Finding]]] = {}
        self._steps: dict[type, _Transitions | str] = {}
        self._lifted: dict[type, LiftedModel] = {}

    @cached_property
    def model(self) -> LiftedModel:
        return self._certified(self.evidence.model)

    def _certified(self, model: type) -> LiftedModel:
        """Read and certified once, though its constants may be tables, which no memo can be asked for."""
        if model not in self._lifted:
            self._lifted[model] = certified(model)
        return self._lifted[model]

    @property
    def incidents(self) -> list[type]:
        found = {incident: None for line in self.evidence.promises.values() for incident in line.refuted_by}
        return list(found)

    def lines(self) -> list[Line]:
        """Every line, in the fixed order: counts, holds, proved, refuted, incidents, not vacuous, mutants, names."""
        lines: list[tuple[str, Callable[[str], Finding]]] = []
        orbits = f"{self.evidence.orbits} orbits, " if self.evidence.orbits is not None else ""
        lines.append((f"{self.evidence.states} states, {orbits}{self.evidence.deadlocks} deadlocks", self._counts))
        for claim, promise in self.evidence.promises.items():
            lines.append((f"{claim} holds", partial(self._holds, claim)))
            if promise.proved:
                lines.append((f"{claim} is proved", partial(self._proved, claim)))
            for incident in promise.refuted_by:
                what = f"{claim} is refuted by {incident.__name__}"
                lines.append((what, partial(self._refuted, claim, incident)))
        for incident in self.incidents:
            what = f"{incident.__name__} breaks only what it is listed for"
            lines.append((what, partial(self._incident, incident)))
        lines.append(("nothing is vacuous", self._not_vacuous))
        if self.evidence.survivors is not None:
            lines.append(("its mutants die", self._mutants))
        lines.append(("every promise can be refuted", self._refutable))
        lines.append(("every name is in the registry", self._names))
        return [Line(id, partial(confirm, id)) for id, confirm in lines]

    def explored(self, model: type) -> list[Finding]:
        return self._search(model)[1]

    def _search(self, model: type) -> tuple[Exploration, list[Finding]]:
        if model not in self._searched:
            lifted = self._certified(model)
            search, seen = search_states(lifted, self.evidence.scope, self.limits)
            found = findings_of(lifted, search, seen)
            if any(claim.method.kind == "eventually" for claim in lifted.claims):
                waits = {one.property: one for one in live(lifted, self.evidence.scope, self.limits)}
                found = [waits.get(one.property, one) for one in found]
            self._searched[model] = (search, found)
        return self._searched[model]

    def finding(self, model: type, claim: str) -> Finding:
        """What exploring the model, or an incident of it, says of a claim."""
        return next(f for f in self.explored(model) if f.property == claim)

    @cached_property
    def _proofs(self) -> Mapping[str, Finding]:
        return {finding.property: finding for finding in prove(self.model)}

    # -- what a line comes to ----------------------------------------------------------------------------------

    def _say(self, what: str, answer: Answer, **more: Any) -> Finding:
        scope = {sort.__name__: size for sort, size in self.evidence.scope.items()}
        if answer is Answer.HOLDS:
            more.setdefault("strength", Strength.EXHAUSTIVE)
        name, where = self.evidence.model.__name__, str(where_is(self.evidence.model))
        return Finding(name, what, answer, "confirm", kind="evidence", scope=scope, where=where, **more)

    def _wrong(self, what: str, problem: str, found: Finding | None = None) -> Finding:
        return self._say(
            what, Answer.VIOLATED, reason=problem, counterexample=found.counterexample if found is not None else None
        )

    def _passed_on(self, what: str, found: Finding) -> Finding:
        """A finding that is not what the line says: its own answer, under the name of the line."""
        name = self.evidence.model.__name__
        return attrs.evolve(found, subject=name, property=what, kind="evidence")

    # -- the lines ---------------------------------------------------------------------------------------------

    def _counts(self, what: str) -> Finding:
        found = next(f for f in self.explored(self.evidence.model) if "deadlocks" in f.facts)  # not by `live`
        seen = (found.states, found.orbits, found.facts["deadlocks"])
        orbits = f"{found.orbits} orbits" if found.orbits is not None else "no orbits"
        told = f"{found.states} states, {orbits}" if self.evidence.orbits is not None else f"{found.states} states"
        told += f" and {found.facts['deadlocks']} deadlocks"
        if not found.facts["complete"]:
            return self._say(
                what,
                Answer.UNDETERMINED,
                reason=f"cut off by {found.facts['cut']}",
                known=f"at least {told}",
                settles="a smaller scope, or higher --max-states and --max-memory",
            )
        pinned = self.evidence.orbits if self.evidence.orbits is not None else found.orbits
        if seen == (self.evidence.states, pinned, self.evidence.deadlocks):
            return self._say(what, Answer.HOLDS, states=found.states, orbits=found.orbits)
        return self._wrong(what, f"found {told}")

    def _holds(self, claim: str, what: str) -> Finding:
        return self._passed_on(what, self.finding(self.evidence.model, claim))

    def _proved(self, claim: str, what: str) -> Finding:
        if claim not in self._proofs:
            kind = next(c.method.kind for c in self.model.claims if c.name == claim)
            return self._wrong(what, f"{claim} is @{kind}, which is not proved but witnessed: drop proved=True")
        return self._passed_on(what, self._proofs[claim])

    def _refuted(self, claim: str, incident: type, what: str) -> Finding:
        found = self.finding(incident, claim)
        if found.answer is Answer.UNDETERMINED:
            return self._passed_on(what, found)
        if found.counterexample is None:
            reason = f" ({found.reason})" if found.reason else ""
            return self._wrong(what, f"{incident.__name__} does not break {claim}: it {found.answer.value}{reason}")
        path, pinned = found.counterexample.actions, self.evidence.promises[claim].refuted_by[incident]
        if path != pinned:
            said = f"the shortest path is {', '.join(path)}; pinned is {', '.join(pinned) or 'no step'}"
            return self._wrong(what, said, found)
        if not self._mended(claim, found):
            parent = self.evidence.model.__name__
            return self._wrong(what, f"{parent} breaks {claim} on the schedule of {incident.__name__} too", found)
        says = (incident.__doc__ or "").strip().partition("\n")[0]
        return self._say(
            what,
            Answer.HOLDS,
            states=found.states,
            orbits=found.orbits,
            counterexample=found.counterexample,
            facts={"incident": incident.__name__, "says": says},
        )

    def _mended(self, claim: str, found: Finding) -> bool:
        """Whether the parent, on the incident's schedule, refuses a step or keeps the claim at every step.

        Of a run that goes round for ever: whether the parent refuses a step, or does not come back to the same state.
        Of one that ends: whether the parent refuses a step, or has one to take where it ends.
        """
        assert found.counterexample is not None
        layout = Layout(self.model, self.evidence.scope)
        said = next(c for c in self.model.claims if c.name == claim)
        ground = {lifted.called(arguments): (lifted, arguments) for lifted, arguments in layout.ground_actions()}

        def kept(values: Values) -> bool:
            if said.method.kind == "eventually":
                return True  # no single state breaks it; the run does, where it comes back to where it was
            every = layout.arguments(said.parameters)
            return all(native.run(layout, said, values, arguments) == native.Value(True) for arguments in every)

        start = found.counterexample.initial
        shown = ((state, layout.show(state)) for state in layout.initial_states())
        first = next((state for state, cells in shown if all(start.get(c) == v for c, v in cells.items())), None)
        if first is None:
            return True  # the parent does not start there
        values: Values = layout.decode(first)
        back, again = found.counterexample.loop, values
        for number, action in enumerate(found.counterexample.actions):
            if number == back:
                again = values
            if not kept(values):
                return False
            if action not in ground:
                return True
            lifted, arguments = ground[action]
            after = native.run(layout, lifted, values, arguments)
            if not isinstance(after, native.Next):
                return True
            values = after.values
        if back == len(found.counterexample.steps):  # the incident's run ends here: does the parent's go on?
            here = ((lifted, native.run(layout, lifted, values, given)) for lifted, given in ground.values())
            return any(isinstance(after, native.Next) and one.method.kind == "action" for one, after in here)
        if back is not None:
            return values != again  # the parent's run goes on elsewhere
        return kept(values)

    def _incident(self, incident: type, what: str) -> Finding:
        """It changes what the model does, and keeps every claim that it is not listed for."""
        mine, theirs = self._transitions(self.evidence.model), self._transitions(incident)
        for steps in (mine, theirs):
            if isinstance(steps, str):
                return self._say(what, Answer.UNDETERMINED, reason=steps, settles="a smaller scope")
        if mine == theirs:
            return self._wrong(what, f"the transitions of {incident.__name__} equal its parent's: it changes nothing")
        for claim, promise in self.evidence.promises.items():
            found = self.finding(incident, claim)
            if incident in promise.refuted_by or found.answer is Answer.HOLDS:
                continue
            if found.answer is Answer.UNDETERMINED:
                return self._passed_on(what, found)
            reason = f" ({found.reason})" if found.reason else ""
            return self._wrong(what, f"{claim} is {found.answer.value} too{reason}: list it, or mend it", found)
        return self._say(what, Answer.HOLDS)

    def _transitions(self, model: type) -> _Transitions | str:
        """Every step between reachable states in the evidence's scope, or why they are not all known."""
        if model not in self._steps:
            reduced, _ = self._search(model)
            search, _ = search_states(self._certified(model), self.evidence.scope, self.limits, options=_EVERY_STATE)
            if search.complete and reduced.complete and search.states != reduced.states:
                raise Disagreement(f"{model.__name__} has {search.states} states, with symmetry {reduced.states}")
            successors = search.plain.successors
            ground = [lifted.called(arguments) for lifted, arguments in search.layout.ground_actions()]
            cells = tuple(str(cell) for cell in search.layout.cells)
            self._steps[model] = (
                frozenset(
                    (cells, state, ground[action], reached)
                    for state in search.visited()
                    for action, reached, _ in successors(state)
                )
                if search.complete
                else f"{model.__name__}: cut off by {search.cut}"
            )
        return self._steps[model]

    def _not_vacuous(self, what: str) -> Finding:
        """Every action fires, every fault strikes, every condition is met somewhere, every witness exists."""
        for found in self.explored(self.evidence.model):
            if found.answer is Answer.VIOLATED:
                return self._wrong(what, f"{found.property} is VIOLATED", found)
            if found.answer is not Answer.HOLDS:
                said = attrs.evolve(found, reason=f"{found.property}: {found.reason}")
                return self._passed_on(what, said)
        return self._say(what, Answer.HOLDS)

    def _mutants(self, what: str) -> Finding:
        """Every small change of the model is noticed by a claim, but for those that the evidence acknowledges."""
        assert self.evidence.survivors is not None
        base = self.explored(self.evidence.model)
        report = mutate(self.model, self.evidence.scope, self.limits, base=base, enough=True)
        return self._passed_on(what, died(report, self.evidence.survivors))

    def _refutable(self, what: str) -> Finding:
        """Every ``@always`` and ``@eventually`` promise has an incident that refutes it."""
        kinds = {lifted.name: lifted.method.kind for lifted in self.model.claims}
        owed = ("always", "eventually")
        idle = [c for c, p in self.evidence.promises.items() if kinds[c] in owed and not p.refuted_by]
        reason = f"{', '.join(idle)}: no incident refutes it, so nothing shows that it can fail" if idle else ""
        if not self.evidence.promises:
            reason = "nothing is promised"
        return self._say(what, Answer.VACUOUS, reason=reason) if reason else self._say(what, Answer.HOLDS)

    def _names(self, what: str) -> Finding:
        names = [name for promise in self.evidence.promises.values() for name in promise.stands_for]
        problems = self.unknown(names)
        return self._wrong(what, "; ".join(problems)) if problems else self._say(what, Answer.HOLDS)
