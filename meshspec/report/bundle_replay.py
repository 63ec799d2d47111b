"""A bundle, run again: is what it tells so on CPython, today?

What the bundle says is compared with what the author's methods do, step by step. Where the files of the model are
those that it was written from, a difference is the bundle's fault (it was edited, or is of another model). Where they
have changed since, a difference is what was to be found out: the path is closed now, or still leads to the violation.

What running it cannot confirm (that the path is the shortest, which engine found it, why) is told as recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from meshspec.answer import Answer, Finding
from meshspec.backends.layout import Layout
from meshspec.engines.beginning import Stop
from meshspec.engines.check import without as less_faults
from meshspec.engines.rerun import KINDS, Rerun, rerun
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel, lift
from meshspec.report import itf
from meshspec.report.bundle import constants_of, move, source_of, written
from meshspec.report.bundled import Bundle
from meshspec.sorts import Sort
from meshspec.targets import resolve

ENGINE = "replay"
SETTLES = "`meshspec check`, which asks about every path"


@attrs.frozen(eq=False)
class Replayed:
    """What came of running a bundle again.

    Attributes:
        bundle: the bundle, with what its trace holds.
        finding: VIOLATED where it was reproduced, else UNDETERMINED with the reason.
        steps: how many steps were taken.
        changed: whether the model's files are others than those it was written from.
        note: what is otherwise now although the property is still violated.
    """

    bundle: Bundle
    finding: Finding
    steps: int
    changed: bool = False
    note: str = ""

    @property
    def reproduced(self) -> bool:
        return self.finding.answer is Answer.VIOLATED


def replayed(bundle: Bundle) -> Replayed:
    """Run a bundle again; this imports the target that it names.

    Raises :class:`UsageError` for a bundle that contradicts the very model that it was written from, and what
    resolving and lifting its target raises.
    """
    if bundle.of == "policy":
        from meshspec.report.bundle_policy import told_again  # starts processes, which a model does not need

        return told_again(bundle)
    if not bundle.target:
        raise UsageError(f"{bundle.subject} was typed into a shell or a notebook: there is nothing to import")
    if bundle.kind not in KINDS:
        raise UsageError(f"the kind {bundle.kind!r} is none of {', '.join(KINDS)}: it cannot be run again")
    model = lift(resolve(bundle.target).model)
    if model.name != bundle.subject:
        raise UsageError(f"{bundle.target} is the model {model.name}, and the bundle is of {bundle.subject!r}")
    changed = bundle.source == "" or source_of(model) != bundle.source
    try:
        model = less_faults(model, bundle.without)
        layout = Layout(model, _sizes(model, bundle))
        whole = itf.resolved(bundle, layout)
    except UsageError as error:
        if not changed:
            raise
        return _closed(bundle, Stop(0, str(error)))
    run = rerun(layout, whole.property, whole.kind, whole.path)
    problem = run.earliest([*_contradictions(whole, run)])
    if problem is not None and not changed:
        raise UsageError(f"the bundle contradicts {bundle.target}, which has not changed since: {problem}")
    if run.refuted is None:
        assert run.closed is not None
        return _closed(whole, run.closed, len(run.taken))
    whole = attrs.evolve(whole, where=_where(run))  # seen from the present folder
    if problem is None:
        return Replayed(attrs.evolve(whole, run=run), as_recorded(whole), len(run.taken), changed)
    now = _as_it_is(run, whole)
    return Replayed(now, as_recorded(now), len(run.taken), changed, f"{bundle.target} has changed since: {problem}")


def as_recorded(bundle: Bundle) -> Finding:
    """What was seen again, and as recorded what was not."""
    finding, path = bundle.finding, bundle.path
    how = "as recorded: " + ", ".join(part for part in (bundle.how, bundle.engine) if part)
    reason = bundle.reason if bundle.reason in ("", bundle.failed) else f"as recorded: {bundle.reason}"
    path = attrs.evolve(path, how=how)
    return attrs.evolve(finding, engine=ENGINE, counterexample=path, reason=reason)


def _where(run: Rerun) -> str:
    """Where what is false is stated; empty for a Range, which stands in the model's annotations."""
    assert run.refuted is not None
    if run.refuted.claim is not None:
        return str(run.refuted.claim.method.where)
    return str(run.taken[-1].lifted.method.where) if run.taken and run.refuted.cell is None else ""


def _as_it_is(run: Rerun, bundle: Bundle) -> Bundle:
    """The bundle with the path as it is now."""
    now = written(run, run.path(bundle.how))
    return attrs.evolve(
        bundle, run=run, initial=now.initial, steps=now.steps, failed=now.failed, claim=now.claim, cell=now.cell
    )


def _closed(bundle: Bundle, stop: Stop, steps: int = 0) -> Replayed:
    finding = Finding(
        bundle.subject,
        bundle.property,
        Answer.UNDETERMINED,
        ENGINE,
        kind=bundle.kind,
        scope=bundle.scope,
        reason=f"the path is closed {_at(stop)}",
        known=f"{bundle.target} has changed since the bundle was written; one path that is closed tells of no other",
        settles=SETTLES,
    )
    return Replayed(bundle, finding, steps, changed=True)


def _at(stop: Stop) -> str:
    return str(stop) if stop.step <= 0 else f"at {stop}"


def _sizes(model: LiftedModel, bundle: Bundle) -> dict[type[Sort], int]:
    known = {sort.__name__: sort for sort in model.sorts}
    if bundle.scope.keys() != known.keys():
        has = ", ".join(known) or "no sort"
        raise UsageError(f"the bundle gives sizes to {', '.join(bundle.scope) or 'no sort'}; {model.name} has {has}")
    if bad := [name for name, size in bundle.scope.items() if size < 1]:
        raise UsageError(f"{bad[0]}={bundle.scope[bad[0]]}: a sort has at least one member")
    return {known[name]: size for name, size in bundle.scope.items()}


def _contradictions(bundle: Bundle, run: Rerun) -> Iterator[Stop]:
    """What else the bundle says otherwise than it is."""
    model = run.layout.model
    if constants_of(model) != dict(bundle.constants):
        yield Stop(0, f"its constants are {constants_of(model)}, and {dict(bundle.constants)} was recorded")
    if bundle.states:
        yield from itf.mismatches(bundle, run)
    else:
        for number, (told, taken) in enumerate(zip(bundle.steps, run.taken, strict=False), 1):
            now = move(taken)
            for name in ("arguments", "choices", "at"):
                if repr(getattr(told, name)) != repr(getattr(now, name)):  # True is no 1 here
                    is_so = getattr(now, name)
                    yield Stop(number, f"its {name} are {is_so!r}, and {getattr(told, name)!r} was recorded")
    if run.refuted is not None:
        now_told = written(run, bundle.path)
        for name in ("claim", "cell"):
            if repr(getattr(now_told, name)) != repr(getattr(bundle, name)):
                is_so = getattr(now_told, name)
                yield Stop(-1, f"the {name} is {is_so!r}, and {getattr(bundle, name)!r} was recorded")
