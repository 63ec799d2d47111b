"""A breaker beyond stories: what it offers is asked, what it does not offer is told, and each incident is found."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from meshspec.answer import Answer, Finding
from meshspec.roles import life, policies, telling
from meshspec.roles.breaker import Bound, obligations
from meshspec.roles.drill import OFFERED
from meshspec.roles.drills import loops, tripped
from meshspec.roles.hosted import Drill, Hosted, Launch
from meshspec.roles.judge import judge
from meshspec.roles.life import LIVE, lived
from meshspec.roles.living import ZONE, asked, examine, not_asked
from meshspec.roles.policies import INCIDENTS
from meshspec.roles.protocol import Drilled, Spoiled, drilled
from meshspec.roles.telling import Teller
from tests.roles import lives

LIVES = Path(lives.__file__)
NAMES = [one.name for one in lived()]
ALWAYS = ["trip-keeps-holding", "sees-calls-of-worker-threads", "independent-of-wall-clock"]


def put_to(target: str, *names: str, limit: float = 5.0, seconds: float = 60.0) -> dict[str, Finding]:
    """What the policy keeps of those obligations, in the one process that drills need."""
    with Hosted(Launch(target, path=tuple(sys.path), zone=ZONE, limit=limit)) as host:
        teller = Teller("it", "again", None)
        teller.about = host.about
        found = examine(host, teller, time.monotonic() + seconds, names or NAMES, lambda name: None)
        return {finding.property: finding for finding in found}


def one(name: str, obligation: str, **more: float) -> Finding:
    return put_to(f"{LIVES}:{name}", obligation, **more)[obligation]


def test_the_obligations_of_a_life_are_these_in_this_order() -> None:
    assert NAMES[:3] == ALWAYS and NAMES[-1] == LIVE and len(NAMES) == len(set(NAMES)) == 12
    assert life.names() == (*(one.name for one in obligations()), *NAMES)


def test_every_obligation_of_a_life_says_what_it_stands_for_and_needs_what_can_be_offered() -> None:
    for one in lived():
        assert one.stands_for and one.says and one.in_production.endswith(".")
        assert set(one.needs) <= set(OFFERED)
        file, line = telling.where(one).split(":")
        assert file == "meshspec/roles/life.py"
        assert one.name in Path(life.__file__).read_text(encoding="utf-8").splitlines()[int(line) - 1]


def test_the_reference_offers_everything_and_keeps_all_of_it() -> None:
    found = put_to(f"{policies.__name__}:Reference")
    assert {name: finding.answer for name, finding in found.items()} == dict.fromkeys(NAMES, Answer.HOLDS)
    assert not not_asked(OFFERED)
    # one drill a loop; in each thread, at each clock; four cuts and the end of a snapshot; again, and then new work
    loose = len(loops(True)), len(loops(True, 2)), len(loops(False))
    assert loose == (22, 154, 10)
    tested = {name: finding.tested for name, finding in found.items()}
    assert tested["trip-keeps-holding"] == loose[1] and tested["goes-on-after-reset"] == loose[0] + 4
    assert tested["sees-calls-of-worker-threads"] == tested["sessions-do-not-trip-each-other"] == loose[0]
    assert tested["independent-of-wall-clock"] == tested["asking-changes-nothing"] == loose[0] + loose[2]
    assert tested["snapshot-keeps-what-was-counted"] == 5 * loose[0]
    assert tested["open-leads-to-another-probe"] == 2 * 6  # each ending thrice, and with a failure between
    assert found[LIVE].facts["live"].keys() == policies.Reference.KNOBS.keys()  # type: ignore[attr-defined]


@pytest.mark.parametrize("obligation", NAMES)
def test_each_incident_breaks_the_obligation_it_is_listed_for(obligation: str) -> None:
    found = put_to(f"{policies.__name__}:{INCIDENTS[obligation].__name__}", obligation)[obligation]
    assert found.answer is (Answer.VACUOUS if obligation == LIVE else Answer.VIOLATED)
    if obligation != LIVE:
        assert found.counterexample is not None and found.counterexample.steps
        assert found.reason == found.counterexample.failed


def test_every_obligation_has_an_incident() -> None:
    assert list(INCIDENTS) == list(life.names())


# -- what is not offered ---------------------------------------------------------------------------------------------


def test_a_policy_that_offers_nothing_is_asked_what_everybody_is_and_told_what_it_was_not_asked() -> None:
    found = judge(f"{LIVES}:Plain", bound=Bound(0, 1), walk=0)
    owed = [one.name for one in obligations()]
    assert [finding.property for finding in found] == [*owed, *ALWAYS, *telling.CONDUCT]
    said = found[0].facts["not asked"]
    assert said == not_asked([]) and "asking-changes-nothing: it offers no ask" in not_asked([])
    assert [one.name for one in asked([])] == ALWAYS
    assert not_asked(["snapshot"])[1] == "snapshot-keeps-what-was-counted: it offers no restore"


def test_only_what_is_wanted_is_asked() -> None:
    found = judge(f"{LIVES}:Plain", bound=Bound(0, 1), walk=0, only=["trip-keeps-holding", "asking-changes-nothing"])
    assert [finding.property for finding in found] == ["trip-keeps-holding", *telling.CONDUCT]
    assert found[0].answer is Answer.HOLDS and found[0].facts["unit"] == "drills"
    assert found[0].facts["not asked"] == ["asking-changes-nothing: it offers no ask"]


# -- the four answers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "obligation", "answer", "reason"),
    [
        ("Never", "trip-keeps-holding", Answer.VACUOUS, "in none of 154 drills did it come to what this is about"),
        ("Never", "sees-calls-of-worker-threads", Answer.VACUOUS, "in none of 22 drills"),
        ("NeverWithCalls", "open-leads-to-another-probe", Answer.VACUOUS, "in none of 10 drills"),
        ("NeverWithCalls", "half-open-admits-one", Answer.VACUOUS, "in none of 2 drills"),
        ("NeverWithCalls", "backs-off-until-success", Answer.VACUOUS, "in none of 3 drills"),
        ("CannotBeReset", "goes-on-after-reset", Answer.VIOLATED, "it raised NotImplementedError: there is no way"),
        ("AnswersNonsenseWhenAsked", "asking-changes-nothing", Answer.VIOLATED, "it answered None"),
        ("PretendsToCall", "half-open-admits-one", Answer.VIOLATED, "it answered CONTINUE, and made no call"),
        ("RaisesOfItself", "correct-traffic-passes", Answer.VIOLATED, "it raised ValueError: not today"),
        ("Knobs", LIVE, Answer.VACUOUS, "it does not state which runs its host can make (HOST), so any run would do"),
        ("StatedKnobs", LIVE, Answer.VACUOUS, "no run that its host can make, of 359, is changed by unused: 1 or 2"),
        ("ImpossibleHost", LIVE, Answer.VACUOUS, "no run that its host can make, of 359, is changed by most: 1 or 5"),
        ("OddKnobs", LIVE, Answer.VIOLATED, "KNOBS: it raised TypeError: Object of type object is not JSON"),
        ("OneValue", LIVE, Answer.VACUOUS, "KNOBS states no two values for most"),
        ("NoKnobs", LIVE, Answer.VACUOUS, "KNOBS states no knob"),
    ],
)
def test_what_is_said_of_odd_lives(name: str, obligation: str, answer: Answer, reason: str) -> None:
    found = one(name, obligation)
    assert (found.answer, found.reason[: len(reason)]) == (answer, reason)


def test_a_live_knob_is_told_with_the_run_that_shows_it() -> None:
    found = one("LiveKnobs", LIVE)
    assert found.answer is Answer.HOLDS and found.tested == 1
    assert str(found.facts["live"]).startswith("{'most': 'a loop of 1 step: read_file")


def test_a_policy_that_hangs_in_its_life_is_undetermined_and_is_not_asked_further() -> None:
    found = one("HangsInReset", "goes-on-after-reset", limit=0.3)
    assert found.answer is Answer.UNDETERMINED
    assert found.reason == "it gave no answer for 0.3 s at operation 2" and found.known == "kept in 0 drills"


def test_without_time_it_is_undetermined() -> None:
    found = one("Plain", "trip-keeps-holding", seconds=-1.0)
    assert (found.answer, found.reason) == (Answer.UNDETERMINED, "the time limit was reached")


def test_a_policy_that_does_not_load_where_the_clocks_are_ours_is_undetermined_there() -> None:
    found = judge(f"{LIVES.parent / 'zoned.py'}:Zoned", bound=Bound(0, 1), walk=0)
    by_name = {finding.property: finding for finding in found}
    assert by_name["trips-on-identical-success"].answer is Answer.HOLDS
    assert {by_name[name].answer for name in ALWAYS} == {Answer.UNDETERMINED}
    assert "not where the clocks are ours" in by_name[ALWAYS[0]].reason


def test_a_violation_tells_each_operation_and_what_was_answered() -> None:
    found = one("CannotBeReset", "goes-on-after-reset").counterexample
    assert found is not None
    assert [(step.action, step.note) for step in found.steps] == [
        ('observe read_file(path=src/0.py) -> "214 bytes", ok, and 53 more', "TRIP at 4"),
        ("reset", "raised NotImplementedError: there is no way back"),
    ]


# -- clocks ----------------------------------------------------------------------------------------------------------


def test_every_clock_of_python_passes_where_time_is_let_pass_and_a_sleep_is_no_wait() -> None:
    looking = loops(False)[-1]
    with Hosted(Launch(f"{LIVES}:TellsTheTime", path=tuple(sys.path), zone=ZONE)) as host:
        before = time.monotonic()
        (told,) = host.drill([Drill((("reset",), ("drive", 0, 1)), (looking,))])
        assert time.monotonic() - before < 5.0
    assert told == Drilled(("done", "TRIP at 1: moved"))


# -- the protocol ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b'["drilled",["a"],"",""]',
        b'["drilled",["a","b"],"","",0]',
        b'["drilled",[],"","",0]',
        b'["drilled",["a"],"raised too","",0]',
        b'["done",1]',
        b"nonsense",
    ],
)
def test_what_no_host_writes_of_a_drill_is_spoiled(line: bytes) -> None:
    with pytest.raises(Spoiled):
        drilled(line, 1)


def test_a_drill_that_ran_out_of_memory_is_cut() -> None:
    assert drilled(b'["memory",3]', 5) == Drilled((), "it ran into the memory limit at operation 3", cut=True)


def test_the_step_of_a_trip_is_read_from_its_answer() -> None:
    assert (tripped("TRIP at 7"), tripped("TRIP at 7: 8: why"), tripped("CONTINUE")) == (7, 7, None)
