"""explore: what is true of every state that can be reached in a scope?

Breadth first over all reachable states, exact ones and never fingerprints of them. Each refuted property gets the
shortest path to a state that refutes it, and among the shortest the first in the order of actions and members, so
that it is the same everywhere.

Sound when the lifted model is certified and the search was complete; the answer says so (*exhaustive*) or is
UNDETERMINED. Misses everything beyond the scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.backends.evaluate import evaluate, failed_clause
from meshspec.backends.layout import NO_RAISE, range_name
from meshspec.engines.limits import INTERRUPTED, Limits
from meshspec.engines.search import Exploration, Seen, Watched, search_states
from meshspec.expr.build import TRUE
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

FIRES = "every action fires"
STRIKES = "every fault strikes"
ENDS = "ends only where it may"


def explore(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    limits: Limits | None = None,
    progress: Progress = silent,
) -> list[Finding]:
    """One finding for every claim, range and vacuity question of the model in this scope.

    Raises :class:`meshspec.errors.UsageError` for a scope that lacks a sort or is too large to build.
    """
    search, seen = search_states(model, sizes, limits or Limits(), progress)
    return findings_of(model, search, seen)


def findings_of(model: LiftedModel, search: Exploration, seen: Seen) -> list[Finding]:
    """What a search came to, as :func:`explore` says it."""
    say = _Sayer(model, search)
    found: list[Finding] = []
    for watched in seen.claims:
        idle = [a for a in seen.antecedents if a.lifted is watched.lifted and a.found is None]
        found.append(say.claim(watched, idle))
    for lifted in dict.fromkeys(w.lifted for w in seen.witnesses):
        found.append(say.witnessed(lifted, [w for w in seen.witnesses if w.lifted is lifted]))
    for lifted in model.claims:
        if lifted.method.kind == "eventually":
            found.append(say.unanswered(lifted))
    for variable in model.declared.variables:
        if variable.range is not None and not variable.constant:
            found.append(say.in_range(range_name(variable, model.instance), seen))
    found.append(say.raises(seen))
    found.append(say.all_fire(FIRES, "fires", "action", "never enabled", "a guard contradicts the rest of the model"))
    if any(lifted.method.kind == "fault" for lifted in model.actions):
        found.append(say.all_fire(STRIKES, "fires", "fault", "never injected", "what holds was not tried against it"))
    if any(lifted.method.kind == "terminal" for lifted in model.claims):
        found.append(say.ends(seen))
    return found


class _Sayer:
    """Puts what a search settled into findings."""

    def __init__(self, model: LiftedModel, search: Exploration) -> None:
        self.model, self.search, self.layout = model, search, search.layout
        self.ground = self.layout.ground_actions()
        self.facts = {
            "transitions": search.transitions,
            "depth": search.depth,
            "deadlocks": search.deadlocks,
            "deadlock": list(self.actions(search.first_deadlock)) if search.first_deadlock is not None else None,
            "complete": search.complete,
            "cut": search.cut,
            "unit": "states",
        }
        self.cut = search.cut if search.cut in ("", INTERRUPTED) else f"cut off by {search.cut}"

    def _finding(self, name: str, kind: str, answer: Answer, **more: Any) -> Finding:
        search = self.search
        return Finding(
            self.model.name,
            name,
            answer,
            "explore",
            kind=kind,
            scope=self.layout.scope_names,
            states=len(search.states),
            facts=self.facts,
            **more,
        )

    def _holds(self, name: str, kind: str, **more: Any) -> Finding:
        if not self.search.complete:
            return self.undecided(name, kind, self.cut, **more)
        if self.search.closed:
            more["reason"] = "no step is taken from a state in which a Range is left"
        return self._finding(name, kind, Answer.HOLDS, strength=Strength.EXHAUSTIVE, **more)

    def _witnessed(self, name: str, kind: str, **more: Any) -> Finding:
        """What one path settles: a search that was cut is enough, and is not called exhaustive."""
        if self.search.complete:
            return self._finding(name, kind, Answer.HOLDS, strength=Strength.EXHAUSTIVE, **more)
        seen = len(self.search.states)
        return self._finding(name, kind, Answer.HOLDS, strength=Strength.TESTED, tested=seen, **more)

    def undecided(self, name: str, kind: str, reason: str, **more: Any) -> Finding:
        """For a search that was cut."""
        what = "no witness" if kind in ("sometimes", "fires") else "no counterexample"
        known = f"{what} in {len(self.search.states):,} states, {self.search.depth} steps deep"
        settles = "a smaller scope, or higher --max-states and --max-memory"
        if self.search.cut == INTERRUPTED:
            settles = "letting it run to its end"
        return self._finding(name, kind, Answer.UNDETERMINED, reason=reason, known=known, settles=settles, **more)

    def unanswered(self, lifted: Lifted) -> Finding:
        return self._finding(
            lifted.name,
            "eventually",
            Answer.UNDETERMINED,
            reason="no engine of this version answers what must come about",
            settles="an engine for liveness, under stated fairness",
            where=str(lifted.method.where),
        )

    def counterexample(self, state: int, failed: str, last: tuple[int, str] | None = None) -> Counterexample:
        """The path to a state as an argument; `last` is a further step that raises."""
        start, path = self.search.path(state)
        steps, first = list[Step](), self.search.states[start]
        before = first
        for action, reached in path:
            after = self.search.states[reached]
            steps.append(Step(self.action(action), self.layout.changes(before, after)))
            before = after
        if last is not None:
            steps.append(Step(self.action(last[0]), note=f"raises {last[1]}"))
        return Counterexample(self.layout.show(first), tuple(steps), failed)

    def actions(self, state: int) -> tuple[str, ...]:
        return tuple(self.action(action) for action, _ in self.search.path(state)[1])

    def action(self, number: int) -> str:
        lifted, arguments = self.ground[number]
        return lifted.called(arguments)

    def claim(self, watched: Watched, idle: list[Watched]) -> Finding:
        lifted = watched.lifted
        kind, where = lifted.method.kind, str(lifted.method.where)
        if watched.found is not None:
            arguments = watched.arguments[watched.which]
            values = self.layout.decode(self.search.states[watched.found])
            failed = f"{lifted.called(arguments)}: {failed_clause(lifted, self.layout, values, arguments)}"
            path = self.counterexample(watched.found, failed)
            return self._finding(lifted.name, kind, Answer.VIOLATED, counterexample=path, where=where)
        if lifted.claim == TRUE and self.search.complete:
            return self._finding(
                lifted.name,
                kind,
                Answer.VACUOUS,
                reason="it is true whatever the state: nothing that it looks at can change its value",
                settles="a claim about a variable of the model",
                where=where,
            )
        if idle and self.search.complete:
            sites = ", ".join(dict.fromkeys(f"implies at {one.site.partition('#')[0]}" for one in idle))
            return self._finding(
                lifted.name,
                kind,
                Answer.VACUOUS,
                reason=f"it says something only where a condition holds ({sites}), and that is in no reachable state",
                settles="a scope or a fault that makes the condition true, or the claim without it",
                where=where,
            )
        return self._holds(lifted.name, kind, where=where)

    def witnessed(self, lifted: Lifted, watched: list[Watched]) -> Finding:
        where = str(lifted.method.where)
        missing = [lifted.called(w.arguments[0]) for w in watched if w.found is None]
        if not missing:
            first = next(w.found for w in watched if w.found is not None)
            steps = self.actions(first)
            witness = "witness: " + (", ".join(steps) or "the initial state")
            return self._witnessed(lifted.name, "sometimes", where=where, reason=witness)
        if not self.search.complete:
            reason = f"{self.cut}; {missing[0]} not witnessed yet"
            return self.undecided(lifted.name, "sometimes", reason, where=where)
        reason = f"{missing[0]} is true in no reachable state"
        return self._finding(lifted.name, "sometimes", Answer.VACUOUS, reason=reason, where=where)

    def in_range(self, name: str, seen: Seen) -> Finding:
        if name not in seen.ranges:
            return self._holds(name, "range")
        state, cell = seen.ranges[name]
        value = self.layout.show(self.search.states[state])[str(self.layout.cells[cell])]
        failed = f"{self.layout.cells[cell]} = {value} leaves its Range"
        return self._finding(name, "range", Answer.VIOLATED, counterexample=self.counterexample(state, failed))

    def raises(self, seen: Seen) -> Finding:
        if seen.raised is None:
            return self._holds(NO_RAISE, "total")
        state, action, error = seen.raised
        failed = f"{self.action(action)} raises {error}"
        path = self.counterexample(state, failed, (action, error))
        where = str(self.ground[action][0].method.where)
        return self._finding(NO_RAISE, "total", Answer.VIOLATED, counterexample=path, where=where)

    def all_fire(self, name: str, kind: str, of: str, how: str, why: str) -> Finding:
        times = {
            lifted.name: 0 for lifted in self.model.actions if (lifted.method.kind == "fault") == (of == "fault")
        }
        for (lifted, _), fired in zip(self.ground, self.search.fired, strict=True):
            if lifted.name in times:
                times[lifted.name] += fired
        never = [action for action, fired in times.items() if fired == 0]
        if times and not never:
            return self._witnessed(name, kind)
        if not self.search.complete:
            return self.undecided(name, kind, f"{self.cut}; not seen yet: {', '.join(never)}")
        reason = f"{', '.join(never)}: {how} in any reachable state; {why}" if never else f"the model has no {of}"
        return self._finding(name, kind, Answer.VACUOUS, reason=reason)

    def ends(self, seen: Seen) -> Finding:
        if seen.bad_end is None:
            return self._holds(ENDS, "terminal")
        lifted = next(c for c in self.model.claims if c.method.kind == "terminal")
        values = self.layout.decode(self.search.states[seen.bad_end])
        every = self.layout.arguments(lifted.parameters)
        bad = next(
            a
            for a in every
            if not evaluate(
                lifted.claim, self.layout, values, {p.name: v for p, v in zip(lifted.parameters, a, strict=True)}
            )
        )
        failed = f"a deadlock where {lifted.called(bad)} is false"
        path = self.counterexample(seen.bad_end, failed)
        return self._finding(ENDS, "terminal", Answer.VIOLATED, counterexample=path, where=str(lifted.method.where))
