"""The greatest set of properties that prove each other at every size, found by dropping what fails.

What `prove` says rests on this and on nothing else: a property is proved where every obligation of it was answered
*unsatisfiable* from properties that remain themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from meshspec.backends.layout import NO_RAISE
from meshspec.engines.inductive import Property, properties_of
from meshspec.engines.obligations import Obligation, Open, Proved, Prover, Refuted, obligations_of, raising
from meshspec.progress import Progress, silent


@attrs.frozen
class Fall:
    """Why a property was dropped: at which obligation, on what ground, under which hypotheses; what fell before."""

    obligation: Obligation
    ground: Refuted | Open
    after: tuple[str, ...]
    given: tuple[Property, ...]

    @property
    def at_start(self) -> bool:
        """Whether it is false in an initial state: a refutation, and not only an obstacle to a proof."""
        return self.obligation.action is None and isinstance(self.ground, Refuted)


class Induction:
    """An induction over all properties of a model, and over `extra` ones that serve as lemmas."""

    def __init__(self, prover: Prover, progress: Progress = silent, extra: Sequence[Property] = ()) -> None:
        self.prover, self.progress = prover, progress
        self.model = prover.model
        self.properties = [*properties_of(prover.model), *extra]
        self.alive = {property.name: property for property in self.properties}
        self.obligations = {p.name: obligations_of(prover.model, p) for p in self.properties}
        self.obligations[NO_RAISE] = raising(prover.model)
        self.proofs: dict[Obligation, frozenset[str]] = {}
        self.fallen: dict[str, Fall] = {}

    def run(self, wanted: Iterable[str], raises: bool = False) -> None:
        """Settle these properties and all that their proofs rest on; with `raises`, also that no action raises."""
        needed = dict.fromkeys(wanted)
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
        falls: dict[str, Fall] = {}
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

    def _check(self, name: str, base: bool = False) -> Fall | None:
        for obligation in self.obligations[name]:
            if obligation in self.proofs or (base and obligation.action is not None):
                continue
            settled = self.prover.settle(obligation, self.alive)
            if isinstance(settled, Proved):
                self.proofs[obligation] = settled.core
            else:
                return Fall(obligation, settled, tuple(self.fallen), tuple(self.alive.values()))
        return None

    def _drop(self, falls: dict[str, Fall]) -> None:
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

    def settled(self, name: str) -> bool:
        """Whether it is proved, with all that its proof rests on, and not only never refuted."""
        if name in self.fallen:
            return False
        return all(o in self.proofs for one in (name, *self.uses(name)) for o in self.obligations[one])
