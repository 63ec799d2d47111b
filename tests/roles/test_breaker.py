from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from meshspec.roles import breaker, telling
from meshspec.roles.breaker import Bound, Obligation, obligations
from meshspec.roles.story import SHAPES, Shape, Story, length

NAMES = [
    "trips-on-identical-success",
    "trips-on-stuck-loop",
    "trips-on-stuck-loop-with-noisy-output",
    "trips-on-alternation",
    "not-evaded-by-irrelevant-field",
    "lets-converging-repair-run",
    "lets-distinct-work-run",
]


def named(name: str) -> Obligation:
    return next(o for o in obligations() if o.name == name)


def loops(obligation: Obligation) -> list[tuple[Shape, ...]]:
    return [tuple(SHAPES[code] for code in loop) for n in (1, 2, 3) for loop in obligation.premise.loops(n)]


def test_the_seven_obligations_are_these_in_this_order() -> None:
    assert [o.name for o in obligations()] == NAMES


def test_every_obligation_says_what_it_stands_for_and_what_goes_wrong_without_it() -> None:
    for o in obligations():
        assert o.stands_for and all(claim.startswith("PB-") for claim in o.stands_for)
        assert o.says and o.in_production.endswith(".")


def test_no_loop_owes_both_a_trip_and_a_run() -> None:
    def alike(must_trip: bool) -> set[tuple[Shape, ...]]:
        return {tuple(sorted(loop)) for o in obligations() if o.must_trip is must_trip for loop in loops(o)}

    assert not alike(True) & alike(False)


def test_every_loop_of_a_premise_is_what_the_premise_says() -> None:
    for loop in loops(named(NAMES[0])):
        assert len(loop) == 1 and set(loop[0][:4]) <= {"constant", "absent"} and loop[0].success
    for loop in loops(named(NAMES[1])):
        assert loop[0].rank == "constant" and loop[0].text == "constant"
        assert all(other.arguments == "fresh" and other.rank == "absent" for other in loop[1:])
    for loop in loops(named(NAMES[2])):
        assert loop[0].rank == "constant" and loop[0].text == "fresh"
        assert all(other.arguments == "fresh" and other.rank == "absent" for other in loop[1:])
    for loop in loops(named(NAMES[3])):
        assert len(loop) in (2, 3) and all(set(s[:4]) <= {"constant", "absent"} for s in loop)
    for loop in loops(named(NAMES[4])):
        assert len(loop) == 1 and loop[0].arguments == "nonce" and loop[0].text == "constant" and loop[0].success
    for loop in loops(named(NAMES[5])):
        assert loop[0].rank == "decreasing" and all(other.rank == "absent" for other in loop[1:])
    for loop in loops(named(NAMES[6])):
        assert len(loop) in (1, 2) and all(s.arguments == s.text == "fresh" and s.success for s in loop)


@pytest.mark.parametrize(
    ("name", "count"), list(zip(NAMES, [280, 25_480, 25_480, 10_920, 840, 182_000, 350], strict=True)), ids=NAMES
)
def test_the_stories_of_an_obligation_are_counted(name: str, count: int) -> None:
    assert named(name).count(Bound()) == count


@pytest.mark.parametrize("name", NAMES)
def test_the_count_is_that_of_enumeration_and_no_story_comes_twice(name: str) -> None:
    for bound in (Bound(prefix=1, loop=2), Bound(prefix=2, loop=1)):
        stories = list(named(name).stories(bound))
        assert len(set(stories)) == len(stories) == named(name).count(bound)


@pytest.mark.parametrize("name", NAMES)
def test_stories_come_the_shortest_first(name: str) -> None:
    sizes = [len(s.prefix) + len(s.loop) for s in named(name).stories(Bound(prefix=2, loop=3))]
    assert sizes == sorted(sizes)


def test_a_stuck_loop_has_54_rounds_and_every_other_story_54_steps() -> None:
    for o in obligations():
        for story in itertools.islice(o.stories(Bound()), 2000):
            if o.rounds:
                assert length(story) == max(54, len(story.prefix) + 54 * len(story.loop))
            else:
                assert 54 - len(story.loop) < length(story) <= 54


def test_a_trip_on_the_green_step_stops_nothing_and_one_before_it_breaks_the_obligation() -> None:
    repair = named("lets-converging-repair-run")
    story = next(repair.stories(Bound()))
    green = length(story)
    assert not repair.broken(story, None) and not repair.broken(story, green) and repair.broken(story, green - 1)


def test_a_run_stopped_in_its_prefix_never_came_to_the_loop_that_must_be_let_run() -> None:
    work = named("lets-distinct-work-run")
    story = Story((0, 0), work.premise.loops(1)[0])
    assert not work.owed(story, 2) and work.owed(story, 3) and work.owed(story, None)


def test_the_line_of_an_obligation_is_where_it_is_stated() -> None:
    source = Path(breaker.__file__).read_text(encoding="utf-8").splitlines()
    for o in obligations():
        file, line = telling.where(o).split(":")
        assert file == "meshspec/roles/breaker.py" and o.name in source[int(line) - 1]
