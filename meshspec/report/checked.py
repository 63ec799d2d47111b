"""A model, checked: what every door shows of it, so that the same failure reads the same and is replayed the same.

The command line prints it, pytest fails with it, a notebook displays it.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs

from meshspec.answer import Answer, Counterexample, Finding
from meshspec.backends.certificate import certified
from meshspec.display import Shown
from meshspec.engines.check import (
    DEFAULT_ENGINES,
    ENGINES,
    Answered,
    Settings,
    check,
    incidents_of,
    interrupted,
    scope_of,
    was_interrupted,
)
from meshspec.engines.check import without as less_faults
from meshspec.engines.explore import ENDS
from meshspec.engines.limits import Options
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.fences import watching
from meshspec.lang.lift import LiftedModel
from meshspec.progress import Progress, silent
from meshspec.report import text
from meshspec.report.words import claims_said
from meshspec.report.wrap import cells
from meshspec.sorts import Sort
from meshspec.targets import Target, shipped_evidence, target_of, usual_sizes

UNEXAMINED = "refutability not examined by incidents: the model has none"
UNTRIED = "refutability not examined by incidents: that {} break what they should is for evidence to state"
LONGEST_CLAIM = 400  # characters of a claim that a report quotes; of a longer one it has a digest
VACUITY = "vacuity not examined: only explore looks for what is never tried"


@attrs.frozen(eq=False)
class Asked:
    """A question about a model: which engines, in which scope, how, and with which faults taken away."""

    target: Target
    model: LiftedModel
    sizes: Mapping[type[Sort], int]
    engines: tuple[str, ...] = DEFAULT_ENGINES
    settings: Settings = attrs.field(factory=Settings)
    taken: tuple[str, ...] = ()

    @property
    def scope(self) -> dict[str, int]:
        return {sort.__name__: size for sort, size in self.sizes.items()}

    @property
    def title(self) -> str:
        """The model's name, and where it is reached if that says more."""
        name, called = self.model.name, self.target.name
        return name if called in ("", name) else f"{name} ({called})"


@attrs.frozen(eq=False)
class Checked(Shown):
    """What was answered of a model.

    Attributes:
        answered: one answer a property, each finding with the command that shows it again.
        notes: lines that belong below the properties: what was not examined, what was not read.
        bug: how two of our own engines contradict each other; nothing else is answered then.
        fences: which were up around the author's code, which down, and what is not observed; empty where whoever
            asked put them up.
    """

    asked: Asked
    answered: tuple[Answered, ...] = ()
    notes: tuple[str, ...] = ()
    bug: str = ""
    fences: tuple[str, ...] = ()

    @property
    def target(self) -> Target:
        return self.asked.target

    @property
    def model(self) -> LiftedModel:
        return self.asked.model

    @property
    def scope(self) -> dict[str, int]:
        return self.asked.scope

    @cached_property
    def _by_name(self) -> dict[str, Answered]:
        return {one.answer.property: one for one in self.answered}

    def of(self, property: str) -> Answered:
        """The answer of one property; raises :class:`UsageError` for one that was not asked about."""
        if property not in self._by_name:
            raise UsageError(f"{self.model.name} has no property {property!r}; it has {', '.join(self._by_name)}")
        return self._by_name[property]

    @property
    def told(self) -> list[str]:
        """Every note, that of a bug and of faults taken away included."""
        bug = [f"BUG of meshspec: {self.bug}"] if self.bug else []
        return [*bug, *taken_notes(self.asked.taken), *self.notes]

    def lines(self, width: int = text.WIDTH) -> list[str]:
        """All of it as the command line prints it, at most `width` columns wide."""
        lines = heading_lines(self.asked.title, self.answered, self.scope, width)
        if self.bug:
            return [*lines, *_inside([f"BUG of meshspec: {self.bug}"], width)]
        lines += _inside(taken_notes(self.asked.taken), width)
        lines += [f"  {line}" for line in property_lines(self.answered, width - 2)]
        lines += _inside(self.notes, width)
        return lines + [again for one in self.answered for again in replay_lines(one)]

    def argument(self, property: str, width: int = text.WIDTH) -> list[str]:
        """One property: its answer, the path that argues for it, and the command that shows it again."""
        one = self.of(property)
        return [self.asked.title, *(f"  {line}" for line in text.lines_of(one, width - 2)), *replay_lines(one)]

    def bundle(self, folder: Path | str) -> list[Path]:
        """Write a bundle for each counterexample into a folder; the files, none where nothing is refuted.

        Raises :class:`UsageError` where a file cannot be written, or is there and none of ours.
        """
        from meshspec.report.bundle import bundle_of  # which needs this file

        bundles = [bundle_of(one.answer, self.asked) for one in self.answered]
        return [path for bundle in bundles if bundle is not None for path in bundle.write(Path(folder))]


