"""Reports about loop breakers, throttling and retry, restated as models: each gets its right answer.

source: macanderson/stella#359, Toloka/tolokaforge#1141, rohitg00/agentmemory#1075, resilience4j/resilience4j#544,
mpfaffenberger/code_puppy#317
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import pytest

from meshspec import Map, Range, Sort, action, always, fault, model, require, scope, sometimes, var
from meshspec.answer import Answer, Finding
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.engines.live import live
from meshspec.lang.lift import lift
from meshspec.models.half_open_breaker import End, HalfOpenBreaker, State
from meshspec.models.incidents.half_open_breaker import SlotIsLost
from meshspec.models.incidents.layered_retry import EachForItself
from meshspec.models.incidents.progress_breaker import CallAlone
from meshspec.models.incidents.throttled_client import KeptOutOfTheBreaker, PutIntoTheBreaker
from meshspec.models.layered_retry import Layer, LayeredRetry
from meshspec.models.progress_breaker import Answer as Said
from meshspec.models.progress_breaker import Call, ProgressBreaker, Session
from meshspec.models.throttled_client import Client, ThrottledClient, World


def asked(subject: object, claim: str, sizes: dict[type[Sort], int], limits: Limits | None = None) -> Finding:
    return next(f for f in explore(lift(subject), sizes, limits or Limits()) if f.property == claim)


def path(finding: Finding) -> tuple[str, ...]:
    assert finding.answer is Answer.VIOLATED and finding.counterexample is not None
    return finding.counterexample.actions


# -- macanderson/stella#359 ----------------------------------------------------------------------------------------

POLLS: dict[type[Sort], int] = {Session: 1, Call: 1, Said: 3}


def test_healthy_polling_is_stopped_at_the_third_poll_by_whoever_looks_at_calls_alone() -> None:
    found = asked(CallAlone(patience=Map(3)), "only_a_loop_is_stopped", POLLS)
    assert len(path(found)) == 3 and {step.split(",")[1] for step in path(found)} == {" call0"}
    with scope(POLLS):
        for detector, stopped in ((CallAlone(patience=Map(3)), True), (ProgressBreaker(patience=Map(3)), False)):
            for answer in Said:
                detector.call(Session(0), Call(0), answer)
            assert detector.is_stopped(Session(0)) is stopped
    assert asked(ProgressBreaker(patience=Map(3)), "only_a_loop_is_stopped", POLLS).answer is Answer.HOLDS


@model
class KnownPeriods:
    """Every call is answered as ever. A loop is seen if its period is one of the first few, after three rounds."""

    periods: int = 2
    may_recur: int = 3
    budget: int = 7
    ago1: Call | None = var(None)
    ago2: Call | None = var(None)
    ago3: Call | None = var(None)
    same1: int = var(0)  # calls in a row that equal the one before
    same2: int = var(0)  # ... that equal the one before that
    same3: int = var(0)
    made: Map[Call, int] = var(0)
    steps: int = var(0)

    def is_stopped(self) -> bool:
        seen = (self.same1 >= 2, self.same2 >= 4, self.same3 >= 6)
        return any(seen[: self.periods])

    @action
    def call(self, c: Call) -> None:
        require(not self.is_stopped() and self.steps < self.budget)
        self.same1 = self.same1 + 1 if self.ago1 is c else 0
        self.same2 = self.same2 + 1 if self.ago2 is c else 0
        self.same3 = self.same3 + 1 if self.ago3 is c else 0
        self.ago3 = self.ago2
        self.ago2 = self.ago1
        self.ago1 = c
        self.made[c] += 1
        self.steps += 1

    @always
    def nothing_recurs_too_often(self, c: Call) -> bool:
        return self.made[c] <= self.may_recur


def stopped_after(detector: KnownPeriods, *calls: int) -> int | None:
    with scope({Call: 99}):
        for number, call in enumerate(calls, 1):
            detector.call(Call(call))
            if detector.is_stopped():
                return number
    return None


def test_a_loop_of_three_calls_passes_whoever_knows_two_periods_until_a_third_is_known() -> None:
    loop = [0, 1, 2] * 18
    assert stopped_after(KnownPeriods(budget=54), *loop) is None
    assert stopped_after(KnownPeriods(budget=54, periods=3), *loop) == 9
    assert path(asked(KnownPeriods(), "nothing_recurs_too_often", {Call: 3}))


def test_one_varying_call_in_between_passes_whatever_periods_are_known() -> None:
    between = [call for i in range(1, 20) for call in (0, i)]
    assert stopped_after(KnownPeriods(budget=54, periods=3), *between) is None
    found = asked(KnownPeriods(periods=3), "nothing_recurs_too_often", {Call: 4})
    assert path(found)[-1] == "call(call0)" and path(found).count("call(call0)") == 4


# -- Toloka/tolokaforge#1141 ---------------------------------------------------------------------------------------


class Place(Enum):
    """The last ten messages, the newest first."""

    P0, P1, P2, P3, P4, P5, P6, P7, P8, P9 = range(10)


@model
class PhraseWindow:
    """A phrase that stands ten times in the last ten messages is flagged; messages of others do not have it."""

    alternates: bool = True  # the harness puts a message of a user or a tool between any two of the assistant
    times: Map[Place, Annotated[int, Range(0, 10)]] = var(0)
    assistant_spoke: bool = var(False)
    turns: Annotated[int, Range(0, 10)] = var(0)  # in which it was said, counted up to ten

    def is_flagged(self) -> bool:
        return sum(self.times[place] for place in Place) >= 10

    def add(self, times: int) -> None:
        for place in reversed(Place):
            self.times[place] = times if place is Place.P0 else self.times[Place(place.value - 1)]

    @action
    def say_it(self) -> None:
        require(not self.alternates or not self.assistant_spoke)
        self.add(1)
        self.assistant_spoke = True
        self.turns = min(self.turns + 1, 10)

    @action
    def answer(self) -> None:
        """A user or a tool."""
        self.add(0)
        self.assistant_spoke = False

    @sometimes
    def the_loop_is_flagged(self) -> bool:
        return self.is_flagged()


@model
class OneOddMessage(PhraseWindow):
    """The assistant may also say the phrase ten times in one message."""

    @action
    def say_it_ten_times_at_once(self) -> None:
        require(not self.assistant_spoke and self.turns == 0)
        self.add(10)
        self.assistant_spoke = True
        self.turns = 1

    @always
    def only_a_loop_of_turns_is_flagged(self) -> bool:
        return self.turns >= 10 or not self.is_flagged()


def test_under_the_shape_of_the_harness_the_guard_is_vacuous_and_without_it_wrongly_called_armed() -> None:
    assert asked(PhraseWindow(), "the_loop_is_flagged", {}).answer is Answer.VACUOUS
    assert asked(PhraseWindow(alternates=False), "the_loop_is_flagged", {}).answer is Answer.HOLDS


def test_one_odd_message_is_flagged_at_once() -> None:
    found = asked(OneOddMessage(), "only_a_loop_of_turns_is_flagged", {})
    assert path(found) == ("say_it_ten_times_at_once",)


# -- rohitg00/agentmemory#1075 -------------------------------------------------------------------------------------


@model
class CountsThrottling:
    """Three errors in a row open the breaker; a 429 is one, its delay is dropped, and only a restart closes it."""

    errors: Annotated[int, Range(0, 3)] = var(0)
    failed: bool = var(False)  # with anything but a 429

    def is_open(self) -> bool:
        return self.errors >= 3

    @action
    def succeed(self) -> None:
        require(not self.is_open())
        self.errors = 0

    @fault
    def throttle(self) -> None:
        require(not self.is_open())
        self.errors += 1

    @fault
    def fail(self) -> None:
        require(not self.is_open())
        self.errors += 1
        self.failed = True

    @always
    def load_alone_opens_nothing(self) -> bool:
        return self.failed or not self.is_open()


def test_three_throttles_open_the_breaker() -> None:
    assert path(asked(CountsThrottling(), "load_alone_opens_nothing", {})) == ("throttle",) * 3


@pytest.mark.parametrize(
    ("repair", "claim", "world"),
    [
        (KeptOutOfTheBreaker, "it_asks_in_vain_but_seldom", World.GONE),
        (PutIntoTheBreaker, "a_free_service_does_not_wait_long", World.BUSY),
    ],
)
def test_each_repair_is_wrong_in_one_world_and_only_there(repair: type, claim: str, world: World) -> None:
    found = asked(repair, claim, {Client: 1})
    assert found.counterexample is not None
    assert found.counterexample.initial["world[client0]"] == world.name
    other = {World.GONE: World.BUSY, World.BUSY: World.GONE}[world]
    assert asked(in_one_world(repair, other), claim, {Client: 1}).answer is Answer.HOLDS
    assert asked(ThrottledClient, claim, {Client: 1}).answer is Answer.HOLDS


def in_one_world(repair: type, world: World) -> type:
    """The same model, which starts in one world alone."""
    body = {"__annotations__": {"world": Map[Client, World]}, "world": var(world), "__module__": __name__}
    return model(type(repair.__name__, (repair,), {**body, "__doc__": repair.__doc__}))


# -- resilience4j/resilience4j#544 ---------------------------------------------------------------------------------


def test_a_probe_that_is_ignored_leaves_the_breaker_half_open_for_ever() -> None:
    assert path(asked(SlotIsLost, "a_taken_slot_has_a_probe_under_way", {})) == ("wait", "probe", "end(IGNORED)")
    (found,) = live(lift(SlotIsLost), {})
    assert path(found) == ("wait", "probe", "end(IGNORED)", "refuse")
    assert found.counterexample is not None and found.counterexample.loop == 3
    (mended,) = live(lift(HalfOpenBreaker), {})
    assert mended.answer is Answer.HOLDS


@pytest.mark.parametrize("how", [End.IGNORED, End.CANCELLED])
def test_so_does_one_that_is_cancelled(how: End) -> None:
    for breaker, taken in ((SlotIsLost(), True), (HalfOpenBreaker(), False)):
        breaker.wait()
        breaker.probe()
        breaker.end(how)
        assert (breaker.state, breaker.slot_taken, breaker.probing) == (State.HALF_OPEN, taken, False)


# -- mpfaffenberger/code_puppy#317 ---------------------------------------------------------------------------------

TRIES = Map(3, {Layer.CLIENT: 5})


def test_one_call_is_more_requests_than_its_bound_though_each_layer_keeps_its_own() -> None:
    found = asked(EachForItself(tries=TRIES, budget=15), "requests_stay_within_the_budget", {})
    assert path(found).count("refuse") == 16
    assert found.counterexample is not None
    last = EachForItself(tries=TRIES, budget=15)
    for step in path(found):
        getattr(last, step)()
    counts = {layer.name: last.tried[layer] for layer in Layer}
    assert counts == {"STREAM": 2, "LIBRARY": 1, "CLIENT": 1}, "what each log shows, and 16 requests in all"
    assert last.requests == 16
    assert asked(LayeredRetry(tries=TRIES, budget=15), "requests_stay_within_the_budget", {}).answer is Answer.HOLDS


@pytest.mark.parametrize("tries", [(3, 3, 5), (3, 1, 5), (1, 1, 5)])
def test_the_bound_that_holds_is_the_product(tries: tuple[int, int, int]) -> None:
    stream, library, client = tries
    table = Map(1, {Layer.STREAM: stream, Layer.LIBRARY: library, Layer.CLIENT: client})
    product = stream * library * client
    for bound, answer in ((product, Answer.HOLDS), (product - 1, Answer.VIOLATED)):
        assert asked(EachForItself(tries=table, budget=bound), "requests_stay_within_the_budget", {}).answer is answer


def test_a_search_that_is_cut_says_so() -> None:
    cut = asked(KnownPeriods(may_recur=7), "nothing_recurs_too_often", {Call: 3}, Limits(max_states=10))
    assert cut.answer is Answer.UNDETERMINED
