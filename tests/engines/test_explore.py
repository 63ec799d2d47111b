"""explore: exact counts with a second source, the first of the shortest counterexamples, and what is vacuous."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import product
from typing import Annotated, Any

import pytest

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    any_of,
    choose,
    eventually,
    exists,
    fault,
    forall,
    implies,
    lemma,
    model,
    require,
    sometimes,
    terminal,
    var,
)
from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.layout import NO_RAISE
from meshspec.engines.explore import ENDS, FIRES, STRIKES, explore
from meshspec.engines.limits import Limits
from meshspec.engines.search import search_states
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel, lift
from meshspec.sorts import scope
from tests.models.jugs import Jugs
from tests.models.lock import KeepTheTurn, LookOnly, Peterson
from tests.models.plain_ledger import Effect, EffectLedger, Recovery, ResendInDoubt
from tests.models.two_phase_commit import Manager, TwoPhase
from tests.oracle import Oracle

HOLDS, VIOLATED, VACUOUS, UNDETERMINED = Answer.HOLDS, Answer.VIOLATED, Answer.VACUOUS, Answer.UNDETERMINED


def explored(target: Any, sizes: Mapping[type[Sort], int] | None = None, **limits: int) -> dict[str, Finding]:
    return {finding.property: finding for finding in explore(lift(target), sizes or {}, Limits(**limits))}


def path_of(finding: Finding) -> tuple[str, ...]:
    assert finding.answer is VIOLATED
    assert finding.counterexample is not None
    return finding.counterexample.actions


def states_of(target: Any, sizes: Mapping[type[Sort], int] | None = None) -> int:
    search, _ = search_states(lift(target), sizes or {}, Limits())
    assert search.complete
    return search.states


# -- exact counts, each with a second source -------------------------------------------------------------------


@pytest.mark.parametrize(("managers", "states"), [(3, 288), (5, 8_832)])
def test_two_phase_commit_has_the_published_number_of_states(managers: int, states: int) -> None:
    """288 for three managers is on record in tlaplus/Examples and in stateright, 8,832 for five in stateright."""
    found = explored(TwoPhase, {Manager: managers})
    assert found["consistent"].states == states
    assert {finding.answer for finding in found.values()} == {HOLDS}


def test_the_jugs_have_the_published_number_of_states_and_the_shortest_solution() -> None:
    """16 reachable states of *DieHard*, and six steps, as tlaplus/Examples has it."""
    found = explored(Jugs)
    assert found["unsolved"].states == 16
    assert path_of(found["unsolved"]) == (
        "fill_big", "pour_into_small", "empty_small", "pour_into_small", "fill_big", "pour_into_small"
    )  # fmt: skip


@pytest.mark.parametrize(("small", "big"), [(3, 5), (2, 3), (4, 6), (5, 7)])
def test_the_jugs_agree_with_a_search_written_by_hand(small: int, big: int) -> None:
    def poured(a: int, b: int) -> Iterator[tuple[int, int]]:
        yield from ((small, b), (a, big), (0, b), (a, 0))
        into_big, into_small = min(a, big - b), min(b, small - a)
        yield from ((a - into_big, b + into_big), (a + into_small, b - into_small))

    seen, layer = {(0, 0)}, {(0, 0)}
    while layer:
        layer = {after for state in layer for after in poured(*state)} - seen
        seen |= layer
    assert states_of(Jugs(small=small, big=big, wanted=-1)) == len(seen)


def peterson_states() -> set[tuple[int, int, bool, bool, int]]:
    """Peterson's lock by hand: two program counters, two flags, whose turn."""
    start = (0, 0, False, False, 0)
    seen: set[tuple[int, int, bool, bool, int]] = {start}
    todo = list(seen)
    while todo:
        state = todo.pop()
        for me in (0, 1):
            at, wants, turn = list(state[:2]), list(state[2:4]), state[4]
            if at[me] == 0:
                wants[me] = True
            elif at[me] == 1:
                turn = 1 - me
            elif at[me] == 3:
                wants[me] = False
            elif wants[1 - me] and turn != me:
                continue
            at[me] = (at[me] + 1) % 4
            after = (at[0], at[1], wants[0], wants[1], turn)
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return seen