def checked(
    model: Any,
    *,
    scope: Mapping[Any, int] | None = None,
    engines: Sequence[str] = DEFAULT_ENGINES,
    settings: Settings | None = None,
    without: Sequence[str] = (),
    progress: Progress = silent,
) -> Checked:
    """Check a model: a class, an instance with its constants chosen, or a :class:`Target`.

    `scope` gives sizes by sort or by its name; where it is silent a shipped model has the sizes of its evidence, and
    any other 2. Raises :class:`UsageError` for a sort, fault or engine that there is not, and
    :class:`meshspec.errors.ModelError` for a model that cannot be read. It runs in this process, with what fences can
    stand around a call there.
    """
    with watching() as fences:
        found = ask(asked(model, scope=scope, engines=engines, settings=settings, without=without), progress)
        fences.whole()
        return attrs.evolve(found, notes=(*found.notes, *fences.notes()), fences=tuple(fences.names()))


def asked(
    model: Any,
    *,
    scope: Mapping[Any, int] | None = None,
    engines: Sequence[str] = DEFAULT_ENGINES,
    settings: Settings | None = None,
    without: Sequence[str] = (),
) -> Asked:
    """The same question, looked at but not asked yet."""
    target = model if isinstance(model, Target) else target_of(model)
    lifted = less_faults(certified(target.model), without)
    named = {key if isinstance(key, str) else key.__name__: size for key, size in (scope or {}).items()}
    sizes = scope_of(lifted, usual_sizes(lifted) | named)
    return Asked(target, lifted, sizes, tuple(engines), settings or Settings(), tuple(without))


def ask(question: Asked, progress: Progress = silent) -> Checked:
    """Run the engines and say what they found."""
    settings, model = question.settings, question.model
    try:
        answered = check(model, question.sizes, question.engines, settings, progress)
    except Disagreement as bug:
        return Checked(question, bug=str(bug))
    claims = _claims(model)
    answered = [_told(one, question, claims) for one in answered]
    notes = _notes(question)
    if settings.mutants and not was_interrupted(one.answer for one in answered):
        try:
            notes.append(_refutability(question, answered, progress))
        except KeyboardInterrupt:
            end = interrupted(model.name, "mutate")
            answered.append(Answered(end, (end,)))
    return Checked(question, tuple(answered), tuple(notes))


def _notes(question: Asked) -> list[str]:
    notes = [VACUITY] if "explore" not in question.engines else []
    for name, where in question.model.unread:
        notes.append(f"not read: {name} ({where}) has no mark, and nothing calls it")
    return notes + incident_notes(question.target)


def incident_notes(target: Target) -> list[str]:
    """Whether incidents show that the claims can fail."""
    incidents = incidents_of(target.cls)
    if not incidents:
        return [UNEXAMINED]
    if all(held.model is not target.cls for held in shipped_evidence().values()):
        return [UNTRIED.format(", ".join(incident.__name__ for incident in incidents))]
    return []


def _refutability(question: Asked, answered: Sequence[Answered], progress: Progress) -> str:
    """What a few small changes of the model come to, in one line."""
    from meshspec.engines.mutate import capped  # reads sources, which only a whole check does

    base = [finding for one in answered for finding in one.findings if finding.engine == "explore"]
    sizes, settings = text.scope_text(question.scope), question.settings
    name = shlex.join([question.target.name or question.model.name, *(["--scope", sizes] if sizes else [])])
    limits, cap, seed = settings.limits, settings.mutants, settings.seed
    sample = capped(
        question.model, question.sizes, limits, name=name, base=base, cap=cap, seed=seed, progress=progress
    )
    line = sample.line
    return line if question.target.name else line.rpartition("; ")[0]  # without a name there is no such command


def _claims(model: LiftedModel) -> dict[tuple[str, str], str]:
    """What each claim says, by the kind and the name under which it is answered: to see when that is changed."""

    def short(said: str) -> str:
        if len(said) <= LONGEST_CLAIM:
            return said
        return f"sha256:{hashlib.sha256(said.encode('utf-8', 'backslashreplace')).hexdigest()}"

    said = claims_said(model)
    return {(kind, ENDS if kind == "terminal" else name): short(told) for (kind, name), told in said.items()}


