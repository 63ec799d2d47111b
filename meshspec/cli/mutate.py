"""``meshspec mutate``: which small changes of a model do its claims notice?"""

from __future__ import annotations

import shlex
from typing import Annotated

import attrs
from cyclopts import Parameter

from meshspec.answer import Answer, Finding
from meshspec.cli import runs
from meshspec.cli.certify import certified
from meshspec.cli.configured import sizes_for, taken_for
from meshspec.cli.options import NOWHERE, MaxMemory, MaxStates, Outputs, Scope, Without, names, settings_of, sizes_of
from meshspec.engines.check import Answered, Settings, interrupted, scope_of, without
from meshspec.engines.mutate import mutate as run_mutants
from meshspec.engines.mutation import counted
from meshspec.errors import UsageError
from meshspec.progress import on_terminal
from meshspec.report import text
from meshspec.report.matrix import mutation_lines
from meshspec.targets import resolve


def mutate(
    target: str,
    *,
    scope: Scope = (),
    without_: Without = (),
    max_states: MaxStates = 1_000_000,
    max_memory: MaxMemory = "4G",
    cap: Annotated[int | None, Parameter("--cap", help="Try a sample of so many, spread over the methods.")] = None,
    seed: Annotated[int, Parameter("--seed", help="Seed of the sample; the same seed draws the same one.")] = 0,
    matrix: Annotated[bool, Parameter("--matrix", negative="", help="Show every mutant and what kills it.")] = False,
    outputs: Outputs = NOWHERE,
) -> int:
    """Change one small thing after the other, in the source and in the lifted rows, and see which claims notice.

    A change that nothing notices is a survivor: state a claim that forbids it, or drop what makes no difference.
    Survivors make the answer UNDETERMINED (exit code 3; 0 with --allow-undetermined), a claim that notices no change
    is VACUOUS (4).
    """
    if cap is not None and cap < 1:
        raise UsageError(f"--cap {cap}: try at least one mutant")
    settings = settings_of(max_states, max_memory, seed, None)
    report = runs.Report(seed=seed, outputs=outputs)
    asked = resolve(target)
    model = certified(asked.model)
    taken = taken_for(model, names(without_))
    model = without(model, taken)
    sizes = scope_of(model, sizes_for(model, sizes_of(scope)))
    named = {sort.__name__: size for sort, size in sizes.items()}
    try:
        found = run_mutants(model, sizes, settings.limits, name=target, cap=cap, seed=seed, progress=on_terminal())
    except KeyboardInterrupt:
        report.say(text.clean(target))
        report.undone(model.name, "mutate")
        return report.end()
    again = _again(target, named, taken, settings, cap)
    findings = [attrs.evolve(finding, replay=again) for finding in found.findings()]
    states = max((finding.states or 0 for finding in found.base), default=0)
    where = f"scope {text.scope_text(named)}: " if named else ""
    for line in text.paragraph(f"{target}  [{where}{counted(states, 'state')}]", report.width):
        report.say(line)
    for line in mutation_lines(found, report.width - 2, matrix):
        report.say(f"  {line}" if line else "")
    report.say()
    if found.stopped:
        findings.append(interrupted(model.name, "mutate"))
    report.show([Answered(finding, (finding,)) for finding in findings])
    _explain(findings, report)
    return report.end(again)


def _explain(findings: list[Finding], report: runs.Report) -> None:
    if any(f.answer is Answer.VACUOUS for f in findings):
        report.note("a claim that refutes no change may be too weak to be worth making")


def _again(target: str, scope: dict[str, int], taken: tuple[str, ...], settings: Settings, cap: int | None) -> str:
    words = ["meshspec", "mutate", target]
    words += ["--scope", text.scope_text(scope)] if scope else []
    words += ["--without", ",".join(taken)] if taken else []
    usual = Settings().limits
    words += ["--max-states", str(settings.limits.max_states)] * (settings.limits.max_states != usual.max_states)
    words += ["--max-memory", str(settings.limits.max_memory)] * (settings.limits.max_memory != usual.max_memory)
    words += ["--cap", str(cap), "--seed", str(settings.seed)] if cap is not None else []
    return shlex.join(words)
