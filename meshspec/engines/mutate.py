"""mutate: which small changes does each property notice, and is the kill its own?

Every small change of the model's source and of its lifted rows (:mod:`meshspec.lang.mutants`) is explored in the
scope. A property *kills* a mutant if it is violated there by a path that uses the change, and undoing the change on
the same schedule undoes the violation (:mod:`meshspec.engines.kills`). An ``@eventually`` that holds of the model is
asked of mutants by :mod:`meshspec.engines.live`. A mutant that only loses a witness, or an
action that fires, is *noticed by vacuity*. One that nothing notices is a *survivor*, unless it is proved that it
takes the same steps as the original at every size (:mod:`meshspec.engines.equivalence`).

*Sound when* the model is certified: what a kill says was walked step by step in both models, and in a mutant of the
source by CPython. *Misses* changes of more than one place, of the initial values, of constants, of what ``super()``
reaches and of functions outside the model's classes; and what shows only beyond the scope or the bound on a mutant's
states (:func:`bound_on`).

Mutants have no lift certificate. It is there so that nobody need trust how an author's text was read; a mutant is the
author's certified text with one change of ours, and a wrong reading could at worst call a survivor killed, which the
replay on CPython excludes for mutants of the source. Certifying each would take far longer than exploring it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

import attrs

from meshspec.answer import Answer, Finding, Strength
from meshspec.engines.equivalence import unequal
from meshspec.engines.explore import explore
from meshspec.engines.inductive import Property, properties_of
from meshspec.engines.kills import LIVENESS, SAFETY, Judge, Misread, Steps
from meshspec.engines.limits import INTERRUPTED, MUTANTS, Limits
from meshspec.engines.live import live
from meshspec.engines.mutation import FINITE, Fate, MutationReport, Run, counted, died
from meshspec.engines.prove import prove
from meshspec.engines.reach import Reached, reach
from meshspec.errors import MeshspecError, UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.lang.mutants import SOURCE, Mutant, mutants
from meshspec.lang.places import where_is
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

SMALL = 20_000
"""Of how many states a model may be for `check` to run mutants of it, and for its states to be gone through."""


def bound_on(states: int) -> int:
    """How many states a mutant may have before its search is cut: a dropped guard can make them endless."""
    return 8 * states + 1_000


def mutate(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    limits: Limits | None = None,
    *,
    name: str = "",
    cap: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
    base: Sequence[Finding] | None = None,
    proofs: bool = True,
    enough: bool = False,
) -> MutationReport:
    """Try every mutant, or with `cap` a sample of so many, spread over the methods and drawn by `seed`.

    `name` is the target as asked for; `base` is what exploring the model itself in this scope said, where that is
    known already; without `proofs`, what
    no reachable state of the scope tells apart is called a survivor without asking whether it is equivalent. Where it
    is `enough` that one claim notices a mutant, an ``@eventually`` is not asked of one that was killed before. Raises
    :class:`meshspec.errors.UsageError` for a cap below one and for a scope that cannot be built.
    """
    if cap is not None and cap < 1:
        raise UsageError(f"--cap {cap}: try at least one mutant")
    found = list(explore(model, sizes, limits, progress) if base is None else base)
    if any(claim.method.kind == LIVENESS for claim in model.claims) and not _interrupted(found):
        found = [f for f in found if f.kind != LIVENESS] + live(model, sizes, limits, progress)
    runs: list[Run] = []
    every, unread = mutants(model)
    stopped = INTERRUPTED if _interrupted(found) else ""
    running = _Running(model, sizes, limits or Limits(), found, proofs, enough)
    order = every if cap is None or cap >= len(every) else spread(every, seed)
    ran = 0
    try:
        for number, mutant in enumerate(order, 1):
            if stopped or (cap is not None and ran >= cap):
                break
            progress(f"mutate {model.name}: {number} of {len(every)}, {mutant.where}")
            run = running.run(mutant)
            runs.append(run)
            ran += run.counts
    except KeyboardInterrupt:
        stopped = INTERRUPTED
    progress("")
    place = {id(mutant): number for number, mutant in enumerate(every)}
    runs.sort(key=lambda run: place[id(run.mutant)])
    return MutationReport(
        model.name,
        str(where_is(model.declared.cls)),
        {sort.__name__: sizes[sort] for sort in model.sorts},
        tuple(found),
        len(every),
        tuple(runs),
        seed,
        tuple(unread),
        stopped,
        name or model.name,
    )


def spread(every: Sequence[Mutant], seed: int) -> list[Mutant]:
    """All mutants in an order of which each beginning is spread over the methods; the same for the same seed."""
    groups: dict[str, list[Mutant]] = {}
    for mutant in every:
        groups.setdefault(mutant.method, []).append(mutant)
    methods = list(groups)
    random.Random(f"{seed}").shuffle(methods)
    for method in methods:
        random.Random(f"{seed} {method}").shuffle(groups[method])
    longest = max(map(len, groups.values()), default=0)
    return [groups[m][turn] for turn in range(longest) for m in methods if turn < len(groups[m])]


def _interrupted(found: Iterable[Finding]) -> bool:
    return any(finding.facts.get("cut") == INTERRUPTED for finding in found)


class _Compared(Enum):
    """How a mutant's steps compare with the original's, over the states that the original reaches in the scope.

    The text is what to say of a survivor. With fewer steps in all of them it reaches no other state, at this scope.
    """

    EQUAL = "no reachable state in scope tells it apart"
    FEWER = "it only takes steps away in this scope: no @always notices that, a @sometimes or an @eventually may"
    OTHER = "it takes steps that the model does not take, and no claim forbids them"
    UNKNOWN = "not all reachable states were compared"


class _Running:
    """Runs mutants of one model, what they share being made once."""

    def __init__(
        self,
        model: LiftedModel,
        sizes: Mapping[type[Sort], int],
        limits: Limits,
        base: Sequence[Finding],
        proofs: bool,
        enough: bool = False,
    ) -> None:
        self.model, self.sizes, self.proofs, self.enough = model, sizes, proofs, enough
        self.base = {finding.property: finding for finding in base}
        states = max((finding.states or 0 for finding in base), default=0)
        self.limits = attrs.evolve(limits, max_states=min(limits.max_states, bound_on(states)))
        self.judge = Judge(model, sizes)
        self.made: dict[object, Mutant] = {}
        self._known: list[Property] | None = None
        small = attrs.evolve(limits, max_states=min(limits.max_states, SMALL))
        explored = [finding for finding in base if finding.kind != LIVENESS]
        complete = all(finding.facts.get("complete", True) for finding in explored) and states <= SMALL
        self.waits = any(finding.kind == LIVENESS and finding.answer is Answer.HOLDS for finding in base)
        wider = self.limits.max_states == limits.max_states
        self.settles = "a higher --max-states" if wider else FINITE
        self.reached: Reached | None = reach(model, sizes, small) if complete else None
        if self.reached is not None and self.reached.cut == INTERRUPTED:
            raise KeyboardInterrupt

    def run(self, mutant: Mutant) -> Run:
        """What becomes of one mutant; an interruption by the user is raised."""
        try:
            changed = mutant.make()
        except MeshspecError as error:
            return Run(mutant, Fate.NOT_MADE, remark=str(error))
        trees = tuple((action.parameters, action.tree) for action in changed.actions)
        if trees == tuple((action.parameters, action.tree) for action in self.model.actions):
            return Run(mutant, Fate.EQUIVALENT, remark="it reads as the same rows, with these constants")
        if trees in self.made:
            return Run(mutant, Fate.SAME, remark=self.made[trees].name)
        self.made[trees] = mutant
        compared = self._compared(changed)
        if compared is _Compared.EQUAL:
            return self._never_apart(mutant, changed)
        try:
            return self._explored(mutant, changed, compared)
        except Misread as misread:
            return Run(mutant, Fate.NOT_MADE, remark=str(misread))

    def _compared(self, changed: LiftedModel) -> _Compared:
        """How the steps of the two compare over the reachable states of the original."""
        if self.reached is None or not self.reached.complete:
            return _Compared.UNKNOWN
        pairs = [(a, b) for a, b in zip(self.model.actions, changed.actions, strict=True) if a.tree != b.tree]
        one = Steps(attrs.evolve(self.model, actions=tuple(a for a, _ in pairs)), self.sizes)
        other = Steps(attrs.evolve(changed, actions=tuple(b for _, b in pairs)), self.sizes)
        result = _Compared.EQUAL
        for state in self.reached.inner:
            mine, theirs = one.moves(state), other.moves(state)
            if mine == theirs:
                continue
            if theirs <= mine:
                result = _Compared.FEWER
            else:
                return _Compared.OTHER
        return result

    def _never_apart(self, mutant: Mutant, changed: LiftedModel) -> Run:
        """No state of the scope tells them apart, so no property can; are they equal at every size?"""
        remark = _Compared.EQUAL.value
        if not self.proofs:
            return Run(mutant, Fate.SURVIVED, remark=remark)
        why = unequal(self.model, changed, self.known)
        if not why:
            using = ", ".join(p.name for p in self.known)
            remark = f"the same steps wherever {using}" if using else "the same steps"
            return Run(mutant, Fate.EQUIVALENT, remark=remark)
        return Run(mutant, Fate.SURVIVED, remark=f"{remark}; not shown for every size: {why}")

    @property
    def known(self) -> list[Property]:
        """What is proved of the model for every size."""
        if self._known is None:
            held = {f.property for f in prove(self.model) if f.strength is Strength.EVERY_SIZE}
            self._known = [p for p in properties_of(self.model) if p.name in held]
        return self._known

    def _explored(self, mutant: Mutant, changed: LiftedModel, compared: _Compared) -> Run:
        kills, notices, otherwise, cut, settles = list[str](), list[str](), dict[str, str](), "", ""
        findings = [found for found in explore(changed, self.sizes, self.limits) if found.kind != LIVENESS]
        steps: Steps | None = None
        dead = self.enough and any(f.answer is Answer.VIOLATED and f.kind in SAFETY for f in findings)
        if dead:
            steps = Steps(changed, self.sizes)
            judged = (f for f in findings if f.answer is Answer.VIOLATED and f.kind in SAFETY)
            dead = any(not self.judge.objection(steps, f, mutant.level == SOURCE) for f in judged)
        if self.waits and not dead and not _interrupted(findings):
            findings += live(changed, self.sizes, self.limits, replayed=False)  # the judge runs it on CPython
        if _interrupted(findings):
            raise KeyboardInterrupt
        for found in findings:
            before = self.base.get(found.property)
            if found.kind == LIVENESS and (before is None or before.answer is not Answer.HOLDS):
                continue
            if found.answer is Answer.VIOLATED and found.kind in (*SAFETY, LIVENESS):
                steps = steps or Steps(changed, self.sizes)
                objection = self.judge.objection(steps, found, mutant.level == SOURCE)
                if objection:
                    otherwise[found.property] = objection
                else:
                    kills.append(found.property)
            elif found.answer is Answer.VACUOUS and before is not None and before.answer is Answer.HOLDS:
                notices.append(found.property)
            elif found.answer is Answer.UNDETERMINED:
                cut = f"not settled within {counted(self.limits.max_states, 'state')}"
                settles = self.settles
                if "max-states" not in str(found.facts.get("cut")):
                    cut, settles = found.reason, found.settles
        fate = Fate.KILLED if kills else Fate.NOTICED if notices else Fate.UNDECIDED if cut else Fate.SURVIVED
        remark = {Fate.UNDECIDED: cut, Fate.SURVIVED: compared.value}
        return Run(
            mutant,
            fate,
            tuple(kills),
            tuple(notices),
            otherwise,
            remark.get(fate, ""),
            settles if fate is Fate.UNDECIDED else "",
        )


# -- for others ------------------------------------------------------------------------------------------------


@attrs.frozen(eq=False)
class Capped:
    """A capped run for `check`: the line to print, and the report (none where the model is too large for it)."""

    line: str
    report: MutationReport | None


def capped(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    limits: Limits | None = None,
    *,
    name: str = "",
    base: Sequence[Finding] | None = None,
    cap: int = MUTANTS,
    seed: int = 0,
    progress: Progress = silent,
) -> Capped:
    """A few mutants, without proofs of equivalence, and one line about them; `name` is the target as asked for.

    It gives no answer and changes none: a sample that dies says little, and one that does not is for `mutate` to
    look into.
    """
    small = attrs.evolve(limits or Limits(), max_states=min((limits or Limits()).max_states, SMALL))
    found = list(explore(model, sizes, small) if base is None else base)
    again = f"meshspec mutate {name or model.name}"
    states = max((finding.states or 0 for finding in found), default=0)
    if states > SMALL or any(not finding.facts.get("complete", True) for finding in found):
        return Capped(f"refutability: no mutants tried, the model has many states; {again} tries them", None)
    report = mutate(model, sizes, small, cap=cap, seed=seed, base=found, proofs=False, progress=progress)
    return Capped(f"refutability: {summary(report)}; {again} tries all", report)


def summary(report: MutationReport) -> str:
    """``12 of 61 mutants tried, 11 killed``, and whatever else became of them."""
    fates = [(fate, len(report.of(fate))) for fate in Fate]
    told = [f"{count} {fate.value}" for fate, count in fates if count or fate is Fate.KILLED]
    tried = f"{len(report.runs)} of {report.total} mutants tried"
    return ", ".join([tried, *told, *([INTERRUPTED] if report.stopped else [])])


def mutants_die(
    model: LiftedModel,
    scope: Mapping[type[Sort], int],
    limits: Limits | None = None,
    survivors: Sequence[str] = (),
    progress: Progress = silent,
) -> Finding:
    """The line of evidence *its mutants die*: all but those whose names (:attr:`Mutant.name`) are acknowledged.

    In an acknowledged name ``*`` stands for any text.
    VIOLATED for a survivor that is not, and for an acknowledged one that does not survive; VACUOUS where none dies.
    """
    return died(mutate(model, scope, limits, progress=progress, enough=True), survivors)