def _told(one: Answered, question: Asked, claims: Mapping[tuple[str, str], str]) -> Answered:
    """The same, with what is claimed, the command that shows each finding again, and where its steps are written."""
    places = {lifted.name: str(lifted.method.where) for lifted in question.model.actions}

    def placed(path: Counterexample) -> Counterexample:
        steps = (attrs.evolve(s, where=places.get(s.action.partition("(")[0], "")) for s in path.steps)
        return attrs.evolve(path, steps=tuple(steps))

    def told(finding: Finding) -> Finding:
        engine = finding.engine if finding.engine in ENGINES else "check"
        if finding.kind == "eventually" and finding.answer is Answer.UNDETERMINED and not finding.facts.get("cut"):
            engine = "live"  # the others do not answer it
        path = finding.counterexample
        return attrs.evolve(
            finding,
            claim=claims.get((finding.kind, finding.property), ""),
            replay=command(question, engine),
            counterexample=placed(path) if path is not None else None,
            more=tuple(placed(other) for other in finding.more),
        )

    return Answered(told(one.answer), tuple(told(f) for f in one.findings))


def command(question: Asked, engine: str) -> str:
    """What to type to have one engine asked the same again; empty for a model that no command line can name."""
    settings, usual = question.settings, Settings()
    if not question.target.name:
        return ""
    words = ["meshspec", engine, question.target.name]
    if question.scope and engine != "prove":
        words += ["--scope", text.scope_text(question.scope)]
    words += ["--without", ",".join(question.taken)] if question.taken else []
    if engine in ("explore", "live"):
        limits, default = settings.limits, usual.limits
        words += ["--max-states", str(limits.max_states)] if limits.max_states != default.max_states else []
        words += ["--max-memory", str(limits.max_memory)] if limits.max_memory != default.max_memory else []
    if engine == "explore":
        words += _options(settings.options)
    if engine == "simulate":
        words += ["--seed", str(settings.seed)]
        words += ["--walks", str(settings.walks)] if settings.walks != usual.walks else []
        words += ["--steps", str(settings.steps)] if settings.steps != usual.steps else []
    words += _driving(settings) if engine == "drive" else []
    return shlex.join(words)


def _driving(settings: Settings) -> list[str]:
    told, usual = settings.driving, Settings().driving
    words = ["--against", told.against.name] if told.against is not None else []
    if told.path is not None:
        return [*words, *(["--initial", str(told.start + 1)] if told.start else []), "--take", ",".join(told.path)]
    words += ["--seed", str(settings.seed)]
    words += ["--examples", str(told.examples)] if told.examples != usual.examples else []
    return words + (["--steps", str(told.steps)] if told.steps != usual.steps else [])


def _options(given: Options) -> list[str]:
    words = ["--symmetry", "off"] if not given.symmetry else []
    words += ["--space", given.space] if given.space is not None else []
    words += ["--workers", str(given.workers)] if given.workers > 1 else []
    words += ["--counterexamples", str(given.counterexamples)] if given.counterexamples > 1 else []
    return words + (["--partial-order"] if given.partial_order else [])


def taken_notes(taken: Sequence[str]) -> list[str]:
    return [f"without {', '.join(taken)}: what holds was not tried against it"] if taken else []


def heading_lines(title: str, answered: Sequence[Answered], scope: Mapping[str, int], width: int) -> list[str]:
    """The name of what is checked, and what was seen of it on the whole."""
    findings = [finding for one in answered for finding in one.findings]
    explored = text.seen_line(findings)
    where = f"scope {text.scope_text(scope)}: " if scope and explored else ""
    lines = text.paragraph(title + (f"  [{where}{explored}]" if explored else ""), width)
    if stuck := text.deadlock_line(findings):
        lines += _inside([stuck], width)
    return lines + _inside(text.means_lines(findings), width)


def property_lines(answered: Sequence[Answered], width: int) -> list[str]:
    """Every property with what argues for it, their names padded to one column, and what the proofs rest on."""
    column = min(max((cells(text.clean(one.answer.property)) for one in answered), default=0), 34)
    lines = [line for one in answered for line in text.lines_of(one, width, column)]
    return lines + text.proof_lines(answered, width)


def replay_lines(one: Answered) -> list[str]:
    """How to see again what does not hold; in one line however long, since it is there to be copied."""
    answer = one.answer
    if answer.answer is Answer.HOLDS or not answer.replay:
        return []
    return [f"  replay {answer.property}: {answer.replay}"]


def _inside(notes: Sequence[str], width: int) -> list[str]:
    return [f"  {part}" for note in notes for part in text.paragraph(note, width - 2)]
