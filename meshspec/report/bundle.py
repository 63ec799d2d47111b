"""A counterexample as a bundle: a trace, JSON, a test to paste and a diagram; read back, and run again on CPython.

This is the door; what a bundle holds stands in :mod:`meshspec.report.bundled`, its files in
:mod:`meshspec.report.bundle_files`, and how it is run again in :mod:`meshspec.report.bundle_replay`.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs

from meshspec.answer import Answer, Counterexample, Finding
from meshspec.backends.layout import Layout
from meshspec.engines.check import Settings
from meshspec.engines.check import without as less_faults
from meshspec.engines.rerun import KINDS, Rerun, Taken, rerun
from meshspec.errors import Disagreement
from meshspec.expr.nodes import EnumType
from meshspec.expr.text import value_text
from meshspec.lang.declare import Parameter
from meshspec.lang.lift import Lifted, LiftedModel, lift
from meshspec.lang.places import is_authors
from meshspec.report.bundle_files import read, read_all, refuse_unwritable_folder
from meshspec.report.bundled import Bundle, Change, Move, Plain, Tale
from meshspec.report.checked import Asked
from meshspec.sorts import Sort
from meshspec.targets import Target

if TYPE_CHECKING:
    from meshspec.report.bundle_replay import Replayed

__all__ = ["Bundle", "bundle_of", "read", "read_all", "refuse_unwritable_folder", "replayed"]

UNWRITTEN = "of what policies do, only stories told to a breaker are written down"
"""What is said where a policy's finding has no bundle."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def bundle_of(
    finding: Finding,
    about: Asked | Target | None = None,
    scope: Mapping[str, int] | None = None,
    taken: Sequence[str] = (),
    settings: Settings | None = None,
) -> Bundle | None:
    """The bundle of what refutes a property; ``None`` where nothing does, or what does cannot be run again.

    A counterexample is run on CPython before it becomes a bundle. `about` is the question that the finding answers,
    or the target with `scope`, faults `taken` away and `settings`; a policy needs none of it. There is no bundle of
    ``refines`` and ``evidence``. Raises :class:`Disagreement` for a path that is none on CPython: a bug of ours.
    """
    path = finding.counterexample
    if finding.answer is not Answer.VIOLATED or path is None:
        return None
    if finding.engine == "judge":
        return _of_policy(finding)
    if about is None or finding.kind not in KINDS:
        return None
    if isinstance(about, Asked):
        target, model, scope, taken, settings = about.target, about.model, about.scope, about.taken, about.settings
    else:
        target, model = about, less_faults(lift(about.model), taken)
    layout = Layout(model, _sizes(model, {**(scope or {}), **finding.scope}))
    run = rerun(layout, finding.property, finding.kind, path)
    if run.wrong is not None or run.refuted is None:
        raise Disagreement(f"{finding.subject}.{finding.property}: {run.wrong or 'it is not refuted'}, on CPython")
    return attrs.evolve(
        written(run, path),
        target=target.name,
        subject=model.name,
        property=finding.property,
        kind=finding.kind,
        source=source_of(model),
        constants=constants_of(model),
        without=list(taken),
        engine=finding.engine,
        seed=(settings or Settings()).seed,
        command=finding.replay,
        where=finding.where,
        reason=finding.reason,
    )


def replayed(bundle: Bundle) -> Replayed:
    """Run a bundle again on CPython (:func:`meshspec.report.bundle_replay.replayed`): imports what it names."""
    from meshspec.report import bundle_replay  # which needs this file

    return bundle_replay.replayed(bundle)


def written(run: Rerun, path: Counterexample) -> Bundle:
    """A path that was run, as a bundle puts it: the steps, and what is false at the end."""
    refuted = run.refuted
    assert refuted is not None
    own: dict[str, Plain | list[Plain]] = {}
    if refuted.claim is not None:
        own = named(refuted.claim, refuted.arguments)[0]
    return Bundle(
        "model",
        "",
        run.layout.model.name,
        "",
        "",
        path.failed,
        scope=run.layout.scope_names,
        claim=own,
        cell=str(refuted.cell or ""),
        initial=run.layout.show(run.layout.encode(run.start)),
        steps=[move(taken) for taken in run.taken],
        how=path.how,
        loop=path.loop,
        run=run,
    )


def move(taken: Taken) -> Move:
    """A step that was run, as a bundle puts it."""
    own, choices = named(taken.lifted, taken.arguments)
    changes = {name: Change(old, new) for name, (old, new) in taken.changes.items()}
    return Move(taken.called, own, choices, changes, taken.note)


def named(lifted: Lifted, arguments: Sequence[Any]) -> tuple[dict[str, Plain | list[Plain]], dict[str, Plain]]:
    """Arguments by the names of the method's parameters, and the choices it makes by theirs."""
    own, picked = lifted.assembled(arguments)
    mine = {p.name: _own(p, value) for p, value in zip(lifted.method.parameters, own, strict=True)}
    return mine, {p.name: plain(value) for p, value in zip(lifted.choices, picked, strict=True)}


def _own(parameter: Parameter, value: Any) -> Plain | list[Plain]:
    return plain(value) if parameter.length is None else [plain(one) for one in value]


def plain(value: object) -> Plain:
    """A value in JSON: a member of an enum or a sort by its name."""
    return value if value is None or type(value) in (bool, int) else value_text(value)  # type: ignore[return-value]


def _sizes(model: LiftedModel, scope: Mapping[str, int]) -> dict[type[Sort], int]:
    return {sort: scope[sort.__name__] for sort in model.sorts if sort.__name__ in scope}


def constants_of(model: LiftedModel) -> dict[str, str]:
    """The constants of a model as text, tables included."""
    return {name: _ADDRESS.sub("", value_text(getattr(model.instance, name))) for name in model.declared.constants}


def source_of(model: LiftedModel) -> str:
    """A digest of the files in which the model is written; empty where one of them cannot be read.

    They are those of its class and what it extends, of its sorts, and of all code that its methods ran.
    """
    files = {code.co_filename for lifted in (*model.actions, *model.claims) for code in lifted.ran}
    symbols = [variable.symbol for variable in model.declared.variables]
    types = [type for symbol in symbols for type in (symbol.type, *symbol.keys)]
    enums = [type.cls for type in types if isinstance(type, EnumType)]
    for cls in (*model.declared.cls.__mro__, *model.sorts, *enums):
        files.add(getattr(sys.modules.get(cls.__module__), "__file__", None) or "")
    digests: list[str] = []
    for file in sorted(file for file in files if file and is_authors(file)):
        try:
            digests.append(hashlib.sha256(Path(file).read_bytes()).hexdigest())
        except OSError:
            return ""
    return f"sha256:{hashlib.sha256(' '.join(sorted(digests)).encode()).hexdigest()}" if digests else ""


def _of_policy(finding: Finding) -> Bundle | None:
    """The bundle of a story; ``None`` where the finding does not hold it whole."""
    told, path = finding.facts.get("told"), finding.counterexample
    if not isinstance(told, Mapping) or path is None:
        return None
    facts = dict(cast("Mapping[str, Any]", told))
    source: str = facts.pop("source")
    tale = Tale(**facts, package=str(finding.facts.get("package", "")))
    return Bundle(
        "policy",
        finding.subject,
        finding.subject,
        finding.property,
        finding.kind,
        path.failed,
        source,
        steps=[Move(step.action, note=step.note, at=step.at) for step in path.steps],
        how=path.how,
        engine=finding.engine,
        seed=int(cast("int", finding.facts.get("seed", 0))),
        command=finding.replay,
        where=finding.where,
        reason=finding.reason,
        tale=tale,
    )
