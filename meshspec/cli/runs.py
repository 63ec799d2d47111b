"""What the commands do: run the engines on targets, print what they say, write the report, give the exit code."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from meshspec.answer import Answer, Finding, demand, exit_code
from meshspec.backends.certificate import certified
from meshspec.cli.targets import Target, resolve_all, shipped_evidence, shipped_modules
from meshspec.engines.check import (
    DEFAULT_ENGINES,
    ENGINES,
    Answered,
    Settings,
    check,
    combined,
    incidents_of,
    interrupted,
    scope_of,
    was_interrupted,
    without,
)
from meshspec.engines.limits import Options
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.evidence import Evidence
from meshspec.lang.lift import LiftedModel
from meshspec.progress import on_terminal
from meshspec.report import json as json_report
from meshspec.report import text
from meshspec.sorts import Sort

if TYPE_CHECKING:
    from meshspec.roles.breaker import Bound
    from meshspec.roles.record import Record

UNEXAMINED = "refutability not examined by incidents: the model has none"
UNTRIED = "refutability not examined by incidents: that {} break what they should is for evidence to state"
VACUITY = "vacuity not examined: only explore looks for what is never tried"

SHORT = 1  # with nothing asked for, stories with prefixes of at most one step: a minute instead of many

BUG = 70


@attrs.define
class Report:
    """What a command has to say, printed as it comes and written at the end."""

    seed: int = 0
    json: Path | None = None
    allow_undetermined: bool = False
    answered: list[Answered] = attrs.field(factory=list[Answered])
    notes: list[str] = attrs.field(factory=list[str])
    bugs: list[str] = attrs.field(factory=list[str])

    def __attrs_post_init__(self) -> None:
        if self.json is not None:
            json_report.refuse_unwritable(self.json)

    @property
    def width(self) -> int:
        return min(max(shutil.get_terminal_size((text.WIDTH, 24)).columns, 60), 120)

    def say(self, line: str = "") -> None:
        """One line of text, in whatever encoding standard output has; nothing in it is for the terminal to obey."""
        encoding = sys.stdout.encoding or "ascii"
        try:
            print(text.clean(line).encode(encoding, "backslashreplace").decode(encoding), flush=True)
        except BrokenPipeError:  # the reader went away (`| head`): go on only where a report is still awaited
            if self.json is None:
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def note(self, line: str) -> None:
        self.notes.append(line)
        for part in text.paragraph(line, self.width - 2):
            self.say(f"  {part}")

    def bug(self, line: str) -> None:
        """Two of our own engines contradict each other: exit 70, whatever else is found."""
        self.bugs.append(line)
        self.note(f"BUG of meshspec: {line}")

    def undone(self, name: str, engine: str) -> None:
        """A target that was not checked to its end, because the user ended the run."""
        self.show([Answered(finding, (finding,)) for finding in [interrupted(name, engine)]])

    def show(self, answered: Sequence[Answered]) -> None:
        self.answered += answered
        column = min(max((len(one.answer.property) for one in answered), default=0), 34)
        for one in answered:
            for line in text.lines_of(one, self.width - 2, column):
                self.say(f"  {line}")
        for line in text.proof_lines(answered, self.width - 2):
            self.say(f"  {line}")

    def end(self, again: str = "") -> int:
        """The last lines, the JSON file, and the exit code."""
        answers = [one.answer for one in self.answered]
        code = exit_code((a.answer for a in answers), allow_undetermined=self.allow_undetermined)
        code = BUG if self.bugs else code
        self.say()
        self.say(f"{text.summary(answers)}; seed {self.seed}; exit {code}")
        if again:
            self.say(f"again: {again}")
        if self.json is not None:
            made = json_report.report_object(
                self.answered, seed=self.seed, exit_code=code, notes=self.notes, again=again
            )
            json_report.write(self.json, made)
        return code


def check_models(
    targets: Sequence[str],
    sizes: Mapping[str, int],
    engines: Sequence[str],
    faults_taken: Sequence[str],
    settings: Settings,
    report: Report,
) -> int:
    """Check each target and print its properties; all targets are resolved before anything runs."""
    resolved = resolve_all(targets)
    lifted = [without(certified(target.model), faults_taken) for target in resolved]
    for model in lifted:
        scope_of(model, sizes)
    for target, model in zip(resolved, lifted, strict=True):
        if was_interrupted(one.answer for one in report.answered):
            report.say(text.clean(target.name))
            report.undone(model.name, engines[0])
            continue
        try:
            _check_model(target, model, sizes, engines, faults_taken, settings, report)
        except KeyboardInterrupt:
            report.undone(model.name, engines[0])
    return report.end()


def _command(target: Target, scope: Mapping[str, int], engine: str, settings: Settings, taken: Sequence[str]) -> str:
    words = ["meshspec", engine, target.name]
    if scope and engine != "prove":
        words += ["--scope", text.scope_text(scope)]
    words += ["--without", ",".join(taken)] if taken else []
    usual = Settings()
    if engine in ("explore", "live"):
        asked, default = settings.limits, usual.limits
        words += ["--max-states", str(asked.max_states)] if asked.max_states != default.max_states else []
        words += ["--max-memory", str(asked.max_memory)] if asked.max_memory != default.max_memory else []
    if engine == "explore":
        words += _options(settings.options)
    if engine == "simulate":
        words += ["--seed", str(settings.seed)]
        words += ["--walks", str(settings.walks)] if settings.walks != usual.walks else []
        words += ["--steps", str(settings.steps)] if settings.steps != usual.steps else []
    return shlex.join(words)


def _options(asked: Options) -> list[str]:
    words = ["--symmetry", "off"] if not asked.symmetry else []
    words += ["--space", asked.space] if asked.space is not None else []
    words += ["--workers", str(asked.workers)] if asked.workers > 1 else []
    words += ["--counterexamples", str(asked.counterexamples)] if asked.counterexamples > 1 else []
    return words + (["--partial-order"] if asked.partial_order else [])


def _check_model(
    target: Target,
    model: LiftedModel,
    sizes: Mapping[str, int],
    engines: Sequence[str],
    faults_taken: Sequence[str],
    settings: Settings,
    report: Report,
) -> None:
    scope = scope_of(model, sizes)
    try:
        answered = check(model, scope, engines, settings, on_terminal())
    except Disagreement as bug:
        report.say(text.clean(target.name))
        report.bug(str(bug))
        return
    named = {sort.__name__: size for sort, size in scope.items()}
    answered = [_with_replay(one, target, named, settings, faults_taken) for one in answered]
    heading(target.name if target.name == model.name else f"{model.name} ({target.name})", answered, named, report)
    if faults_taken:
        report.note(f"without {', '.join(faults_taken)}: what holds was not tried against it")
    report.show(answered)
    for one in answered:
        if one.answer.answer is not Answer.HOLDS and one.answer.replay:
            report.say(f"  replay {one.answer.property}: {one.answer.replay}")
    if "explore" not in engines:
        report.note(VACUITY)
    for name, where in model.unread:
        report.note(f"not read: {name} ({where}) has no mark, and nothing calls it")
    incidents = incidents_of(target.cls)
    if not incidents:
        report.note(UNEXAMINED)
    elif all(held.model is not target.cls for held in shipped_evidence().values()):
        report.note(UNTRIED.format(", ".join(incident.__name__ for incident in incidents)))
    if settings.mutants and not was_interrupted(one.answer for one in answered):
        report.note(_refutability(target, model, scope, answered, settings))


def _refutability(
    target: Target,
    model: LiftedModel,
    scope: Mapping[type[Sort], int],
    answered: Sequence[Answered],
    settings: Settings,
) -> str:
    """What a few small changes of the model come to, in one line."""
    from meshspec.engines.mutate import capped  # reads sources, which only a whole check does

    base = [finding for one in answered for finding in one.findings if finding.engine == "explore"]
    sizes = text.scope_text({sort.__name__: size for sort, size in scope.items()})
    name = shlex.join([target.name, *(["--scope", sizes] if sizes else [])])
    limits, cap, seed = settings.limits, settings.mutants, settings.seed
    return capped(model, scope, limits, name=name, base=base, cap=cap, seed=seed).line


def _with_replay(
    one: Answered, target: Target, scope: Mapping[str, int], settings: Settings, taken: Sequence[str]
) -> Answered:
    def commanded(finding: Finding) -> Finding:
        engine = finding.engine if finding.engine in ENGINES else "check"
        if finding.kind == "eventually" and finding.answer is Answer.UNDETERMINED and not finding.facts.get("cut"):
            engine = "live"  # the others do not answer it
        return attrs.evolve(finding, replay=_command(target, scope, engine, settings, taken))

    return Answered(commanded(one.answer), tuple(commanded(f) for f in one.findings))


def heading(name: str, answered: Sequence[Answered], scope: Mapping[str, int], report: Report) -> None:
    """The name of what is checked, and what was seen of it on the whole."""
    findings = [finding for one in answered for finding in one.findings]
    explored = text.seen_line(findings)
    where = f"scope {text.scope_text(scope)}: " if scope and explored else ""
    for line in text.paragraph(name + (f"  [{where}{explored}]" if explored else ""), report.width):
        report.say(line)
    if stuck := text.deadlock_line(findings):
        for line in text.paragraph(stuck, report.width - 2):
            report.say(f"  {line}")
    for means in text.means_lines(findings):
        for line in text.paragraph(means, report.width - 2):
            report.say(f"  {line}")


# -- everything shipped ----------------------------------------------------------------------------------------


def check_shipped(settings: Settings, report: Report) -> int:
    """Check every shipped model with its incidents and evidence, and judge every shipped policy."""
    for held in shipped_evidence().values():
        _check_evidence(held, attrs.evolve(settings, mutants=0), report)  # a line of evidence tries all of them
    _judge_shipped(settings, report)
    return report.end("meshspec check")


def _check_evidence(held: Evidence, settings: Settings, report: Report) -> None:
    from meshspec.claims import unknown_names
    from meshspec.engines.confirm import Confirmation

    confirmation = Confirmation(held, unknown_names, settings.limits)
    name = held.model.__name__
    target = Target(name, held.model)
    _check_model(target, confirmation.model, _names(held), DEFAULT_ENGINES, (), settings, report)
    for incident in confirmation.incidents:
        listed = next(claim for claim, promise in held.promises.items() if incident in promise.refuted_by)
        report.say()
        told = f"{incident.__name__}, an incident of {name}: {first_line(incident)}".removesuffix(": ")
        finding = confirmation.finding(incident, listed)
        for line in text.paragraph(told, report.width):
            report.say(line)
        for line in text.lines_of(Answered(finding, (finding,)), report.width - 2):
            report.say(f"  {line}")
        report.say(f"  replay {listed}: {_again(incident.__name__, held, settings)}")
    report.say()
    report.say(f"{name}: the evidence, line by line")
    lines = [line.confirm() for line in confirmation.lines()]
    stories = {str(f.facts["incident"]) for f in lines if "incident" in f.facts}
    again = {incident: _again(incident, held, settings) for incident in stories}
    report.show(combined([attrs.evolve(f, replay=again.get(str(f.facts.get("incident")), "")) for f in lines]))
    report.say()


def _again(incident: str, held: Evidence, settings: Settings) -> str:
    return _command(Target(incident, held.model), _names(held), "explore", settings, ())


def _names(held: Evidence) -> dict[str, int]:
    return {sort.__name__: size for sort, size in held.scope.items()}


def first_line(cls: type) -> str:
    """What a model's docstring opens with; empty without one."""
    return (cls.__doc__ or "").strip().partition("\n")[0]


