"""Evidence for the shipped loop breaker: its decision for any patience, the class against it, what it cannot know."""

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from meshspec import Map, evidence, promise, scope
from meshspec.models.breaker_policy import BreakerPolicy, Session, Sight
from meshspec.models.incidents.breaker_policy import (
    AdmitsWhoeverIsThere,
    ChecksAreCounted,
    DecidesAnew,
    NewsMovesChecks,
    OldResultsPass,
)
from meshspec.policies.breaker import CONTINUE, Decision, ProgressBreaker
from meshspec.roles.story import Call
from meshspec.settle import shows

BARREN = ["observe(session0, NO_NEWS)"] * 2
TWO_PROBES = [*BARREN, "rest(session0)", "probe(session0)", "probe(session0)"]
STILL = "observe(session0, NO_BETTER)"

EVIDENCE = evidence(
    BreakerPolicy,
    scope={Session: 1},
    # p * p before a trip, with patience p = 2; 2 * p - 1 ways to trip, each holding, rested and trying, with a step
    # taken since or none
    states=28,
    deadlocks=0,
    promises={
        "a_barren_run_is_stopped_in_time": promise(
            stands_for=["PB-TRIP-BOUND"],
            proved=True,
            refuted_by={OldResultsPass: BARREN, DecidesAnew: [*BARREN, "swallow(session0, NEWS)"]},
        ),
        "a_check_that_does_not_move_is_stopped_in_time": promise(
            stands_for=["PB-NO-MISS"],
            proved=True,
            refuted_by={
                NewsMovesChecks: [STILL, "observe(session0, NEWS)", STILL],
                DecidesAnew: [STILL, STILL, "swallow(session0, BETTER)"],
            },
        ),
        "only_what_makes_no_progress_is_stopped": promise(
            stands_for=["PB-NO-FALSE-TRIP"],
            proved=True,
            refuted_by={ChecksAreCounted: ["observe(session0, BETTER)"] * 2},
        ),
        "a_trip_holds": promise(
            stands_for=["PB-TRIP-BOUND"],
            proved=True,
            refuted_by={DecidesAnew: [*BARREN, "swallow(session0, NEWS)"]},
        ),
        "one_call_is_let_through": promise(
            stands_for=["BREAKER-RECOVER"],
            proved=True,
            refuted_by={AdmitsWhoeverIsThere: TWO_PROBES},
        ),
        "who_is_let_through_came_after_a_rest": promise(
            stands_for=["BREAKER-RECOVER"],
            proved=True,
            refuted_by={
                AdmitsWhoeverIsThere: [*TWO_PROBES, "end(session0, PROGRESS)"],
                DecidesAnew: [*BARREN, "rest(session0)", "probe(session0)", "swallow(session0, NEWS)"],
            },
        ),
        "a_call_is_let_through": promise(stands_for=["BREAKER-RECOVER"]),
    },
)


# -- the class takes the decisions of the model ----------------------------------------------------------------------


def steps_of(sights: tuple[Sight, ...]) -> Iterator[Call]:
    """A run that shows these sights, one after the other; its check has been run once before."""
    left = len(sights) + 1
    yield Call("look", {}, "old", None, None, True)
    yield Call("check", {}, "", (0, left), None, True)
    for number, sight in enumerate(sights):
        left -= sight is Sight.BETTER
        if sight in (Sight.BETTER, Sight.NO_BETTER):
            yield Call("check", {}, "", (0, left), None, True)
        else:
            yield Call("look", {}, "old" if sight is Sight.NO_NEWS else f"new {number}", None, None, True)


def trips_of(sights: tuple[Sight, ...], patience: int) -> tuple[list[bool], list[bool]]:
    """What the class says to each of these steps, and the model; a step after a trip is one whose trip was caught."""
    policy, (look, check, *steps) = ProgressBreaker(patience), steps_of(sights)
    policy.observe(look)
    policy.observe(check)
    policy.reset()
    shipped, told = [policy.observe(step) != CONTINUE for step in steps], list[bool]()
    with scope({Session: 1}):
        one, model = Session(0), BreakerPolicy(patience=Map(patience))
        for sight in sights:
            step = model.swallow if model.tripped[one] else model.observe
            step(one, sight)
            told.append(model.tripped[one])
    return shipped, told


@shows("PB-TRIP-BOUND", "PB-NO-MISS", "PB-NO-FALSE-TRIP")
def the_shipped_class_decides_as_the_model_does() -> None:
    """On all 4 ** 4 runs of four sights, with patience of 1, 2 and 3, steps after a trip included."""
    trips = set[int | None]()
    for patience, sights in itertools.product((1, 2, 3), itertools.product(Sight, repeat=4)):
        shipped, model = trips_of(sights, patience)
        assert shipped == model, (patience, sights, shipped, model)
        trips.add(shipped.index(True) if True in shipped else None)
    assert trips == {None, 0, 1, 2, 3}


# -- what no breaker can know ----------------------------------------------------------------------------------------