def test_petersons_lock_agrees_with_a_search_written_by_hand_and_excludes() -> None:
    by_hand = peterson_states()
    assert not any(state[:2] == (3, 3) for state in by_hand)
    found = explored(Peterson)
    assert found["one_inside"].states == len(by_hand) == 20
    assert {finding.answer for finding in found.values()} == {HOLDS}
    assert found["one_inside"].facts["deadlocks"] == 0


@pytest.mark.parametrize("broken", [KeepTheTurn, LookOnly])
def test_a_broken_lock_lets_two_in(broken: type) -> None:
    found = explored(broken)
    oracle = Oracle(lift(broken), {})
    assert path_of(found["one_inside"]) == oracle.first_path(lambda v: not oracle.holds("one_inside", v), 6)


Entry = tuple[bool, int, bool, bool, bool]
"""What the plain ledger holds of one effect: intended, applied, recorded, sent, doubtful."""


def ledger_states(effects: int) -> int:
    """The plain ledger by hand: whether the worker is up, then an entry for each effect."""
    fresh: Entry = (False, 0, False, False, False)
    seen: set[tuple[bool, tuple[Entry, ...]]] = {(True, (fresh,) * effects)}
    todo = list(seen)
    while todo:
        up, entries = todo.pop()
        after: list[tuple[bool, tuple[Entry, ...]]] = []
        if up:
            after.append((False, tuple((i, a, r, False, d) for i, a, r, _, d in entries)))
        else:
            after.append((True, tuple((i, a, r, s, i and not r) for i, a, r, s, _ in entries)))
        for n, entry in enumerate(entries if up else ()):
            after += [(up, (*entries[:n], new, *entries[n + 1 :])) for new in entry_after(entry)]
        todo += {state for state in after if state not in seen}
        seen.update(after)
    return len(seen)


def entry_after(entry: Entry) -> Iterator[Entry]:
    intended, applied, recorded, sent, doubtful = entry
    if not intended:
        yield True, applied, recorded, sent, doubtful
    if intended and not recorded and not sent and not doubtful:
        yield intended, applied + 1, recorded, True, doubtful
    if sent:
        yield intended, applied, True, False, doubtful
    if doubtful:
        yield intended, applied, recorded or applied > 0, sent, False


@pytest.mark.parametrize("effects", [1, 2, 3])
def test_the_plain_ledger_has_two_times_six_to_the_n_states(effects: int) -> None:
    found = explored(EffectLedger, {Effect: effects})
    assert found["at_most_once"].states == 2 * 6**effects == ledger_states(effects)
    assert found["at_most_once"].facts["deadlocks"] == 0
    assert {finding.answer for finding in found.values()} == {HOLDS}


def test_a_transition_that_leads_nowhere_new_is_counted() -> None:
    found = explored(Peterson)
    oracle = Oracle(lift(Peterson), {})
    by_hand = sum(1 for state in oracle.reachable() for _ in oracle.steps(dict(state)))
    assert found["one_inside"].facts["transitions"] == by_hand


@pytest.mark.parametrize("target", [Peterson, Jugs, TwoPhase, EffectLedger, ResendInDoubt])
def test_cpython_alone_reaches_the_same_number_of_states(target: type) -> None:
    lifted = lift(target)
    sizes = dict.fromkeys(lifted.sorts, 2)
    search, seen = search_states(lifted, sizes, Limits())
    if seen.ranges:  # no step is taken from a state in which a Range is left
        assert search.closed
    else:
        assert search.states == len(Oracle(lifted, sizes).reachable())


