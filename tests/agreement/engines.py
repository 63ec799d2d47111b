"""What the engines say of one model, and every contradiction among them and with CPython."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from meshspec.answer import Answer, Finding, Strength
from meshspec.backends import native
from meshspec.backends.layout import State
from meshspec.engines.exploration import Exploration
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits, Options
from meshspec.engines.prove import prove
from meshspec.engines.search import search_states
from meshspec.engines.simulate import simulate
from meshspec.lang.lift import LiftedModel
from meshspec.lang.outcomes import Blocks
from meshspec.sorts import Sort
from tests.agreement.readings import spare
from tests.agreement.walking import Walked, Walker, replayed

UNREDUCED = Options(symmetry=False)
MAX_STATES = 3000
BUDGET = 1500


def has_choices(model: LiftedModel) -> bool:
    """Whether a step has a choice in it, so that two of them may be one."""
    return any(lifted.choices for lifted in model.actions)


def searched(
    model: LiftedModel, sizes: Mapping[type[Sort], int], *, budget: int = BUDGET, max_states: int = MAX_STATES
) -> list[str]:
    """`explore` against the search on CPython, layer by layer as far as that came; empty when they agree."""
    walked = Walker(model, sizes, budget).go()
    search, _ = search_states(model, sizes, Limits(max_states=max_states), options=UNREDUCED)
    findings = explore(model, sizes, Limits(max_states=max_states))
    problems = _layers(search, walked)
    if walked.complete and search.complete:
        problems += _counts(model, search, walked) + _answers(model, findings, walked)
    problems += _first_depths(findings, walked, search)
    if search.complete and plain(explore(model, sizes, options=UNREDUCED)) != plain(findings):
        problems.append("explore says another thing with symmetry")
    for finding in findings:
        if finding.answer is Answer.VIOLATED and (wrong := replayed(model, sizes, finding)):
            problems.append(f"explore, {finding.property}: {wrong}")
    if explore(model, sizes, Limits(max_states=max_states)) != findings:
        problems.append("explore says another thing the second time")
    return problems


def plain(findings: list[Finding]) -> list[Finding]:
    """What is found, and not by which means."""
    means = ("space", "symmetry off", "not packed", "kept", "partial order off")
    return [
        attrs.evolve(f, orbits=None, facts={name: fact for name, fact in f.facts.items() if name not in means})
        for f in findings
    ]


def layers_of(search: Exploration) -> list[set[State]]:
    """The states that a search found, by the length of the shortest path to them."""
    layers = [set(search.space.unpack(layer)) for layer in search.layers]
    for state, depth in search.outside.items():
        layers += [set() for _ in range(depth + 1 - len(layers))]
        layers[depth].add(state)
    return layers


def _layers(search: Exploration, walked: Walked) -> list[str]:
    mine, theirs = layers_of(search), walked.layers
    if walked.complete and search.complete and len(mine) != len(theirs):
        return [f"explore is {len(mine)} layers deep, CPython {len(theirs)}"]
    known = min(len(mine) - (0 if search.complete else 1), len(theirs))
    for depth, (found, reached) in enumerate(zip(mine[:known], theirs[:known], strict=True)):
        if found != reached:
            more = f"{len(found - reached)} more and {len(reached - found)} fewer states than CPython"
            return [f"explore has {more} at depth {depth}"]
    ordered = not has_choices(search.layout.model)
    mine_in_order = list(search.visited())
    in_order = [state for state in walked.order if state not in walked.left]
    if ordered and mine_in_order[: len(in_order)] != in_order[: len(mine_in_order)]:
        return ["explore finds states in another order than that of initial states, actions and members"]
    return []


def _counts(model: LiftedModel, search: Exploration, walked: Walked) -> list[str]:
    """How many steps there are, choices that do not matter counted once, and how many states have none."""
    problems: list[str] = []
    layout = search.layout
    expected = 0
    for state, steps in walked.steps.items():
        if not has_choices(model):
            expected += len(steps)
            continue
        values = layout.decode(state)
        for lifted in model.actions:
            for arguments in layout.arguments(lifted.parameters):
                if not spare(lifted, layout, values, arguments):
                    expected += not isinstance(native.run(layout, lifted, values, arguments), Blocks)
    if search.transitions != expected:
        problems.append(f"explore counts {search.transitions} transitions, CPython {expected}")
    if search.deadlocks != len(walked.deadlocks):
        problems.append(f"explore counts {search.deadlocks} deadlocks, CPython {len(walked.deadlocks)}")
    stuck = search.first_deadlock
    if stuck is not None and stuck.end not in walked.deadlocks:
        problems.append("explore's first deadlock is none")
    return problems


def _answers(model: LiftedModel, findings: list[Finding], walked: Walked) -> list[str]:
    """Every answer of a complete search against what CPython met."""
    problems: list[str] = []
    never = {lifted.name for lifted in model.actions} - walked.fired
    faults = {lifted.name for lifted in model.actions if lifted.method.kind == "fault"}
    for finding in findings:
        refuted = finding.answer is Answer.VIOLATED
        match finding.kind:
            case "always" | "lemma" | "range" | "total":
                expected = finding.property in walked.first
            case "terminal":
                expected = bool(walked.bad_ends)
            case "sometimes":
                refuted = finding.answer is Answer.VACUOUS
                expected = bool(walked.unwitnessed[finding.property])
            case "fires":
                of = faults if "fault" in finding.property else {one.name for one in model.actions} - faults
                refuted, expected = finding.answer is Answer.VACUOUS, not of or bool(of & never)
            case _:
                continue
        if refuted != expected:
            problems.append(f"explore says {finding.answer.value} of {finding.property}; CPython: {expected}")
    return problems


def _first_depths(findings: list[Finding], walked: Walked, search: Exploration) -> list[str]:
    problems: list[str] = []
    for finding in findings:
        if finding.counterexample is None:
            continue
        length = len(finding.counterexample.steps) - (finding.kind == "total")
        if finding.kind == "terminal":
            continue
        first = walked.first.get(finding.property)
        if first is None and (walked.complete or length < len(walked.layers) - 1):
            problems.append(f"explore refutes {finding.property} in {length} steps, CPython never")
        if first is not None and length != first:
            problems.append(f"explore refutes {finding.property} in {length} steps, CPython in {first}")
    if search.complete:
        refuted = {finding.property for finding in findings if finding.answer is Answer.VIOLATED}
        problems += [f"CPython refutes {name}, explore does not" for name in walked.first if name not in refuted]
    return problems


# -- engines against each other --------------------------------------------------------------------------------


def contradictions(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    *,
    seed: int = 0,
    rlimit: int = 400_000,
    largest: int = 3,
    max_states: int = 800,
) -> list[str]:
    """explore at several sizes, simulate and prove, against each other; empty when none contradicts another."""
    problems: list[str] = []
    here = explore(model, sizes, Limits(max_states=max_states))
    elsewhere = [
        explore(model, dict.fromkeys(sizes, size), Limits(max_states=max_states)) for size in range(1, largest + 1)
    ]
    walks = simulate(model, sizes, walks=8, steps=12, seed=seed)
    proofs = prove(model, rlimit=rlimit, max_members=4, rounds=1)
    said = {finding.property: finding for finding in here}
    for walk in walks:
        explored = said[walk.property]
        if walk.answer is not Answer.VIOLATED:
            continue
        if wrong := replayed(model, sizes, walk):
            problems.append(f"simulate, {walk.property}: {wrong}")
        if explored.strength is Strength.EXHAUSTIVE or explored.answer is Answer.VACUOUS:
            problems.append(f"simulate refutes {walk.property}, explore says {explored.answer.value}")
        elif _length(walk) < _length(explored):
            problems.append(f"simulate refutes {walk.property} in fewer steps than the shortest")
    refuted = {f.property: f for one in (here, *elsewhere, walks) for f in one if f.answer is Answer.VIOLATED}
    for proof in proofs:
        if proof.answer is Answer.HOLDS and proof.property in refuted:
            by = refuted[proof.property]
            problems.append(f"prove proves {proof.property} for every size, {by.engine} refutes it: {by.scope}")
        if proof.answer is Answer.VIOLATED:
            problems += _false_at_the_start(model, proof, sizes)
    return problems


def _length(finding: Finding) -> int:
    """The steps of its counterexample; without one, none is needed."""
    return len(finding.counterexample.steps) if finding.counterexample is not None else 0


def _false_at_the_start(model: LiftedModel, proof: Finding, sizes: Mapping[type[Sort], int]) -> list[str]:
    """What prove refutes is refuted by explore without a step, in the scope that prove names."""
    named = {sort: proof.scope.get(sort.__name__, size) for sort, size in sizes.items()}
    found = next(f for f in explore(model, named, Limits(max_states=20_000)) if f.property == proof.property)
    path = found.counterexample
    if found.answer is not Answer.VIOLATED or path is None or path.steps:
        return [f"prove refutes {proof.property} in an initial state, explore says {found.answer.value}"]
    return []
