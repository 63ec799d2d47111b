"""Evidence: what a file in ``properties/`` says of a model's promise, to be confirmed by running it.

A promise is a claim in the model. Its evidence says that it holds (with exact counts), whether it is proved for
every size, which incidents refute it and by which path, and which names of the registry it stands for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import attrs

from meshspec.errors import ModelError
from meshspec.lang.declare import declared
from meshspec.lang.places import where_now
from meshspec.sorts import Sort


@attrs.frozen
class Promise:
    """The evidence for one claim; ``refuted_by`` gives for each incident the exact shortest path."""

    stands_for: tuple[str, ...] = ()
    proved: bool = False
    refuted_by: Mapping[type, tuple[str, ...]] = MappingProxyType({})


@attrs.frozen
class Evidence:
    """The evidence for one model in one scope; ``orbits`` are states that no symmetry maps to each other.

    ``survivors`` are the mutants that no claim has to notice, by name, ``*`` standing for any text; ``None`` leaves
    the question of mutants out.
    """

    model: type
    scope: Mapping[type[Sort], int]
    states: int
    deadlocks: int
    promises: Mapping[str, Promise]
    orbits: int | None = None
    survivors: tuple[str, ...] | None = None


def promise(
    *,
    stands_for: Sequence[str] = (),
    proved: bool = False,
    refuted_by: Mapping[type, Sequence[str]] = MappingProxyType({}),
) -> Promise:
    """One line of evidence: what the claim stands for, whether it is proved, what refutes it and how."""
    return Promise(tuple(stands_for), proved, {incident: tuple(path) for incident, path in refuted_by.items()})


def evidence(
    model: type,
    *,
    scope: Mapping[type[Sort], int],
    states: int,
    deadlocks: int,
    promises: Mapping[str, Promise],
    orbits: int | None = None,
    survivors: Sequence[str] | None = None,
) -> Evidence:
    """The evidence for a model; every ``@always``, ``@sometimes`` and ``@eventually`` claim must have its line.

    The counts are exact. Those of `orbits` are checked where they are given; with `survivors`, all other mutants must
    die.

    Raises :class:`ModelError` for a line without a claim, a claim without a line, and an incident that does not
    extend the model.
    """
    owed = {method.name for method in declared(model).of_kind("always", "sometimes", "eventually")}
    for name in promises:
        if name not in owed:
            raise ModelError(f"{model.__name__} has no claim {name!r}; it has {', '.join(sorted(owed))}", where_now())
    missing = sorted(owed - set(promises))
    if missing:
        raise ModelError(f"{model.__name__} claims {', '.join(missing)} without evidence: add a promise", where_now())
    for name, line in promises.items():
        for incident in line.refuted_by:
            if not issubclass(incident, model):
                raise ModelError(f"{name}: {incident.__name__} is no incident of {model.__name__}", where_now())
    alive = tuple(survivors) if survivors is not None else None
    return Evidence(model, dict(scope), states, deadlocks, dict(promises), orbits, alive)