# -- the plain ledger and its incidents --------------------------------------------------------------------------


def test_resending_in_doubt_applies_twice_by_the_path_of_the_design() -> None:
    found = explored(ResendInDoubt, {Effect: 2})
    assert path_of(found["at_most_once"]) == (
        "intend(effect0)", "send(effect0)", "crash", "recover", "settle(effect0)", "send(effect0)"
    )  # fmt: skip
    assert found["recorded_is_done"].answer is found["memory_dies_with_the_worker"].answer is HOLDS


def test_skipping_in_doubt_keeps_at_most_once_and_records_what_was_not_done_in_four_steps() -> None:
    found = explored(EffectLedger(recovery=Recovery.SKIP), {Effect: 2})
    assert found["at_most_once"].answer is HOLDS
    assert path_of(found["recorded_is_done"]) == ("intend(effect0)", "crash", "recover", "settle(effect0)")


@model
class SendWhileDown(EffectLedger):
    @action
    def send(self, e: Effect) -> None:
        require(self.intended[e] and not self.recorded[e])
        require(not self.sent[e] and not self.doubtful[e])
        self.applied[e] += 1
        self.sent[e] = True


@model
class SendUnintended(EffectLedger):
    @action
    def send(self, e: Effect) -> None:
        require(self.up and not self.recorded[e])
        require(not self.sent[e] and not self.doubtful[e])
        self.applied[e] += 1
        self.sent[e] = True


@model
class SendRecorded(EffectLedger):
    @action
    def send(self, e: Effect) -> None:
        require(self.up and self.intended[e])
        require(not self.sent[e] and not self.doubtful[e])
        self.applied[e] += 1
        self.sent[e] = True


@model
class SendAgain(EffectLedger):
    @action
    def send(self, e: Effect) -> None:
        require(self.up and self.intended[e] and not self.recorded[e])
        require(not self.doubtful[e])
        self.applied[e] += 1
        self.sent[e] = True


@model
class SendInDoubt(EffectLedger):
    @action
    def send(self, e: Effect) -> None:
        require(self.up and self.intended[e] and not self.recorded[e])
        require(not self.sent[e])
        self.applied[e] += 1
        self.sent[e] = True


@model
class RememberAcrossCrash(EffectLedger):
    @fault
    def crash(self) -> None:
        require(self.up)
        self.up = False


DROPPED: dict[type, str] = {
    SendWhileDown: "memory_dies_with_the_worker",
    SendUnintended: "at_most_once",
    SendRecorded: "at_most_once",
    SendAgain: "at_most_once",
    SendInDoubt: "at_most_once",
    RememberAcrossCrash: "memory_dies_with_the_worker",
}


@pytest.mark.parametrize("dropped", DROPPED)
def test_dropping_a_guard_of_send_or_the_last_line_of_crash_breaks_a_claim(dropped: type) -> None:
    found = explored(dropped, {Effect: 1})
    broken = [name for name, finding in found.items() if finding.kind == "always" and finding.answer is VIOLATED]
    assert DROPPED[dropped] in broken
    oracle = Oracle(lift(dropped), {Effect: 1})
    claim = DROPPED[dropped]
    assert path_of(found[claim]) == oracle.first_path(lambda v: not oracle.holds(claim, v), 6)


# -- the shortest counterexample, and the first of the shortest ------------------------------------------------


class Place(Sort):
    """A place of a small board."""


class Colour(Enum):
    RED = 0
    BLUE = 1


