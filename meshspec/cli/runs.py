"""What the commands do: run the engines on targets, print what they say, write the report, give the exit code."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from meshspec.answer import Answer, Finding, exit_code
from meshspec.backends.certificate import certified
from meshspec.cli.targets import Target, resolve, shipped_evidence
from meshspec.engines.check import Answered, Settings, check, combined, incidents_of, scope_of, without
from meshspec.engines.confirm import Confirmation
from meshspec.lang.evidence import Evidence
from meshspec.lang.lift import LiftedModel
from meshspec.progress import on_terminal
from meshspec.report import json as json_report
from meshspec.report import text

UNEXAMINED = "refutability not examined: the model has no incident, so nothing shows that its claims can fail"


@attrs.define
class Report:
    """What a command has to say, printed as it comes and written at the end."""

    seed: int = 0
    json: Path | None = None
    allow_undetermined: bool = False
    answered: list[Answered] = attrs.field(factory=list)
    notes: list[str] = attrs.field(factory=list)

    @property
    def width(self) -> int:
        return min(max(shutil.get_terminal_size((text.WIDTH, 24)).columns, 60), 120)

    def say(self, line: str = "") -> None:
        """One line of text, in whatever encoding standard output has."""
        encoding = sys.stdout.encoding or "ascii"
        print(line.encode(encoding, "backslashreplace").decode(encoding))

    def note(self, line: str) -> None:
        self.notes.append(line)
        self.say(f"  {text.clean(line)}")

    def show(self, answered: Sequence[Answered]) -> None:
        self.answered += answered
        for one in answered:
            for line in text.lines_of(one, self.width - 2):
                self.say(f"  {line}")

    def end(self, again: str = "") -> int:
        """The last lines, the JSON file, and the exit code."""
        answers = [one.answer for one in self.answered]
        code = exit_code((a.answer for a in answers), allow_undetermined=self.allow_undetermined)
        self.say()
        self.say(f"{text.summary(answers)}; seed {self.seed}; exit {code}")
        if again:
            self.say(f"again: {again}")
        if self.json is not None:
            made = json_report.report_object(self.answered, seed=self.seed, exit_code=code, notes=self.notes)
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
    resolved = [resolve(target) for target in targets]
    lifted = [without(certified(target.model), faults_taken) for target in resolved]
    for target, model in zip(resolved, lifted, strict=True):
        _check_model(target, model, sizes, engines, faults_taken, settings, report)
    return report.end()


def _command(target: Target, scope: Mapping[str, int], engine: str, seed: int, taken: Sequence[str]) -> str:
    words = ["meshspec", engine, target.name]
    if scope and engine != "prove":
        words += ["--scope", text.scope_text(scope)]
    words += ["--without", *taken] if taken else []
    words += ["--seed", str(seed)] if engine == "simulate" else []
    return " ".join(words)


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
    answered = check(model, scope, engines, settings, on_terminal())
    named = {sort.__name__: size for sort, size in scope.items()}
    answered = [_with_replay(one, target, named, settings.seed, faults_taken) for one in answered]
    heading(target.name if target.name == model.name else f"{model.name} ({target.name})", answered, named, report)
    if faults_taken:
        report.note(f"without {', '.join(faults_taken)}: what holds was not tried against it")
    report.show(answered)
    for one in answered:
        if one.answer.answer is not Answer.HOLDS and one.answer.replay:
            report.say(f"  replay {one.answer.property}: {one.answer.replay}")
    if not incidents_of(target.cls):
        report.note(UNEXAMINED)


def _with_replay(
    one: Answered, target: Target, scope: Mapping[str, int], seed: int, taken: Sequence[str]
) -> Answered:
    def commanded(finding: Finding) -> Finding:
        return attrs.evolve(finding, replay=_command(target, scope, finding.engine, seed, taken))

    return Answered(commanded(one.answer), tuple(commanded(f) for f in one.findings))


def heading(name: str, answered: Sequence[Answered], scope: Mapping[str, int], report: Report) -> None:
    """The name of what is checked, and what was seen of it on the whole."""
    explored = text.deadlock_line(finding for one in answered for finding in one.findings)
    where = f"scope {text.scope_text(scope)}: " if scope and explored else ""
    report.say(f"{text.clean(name)}" + (f"  [{where}{explored}]" if explored else ""))


# -- everything shipped ----------------------------------------------------------------------------------------


def check_shipped(settings: Settings, report: Report) -> int:
    """Check every shipped model with its incidents and evidence, and judge every shipped policy."""
    for held in shipped_evidence().values():
        _check_evidence(held, settings, report)
    _judge_shipped(settings, report)
    return report.end("meshspec check")


def _check_evidence(held: Evidence, settings: Settings, report: Report) -> None:
    confirmation = Confirmation(held, settings.limits)
    name = held.model.__name__
    target = Target(name, held.model)
    _check_model(target, confirmation.model, _names(held), ("explore", "prove"), (), settings, report)
    for incident in confirmation.incidents:
        listed = [claim for claim, promise in held.promises.items() if incident in promise.refuted_by]
        report.say()
        report.say(f"{incident.__name__}, an incident of {name}: {_first_line(incident)}")
        for finding in confirmation.explored(incident):
            if finding.property == listed[0]:
                for line in text.lines_of(Answered(finding, (finding,)), report.width - 2):
                    report.say(f"  {line}")
    report.say()
    report.say(f"{name}: the evidence, line by line")
    report.show(combined([line.confirm() for line in confirmation.lines()]))
    report.say()


def _names(held: Evidence) -> dict[str, int]:
    return {sort.__name__: size for sort, size in held.scope.items()}


def _first_line(cls: type) -> str:
    return (cls.__doc__ or "").strip().splitlines()[0]


def _judge_shipped(settings: Settings, report: Report) -> None:
    """Nothing yet."""


def judge_policies(targets: Sequence[str], role: str, package: str | None, settings: Settings, report: Report) -> int:
    """Judge policies in a role."""
    raise NotImplementedError


def list_policies() -> None:
    """The policies that can be judged by name."""
