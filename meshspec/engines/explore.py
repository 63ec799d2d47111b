"""explore: what is true of every state that can be reached in a scope?

Breadth first over all reachable states, exact ones and never fingerprints of them. Each refuted property gets the
shortest path to a state that refutes it, and among the shortest the first in the order of actions and members, so
that it is the same everywhere, with symmetry and without it.

Sound when the lifted model is certified and the search was complete; the answer says so (*exhaustive*) or is
UNDETERMINED. Misses everything beyond the scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.backends.evaluate import failed_clause
from meshspec.backends.layout import NO_RAISE, State, range_name
from meshspec.engines.exploration import Exploration
from meshspec.engines.limits import INTERRUPTED, Limits, Options
from meshspec.engines.search import search_states
from meshspec.engines.trails import Trail
from meshspec.engines.watch import Seen, Settled, Watched
from meshspec.expr.build import TRUE
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Raises, leaves
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

FIRES = "every action fires"
STRIKES = "every fault strikes"
ENDS = "ends only where it may"
_LOOKED_AT = 100_000  # states in which is looked for a step of an action that does not raise


def explore(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    limits: Limits | None = None,
    progress: Progress = silent,
    options: Options | None = None,
) -> list[Finding]:
    """One finding for every claim, range and vacuity question of the model in this scope.

    Raises :class:`meshspec.errors.UsageError` for a scope that lacks a sort or is too large to build.
    """
    search, seen = search_states(model, sizes, limits or Limits(), progress, options)
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
    found.append(
        say.all_fire(seen, FIRES, "fires", "action", "never enabled", "a guard contradicts the rest of the model")
    )
    if any(lifted.method.kind == "fault" for lifted in model.actions):
        found.append(
            say.all_fire(seen, STRIKES, "fires", "fault", "never injected", "what holds was not tried against it")
        )
    if any(lifted.method.kind == "terminal" for lifted in model.claims):
        found.append(say.ends(seen))
    return found


class _Sayer:
    """Puts what a search settled into findings."""

    def __init__(self, model: LiftedModel, search: Exploration) -> None:
        self.model, self.search, self.layout = model, search, search.layout
        self.ground, self.trails = self.layout.ground_actions(), search.trails
        stuck = search.first_deadlock
        self.facts = {
            "transitions": search.transitions,
            "depth": search.depth,
            "deadlocks": search.deadlocks,
            "deadlock": list(self.actions(stuck)) if stuck is not None else None,
            "complete": search.complete,
            "cut": search.cut,
            "unit": "states",
            "space": search.space.name,
            "symmetry off": search.symmetry_off,
            "not packed": search.stayed,
            "kept": search.kept,
            "partial order": search.ordered,
            "partial order off": search.order_off,
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
            states=search.states,
            orbits=search.orbits if search.reduced else None,
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
        seen = self.search.states
        return self._finding(name, kind, Answer.HOLDS, strength=Strength.TESTED, tested=seen, **more)

    def undecided(self, name: str, kind: str, reason: str, **more: Any) -> Finding:
        """For a search that was cut."""
        what = "no witness" if kind in ("sometimes", "fires") else "no counterexample"
        known = f"{what} in {self.search.states:,} states, {self.search.depth} steps deep"
        settles = "a smaller scope, or higher --max-states and --max-memory"
        if self.search.cut == INTERRUPTED:
            settles = "letting it run to its end"
        return self._finding(name, kind, Answer.UNDETERMINED, reason=reason, known=known, settles=settles, **more)

    def unanswered(self, lifted: Lifted) -> Finding:
        return self._finding(
            lifted.name,
            "eventually",
            Answer.UNDETERMINED,
            reason="no single state shows what must come about",
            settles="the engine live",
            where=str(lifted.method.where),
        )

    def _violated(self, name: str, kind: str, paths: list[Counterexample], where: str = "") -> Finding:
        first, *more = paths
        return self._finding(name, kind, Answer.VIOLATED, counterexample=first, more=tuple(more), where=where)

    def paths(self, settled: Settled) -> list[Trail]:
        return self.trails.several(settled.goals, settled.wanted)

    def counterexample(self, trail: Trail, failed: str, last: tuple[int, str] | None = None) -> Counterexample:
        """A path as an argument; `last` is a further step that raises."""
        steps, before = list[Step](), trail.start
        for action, after in trail.steps:
            steps.append(Step(self.action(action), self.layout.changes(before, after)))
            before = after
        if last is not None:
            steps.append(Step(self.action(last[0]), note=f"raises {last[1]}"))
        how = "perhaps not shortest" if self.search.ordered else "shortest"
        return Counterexample(self.layout.show(trail.start), tuple(steps), failed, how)

    def actions(self, trail: Trail) -> tuple[str, ...]:
        return tuple(map(self.action, trail.actions))

    def action(self, number: int) -> str:
        lifted, arguments = self.ground[number]
        return lifted.called(arguments)

    def claim(self, watched: Watched, idle: list[Watched]) -> Finding:
        lifted = watched.lifted
        kind, where = lifted.method.kind, str(lifted.method.where)
        if watched.found is not None:
            paths = [self.counterexample(trail, self._failed(watched, trail)) for trail in self.paths(watched)]
            return self._violated(lifted.name, kind, paths, where)
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

    def _failed(self, watched: Watched, trail: Trail) -> str:
        """Why a claim is false at the end of a trail, for the first arguments for which it is."""
        lifted, arguments = watched.lifted, watched.arguments[watched.plain([trail.end])[0]]
        clause = failed_clause(lifted, self.layout, self.layout.decode(trail.end), arguments)
        return f"{lifted.called(arguments)}: {clause}"

    def witnessed(self, lifted: Lifted, watched: list[Watched]) -> Finding:
        where = str(lifted.method.where)
        missing = [lifted.called(w.arguments[0]) for w in watched if w.found is None]
        if not missing:
            steps = self.actions(self._witness(watched[0]))
            witness = "witness: " + (", ".join(steps) or "the initial state")
            return self._witnessed(lifted.name, "sometimes", where=where, reason=witness)
        if not self.search.complete:
            reason = f"{self.cut}; {missing[0]} not witnessed yet"
            return self.undecided(lifted.name, "sometimes", reason, where=where)
        reason = f"{missing[0]} is true in no reachable state"
        return self._finding(lifted.name, "sometimes", Answer.VACUOUS, reason=reason, where=where)

    def _witness(self, watched: Watched) -> Trail:
        """The first shortest trail to a witness for the first of the arguments, of which others are images."""
        assert watched.found is not None
        test = self.search.plain.test(watched.node, watched.named[:1])
        return self.trails.first(watched.found, lambda state: test([state])[0] >= 0)

    def in_range(self, name: str, seen: Seen) -> Finding:
        if name not in seen.ranges:
            return self._holds(name, "range")
        paths = [self.counterexample(trail, self._left(name, trail.end)) for trail in self.paths(seen.ranges[name])]
        return self._violated(name, "range", paths)

    def _left(self, name: str, state: State) -> str:
        def is_of(cell: int) -> bool:
            variable = self.layout.cells[cell].variable
            return range_name(variable, self.model.instance) == name

        cell = next(cell for cell in self.search.plain.out_of_range(state) if is_of(cell))
        value = self.layout.show(state)[str(self.layout.cells[cell])]
        return f"{self.layout.cells[cell]} = {value} leaves its Range"

    def raises(self, seen: Seen) -> Finding:
        if seen.raised.found is None:
            return self._holds(NO_RAISE, "total")
        trails = self.paths(seen.raised)
        paths: list[Counterexample] = []
        for trail in trails:
            last = self._raising(trail.end)
            paths.append(self.counterexample(trail, f"{self.action(last[0])} raises {last[1]}", last))
        where = str(self.ground[self._raising(trails[0].end)[0]][0].method.where)
        return self._violated(NO_RAISE, "total", paths, where)

    def _raising(self, state: State) -> tuple[int, str]:
        """The first action that raises here, and what."""
        after = self.search.plain.successors(state)
        return next((action, error) for action, reached, error in after if reached is None)

    def all_fire(self, seen: Seen, name: str, kind: str, of: str, how: str, why: str) -> Finding:
        times = {
            lifted.name: 0 for lifted in self.model.actions if (lifted.method.kind == "fault") == (of == "fault")
        }
        for (lifted, _), fired in zip(self.ground, self.search.fired, strict=True):
            if lifted.name in times:
                times[lifted.name] += fired
        never = [action for action, fired in times.items() if fired == 0]
        halfway, unsure = self._only_raising([action for action in times if action not in never], seen)
        if times and not never and not halfway and not unsure:
            return self._witnessed(name, kind)
        if not self.search.complete or (unsure and not never and not halfway):
            cut = self.cut or f"it raises wherever it was looked at, in {_LOOKED_AT:,} states"
            return self.undecided(name, kind, f"{cut}; not seen yet: {', '.join([*never, *halfway, *unsure])}")
        if self.search.ordered:  # it may be one of the steps that were left out
            return self._finding(
                name,
                kind,
                Answer.UNDETERMINED,
                reason=f"not seen: {', '.join([*never, *halfway])}; with --partial-order steps are left out",
                known=f"no witness in {self.search.states:,} states",
                settles="the same without --partial-order",
            )
        parts = [f"{', '.join(never)}: {how} in any reachable state; {why}"] if never else []
        parts += [f"{', '.join(halfway)}: raises wherever it is enabled, and is never done"] if halfway else []
        reason = "; ".join(parts) or f"the model has no {of}"
        return self._finding(name, kind, Answer.VACUOUS, reason=reason)

    def _only_raising(self, fired: list[str], seen: Seen) -> tuple[list[str], list[str]]:
        """Which of these actions are begun and never done; and of which that is not known, for want of time."""
        if seen.raised.found is None:
            return [], []
        every = {one.name: [outcome for _, outcome in leaves(one.tree)] for one in self.model.actions}
        left = {action for action in fired if any(isinstance(outcome, Raises) for outcome in every[action])}
        for count, state in enumerate(self.search.visited()):
            if not left or count == _LOOKED_AT:
                break
            done = (action for action, reached, _ in self.search.plain.successors(state) if reached is not None)
            left -= {self.ground[action][0].name for action in done}
        else:
            return [action for action in fired if action in left], []
        return [], [action for action in fired if action in left]

    def ends(self, seen: Seen) -> Finding:
        assert seen.end is not None
        lifted = seen.end.lifted
        if seen.end.found is None:
            return self._holds(ENDS, "terminal")
        paths: list[Counterexample] = []
        for trail in self.paths(seen.end):
            bad = seen.end.arguments[seen.end.plain([trail.end])[0]]
            paths.append(self.counterexample(trail, f"a deadlock where {lifted.called(bad)} is false"))
        return self._violated(ENDS, "terminal", paths, str(lifted.method.where))
