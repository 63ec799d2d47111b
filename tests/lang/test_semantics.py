"""The fourteen rules of the language's meaning, each by name."""

import cProfile
import gc
import time
from enum import Enum
from typing import Annotated

import pytest

from meshspec import (
    Blocked,
    Map,
    ModelError,
    Range,
    Sort,
    action,
    always,
    any_of,
    choose,
    count,
    each,
    exists,
    implies,
    model,
    require,
    scope,
    var,
)
from meshspec.answer import Answer, Finding
from meshspec.backends import native
from meshspec.backends.certificate import certified, certify
from meshspec.backends.layout import Layout
from meshspec.backends.native import Next
from meshspec.engines.explore import explore
from meshspec.errors import LiftError
from meshspec.lang.lift import Lifted, LiftedModel, lift
from meshspec.lang.outcomes import Blocks, Does, Raises
from tests.lang.reading import no_scan
from tests.models.plain_ledger import EffectLedger


class Job(Sort):
    """A piece of work."""


class Light(Enum):
    RED = 0
    GREEN = 1


def action_of(lifted: LiftedModel, name: str) -> Lifted:
    return next(found for found in lifted.actions if found.name == name)


def told(lifted: LiftedModel, name: str, sizes: dict[type[Sort], int]) -> Finding:
    return next(finding for finding in explore(lifted, sizes) if finding.property == name)


def test_rule_1_finite_values_are_real_and_members_are_canonical_when_lifted() -> None:
    seen: dict[str, object] = {}

    @model
    class Lamp:
        on: bool = var(False)
        light: Light = var(Light.RED)
        last: Job | None = var(None)

        @action
        def look(self, j: Job) -> None:
            seen["bool"], seen["enum"] = type(self.on) is bool, self.light in tuple(Light)
            seen["none"] = self.last is None or self.last is self.last
            seen["same"] = {j, j} == {j} and (self.last != j or self.last is j)
            seen["comparison"] = (self.on == (self.light is Light.RED)).__class__

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("meshspec.lang.lift.refuse_blind_spots", no_scan)
        lift(Lamp)
    assert seen == {"bool": True, "enum": True, "none": True, "same": True, "comparison": bool}


def test_rule_2_reads_see_earlier_writes_and_what_is_not_written_stays() -> None:
    @model
    class Lamp:
        n: int = var(1)
        m: Map[Job, int] = var(0)
        other: int = var(5)

        @action
        def turn(self, x: Job, y: Job) -> None:
            self.n += 1
            self.m[x] = self.n
            self.m[y] = self.m[x] + 1

    lifted = certified(Lamp)
    layout = Layout(lifted, {Job: 2})
    start = layout.decode(next(layout.initial_states()))
    turn = action_of(lifted, "turn")
    after = native.run(layout, turn, start, (Job(1), Job(1)))
    assert isinstance(after, Next)
    expected = {("n", ()): 2, ("m", (Job(0),)): 0, ("m", (Job(1),)): 3, ("other", ()): 5}
    assert after.values == expected


def test_rule_3_a_blocked_action_changes_nothing_and_no_except_exception_swallows_it() -> None:
    @model
    class Lamp:
        n: int = var(0)

        @action
        def turn(self) -> None:
            try:
                require(self.n > 0, "not yet")
            except Exception:
                self.n = 9
            self.n = 1

    lamp = Lamp()
    with pytest.raises(Blocked, match="not yet"):
        lamp.turn()
    assert lamp.n == 0
    assert not issubclass(Blocked, Exception)
    assert [path.outcome for path in action_of(certified(Lamp), "turn").paths][1] == Blocks()


def test_rule_3_require_after_an_assignment_is_refused() -> None:
    @model
    class Lamp:
        n: int = var(0)

        @action
        def turn(self) -> None:
            self.n += 1
            require(self.n < 3)

    with pytest.raises(LiftError, match="require comes before the first assignment; n is assigned already"):
        lift(Lamp)


def test_rule_4_an_exception_is_violated_and_never_not_enabled() -> None:
    @model
    class Lamp:
        n: Annotated[int, Range(0, 3)] = var(0)

        @action
        def turn(self) -> None:
            if self.n >= 2:
                raise OverflowError("full")
            self.n += 1

        @always
        def small(self) -> bool:
            return 6 // (2 - self.n) > 0

    lifted = certified(Lamp)
    assert Raises("OverflowError") in [path.outcome for path in action_of(lifted, "turn").paths]
    raised = told(lifted, "no action raises", {})
    assert raised.answer is Answer.VIOLATED
    assert raised.counterexample is not None
    assert raised.counterexample.actions == ("turn", "turn", "turn")
    claim = told(lifted, "small", {})
    assert claim.answer is Answer.VIOLATED
    assert claim.counterexample is not None
    assert "its body raises ZeroDivisionError" in claim.counterexample.failed


