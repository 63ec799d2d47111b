"""live: what must come about, under the fairness that the claim states, and the lassos that refute it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator

from meshspec import (
    Range,
    action,
    any_of,
    choose,
    eventually,
    leads_to,
    model,
    require,
    var,
)
from meshspec.answer import Answer, Counterexample, Finding, Strength
from meshspec.backends import native
from meshspec.backends.certificate import certified
from meshspec.engines import graph as graphs
from meshspec.engines.check import Answered, Settings, check, was_interrupted
from meshspec.engines.lasso import Owing, Runs
from meshspec.engines.limits import Limits
from meshspec.engines.live import CLAIMS, live
from meshspec.errors import Disagreement
from meshspec.lang.fairness import Fairness
from meshspec.lang.lift import lift
from meshspec.report.json import report_object
from meshspec.report.text import lines_of
from tests.engines.walks import ENTER, START, Case, Edge, said
from tests.models.leases import (
    Diners,
    Effect,
    ExpiringLease,
    OneTurnsRound,
    OrphanedLease,
    RecoveringLedger,
    SpinningPeterson,
    Worker,
)
from tests.models.lock import Peterson
from tests.models.walk import Way

HOLDS, VIOLATED = Answer.HOLDS, Answer.VIOLATED
UNDETERMINED, VACUOUS = Answer.UNDETERMINED, Answer.VACUOUS


def lived(cls: Any, sizes: Any = None, **limits: int) -> dict[str, Finding]:
    return {finding.property: finding for finding in live(lift(cls), sizes or {}, Limits(**limits))}


def path_of(finding: Finding) -> Counterexample:
    assert finding.counterexample is not None
    return finding.counterexample


def walk(
    *edges: str, asks: set[int], answers: set[int], weak: tuple[str, ...] = (), strong: tuple[str, ...] = ()
) -> dict[str, Finding]:
    """What is said of a walk from place 0 with steps such as ``0>1`` (anyone), ``0l1``, ``0r1``, ``0p1`` (pushed)."""
    ways = {">": Way.EITHER, "l": Way.LEFT, "r": Way.RIGHT, "p": Way.PUSHED}
    steps: set[Edge] = {(ways[edge[1]], int(edge[0]), int(edge[2])) for edge in edges}
    steps.add((ENTER, START, 0))
    return said(Case(frozenset(steps), frozenset(asks), frozenset(answers), Fairness(weak, strong)))


# -- cycles ----------------------------------------------------------------------------------------------------


def test_no_false_pass_through_cycles() -> None:
    """Two ways to one place and a way back: every cycle is to be seen, whichever way the search came to it first."""
    round_the_diamond = ("0>1", "0>2", "1>3", "2>3", "3>0", "3>4")
    found = walk(*round_the_diamond, asks={0}, answers={4})
    for name in ("gets_there", "is_answered"):
        assert found[name].answer is VIOLATED
        assert path_of(found[name]).actions[-3:] == ("either(place1)", "either(place3)", "either(place0)")
    back_through_one_side = walk("0>1", "0>2", "1>3", "2>3", "3>1", "3>4", asks={0}, answers={4})
    assert back_through_one_side["is_answered"].answer is VIOLATED
    no_way_back = walk("0>1", "0>2", "1>3", "2>3", "3>4", "4>4", asks={0}, answers={4})
    assert no_way_back["gets_there"].answer is no_way_back["is_answered"].answer is HOLDS
    answered_on_every_round = walk("0>1", "0>2", "1>3", "2>3", "3>0", asks={0}, answers={3})
    assert answered_on_every_round["is_answered"].answer is HOLDS


def test_a_place_met_first_with_nothing_pending_is_looked_at_again_with_something_pending() -> None:
    found = walk("0>1", "0>2", "1>3", "2>4", "4>1", "3>1", asks={2}, answers={0})["is_answered"]
    assert found.answer is VIOLATED
    path = path_of(found)
    assert path.actions == (
        "enter(place0)", "either(place2)", "either(place4)", "either(place1)", "either(place3)", "either(place1)"
    )  # fmt: skip
    assert path.loop == 4
    assert found.counterexample is not None
    assert "asked for after step 2" in found.counterexample.failed


def test_what_was_answered_is_not_pending_and_what_is_asked_for_again_is() -> None:
    assert walk("0>1", "1>2", "2>2", asks={0}, answers={1})["is_answered"].answer is HOLDS
    asked_again = walk("0>1", "1>2", "2>2", asks={0, 2}, answers={1})["is_answered"]
    assert asked_again.answer is VIOLATED
    assert path_of(asked_again).loop == 3


def test_what_is_answered_where_it_is_asked_for_has_come_about() -> None:
    found = walk("0>1", "1>0", asks={1}, answers={1})["is_answered"]
    assert found.answer is HOLDS
    assert "wherever it is asked for, so @always implies(...) says more" in found.reason


def test_a_cycle_that_is_not_pending_refutes_nothing() -> None:
    found = walk("0>0", "0>1", "1>2", "2>2", asks={1}, answers={2})
    assert found["is_answered"].answer is HOLDS
    assert found["gets_there"].answer is VIOLATED


# -- fairness --------------------------------------------------------------------------------------------------


def test_without_fairness_an_action_may_be_left_out_for_ever() -> None:
    found = lived(RecoveringLedger, {Effect: 2})
    assert found["what_is_intended_is_recorded"].answer is HOLDS
    assert found["what_is_intended_is_recorded"].reason == "under weak fairness of send, record, recover"
    bare = found["without_any_fairness"]
    assert (bare.answer, bare.reason) == (VIOLATED, "no fairness assumed")
    assert path_of(bare).actions == ("intend(effect0)", "look")
    assert path_of(bare).loop == 1


def test_what_is_enabled_on_and_off_needs_strong_fairness() -> None:
    on_and_off = ("0>1", "1>0", "0l2")
    weak = walk(*on_and_off, asks={0}, answers={2}, weak=("one",))["is_answered"]
    assert weak.answer is VIOLATED
    assert path_of(weak).actions == ("enter(place0)", "either(place1)", "either(place0)")
    assert walk(*on_and_off, asks={0}, answers={2}, strong=("one",))["is_answered"].answer is HOLDS
    always_enabled = (*on_and_off, "1l2")
    assert walk(*always_enabled, asks={0}, answers={2}, weak=("one",))["is_answered"].answer is HOLDS


@model
class WeaklyAcquired(ExpiringLease):
    @eventually(weak=("release", "expire", "acquire"))
    def whoever_waits_gets_it(self, w: Worker) -> bool:
        return leads_to(self.waits[w], self.holder is w or self.dead[w])


def test_a_lease_is_got_under_strong_fairness_of_acquiring_and_not_under_weak() -> None:
    assert lived(ExpiringLease, {Worker: 3})["whoever_waits_gets_it"].answer is HOLDS
    starves = lived(WeaklyAcquired, {Worker: 2})["whoever_waits_gets_it"]
    assert starves.answer is VIOLATED
    path = path_of(starves)
    assert path.loop is not None
    assert {action.partition("(")[0] for action in path.actions[path.loop :]} == {"ask", "acquire", "release"}
    assert "acquire(worker0)" not in path.actions[path.loop :]


def test_strong_fairness_is_met_where_the_states_that_enable_an_action_are_left() -> None:
    """Round 0, 1 the action is owed; once at 3 it never is: that is where the run stays."""
    found = walk("0>1", "1>0", "0l2", "1>3", "3>3", asks={0}, answers={2}, strong=("one",))["is_answered"]
    assert found.answer is VIOLATED
    assert path_of(found).actions == ("enter(place0)", "either(place1)", "either(place3)", "either(place3)")
    inside = walk("0>1", "1>0", "1>3", "3>1", "0l2", asks={0}, answers={2}, strong=("one",))["is_answered"]
    assert inside.answer is VIOLATED  # round 1, 3 it is never enabled, though the component holds a place where it is
    assert path_of(inside).actions[2:] == ("either(place3)", "either(place1)")


def test_each_instance_of_an_action_is_fair_by_itself() -> None:
    """The left side moves for ever; the right side, enabled all the while, may not be left out."""
    both = ("0l1", "1l0", "0r2", "1r2")
    assert walk(*both, asks={0}, answers={2}, weak=("one",))["is_answered"].answer is HOLDS
    assert walk(*both, asks={0}, answers={2})["is_answered"].answer is VIOLATED


def test_which_way_a_choice_falls_is_owed_to_nobody() -> None:
    found = walk("0>0", "0>1", asks={0}, answers={1}, strong=("either",))["is_answered"]
    assert found.answer is VIOLATED
    assert path_of(found).actions == ("enter(place0)", "either(place0)")


def test_a_step_that_changes_nothing_is_a_step_taken() -> None:
    found = walk("0l0", "0>1", asks={0}, answers={1}, strong=("one",))["is_answered"]
    assert found.answer is VIOLATED
    assert path_of(found).actions == ("enter(place0)", "one(LEFT, place0)")


def test_the_loop_takes_all_that_is_owed_and_comes_back() -> None:
    found = walk("0>1", "1l2", "2r3", "3>0", "0>0", asks={0}, answers={4}, weak=("either",), strong=("one",))
    path = path_of(found["is_answered"])
    assert path.actions == ("enter(place0)", "either(place0)")  # weakly: one is enabled nowhere on this loop
    owed = walk("0>1", "1>0", "0l2", "2>0", "0r3", "3>0", asks={0}, answers={4}, strong=("one",))
    path = path_of(owed["is_answered"])
    assert path.loop == 1
    assert sorted(path.actions[1:]) == sorted(
        ("one(LEFT, place2)", "either(place0)", "one(RIGHT, place3)", "either(place0)")
    )


def test_the_loop_goes_where_a_weakly_fair_action_is_disabled() -> None:
    """It could turn on the spot, but there the action is enabled all the while."""
    found = walk("0>0", "0>1", "1>0", "0l2", asks={0}, answers={2}, weak=("one",))["is_answered"]
    assert found.answer is VIOLATED
    assert path_of(found).actions == ("enter(place0)", "either(place1)", "either(place0)")


def test_that_fairness_was_not_needed_is_said() -> None:
    found = walk("0>1", "1>2", "2>2", asks={0}, answers={2}, weak=("either",))["is_answered"]
    assert found.reason == (
        "under weak fairness of either, which it does not need: nothing goes round while it is pending"
    )


# -- ends, and faults ------------------------------------------------------------------------------------------


def test_a_run_that_ends_stays_where_it_ends() -> None:
    found = walk("0>1", "0>2", asks={0}, answers={2})["is_answered"]
    assert found.answer is VIOLATED
    path = path_of(found)
    assert (path.actions, path.loop) == (("enter(place0)", "either(place1)"), 2)
    assert walk("0>1", asks={0}, answers={1})["gets_there"].answer is HOLDS


def test_fairness_owes_nothing_where_nothing_is_enabled() -> None:
    assert walk("0>1", asks={0}, answers={2}, strong=("either",))["is_answered"].answer is VIOLATED


def test_a_fault_is_never_owed() -> None:
    """Only the environment could lead on: a run may stay."""
    waits = walk("0p1", asks={0}, answers={1})["is_answered"]
    assert waits.answer is VIOLATED
    assert path_of(waits).loop == 1
    assert any("a fault is never owed" in line for line in lines_of(Answered(waits, (waits,))))


def test_a_fault_may_strike_again_and_again() -> None:
    struck = walk("0l1", "1p0", "1>2", asks={0}, answers={2}, weak=("one", "either"))["is_answered"]
    assert struck.answer is VIOLATED
    assert path_of(struck).actions == ("enter(place0)", "one(LEFT, place1)", "push(place0)")
    assert walk("0l1", "1p0", "1>2", asks={0}, answers={2}, strong=("one", "either"))["is_answered"].answer is HOLDS


def test_an_orphaned_lease_is_never_got() -> None:
    found = lived(OrphanedLease, {Worker: 2})["whoever_waits_gets_it"]
    assert found.answer is VIOLATED
    path = path_of(found)
    assert path.actions == ("ask(worker0)", "ask(worker1)", "acquire(worker1)", "die(worker1)")
    assert path.loop == len(path.steps)


def test_dining_philosophers_get_stuck_and_one_who_turns_round_helps() -> None:
    stuck = lived(Diners)["who_has_one_gets_both"]
    assert stuck.answer is VIOLATED
    assert path_of(stuck).actions == ("take_left(LEFT)", "take_left(RIGHT)")
    assert lived(OneTurnsRound)["who_has_one_gets_both"].answer is HOLDS


def test_petersons_lock_makes_progress_under_weak_fairness_and_spins_without() -> None:
    found = lived(SpinningPeterson)
    assert found["who_asks_gets_in"].answer is HOLDS
    assert found["who_asks_gets_in_anyway"].answer is VIOLATED
    assert path_of(found["who_asks_gets_in_anyway"]).actions[-1] == "look_again(LEFT)"


# -- other answers ---------------------------------------------------------------------------------------------


@model
class Counts:
    """It counts to three, or is reset before; from three on it may leave its Range, or raise."""

    limit: int = 3
    n: Annotated[int, Range(0, 3)] = var(any_of(0, 1))
    lost: bool = var(False)

    @action
    def count(self) -> None:
        require(self.n < self.limit and not self.lost)
        self.n += 1

    @action
    def never(self) -> None:
        require(self.n > 5)

    @eventually
    def comes_to_three(self) -> bool:
        return self.n == 3

    @eventually
    def below_four(self) -> bool:
        return self.n < 4

    @eventually
    def never_asked(self) -> bool:
        return leads_to(self.n == 7, self.n == 0)

    @eventually(weak=("never", "count"))
    def counts_on_nothing(self) -> bool:
        return self.n == 3


@model
class Goes(Counts):
    limit: int = 4


@model
class Raises(Counts):
    @action
    def divide(self) -> None:
        require(self.n == 3)
        self.n = 3 // (self.n - 3)

    @action
    def lose(self) -> None:
        require(self.n == 1 and not self.lost)
        self.lost = True


def test_what_says_nothing_is_vacuous() -> None:
    found = lived(Counts)
    assert found["comes_to_three"].answer is HOLDS
    assert found["below_four"].answer is VACUOUS
    assert found["below_four"].reason == "it is true at the start of every run already: nothing has to come about"
    assert found["never_asked"].answer is VACUOUS
    assert "that is in no reachable state" in found["never_asked"].reason
    assert found["counts_on_nothing"].answer is VACUOUS
    assert found["counts_on_nothing"].reason.startswith("it counts on never, and that is enabled in no reachable")
    assert all(finding.settles for finding in found.values() if finding.answer is VACUOUS)


def test_a_model_that_waits_for_nothing_is_vacuous() -> None:
    (found,) = live(lift(Peterson), {})
    assert (found.property, found.answer, found.kind) == (CLAIMS, VACUOUS, "check")


def test_a_refuted_claim_is_violated_even_where_its_fairness_is_idle() -> None:
    assert walk("0>0", asks={0}, answers={1}, weak=("one",))["is_answered"].answer is VIOLATED


def test_where_a_range_is_left_nothing_that_must_come_about_holds() -> None:
    found = lived(Goes)["comes_to_three"]
    assert found.answer is UNDETERMINED
    assert found.reason.startswith("'n stays in 0..3' is left after count, count, count")
    assert "explore" in found.settles


def test_where_an_action_raises_nothing_holds_but_a_run_that_never_gets_there_refutes() -> None:
    found = lived(Raises)
    assert found["never_asked"].answer is UNDETERMINED
    assert "divide raises ZeroDivisionError after count, count" in found["never_asked"].reason
    lost = found["comes_to_three"]
    assert lost.answer is VIOLATED
    assert path_of(lost).actions == ("lose",)


@model
class FairButRaises:
    n: Annotated[int, Range(0, 1)] = var(0)

    @action
    def wait(self) -> None: ...

    @action
    def divide(self) -> None:
        self.n = 1 // self.n

    @eventually(weak=("divide",))
    def divided(self) -> bool:
        return self.n == 1


def test_a_fair_action_that_raises_is_not_left_out_and_leads_nowhere() -> None:
    assert lived(FairButRaises)["divided"].answer is UNDETERMINED


def test_a_search_that_was_cut_is_undetermined_and_a_lasso_in_what_it_saw_refutes_all_the_same() -> None:
    cut = lived(RecoveringLedger, {Effect: 2}, max_states=20)
    held = cut["what_is_intended_is_recorded"]
    assert (held.answer, held.reason) == (UNDETERMINED, "cut off by --max-states of 20")
    assert held.known == f"no lasso that refutes it in 20 states and {held.facts['transitions']:,} steps"
    refuted = cut["without_any_fairness"]
    assert refuted.answer is VIOLATED
    assert path_of(refuted).how == "not known to be shortest"


def test_what_lies_beyond_a_cut_is_no_end_of_a_run() -> None:
    assert lived(Counts, max_states=2)["comes_to_three"].answer is UNDETERMINED


def test_memory_that_runs_out_cuts_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    used = iter(range(0, 10**9, 10**6))
    monkeypatch.setattr(graphs, "memory_now", lambda: next(used))
    found = lived(Counts, max_memory=1)["comes_to_three"]
    assert (found.answer, found.reason) == (UNDETERMINED, "cut off by --max-memory of 1 bytes")


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_stops_the_search_for_runs_leaves_the_rest_undetermined(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    cycles, asked = Runs.cycles, 0

    def stops(self: Runs, *given: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == 2:
            raise error
        return cycles(self, *given)

    monkeypatch.setattr(Runs, "cycles", stops)
    found = list(lived(Counts).values())
    assert found[0].answer is HOLDS
    assert [finding.answer for finding in found[1:]] == [UNDETERMINED] * 3
    assert was_interrupted(found) == (error is KeyboardInterrupt)


def test_ctrl_c_while_states_are_collected_leaves_everything_undetermined(monkeypatch: pytest.MonkeyPatch) -> None:
    def presses_ctrl_c(*_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(graphs, "memory_now", lambda: 0)
    monkeypatch.setattr("meshspec.engines.graph._Build._expand", presses_ctrl_c)
    found = lived(Counts)
    assert {finding.answer for finding in found.values()} == {UNDETERMINED}
    assert {finding.reason for finding in found.values()} == {"interrupted"}


@model
class Inner:
    busy: bool = var(True)

    @action
    def finish(self) -> None:
        require(self.busy)
        self.busy = False

    @eventually(weak=("finish",))
    def finishes(self) -> bool:
        return not self.busy


@model
class Outer:
    part: Inner = var()

    @action
    def end(self) -> None:
        require(self.part.busy)
        self.part.finish()

    @eventually(weak=("end",))
    def ends(self) -> bool:
        return not self.part.busy


def test_what_a_nested_machine_counts_on_is_no_action_of_the_outer_one() -> None:
    found = lived(Outer)
    assert found["ends"].answer is HOLDS
    assert found["part.finishes"].answer is UNDETERMINED
    assert found["part.finishes"].reason.startswith("it counts on finish of a nested machine")


@model
class ManyStarts:
    at: Annotated[int, Range(0, 3)] = var(any_of(0, 1, 2))

    @action
    def on(self) -> None:
        require(self.at > 1)
        to: int = choose(range(2, 4))
        self.at = to

    @action
    def back(self) -> None:
        require(self.at == 0)
        self.at = 1

    @eventually
    def comes_to_one(self) -> bool:
        return self.at == 1


def test_every_initial_state_is_looked_at() -> None:
    found = lived(ManyStarts)["comes_to_one"]
    assert found.answer is VIOLATED
    path = path_of(found)
    assert (path.initial, path.loop, path.actions) == ({"at": "2"}, 0, ("on(2)",))
    assert path.failed.startswith("comes_to_one: it is never true; at the start")


@model
class ManyWays:
    """Late it gets stuck, early it may go round and round: the shorter story is shown, though it is told second."""

    n: Annotated[int, Range(0, 3)] = var(0)

    @action
    def on(self) -> None:
        require(self.n < 3)
        self.n += 1

    @action
    def wait(self) -> None:
        require(self.n == 1)

    @eventually
    def comes(self, early: bool) -> bool:
        return leads_to(self.n == (1 if early else 3), self.n == 0)


def test_among_all_arguments_the_shortest_stem_is_shown() -> None:
    path = path_of(lived(ManyWays)["comes"])
    assert path.failed.startswith("comes(True): asked for after step 1")
    assert (path.actions, path.loop) == (("on", "wait"), 1)


@model
class BodyRaises:
    n: Annotated[int, Range(-1, 1)] = var(1)

    @action
    def lower(self) -> None:
        require(self.n >= 0)
        self.n -= 1

    @action
    def lift(self) -> None:
        self.n = 1

    @eventually
    def asked_for(self) -> bool:
        return leads_to(1 // self.n == 1, self.n != 5)

    @eventually
    def comes(self) -> bool:
        return self.n == 1 or 1 // self.n == 1

    @eventually
    def nowhere(self) -> bool:
        return leads_to(self.n == 2 and 1 // (self.n - 2) == 1, self.n == 1)


def test_a_claim_whose_body_raises_is_refuted_by_the_shortest_way_there() -> None:
    found = lived(BodyRaises)
    for name in ("asked_for", "comes"):  # which hold wherever their bodies do not raise
        path = path_of(found[name])
        assert (path.actions, path.how, path.loop) == (("lower",), "shortest", None)
        assert path.failed.startswith(f"{name}: its body raises ZeroDivisionError where")
    assert found["nowhere"].answer is VACUOUS  # it raises in states that are never reached


def test_a_way_to_a_body_that_raises_is_run_on_cpython_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def says_true(*_: object) -> native.Value:
        return native.Value(True)

    monkeypatch.setattr(native, "call", says_true)
    monkeypatch.setattr("meshspec.engines.live.retrace", says_true)
    with pytest.raises(Disagreement, match="the way to where asked_for raises is none: CPython says True"):
        lived(BodyRaises)


# -- what is shown is run first --------------------------------------------------------------------------------


def _stays(self: Runs, entry: int, part: Any, owing: Any) -> Any:
    return []


def _leaves_out_the_last_step(self: Runs, entry: int, part: Any, owing: Any) -> Any:
    return LOOP(self, entry, part, owing)[:-1]


LOOP = Runs.loop


@pytest.mark.parametrize(
    ("loop", "problem"),
    [(_stays, "it ends where either"), (_leaves_out_the_last_step, "its loop does not return to where it began")],
)
def test_a_lasso_that_cpython_does_not_take_is_our_bug(
    loop: Any, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runs, "loop", loop)
    with pytest.raises(Disagreement, match=problem):
        walk("0>1", "1>0", asks={0}, answers={2})


@pytest.mark.parametrize("fairness", [{"weak": ("one",)}, {"strong": ("one",)}])
def test_an_unfair_loop_is_our_bug(fairness: dict[str, tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    def forgives(self: Owing, states: Any, actions: Any) -> int:
        return 0

    monkeypatch.setattr(Owing, "unmet", forgives)
    with pytest.raises(Disagreement, match="its loop leaves one out, which is fair"):
        walk("0>0", "0l2", asks={0}, answers={2}, **fairness)


def test_a_claim_that_comes_about_on_cpython_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    run = native.run

    def comes(layout: Any, lifted: Any, values: Any, arguments: Any) -> Any:
        found = run(layout, lifted, values, arguments)
        return native.Value(True, (True, True)) if isinstance(found, native.Value) else found

    monkeypatch.setattr(native, "run", comes)
    with pytest.raises(Disagreement, match="gets_there comes about on it"):
        walk("0>0", asks={0}, answers={2})


def test_a_step_that_cpython_does_not_take_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    stem = Runs.stem

    def shifted(self: Runs, *given: Any) -> Any:
        start, steps = stem(self, *given)
        return start, [(action + 1, state) for action, state in steps]

    monkeypatch.setattr(Runs, "stem", shifted)
    with pytest.raises(Disagreement, match="step 1"):
        walk("0>0", asks={0}, answers={2})


# -- beside the other engines ----------------------------------------------------------------------------------


def test_check_asks_it_after_explore_and_takes_its_word_for_what_must_come_about() -> None:
    answered = {one.answer.property: one for one in check(certified(RecoveringLedger), {Effect: 2})}
    held = answered["what_is_intended_is_recorded"]
    assert [finding.engine for finding in held.findings] == ["live"]
    assert (held.answer.answer, held.answer.strength, held.answer.engine) == (HOLDS, Strength.EXHAUSTIVE, "live")
    assert answered["without_any_fairness"].answer.answer is VIOLATED
    assert answered["every action fires"].answer.engine == "explore"
    alone = {one.answer.property: one for one in check(lift(RecoveringLedger), {Effect: 2}, ("explore",))}
    assert alone["what_is_intended_is_recorded"].answer.answer is UNDETERMINED


def test_a_cut_is_told_by_live_and_not_by_who_was_not_asked() -> None:
    settings = Settings(Limits(max_states=20))
    answered = {one.answer.property: one for one in check(lift(RecoveringLedger), {Effect: 2}, settings=settings)}
    held = answered["what_is_intended_is_recorded"].answer
    assert (held.answer, held.reason) == (UNDETERMINED, "cut off by --max-states of 20")


def test_a_stronger_answer_than_exhaustive_can_be_required_and_is_not_reached() -> None:
    settings = Settings(require=Strength.EVERY_SIZE)
    answered = {one.answer.property: one for one in check(lift(RecoveringLedger), {Effect: 1}, settings=settings)}
    held = answered["what_is_intended_is_recorded"].answer
    assert (held.answer, held.known) == (UNDETERMINED, "HOLDS, exhaustive")
    assert held.reason == "every size was required"


def test_a_model_that_waits_for_nothing_is_not_asked_by_check() -> None:
    answered = check(lift(Peterson), {})
    assert "live" not in {finding.engine for one in answered for finding in one.findings}
    (alone,) = check(lift(Peterson), {}, ("live",))
    assert alone.answer.answer is VACUOUS


# -- how it reads ----------------------------------------------------------------------------------------------


def test_a_lasso_reads_as_a_story_that_goes_on_for_ever() -> None:
    found = lived(SpinningPeterson)["who_asks_gets_in_anyway"]
    lines = lines_of(Answered(found, (found,)))
    assert lines[0].endswith("in 3 steps, then 1 for ever (a shortest stem, live)")
    assert lines[1].strip() == "no fairness assumed"
    assert lines[5:7] == ["    then for ever:", "      4. look_again(LEFT)"]
    assert "asked for after step 1 and never answered: at[LEFT] == ASKED" in lines[7]


def test_the_json_report_says_where_the_loop_begins_and_is_valid() -> None:
    answered = check(lift(OrphanedLease), {Worker: 2}) + check(lift(SpinningPeterson), {})
    report = report_object(answered, seed=0, exit_code=1, notes=[])
    schema = json.loads((resources.files("meshspec.report") / "schema.json").read_text(encoding="utf-8"))
    validator: Any = Draft202012Validator(schema)
    assert not list(validator.iter_errors(report))
    loops = {one["property"]: one["loop"] for one in report["properties"]}
    assert (loops["whoever_waits_gets_it"], loops["who_asks_gets_in_anyway"], loops["one_inside"]) == (4, 3, None)
    facts = next(one for one in report["properties"] if one["property"] == "who_asks_gets_in")["facts"]
    assert facts["fairness"] == {"weak": ["give_way", "enter", "leave"], "strong": []}


def test_progress_is_told_and_wiped() -> None:
    told: list[str] = []
    live(lift(Counts), {}, progress=told.append)
    assert told[0].startswith("live Counts: ")
    assert told[-1] == ""
