"""``meshspec prove``: for every size; what is not proved so, with lemmas that are searched for, and in a scope."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Annotated, cast

import attrs
from cyclopts import Parameter

from meshspec.answer import Answer, Finding
from meshspec.backends.solver import RLIMIT
from meshspec.cli import runs
from meshspec.cli.certify import certified
from meshspec.cli.configured import sizes_for, taken_for
from meshspec.cli.options import NOWHERE, Outputs, Scope, Without, names, sizes_of
from meshspec.engines.bounded import MAX_DEPTH, MAX_K, Bounds
from meshspec.engines.check import Answered, check, combined, scope_of
from meshspec.engines.check import without as less_faults
from meshspec.engines.prove import SEARCH, InScope
from meshspec.engines.prove import prove as proved
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.progress import on_terminal
from meshspec.report import text
from meshspec.report.checked import VACUITY, Asked, heading_lines, incident_notes, replay_lines, taken_notes
from meshspec.targets import Target, resolve_all


def prove(
    target: str,
    *,
    scope: Scope = (),
    depth: Annotated[int, Parameter(help="The longest path that bounded search looks at.")] = MAX_DEPTH,
    k: Annotated[int, Parameter(help="The longest induction step: 1 to this.")] = MAX_K,
    search_lemmas: Annotated[bool, Parameter(negative="", help="Look for lemmas among simple formulas.")] = False,
    rlimit: Annotated[int, Parameter(help="Steps of the solver for one question.")] = RLIMIT,
    without: Without = (),
    outputs: Outputs = NOWHERE,
) -> int:
    """Prove what is inductive for any number of members; what is not, in a scope.

    In the scope (2 of each sort, unless --scope says otherwise) bounded search looks for a shortest path to a
    violation, and k-induction for a proof that holds there and says nothing of other scopes.
    """
    for name, value, least in (("--depth", depth, 0), ("--k", k, 1), ("--rlimit", rlimit, 1)):
        if value < least:
            raise UsageError(f"{name} {value}: give a number of at least {least}")
    report = runs.Report(outputs=outputs)
    (resolved,) = resolve_all((target,))
    model = certified(resolved.model)
    taken = taken_for(model, names(without))
    model = less_faults(model, taken)
    sizes = scope_of(model, sizes_for(model, sizes_of(scope)))
    in_scope = InScope(sizes, Bounds(k, depth, rlimit))
    question = Asked(resolved, model, sizes, ("prove",), taken=taken)
    again = _command(resolved, in_scope, search_lemmas, taken)
    try:
        findings = proved(
            model,
            rlimit=rlimit,
            in_scope=in_scope,
            max_candidates=SEARCH if search_lemmas else 0,
            progress=on_terminal(),
        )
    except KeyboardInterrupt:
        report.say(text.clean(resolved.name))
        report.undone(model.name, "prove")
        return report.end()
    except Disagreement as bug:
        report.say(text.clean(resolved.name))
        report.bug(str(bug))
        return report.end()
    answered = combined([attrs.evolve(finding, replay=again) for finding in findings])
    answered += check(model, sizes, engines=())  # that the model claims nothing, if it does not
    others = _not_asked(model, resolved)
    if not any(claim.method.kind == "always" for claim in model.claims):
        answered += combined(others)  # no claim was asked about: what was proved beside them is no success
        others = []
    _show(question, answered, report)
    for line in taken_notes(taken):
        report.note(line)
    if others:
        named = ", ".join(f"{one.property} (@{one.kind}: {one.replay})" for one in others)
        report.note(f"not asked here: {named}")
    report.note(VACUITY)
    for name, where in model.unread:
        report.note(f"not read: {name} ({where}) has no mark, and nothing calls it")
    for line in incident_notes(resolved):
        report.note(line)
    return report.end()


ELSEWHERE = {"eventually": "live", "sometimes": "explore", "terminal": "explore"}
"""Of the kinds of claim that no induction speaks of, the command that does."""


def _not_asked(model: LiftedModel, target: Target) -> list[Finding]:
    """A finding for each claim of which `prove` says nothing."""
    found: list[Finding] = []
    for claim in model.claims:
        kind = claim.method.kind
        if kind in ELSEWHERE:
            engine = ELSEWHERE[kind]
            command = shlex.join(["meshspec", engine, target.name])
            found.append(
                Finding(
                    model.name,
                    claim.name,
                    Answer.UNDETERMINED,
                    "prove",
                    kind=kind,
                    reason=f"only {engine} answers it",
                    settles=command,
                    replay=command,
                    where=str(claim.method.where),
                )
            )
    return found


def _command(target: Target, scope: InScope, search_lemmas: bool, taken: Sequence[str]) -> str:
    words = ["meshspec", "prove", target.name]
    words += ["--scope", text.scope_text(scope.names)] if scope.names else []
    usual, asked = Bounds(), scope.bounds
    for name, value, default in (
        ("--depth", asked.depth, usual.depth),
        ("--k", asked.k, usual.k),
        ("--rlimit", asked.rlimit, usual.rlimit),
    ):
        words += [name, str(value)] if value != default else []
    words += ["--search-lemmas"] if search_lemmas else []
    words += ["--without", ",".join(taken)] if taken else []
    return shlex.join(words)


def _show(question: Asked, answered: Sequence[Answered], report: runs.Report) -> None:
    for line in heading_lines(question.title, answered, {}, report.width):
        report.say(line)
    report.show(answered, question)
    methods = _found([one.answer for one in answered])
    for one in answered:
        if rests_on := _found([one.answer]):
            report.say(f"  {one.answer.property} rests on {', '.join(rests_on)}, which the model does not state yet")
    if methods:
        report.say("  found by the search, and to be pasted into the model:")
    for method in methods.values():
        for line in ("", *method.splitlines()):
            report.say(f"      {line}" if line else "")
    for line in (line for one in answered for line in replay_lines(one)):
        report.say(line)


def _found(findings: Sequence[Finding]) -> dict[str, str]:
    """The methods of lemmas that a search found, by name."""
    found: dict[str, str] = {}
    for finding in findings:
        held = finding.facts.get("found")
        if isinstance(held, Mapping):
            found.update(cast("Mapping[str, str]", held))
    return found
