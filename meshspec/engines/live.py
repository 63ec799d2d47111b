"""live: does what a claim waits for come about on every run, under the fairness that the claim states?

A run follows the steps of the model for ever, or ends where no action is enabled and stays there; where only faults
are enabled it may end too, for a fault is never owed. An ``@eventually`` is refuted by a *lasso*: a way into a loop
that leaves no fair action out and on which what was asked for never comes; or by a way to a state in which its body
raises. That is run on CPython before it is shown.

Sound when the lifted model is certified and the graph is complete; else the answer is UNDETERMINED. Misses everything
beyond the scope. What it says to hold rests on the fairness that stands beside it: whether a scheduler, a network or
a person provides that is not asked here. Bare ``@eventually`` assumes none, yet a run does go on while it can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.backends import native
from meshspec.backends.evaluate import failed_clause
from meshspec.backends.generated import Generator
from meshspec.backends.layout import State
from meshspec.engines.graph import Graph, build
from meshspec.engines.lasso import Lasso, Owing, Runs
from meshspec.engines.limits import INTERRUPTED, Limits
from meshspec.engines.replay import replay, retrace
from meshspec.errors import Disagreement
from meshspec.expr.build import FALSE
from meshspec.expr.nodes import Node
from meshspec.lang.fairness import Fairness, fairness_of
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Raises
from meshspec.lang.places import where_is
from meshspec.lang.response import response_of
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

CLAIMS = "it says what must come about"


def live(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    limits: Limits | None = None,
    progress: Progress = silent,
    *,
    replayed: bool = True,
) -> list[Finding]:
    """One finding for every ``@eventually`` of the model in this scope; VACUOUS for a model without any.

    Without `replayed` a path is not run on CPython: the caller does that, or knows that it does otherwise. Raises
    :class:`meshspec.errors.UsageError` for a scope that lacks a sort or is too large to build.
    """
    claims = [lifted for lifted in model.claims if lifted.method.kind == "eventually"]
    if not claims:
        return [_nothing(model)]
    graph = build(model, sizes, limits, lambda said: progress(f"live {said}" if said else ""))
    say = _Sayer(model, graph, replayed)
    found: list[Finding] = []
    for lifted in claims:
        if graph.cut != INTERRUPTED:
            progress(f"live {model.name}: {lifted.name}")
            try:
                found.append(say.claim(lifted))
                continue
            except KeyboardInterrupt:
                graph.cut = INTERRUPTED
            except MemoryError:
                graph.cut = "the end of memory"
        found.append(say.undecided(lifted))
    progress("")
    return found


def _nothing(model: LiftedModel) -> Finding:
    return Finding(
        model.name,
        CLAIMS,
        Answer.VACUOUS,
        "live",
        kind="check",
        reason="the model has no @eventually: nothing was said to come about, so nothing was looked for",
        settles="a claim marked @eventually",
        where=str(where_is(model.declared.cls)),
    )


@attrs.frozen
class Waiting:
    """What a claim waits for with certain arguments, state by state: where it is asked for, and where it has come.

    Without ``asked`` it is asked for once, at the start of every run.
    """

    arguments: tuple[Any, ...]
    done: bytearray
    asked: bytearray | None

    def is_asked(self, state: int, at_start: bool) -> bool:
        return at_start if self.asked is None else bool(self.asked[state])

    def since(self, lasso: Lasso) -> int:
        """After how many steps of a lasso it was asked for and has not come since."""
        states = list(enumerate(lasso.states))
        last = max((number for number, state in states if self.done[state]), default=-1)
        return next(n for n, state in states if n > last and self.is_asked(state, n == 0))

    def roots(self, graph: Graph) -> list[int]:
        """The states in which something is asked for that has not come already."""
        every = range(graph.initial) if self.asked is None else range(len(graph.states))
        return [state for state in every if self.is_asked(state, True) and not self.done[state]]


class _Sayer:
    """Puts what the runs of a graph come to into findings."""

    def __init__(self, model: LiftedModel, graph: Graph, replayed: bool) -> None:
        self.model, self.graph, self.layout, self.replayed = model, graph, graph.layout, replayed
        self.runs = Runs(graph)
        self.generator = Generator(graph.layout)
        self.owing: dict[Fairness, Owing] = {}

    def _finding(self, lifted: Lifted, answer: Answer, **more: Any) -> Finding:
        graph, fair = self.graph, fairness_of(lifted.method)
        facts: dict[str, object] = {
            "fairness": {"weak": list(fair.weak), "strong": list(fair.strong)},
            "assumed": str(fair),
            "transitions": graph.steps,
            "complete": not graph.flaw,
            "cut": graph.cut,
        }
        return Finding(
            self.model.name,
            lifted.name,
            answer,
            "live",
            kind="eventually",
            scope=self.layout.scope_names,
            states=len(graph.states),
            where=str(lifted.method.where),
            facts=facts,
            **more,
        )

    def undecided(self, lifted: Lifted, reason: str = "", settles: str = "") -> Finding:
        graph = self.graph
        if not settles:
            settles = "a smaller scope, or higher --max-states and --max-memory"
            if graph.cut == INTERRUPTED:
                settles = "letting it run to its end"
            elif not graph.cut:
                settles = "a model in which that cannot happen: `explore` shows the way there"
        known = f"no lasso that refutes it in {len(graph.states):,} states and {graph.steps:,} steps"
        reason = reason or graph.flaw
        return self._finding(lifted, Answer.UNDETERMINED, reason=reason, known=known, settles=settles)

    def claim(self, lifted: Lifted) -> Finding:
        fair = fairness_of(lifted.method)
        actions = {one.name for one in self.model.actions}
        if nobody := [name for name in (*fair.weak, *fair.strong) if name not in actions]:
            return self.undecided(
                lifted,
                f"it counts on {nobody[0]} of a nested machine, and {self.model.name} has no such action",
                f"the claim on {self.model.name} itself, with the actions that call {nobody[0]}",
            )
        owing = self.owing.setdefault(fair, Owing(self.graph, fair))
        if (raised := self._raising(lifted)) is not None:
            return raised
        waits = self._waits(lifted)
        refuted, cyclic, asked = list[tuple[Lasso, Waiting]](), False, False
        for waiting in waits:
            roots = waiting.roots(self.graph)
            asked = asked or bool(roots)
            pending = self.runs.pending(roots, waiting.done)
            cycles, any_cycle = self.runs.cycles(pending, owing)
            cyclic = cyclic or any_cycle
            ends = [state for state in pending if self.runs.may_end(state)]
            if cycles or ends:
                refuted.append((self._lasso(waiting, cycles, ends, owing), waiting))
        if refuted:
            lasso, waiting = min(refuted, key=lambda one: len(one[0].stem))  # of equals the first
            return self._refuted(lifted, lasso, waiting, owing)
        if self.graph.flaw:
            return self.undecided(lifted)
        if vacuous := self._vacuous(waits, owing):
            return self._finding(lifted, Answer.VACUOUS, reason=vacuous[0], settles=vacuous[1])
        reason = str(fair)
        if fair != Fairness() and not cyclic:
            reason += ", which it does not need: nothing goes round while it is pending"
        if not asked:
            reason += "; it has come about wherever it is asked for, so @always implies(...) says more"
        return self._finding(lifted, Answer.HOLDS, strength=Strength.EXHAUSTIVE, reason=reason)

    def _waits(self, lifted: Lifted) -> list[Waiting]:
        response = response_of(lifted.raw)
        waits: list[Waiting] = []
        for arguments in self.layout.arguments(lifted.parameters):
            done = self._where(lifted, arguments, lifted.claim if response is None else response[1])
            asked = None if response is None else self._where(lifted, arguments, response[0])
            waits.append(Waiting(arguments, done, asked))
        return waits

    def _where(self, lifted: Lifted, arguments: tuple[Any, ...], node: Node) -> bytearray:
        """For each state whether the expression is true in it."""
        test = self.generator.first_failure(node, [self.generator.names(lifted, arguments)])
        return bytearray(test(state) < 0 for state in self.graph.states)

    def _vacuous(self, waits: list[Waiting], owing: Owing) -> tuple[str, str] | None:
        """Why what holds says nothing, and what would; or ``None``."""
        if all(waiting.asked is not None and not any(waiting.asked) for waiting in waits):
            return (
                "it says something only where its condition holds, and that is in no reachable state",
                "a scope, an action or a fault that makes the condition true",
            )
        if all(waiting.asked is None and all(waiting.done[: self.graph.initial]) for waiting in waits):
            return (
                "it is true at the start of every run already: nothing has to come about",
                "leads_to(p, q), which asks whenever p is true, or @always",
            )
        if owing.idle:
            names = ", ".join(owing.idle)
            return (
                f"it counts on {names}, and that is enabled in no reachable state: the fairness assumed is idle",
                "the claim without it, or a model in which it can be taken",
            )
        return None

    # -- what refutes a claim ----------------------------------------------------------------------------------

    def _lasso(self, waiting: Waiting, cycles: list[list[int]], ends: list[int], owing: Owing) -> Lasso:
        home = {state: part for part in cycles for state in part}
        start, stem = self.runs.stem({*home, *ends}, waiting.done, waiting.is_asked)
        entry = stem[-1][1] if stem else start
        loop = [] if self.runs.may_end(entry) else self.runs.loop(entry, home[entry], owing)
        return Lasso(start, stem, loop)

    def _refuted(self, lifted: Lifted, lasso: Lasso, waiting: Waiting, owing: Owing) -> Finding:
        asked_at = waiting.since(lasso)
        if self.replayed:
            asked_at = replay(self.graph, lasso, lifted, waiting.arguments, owing)
        path = self._shown(lasso, lifted, waiting.arguments, asked_at, waiting.asked is None)
        reason = str(owing.fairness)
        return self._finding(lifted, Answer.VIOLATED, counterexample=path, reason=reason)

    def _raising(self, lifted: Lifted) -> Finding | None:
        """The shortest way to a state in which the body raises, where there is one: there the claim is false."""
        graph = self.graph
        found: list[tuple[int, tuple[Any, ...]]] = []
        for arguments in self.layout.arguments(lifted.parameters) if lifted.raising != FALSE else ():
            raises = self._where(lifted, arguments, lifted.raising)
            if (state := raises.find(1)) >= 0:
                found.append((state, arguments))
        if not found:
            return None
        state, arguments = min(found, key=lambda one: one[0])  # states are in the order of their distance
        start, steps = graph.path(state)
        states = [graph.states[one] for one in (start, *(reached for _, reached in steps))]
        values = self.layout.decode(states[-1])
        if self.replayed:
            what = f"the way to where {lifted.called(arguments)} raises"
            retrace(self.layout, states, [action for action, _ in steps], what)
            if not isinstance(said := native.run(self.layout, lifted, values, arguments), Raises):
                raise Disagreement(f"{what} is none: CPython {native.told(said, values)}. This is a bug of meshspec.")
        failed = f"{lifted.called(arguments)}: {failed_clause(lifted, self.layout, values, arguments)}"
        path = Counterexample(self.layout.show(states[0]), self._steps(states, steps), failed)
        return self._finding(lifted, Answer.VIOLATED, counterexample=path)

    def _steps(self, states: Sequence[State], taken: Sequence[tuple[int, int]]) -> tuple[Step, ...]:
        ground, steps = self.layout.ground_actions(), list[Step]()
        for number, (action, _) in enumerate(taken):
            called, given = ground[action]
            steps.append(Step(called.called(given), self.layout.changes(states[number], states[number + 1])))
        return tuple(steps)

    def _shown(
        self, lasso: Lasso, lifted: Lifted, arguments: tuple[Any, ...], asked_at: int, once: bool
    ) -> Counterexample:
        graph = self.graph
        states = [graph.states[state] for state in lasso.states]
        steps = self._steps(states, (*lasso.stem, *lasso.loop))
        clause = failed_clause(lifted, self.layout, self.layout.decode(states[asked_at]), arguments)
        when = f"after step {asked_at}" if asked_at else "at the start"
        said = f"{lifted.called(arguments)}: " + (
            f"it is never true; at the start {clause}" if once else f"asked for {when} and never answered: {clause}"
        )
        how = "a shortest stem" if not graph.cut else "not known to be shortest"
        return Counterexample(self.layout.show(states[0]), steps, said, how, loop=len(lasso.stem))
