"""prove: one solver with push and pop, and only goals that a step touches, against a fresh solver for every goal.

Run by ``make bench``, never by ``make test``: both forms are timed in one run, their answers compared, and the ratio
of their times is what is asserted.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from meshspec.backends.solver import RLIMIT
from meshspec.engines.inductive import Property, properties_of
from meshspec.engines.obligations import Obligation, Proved, Prover, obligations_of
from meshspec.engines.prove import prove
from meshspec.lang.lift import LiftedModel, lift
from meshspec.lang.outcomes import Does
from meshspec.models.effect_ledger import EffectLedger
from tests.models import p_ledger, p_two_phase

BenchmarkFixture = Any  # of pytest-benchmark, which only `make bench` installs

T = TypeVar("T")
Proofs = dict[str, bool]
ROUNDS = 3
LEAST = 3.0
MODELS = [EffectLedger, p_two_phase.TwoPhase, p_ledger.EffectLedger]


def prover_of(model: LiftedModel) -> Prover:
    return Prover(model, RLIMIT, max_members=8, rounds=3)


def all_goals(model: LiftedModel, property: Property) -> list[Obligation]:
    """The base case, and every path of every action, whether it touches the property or not."""
    steps = [
        Obligation(property, action, path)
        for action in model.actions
        for path in action.paths
        if isinstance(path.outcome, Does)
    ]
    return [Obligation(property), *steps]


def kept(model: LiftedModel) -> Proofs:
    """As `prove` asks: one solver, what is untouched not asked."""
    prover, properties = prover_of(model), {p.name: p for p in properties_of(model)}
    return {
        name: all(isinstance(prover.settle(o, properties), Proved) for o in obligations_of(model, property))
        for name, property in properties.items()
    }


def fresh(model: LiftedModel) -> Proofs:
    """Each goal to a solver that has seen nothing."""
    properties = {p.name: p for p in properties_of(model)}
    return {
        name: all(isinstance(prover_of(model).settle(o, properties), Proved) for o in all_goals(model, property))
        for name, property in properties.items()
    }


def timed(benchmark: BenchmarkFixture, form: Callable[[LiftedModel], T], model: LiftedModel) -> T:
    """What the benchmark's own table shows."""
    result: T = benchmark.pedantic(form, args=(model,), rounds=ROUNDS, warmup_rounds=1)
    return result


def median(form: Callable[[LiftedModel], Proofs], model: LiftedModel) -> float:
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        form(model)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


@pytest.mark.parametrize("model", MODELS, ids=["shipped ledger", "two-phase commit", "plain ledger"])
def test_push_and_pop_with_touched_goals_is_three_times_a_fresh_solver_for_every_goal(
    benchmark: BenchmarkFixture, model: type
) -> None:
    lifted = lift(model)
    answers = kept(lifted)
    assert answers == fresh(lifted) and all(answers.values())
    one, each = median(kept, lifted), median(fresh, lifted)
    print(f"\n{lifted.name}: kept {one:.3f} s, fresh {each:.3f} s, ratio {each / one:.1f}")
    timed(benchmark, kept, lifted)
    assert each >= LEAST * one


def test_the_obligations_of_the_shipped_ledger(benchmark: BenchmarkFixture) -> None:
    """All of them for any size, certified and lifted before: what `prove` itself takes."""
    lifted = lift(EffectLedger)
    findings = timed(benchmark, prove, lifted)
    assert findings and all(finding.strength is not None for finding in findings)
