"""Every way to hold states, with and without symmetry: all must come to the same."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping

import attrs

from meshspec.answer import Finding
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits, Options
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.sorts import Sort

MEANS = ("space", "symmetry off", "not packed", "kept", "partial order off")
"""The facts of a finding that say by what means it was found."""


def spaces() -> tuple[str, ...]:
    """What can be named here: the kernel only where numba is."""
    return ("tuples", "numpy", "kernel") if importlib.util.find_spec("numba") is not None else ("tuples", "numpy")


def plain(findings: list[Finding]) -> list[Finding]:
    """What is found, and not by which means."""
    return [
        attrs.evolve(f, orbits=None, facts={name: fact for name, fact in f.facts.items() if name not in MEANS})
        for f in findings
    ]


def every_way(
    model: LiftedModel, sizes: Mapping[type[Sort], int], limits: Limits | None = None, counterexamples: int = 1
) -> Iterator[tuple[Options, list[Finding]]]:
    """Explore in each space that can hold the model, with symmetry and without."""
    for space in spaces():
        for symmetry in (True, False):
            options = Options(symmetry=symmetry, space=space, counterexamples=counterexamples)
            try:
                yield options, explore(model, sizes, limits, options=options)
            except UsageError:
                if space == "tuples":  # packed states need bounds, and rows that are not too many
                    raise


def differences(
    model: LiftedModel, sizes: Mapping[type[Sort], int], limits: Limits | None = None, counterexamples: int = 1
) -> list[str]:
    """Where one way finds what the first did not; empty when all agree. Orbits are compared too."""
    found = list(every_way(model, sizes, limits, counterexamples))
    expected = {options.symmetry: findings for options, findings in found if options.space == "tuples"}
    problems: list[str] = []
    for options, findings in found:
        for mine, first in zip(plain(findings), plain(expected[options.symmetry]), strict=True):
            if mine != first:
                problems.append(f"{options}: {mine}\nin tuples: {first}")
        for mine, first in zip(plain(findings), plain(expected[True]), strict=True):
            if attrs.evolve(mine, more=()) != attrs.evolve(first, more=()):  # more end in other states, or orbits
                problems.append(f"{options}: {mine}\nwith symmetry: {first}")
        orbits, expected_orbits = findings[0].orbits, expected[options.symmetry][0].orbits
        if orbits != expected_orbits:
            problems.append(f"{options}: {orbits} orbits, in tuples {expected_orbits}")
    return problems
