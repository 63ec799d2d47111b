"""The shipped loop breaker, used as its docstring says: in one process, with a clock of one's own."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from meshspec.policies import breaker
from meshspec.policies.breaker import CONTINUE, ProgressBreaker, Uninformative, name_of
from meshspec.properties import breaker_policy
from meshspec.roles.breaker import Breaker
from meshspec.roles.story import Call

SAME = Call("read_file", {"path": "a.py"}, "214 bytes", None, None, True)
STILL = Call("run_check", {"name": "app"}, "5 failed", (3, 5), None, False)


def looked(text: str) -> Call:
    return SAME._replace(text=text)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def tripping(policy: ProgressBreaker, step: Call = SAME, most: int = 99) -> int | None:
    """At which step it trips on the same thing over and over."""
    return next((n for n in range(1, most) if policy.observe(step) != CONTINUE), None)


def failing() -> Any:
    raise RuntimeError("the service is down")


def opened(clock: Clock, **settings: Any) -> ProgressBreaker:
    policy = ProgressBreaker(clock=clock, **settings)
    for _ in range(14):
        if policy.call(lambda: SAME) != CONTINUE:
            return policy
    raise AssertionError("it never tripped")


def test_it_is_a_breaker_and_imports_nothing_of_ours() -> None:
    policy: Breaker = ProgressBreaker()
    assert policy.observe(SAME) == CONTINUE
    assert "import meshspec" not in str(breaker.__doc__) and breaker.__file__ is not None
    with open(breaker.__file__, encoding="utf-8") as file:  # noqa: PTH123
        assert "from meshspec" not in file.read()


def test_patience_is_the_number_of_steps_without_progress() -> None:
    assert tripping(ProgressBreaker(3)) == 4  # the first is news
    assert tripping(ProgressBreaker(3), STILL) == 3  # what a check says first is no progress
    assert tripping(ProgressBreaker(1)) == 2
    assert ProgressBreaker(3).observe(STILL) == CONTINUE


@pytest.mark.parametrize(
    "settings", [{"patience": 0}, {"doubt": "perhaps"}, {"rest": 0.0}, {"rest": 10.0, "longest": 5.0}]
)
def test_settings_that_cannot_be_meant_are_refused_with_what_was_given(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"patience is at least 1 \(.*\), doubt \"trip\" or \"run\""):
        ProgressBreaker(**settings)


def test_its_choices_where_it_cannot_know() -> None:
    assert tripping(ProgressBreaker(doubt="run")) is None
    failed = SAME._replace(success=False)
    assert tripping(ProgressBreaker(doubt="run"), failed) == tripping(ProgressBreaker(), failed) == 13
    assert tripping(ProgressBreaker(doubt="run"), STILL) == 12
    masked = ProgressBreaker(content=lambda step: step.text.partition(" at ")[0])
    assert next(n for n in range(1, 99) if masked.observe(looked(f"idle at {n}")) != CONTINUE) == 13


def test_a_check_is_the_same_in_whatever_order_its_arguments_are_given() -> None:
    one = STILL._replace(arguments={"name": "app", "jobs": 2})
    assert name_of(one) == name_of(STILL._replace(arguments={"jobs": 2, "name": "app"}))
    assert name_of(one) != name_of(STILL)
    odd: dict[Any, Any] = {1: "a", "b": None}
    assert name_of(STILL._replace(arguments=odd)) == name_of(STILL._replace(arguments=dict(reversed(odd.items()))))


def test_after_a_rest_one_call_is_let_through_and_progress_closes_it() -> None:
    clock = Clock()
    policy = opened(clock)
    clock.now = 59.0
    assert policy.call(failing) != CONTINUE and policy.observe(looked("news")) != CONTINUE
    clock.now = 60.0
    assert policy.ask(looked("news")) == CONTINUE != policy.ask(SAME)
    assert policy.call(lambda: looked("news")) == CONTINUE
    assert policy.observe(looked("more")) == CONTINUE and policy.wait == 60.0


def test_what_does_not_help_doubles_the_rest_up_to_the_longest() -> None:
    clock = Clock()
    policy = opened(clock, longest=200.0)
    waits: list[float] = []
    for _ in range(4):
        clock.now += policy.wait
        assert policy.call(lambda: SAME) == ("TRIP", f"{policy.tripped}; and none since")
        waits.append(policy.wait)
    assert waits == [120.0, 200.0, 200.0, 200.0]
    policy.reset()
    assert policy.wait == 60.0


@pytest.mark.parametrize("ending", [Uninformative, KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_a_call_that_says_nothing_counts_for_nothing_and_gives_its_turn_back(ending: type[BaseException]) -> None:
    def ends() -> Any:
        raise ending

    clock = Clock()
    policy = ProgressBreaker(clock=clock)
    for _ in range(99):
        with pytest.raises(ending):
            policy.call(ends)
    policy = opened(clock)
    clock.now = 60.0
    for _ in range(3):
        with pytest.raises(ending):
            policy.call(ends)
    assert policy.call(lambda: looked("news")) == CONTINUE


def test_one_and_the_same_error_over_and_over_is_a_loop() -> None:
    policy = ProgressBreaker(3)
    for _ in range(4):
        with pytest.raises(RuntimeError):
            policy.call(failing)
    assert policy.call(failing) == ("TRIP", policy.tripped)


def test_who_was_not_let_through_does_not_end_the_turn_of_who_was() -> None:
    clock = Clock()
    policy = opened(clock)
    clock.now = 60.0

    def meanwhile() -> Call:
        assert policy.observe(looked("of somebody else")) != CONTINUE
        assert policy.call(failing) != CONTINUE
        return looked("news")

    assert policy.call(meanwhile) == CONTINUE


def test_of_many_threads_one_is_let_through() -> None:
    clock = Clock()
    policy = opened(clock)
    clock.now = 60.0
    ran, barrier, done = list[int](), threading.Barrier(8), threading.Event()

    def perform() -> Call:
        ran.append(1)
        done.wait(0.2)
        return SAME

    def caller() -> None:
        barrier.wait()
        policy.call(perform)

    threads = [threading.Thread(target=caller) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ran) == 1


def test_a_snapshot_survives_json_and_goes_on_where_it_was_sessions_and_rest_included() -> None:
    clock = Clock()
    policy = opened(clock)
    policy.session("other").observe(SAME)
    clock.now = 30.0
    held = json.loads(json.dumps(policy.snapshot()))
    later = Clock()
    later.now = 1000.0
    again = ProgressBreaker(clock=later)
    again.restore(held)
    assert again.snapshot() == policy.snapshot()
    assert again.call(failing) == ("TRIP", policy.tripped)
    later.now += 30.0
    assert again.call(lambda: looked("news")) == CONTINUE
    assert again.session("other").ask(SAME) == CONTINUE and ("read_file", "214 bytes") in again.session("other").seen


def test_sessions_share_settings_and_nothing_else() -> None:
    policy = ProgressBreaker(3)
    assert tripping(policy.session("a")) == 4 == tripping(policy.session("b"))
    assert policy.session("a") is policy.session("a") and policy.observe(SAME) == CONTINUE


def test_a_reset_makes_it_patient_and_forgets_nothing() -> None:
    policy = ProgressBreaker(3)
    first, again = tripping(policy), None
    policy.reset()
    again = tripping(policy)
    assert (first, again) == (4, 3)  # it knows that result by now


def test_the_states_that_the_evidence_pins_were_counted_by_hand() -> None:
    """Steps and checks before a trip, then each way to trip: holding, rested, trying, each run on or not."""
    for patience in (1, 2, 3, 4):
        before, tripped, todo = {(0, 0)}, set[tuple[int, int]](), [(0, 0)]
        while todo:
            stale, stuck = todo.pop()
            for after in ((0, stuck), (stale + 1, stuck), (0, 0), (stale + 1, stuck + 1)):
                if max(after) >= patience:
                    tripped.add(after)
                elif after not in before:
                    before.add(after)
                    todo.append(after)
        assert (len(before), len(tripped)) == (patience**2, 2 * patience)
    assert breaker_policy.EVIDENCE.states == 2**2 + 3 * 2 * (2 * 2)


def test_the_knobs_it_states_are_settings_it_takes() -> None:
    for name, values in ProgressBreaker.KNOBS.items():
        for value in values:
            settings: dict[str, Any] = {name: value}
            assert ProgressBreaker(**settings).settings[name] == value
