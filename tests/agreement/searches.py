"""Whole searches, by every means: states, answers and paths must be those of plain tuples without symmetry."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from meshspec.answer import Finding
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits, Options
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.sorts import Sort

PLAIN = Options(symmetry=False, space="tuples", counterexamples=2)
SEARCHES: Mapping[str, Options] = {
    "search: orbits of tuples": attrs.evolve(PLAIN, symmetry=True),
    "search: NumPy": attrs.evolve(PLAIN, space="numpy"),
    "search: NumPy, orbits": attrs.evolve(PLAIN, space="numpy", symmetry=True),
    "search: kernel": attrs.evolve(PLAIN, space="kernel"),
    "search: kernel, orbits, two workers": attrs.evolve(PLAIN, space="kernel", symmetry=True, workers=2),
}
MAX_STATES = 3000
_BY_MEANS = ("symmetry off", "not packed", "space", "inferred")
"""Facts of a finding that say how it was come by."""


@attrs.define
class Searched:
    """How one kind of search compares: states seen, why it refused the model, and every difference."""

    states: int = 0
    refused: str = ""
    differences: list[str] = attrs.field(factory=list[str])


def searches_differ(
    model: LiftedModel, sizes: Mapping[type[Sort], int], max_states: int = MAX_STATES
) -> dict[str, Searched]:
    """Each kind of search against the plain one; one that was cut is not compared, and its states are not counted."""
    limits = Limits(max_states=max_states)
    plain = explore(model, sizes, limits, options=PLAIN)
    told: dict[str, Searched] = {}
    for name, options in SEARCHES.items():
        found = told[name] = Searched()
        try:
            findings = explore(model, sizes, limits, options=options)
        except UsageError as error:
            found.refused = str(error)
            continue
        if not plain[0].facts["complete"]:
            continue
        found.states = findings[0].states or 0
        mine, theirs = ({f.property: _said(f, options) for f in one} for one in (findings, plain))
        for property in dict.fromkeys((*theirs, *mine)):
            found.differences += _difference(property, mine.get(property, {}), theirs.get(property, {}))
    return told


def _said(finding: Finding, options: Options) -> dict[str, object]:
    """What must be the same by all means; further counterexamples are in other orbits where there are orbits."""
    said = attrs.asdict(finding, recurse=False)
    facts = {f"facts: {name}": value for name, value in finding.facts.items() if name not in _BY_MEANS}
    for by_means in ("facts", "orbits", *(("more",) if options.symmetry else ())):
        del said[by_means]
    return said | facts


def _difference(property: str, mine: Mapping[str, object], theirs: Mapping[str, object]) -> list[str]:
    names = dict.fromkeys((*theirs, *mine))
    return [
        f"{property}, {name}: {mine.get(name)} against {theirs.get(name)}"
        for name in names
        if mine.get(name) != theirs.get(name)
    ]
