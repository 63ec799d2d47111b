"""What notices a fault: every reading of a model against the others, and every search against a plain one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import attrs
import pytest

from meshspec.answer import Answer, Counterexample
from meshspec.backends.columns import ColumnSpace
from meshspec.backends.evaluate import evaluate
from meshspec.backends.kernel import RowSpace
from meshspec.backends.layout import Layout
from meshspec.engines import search, spaces
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits, Options
from meshspec.engines.search import search_states
from meshspec.errors import CertificateError, Disagreement, UsageError
from meshspec.expr.build import TRUE
from meshspec.lang.lift import lift
from tests.agreement.engines import searched
from tests.agreement.faults_models import Columns, Ends, Leaves, Links, Node, Overtaken, Pairs, Stores, Told
from tests.agreement.models import Subject, subjects
from tests.agreement.readings import compare, names_of
from tests.agreement.searches import MAX_STATES, PLAIN, searches_differ
from tests.backends.stepping import random_states
from tests.engines import test_trails
from tests.engines.spaces import plain

Check = Callable[[Subject], list[str]]
"""What is wrong with our engines, as one model shows it; nothing, as long as there is no fault."""

OURS = (Disagreement, CertificateError)
"""An engine that finds a fault of ours itself has noticed it; any other error is no finding."""

SEEDS = range(12)
"""Generated models in which a fault may show that shows in none of the small ones before."""


BATCH = 60
"""The most states that are asked for in one batch."""


@cache
def small() -> tuple[Subject, ...]:
    """Models made for faults, at sizes at which they show; those that cost least come first."""
    own = ((Told, 3), (Leaves, 2), (Ends, 3), (Overtaken, 3), (Pairs, 3), (Columns, 3), (Links, 3), (Stores, 3))
    return tuple((lift(cls), {Node: size}) for cls, size in own)


def ready() -> list[Subject]:
    """Small models, corners, generated ones; lifted while all is well."""
    return [*small(), *subjects(SEEDS)]


def readings(subject: Subject) -> list[str]:
    """One method on one state, in every way."""
    return compare(*subject, states=10, solved=0).differences


def all_means(subject: Subject) -> list[str]:
    """Whole searches by every means."""
    found = searches_differ(*subject)
    return [f"{name}: {told}" for name, one in found.items() for told in one.differences]


def against_cpython(subject: Subject) -> list[str]:
    """Whole searches against one that knows nothing but CPython."""
    return searched(*subject)


def moving_on(subject: Subject) -> list[str]:
    """A search in small slices that moves to NumPy at five states, and to the kernel at twenty, maybe in a layer."""
    limits = Limits(max_states=MAX_STATES)
    expected = plain(explore(*subject, limits, options=Options(space="tuples", counterexamples=2)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spaces, "GROWN", 5)
        patch.setattr(search, "_SLICE", 3)
        patch.setattr(search, "_PACKED_SLICE", 4)
        found = plain(explore(*subject, limits, options=Options(counterexamples=2)))
    return [
        f"{mine.property}: {mine} and not {its}" for mine, its in zip(found, expected, strict=True) if mine != its
    ]


def antecedents(subject: Subject) -> list[str]:
    """A claim that holds, and not whatever the state, is vacuous just where one of its conditions is never true."""
    search, _ = search_states(*subject, Limits(max_states=MAX_STATES), options=PLAIN)
    layout, said = search.layout, {finding.property: finding for finding in explore(*subject, options=PLAIN)}
    states = [layout.decode(state) for state in (*search.visited(), *search.outside)]
    problems: list[str] = []
    for claim in subject[0].claims:
        if not claim.antecedents or claim.method.kind not in ("always", "lemma") or claim.claim == TRUE:
            continue
        answer = said[claim.name].answer
        if answer is Answer.VIOLATED or not search.complete:
            continue
        names = [names_of(claim, arguments) for arguments in layout.arguments(claim.parameters)]
        met = [
            any(evaluate(node, layout, values, one) for values in states for one in names)
            for node in claim.antecedents.values()
        ]
        if (answer is Answer.VACUOUS) == all(met):
            problems.append(f"{claim.name} is {answer.value}, its conditions being met: {met}")
    return problems


def going_on(subject: Subject) -> list[str]:
    """A search that was cut, half way through and one state before its end, and goes on from its checkpoint."""
    expected = plain(explore(*subject, Limits(max_states=MAX_STATES), options=PLAIN))
    states = expected[0].states or 0
    problems: list[str] = []
    for bound in (max(1, states // 2), max(1, states - 1)):
        with tempfile.TemporaryDirectory() as folder:
            options = attrs.evolve(PLAIN, checkpoint=Path(folder, "kept"))
            explore(*subject, Limits(max_states=bound), options=options)
            found = plain(explore(*subject, Limits(max_states=MAX_STATES), options=options))
        pairs = zip(found, expected, strict=True)
        problems += [f"{mine.property}: {mine} and not {its}" for mine, its in pairs if mine != its]
    return problems


def least_paths(subject: Subject) -> list[str]:
    """A counterexample is the path of a search with parents; those of one property end in different states."""
    expected = dict(test_trails.WithParents(*subject).refuted())
    found = explore(*subject, options=attrs.evolve(PLAIN, counterexamples=3))
    paths = test_trails.paths(found)
    problems = [
        f"{name}: {paths.get(name)} and not {path}" for name, path in expected.items() if paths.get(name) != path
    ]
    for finding in found:
        ends = [_end(path) for path in (finding.counterexample, *finding.more) if path is not None]
        if len(set(ends)) < len(ends):
            problems.append(f"{finding.property}: {ends} are not different")
    return problems


def _end(path: Counterexample) -> tuple[tuple[str, str], ...]:
    cells = dict(path.initial)
    for step in path.steps:
        cells.update((cell, after) for cell, (_, after) in step.changes.items())
    return tuple(cells.items())


def members(subject: Subject) -> list[str]:
    """What is in a batch is a member of it and nothing else is, however many there are."""
    problems: list[str] = []
    layout = Layout(*subject)
    for make in (RowSpace, ColumnSpace):
        try:
            space = make(layout)
        except UsageError:  # it cannot be packed
            continue
        states = list(dict.fromkeys(random_states(layout, space.packing.fields, BATCH, "members")))
        for many in range(1, len(states), 3):
            batch = space.pack(states[:many])
            found = [space.member(state, batch) for state in states]
            if found != [place < many for place in range(len(states))]:
                problems.append(f"{space.name}: of the first {many} states {found} are members")
    return problems


def shown(models: Iterable[Subject], *checks: Check) -> Iterator[str]:
    """What shows a fault, as it is come by; nothing where nothing does."""
    for subject in models:
        for check in checks:
            try:
                problems = check(subject)
            except OURS as error:
                problems = [str(error)]
            yield from (f"{subject[0].name}, {check.__name__}: {problem}" for problem in problems)


def noticed(models: Iterable[Subject], *checks: Check) -> bool:
    return next(shown(models, *checks), "") != ""
