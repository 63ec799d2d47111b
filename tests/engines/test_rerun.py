"""A path told in words is run on CPython: what it comes to, and at which step it is otherwise than it was told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import attrs
import pytest

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    any_of,
    eventually,
    fault,
    leads_to,
    lemma,
    model,
    require,
    sometimes,
    terminal,
    var,
)
from meshspec.answer import Counterexample, Step
from meshspec.backends.layout import NO_RAISE, Layout
from meshspec.engines.explore import ENDS
from meshspec.engines.rerun import Rerun, rerun
from meshspec.lang.lift import lift
from tests.report.bundles import CASES, made


class Job(Sort): ...


@model
class Charging:
    in_hand: Map[Job, bool] = var(False)
    charges: Map[Job, Annotated[int, Range(0, 2)]] = var(any_of(0, 1))

    @action
    def charge(self, j: Job) -> None:
        require(not self.in_hand[j])
        self.charges[j] += 1
        self.in_hand[j] = True

    @fault
    def crash(self, j: Job) -> None:
        require(self.in_hand[j])
        self.in_hand[j] = False

    @action
    def explode(self, j: Job) -> None:
        require(self.charges[j] == 2)
        raise RuntimeError

    @always
    def charged_at_most_once(self, j: Job) -> bool:
        return self.charges[j] <= 1

    @lemma
    def sound(self, j: Job) -> bool:
        return self.charges[j] < 3

    @sometimes
    def charged(self, j: Job) -> bool:
        return self.charges[j] == 1


START = {"in_hand[job0]": "False", "charges[job0]": "0"}
FIRST = Step("charge(job0)", {"in_hand[job0]": ("False", "True"), "charges[job0]": ("0", "1")})
SECOND = Step("crash(job0)", {"in_hand[job0]": ("True", "False")})
THIRD = Step("charge(job0)", {"in_hand[job0]": ("False", "True"), "charges[job0]": ("1", "2")})
FAILED = "charged_at_most_once(job0): charges[job0] > 1, where charges[job0] = 2"
PATH = Counterexample(START, (FIRST, SECOND, THIRD), FAILED)


def go(path: Counterexample, property: str = "charged_at_most_once", kind: str = "always") -> Rerun:
    return rerun(Layout(lift(Charging), {Job: 1}), property, kind, path)


def wrong(path: Counterexample, property: str = "charged_at_most_once", kind: str = "always") -> str:
    return str(go(path, property, kind).wrong)


def with_step(number: int, step: Step) -> Counterexample:
    steps = list(PATH.steps)
    steps[number - 1] = step
    return attrs.evolve(PATH, steps=tuple(steps))


def test_a_path_that_is_one_is_taken_to_its_end_with_every_state_on_it() -> None:
    found = go(PATH)
    assert found.wrong is None
    assert found.refuted is not None and found.refuted.said == (FAILED,)
    assert [taken.called for taken in found.taken] == list(PATH.actions)
    job = Job(0)
    assert [state["charges", (job,)] for state in found.states] == [0, 1, 1, 2]
    assert [state["in_hand", (job,)] for state in found.states] == [False, True, False, True]
    assert found.path("shortest") == PATH


def test_an_action_that_there_is_not_names_its_neighbour_and_what_is_enabled() -> None:
    said = wrong(with_step(2, attrs.evolve(SECOND, action="crush(job0)")))
    assert said == "step 2: there is no action 'crush(job0)'; did you mean crash(job0)?; enabled here: crash(job0)"


def test_an_action_of_a_member_beyond_the_scope_is_none() -> None:
    assert "step 1: there is no action 'charge(job7)'" in wrong(
        with_step(1, attrs.evolve(FIRST, action="charge(job7)"))
    )


def test_an_action_that_is_not_enabled_closes_the_path_at_its_step() -> None:
    said = wrong(with_step(2, FIRST))
    assert said == "step 2: charge(job0) is not enabled in this state; enabled here: crash(job0)"
    found = go(with_step(2, FIRST))
    assert found.refuted is None and len(found.taken) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"in_hand[job0]": ("True", "True")}, "in_hand[job0] True -> True was recorded, it is True -> False"),
        ({}, "in_hand[job0] True -> False was not recorded"),
        (
            {**SECOND.changes, "charges[job0]": ("1", "2")},
            "charges[job0] 1 -> 2 was recorded, and it does not change",
        ),
    ],
)
def test_changes_that_are_otherwise_are_told_with_their_step(changes: dict[str, tuple[str, str]], said: str) -> None:
    found = go(with_step(2, attrs.evolve(SECOND, changes=changes)))
    assert str(found.wrong) == f"step 2: {said}"
    assert found.refuted is not None, "the path itself is one, and is gone to its end"


def test_a_note_that_is_otherwise_is_told_with_its_step() -> None:
    said = wrong(with_step(2, attrs.evolve(SECOND, note="raises OSError")))
    assert said == "step 2: 'raises OSError' was recorded of it, and it raises nothing"


def test_the_first_of_several_differences_is_told() -> None:
    path = with_step(3, attrs.evolve(THIRD, changes={}))
    path = attrs.evolve(path, steps=(attrs.evolve(FIRST, changes={}), *path.steps[1:]))
    assert wrong(path).startswith("step 1: ")


@pytest.mark.parametrize(
    ("initial", "said"),
    [
        ({**START, "charges[job0]": "2"}, "at the start: charges[job0] = 2 was recorded; it starts at 0 or 1"),
        ({**START, "in_hand[job0]": "<b>"}, "at the start: in_hand[job0] = <b> was recorded; it starts at False"),
        ({"charges[job0]": "0"}, "at the start: in_hand[job0] is not recorded; it starts at False"),
        ({**START, "tips": "0"}, "at the start: tips is recorded, and the model has no such variable"),
    ],
)
def test_a_start_that_is_none_is_told(initial: dict[str, str], said: str) -> None:
    assert wrong(attrs.evolve(PATH, initial=initial)) == said


def test_any_initial_value_may_be_where_it_starts() -> None:
    path = Counterexample({**START, "charges[job0]": "1"}, (THIRD,), FAILED)
    assert go(path).wrong is None


def test_a_path_at_whose_end_the_property_is_true_is_not_reproduced() -> None:
    path = Counterexample(START, (FIRST, SECOND), FAILED)
    found = go(path)
    assert found.refuted is None
    assert str(found.closed) == "at the end: charged_at_most_once is true here"


def test_another_clause_than_the_one_that_is_false_is_told() -> None:
    said = wrong(attrs.evolve(PATH, failed="nothing much"))
    assert said == f"at the end: the clause recorded is 'nothing much'; it is {FAILED!r}"


@pytest.mark.parametrize(
    ("property", "kind", "said"),
    [
        ("charged", "always", "there is no @always 'charged'; of that kind there is charged_at_most_once"),
        ("charged", "sometimes", "charged raises nothing here"),
        ("charged_at_most_once", "lemma", "there is no @lemma 'charged_at_most_once'; of that kind there is sound"),
        ("sound", "lemma", "sound is true here"),
        ("charges stays in 0..2", "range", "here every charges stays in 0..2"),
        ("charges stays in 0..9", "range", "there is no 'charges stays in 0..9'"),
        (NO_RAISE, "total", "no action raises"),
        (ENDS, "terminal", f"there is no @terminal {ENDS!r}; of that kind there is none"),
        ("seen", "refines", "a property of the kind 'refines' cannot be run again"),
    ],
)
def test_a_property_that_is_not_false_there_closes_the_path(property: str, kind: str, said: str) -> None:
    found = go(PATH, property, kind)
    assert found.refuted is None
    assert str(found.closed).startswith(f"at the end: {said}")


def test_no_step_is_taken_from_where_a_range_is_left() -> None:
    fourth = Step("charge(job0)", {"in_hand[job0]": ("False", "True"), "charges[job0]": ("2", "3")})
    path = Counterexample(START, (*PATH.steps, SECOND, fourth, SECOND), "charges[job0] = 3 leaves its Range")
    said = "step 6: no step is taken from where charges[job0] has left its Range"
    assert wrong(path, "charges stays in 0..2", "range") == said
    whole = attrs.evolve(path, steps=path.steps[:-1])
    assert go(whole, "charges stays in 0..2", "range").wrong is None


def test_an_action_that_raises_ends_the_path_of_a_property_about_that_and_closes_every_other() -> None:
    last = Step("explode(job0)", note="raises RuntimeError")
    path = Counterexample(START, (*PATH.steps, last), "explode(job0) raises RuntimeError")
    assert go(path, NO_RAISE, "total").wrong is None
    assert wrong(path) == "step 4: explode(job0) raises RuntimeError"
    silent = attrs.evolve(path, steps=(*PATH.steps, Step("explode(job0)")))
    assert wrong(silent, NO_RAISE, "total") == "step 4: '' was recorded of it, and it raises RuntimeError"


# -- runs that never end ---------------------------------------------------------------------------------------


@model
class Desk:
    handed_in: bool = var(False)
    read: bool = var(False)
    looked: bool = var(False)

    @action
    def hand_in(self) -> None:
        require(not self.handed_in)
        self.handed_in = True

    @action
    def read_it(self) -> None:
        require(self.handed_in and not self.read)
        self.read = True

    @action
    def look(self) -> None:
        self.looked = not self.looked

    @fault
    def burn(self) -> None:
        require(self.handed_in and self.looked)
        self.handed_in, self.looked = False, False

    @eventually
    def is_read(self) -> bool:
        return leads_to(self.handed_in, self.read)

    @eventually(weak=("read_it",))
    def is_read_by_the_willing(self) -> bool:
        return leads_to(self.handed_in, self.read)

    @eventually
    def is_looked_at(self) -> bool:
        return self.looked


AT_FIRST = {"handed_in": "False", "read": "False", "looked": "False"}
HAND_IN = Step("hand_in", {"handed_in": ("False", "True")})
READ = Step("read_it", {"read": ("False", "True")})
LOOK, LOOK_AWAY = Step("look", {"looked": ("False", "True")}), Step("look", {"looked": ("True", "False")})
NEVER = "is_read: asked for after step 1 and never answered: handed_in and not read"


def ever(steps: Sequence[Step], loop: int, property: str = "is_read", failed: str = NEVER) -> Rerun:
    path = Counterexample(AT_FIRST, tuple(steps), failed, "a shortest stem", loop)
    return rerun(Layout(lift(Desk), {}), property, "eventually", path)


def test_a_loop_on_which_nothing_comes_about_is_reproduced() -> None:
    found = ever([HAND_IN, LOOK, LOOK_AWAY], 1)
    assert found.wrong is None
    assert found.refuted is not None and found.refuted.asked_at == 1


@pytest.mark.parametrize(
    ("steps", "loop", "property", "said"),
    [
        ([HAND_IN, LOOK], 1, "is_read", "its loop does not return to where it began"),
        ([HAND_IN, LOOK, LOOK_AWAY], 3, "is_read", "it ends where read_it is enabled"),
        ([HAND_IN, READ, LOOK, LOOK_AWAY], 2, "is_read", "is_read comes about on this run"),
        ([HAND_IN, LOOK, LOOK_AWAY], 7, "is_read", "nothing is repeated from step 7 on for ever: there are 3 steps"),
        (
            [HAND_IN, LOOK, LOOK_AWAY],
            1,
            "is_read_by_the_willing",
            "its loop leaves read_it out, which the claim counts on and which is enabled all along",
        ),
        ([LOOK, LOOK_AWAY], 0, "is_looked_at", "is_looked_at comes about on this run"),
        ([LOOK, LOOK_AWAY], 0, "is_burnt", "there is no @eventually 'is_burnt'"),
    ],
)
def test_what_is_no_run_that_never_ends_or_keeps_the_claim_is_closed(
    steps: list[Step], loop: int, property: str, said: str
) -> None:
    found = ever(steps, loop, property)
    assert found.refuted is None
    assert str(found.closed).startswith(f"at the end: {said}")


def test_a_loop_is_nothing_for_a_property_of_states() -> None:
    said = wrong(attrs.evolve(PATH, loop=0))
    assert said == "at the end: nothing is repeated from step 0 on for ever: there are 3 steps"


@model
class Door:
    open: bool = var(True)
    through: bool = var(False)

    @action
    def enter(self) -> None:
        require(self.open and not self.through)
        self.through = True

    @fault
    def fall_shut(self) -> None:
        require(self.open)
        self.open = False

    @terminal
    def is_through(self) -> bool:
        return self.through


def test_an_end_is_one_only_where_nothing_is_enabled_faults_included() -> None:
    shut, enter = Step("fall_shut", {"open": ("True", "False")}), Step("enter", {"through": ("False", "True")})
    begin = {"open": "True", "through": "False"}
    layout = Layout(lift(Door), {})

    def end(*steps: Step) -> Rerun:
        return rerun(layout, ENDS, "terminal", Counterexample(begin, steps, "a deadlock where is_through is false"))

    assert end(shut).wrong is None
    assert str(end(enter).closed) == "at the end: this is no end: fall_shut is enabled"
    assert str(end(enter, shut).closed) == "at the end: the model may end here: is_through is true"


# -- every kind of counterexample that an engine finds ---------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_what_engines_find_is_reproduced_to_the_letter(name: str) -> None:
    found: Rerun = made(name).bundle.run
    assert found.wrong is None and found.refuted is not None
    again = rerun(found.layout, CASES[name].property, made(name).bundle.kind, found.path("shortest"))
    assert again.wrong is None and again.states == found.states


def test_what_is_chosen_is_told_in_the_order_in_which_it_is_asked() -> None:
    steps = made("everything that a model may hold").bundle.run.taken
    assert [repr(taken.asked) for taken in steps] == ["()", "(worker0, 5)", "()"]