@model
class Board:
    """Many ways to the same states; which is found first depends on the order of actions and members."""

    owner: Map[Place, Colour] = var(Colour.RED)
    marked: Map[Place, bool] = var(False)
    moves: Annotated[int, Range(0, 4)] = var(0)

    @action
    def swap(self, p: Place, q: Place) -> None:
        require(p is not q and self.moves < 4)
        self.owner[p] = Colour.BLUE if self.owner[q] is Colour.RED else Colour.RED
        self.moves += 1

    @action
    def mark(self, p: Place, c: Colour) -> None:
        require(self.owner[p] is c and self.moves < 4)
        self.marked[p] = not self.marked[p]
        self.moves += 1

    @always
    def never_all_marked_and_one_blue(self) -> bool:
        all_marked = forall(Place, lambda p: self.marked[p])
        return not (all_marked and exists(Place, lambda p: self.owner[p] is Colour.BLUE))

    @always
    def second_alone_is_never_marked(self, p: Place, q: Place) -> bool:
        return p is q or not (self.marked[p] and self.owner[q] is Colour.BLUE)

    @always
    def moves_stay_below_three(self) -> bool:
        return self.moves < 3


@pytest.mark.parametrize(
    "claim", ["never_all_marked_and_one_blue", "second_alone_is_never_marked", "moves_stay_below_three"]
)
def test_the_counterexample_is_the_first_of_the_shortest_of_all_paths(claim: str) -> None:
    lifted = lift(Board)
    sizes: dict[type[Sort], int] = {Place: 2}
    oracle = Oracle(lifted, sizes)
    found = explored(Board, sizes)
    assert path_of(found[claim]) == oracle.first_path(lambda values: not oracle.holds(claim, values), 4)


def test_a_counterexample_tells_the_start_only_what_changed_and_the_clause_that_failed() -> None:
    found = explored(ResendInDoubt, {Effect: 1})["at_most_once"].counterexample
    assert found is not None
    assert found.initial["up"] == "True"
    assert found.steps[0].changes == {"intended[effect0]": ("False", "True")}
    assert found.steps[-1].changes == {"applied[effect0]": ("1", "2"), "sent[effect0]": ("False", "True")}
    assert found.failed.startswith("at_most_once(effect0): ")
    assert found.failed.endswith("where applied[effect0] = 2")
    assert found.how == "shortest"


class Sign(Enum):
    PLUS = 1
    MINUS = -1


@model
class Several:
    """Six initial states, of which the fifth is nearest to where it breaks."""

    sign: Sign = var(any_of(Sign))
    number: int = var(any_of(0, 2, 1))

    @action
    def grow(self) -> None:
        require(-4 < self.number < 4)
        self.number += self.sign.value

    @always
    def not_below_minus_one(self) -> bool:
        return self.number > -1

    @always
    def below_four(self) -> bool:
        return self.number < 4


def test_a_counterexample_starts_in_the_initial_state_that_is_nearest() -> None:
    found = explored(Several)
    low, high = found["not_below_minus_one"].counterexample, found["below_four"].counterexample
    assert low is not None and high is not None
    assert (low.initial, low.actions) == ({"sign": "MINUS", "number": "0"}, ("grow",))
    assert (high.initial, high.actions) == ({"sign": "PLUS", "number": "2"}, ("grow", "grow"))
    oracle = Oracle(lift(Several), {})
    assert found["below_four"].states == len(oracle.reachable())


@model
class StartsBroken:
    number: int = var(any_of(1, 0))

    @action
    def stay(self) -> None: ...

    @always
    def positive(self) -> bool:
        return self.number > 0


def test_a_claim_that_is_false_at_the_start_is_refuted_in_no_step() -> None:
    found = explored(StartsBroken)["positive"].counterexample
    assert found is not None
    assert (found.actions, found.initial) == ((), {"number": "0"})


@model
class AnyMember:
    chosen: Place = var(any_of(Place))
    first: Place | None = var(None)

    @action
    def note(self) -> None:
        self.first = self.chosen

    @always
    def only_the_noted(self, p: Place, q: Place) -> bool:
        return implies(self.first is p and self.chosen is q, p is q)


def test_any_of_a_sort_starts_at_every_member() -> None:
    assert explored(AnyMember, {Place: 3})["only_the_noted"].states == 6


