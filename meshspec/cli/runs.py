"""What the commands do: run the engines on targets, print what they say, write the report, give the exit code."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import attrs

from meshspec.answer import Answer, Finding, demand, exit_code
from meshspec.cli import configured, fenced
from meshspec.cli import outputs as out
from meshspec.cli.certify import certifying
from meshspec.cli.options import NOWHERE, Outputs
from meshspec.cli.outputs import Told
from meshspec.engines.check import Answered, Settings, combined, interrupted, was_interrupted
from meshspec.errors import UsageError
from meshspec.lang.evidence import Evidence
from meshspec.progress import erase, on_terminal, showing
from meshspec.report import text
from meshspec.report.checked import Asked, Checked, ask, asked, command, property_lines
from meshspec.report.github import harmless
from meshspec.report.paint import Paint, painter
from meshspec.targets import Target, resolve_all, shipped_evidence, shipped_modules
from meshspec.waivers import Waivers

if TYPE_CHECKING:
    from meshspec.roles.record import Record

FEW = 10  # longer stories of each kind; a hundred where a policy is judged by its name
SHORT = 0  # with nothing asked for, stories without a prefix: seconds instead of minutes

BUG = 70


@attrs.define
class Report:
    """What a command has to say, printed as it comes and written at the end."""

    seed: int = 0
    outputs: Outputs = NOWHERE
    answered: list[Answered] = attrs.field(factory=list[Answered])
    asked: dict[int, Asked] = attrs.field(factory=dict[int, Asked])
    notes: list[str] = attrs.field(factory=list[str])
    bugs: list[str] = attrs.field(factory=list[str])
    paint: Paint = attrs.field(init=False, factory=lambda: painter(sys.stdout))
    waivers: Waivers = attrs.field(init=False, factory=configured.waivers)

    def __attrs_post_init__(self) -> None:
        fenced.time_limit(self.outputs.time_limit)
        out.refuse_unwritable(self.outputs)

    @property
    def width(self) -> int:
        return min(max(shutil.get_terminal_size((text.WIDTH, 24)).columns, 60), 120)

    def say(self, line: str = "", obeyed: bool = False) -> None:
        """One line of text, in whatever encoding standard output has; nothing in it is for the terminal to obey.

        Nor for the runner of GitHub Actions, unless the line is `obeyed`: a command of ours.
        """
        encoding = sys.stdout.encoding or "ascii"
        plain = text.clean(line)
        shown = (plain if obeyed else harmless(plain)).encode(encoding, "backslashreplace").decode(encoding)
        erase()
        try:
            print(self.paint(shown), flush=True)
        except BrokenPipeError:  # the reader went away (`| head`): go on only where a report is still awaited
            if not out.awaited(self.outputs):
                raise
            fenced.write_no_more()

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

    def show(self, answered: Sequence[Answered], question: Asked | None = None) -> None:
        """Properties; with the question that they answer, their counterexamples can be written as bundles."""
        for line in property_lines(self.hold(answered, question), self.width - 2):
            self.say(f"  {line}")

    def hold(self, answered: Sequence[Answered], question: Asked | None = None) -> list[Answered]:
        """Keep answers for the end, without a line; gives them back with the waivers that there are for them."""
        waived = self.waivers.apply(answered)
        for one in waived:
            if question is not None:
                self.asked[len(self.answered)] = question
            self.answered.append(one)
        fenced.said(one.answer for one in self.answered)
        return waived

    def tell(self, one: Checked) -> None:
        """All that was answered of a model."""
        one = attrs.evolve(one, answered=tuple(self.hold(one.answered, one.asked)))
        self.notes += one.told
        self.bugs += [one.bug] if one.bug else []
        for line in one.lines(self.width):
            self.say(line)

    def end(self, again: str = "") -> int:
        """The files that were asked for, the last lines, and the exit code."""
        if outlived := self.waivers.last():
            self.show(outlived)
        settings = [*filter(None, [configured.told()]), *configured.unused()]
        for line in (*fenced.notes(), *self.waivers.notes(), *settings):
            self.note(line)
        answers = [one.answer for one in self.answered]
        code = exit_code(answers, allow_undetermined=self.outputs.allow_undetermined)
        code = BUG if self.bugs else code
        told = Told(
            self.answered, self.asked, self.seed, code, self.notes, again, fenced.names(), self.waivers.records()
        )
        for line in out.write(self.outputs, told):
            self.say(line, obeyed=line.startswith("::"))
        for line in text.paragraph(fenced.line(), self.width):
            self.say(line)
        self.say()
        self.say(f"{text.summary(answers)}; seed {self.seed}; exit {code}")
        if again:
            self.say(f"again: {again}")
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
    questions: list[Asked] = []
    for target in resolve_all(targets):
        with showing(certifying(target.model)):
            question = asked(target, scope=sizes, engines=engines, settings=settings, without=faults_taken)
            questions.append(configured.applied(question, sizes))
    for question in questions:
        if was_interrupted(one.answer for one in report.answered):
            report.say(text.clean(question.target.name))
            report.undone(question.model.name, engines[0])
            continue
        try:
            report.tell(ask(question, on_terminal()))
        except KeyboardInterrupt:
            report.undone(question.model.name, engines[0])
    return report.end()


# -- everything shipped ----------------------------------------------------------------------------------------


def check_shipped(settings: Settings, report: Report) -> int:
    """Check every shipped model with its incidents and evidence, and judge every shipped policy."""
    try:
        for held in shipped_evidence().values():
            _check_evidence(held, attrs.evolve(settings, mutants=0), report)  # a line of evidence tries all of them
            if was_interrupted(one.answer for one in report.answered):
                raise KeyboardInterrupt
        _judge_shipped(settings, report)
    except KeyboardInterrupt:
        report.undone("everything shipped", "check")
    return report.end("meshspec check")


def _check_evidence(held: Evidence, settings: Settings, report: Report) -> None:
    from meshspec.claims import unknown_names
    from meshspec.engines.confirm import Confirmation

    confirmation = Confirmation(held, unknown_names, settings.limits)
    name = held.model.__name__
    target = Target(name, held.model)
    question = Asked(target, confirmation.model, held.scope, settings=settings)
    report.tell(ask(question, on_terminal()))
    if was_interrupted(one.answer for one in report.answered):
        return
    for incident in confirmation.incidents:
        listed = next(claim for claim, promise in held.promises.items() if incident in promise.refuted_by)
        report.say()
        told = f"{incident.__name__}, an incident of {name}: {first_line(incident)}".removesuffix(": ")
        with showing(f"evidence {name}: {incident.__name__}"):
            finding = confirmation.finding(incident, listed)
        for line in text.paragraph(told, report.width):
            report.say(line)
        for line in text.lines_of(Answered(finding, (finding,)), report.width - 2):
            report.say(f"  {line}")
        report.say(f"  replay {listed}: {_again(incident.__name__, question)}")
    report.say()
    report.say(f"{name}: the evidence, line by line")
    lines: list[Finding] = []
    for stated in confirmation.lines():
        with showing(f"evidence {name}: {stated.id}"):
            lines.append(stated.confirm())
    stories = {str(f.facts["incident"]) for f in lines if "incident" in f.facts}
    again = {incident: _again(incident, question) for incident in stories}
    report.show(combined([attrs.evolve(f, replay=again.get(str(f.facts.get("incident")), "")) for f in lines]))
    report.say()


def _again(incident: str, question: Asked) -> str:
    return command(attrs.evolve(question, target=Target(incident, question.target.model)), "explore")


def first_line(cls: type) -> str:
    """What a model's docstring opens with; empty without one."""
    return (cls.__doc__ or "").strip().partition("\n")[0]


