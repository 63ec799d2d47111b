"""prove: is it inductive, with its lemmas, for any number of members of every sort?

A set of properties is inductive when each is true in every initial state and no action leads from a state in which
all of them are true to one in which one is not. The engine starts from all claims, lemmas and Ranges of a model,
drops what fails, and goes on until nothing does: what remains holds in every reachable state, at every size.

*Sound when* the lifted model is certified. Sorts are uninterpreted (and not empty), constant tables are any
tables, integers unbounded. HOLDS is said only where Z3 answered *unsatisfiable* to every obligation, each from
properties that remain themselves. A counterexample to induction is shown only after CPython has replayed it: all
hypotheses true in the state before, for all arguments, and the property false in the state after.

*Misses*: what is true and not inductive without a further lemma; what is true only up to some size; aggregates that
an action changes other than at single keys; and whatever Z3 cannot decide within its step limit. All of those are
UNDETERMINED. It refutes only in an initial state: to find a path to a violation is for `explore`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Strength
from meshspec.backends.layout import NO_RAISE
from meshspec.backends.solver import RLIMIT
from meshspec.engines.inductive import Property, properties_of
from meshspec.engines.obligations import Obligation, Open, Proved, Prover, Refuted, obligations_of, raising
from meshspec.lang.lift import LiftedModel
from meshspec.progress import Progress, silent

LEMMA = "a lemma that excludes this state, or explore in a scope"


def prove(
    lifted: LiftedModel,
    *,
    rlimit: int = RLIMIT,
    max_members: int = 8,
    rounds: int = 3,
    only: Collection[str] | None = None,
    progress: Progress = silent,
) -> list[Finding]:
    """One finding for every ``always``, ``lemma`` and Range of the model, and one for `no action raises`.

    `rlimit` bounds one question in steps of Z3, `max_members` the named members of one sort, `rounds` how often more
    of them are named. With `only`, findings for these names; everything may still serve as a hypothesis, and what
    does is proved.
    """
    induction = _Induction(Prover(lifted, rlimit, max_members, rounds), progress)
    wanted = [p for p in induction.properties if only is None or p.name in only]
    raises = only is None or NO_RAISE in only
    induction.run(wanted, raises)
    say = _Sayer(induction)
    found = [say.property(property) for property in wanted]
    return [*found, say.raises()] if raises else found


@attrs.frozen
class _Fall:
    """Why a property was dropped: at which obligation, on what ground, and after which others had been."""

    obligation: Obligation
    ground: Refuted | Open
    after: tuple[str, ...]


class _Induction:
    """The greatest set of properties that prove each other, found by dropping what fails."""

    def __init__(self, prover: Prover, progress: Progress) -> None:
        self.prover, self.progress = prover, progress
        self.model = prover.model
        self.properties = properties_of(prover.model)
        self.alive = {property.name: property for property in self.properties}
        self.obligations = {p.name: obligations_of(prover.model, p) for p in self.properties}
        self.obligations[NO_RAISE] = raising(prover.model)
        self.proofs: dict[Obligation, frozenset[str]] = {}
        self.fallen: dict[str, _Fall] = {}

    def run(self, wanted: Iterable[Property], raises: bool) -> None:
        needed = dict.fromkeys(property.name for property in wanted)
        self._bases()
        while self._sweep(needed):
            pass
        while raises and NO_RAISE not in self.fallen:  # what it needs must be proved, and may fall then
            fell = self._check(NO_RAISE)
            if fell is not None:
                self.fallen[NO_RAISE] = fell
            more = dict.fromkeys(self.uses(NO_RAISE))
            while self._sweep(more):
                pass
            if all(name in self.alive for name in more):
                return

    def _bases(self) -> None:
        """What is false at the start is no hypothesis at all."""
        falls = {p.name: fell for p in self.properties if (fell := self._check(p.name, base=True)) is not None}
        self._drop(falls)

    def _sweep(self, needed: dict[str, None]) -> bool:
        """Check what is needed under what is alive; whether anything fell, so that it must be done again."""
        falls: dict[str, _Fall] = {}
        todo = [name for name in needed if name in self.alive]
        seen = set(todo)
        for name in todo:
            self.progress(f"prove {self.model.name}: {name}, {self.prover.asked} questions so far")
            fell = self._check(name)
            if fell is not None:
                falls[name] = fell
                continue
            more = [other for other in self._uses_directly(name) if other not in seen]
            seen.update(more)
            todo.extend(more)
        self.progress("")
        self._drop(falls)
        return bool(falls)

    def _check(self, name: str, base: bool = False) -> _Fall | None:
        for obligation in self.obligations[name]:
            if obligation in self.proofs or (base and obligation.action is not None):
                continue
            settled = self.prover.settle(obligation, self.alive)
            if isinstance(settled, Proved):
                self.proofs[obligation] = settled.core
            else:
                return _Fall(obligation, settled, tuple(self.fallen))
        return None

    def _drop(self, falls: dict[str, _Fall]) -> None:
        self.fallen.update(falls)
        for name in falls:
            del self.alive[name]
        self.proofs = {o: core for o, core in self.proofs.items() if core.isdisjoint(falls)}

    def _uses_directly(self, name: str) -> list[str]:
        cores = [self.proofs.get(obligation, frozenset[str]()) for obligation in self.obligations[name]]
        return [p.name for p in self.properties if any(p.name in core for core in cores)]

    def uses(self, name: str) -> list[str]:
        """The properties that a proof rests on, directly or not, in the model's order."""
        found: dict[str, None] = {}
        todo = [name]
        for one in todo:
            more = [other for other in self._uses_directly(one) if other not in found and other != name]
            found.update(dict.fromkeys(more))
            todo.extend(more)
        return [p.name for p in self.properties if p.name in found]


