"""``meshspec refine``: is every step of one model a step of a simpler one?"""

from __future__ import annotations

import shlex
from pathlib import Path
from types import ModuleType

import attrs

from meshspec.cli import runs
from meshspec.cli.certify import certified
from meshspec.cli.configured import sizes_for
from meshspec.cli.options import NOWHERE, MaxMemory, MaxStates, Outputs, Scope, settings_of, sizes_of
from meshspec.engines.check import Answered, Settings
from meshspec.engines.refine import refine as run
from meshspec.engines.refine import scope_of_both
from meshspec.errors import UsageError
from meshspec.lang.loading import load_file, load_module
from meshspec.lang.refinement import Refinement
from meshspec.progress import on_terminal
from meshspec.report import text


def refine(
    target: str,
    *,
    scope: Scope = (),
    max_states: MaxStates = 1_000_000,
    max_memory: MaxMemory = "4G",
    outputs: Outputs = NOWHERE,
) -> int:
    """Check that a model refines a simpler one, up to steps that change nothing there, under a stated mapping.

    The target is path.py:NAME or module:NAME of a @refinement; path.py alone when it holds one.
    """
    settings = settings_of(max_states, max_memory, 0, None)
    report = runs.Report(outputs=outputs)
    refinement = resolve(target)
    concrete, abstract = certified(refinement.concrete), certified(refinement.abstract)
    asked = sizes_for(concrete, sizes_of(scope))
    sizes = scope_of_both(refinement, concrete, abstract, asked)
    finding = run(refinement, concrete, abstract, sizes, settings.limits, on_terminal())
    again = _command(
        target, {sort.__name__: n for sort, n in sizes.items() if sort not in refinement.sorts}, settings
    )
    finding = attrs.evolve(finding, replay=again)
    said = f"{concrete.name} ({target})  [scope {text.scope_text(finding.scope)}: {finding.states:,} states]"
    for line in text.paragraph(said if finding.scope else f"{concrete.name} ({target})", report.width):
        report.say(line)
    report.show([Answered(finding, (finding,))])
    return report.end(again)


def _command(target: str, sizes: dict[str, int], settings: Settings) -> str:
    words, asked, usual = ["meshspec", "refine", target], settings.limits, Settings().limits
    words += ["--scope", text.scope_text(sizes)] if sizes else []
    words += ["--max-states", str(asked.max_states)] if asked.max_states != usual.max_states else []
    words += ["--max-memory", str(asked.max_memory)] if asked.max_memory != usual.max_memory else []
    return shlex.join(words)


def resolve(target: str) -> Refinement:
    """The refinement that a target names; raises :class:`UsageError` when there is none."""
    head, colon, attribute = target.rpartition(":")
    if not colon:
        head, attribute = target, ""
    if head.endswith(".py"):
        module = load_file(Path(head))
    elif colon:
        module = load_module(head)
    else:
        raise UsageError(f"{target} names no refinement: write path.py:NAME or module:NAME of a @refinement")
    found = _refinements(module)
    has = (
        f"it has {', '.join(found)}" if found else "it has none: decorate a mapping with @refinement(Model, Simpler)"
    )
    if not colon:
        if len(found) != 1:
            raise UsageError(
                f"{head} holds {len(found)} refinements; {has}" + (f": write {head}:NAME" if found else "")
            )
        return next(iter(found.values()))
    held = getattr(module, attribute, None)
    if not isinstance(held, Refinement):
        what = "has no" if held is None else "holds no refinement called"
        raise UsageError(f"{head} {what} {attribute!r}; {has}")
    return held


def _refinements(module: ModuleType) -> dict[str, Refinement]:
    return {name: value for name, value in vars(module).items() if isinstance(value, Refinement)}
