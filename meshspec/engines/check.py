"""check: everything that can be said of a model by default, one answer for each property.

Explores the scope, looks for runs on which what must come about does not, and proves for every size what it can; a
property's answer is the strongest that any engine reached, VIOLATED if one refutes it. A model that claims nothing is
VACUOUS.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import attrs

from meshspec.answer import Answer, Finding, Strength, demand, overall
from meshspec.display import Shown
from meshspec.engines.limits import INTERRUPTED, Driving, Limits, Options
from meshspec.errors import UsageError
from meshspec.lang.declare import declared, is_model
from meshspec.lang.lift import LiftedModel
from meshspec.lang.places import where_is
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

ENGINES = ("drive", "explore", "live", "prove", "simulate")
DEFAULT_ENGINES = ("explore", "live", "prove")
PROMISES = ("always", "sometimes", "eventually", "terminal")
DEFAULT_SIZE = 2
SOMETHING = "it claims something"


@attrs.frozen
class Answered(Shown):
    """A property's one answer, and what each engine said of it."""

    answer: Finding
    findings: tuple[Finding, ...]


@attrs.frozen
class Settings:
    """What a run of engines is told: bounds, the seed of the random walks, and the strength required.

    ``options`` are by what means `explore` goes, ``mutants`` how many small changes are tried beside the engines,
    ``driving`` is what `drive` is told.
    """

    limits: Limits = attrs.field(factory=Limits)
    seed: int = 0
    walks: int = 200
    steps: int = 100
    require: Strength | None = None
    options: Options = attrs.field(factory=Options)
    mutants: int = 0
    driving: Driving = attrs.field(factory=Driving)


def check(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    engines: Collection[str] = DEFAULT_ENGINES,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> list[Answered]:
    """Run the engines and combine what they say; raises :class:`UsageError` for an engine that is none."""
    settings = settings or Settings()
    for engine in engines:
        if engine not in ENGINES:
            raise UsageError(f"there is no engine {engine!r}; the engines are {', '.join(ENGINES)}")
    findings: list[Finding] = []
    waits = any(lifted.method.kind == "eventually" for lifted in model.claims)
    for engine in dict.fromkeys(engines):
        if engine == "live" and not waits and set(engines) != {"live"}:
            continue  # asked alone, it says itself that there is nothing to ask
        try:
            findings += _run(engine, model, sizes, settings, progress)
        except KeyboardInterrupt:
            findings.append(interrupted(model.name, engine))
        if was_interrupted(findings):
            break
    if not any(lifted.method.kind in PROMISES for lifted in model.claims):
        findings.append(_claims_nothing(model))
    return combined(findings, settings.require)


def _run(
    engine: str, model: LiftedModel, sizes: Mapping[type[Sort], int], settings: Settings, progress: Progress
) -> list[Finding]:
    """One engine; only those that are asked for are imported, which is most of the time that a command takes."""
    if engine == "explore":
        from meshspec.engines.explore import explore

        return explore(model, sizes, settings.limits, progress, settings.options)
    if engine == "live":
        from meshspec.engines.live import live

        return live(model, sizes, settings.limits, progress)
    if engine == "prove":
        from meshspec.engines.prove import prove

        return prove(model, progress=progress)
    if engine == "drive":
        from meshspec.engines.drive import drive

        told = attrs.asdict(settings.driving, recurse=False)
        return drive(model, sizes, seed=settings.seed, progress=progress, **told)
    from meshspec.engines.simulate import simulate

    return simulate(model, sizes, walks=settings.walks, steps=settings.steps, seed=settings.seed, progress=progress)


def interrupted(name: str, engine: str) -> Finding:
    """That the user ended a check before its end: it may not count as a success, whatever held until then."""
    return Finding(
        name,
        "the check ran to its end",
        Answer.UNDETERMINED,
        engine,
        kind="check",
        reason=INTERRUPTED,
        settles="letting it run to its end",
        facts={"cut": INTERRUPTED},
    )


def was_interrupted(findings: Iterable[Finding]) -> bool:
    return any(finding.facts.get("cut") == INTERRUPTED for finding in findings)


def _claims_nothing(model: LiftedModel) -> Finding:
    kinds = ", ".join(f"@{kind}" for kind in PROMISES)
    return Finding(
        model.name,
        SOMETHING,
        Answer.VACUOUS,
        "check",
        kind="check",
        reason=f"the model has no claim (none of {kinds}): nothing was promised, so nothing was checked",
        settles="a claim; a lemma is none, and a method without a mark is never read",
        where=str(where_is(model.declared.cls)),
    )


def combined(findings: list[Finding], require: Strength | None = None) -> list[Answered]:
    """One answer a property, in the order in which the properties first appear.

    What must come about only `live` can say: where it spoke, that the others could not is no part of the answer.
    """
    waited_for = {finding.property for finding in findings if finding.engine == "live"}
    findings = [f for f in findings if f.engine == "live" or f.kind != "eventually" or f.property not in waited_for]
    by_property: dict[str, list[Finding]] = {}
    for finding in findings:
        by_property.setdefault(finding.property, []).append(finding)
    answered: list[Answered] = []
    for said in by_property.values():
        best = overall(said)
        asked = demand(best, require)
        weak = next((f for f in said if f.answer is Answer.UNDETERMINED), None)
        if asked is not best and weak is not None:
            asked = attrs.evolve(asked, reason=f"{asked.reason}; {weak.engine}: {weak.reason}", settles=weak.settles)
        answered.append(Answered(asked, tuple(said)))
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
        if is_model(one) and declared(one).cls is one:  # what lifting makes of a class is no incident of it
            found[one] = None
        stack += one.__subclasses__()
    return list(found)
