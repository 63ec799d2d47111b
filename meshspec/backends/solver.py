"""Z3: expressions as solver terms, in two readings, and what the solver says of them.

:class:`AnySize` reads a sort as an uninterpreted sort and a variable as a function, so that what is unsatisfiable is
so for every number of members. :class:`AtScope` has one constant for every ground cell of a scope, members of sorts
and enums being small integers.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from meshspec.backends.anysize import AnySize, Leaves, Structure
from meshspec.backends.atscope import AtScope
from meshspec.backends.terms import Term, Terms, Value

RLIMIT = 1_000_000


@attrs.frozen
class Unsat:
    """Nothing satisfies it; ``core`` names labelled assertions that suffice for that."""

    core: frozenset[str]


@attrs.frozen
class Sat:
    """Something satisfies it; read ``model`` with :meth:`AnySize.structure` or :meth:`AtScope.value`."""

    model: Any


@attrs.frozen
class Unknown:
    """The solver gave up."""

    reason: str


Reply = Unsat | Sat | Unknown


class Solver:
    """One solver, asked again and again; its limit is a count of its own steps, never time.

    A core is `minimal`: without any of it the rest does not suffice. That takes the solver more questions.
    """

    def __init__(self, terms: Terms, rlimit: int = RLIMIT, minimal: bool = True) -> None:
        self.terms = terms
        self.rlimit = rlimit
        self._solver: Any = terms.z3.Solver(ctx=terms.context)
        self._solver.set("rlimit", rlimit)
        self._solver.set("core.minimize", minimal)
        self._solver.set("ctrl_c", False)  # else one Ctrl-C reads as an `unknown` of one question and no more
        self._labels: dict[str, Term] = {}
        self._labelled: dict[tuple[str, int], tuple[Term, Term]] = {}
        self._stated = 0

    @contextmanager
    def within(self) -> Generator[None]:
        """What is added inside is forgotten at the end."""
        self._state_facts()
        stated = self._stated
        self._solver.push()
        try:
            yield
        finally:
            self._solver.pop()
            self._stated = stated

    def _state_facts(self) -> None:
        facts = self.terms.facts
        for fact in facts[self._stated :]:
            self._solver.add(fact)
        self._stated = len(facts)

    def add(self, term: Term, label: str = "") -> None:
        """Assert a term; what is asserted under a label may be named in the core."""
        self._solver.add(self._under(label, term) if label else term)

    def _under(self, label: str, term: Term) -> Term:
        """The term under a label, built once: the same instances are asked about again and again."""
        key = label, term.get_id()
        found = self._labelled.get(key)
        if found is None:  # the term is kept, so that its number stays its own
            found = self._labelled[key] = term, self.terms.z3.Implies(self._label(label), term)
        return found[1]

    def _label(self, label: str) -> Term:
        if label not in self._labels:
            self._labels[label] = self.terms.z3.Bool(f"assume {label}", self.terms.context)
        return self._labels[label]

    def check(self, labels: Sequence[str] = ()) -> Reply:
        """Ask, with the assertions under these labels in force."""
        self._state_facts()
        z3 = self.terms.z3
        assumed = {self._label(label).get_id(): label for label in labels}
        said = self._solver.check(*(self._labels[label] for label in labels))
        if said == z3.unsat:
            return Unsat(frozenset(assumed[term.get_id()] for term in self._solver.unsat_core()))
        if said == z3.sat:
            return Sat(self._solver.model())
        why = str(self._solver.reason_unknown())
        if why in ("canceled", "max. resource limit exceeded", "interrupted"):
            return Unknown(f"the solver gave up: its limit of {self.rlimit:,} steps (rlimit) was reached")
        return self._afresh(labels, why)

    def _afresh(self, labels: Sequence[str], why: str) -> Reply:
        """Ask once more, in a solver that was asked nothing before: it has means that one asked again has not.

        Its core is all that was in force.
        """
        z3 = self.terms.z3
        asked = z3.Solver(ctx=self.terms.context)
        asked.set("rlimit", self.rlimit)
        asked.set("ctrl_c", False)
        asked.add(*self._solver.assertions(), *(self._label(label) for label in labels))
        said = asked.check()
        if said == z3.unsat:
            return Unsat(frozenset(labels))
        if said == z3.sat:
            return Sat(asked.model())
        return Unknown(f"the incremental solver gave up: {why}; and a fresh one: {asked.reason_unknown()}")

    def smt2(self, labels: Sequence[str] = ()) -> str:
        """What :meth:`check` would ask now, in SMT-LIB 2, so that another solver can be asked too."""
        z3 = self.terms.z3
        asked = z3.Solver(ctx=self.terms.context)
        asked.add(*self._solver.assertions(), *(self._label(label) for label in labels))
        pieces = str(asked.to_smt2()).split("|")  # z3 leaves names with a prime in them unquoted
        pieces[::2] = [re.sub(r"[^\s()]*'[^\s()]*", r"|\g<0>|", piece) for piece in pieces[::2]]
        return "|".join(pieces)


__all__ = [
    "RLIMIT",
    "AnySize",
    "AtScope",
    "Leaves",
    "Reply",
    "Sat",
    "Solver",
    "Structure",
    "Term",
    "Terms",
    "Unknown",
    "Unsat",
    "Value",
]