class World(NamedTuple):
    """What a run is made of: what it is shown at each step, and at which step it is done by itself, if ever."""

    name: str
    shown: Callable[[int], Call]
    done_at: int | None


class Pair(NamedTuple):
    """Two worlds that show the same until one of them is done; what makes the policy choose the other way."""

    honest: World
    stuck: World
    otherwise: ProgressBreaker


SOON, LATE = 30, 54


def _polled(step: int) -> Call:
    return Call("poll", {"build": 7}, "running", None, None, True)


def _logged(step: int) -> Call:
    return Call("tail", {"log": "copy"}, f"line {step}", None, None, True)


def _checked(step: int) -> Call:
    return Call("run_check", {"name": "integration"}, "5 failed", (3, 5), None, False)


def masked(step: Call) -> str:
    """What a step says, apart from its numbers."""
    return "".join(c for c in step.text if not c.isdigit())


def pairs() -> list[Pair]:
    """The three pairs that the docstring of the policy speaks of, each with the choice that its user has."""
    return [
        Pair(
            World("a build that takes long", _polled, SOON),
            World("a build that died", _polled, None),
            ProgressBreaker(doubt="run"),
        ),
        Pair(
            World("a copy, line by line", _logged, SOON),
            World("a log that counts its own lines", _logged, None),
            ProgressBreaker(content=masked),
        ),
        Pair(
            World("a repair whose third part will turn the check", _checked, SOON),
            World("a repair that is none", _checked, None),
            ProgressBreaker(patience=LATE + 1),
        ),
    ]


class Ended(NamedTuple):
    """How a run went: what it was shown, the step at which it was stopped, whether it was done."""

    shown: tuple[Call, ...]
    stopped_at: int | None
    done: bool


def run(world: World, policy: ProgressBreaker, resets: int = 0) -> Ended:
    """Let a run be watched until it is done, or was stopped once more than somebody looked and said: go on."""
    shown: list[Call] = []
    for step in range(1, LATE + 1):
        if step == world.done_at:
            return Ended(tuple(shown), None, True)
        shown.append(world.shown(step))
        if policy.observe(shown[-1]) != CONTINUE:
            if not resets:
                return Ended(tuple(shown), step, False)
            resets -= 1
            policy.reset()
    return Ended(tuple(shown), None, False)


@shows("PB-GRADED")
def of_each_pair_of_runs_that_look_alike_the_policy_takes_one_side_and_can_be_told_to_take_the_other() -> None:
    """Two runs show the same, and one of them would have been done: whoever stops the other stops both.

    The shipped policy stops the first pair and the third, and lets the second run; the other choice is an argument.
    Where it stops, its user can look, and with a reset or two the honest run comes to its end and no later.
    """
    sides: list[int | None] = []
    for honest, stuck, otherwise in pairs():
        shown = [honest.shown(step) for step in range(1, SOON)]
        assert shown == [stuck.shown(step) for step in range(1, SOON)]
        good, bad = run(honest, ProgressBreaker()), run(stuck, ProgressBreaker())
        assert good.shown == bad.shown[: len(good.shown)], "what is shown is one run"
        assert good.stopped_at == bad.stopped_at, "so is what is decided, right for one of the two alone"
        other = run(stuck, otherwise).stopped_at
        assert (other is None) is not (bad.stopped_at is None), "its user can take the other side"
        told = "lets both run" if bad.stopped_at is None else f"stops both at step {bad.stopped_at}"
        print(f"{honest.name}, or {stuck.name}: {told}; {shown[0].text!r}, ..., {shown[-1].text!r}")
        sides.append(bad.stopped_at)
        if bad.stopped_at is not None:
            assert run(honest, ProgressBreaker(), resets=2).done, "what was stopped goes on"
            again = run(stuck, ProgressBreaker(), resets=2).stopped_at
            assert again is not None and again > bad.stopped_at, "and a loop is stopped again"
    patience = ProgressBreaker().patience
    assert sides == [patience + 1, None, patience]  # the first look is news, and the first check is no progress


class StopsAt(ProgressBreaker):
    """A rule over what is shown, where all that is shown is one run: it stops at some step, or never."""

    def __init__(self, stops_at: int | None) -> None:
        super().__init__()
        self.steps, self.stops_at = 0, stops_at

    def observe(self, step: Call) -> Decision:
        self.steps += 1
        return ("TRIP", "so it is ruled") if self.steps == self.stops_at else CONTINUE


@shows("PB-GRADED")
def no_rule_over_what_is_shown_is_right_for_both() -> None:
    """Of all rules that stop such a run at some step or never, none lets the one be done and stops the other before.

    A rule that stops after the honest run would have been done is right for both, and whoever knew when that is would
    need no breaker.
    """
    for honest, stuck, _ in pairs():
        for stops_at in (*range(1, LATE + 1), None):
            lets = run(honest, StopsAt(stops_at)).done
            stopped = run(stuck, StopsAt(stops_at)).stopped_at
            assert stopped == stops_at and lets is (stops_at is None or stops_at >= SOON)
