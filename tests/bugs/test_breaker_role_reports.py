"""Bug reports about breakers, put to the role: each gets its right answer, and its repair another.

The breakers are in :mod:`tests.bugs.breakers`, each with its report as its source.
"""

from __future__ import annotations

import sys
from pathlib import Path

from meshspec.answer import Answer, Finding
from meshspec.roles.breaker import Bound
from meshspec.roles.drills import probed, tripped
from meshspec.roles.hosted import Drill, Hosted, Launch
from meshspec.roles.judge import judge
from meshspec.roles.living import FORGETS, ZONE
from meshspec.roles.story import Call
from tests.bugs import breakers

FILE = Path(breakers.__file__)


def put_to(cls: type, *names: str, loop: int = 2) -> dict[str, Finding]:
    found = judge(f"{FILE}:{cls.__name__}", bound=Bound(0, loop), walk=0, only=names)
    return {finding.property: finding for finding in found}


def drive(cls: type, *calls: Call) -> str:
    with Hosted(Launch(f"{FILE}:{cls.__name__}", path=tuple(sys.path), zone=ZONE)) as host:
        (told,) = host.drill([Drill((("drive", 0, len(calls)),), calls=calls)])
    assert not told.said
    return told.answers[0]


# -- source: macanderson/stella#359 ----------------------------------------------------------------------------------


def poll(text: str) -> Call:
    return Call("poll", {"handle": "h"}, text, None, None, True)


def test_a_poll_with_new_output_is_killed_and_a_loop_of_three_is_never_seen_by_what_compares_inputs() -> None:
    converging, alternation = "lets-converging-repair-run", "trips-on-alternation"
    found = put_to(breakers.ComparesInputs, converging, alternation, loop=3)
    assert found[converging].answer is found[alternation].answer is Answer.VIOLATED
    story = found[converging].counterexample
    assert story is not None and len(story.steps) == 3
    assert found[converging].facts["tripped at step"] == 3
    assert str(found[alternation].facts["story"]).startswith("a loop of 3 steps")  # of 2 it stops
    polls = poll("a"), poll("ab"), poll("abc")
    assert tripped(drive(breakers.ComparesInputs, *polls)) == 3
    assert drive(breakers.ComparesOutputsToo, *polls) == "CONTINUE"


def test_what_compares_outputs_too_stops_short_periods_and_misses_one_that_varies_in_between() -> None:
    names = "trips-on-alternation", "trips-on-stuck-loop", "lets-converging-repair-run"
    found = put_to(breakers.ComparesOutputsToo, *names)
    assert put_to(breakers.ComparesOutputsToo, names[0], loop=3)[names[0]].answer is Answer.HOLDS
    assert [found[name].answer for name in names] == [Answer.HOLDS, Answer.VIOLATED, Answer.HOLDS]
    assert "search_code (new arguments" in str(found["trips-on-stuck-loop"].facts["story"])


def test_what_looks_at_every_other_call_stops_that_too() -> None:
    assert (
        put_to(breakers.SeesThroughOneThatVaries, "trips-on-stuck-loop")["trips-on-stuck-loop"].answer is Answer.HOLDS
    )


# -- source: Toloka/tolokaforge#1141 ---------------------------------------------------------------------------------


def test_a_threshold_beyond_what_the_host_can_make_is_vacuous_and_seems_armed_to_who_does_not_say_so() -> None:
    def live(cls: type) -> Finding:
        return put_to(cls, "knobs-are-live")["knobs-are-live"]

    dead = live(breakers.CountsInAWindow)
    assert dead.answer is Answer.VACUOUS
    assert dead.reason.startswith("no run that its host can make") and dead.reason.endswith("by times: 10 or 8")
    assert live(breakers.CountsForAnyHost).answer is Answer.HOLDS  # the wrong answer, to the wrong question
    unsaid = live(breakers.CountsForNobodyKnowsWhom)
    assert unsaid.answer is Answer.VACUOUS and "(HOST)" in unsaid.reason
    assert live(breakers.CountsWithinReach).answer is Answer.HOLDS


def test_one_message_that_repeats_itself_is_no_loop() -> None:
    message = Call("say", {}, "retry, " * 10, None, None, True)
    assert tripped(drive(breakers.CountsInAWindow, message)) == 1
    assert drive(breakers.CountsWithinReach, message) == "CONTINUE"


# -- source: aaif-goose/goose#9758 -----------------------------------------------------------------------------------


def test_what_counts_on_a_copy_never_trips_and_is_told_to_remember_nothing() -> None:
    name = "trips-on-identical-success"
    found = put_to(breakers.CountsOnACopy, name)[name]
    assert found.answer is Answer.VIOLATED and found.facts["memory"] == FORGETS
    assert put_to(breakers.CountsOnItself, name)[name].answer is Answer.HOLDS


def test_a_breaker_that_never_trips_and_does_count_is_not_told_to_remember_nothing() -> None:
    found = put_to(breakers.CountsInAWindow, "trips-on-alternation")["trips-on-alternation"]
    assert found.answer is Answer.VIOLATED and "memory" not in found.facts


def test_asking_must_not_count_either() -> None:
    name = "asking-changes-nothing"
    assert put_to(breakers.CountsOnItself, name)[name].answer is Answer.HOLDS
    found = put_to(breakers.CountsWhatItIsAsked, name)[name]
    assert (found.answer, found.reason) == (
        Answer.VIOLATED,
        "asked the same before anything happened, its answer differs at 5",
    )


# -- source: resilience4j/resilience4j#544 ---------------------------------------------------------------------------


def test_a_probe_that_says_nothing_takes_its_slot_along_and_no_call_is_ever_let_through_again() -> None:
    name = "open-leads-to-another-probe"
    found = put_to(breakers.LosesItsSlot, name)[name]
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    opened, probe, never = found.counterexample.steps[:3]  # open, wait and probe, and refused for ever
    assert (opened.note, probe.note, never.note) == ("refused after 5", "ran after 32 s", "never")
    assert put_to(breakers.GivesItsSlotBack, name)[name].answer is Answer.HOLDS


def test_it_is_lost_whether_the_probe_is_ignored_cancelled_or_interrupted_and_else_it_is_not() -> None:
    cases = list(probed(("call", "ignores")))[:6]
    with Hosted(Launch(f"{FILE}:LosesItsSlot", path=tuple(sys.path), zone=ZONE)) as host:
        answers = [told.answers for told in host.drill([case.drill for case in cases])]
    lost = {case.drill.operations[1][1] for case, told in zip(cases, answers, strict=True) if case.judged(told)}
    assert lost == {"cancelled", "interrupted", "exits", "ignored"}
