"""refine: is every step of a concrete model, seen through a mapping, a step of the abstract one or no change?

Initial states must be seen as initial states, and each step of each reachable concrete state as a step that some
action of the abstract model takes between the two states seen, or as a stutter. Then whatever the abstract model
keeps true at every step, the concrete one keeps true of what is seen (Abadi and Lamport, Theoret. Comput. Sci. 82(2),
1991). The first step that does not map is the counterexample, on a shortest path.

Sound when both lifted models are certified and the concrete graph is complete; else UNDETERMINED. Misses everything
beyond the scope, and everything about what must come about: a concrete model that stops, or stutters for ever,
refines as well. Ask that of it directly (``live``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.backends import native
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State
from meshspec.engines.graph import Graph, build
from meshspec.engines.limits import INTERRUPTED, Limits
from meshspec.engines.replay import retrace
from meshspec.engines.seen import Seen
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.lang.refinement import Refinement
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort, is_sort

DEFAULT_SIZE = 2
STUTTERS = "no change"


def refine(
    refinement: Refinement,
    concrete: LiftedModel,
    abstract: LiftedModel,
    sizes: Mapping[type[Sort], int],
    limits: Limits | None = None,
    progress: Progress = silent,
) -> Finding:
    """Whether the concrete model refines the abstract one in this scope, up to stuttering.

    Raises :class:`meshspec.errors.ModelError` for a mapping that gives no abstract state and
    :class:`meshspec.errors.UsageError` for a scope that lacks a sort or is too large to build.
    """
    there = Layout(abstract, sizes)
    graph = build(concrete, sizes, limits, lambda said: progress(f"refine {said}" if said else ""))
    run = _Run(refinement, graph, there, progress)
    try:
        if graph.cut != INTERRUPTED:
            run.go()
    except KeyboardInterrupt:
        graph.cut = INTERRUPTED
    except MemoryError:
        graph.cut = "the end of memory"
    progress("")
    return run.finding()


def scope_of_both(
    refinement: Refinement, concrete: LiftedModel, abstract: LiftedModel, asked: Mapping[str, int]
) -> dict[type[Sort], int]:
    """Sizes for the sorts of both models: what was asked, for paired sorts that of their partner, 2 for the rest.

    Raises :class:`UsageError` for a sort that neither has, and for two sorts of one name that are not one sort.
    """
    known: dict[str, type[Sort]] = {}
    for sort in dict.fromkeys((*concrete.sorts, *abstract.sorts)):
        if sort in refinement.sorts:
            continue
        if known.setdefault(sort.__name__, sort) is not sort:
            raise UsageError(
                f"{concrete.name} and {abstract.name} each have a sort {sort.__name__}, and they are not the same: "
                "import one from the other's file, or pair them, @refinement(..., sorts={Abstract: Concrete})"
            )
    for name, size in asked.items():
        if name not in known:
            raise UsageError(f"--scope {name}={size}: {refinement.name} ranges over {', '.join(known) or 'no sort'}")
    sizes = {sort: asked.get(name, DEFAULT_SIZE) for name, sort in known.items()}
    for sort, partner in refinement.sorts.items():
        if partner not in sizes:
            raise UsageError(
                f"sorts={{{sort.__name__}: {partner.__name__}}}: {concrete.name} has no {partner.__name__}"
            )
        sizes[sort] = sizes[partner]
    return sizes


@attrs.frozen
class _Broken:
    """A step that does not map: the state it leaves (-1: none, an initial state), its action, the state reached."""

    source: int
    action: int
    target: int


class _Run:
    def __init__(self, refinement: Refinement, graph: Graph, there: Layout, progress: Progress) -> None:
        self.refinement, self.graph, self.there, self.progress = refinement, graph, there, progress
        self.here = graph.layout
        self.seen = Seen(refinement, self.here, there)
        generator = Generator(there)
        self.successors, self.out_of_range = generator.successors(), generator.out_of_range()
        self.images: dict[int, State] = {}
        self.leads: dict[State, dict[State, int]] = {}
        self.ground = there.ground_actions()
        self.moves: Counter[str] = Counter()
        self.stutters = 0
        self.broken: _Broken | None = None

    def image(self, state: int) -> State:
        found = self.images.get(state)
        if found is None:
            found = self.images[state] = self.seen(self.graph.states[state], lambda: self.graph.way(state))
        return found

    def after(self, state: State) -> dict[State, int]:
        """Where an abstract state can go, and the first ground action that takes it there."""
        found = self.leads.get(state)
        if found is None:
            found = self.leads[state] = {}
            for action, reached, _ in self.successors(state):
                if reached is not None:
                    found.setdefault(reached, action)
        return found

    def go(self) -> None:
        graph = self.graph
        for state in range(min(graph.initial, len(graph.states))):
            if not _may_start(self.there, self.image(state)):
                self.broken = _Broken(-1, -1, state)
                return
        for state in range(graph.expanded):
            if state % 256 == 0:
                self.progress(f"refine {self.here.model.name}: {state:,} of {graph.expanded:,} states mapped")
            for action, target in graph.after(state):
                before, after = self.image(state), self.image(target)
                taken = self.after(before).get(after)
                if before == after:
                    self.stutters += 1
                elif taken is None or self.out_of_range(after):
                    self.broken = _Broken(state, action, target)
                    return
                else:
                    self.moves[self.ground[taken][0].name] += 1

    # -- what it came to ---------------------------------------------------------------------------------------

    def finding(self) -> Finding:
        graph, names = self.graph, [lifted.name for lifted in self.there.model.actions]
        never = [name for name in names if not self.moves[name]]
        facts: dict[str, object] = {
            "transitions": graph.steps,
            "stutters": self.stutters,
            "moves": {name: self.moves[name] for name in names},
            "complete": not graph.flaw,
            "cut": graph.cut,
        }

        def say(answer: Answer, **more: Any) -> Finding:
            return Finding(
                self.here.model.name,
                f"refines {self.there.model.name} by {self.refinement.name}",
                answer,
                "refine",
                kind="refines",
                scope={**self.here.scope_names, **self.there.scope_names},
                states=len(graph.states),
                where=str(self.refinement.where),
                facts=facts,
                **more,
            )

        if self.broken is not None:
            return say(Answer.VIOLATED, counterexample=self._counterexample(self.broken))
        if graph.flaw:
            settles = "a smaller scope, or higher --max-states and --max-memory"
            if graph.cut == INTERRUPTED:
                settles = "letting it run to its end"
            elif not graph.cut:
                settles = "a model in which that cannot happen: `explore` shows the way there"
            known = f"every step mapped so far: {sum(self.moves.values()):,} steps and {self.stutters:,} stutters"
            return say(Answer.UNDETERMINED, reason=graph.flaw, known=known, settles=settles)
        if not self.moves:
            stay = "every step stutters" if self.stutters else "the model takes no step"
            return say(
                Answer.VACUOUS,
                reason=f"{stay}: {self.there.model.name} is never seen to move, so nothing was compared",
                settles="a mapping that shows what the abstract model speaks of",
            )
        reason = (
            f"up to stuttering ({self.stutters:,} of {graph.steps:,} steps); safety alone, not what must come about"
        )
        reason += f"; no step is seen as {', '.join(never)}" if never else ""
        return say(Answer.HOLDS, strength=Strength.EXHAUSTIVE, reason=reason)

    def _counterexample(self, broken: _Broken) -> Counterexample:
        graph = self.graph
        start, path = graph.path(broken.source if broken.source >= 0 else broken.target)
        if broken.source >= 0:
            path.append((broken.action, broken.target))
        states = [start, *(state for _, state in path)]
        what = f"the path on which {self.refinement.name} fails"
        retrace(self.here, [graph.states[state] for state in states], [action for action, _ in path], what)
        self._confirm(broken)
        ground, steps = self.here.ground_actions(), list[Step]()
        for number, (action, _) in enumerate(path):
            lifted, arguments = ground[action]
            changes = self.here.changes(graph.states[states[number]], graph.states[states[number + 1]])
            last = broken.source >= 0 and number == len(path) - 1
            note = "" if last else self._note(states[number], states[number + 1])
            steps.append(Step(lifted.called(arguments), changes, note))
        return Counterexample(self.here.show(graph.states[start]), tuple(steps), self._failed(broken))

    def _note(self, source: int, target: int) -> str:
        before, after = self.image(source), self.image(target)
        if before == after:
            return f"seen as {STUTTERS}"
        lifted, arguments = self.ground[self.after(before)[after]]
        return f"seen as {lifted.called(arguments)}"

    def _failed(self, broken: _Broken) -> str:
        """What is seen of the step, and what the abstract model could have done instead."""
        name, after = self.there.model.name, self.image(broken.target)
        if broken.source < 0:
            shown = ", ".join(f"{cell} = {value}" for cell, value in self.there.show(after).items())
            return f"the initial state is seen as {shown}, which is no initial state of {name}"
        before = self.image(broken.source)
        seen = f"the last step is seen as {_changes(self.there, before, after)}"
        if outside := [str(self.there.cells[cell]) for cell in self.out_of_range(after)]:
            return f"{seen}, and {', '.join(outside)} leaves its Range"
        options = self.after(before)
        enabled = [self.ground[action][0].called(self.ground[action][1]) for action in options.values()]
        said = f"{seen}, which no action of {name} does; there it can {', '.join(enabled) or 'do nothing'}"
        if options:
            nearest = min(options, key=lambda state: sum(a != b for a, b in zip(state, after, strict=True)))
            lifted, arguments = self.ground[options[nearest]]
            said += f"; nearest is {lifted.called(arguments)}: {_changes(self.there, before, nearest)}"
        return said

    def _confirm(self, broken: _Broken) -> None:
        """On CPython too, no abstract action takes the one state seen to the other."""
        after = self.image(broken.target)
        if broken.source < 0 or self.out_of_range(after):
            return
        before, wanted = self.there.decode(self.image(broken.source)), native.Next(self.there.decode(after))
        for lifted, arguments in self.ground:
            if native.run(self.there, lifted, before, arguments) == wanted:
                raise Disagreement(f"on CPython {lifted.called(arguments)} does what {self.refinement.name} needs")


def _changes(layout: Layout, before: State, after: State) -> str:
    changed = layout.changes(before, after)
    return ", ".join(f"{cell} {old} -> {new}" for cell, (old, new) in changed.items()) or STUTTERS


def _may_start(layout: Layout, state: State) -> bool:
    """Whether a state is an initial one, without listing them all."""
    for cell, held in zip(layout.cells, state, strict=True):
        options = cell.variable.initial
        if not any(is_sort(one) or layout.encode_value(one) == held for one in options):
            return False
    return True
