"""``meshspec coverage``: what of a model is tried at all in a scope?"""

from __future__ import annotations

import shlex

import attrs

from meshspec.cli import runs
from meshspec.cli.certify import certified
from meshspec.cli.configured import sizes_for, taken_for
from meshspec.cli.options import NOWHERE, MaxMemory, MaxStates, Outputs, Scope, Without, names, settings_of, sizes_of
from meshspec.engines.check import Answered, interrupted, scope_of, without
from meshspec.engines.coverage import coverage as covered
from meshspec.engines.limits import INTERRUPTED, Limits
from meshspec.engines.mutation import counted
from meshspec.progress import on_terminal
from meshspec.report import text
from meshspec.report.matrix import coverage_lines
from meshspec.targets import resolve


def coverage(
    target: str,
    *,
    scope: Scope = (),
    without_: Without = (),
    max_states: MaxStates = 1_000_000,
    max_memory: MaxMemory = "4G",
    outputs: Outputs = NOWHERE,
) -> int:
    """Count, over every state of a scope: actions fired, guards true and false, antecedents, witnesses, values.

    A guard that is never false is redundant in the scope, which is UNDETERMINED (3); one that is never true, an
    action that never fires, an antecedent that is never true is VACUOUS (4).
    """
    settings = settings_of(max_states, max_memory, 0, None)
    report = runs.Report(outputs=outputs)
    asked = resolve(target)
    model = certified(asked.model)
    taken = taken_for(model, names(without_))
    model = without(model, taken)
    sizes = scope_of(model, sizes_for(model, sizes_of(scope)))
    named = {sort.__name__: size for sort, size in sizes.items()}
    again = _again(target, named, taken, settings.limits)
    try:
        found = covered(model, sizes, settings.limits, on_terminal(), name=target)
    except KeyboardInterrupt:
        report.say(text.clean(target))
        report.undone(model.name, "coverage")
        return report.end(again)
    where = f"scope {text.scope_text(named)}: " if named else ""
    cut = " (cut)" if found.cut else ""
    for line in text.paragraph(f"{target}  [{where}{counted(found.states, 'state')}{cut}]", report.width):
        report.say(line)
    for line in coverage_lines(found, report.width - 2):
        report.say(f"  {line}" if line else "")
    report.say()
    findings = [attrs.evolve(finding, replay=again) for finding in found.findings()]
    if found.cut == INTERRUPTED:
        findings.append(interrupted(model.name, "coverage"))
    report.show([Answered(finding, (finding,)) for finding in findings])
    return report.end(again)


def _again(target: str, scope: dict[str, int], taken: tuple[str, ...], limits: Limits) -> str:
    words = ["meshspec", "coverage", target]
    words += ["--scope", text.scope_text(scope)] if scope else []
    words += ["--without", ",".join(taken)] if taken else []
    words += ["--max-states", str(limits.max_states)] * (limits.max_states != Limits().max_states)
    words += ["--max-memory", str(limits.max_memory)] * (limits.max_memory != Limits().max_memory)
    return shlex.join(words)
