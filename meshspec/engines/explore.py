"""explore: what is true of every state that can be reached in a scope?

Breadth first over all reachable states, exact ones and never fingerprints of them. Each refuted property gets the
shortest path to a state that refutes it, and among the shortest the first in the order of actions and members, so
that it is the same everywhere.

Sound when the lifted model is certified and the search was complete; the answer says so (*exhaustive*) or is
UNDETERMINED. Misses everything beyond the scope.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.backends.evaluate import evaluate, failed_clause
from meshspec.backends.generated import Generator, Successor
from meshspec.backends.layout import Layout, State, range_name
from meshspec.engines.limits import Limits, peak_memory
from meshspec.expr.build import negate
from meshspec.expr.nodes import Node
from meshspec.lang.lift import Lifted, LiftedModel, label
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

NO_RAISE = "no action raises"
FIRES = "every action fires"
STRIKES = "every fault strikes"
ENDS = "ends only where it may"


@attrs.define
class Exploration:
    """What a search has seen: states in the order found, how each was reached, and what was refuted where.

    ``deadlocks`` counts the states in which no action is enabled; ``cut`` is why the search stopped early.
    """

    layout: Layout
    states: list[State] = attrs.field(factory=list)
    parents: list[tuple[int, int]] = attrs.field(factory=list)
    transitions: int = 0
    depth: int = 0
    deadlocks: int = 0
    first_deadlock: int | None = None
    fired: list[int] = attrs.field(factory=list)
    cut: str = ""

    @property
    def complete(self) -> bool:
        return not self.cut

    def path(self, state: int) -> list[tuple[int, int]]:
        """The steps from an initial state to this one: (ground action, state reached)."""
        steps: list[tuple[int, int]] = []
        while self.parents[state][0] >= 0:
            parent, action = self.parents[state]
            steps.append((action, state))
            state = parent
        return steps[::-1]


@attrs.define
class _Watched:
    """A property that is evaluated in every new state until it is settled."""

    lifted: Lifted
    arguments: list[tuple[Any, ...]]
    test: Callable[[State], int]
    found: int | None = None
    which: int = -1


@attrs.define
class _Seen:
    """What has been settled on the way."""

    claims: list[_Watched]
    witnesses: list[_Watched]
    antecedents: list[_Watched]
    ranges: dict[str, tuple[int, int]] = attrs.field(factory=dict)
    raised: tuple[int, int, str] | None = None
    bad_end: int | None = None


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
    return _findings(model, search, seen)


def search_states(
    model: LiftedModel, sizes: Mapping[type[Sort], int], limits: Limits, progress: Progress = silent
) -> tuple[Exploration, _Seen]:
    """The search itself, for those who want the states."""
    layout = Layout(model, sizes)
    generator = Generator(layout)
    seen = _watch(model, layout, generator)
    ends = next((c for c in model.claims if c.method.kind == "terminal"), None)
    may_end = _test(generator, layout, ends, ends.claim) if ends is not None else None
    run = _Search(layout, generator, seen, may_end, limits, progress)
    try:
        run.go()
    except KeyboardInterrupt:
        run.result.cut = "interrupted"
    except MemoryError:
        run.result.cut = "out of memory"
    progress("")
    return run.result, seen


def _test(generator: Generator, layout: Layout, lifted: Lifted, node: Node) -> Callable[[State], int]:
    names = [generator.names(lifted, arguments) for arguments in layout.arguments(lifted.parameters)]
    return generator.first_failure(node, names)


def _watch(model: LiftedModel, layout: Layout, generator: Generator) -> _Seen:
    seen = _Seen([], [], [])
    for lifted in model.claims:
        arguments = layout.arguments(lifted.parameters)
        if lifted.method.kind in ("always", "lemma"):
            seen.claims.append(_Watched(lifted, arguments, _test(generator, layout, lifted, lifted.claim)))
            for node in lifted.antecedents.values():
                every = [generator.names(lifted, a) for a in arguments]
                seen.antecedents.append(_Watched(lifted, arguments, generator.first_failure(negate(node), every)))
        elif lifted.method.kind == "sometimes":
            for one in arguments:
                never = generator.first_failure(negate(lifted.claim), [generator.names(lifted, one)])
                seen.witnesses.append(_Watched(lifted, [one], never))
    return seen


class _Search:
    def __init__(
        self,
        layout: Layout,
        generator: Generator,
        seen: _Seen,
        may_end: Callable[[State], int] | None,
        limits: Limits,
        progress: Progress,
    ) -> None:
        self.result = Exploration(layout)
        self.successors = generator.successors()
        self.out_of_range = generator.out_of_range()
        self.seen = seen
        self.may_end = may_end
        self.limits = limits
        self.progress = progress
        self.number: dict[State, int] = {}
        self.unsettled = [*seen.claims, *seen.witnesses, *seen.antecedents]
        self.closed: set[int] = set()
        self.memory_before = peak_memory()

    def go(self) -> None:
        result = self.result
        result.fired = [0] * len(result.layout.ground_actions())
        for state in result.layout.initial_states():
            if not self._add(state, -1, -1):
                return
        here, layer_end = 0, len(result.states)
        while here < len(result.states):
            if here == layer_end:
                result.depth += 1
                layer_end = len(result.states)
            if here % 4096 == 0 and not self._may_go_on():
                return
            if here not in self.closed and not self._expand(here):
                return
            here += 1

    def _may_go_on(self) -> bool:
        self.progress(f"explore {self.result.layout.model.name}: {len(self.result.states):,} states")
        if peak_memory() - self.memory_before > self.limits.max_memory:
            self.result.cut = f"--max-memory of {self.limits.max_memory:,} bytes"
        return not self.result.cut

    def _expand(self, here: int) -> bool:
        result, after = self.result, self.successors(self.result.states[here])
        if not after:
            self._deadlock(here)
        for action, state, error in after:
            result.transitions += 1
            result.fired[action] += 1
            if state is None:
                if self.seen.raised is None:
                    self.seen.raised = (here, action, error)
            elif state not in self.number and not self._add(state, here, action):
                return False
        return True

    def _deadlock(self, here: int) -> None:
        self.result.deadlocks += 1
        if self.result.first_deadlock is None:
            self.result.first_deadlock = here
        if self.may_end is not None and self.seen.bad_end is None and self.may_end(self.result.states[here]) >= 0:
            self.seen.bad_end = here

    def _add(self, state: State, parent: int, action: int) -> bool:
        """Take in a new state and settle what it settles; False when a bound is reached."""
        if state in self.number:
            return True
        result = self.result
        if len(result.states) >= self.limits.max_states:
            result.cut = f"--max-states of {self.limits.max_states:,}"
            return False
        number = len(result.states)
        self.number[state] = number
        result.states.append(state)
        result.parents.append((parent, action))
        for cell in self.out_of_range(state):  # what a model means ends where a Range is left: no step goes on
            name = range_name(result.layout.cells[cell].variable, result.layout.model.instance)
            self.seen.ranges.setdefault(name, (number, cell))
            self.closed.add(number)
        for watched in tuple(self.unsettled):
            which = watched.test(state)
            if which >= 0:
                watched.found, watched.which = number, which
                self.unsettled.remove(watched)
        return True


# -- answers ---------------------------------------------------------------------------------------------------


def _findings(model: LiftedModel, search: Exploration, seen: _Seen) -> list[Finding]:
    say = _Sayer(model, search)
    found: list[Finding] = []
    for watched in seen.claims:
        idle = [a for a in seen.antecedents if a.lifted is watched.lifted and a.found is None]
        found.append(say.claim(watched, idle))
    for lifted in dict.fromkeys(w.lifted for w in seen.witnesses):
        found.append(say.witnessed(lifted, [w for w in seen.witnesses if w.lifted is lifted]))
    for lifted in model.claims:
        if lifted.method.kind == "eventually":
            found.append(say.undecided(lifted.name, "eventually", "no engine of this version answers liveness"))
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
            facts={
                "transitions": search.transitions,
                "depth": search.depth,
                "deadlocks": search.deadlocks,
                "complete": search.complete,
            },
            **more,
        )

    def _holds(self, name: str, kind: str, **more: Any) -> Finding:
        if self.search.complete:
            return self._finding(name, kind, Answer.HOLDS, strength=Strength.EXHAUSTIVE, **more)
        return self.undecided(name, kind, f"cut off by {self.search.cut}", **more)

    def undecided(self, name: str, kind: str, reason: str, **more: Any) -> Finding:
        known = f"no counterexample in {len(self.search.states):,} states, {self.search.depth} steps deep"
        return self._finding(
            name,
            kind,
            Answer.UNDETERMINED,
            reason=reason,
            known="" if self.search.complete else known,
            settles="" if self.search.complete else "a smaller scope, or higher --max-states and --max-memory",
            **more,
        )

    def counterexample(self, state: int, failed: str, last: tuple[int, str] | None = None) -> Counterexample:
        """The path to a state as an argument; `last` is a further step that raises."""
        path = self.search.path(state)
        start = path[0][1] if path else state
        first = self.search.states[self.search.parents[start][0] if path else state]
        steps, before = [], first
        for action, reached in path:
            after = self.search.states[reached]
            steps.append(Step(self.action(action), self.layout.changes(before, after)))
            before = after
        if last is not None:
            steps.append(Step(self.action(last[0]), note=f"raises {last[1]}"))
        return Counterexample(self.layout.show(first), tuple(steps), failed)

    def action(self, number: int) -> str:
        lifted, arguments = self.ground[number]
        return label(lifted.name, arguments)

    def claim(self, watched: _Watched, idle: list[_Watched]) -> Finding:
        lifted = watched.lifted
        kind, where = lifted.method.kind, str(lifted.method.where)
        if watched.found is not None:
            arguments = watched.arguments[watched.which]
            values = self.layout.decode(self.search.states[watched.found])
            failed = f"{label(lifted.name, arguments)}: {failed_clause(lifted, self.layout, values, arguments)}"
            path = self.counterexample(watched.found, failed)
            return self._finding(lifted.name, kind, Answer.VIOLATED, counterexample=path, where=where)
        if idle and self.search.complete:
            return self._finding(
                lifted.name,
                kind,
                Answer.VACUOUS,
                reason="what it says is conditional, and its condition is true in no reachable state",
                settles="a scope or a fault that makes the condition true, or the claim without it",
                where=where,
            )
        return self._holds(lifted.name, kind, where=where)

    def witnessed(self, lifted: Lifted, watched: list[_Watched]) -> Finding:
        where = str(lifted.method.where)
        missing = [label(lifted.name, w.arguments[0]) for w in watched if w.found is None]
        if not missing:
            first = next((w.found for w in watched if w.found is not None), None)
            steps = self.counterexample(first, "").actions if first is not None else ()
            return self._finding(
                lifted.name,
                "sometimes",
                Answer.HOLDS,
                strength=Strength.EXHAUSTIVE,
                where=where,
                reason="witness: " + (", ".join(steps) or "the initial state"),
            )
        reason = f"{missing[0]} is true in no reachable state"
        if self.search.complete:
            return self._finding(lifted.name, "sometimes", Answer.VACUOUS, reason=reason, where=where)
        return self.undecided(
            lifted.name, "sometimes", f"cut off by {self.search.cut}; not witnessed yet", where=where
        )

    def in_range(self, name: str, seen: _Seen) -> Finding:
        if name not in seen.ranges:
            return self._holds(name, "range")
        state, cell = seen.ranges[name]
        value = self.layout.show(self.search.states[state])[str(self.layout.cells[cell])]
        failed = f"{self.layout.cells[cell]} = {value} leaves its Range"
        return self._finding(name, "range", Answer.VIOLATED, counterexample=self.counterexample(state, failed))

    def raises(self, seen: _Seen) -> Finding:
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
        if not never and times:
            return self._finding(name, kind, Answer.HOLDS, strength=Strength.EXHAUSTIVE)
        reason = f"{', '.join(never)}: {how} in any reachable state; {why}" if never else "the model has no action"
        if self.search.complete:
            return self._finding(name, kind, Answer.VACUOUS, reason=reason)
        return self.undecided(name, kind, f"cut off by {self.search.cut}; {', '.join(never)} not seen yet")

    def ends(self, seen: _Seen) -> Finding:
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
        failed = f"a deadlock where {label(lifted.name, bad)} is false"
        path = self.counterexample(seen.bad_end, failed)
        return self._finding(ENDS, "terminal", Answer.VIOLATED, counterexample=path, where=str(lifted.method.where))


__all__ = ["Exploration", "Successor", "explore", "search_states"]