def _judge_shipped(settings: Settings, report: Report) -> None:
    """Judge every shipped adapter, a breaker on the shorter stories, and hold what it does against the record."""
    from meshspec.adapters import judge
    from meshspec.roles.record import compare

    for record in shipped_records():
        asked = Judging(record.role, None, SHORT if record.role == "breaker" else None)
        report.say(f"{record.package}, {asked.told}")
        more: dict[str, Any] = {**asked.more, **({"walk": FEW} if record.role == "breaker" else {})}
        findings = judge(record.adapter, role=record.role, seed=settings.seed, progress=on_terminal(), **more)
        for finding in findings:
            if finding.answer is not Answer.HOLDS and finding.kind == "obligation":
                _show_obligation(finding, report)
        if was_interrupted(findings):
            report.show(combined(findings))
            raise KeyboardInterrupt
        report.show(combined(compare(record, findings)))
        all_of_it = "every story" if record.role == "breaker" else "all that it owes"
        report.say(f"  {all_of_it}: meshspec check {record.adapter} --role {record.role}")
        report.say()


@attrs.frozen
class Judging:
    """How policies are to be judged: the role, a package they need, which stories, how long each may take.

    ``prefix`` is of a breaker's stories; where ``promises``, only what a policy promises itself is asked.
    """

    role: str
    package: str | None
    prefix: int | None
    story_limit: float = 10.0
    promises: bool = False

    @property
    def told(self) -> str:
        """How it is judged, in words."""
        from meshspec.roles.known import role_of

        if self.role != "breaker":
            return f"judged as {role_of(self.role).a}"
        steps = 3 if self.prefix is None else self.prefix
        return f"judged as a breaker (prefixes of at most {steps} steps)"

    @property
    def more(self) -> dict[str, Any]:
        """What the role has of its own."""
        from meshspec.roles.breaker import Bound

        if self.role != "breaker":
            return {}
        return {"bound": Bound() if self.prefix is None else Bound(prefix=self.prefix)}


