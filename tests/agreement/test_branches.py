"""A wrong branch in a lifted method does not get past the certificate."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator

import pytest

from meshspec.backends.layout import Layout
from meshspec.expr.nodes import Cell
from meshspec.expr.walk import parts
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Split, leaves
from tests.agreement.branches import Tally, mutants
from tests.agreement.models import CI, generated, shipped, subjects
from tests.agreement.readings import nodes_of
from tests.generator import GeneratedModel

BATCH = 20


def layout_of(model: GeneratedModel) -> Layout:
    return Layout(model.lifted, {sort: max(2, size) for sort, size in model.scope.items()})


@pytest.mark.parametrize("first", range(CI.start, CI.stop, BATCH))
def test_a_wrong_branch_in_each_model_is_caught(first: int) -> None:
    """One in each model, in another method each time: caught, or proved to change nothing; few are the latter."""
    tally = Tally()
    for seed in range(first, first + BATCH):
        model = generated(seed)
        methods = [one for one in (*model.lifted.actions, *model.lifted.claims) if isinstance(one.tree, Split)]
        if methods:
            lifted = methods[seed % len(methods)]
            wrong = list(mutants(lifted))
            tally.plant(model.lifted, layout_of(model), lifted, wrong[seed % len(wrong)])
    assert tally.missed == []
    assert tally.caught >= 0.6 * BATCH and tally.equivalent <= 0.3 * BATCH


def body_of(lifted: Lifted) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(lifted.method.function)))


def has_match(lifted: Lifted) -> bool:
    return any(isinstance(node, ast.Match) for node in ast.walk(body_of(lifted)))


def returns_early(lifted: Lifted) -> bool:
    return lifted.method.kind in ("action", "fault") and any(
        isinstance(node, ast.Return) for node in ast.walk(body_of(lifted))
    )


def has_nested_maps(lifted: Lifted) -> bool:
    nodes = [node for condition, leaf in leaves(lifted.raw) for node in (*condition, *nodes_of(leaf))]
    cells = [part for node in nodes for part in parts(node) if isinstance(part, Cell)]
    return any(isinstance(key, Cell) for cell in cells for key in cell.keys)


def has_four_paths(lifted: Lifted) -> bool:
    return lifted.method.kind in ("action", "fault") and len(lifted.paths) >= 4


FEATURES = (has_match, returns_early, has_nested_maps, has_four_paths)


def methods_with(feature: Callable[[Lifted], bool]) -> Iterator[tuple[GeneratedModel, Lifted]]:
    for seed in CI:
        model = generated(seed)
        for lifted in (*model.lifted.actions, *model.lifted.claims):
            if isinstance(lifted.tree, Split) and feature(lifted):
                yield model, lifted


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.__name__)
def test_every_wrong_branch_of_methods_that_are_hard_to_read_is_caught(feature: Callable[[Lifted], bool]) -> None:
    tally = Tally()
    methods = [pair for pair, _ in zip(methods_with(feature), range(8), strict=False)]
    assert len(methods) == 8
    for model, lifted in methods:
        for wrong in mutants(lifted):
            tally.plant(model.lifted, layout_of(model), lifted, wrong)
    assert tally.missed == []
    assert tally.caught >= 15 and tally.equivalent <= tally.caught // 2


def test_every_wrong_branch_of_a_corner_is_caught() -> None:
    """Among them those that only one worker, or just three, can take."""
    tally = Tally()
    for model, sizes in subjects(()):
        for lifted in (*model.actions, *model.claims):
            for wrong in mutants(lifted):
                tally.plant(model, Layout(model, sizes), lifted, wrong)
    assert tally.missed == [] and tally.caught > 20 and tally.equivalent <= 4


def test_every_wrong_branch_of_a_shipped_model_is_caught() -> None:
    tally = Tally()
    for model in shipped():
        layout = Layout(model, dict.fromkeys(model.sorts, 2))
        for lifted in (*model.actions, *model.claims):
            for wrong in list(mutants(lifted))[:3]:
                tally.plant(model, layout, lifted, wrong)
    assert tally.missed == [] and tally.caught > 30