@model
class Chooser:
    """A choice inside an action is a hidden parameter; a path that does not look at it is one transition."""

    number: Annotated[int, Range(0, 9)] = var(0)

    @action
    def add(self) -> None:
        require(self.number == 0)
        self.number += choose(range(1, 4))

    @always
    def not_three(self) -> bool:
        return self.number != 3


def test_a_hidden_choice_is_named_in_the_counterexample() -> None:
    found = explored(Chooser)["not_three"]
    assert path_of(found) == ("add(3)",)
    assert found.facts["transitions"] == 3


# -- deadlocks and ends ----------------------------------------------------------------------------------------


@model
class Countdown:
    left: Annotated[int, Range(0, 3)] = var(3)
    broken: bool = var(False)

    @action
    def tick(self) -> None:
        require(self.left > 0 and not self.broken)
        self.left -= 1

    @fault
    def jam(self) -> None:
        require(self.left == 2 and not self.broken)
        self.broken = True

    @always
    def counts(self) -> bool:
        return self.left <= 3


@model
class CountdownWithAnEnd(Countdown):
    @terminal
    def at_zero(self) -> bool:
        return self.left == 0


@model
class CountdownThatMayJam(Countdown):
    @terminal
    def at_zero_or_jammed(self) -> bool:
        return self.left == 0 or self.broken


def test_a_deadlock_is_counted_and_shown_and_no_violation_where_no_end_is_declared() -> None:
    found = explored(Countdown)
    assert {finding.answer for finding in found.values()} == {HOLDS}
    assert ENDS not in found
    assert found["counts"].facts["deadlocks"] == 2
    assert found["counts"].facts["deadlock"] == ["tick", "jam"]


def test_a_deadlock_where_the_model_may_not_end_is_violated() -> None:
    found = explored(CountdownWithAnEnd)[ENDS]
    assert path_of(found) == ("tick", "jam")
    assert found.counterexample is not None
    assert found.counterexample.failed == "a deadlock where at_zero is false"
    assert explored(CountdownThatMayJam)[ENDS].answer is HOLDS


@model
class NeverStarts:
    up: bool = var(False)

    @action
    def work(self) -> None:
        require(self.up)

    @always
    def down(self) -> bool:
        return not self.up


def test_a_deadlock_in_the_initial_state_is_shown_by_an_empty_path() -> None:
    found = explored(NeverStarts)
    assert found["down"].facts["deadlock"] == []
    assert found[FIRES].answer is VACUOUS
    assert found[FIRES].reason.startswith("work: never enabled")


# -- ranges and errors -----------------------------------------------------------------------------------------


@model
class TwoRanges:
    low: Annotated[int, Range(0, 2)] = var(0)
    high: Annotated[int, Range(0, 2)] = var(2)

    @action
    def part(self) -> None:
        self.low -= 1
        self.high += 1

    @action
    def meet(self) -> None:
        require(self.low < self.high)
        self.low += 1

    @always
    def low_is_not_far_below(self) -> bool:
        return self.low >= 0


def test_two_ranges_left_at_once_are_both_violated_and_no_step_goes_on_from_there() -> None:
    found = explored(TwoRanges)
    assert path_of(found["low stays in 0..2"]) == path_of(found["high stays in 0..2"]) == ("part",)
    assert path_of(found["low_is_not_far_below"]) == ("part",)
    failed = found["low stays in 0..2"].counterexample
    assert failed is not None and failed.failed == "low = -1 leaves its Range"
    search, _ = search_states(lift(TwoRanges), {}, Limits())
    assert (search.closed, search.states, search.transitions) == (3, 6, 5)


def test_what_holds_beside_a_range_that_is_left_says_how_far_it_looked() -> None:
    assert "Range is left" in explored(TwoRanges)[NO_RAISE].reason