def test_rule_5_a_range_that_is_left_is_violated_and_neither_wraps_nor_blocks() -> None:
    @model
    class Lamp:
        n: Annotated[int, Range(0, 2)] = var(0)

        @action
        def turn(self) -> None:
            self.n += 1

    lamp = Lamp()
    for _ in range(5):
        lamp.turn()
    assert lamp.n == 5
    left = told(certified(Lamp), "n stays in 0..2", {})
    assert left.answer is Answer.VIOLATED
    assert left.counterexample is not None and len(left.counterexample.steps) == 3


def test_rule_5_integers_are_unbounded_and_division_floors() -> None:
    @model
    class Lamp:
        n: int = var(-7)

        @action
        def halve(self) -> None:
            self.n = self.n // 2 * 10**30 + self.n % -3

    lamp = Lamp()
    lamp.halve()
    assert lamp.n == -4 * 10**30 - 1
    certified(Lamp)


def test_rule_6_outside_a_model_members_are_made_and_iterated_in_a_scope() -> None:
    with scope({Job: 2}):
        assert list(Job) == [Job(0), Job(1)] and len(Job) == 2
    with pytest.raises(ModelError, match="Job has no size here"):
        list(Job)


def test_rule_7_maps_are_total_aliases_are_one_map_and_each_reads_that_moment() -> None:
    @model
    class Lamp:
        m: Map[Job, int] = var(0)
        n: Map[Job, int] = var(0)

        @action
        def turn(self, j: Job) -> None:
            same = self.m
            same[j] = 1
            kept = each(Job, lambda k: self.m[k] + 1)
            self.m[j] = 7
            self.n = kept

    lamp = Lamp()
    with scope({Job: 2}):
        lamp.turn(Job(1))
    assert [lamp.n[Job(0)], lamp.n[Job(1)], lamp.m[Job(1)], lamp.m[Job(99)]] == [1, 2, 7, 0]
    certified(Lamp)


def test_rule_8_the_parameters_of_a_claim_are_universal_over_sorts_enums_and_ranges() -> None:
    @model
    class Lamp:
        n: Annotated[int, Range(0, 3)] = var(0)
        light: Light = var(Light.RED)

        @action
        def turn(self) -> None:
            require(self.n < 3)
            self.n += 1

        @always
        def differs(self, k: Annotated[int, Range(2, 3)], light: Light) -> bool:
            return self.n != k or self.light != light

    found = told(certified(Lamp), "differs", {})
    assert found.answer is Answer.VIOLATED
    assert found.counterexample is not None and found.counterexample.failed.startswith("differs(2, RED)")


def test_rule_9_constants_are_values_per_instance() -> None:
    @model
    class Lamp:
        most: int = 2
        cost: Map[Job, int] = Map(1, {Job(1): 5})
        n: Annotated[int, Range(0, 9)] = var(0)

        @action
        def pay(self, j: Job) -> None:
            require(self.n + self.cost[j] <= self.most)
            self.n += self.cost[j]

        @always
        def little(self) -> bool:
            return self.n < 4

    assert told(certified(Lamp), "little", {Job: 2}).answer is Answer.HOLDS
    generous = told(certified(Lamp(most=6)), "little", {Job: 2})
    assert generous.counterexample is not None and generous.counterexample.actions == ("pay(job1)",)
    assert told(certified(Lamp(most=3, cost=Map(5))), "little", {Job: 2}).answer is Answer.HOLDS


def test_rule_10_a_body_that_asks_other_questions_the_second_time_is_refused() -> None:
    calls: list[int] = []

    @model
    class Lamp:
        a: int = var(0)
        b: int = var(0)

        @action
        def turn(self) -> None:
            calls.append(1)
            require(self.a > 0 if len(calls) % 2 else self.b > 0)
            self.a = 0

    with pytest.raises(LiftError, match="not deterministic"):
        lift(Lamp)


def test_rule_10_a_body_that_does_another_thing_natively_the_second_time_is_not_certified() -> None:
    calls: list[int] = []

    @model
    class Lamp:
        a: int = var(0)

        @action
        def turn(self) -> None:
            calls.append(1)
            self.a = 0 if len(calls) < 203 else 1

    with pytest.raises(ModelError, match="hidden state"):
        certify(lift(Lamp))


def test_rule_11_an_override_keeps_its_place_and_a_nested_machine_is_flattened() -> None:
    @model
    class Breaker:
        open: bool = var(False)

        def trip(self) -> None:
            self.open = True

        @always
        def closed(self) -> bool:
            return not self.open

    @model
    class Plant:
        breaker: Breaker = var()
        bad: bool = var(False)

        @action
        def fail(self) -> None:
            self.bad = True

        @action
        def note(self) -> None:
            require(self.bad)
            self.breaker.trip()

    @model
    class Eager(Plant):
        @action
        def fail(self) -> None:
            super().fail()
            self.breaker.trip()

    lifted = certified(Eager)
    assert [found.name for found in lifted.actions] == ["fail", "note"]
    assert [variable.symbol.name for variable in lifted.declared.variables] == ["breaker.open", "bad"]
    found = told(lifted, "breaker.closed", {})
    assert found.counterexample is not None and found.counterexample.actions == ("fail",)


