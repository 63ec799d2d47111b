"""drive: one rule that picks an enabled action, against a machine as one writes it: a rule for each kind of action.

Run by ``make bench``, never by ``make test``. Both machines are of one ledger, ask the same of every state and are
run by Hypothesis with the same settings and seeds in turn; ratios are asserted and written to ``paper/driving.json``.
Times are of the processor.
"""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from meshspec.engines.driven import Refuted
from meshspec.engines.machine import ModelMachine, machine
from tests.benchmarks.record import FILE
from tests.benchmarks.record import machine as hardware
from tests.models.plain_ledger import Effect, EffectLedger, ResendInDoubt

BenchmarkFixture = Any  # of pytest-benchmark, which only `make bench` installs

EFFECTS = 4
EXAMPLES, STEPS = 100, 50
SEEDS = range(5)
STEPS_AT_LEAST, SOONER_AT_LEAST = 4.0, 3.0
KEPT = FILE.parent / "driving.json"
AT_MOST_ONCE = "at_most_once"


def told(phases: tuple[Phase, ...], examples: int = EXAMPLES) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        phases=phases,
        print_blob=False,
        report_multiple_bugs=False,
    )


def by_hand(*, resend: bool) -> tuple[type[RuleBasedStateMachine], Counter[str]]:
    """The ledger with a rule for each kind of action, its guard inside; steps that did something are counted."""
    done: Counter[str] = Counter()
    effects = st.integers(0, EFFECTS - 1)

    class Ledger(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.intended, self.applied = [False] * EFFECTS, [0] * EFFECTS
            self.recorded, self.sent = [False] * EFFECTS, [False] * EFFECTS
            self.doubtful, self.up, self.steps = [False] * EFFECTS, True, 0

        def did(self) -> None:
            done["steps"] += 1
            self.steps += 1

        @rule(e=effects)
        def intend(self, e: int) -> None:
            if self.up and not self.intended[e]:
                self.did()
                self.intended[e] = True

        @rule(e=effects)
        def send(self, e: int) -> None:
            if self.up and self.intended[e] and not self.recorded[e] and not self.sent[e] and not self.doubtful[e]:
                self.did()
                self.applied[e] += 1
                self.sent[e] = True

        @rule(e=effects)
        def record(self, e: int) -> None:
            if self.up and self.sent[e]:
                self.did()
                self.recorded[e], self.sent[e] = True, False

        @rule()
        def crash(self) -> None:
            if self.up:
                self.did()
                self.up, self.sent = False, [False] * EFFECTS

        @rule()
        def recover(self) -> None:
            if not self.up:
                self.did()
                self.up = True
                self.doubtful = [i and not r for i, r in zip(self.intended, self.recorded, strict=True)]

        @rule(e=effects)
        def settle(self, e: int) -> None:
            if self.up and self.doubtful[e]:
                self.did()
                self.doubtful[e] = False
                if not resend and self.applied[e] > 0:
                    self.recorded[e] = True

        @invariant()
        def at_most_once(self) -> None:
            done["last"] = self.steps
            assert all(0 <= n <= 1 for n in self.applied)

    return Ledger, done


def by_model(model: type) -> type[ModelMachine]:
    made = machine(model, scope={Effect: EFFECTS})
    made.plan.open.intersection_update({AT_MOST_ONCE})
    return made


def timed(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def steps_a_second(chosen: int) -> tuple[float, float]:
    """Steps that do something, a second: by hand, and by the model."""
    phases = (Phase.generate,)
    hand, done = by_hand(resend=False)
    first = timed(lambda: run_state_machine_as_test(seed(chosen)(hand), settings=told(phases)))
    made = by_model(EffectLedger)
    second = timed(lambda: run_state_machine_as_test(seed(chosen)(made), settings=told(phases)))
    return done["steps"] / first, made.plan.steps / second


def failure(made: type[RuleBasedStateMachine], chosen: int) -> AssertionError:
    """What a machine fails with, shrunk."""
    try:
        run_state_machine_as_test(seed(chosen)(made), settings=told((Phase.generate, Phase.shrink), 5_000))
    except AssertionError as error:
        return error
    raise RuntimeError("the bug was not found")


def to_the_bug(chosen: int) -> tuple[float, float, int, int]:
    """Processor seconds to the shrunk bug, by hand and by the model, and how many steps are left of each."""
    lengths = list[int]()
    hand, done = by_hand(resend=True)

    def fails(made: type[RuleBasedStateMachine]) -> None:
        error = failure(made, chosen)
        lengths.append(len(error.shrunk.actions) if isinstance(error, Refuted) else done["last"])

    first = timed(lambda: fails(hand))
    second = timed(lambda: fails(by_model(ResendInDoubt)))
    return first, second, lengths[0], lengths[1]


def keep(name: str, figures: dict[str, Any]) -> None:
    known: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    known[name] = {"machine": hardware(), **figures}
    KEPT.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")


def test_four_times_the_steps_of_a_machine_with_a_rule_for_each_kind(benchmark: BenchmarkFixture) -> None:
    runs = [steps_a_second(chosen) for chosen in SEEDS]
    hand, ours = (statistics.median(side) for side in zip(*runs, strict=True))
    ratio = statistics.median(mine / theirs for theirs, mine in runs)
    print(f"\nsteps a second: by hand {hand:,.0f}, by the model {ours:,.0f}, ratio {ratio:.1f}")
    made = by_model(EffectLedger)
    told_ = told((Phase.generate,))
    benchmark.pedantic(lambda: run_state_machine_as_test(made, settings=told_), rounds=1)
    keep(
        "steps a second",
        {"by hand": round(hand), "by the model": round(ours), "ratio": round(ratio, 2), "runs": len(runs)},
    )
    assert ratio >= STEPS_AT_LEAST


def test_three_times_sooner_at_the_shrunk_bug(benchmark: BenchmarkFixture) -> None:
    runs = [to_the_bug(chosen) for chosen in SEEDS]
    hand, ours, left, short = (statistics.median(side) for side in zip(*runs, strict=True))
    ratio = hand / ours
    print(f"\nto the shrunk bug: by hand {hand:.2f} s ({left:.0f} steps), by the model {ours:.2f} s ({short:.0f})")
    benchmark.pedantic(lambda: failure(by_model(ResendInDoubt), 0), rounds=1)
    keep(
        "to the shrunk bug",
        {
            "by hand": {"seconds": round(hand, 3), "steps": left},
            "by the model": {"seconds": round(ours, 3), "steps": short},
            "ratio": round(ratio, 2),
            "runs": len(runs),
        },
    )
    assert ratio >= SOONER_AT_LEAST
    assert short <= left