@model
class Divides:
    number: Annotated[int, Range(0, 3)] = var(3)
    result: int = var(0)

    @action
    def lower(self) -> None:
        require(self.number > 0)
        self.number -= 1

    @action
    def divide(self) -> None:
        self.result = 6 // self.number

    @always
    def small(self) -> bool:
        return self.result < 6


def test_an_action_that_raises_is_violated_with_the_step_that_raises() -> None:
    found = explored(Divides)[NO_RAISE]
    assert path_of(found) == ("lower", "lower", "lower", "divide")
    assert found.counterexample is not None
    assert found.counterexample.steps[-1].note == "raises ZeroDivisionError"
    assert found.counterexample.failed == "divide raises ZeroDivisionError"
    assert "test_explore.py:" in found.where


@model
class ClaimRaises:
    number: Annotated[int, Range(0, 2)] = var(2)

    @action
    def lower(self) -> None:
        require(self.number > 0)
        self.number -= 1

    @always
    def divides(self) -> bool:
        return 2 // self.number >= 1

    @sometimes
    def witnessed(self) -> bool:
        return 2 // self.number == 2

    @sometimes
    def sound(self) -> bool:
        return self.number == 0 or 2 // self.number == 2


def test_a_witness_does_not_make_up_for_a_state_in_which_the_body_raises() -> None:
    found = explored(ClaimRaises)
    assert path_of(found["witnessed"]) == ("lower", "lower")
    assert found["witnessed"].kind == "sometimes" and found["witnessed"].counterexample is not None
    assert (
        found["witnessed"].counterexample.failed == "witnessed: its body raises ZeroDivisionError where number == 0"
    )
    assert found["sound"].answer is HOLDS
    assert explored(ClaimRaises, max_states=2)["witnessed"].answer is HOLDS  # where none of the states seen raises


def test_a_claim_that_raises_is_false_there_and_the_error_is_named() -> None:
    found = explored(ClaimRaises)["divides"]
    assert path_of(found) == ("lower", "lower")
    assert found.counterexample is not None
    assert "ZeroDivisionError" in found.counterexample.failed


@model
class Onwards:
    number: Annotated[int, Range(0, 5)] = var(0)

    @action
    def step(self) -> None:
        require(self.number < 5)
        self.number += 1

    @always
    def below_two(self) -> bool:
        return self.number < 2

    @always
    def below_five(self) -> bool:
        return self.number < 5

    @always
    def at_most_five(self) -> bool:
        return self.number <= 5


def test_claims_beyond_a_violating_state_are_still_answered() -> None:
    found = explored(Onwards)
    assert len(path_of(found["below_two"])) == 2
    assert len(path_of(found["below_five"])) == 5
    assert found["at_most_five"].answer is HOLDS


# -- vacuity ---------------------------------------------------------------------------------------------------


@model
class Vacuous:
    flags: Map[Place, bool] = var(False)
    number: Annotated[int, Range(0, 1)] = var(0)

    @action
    def set(self, p: Place) -> None:
        self.flags[p] = True

    @action
    def never(self) -> None:
        require(self.number == 1)

    @fault
    def strike(self, p: Place) -> None:
        require(self.number == 1 and self.flags[p])
        self.flags[p] = False

    @always
    def on_a_condition(self, p: Place) -> bool:
        return implies(self.flags[p] and self.number == 1, False)

    @always
    def on_a_condition_inside(self) -> bool:
        return forall(Place, lambda p: implies(self.number == 1, self.flags[p]))

    @always
    def on_one_of_two(self, p: Place) -> bool:
        first = implies(self.flags[p], self.number == 0)
        second = implies(self.number == 1, self.flags[p])
        return first and second

    @always
    def on_a_condition_that_is_met(self, p: Place) -> bool:
        return implies(self.flags[p], exists(Place, lambda q: self.flags[q]))

    @lemma
    def helps(self) -> bool:
        return implies(self.number == 1, self.number == 0)

    @sometimes
    def one(self) -> bool:
        return self.number == 1

    @sometimes
    def marked(self, p: Place) -> bool:
        return self.flags[p]

    @eventually
    def ends(self) -> bool:
        return self.number == 1


