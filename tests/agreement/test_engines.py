"""Engines never contradict one another, and what they refute is refuted by CPython, step by step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from meshspec.engines.limits import Limits
from meshspec.engines.search import search_states
from tests.agreement.corners import Worker
from tests.agreement.engines import UNREDUCED, contradictions, searched
from tests.agreement.findings import told
from tests.agreement.models import CI, corners, generated, scopes, shipped, subjects
from tests.agreement.walking import Walker

BATCH = 20
ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("first", range(CI.start, CI.stop, BATCH))
def test_explore_finds_what_cpython_finds(first: int) -> None:
    for seed in range(first, first + BATCH):
        model = generated(seed)
        assert searched(model.lifted, model.scope) == [], f"seed {seed}"


def test_explore_finds_what_cpython_finds_in_corners() -> None:
    for model, sizes in subjects(()):
        assert searched(model, sizes, budget=20_000) == [], model.name
        assert contradictions(model, sizes) == [], model.name


def test_a_choice_that_does_not_matter_is_one_step() -> None:
    """Three numbers are picked; which workers are chosen matters for one of them only."""
    choices = next(model for model in corners() if model.name == "Choices")
    search, _ = search_states(choices, {Worker: 2}, Limits())
    assert (len(search.layers[1]), search.fired[0], search.states) == (4, 1, 6)


def test_explore_finds_what_cpython_finds_in_shipped_models() -> None:
    for model in shipped():
        for sizes in scopes(model):
            assert searched(model, sizes) == [], model.name


def test_most_of_the_small_models_are_searched_to_the_end() -> None:
    """Agreement on a search that was cut says less: few of them are."""
    seeds = range(0, 200, 4)
    complete = sum(Walker(generated(seed).lifted, generated(seed).scope, 1500).go().complete for seed in seeds)
    assert complete >= 0.8 * len(seeds)


@pytest.mark.parametrize("first", range(CI.start, CI.stop, BATCH))
def test_explore_simulate_and_prove_never_contradict_one_another(first: int) -> None:
    for seed in range(first, first + BATCH):
        model = generated(seed)
        assert contradictions(model.lifted, model.scope, seed=seed) == [], f"seed {seed}"


def test_explore_simulate_and_prove_agree_on_shipped_models() -> None:
    for model in shipped():
        assert contradictions(model, dict.fromkeys(model.sorts, 1), largest=2) == [], model.name


@pytest.mark.parametrize("hash_seed", ["1", "2718"])
def test_findings_are_the_same_in_another_process(hash_seed: str, tmp_path: Path) -> None:
    """Under another hash seed, in the plainest locale, and with files in another folder."""
    seeds = range(0, 40, 2)
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "LC_ALL": "C", "LANG": "C", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.agreement.findings", str(tmp_path), *map(str, seeds)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [told(generated(seed)) for seed in seeds]


def test_what_a_bound_cuts_off_is_no_deadlock() -> None:
    """Deadlocks of a search that was cut are deadlocks of CPython, and no state is refuted that is not."""
    cut = 0
    for seed in range(0, 120, 3):
        model = generated(seed)
        walked = Walker(model.lifted, model.scope, 1500).go()
        states = sum(map(len, walked.layers))
        if not walked.complete or states < 6:
            continue
        cut += 1
        search, _ = search_states(model.lifted, model.scope, Limits(max_states=states // 2), options=UNREDUCED)
        assert not search.complete and search.deadlocks <= len(walked.deadlocks)
        assert search.first_deadlock is None or search.first_deadlock.end in walked.deadlocks
    assert cut > 10