class _Sayer:
    """Puts what the induction came to into findings."""

    def __init__(self, induction: _Induction) -> None:
        self.induction = induction
        self.model = induction.model
        tables = [v.symbol.name for v in self.model.declared.variables if v.constant]
        self.tables = f"whatever the constant table {' and '.join(tables)} holds" if tables else ""

    def property(self, property: Property) -> Finding:
        name, kind, where = property.name, property.kind, property.where
        fall = self.induction.fallen.get(name)
        if fall is None:
            return self._holds(name, kind, where)
        if fall.obligation.action is None and isinstance(fall.ground, Refuted):
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
        return self._undetermined(name, kind, where, fall)

    def raises(self) -> Finding:
        fall = self.induction.fallen.get(NO_RAISE)
        if fall is None:
            return self._holds(NO_RAISE, "total", "")
        action = fall.obligation.action
        return self._undetermined(NO_RAISE, "total", str(action.method.where) if action else "", fall)

    def _holds(self, name: str, kind: str, where: str) -> Finding:
        used = self.induction.uses(name)
        kinds = {p.name: p.kind for p in self.induction.properties}
        groups = [
            f"{word}{'s' if len(names) > 1 else ''} {', '.join(names)}"
            for word, group in (("lemma", "lemma"), ("claim", "always"), ("range", "range"))
            if (names := [other for other in used if kinds[other] == group])
        ]
        base = f"with {'; '.join(groups)}" if groups else "by itself"
        if name == NO_RAISE and not self.induction.obligations[NO_RAISE]:
            base = "no action has a path that raises"
        return Finding(
            self.model.name,
            name,
            Answer.HOLDS,
            "prove",
            kind=kind,
            strength=Strength.EVERY_SIZE,
            where=where,
            reason="; ".join(filter(None, (base, self.tables))),
            facts={"uses": used},
        )

    def _undetermined(self, name: str, kind: str, where: str, fall: _Fall) -> Finding:
        action, ground = fall.obligation.action, fall.ground
        at = f"after {action.name}" if action is not None else "in the initial states"
        if isinstance(ground, Open):
            reason, settles = f"{at}: {ground.reason}", "explore in a scope, or a lemma that makes the step simpler"
            facts: dict[str, object] = {}
        else:
            cti = ground.cti
            given = "every claim" if not fall.after else "every claim but " + ", ".join(fall.after)
            what = "one that raises" if name == NO_RAISE else "one that does not"
            reason = f"not inductive: {cti.action} leads from a state that satisfies {given} to {what}: {cti.failed}"
            if name == NO_RAISE:
                reason = f"not excluded: {cti.failed} in a state that satisfies {given}"
            settles = LEMMA
            facts = {"cti": cti.facts()}
        return Finding(
            self.model.name,
            name,
            Answer.UNDETERMINED,
            "prove",
            kind=kind,
            scope=ground.cti.scope if isinstance(ground, Refuted) else {},
            where=where,
            reason=reason,
            settles=settles,
            facts=facts,
        )