def test_everything_that_is_never_tried_is_vacuous() -> None:
    found = explored(Vacuous, {Place: 2})
    vacuous = {name for name, finding in found.items() if finding.answer is VACUOUS}
    assert vacuous == {
        "on_a_condition", "on_a_condition_inside", "on_one_of_two", "helps", "one", FIRES, STRIKES
    }  # fmt: skip
    assert found[FIRES].reason.startswith("never: never enabled")
    assert found[STRIKES].reason.startswith("strike: never injected")
    assert found["one"].reason == "one is true in no reachable state"
    assert "test_explore.py:" in found["on_a_condition"].reason
    assert found["on_a_condition_that_is_met"].answer is HOLDS
    assert found["marked"].reason == "witness: set(place0)"


def test_what_must_come_about_is_undetermined_and_says_what_would_settle_it() -> None:
    found = explored(Vacuous, {Place: 1})["ends"]
    assert found.answer is UNDETERMINED
    assert found.settles


@model
class OnePlaceAtATime:
    at: Place | None = var(None)

    @action
    def move(self, p: Place) -> None:
        self.at = p

    @sometimes
    def somewhere(self, p: Place) -> bool:
        return self.at is p

    @sometimes
    def at_both(self, p: Place, q: Place) -> bool:
        return self.at is p and self.at is q


def test_a_witness_is_owed_for_every_value_of_the_parameters() -> None:
    found = explored(OnePlaceAtATime, {Place: 2})
    assert found["somewhere"].answer is HOLDS
    assert found["at_both"].answer is VACUOUS
    assert found["at_both"].reason == "at_both(place0, place1) is true in no reachable state"


@model
class NothingToDo:
    number: int = var(0)

    @always
    def zero(self) -> bool:
        return self.number == 0


def test_a_model_without_an_action_is_vacuous() -> None:
    found = explored(NothingToDo)
    assert found[FIRES].answer is VACUOUS
    assert found[FIRES].reason == "the model has no action"
    assert STRIKES not in found


# -- bounds ----------------------------------------------------------------------------------------------------


@model
class Unbounded:
    number: int = var(0)

    @action
    def up(self) -> None:
        self.number += 1

    @action
    def down(self) -> None:
        self.number -= 1

    @fault
    def leap(self) -> None:
        require(self.number == 400)
        self.number = 0

    @always
    def below_ten(self) -> bool:
        return self.number < 10

    @always
    def below_a_billion(self) -> bool:
        return self.number < 10**9

    @sometimes
    def minus_three(self) -> bool:
        return self.number == -3

    @sometimes
    def far(self) -> bool:
        return self.number == 10**6


@model
class Many:
    flags: Map[Place, bool] = var(any_of(False, True))

    @action
    def stay(self, p: Place) -> None:
        require(self.flags[p])

    @always
    def fine(self) -> bool:
        return True


def test_a_search_that_is_cut_off_is_undetermined_and_keeps_what_it_found_before() -> None:
    found = explored(Unbounded, max_states=100)
    assert len(path_of(found["below_ten"])) == 10
    below, far, strikes = found["below_a_billion"], found["far"], found[STRIKES]
    assert {below.answer, far.answer, strikes.answer} == {UNDETERMINED}
    assert below.reason == "cut off by --max-states of 100"
    assert below.known == "no counterexample in 100 states, 49 steps deep"
    assert below.settles
    assert far.reason == "cut off by --max-states of 100; far not witnessed yet"
    assert "leap" in strikes.reason
    assert below.states == 100
    assert below.facts["complete"] is False


def test_a_witness_in_a_search_that_was_cut_off_holds_and_is_not_called_exhaustive() -> None:
    found = explored(Unbounded, max_states=100)
    for name in ("minus_three", FIRES):
        assert (found[name].answer, found[name].strength) == (HOLDS, Strength.TESTED)
    assert found["minus_three"].reason == "witness: down, down, down"


