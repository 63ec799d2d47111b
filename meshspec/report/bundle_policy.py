"""A policy's bundle, run again: the same story, told to the policy once more in processes apart from ours."""

from __future__ import annotations

import importlib
from typing import Any

import attrs

from meshspec.answer import Answer, Counterexample, Finding
from meshspec.errors import UsageError
from meshspec.report.bundle_replay import Replayed, as_recorded
from meshspec.report.bundled import Bundle, Move
from meshspec.roles.breaker import obligations
from meshspec.roles.judge import known_role
from meshspec.roles.protocol import Outcome
from meshspec.roles.retell import owes, refuse_untold, retold, source_of
from meshspec.roles.story import Story
from meshspec.roles.telling import CONDUCT, Teller, at, broken_clause, did

SETTLES = "`meshspec check --role`, which tells every story"


def told_again(bundle: Bundle) -> Replayed:
    """Tell the story again; this loads the policy that the bundle names, in processes of their own.

    Raises :class:`UsageError` for a bundle that contradicts the very policy that it was written from.
    """
    tale = bundle.tale
    if tale is None:
        raise UsageError("the bundle is of a policy and holds no story")
    known_role(tale.role)
    story = Story(tuple(tale.prefix), tuple(tale.loop), tale.one_tool, tale.field, tale.steps)
    refuse_untold(story)
    if _last(bundle.subject) != _last(bundle.target):  # the folder depends on where it is looked at from
        raise UsageError(f"the bundle is of {bundle.subject!r}, and names {bundle.target!r} as its policy")
    target, package = _policy(bundle.target, tale.package)
    about, outcomes = retold(target, story, package)
    changed = bundle.source == "" or source_of(about) != bundle.source
    broken, why = _broken(bundle, story, outcomes)
    if broken is None:
        if not changed:
            raise UsageError(f"the bundle contradicts {bundle.target}, which has not changed since: {why}")
        return _closed(bundle, why)
    teller = Teller(bundle.subject, bundle.command, None)
    now = teller.counterexample(story, broken, why, bundle.how)
    problem = _difference(bundle, now, broken)
    if problem and not changed:
        raise UsageError(f"the bundle contradicts {bundle.target}, which has not changed since: {problem}")
    steps = [Move(s.action, note=s.note, at=s.at) for s in now.steps]
    told = attrs.evolve(bundle, steps=steps, failed=now.failed, where="")
    if bundle.kind != "deterministic" or problem:
        told = attrs.evolve(told, reason=now.failed)
    note = f"{bundle.target} has changed since: {problem}" if problem else ""
    return Replayed(told, as_recorded(told), broken.step, changed, note)


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _policy(target: str, package: str) -> tuple[str, str | None]:
    """What to load: a shipped adapter by its name, or what the target says."""
    shipped: Any = importlib.import_module("meshspec.adapters")  # a neighbour, found by name
    info = shipped.adapters().get(target)
    return (info.target if info else target), package or (info.package if info else None)


def _broken(bundle: Bundle, story: Story, outcomes: tuple[Outcome, Outcome]) -> tuple[Outcome | None, str]:
    """The outcome that breaks the property and the clause that is false; ``None``, and why it is not broken."""
    one, other = outcomes
    if cut := next((outcome for outcome in outcomes if outcome.cut), None):
        return None, f"{cut.said or 'it ran into the memory limit'} {at(cut.step)}"
    match bundle.property:
        case "total":
            bad = next((outcome for outcome in outcomes if outcome.word == "raised"), None)
            return bad, f"{bad.said} {at(bad.step)}" if bad else f"it raises nothing: it {did(one)}"
        case "contract":
            bad = next((outcome for outcome in outcomes if outcome.word == "nonsense"), None)
            why = f"{bad.said} {at(bad.step)} is neither CONTINUE nor TRIP(reason)" if bad else ""
            return bad, why or f"it answers within the contract: it {did(one)}"
        case "deterministic":
            if (one.word, one.step) == (other.word, other.step):
                return None, f"in both runs it {did(one)}"
            first = min(one, other, key=lambda outcome: outcome.step)
            return first, f"in one run it {did(one)}, in another it {did(other)}"
        case _:
            return _obligation(bundle.property, story, one)


def _obligation(name: str, story: Story, outcome: Outcome) -> tuple[Outcome | None, str]:
    owed = next((obligation for obligation in obligations() if obligation.name == name), None)
    if owed is None:
        names = ", ".join([*(obligation.name for obligation in obligations()), *CONDUCT])
        raise UsageError(f"there is no obligation {name!r}; there is {names}")
    if not owes(owed, story):
        raise UsageError(f"the story is none that {name} speaks of")
    if not outcome.answered:
        return None, f"it {did(outcome)}"
    if not (owed.owed(story, outcome.tripped) and owed.broken(story, outcome.tripped)):
        return None, f"it {did(outcome)}, which keeps {name}"
    return outcome, broken_clause(owed, story, outcome)


def _difference(bundle: Bundle, now: Counterexample, outcome: Outcome) -> str:
    """The first thing that the bundle tells otherwise than it is; empty where it tells all as it is."""
    for number, (told, step) in enumerate(zip(bundle.steps, now.steps, strict=False), 1):
        is_so = Move(step.action, note=step.note, at=step.at)
        for name in ("action", "note", "at", "arguments", "choices", "changes"):
            if getattr(told, name) != getattr(is_so, name):
                return f"step {number}: its {name} is {getattr(is_so, name)!r}; {getattr(told, name)!r} was recorded"
    if len(bundle.steps) != len(now.steps):
        return f"step {min(len(bundle.steps), len(now.steps)) + 1}: {len(bundle.steps)} steps were recorded"
    if bundle.failed != now.failed:
        return f"at the end: {bundle.failed!r} was recorded; it is {now.failed!r}"
    assert bundle.tale is not None
    ended = (bundle.tale.word, bundle.tale.step, bundle.tale.said)
    is_now = (outcome.word, outcome.step, outcome.said)
    return "" if ended == is_now else f"at the end: {ended} was recorded; it is {is_now}"


def _closed(bundle: Bundle, why: str) -> Replayed:
    finding = Finding(
        bundle.subject,
        bundle.property,
        Answer.UNDETERMINED,
        "replay",
        kind=bundle.kind,
        reason=f"the story no longer breaks it: {why}",
        known=f"{bundle.target} has changed since the bundle was written; one story that is kept tells of no other",
        settles=SETTLES,
    )
    return Replayed(bundle, finding, 0, changed=True)