def test_rule_11_a_range_of_a_nested_machine_reads_the_constants_of_that_machine() -> None:
    @model
    class Breaker:
        most: int = 1
        n: Annotated[int, Range(0, lambda m: m.most)] = var(0)

    @model
    class Plant:
        most: int = 7
        breaker: Breaker = var()

        @action
        def fail(self) -> None:
            self.breaker.n += 1

    assert told(certified(Plant), "breaker.n stays in 0..1", {}).answer is Answer.VIOLATED


def test_rule_12_choose_is_a_hidden_parameter_and_any_of_makes_initial_states() -> None:
    @model
    class Lamp:
        n: Annotated[int, Range(0, 5)] = var(any_of(4, 5))
        boss: Job = var(any_of(Job))

        @action
        def turn(self) -> None:
            self.n = choose(range(1, 3))
            self.boss = choose(Job)

        @always
        def kept(self) -> bool:
            return self.n > 1

    lifted = certified(Lamp)
    layout = Layout(lifted, {Job: 2})
    assert len(list(layout.initial_states())) == 4
    assert [p.name for p in action_of(lifted, "turn").parameters] == ["choice1(1..2)", "choice2(Job)"]
    assert told(lifted, "kept", {Job: 2}).answer is Answer.VIOLATED


def test_rule_13_dead_paths_are_dropped_and_an_action_with_no_live_path_is_vacuous() -> None:
    @model
    class Lamp:
        n: Annotated[int, Range(0, 3)] = var(0)

        @action
        def turn(self) -> None:
            require(self.n < 3)
            self.n += 1

        @action
        def never(self) -> None:
            require(self.n > 2 and self.n < 2)
            self.n = 0

    lifted = lift(Lamp)
    by_name = {method.name: method.dead for method in certify(lifted).methods}
    assert by_name == {"turn": 0, "never": 1}
    fires = told(lifted, "every action fires", {})
    assert fires.answer is Answer.VACUOUS and "never" in fires.reason


def test_rule_14_transitions_include_self_loops_and_counts_are_of_complete_searches() -> None:
    @model
    class Lamp:
        on: bool = var(False)

        @action
        def turn(self) -> None:
            self.on = True

    found = told(certified(Lamp), "no action raises", {})
    assert (found.states, found.facts["transitions"], found.facts["complete"]) == (2, 2, True)


def test_an_antecedent_that_is_never_true_is_vacuous() -> None:
    @model
    class Lamp:
        on: Map[Job, bool] = var(False)
        n: Annotated[int, Range(0, 1)] = var(0)

        @action
        def turn(self) -> None:
            self.n = 1 - self.n

        @always
        def lit(self, j: Job) -> bool:
            return implies(self.on[j], exists(Job, lambda k: self.on[k]) and count(Job, lambda k: self.on[k]) > 0)

    assert told(certified(Lamp), "lit", {Job: 2}).answer is Answer.VACUOUS


def test_an_int_without_range_is_explored_on_tuples() -> None:
    @model
    class Lamp:
        n: int = var(0)

        @action
        def turn(self) -> None:
            require(abs(self.n) < 5)
            self.n = -self.n - 1 if self.n >= 0 else -self.n

        @always
        def small(self) -> bool:
            return abs(self.n) < 6

    assert told(certified(Lamp), "small", {}).answer is Answer.HOLDS


def test_a_write_that_changes_nothing_is_no_update() -> None:
    @model
    class Lamp:
        n: int = var(0)

        @action
        def turn(self) -> None:
            self.n = self.n + 0

    assert [path.outcome for path in action_of(lift(Lamp), "turn").paths] == [Does(())]


def test_an_assert_that_pytest_rewrites_is_refused_at_its_own_line() -> None:
    @model
    class Lamp:
        n: int = var(0)

        @action
        def turn(self) -> None:
            assert self.n < 2
            self.n += 1

    with pytest.raises(LiftError, match="cannot be formatted") as refusal:
        lift(Lamp)
    assert refusal.value.where is not None and refusal.value.where.file.endswith("test_semantics.py")


def test_lifting_under_a_profiler_gives_the_profiler_back() -> None:
    @model
    class Lamp:
        n: int = var(0)

        @action
        def turn(self) -> None:
            require(self.n < 2)
            self.n += 1

    profile = cProfile.Profile()
    profile.enable()
    try:
        lift(Lamp)
        abs(-1)
    finally:
        profile.disable()
    assert any("abs" in str(entry.code) for entry in profile.getstats())


def test_what_a_garbage_collection_calls_back_is_no_part_of_a_body() -> None:
    """A test runner may hook into collections, and one may come while a body is read."""
    called: list[str] = []

    def back(phase: str, info: object) -> None:
        called.append(f"{phase} {time.perf_counter()}")

    before = gc.get_threshold()
    gc.callbacks.append(back)
    gc.set_threshold(1)
    try:
        lifted = lift(EffectLedger)
    finally:
        gc.callbacks.remove(back)
        gc.set_threshold(*before)
    assert called, "collections did take place"
    assert all(code.co_name != "back" for method in lifted.actions for code in method.ran)
    assert gc.isenabled()