def judge_policies(targets: Sequence[str], asked: Judging, settings: Settings, report: Report) -> int:
    """Judge policies in a role, one after the other, each on all that it is asked there."""
    from meshspec.adapters import narrowed

    if not targets:
        raise UsageError("--role needs a policy: module:attr, path.py:attr, or a name from `meshspec list`")
    left_out = {target: narrowed(target, asked.role, asked.package)[1] for target in targets if asked.promises}
    for target in targets:
        report.say(f"{target}, {asked.told}")
        if was_interrupted(one.answer for one in report.answered):
            report.undone(target, "judge")
            continue
        findings = _judged(target, asked, settings)
        for finding in findings:
            if asked.promises and finding.replay:
                finding = attrs.evolve(finding, replay=f"{finding.replay} --promises")
            answer = demand(finding, settings.require)
            for one in report.hold([Answered(answer, (finding,))]):
                _show_obligation(one.answer, report)
        facts = findings[0].facts
        if left_out.get(target):
            names = ", ".join(left_out[target])
            report.note(f"not asked, since it does not promise them: {names} (all is asked without --promises)")
        elif asked.promises:
            report.note("it promises all that is owed, and all of it was asked")
        for line in cast("Sequence[str]", facts.get("not asked", ())):
            report.note(f"not asked: {line}")
        if printed := facts.get("printed"):
            report.note(f"it printed {facts['printed bytes']:,} bytes, kept apart: {printed!r}")
        for line in fenced.judged(facts):
            report.note(line)
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
            only_promised=asked.promises,
            progress=on_terminal(),
            **asked.more,
        )
    except KeyboardInterrupt:
        reason, settles = "interrupted", "the same command, left to its end"
        undone = Finding(target, "judged", Answer.UNDETERMINED, "judge", kind="check", reason=reason, settles=settles)
        return [attrs.evolve(undone, facts={"cut": reason})]  # before anything was asked


def _show_obligation(finding: Finding, report: Report) -> None:
    for line in text.lines_of(Answered(finding, (finding,)), report.width - 2):
        report.say(f"  {line}")
    for line in text.story_lines(finding, report.width - 2):
        report.say(f"  {line}")


def shipped_records() -> list[Record]:
    """What is on record of packages, from ``meshspec.properties``."""
    return [record for module in shipped_modules("properties") for record in getattr(module, "RECORDS", ())]


def list_policies(report: Report) -> None:
    """The policies that can be judged by name, and what keeps each role, by role."""
    from meshspec.adapters import adapters
    from meshspec.roles.known import ROLES

    for role in ROLES.values():
        report.say(f"policies (--role {role.name}):")
        for name, info in adapters().items():
            if role.name in info.targets:
                report.say(f"  {name:<24} {info.package}")
        report.say(f"  {role.reference}, the reference")
