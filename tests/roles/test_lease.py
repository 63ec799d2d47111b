"""The role `lease`: what its obligations let through and what they catch, and what hostile policies come to."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from meshspec.answer import Answer, Finding, Strength
from meshspec.errors import ModelError
from meshspec.roles.lease import ROLE, SECONDS, judge
from meshspec.roles.lease_rules import (
    AGREE,
    CLOCK,
    FENCE,
    FREE,
    NAME,
    ORPHAN,
    UNIQUE,
    Call,
    Rules,
    disagreements,
    sides,
)
from meshspec.roles.lease_runs import OTHERS, USES, WAITS, longer, plain, runs, words

POLICIES = Path(__file__).with_name("leases.py")
OWED = [one.name for one in ROLE.obligations]


@cache
def put(name: str, length: int = 2, walk: int = 0, limit: float = 10.0, target: str = "") -> dict[str, Finding]:
    target = target or f"{POLICIES}:{name}"
    found = judge(target, length=length, walk=walk, time_limit_per_story=limit)
    assert [finding.property for finding in found] == list(ROLE.names)
    return {finding.property: finding for finding in found}


def answered(found: dict[str, Finding], answer: Answer) -> set[str]:
    return {name for name, finding in found.items() if finding.answer is answer}


def test_the_reference_keeps_everything_and_says_how_often_that_was_tried() -> None:
    found = put("", length=3, walk=20, target=ROLE.reference)
    assert answered(found, Answer.HOLDS) == set(ROLE.names)
    assert {finding.strength for finding in found.values()} == {Strength.TESTED}
    made = sum(len(OTHERS) * len(list(runs(size))) for size in (1, 2, 3)) + 20
    assert found["total"].tested == made, "every run counted once"
    assert all((found[name].tested or 0) > 0 for name in OWED)


NEEDS = {UNIQUE: (1, 0), CLOCK: (2, 60), FENCE: (4, 0)}


@pytest.mark.parametrize("name", OWED)
def test_each_obligation_has_an_incident_that_breaks_it(name: str) -> None:
    length, walk = NEEDS.get(name, (3, 0))
    found = put("", length=length, walk=walk, target=ROLE.incidents[name])
    also = {FREE: {ORPHAN}, CLOCK: {UNIQUE}}.get(name, set())
    broken = answered(found, Answer.VIOLATED)
    assert name in broken <= {name, *also}
    assert not answered(found, Answer.UNDETERMINED)


def test_a_second_one_that_looks_in_between_is_granted_too_where_nothing_is_locked() -> None:
    found = put("", length=1, target=ROLE.incidents[UNIQUE])[UNIQUE]
    assert found.counterexample is not None and found.reason.endswith("were both granted")
    first, second, third = found.counterexample.steps
    assert "is held up there" in first.action and (second.note, third.note) == ("1", "2")
    source = Path(__file__).parents[2] / "meshspec/policies/lease.py"
    line = found.facts["line"]
    assert isinstance(line, int)
    held_up = source.read_text(encoding="utf-8").splitlines()[line - 1]
    assert "self.granted[key] = " in held_up, "between the look and the grant"


def test_granter_and_holder_are_held_against_each_other_at_the_very_end_of_a_lease() -> None:
    found = put("", length=3, target=ROLE.incidents[AGREE])[AGREE]
    assert found.counterexample is not None
    told = [step.action for step in found.counterexample.steps]
    assert told[1] == f"{SECONDS:g} s go by" and told[3].startswith("or else acquire(")


def test_what_a_long_run_finds_is_cut_down_to_what_it_takes() -> None:
    found = put("", length=2, walk=60, target=ROLE.incidents[CLOCK])[CLOCK]
    assert found.counterexample is not None and found.counterexample.how == "shrunk"
    assert 3 < len(found.counterexample.steps) <= 6


def test_who_grants_nothing_keeps_nothing() -> None:
    found = put("NeverGrants")
    assert answered(found, Answer.VIOLATED) == {FREE}
    assert answered(found, Answer.VACUOUS) == set(OWED) - {FREE}


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("ReadsItsOwnClock", {ORPHAN}),
        ("StartsOver", {FENCE}),
        ("AnswersInWords", {"contract"}),
        ("AnswersOne", {"contract"}),
        ("Raises", {"total"}),
    ],
)
def test_what_breaks_what(name: str, broken: set[str]) -> None:
    assert answered(put(name, length=3), Answer.VIOLATED) == broken


def test_a_lease_that_outlives_its_time_is_not_reclaimed() -> None:
    assert ORPHAN in answered(put("OneTooLong", walk=60), Answer.VIOLATED)


def test_one_that_decides_by_chance_is_not_deterministic() -> None:
    assert "deterministic" in answered(put("Moody"), Answer.VIOLATED)


def test_nonsense_leaves_what_it_hides_undetermined() -> None:
    found = put("AnswersOne", length=3)
    assert found["contract"].reason == "renew answered 1: neither True nor False"
    assert found[UNIQUE].answer is Answer.UNDETERMINED and "see total, contract" in found[UNIQUE].reason


def test_a_policy_that_hangs_or_ends_its_process_is_undetermined_from_there_on() -> None:
    hangs = put("Hangs", limit=0.5)
    assert answered(hangs, Answer.UNDETERMINED) == set(ROLE.names)
    assert "it gave no answer for 0.5 s at call 2 of the run acquire(0, ada); release(0, ada)" in hangs[CLOCK].reason
    ends = put("Exits")
    assert "its process ended (exit code 3) at call 2" in ends[NAME].reason


def test_what_is_printed_is_kept_apart() -> None:
    found = put("Chatty")
    assert "hello" in str(found[UNIQUE].facts["printed"]) and found[UNIQUE].answer is Answer.HOLDS


def test_what_cannot_be_made_with_a_clock_is_bad_input_at_its_line() -> None:
    with pytest.raises(ModelError, match=r"the role lease makes it as NoClock\(clock, seconds\)") as error:
        put("NoClock")
    assert error.value.where is not None and error.value.where.file.endswith("leases.py")
    with pytest.raises(
        ModelError, match="has no method release: the role lease needs acquire, renew, release, commit"
    ):
        put("NoRelease")


# -- the rules by themselves -----------------------------------------------------------------------------------------


def broken(calls: list[Call], said: list[object]) -> list[tuple[str, int]]:
    return [(one.obligation, one.step) for one in Rules(SECONDS).rulings(calls, said) if one.broken]


def test_the_rules_say_which_answer_breaks_what() -> None:
    ada, ben = ("acquire", 0, "ada"), ("acquire", 0, "ben")
    assert broken([ada, ben], [1, 2]) == [(UNIQUE, 1)]
    assert broken([ada, ada], [1, 1]) == [(NAME, 1)] and broken([ada, ada], [1, 2]) == []
    assert broken([ada], [None]) == [(FREE, 0)]
    assert broken([ada, ("acquire", 1, "ben")], [1, None]) == [(FREE, 1)]
    assert broken([ada, ("wait", 12.0), ben], [1, None, None]) == [(ORPHAN, 2)]
    assert broken([ada, ("wait", 12.0), ben], [2, None, 1]) == [(FENCE, 2)]
    assert broken([ada, ("wait", 6.0), ("commit", 0, "ada")], [1, None, False]) == [(CLOCK, 2)]
    late: list[Call] = [ada, ("wait", 12.0), ben, ("commit", 0, "ada")]
    assert broken(late, [1, None, 2, True]) == [(FENCE, 3)] and broken(late, [1, None, 2, False]) == []


def test_at_the_very_end_either_answer_is_right() -> None:
    for said in (None, 2):
        assert broken([("acquire", 0, "ada"), ("wait", SECONDS), ("acquire", 0, "ben")], [1, None, said]) == []
    for may in (True, False):
        assert broken([("acquire", 0, "ada"), ("wait", SECONDS), ("commit", 0, "ada")], [1, None, may]) == []


def test_a_renewed_lease_lasts_from_its_renewal_and_a_released_one_is_free() -> None:
    calls: list[Call] = [
        ("acquire", 0, "ada"),
        ("wait", 6.0),
        ("renew", 0, "ada"),
        ("wait", 6.0),
        ("acquire", 0, "ben"),
    ]
    assert broken(calls, [1, None, True, None, 2]) == [(UNIQUE, 4)]
    assert broken(calls, [1, None, False, None, 2]) == [(CLOCK, 2)]
    given: list[Call] = [("acquire", 0, "ada"), ("release", 0, "ada"), ("acquire", 0, "ben"), ("commit", 0, "ada")]
    assert broken(given, [1, True, 2, False]) == []
    assert broken(given, [1, True, None, False]) == [(FREE, 2)]
    assert broken([*given[:2], ("release", 0, "ada")], [1, True, True]) == [], "given back twice: no harm"


def test_what_two_runs_say_of_one_instant_is_compared_by_key_and_holder() -> None:
    commit, grant = ("commit", 0, "ada"), ("acquire", 0, "ben")
    assert list(disagreements([commit, grant])) == [(commit, grant)]
    assert list(disagreements([commit, ("acquire", 1, "ben"), ("acquire", 0, "ada")])) == []
    assert sides([("acquire", 0, "ada")], [1]) == (("acquire", 0, "ada"), True)
    assert sides([commit], ["none"]) is None and sides([commit], []) is None


def test_runs_are_all_there_up_to_renaming_and_drawn_ones_follow_the_seed() -> None:
    assert [len(list(runs(size))) for size in (1, 2, 3)] == [1, 7, 82]
    # of two calls: acquire by either holder on either key, or one of three uses of the number
    assert {run[1] for run in runs(2)} == {
        *(("acquire", key, holder) for key in (0, 1) for holder in ("ada", "ben")),
        *((use, 0, "ada") for use in USES[:3]),
    }
    assert all(len(run[-1]) == 3 for run in runs(4)), "nobody looks after a last wait"
    assert {run[1][1] for run in runs(3) if len(run[1]) == 2} == set(WAITS)
    assert list(longer(3, 5)) == list(longer(3, 5)) != list(longer(4, 5))
    assert plain(("wait", 6.0)) == "wait 6 s" and words(("-renew", 1, "ben"), 3).endswith("with ben's number before")