def test_a_bound_that_is_just_enough_cuts_nothing() -> None:
    assert explored(Jugs, max_states=16)["in_big stays in 0..5"].answer is HOLDS
    assert explored(Jugs, max_states=15)["in_big stays in 0..5"].answer is UNDETERMINED


def test_very_many_initial_states_are_cut_off_too() -> None:
    found = explored(Many, {Place: 40}, max_states=1_000)
    assert found["fine"].answer is UNDETERMINED


def test_memory_is_a_bound() -> None:
    found = explored(Unbounded, max_memory=1_000_000)
    assert found["below_a_billion"].answer is UNDETERMINED
    assert found["below_a_billion"].reason == "cut off by --max-memory of 1,000,000 bytes"


def test_bounds_below_one_are_refused() -> None:
    for bounds in ({"max_states": 0}, {"max_memory": 0}):
        with pytest.raises(UsageError, match="at least 1"):
            Limits(**bounds)


def test_ctrl_c_ends_the_search_with_what_is_known() -> None:
    def interrupts_later(message: str) -> None:
        if "states" in message and "1 states" not in message:
            raise KeyboardInterrupt

    found = {f.property: f for f in explore(lift(Unbounded), {}, progress=interrupts_later)}
    assert len(path_of(found["below_ten"])) == 10
    below = found["below_a_billion"]
    assert (below.answer, below.reason) == (UNDETERMINED, "interrupted")
    assert below.known.startswith("no counterexample in ")
    assert below.settles == "letting it run to its end"


def test_memory_that_runs_out_is_a_bound_and_no_crash() -> None:
    def exhausted(message: str) -> None:
        if "states" in message and "1 states" not in message:
            raise MemoryError

    found = {f.property: f for f in explore(lift(Unbounded), {}, progress=exhausted)}
    assert found["below_a_billion"].reason == "cut off by the end of memory"


# -- scopes ----------------------------------------------------------------------------------------------------


def test_a_sort_without_a_size_and_a_scope_that_cannot_be_built_are_refused() -> None:
    with pytest.raises(UsageError, match=r"EffectLedger needs a size for Effect: --scope Effect=2"):
        explore(lift(EffectLedger), {})
    with pytest.raises(UsageError, match=r"Effect=1000000000"):
        explore(lift(EffectLedger), {Effect: 10**9})


def test_a_claim_over_two_sorts_is_asked_for_every_pair() -> None:
    lifted: LiftedModel = lift(Board)
    with scope({Place: 3}):
        pairs = list(product(Place, Place))
    claim = next(c for c in lifted.claims if c.name == "second_alone_is_never_marked")
    search, seen = search_states(lifted, {Place: 3}, Limits())
    assert len(search.layout.arguments(claim.parameters)) == len(pairs) == 9
    assert next(w for w in seen.claims if w.lifted is claim).found is not None


@model
class TwoConditions:
    a: bool = var(False)
    never: bool = var(False)

    @action
    def set_a(self) -> None:
        self.a = True

    @always
    def both(self) -> bool:
        return implies(self.a, not self.never) and implies(self.never, self.a)


def test_two_conditions_on_one_line_are_told_apart() -> None:
    assert explored(TwoConditions)["both"].answer is VACUOUS


@model
class SameMember:
    here: Map[Place, bool] = var(False)

    @action
    def enter(self, me: Place) -> None:
        require(forall(Place, lambda other: other is me or not self.here[other]))
        self.here[me] = True

    @always
    def alone(self, p: Place, q: Place) -> bool:
        return p is q or not (self.here[p] and self.here[q])


def test_members_may_be_compared_with_is_in_a_quantifier_too() -> None:
    assert explored(SameMember, {Place: 2})["alone"].answer is HOLDS
