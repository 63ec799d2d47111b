"""Every reading of a method says what CPython says."""

from __future__ import annotations

import pytest

from meshspec.backends.certificate import certify
from tests.agreement.models import CI, generated, scopes, shipped, subjects
from tests.agreement.readings import compare

BATCH = 20


@pytest.mark.parametrize("first", range(CI.start, CI.stop, BATCH))
def test_generated_models_are_read_as_cpython_runs_them(first: int) -> None:
    runs = solved = 0
    for seed in range(first, first + BATCH):
        model = generated(seed)
        compared = compare(model.lifted, model.scope, seed=seed)
        assert compared.differences == [], f"seed {seed}: {compared.differences[0]}"
        runs, solved = runs + compared.runs, solved + compared.solved
    assert runs > 40 * BATCH and solved > 2 * BATCH


def test_corners_are_read_as_cpython_runs_them() -> None:
    for model, sizes in subjects(()):
        assert compare(model, sizes, states=30, solved=15).differences == []


def test_shipped_models_are_read_as_cpython_runs_them() -> None:
    for model in shipped():
        for sizes in scopes(model):
            assert compare(model, sizes, states=5).differences == []


def test_the_certificate_raises_no_false_alarm() -> None:
    """On these, and in `soak.py` on hundreds."""
    for seed in range(0, CI.stop, 4):
        assert certify(generated(seed).lifted, random_states=30).states > 0