def _judge_shipped(settings: Settings, report: Report) -> None:
    """Judge every shipped adapter on the shorter stories, and hold what it does against what is on record."""
    from meshspec.adapters import judge
    from meshspec.roles.breaker import Bound
    from meshspec.roles.record import compare

    for record in shipped_records():
        report.say(f"{record.package}, judged as a breaker (prefixes of at most {SHORT} step)")
        findings = judge(record.adapter, seed=settings.seed, bound=Bound(prefix=SHORT), progress=on_terminal())
        for finding in findings:
            if finding.answer is not Answer.HOLDS and finding.kind == "obligation":
                _show_obligation(finding, report)
        report.show(combined(compare(record, findings)))
        report.say(f"  every story: meshspec check {record.adapter} --role breaker")
        report.say()


@attrs.frozen
class Judging:
    """How policies are to be judged: the role, a package they need, which stories, how long each may take."""

    role: str
    package: str | None
    bound: Bound
    story_limit: float


def judge_policies(targets: Sequence[str], asked: Judging, settings: Settings, report: Report) -> int:
    """Judge policies in a role, one after the other, each on all its stories."""
    if not targets:
        raise UsageError("--role needs a policy: module:attr, path.py:attr, or a name from `meshspec list`")
    for target in targets:
        report.say(f"{target}, judged as a {asked.role} (prefixes of at most {asked.bound.prefix} steps)")
        findings = _judged(target, asked, settings)
        for finding in findings:
            answer = demand(finding, settings.require)
            report.answered.append(Answered(answer, (finding,)))
            _show_obligation(answer, report)
        if printed := findings[0].facts.get("printed"):
            report.note(f"it printed {findings[0].facts['printed bytes']:,} bytes, kept apart: {printed!r}")
    return report.end()


def _judged(target: str, asked: Judging, settings: Settings) -> list[Finding]:
    from meshspec.adapters import judge

    try:
        return judge(
            target,
            role=asked.role,
            package=asked.package,
            seed=settings.seed,
            time_limit_per_story=asked.story_limit,
            bound=asked.bound,
            progress=on_terminal(),
        )
    except KeyboardInterrupt:
        reason, settles = "interrupted", "the same command, left to its end"
        return [Finding(target, "judged", Answer.UNDETERMINED, "judge", kind="check", reason=reason, settles=settles)]


def _show_obligation(finding: Finding, report: Report) -> None:
    for line in text.lines_of(Answered(finding, (finding,)), report.width - 2):
        report.say(f"  {line}")
    for line in text.story_lines(finding, report.width - 2):
        report.say(f"  {line}")


def shipped_records() -> list[Record]:
    """What is on record of packages, from ``meshspec.properties``."""
    return [record for module in shipped_modules("properties") for record in getattr(module, "RECORDS", ())]


def list_policies(report: Report) -> None:
    """The policies that can be judged by name."""
    from meshspec.adapters import adapters

    report.say("policies (--role breaker):")
    for name, info in adapters().items():
        report.say(f"  {name:<24} {info.package}")
