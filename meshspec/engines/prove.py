"""prove: is it inductive, with its lemmas, for any number of members of every sort? Else, what of it in a scope?

A set of properties is inductive when each is true in every initial state and no action leads from a state in which
all of them are true to one in which one is not. The engine starts from all claims, lemmas and Ranges of a model,
drops what fails, and goes on until nothing does: what remains holds in every reachable state, at every size. What
does not remain is tried again with lemmas that are searched for, if that was asked, and then in a scope, if one was
given: by bounded search, which only refutes, and by k-induction.

*Sound when* the lifted model is certified. Sorts are uninterpreted (and not empty), constant tables are any tables,
integers unbounded. HOLDS for every size is said only where Z3 answered *unsatisfiable* to every obligation, each from
properties that remain themselves; of a scope only with that scope. A counterexample to induction is shown only after
CPython has replayed it: all hypotheses true in the state before, for all arguments, and the property false in the
state after. So is a path of bounded search, from its initial state on.

*Misses*: what is true and not inductive without a further lemma; what is true only up to some size; aggregates that
an action changes other than at single keys; and whatever Z3 cannot decide within its step limit. All of those are
UNDETERMINED, unless the scope settles them there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Strength
from meshspec.backends.layout import NO_RAISE
from meshspec.backends.solver import RLIMIT
from meshspec.engines.bounded import Bounded, Bounds, Broken, Unbroken, bounded
from meshspec.engines.bounded import Inductive as KInductive
from meshspec.engines.fragment import Beyond, beyond
from meshspec.engines.induction import Fall, Induction
from meshspec.engines.inductive import Property
from meshspec.engines.lemmas import MAX_CANDIDATES, Search, search
from meshspec.engines.obligations import Open, Prover
from meshspec.engines.smallest import Shrinker
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

SEARCH = MAX_CANDIDATES
LEMMA = "a lemma that excludes this state, or explore in a scope"


@attrs.frozen
class InScope:
    """The scope in which to try what is not proved for every size, and how far."""

    sizes: Mapping[type[Sort], int]
    bounds: Bounds = attrs.field(factory=Bounds)

    @property
    def names(self) -> dict[str, int]:
        return {sort.__name__: size for sort, size in self.sizes.items()}


def prove(
    lifted: LiftedModel,
    *,
    rlimit: int = RLIMIT,
    max_members: int = 8,
    rounds: int = 3,
    only: Collection[str] | None = None,
    in_scope: InScope | None = None,
    max_candidates: int = 0,
    progress: Progress = silent,
) -> list[Finding]:
    """One finding for every ``always``, ``lemma`` and Range of the model, and one for `no action raises`.

    `rlimit` bounds one question in steps of Z3, `max_members` the named members of one sort, `rounds` how often more
    of them are named. With `only`, findings for these names; everything may still serve as a hypothesis, and what
    does is proved. `in_scope` says where and how far to try what is not proved; without it nothing is said of scopes.
    `max_candidates` bounds the search for lemmas, and 0 is none; :data:`SEARCH` is a good number.
    """
    prover = Prover(lifted, rlimit, max_members, rounds)
    induction = Induction(prover, progress)
    wanted = [p for p in induction.properties if only is None or p.name in only]
    raises = only is None or NO_RAISE in only
    induction.run([p.name for p in wanted], raises)
    asked = [*(p.name for p in wanted), *([NO_RAISE] if raises else [])]
    unproved = [name for name in asked if (fall := induction.fallen.get(name)) is not None and not fall.at_start]
    found = search(prover, unproved, max_candidates, progress) if unproved and max_candidates else None
    scoped = _in_scope(lifted, induction, found, wanted, raises, in_scope, progress)
    say = _Sayer(induction, found, in_scope, scoped, Shrinker(lifted, rlimit))
    findings = [say.property(property) for property in wanted]
    return [*findings, say.raises()] if raises else findings


def _in_scope(
    model: LiftedModel,
    induction: Induction,
    found: Search | None,
    wanted: Sequence[Property],
    raises: bool,
    scope: InScope | None,
    progress: Progress,
) -> Mapping[str, Bounded] | str:
    """What each property that is not proved comes to in the scope; or why nothing can be said there."""
    if scope is None:
        return {}
    proofs = [induction, *([found.induction] if found is not None and found.induction is not None else [])]
    proved = {p.name: p for one in proofs for p in one.properties if one.settled(p.name)}
    known = {*proved, *(name for name, fall in induction.fallen.items() if fall.at_start)}
    left = [p for p in induction.properties if p.name not in known]
    raises = raises and not any(one.settled(NO_RAISE) for one in proofs)
    if not raises and not any(p.name not in known for p in wanted):
        return {}
    try:
        return bounded(model, scope.sizes, left, list(proved.values()), scope.bounds, progress)
    except UsageError as error:
        return str(error)


class _Sayer:
    """Puts what the induction, the search for lemmas and the scope came to into findings."""

    def __init__(
        self,
        induction: Induction,
        found: Search | None,
        scope: InScope | None,
        scoped: Mapping[str, Bounded] | str,
        shrinker: Shrinker,
    ) -> None:
        self.induction, self.found, self.scope, self.shrinker = induction, found, scope, shrinker
        self.scoped: Mapping[str, Bounded] = {} if isinstance(scoped, str) else scoped
        self.no_scope = scoped if isinstance(scoped, str) else ""
        self.model = induction.model
        tables = [v.symbol.name for v in self.model.declared.variables if v.constant]
        self.tables = f"whatever the constant table {' and '.join(tables)} holds" if tables else ""

    def property(self, property: Property) -> Finding:
        name, kind, where = property.name, property.kind, property.where
        fall = self.induction.fallen.get(name)
        if fall is None:
            return self._holds(self.induction, name, kind, where)
        if fall.at_start:
            return self._false_at_start(name, kind, where, fall)
        if (better := self._better(name)) is not None:
            return self._holds(better, name, kind, where)
        return self._in_scope(self._undetermined(name, kind, where, self._last_fall(name, fall)))

    def raises(self) -> Finding:
        fall = self.induction.fallen.get(NO_RAISE)
        if fall is None:
            return self._holds(self.induction, NO_RAISE, "total", "")
        if (better := self._better(NO_RAISE)) is not None:
            return self._holds(better, NO_RAISE, "total", "")
        fall = self._last_fall(NO_RAISE, fall)
        action = fall.obligation.action
        return self._in_scope(self._undetermined(NO_RAISE, "total", str(action.method.where) if action else "", fall))

    def _better(self, name: str) -> Induction | None:
        """The induction with found lemmas, where that proves it."""
        better = self.found.induction if self.found is not None else None
        return better if better is not None and better.settled(name) else None

    def _last_fall(self, name: str, fall: Fall) -> Fall:
        """Why it is not proved with the found lemmas either: they may exclude what stood in the way at first."""
        better = self.found.induction if self.found is not None else None
        return fall if better is None else better.fallen.get(name, fall)

    def _found_among(self, names: Sequence[str]) -> tuple[dict[str, str], str]:
        """What a search found of these and of all they rest on: the methods by name, and the same in words."""
        names = list(names)
        for name in names:
            came_to = self.scoped.get(name)
            more: Sequence[str] = came_to.uses if isinstance(came_to, KInductive) else ()
            if name not in self.induction.alive and (better := self._better(name)) is not None:
                more = better.uses(name)
            names += [one for one in more if one not in names]
        methods: Mapping[str, str] = {} if self.found is None else self.found.methods
        found = {name: methods[name] for name in names if name in methods}
        return found, f"; a search found {', '.join(found)}" if found else ""

    # -- for every size ----------------------------------------------------------------------------------------

    def _false_at_start(self, name: str, kind: str, where: str, fall: Fall) -> Finding:
        assert not isinstance(fall.ground, Open)
        cti = fall.ground.cti
        return Finding(
            self.model.name,
            name,
            Answer.VIOLATED,
            "prove",
            kind=kind,
            scope=cti.scope,
            counterexample=Counterexample(cti.state, (), cti.failed),
            where=where,
            reason="false in an initial state",
        )

    def _holds(self, induction: Induction, name: str, kind: str, where: str) -> Finding:
        used = induction.uses(name)
        kinds = {p.name: p.kind for p in induction.properties}
        groups = [
            f"{word}{'s' if len(names) > 1 else ''} {', '.join(names)}"
            for word, group in (("lemma", "lemma"), ("claim", "always"), ("range", "range"))
            if (names := [other for other in used if kinds[other] == group])
        ]
        base = f"with {'; '.join(groups)}" if groups else "by itself"
        if name == NO_RAISE and not induction.obligations[NO_RAISE]:
            base = "no action has a path that raises"
        found, more = self._found_among(used)
        return Finding(
            self.model.name,
            name,
            Answer.HOLDS,
            "prove",
            kind=kind,
            strength=Strength.EVERY_SIZE,
            where=where,
            reason="; ".join(filter(None, (base, self.tables))) + more,
            facts={"uses": used, **({"found": found} if found else {})},
        )

    def _undetermined(self, name: str, kind: str, where: str, fall: Fall) -> Finding:
        action, ground = fall.obligation.action, fall.ground
        if isinstance(ground, Open):
            at = f"after {action.name} ({action.method.where})" if action is not None else "in the initial states"
            ways = self._beyond(fall)
            reason = f"{at}: {ground.reason}"
            if ways and not ground.outside:
                reason += "; beyond what is decided for every size: " + "; ".join(what for what, _ in ways)
            settles = "; or ".join(dict.fromkeys(way for _, way in ways))
            settles = settles or "explore in a scope, or a lemma that makes the step simpler"
            facts: dict[str, object] = {"beyond": [what for what, _ in ways]} if ways else {}
            scope: Mapping[str, int] = {}
        else:
            cti = self.shrinker.smallest(ground.cti, fall.obligation.property, fall.given)
            given = "every claim" if not fall.after else "every claim but " + ", ".join(fall.after)
            what = "one that raises" if name == NO_RAISE else "one that does not"
            reason = f"not inductive: {cti.action} leads from a state that satisfies {given} to {what}: {cti.failed}"
            if name == NO_RAISE:
                reason = f"not excluded: {cti.failed} in a state that satisfies {given}"
            reason += f"; {cti.difference}"
            settles, scope = LEMMA, cti.scope
            facts = {"cti": cti.facts()}
        if self.found is not None:
            why = self.found.reason or f"none of {self.found.tried} candidates is a lemma that helps"
            if self.found.methods:
                why = f"{', '.join(self.found.methods)} of {self.found.tried} candidates, which is not enough here"
            reason += f"; searched for lemmas: {why}"
            facts["candidates"] = self.found.tried
        return Finding(
            self.model.name,
            name,
            Answer.UNDETERMINED,
            "prove",
            kind=kind,
            scope=scope,
            where=where,
            reason=reason,
            settles=settles,
            facts=facts,
        )

    def _beyond(self, fall: Fall) -> list[tuple[str, str]]:
        """What is beyond the fragment in the property and in the path, where it stands, and the way out."""
        property, action, path = fall.obligation.property, fall.obligation.action, fall.obligation.path
        found = _beyond([] if property is None else [property])
        if action is not None and path is not None:
            found += [(one, str(action.method.where)) for part in path.condition for one in beyond(part, False)]
        found = found or _beyond(fall.given)
        said: dict[str, str] = {}
        for one, where in found:
            said.setdefault(f"{one.what} ({where})", one.way_out)
        return list(said.items())

    # -- in the scope ------------------------------------------------------------------------------------------

    def _in_scope(self, open_: Finding) -> Finding:
        """The finding of a property that is not proved for every size, with what the scope says of it."""
        if self.scope is None:
            return open_
        if self.no_scope:
            return attrs.evolve(open_, known=f"nothing in a scope: {self.no_scope}")
        came_to, bounds = self.scoped.get(open_.property), self.scope.bounds
        unproved = f"not proved for every size: {open_.reason}"
        match came_to:
            case Broken(counterexample):
                return attrs.evolve(
                    open_,
                    answer=Answer.VIOLATED,
                    scope=self.scope.names,
                    counterexample=counterexample,
                    reason="",
                    settles="",
                    facts={"depth": len(counterexample.steps)},
                )
            case KInductive(k, uses):
                found, more = self._found_among(uses)
                base = f"{k}-inductive" + (f" with {', '.join(uses)}{more}" if uses else " by itself")
                facts = {
                    **open_.facts,
                    "k": k,
                    "simple path": bounds.distinct and k > 1,
                    "uses": list(uses),
                    "every size": open_.reason,
                    **({"found": found} if found else {}),
                }
                return attrs.evolve(
                    open_,
                    answer=Answer.HOLDS,
                    strength=Strength.K_INDUCTION,
                    scope=self.scope.names,
                    reason=f"{base}{self._closed()}; {unproved}",
                    settles=open_.settles,
                    facts=facts,
                )
            case Unbroken(depth, why):
                where = ", ".join(f"{name}={size}" for name, size in self.scope.names.items())
                known = f"no counterexample of at most {depth} steps" if depth >= 0 else "nothing of any path"
                known = f"{known}{f' with {where}' if where else ''}; there {why}"
                return attrs.evolve(open_, known=known, facts={**open_.facts, "depth": depth})
            case None:
                return open_

    def _closed(self) -> str:
        """That paths end where a Range is left, when it is not known that none is."""
        ranges = [p.name for p in self.induction.properties if p.kind == "range"]
        kept = [n for n in ranges if self.induction.settled(n) or isinstance(self.scoped.get(n), KInductive)]
        return "" if len(kept) == len(ranges) else "; no step is taken from a state in which a Range is left"


def _beyond(properties: Sequence[Property]) -> list[tuple[Beyond, str]]:
    return [
        (one, property.where or property.name)
        for property in properties
        for one in beyond(property.universal.body, bool(property.universal.parameters))
    ]
