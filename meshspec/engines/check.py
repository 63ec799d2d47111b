"""check: everything that can be said of a model by default, one answer for each property.

Explores the scope and proves for every size what it can; a property's answer is the strongest that any engine
reached, VIOLATED if one refutes it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import attrs

from meshspec.answer import Answer, Finding, Strength, demand, overall
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.engines.prove import prove
from meshspec.engines.simulate import simulate
from meshspec.errors import UsageError
from meshspec.lang.declare import is_model
from meshspec.lang.lift import LiftedModel
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

ENGINES = ("explore", "prove", "simulate")
DEFAULT_SIZE = 2


@attrs.frozen
class Answered:
    """A property's one answer, and what each engine said of it."""

    answer: Finding
    findings: tuple[Finding, ...]


@attrs.frozen
class Settings:
    """What a run of engines is told: bounds, the seed of the random walks, and the strength required."""

    limits: Limits = attrs.field(factory=Limits)
    seed: int = 0
    walks: int = 200
    steps: int = 100
    require: Strength | None = None


def check(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    engines: Collection[str] = ("explore", "prove"),
    settings: Settings | None = None,
    progress: Progress = silent,
) -> list[Answered]:
    """Run the engines and combine what they say; raises :class:`UsageError` for an engine that is none."""
    settings = settings or Settings()
    findings: list[Finding] = []
    for engine in engines:
        if engine == "explore":
            findings += explore(model, sizes, settings.limits, progress)
        elif engine == "prove":
            findings += prove(model)
        elif engine == "simulate":
            findings += simulate(
                model, sizes, walks=settings.walks, steps=settings.steps, seed=settings.seed, progress=progress
            )
        else:
            raise UsageError(f"there is no engine {engine!r}; the engines are {', '.join(ENGINES)}")
    return combined(findings, settings.require)


def combined(findings: list[Finding], require: Strength | None = None) -> list[Answered]:
    """One answer a property, in the order in which the properties first appear."""
    by_property: dict[str, list[Finding]] = {}
    for finding in findings:
        by_property.setdefault(finding.property, []).append(finding)
    answered: list[Answered] = []
    for said in by_property.values():
        best = overall(said)
        if best.answer is Answer.UNDETERMINED:
            cti = next((f for f in said if f.facts.get("cti")), best)
            best = cti if all(f.answer is Answer.UNDETERMINED for f in said) and best.engine == cti.engine else best
        answered.append(Answered(demand(best, require), tuple(said)))
    return answered


def scope_of(model: LiftedModel, asked: Mapping[str, int]) -> dict[type[Sort], int]:
    """Sizes for every sort of the model: what was asked, and 2 for the rest.

    Raises :class:`UsageError` for a sort that the model does not have and for a size below one.
    """
    known = {sort.__name__: sort for sort in model.sorts}
    for name, size in asked.items():
        if name not in known:
            has = ", ".join(known) or "no sort"
            raise UsageError(f"--scope {name}={size}: {model.name} ranges over {has}")
        if size < 1:
            raise UsageError(f"--scope {name}={size}: a sort has at least one member")
    return {sort: asked.get(name, DEFAULT_SIZE) for name, sort in known.items()}


def without(model: LiftedModel, faults: Collection[str]) -> LiftedModel:
    """The model with some of its faults taken away; raises :class:`UsageError` for what is no fault of it."""
    has = [lifted.name for lifted in model.actions if lifted.method.kind == "fault"]
    for fault in faults:
        if fault not in has:
            raise UsageError(f"--without {fault}: {model.name} has the faults {', '.join(has) or 'none'}")
    return attrs.evolve(model, actions=tuple(lifted for lifted in model.actions if lifted.name not in faults))


def incidents_of(cls: type) -> list[type]:
    """The models known in this process that extend `cls`."""
    found: dict[type, None] = {}
    stack: list[type] = list(cls.__subclasses__())
    while stack:
        one = stack.pop(0)
        if is_model(one):
            found[one] = None
        stack += one.__subclasses__()
    return list(found)
