"""What settlements ask of the engines. That a model's reading agrees with CPython is certified by its evidence."""

from collections.abc import Mapping
from functools import cache

from meshspec import Sort
from meshspec.answer import Answer, Finding, Strength
from meshspec.engines.explore import explore
from meshspec.engines.prove import prove
from meshspec.lang.lift import lift


@cache
def proofs(model: type) -> Mapping[str, Finding]:
    """What the prover says of each claim of a model, asked once."""
    return {finding.property: finding for finding in prove(lift(model))}


def is_proved(model: type, claim: str) -> bool:
    """Whether a claim holds for every size, and whatever the tables hold."""
    found = proofs(model)[claim]
    return found.answer is Answer.HOLDS and found.strength is Strength.EVERY_SIZE


def broken(model: type, sizes: Mapping[type[Sort], int]) -> dict[str, tuple[str, ...]]:
    """The claims that a model breaks in a scope, lemmas apart, each with its shortest path."""
    return dict(_broken(model, tuple(sizes.items())))


@cache
def _broken(model: type, sizes: tuple[tuple[type[Sort], int], ...]) -> Mapping[str, tuple[str, ...]]:
    return {
        found.property: found.counterexample.actions
        for found in explore(lift(model), dict(sizes))
        if found.answer is Answer.VIOLATED and found.kind != "lemma" and found.counterexample is not None
    }
