"""A search comes to the same in every space, with symmetry and without; what grows moves on; bounds cut exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import pytest

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    any_of,
    count,
    implies,
    model,
    require,
    sometimes,
    terminal,
    var,
)
from meshspec.answer import Answer, Finding
from meshspec.backends.columns import ColumnSpace
from meshspec.backends.layout import Layout, State
from meshspec.backends.space import Batch, Odd, Space, Stepped
from meshspec.backends.symmetry import Symmetry
from meshspec.backends.tuples import TupleSpace
from meshspec.engines import spaces as choosing
from meshspec.engines.explore import ENDS, FIRES, explore
from meshspec.engines.limits import Limits, Options
from meshspec.engines.partial_order import SETTLES
from meshspec.engines.search import search_states
from meshspec.engines.spaces import Stage
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import LiftedModel, lift
from tests.agreement.models import corners, generated
from tests.engines.spaces import differences, plain, spaces
from tests.engines.test_explore import Board, CountdownWithAnEnd, Divides, Place, Several, TwoRanges, Unbounded
from tests.models.jugs import Jugs
from tests.models.lock import KeepTheTurn, Peterson
from tests.models.plain_ledger import Effect, EffectLedger, ResendInDoubt
from tests.models.two_phase_commit import Manager, TwoPhase

MODELS: list[tuple[Any, dict[type[Sort], int]]] = [
    (TwoPhase, {Manager: 4}),
    (EffectLedger, {Effect: 3}),
    (ResendInDoubt, {Effect: 2}),
    (Jugs, {}),
    (Peterson, {}),
    (KeepTheTurn, {}),
    (Board, {Place: 3}),
    (TwoRanges, {}),
    (Divides, {}),
    (Several, {}),
]


@pytest.mark.parametrize(("target", "sizes"), MODELS, ids=lambda value: getattr(value, "__name__", ""))
def test_findings_counts_and_trails_are_the_same_in_every_space(target: Any, sizes: dict[type[Sort], int]) -> None:
    assert differences(lift(target), sizes) == []
    assert differences(lift(target), sizes, counterexamples=3) == []


def test_findings_counts_and_trails_are_the_same_in_every_space_for_corners() -> None:
    for lifted in corners():
        sizes: dict[type[Sort], int] = {sort: 2 + place for place, sort in enumerate(lifted.sorts)}
        assert differences(lifted, sizes, Limits(max_states=20_000)) == [], lifted.name


def test_findings_counts_and_trails_are_the_same_in_every_space_for_generated_models() -> None:
    """`tests.agreement.soak` has thousands."""
    for seed in range(20):
        found = generated(seed)
        assert differences(found.lifted, found.scope, Limits(max_states=20_000), counterexamples=2) == [], seed


def test_no_space_is_left_out_by_the_comparison() -> None:
    """A space that refused every model would agree with all others."""
    held: dict[str, int] = dict.fromkeys(spaces(), 0)
    for target, sizes in MODELS:
        for space in spaces():
            try:
                explore(lift(target), sizes, options=Options(space=space))
            except UsageError:
                continue
            held[space] += 1
    assert held["tuples"] == len(MODELS)
    assert all(many >= 8 for many in held.values()), held


# -- symmetry --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("managers", "orbits"), [(2, 34), (3, 80), (4, 166), (5, 314)])
def test_two_phase_commit_has_the_orbits_of_its_states_under_all_permutations(managers: int, orbits: int) -> None:
    search, _ = search_states(lift(TwoPhase), {Manager: managers}, Limits())
    full, _ = search_states(lift(TwoPhase), {Manager: managers}, Limits(), options=Options(symmetry=False))
    assert (search.orbits, search.states) == (orbits, full.states)
    assert full.orbits == full.states and not full.reduced and search.reduced


def test_orbits_are_told_only_where_one_state_stands_for_others() -> None:
    told = explore(lift(TwoPhase), {Manager: 3})[0]
    assert (told.states, told.orbits, told.facts["symmetry off"]) == (288, 80, "")
    off = explore(lift(TwoPhase), {Manager: 3}, options=Options(symmetry=False))[0]
    assert (off.states, off.orbits, off.facts["symmetry off"]) == (288, None, "it was turned off")


@model
class Handed:
    """The last place alone can be reached first; a witness for one place is one for all."""

    at: Place | None = var(None)
    visited: Map[Place, bool] = var(False)

    @action
    def go(self, p: Place) -> None:
        require(self.at is not p)
        self.at = p
        self.visited[p] = True

    @sometimes
    def seen(self, p: Place) -> bool:
        return self.visited[p]

    @sometimes
    def seen_both(self, p: Place, q: Place) -> bool:
        return p is not q and self.visited[p] and self.visited[q]


@pytest.mark.parametrize("symmetry", [True, False])
def test_a_witness_is_found_for_every_member_and_told_for_the_first(symmetry: bool) -> None:
    found = {f.property: f for f in explore(lift(Handed), {Place: 3}, options=Options(symmetry=symmetry))}
    assert (found["seen"].answer, found["seen"].reason) == (Answer.HOLDS, "witness: go(place0)")
    assert found["seen_both"].answer is Answer.VACUOUS
    assert found["seen_both"].reason == "seen_both(place0, place0) is true in no reachable state"


@model
class LeftBehind(Handed):
    @sometimes
    def passed_over(self, p: Place) -> bool:
        return self.at is not None and not self.visited[p]


@pytest.mark.parametrize("symmetry", [True, False])
def test_a_witness_that_is_told_is_one_for_the_first_member_and_not_for_a_twin(symmetry: bool) -> None:
    found = {f.property: f for f in explore(lift(LeftBehind), {Place: 3}, options=Options(symmetry=symmetry))}
    assert found["passed_over"].reason == "witness: go(place1)"


@model
class Chosen:
    """The least trail to a state like the wanted one leads to a twin of it, and goes on to nothing."""

    one: Place = var(any_of(Place))
    two: Place = var(any_of(Place))
    out: bool = var(False)

    @action
    def leave(self) -> None:
        self.out = True

    @sometimes
    def left_from(self, p: Place, q: Place) -> bool:
        return implies(self.out, self.out) and self.out and self.one is q and self.two is p


@pytest.mark.parametrize("symmetry", [True, False])
def test_a_witness_starts_where_it_is_one_for_the_arguments_that_are_told(symmetry: bool) -> None:
    options = Options(symmetry=symmetry)
    search, seen = search_states(lift(Chosen), {Place: 2}, Limits(), options=options)
    second = next(w for w in seen.witnesses if w.arguments[0] == (Place(0), Place(1)))
    assert second.found is not None
    test = search.plain.test(second.node, second.named[:1])
    trail = search.trails.first(second.found, lambda state: test([state])[0] >= 0)
    assert search.layout.show(trail.start) == {"one": "place1", "two": "place0", "out": "False"}


# -- moving on -------------------------------------------------------------------------------------------------


def small_stages(monkeypatch: pytest.MonkeyPatch, columns: int, kernel: int | None = None) -> None:
    """Move to packed states from so few on that a small model does."""
    by_kernel, by_columns = (stage.make for stage in choosing.stages(Options()))
    stages = [Stage(columns, by_columns)] + ([Stage(kernel, by_kernel)] if kernel is not None else [])
    patch_stages(monkeypatch, stages)


def patch_stages(monkeypatch: pytest.MonkeyPatch, stages: list[Stage]) -> None:
    def given(options: Options) -> list[Stage]:
        return list(stages)

    monkeypatch.setattr("meshspec.engines.search.stages", given)


@pytest.mark.parametrize("grown", [1, 2, 60, 150, 400])
@pytest.mark.parametrize("symmetry", [True, False])
def test_a_search_that_moves_on_comes_to_the_same(
    grown: int, symmetry: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for target, sizes in MODELS[:4]:
        lifted, options = lift(target), Options(symmetry=symmetry, space="tuples")
        expected = explore(lifted, sizes, options=options)
        with monkeypatch.context() as patch:
            small_stages(patch, grown)
            found = explore(lifted, sizes, options=Options(symmetry=symmetry))
        assert plain(found) == plain(expected)
        stored = expected[0].orbits or expected[0].states or 0
        assert (found[0].facts["space"] == "NumPy") == (stored >= grown), (target, grown)


def test_a_search_moves_on_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = explore(lift(TwoPhase), {Manager: 5}, options=Options(symmetry=False, space="tuples"))
    small_stages(monkeypatch, 100, 2000)
    found = explore(lift(TwoPhase), {Manager: 5}, options=Options(symmetry=False))
    assert plain(found) == plain(expected)
    assert found[0].facts["space"] == ("rows and kernel" if "kernel" in spaces() else "NumPy")


def test_very_many_initial_states_move_on_too(monkeypatch: pytest.MonkeyPatch) -> None:
    small_stages(monkeypatch, 1000)
    monkeypatch.setattr("meshspec.engines.search._SLICE", 512)
    found = explore(lift(Scattered), {Place: 11}, options=Options(symmetry=False))[0]
    assert (found.states, found.facts["space"], found.facts["depth"]) == (2**11, "NumPy", 0)


@model
class Scattered:
    flags: Map[Place, bool] = var(any_of(False, True))

    @action
    def stay(self, p: Place) -> None:
        require(self.flags[p])


def test_a_model_that_cannot_be_packed_stays_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    small_stages(monkeypatch, 50, 60)
    found = explore(lift(Unbounded), {}, Limits(max_states=200))[0]
    assert (found.states, found.facts["space"]) == (200, "generated Python")
    assert "number" in str(found.facts["not packed"])


def test_without_numba_it_moves_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None: ...

    monkeypatch.setattr("importlib.util.find_spec", nothing)
    with pytest.raises(UsageError, match=r"numba, which is not installed: pip install 'meshspec\[fast\]'"):
        explore(lift(TwoPhase), {Manager: 4}, options=Options(space="kernel"))
    monkeypatch.setattr("meshspec.engines.spaces.GROWN", 100)
    found = explore(lift(TwoPhase), {Manager: 4}, options=Options(symmetry=False))[0]
    assert (found.facts["space"], found.facts["complete"], found.facts["not packed"]) == ("NumPy", True, "")


def test_a_space_that_was_asked_for_and_cannot_hold_the_model_is_refused() -> None:
    for space in spaces()[1:]:
        with pytest.raises(UsageError, match="number"):
            explore(lift(Unbounded), {}, options=Options(space=space))


def test_several_workers_stay_with_the_kernel_and_tuples_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meshspec.engines.spaces.GROWN", 50)
    options = Options(symmetry=False, workers=2)
    search, _ = search_states(lift(TwoPhase), {Manager: 4}, Limits(), options=options)
    assert search.space.name == ("rows and kernel" if "kernel" in spaces() else "NumPy")
    assert search.plain.bytes_held() == TupleSpace(search.layout).bytes_held()


def test_several_workers_come_to_the_same() -> None:
    if "kernel" in spaces():
        options = Options(symmetry=False, space="kernel", workers=2)
        found = explore(lift(TwoPhase), {Manager: 5}, options=options)
        assert plain(found) == plain(explore(lift(TwoPhase), {Manager: 5}))


@pytest.mark.parametrize("space", spaces())
def test_a_layer_may_be_stepped_in_slices(space: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexes of what is stuck, raises or leaves a Range are those of the layer and not of the slice."""
    more: list[tuple[Any, dict[type[Sort], int]]] = [(CountdownWithAnEnd, {}), (Spread, {Place: 3})]
    subjects = [*MODELS[1:], *more]
    for target, sizes in subjects:
        for symmetry in (True, False):
            options = Options(symmetry=symmetry, space=space, counterexamples=2)
            try:
                expected = explore(lift(target), sizes, options=options)
            except UsageError:  # an int without bounds
                continue
            with monkeypatch.context() as patch:
                patch.setattr("meshspec.engines.search._SLICE", 2)
                patch.setattr("meshspec.engines.search._PACKED_SLICE", 2)
                found = explore(lift(target), sizes, options=options)
            assert found == expected, (target, symmetry)


@model
class Spread:
    """Of eight starts some leave a Range, some raise, one gets stuck and one stays."""

    bits: Map[Place, bool] = var(any_of(False, True))
    number: Annotated[int, Range(0, 1)] = var(1)

    @action
    def go(self, p: Place) -> None:
        require(count(Place, lambda q: self.bits[q]) == 1 and self.bits[p])
        self.number += 1

    @action
    def fail(self, p: Place) -> None:
        require(count(Place, lambda q: self.bits[q]) == 2 and not self.bits[p])
        self.number = 1 // (self.number - 1)

    @action
    def stay(self) -> None:
        require(count(Place, lambda q: self.bits[q]) == 0)

    @terminal
    def never(self) -> bool:
        return self.number > 1


@model
class Leaks:
    """The state in which its Range is left is the same from everywhere, one step from the start and later."""

    number: Annotated[int, Range(0, 2)] = var(0)

    @action
    def grow(self) -> None:
        self.number += 1

    @action
    def leap(self) -> None:
        self.number = 3


@pytest.mark.parametrize("space", spaces())
def test_a_state_in_which_a_range_is_left_is_one_state_however_often_it_is_reached(space: str) -> None:
    search, seen = search_states(lift(Leaks), {}, Limits(), options=Options(space=space, counterexamples=5))
    assert (search.states, search.closed, search.transitions) == (4, 1, 6)
    assert [goal.depth for goal in seen.ranges["number stays in 0..2"].goals] == [1]


# -- limits ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", spaces())
@pytest.mark.parametrize("symmetry", [True, False])
def test_the_bound_on_states_is_exact_also_within_a_layer(space: str, symmetry: bool) -> None:
    options = Options(symmetry=symmetry, space=space)
    for bound in (1, 2, 7, 50, 99):
        search, _ = search_states(lift(TwoPhase), {Manager: 4}, Limits(max_states=bound), options=options)
        assert (search.orbits, search.cut) == (bound, f"--max-states of {bound}")
        assert sum(map(search.space.size, search.layers)) == bound == len(set(search.visited()))
    whole, _ = search_states(lift(TwoPhase), {Manager: 4}, Limits(max_states=search_all(symmetry)), options=options)
    assert whole.complete


def search_all(symmetry: bool) -> int:
    return search_states(lift(TwoPhase), {Manager: 4}, Limits(), options=Options(symmetry=symmetry))[0].orbits


def test_states_in_which_a_range_is_left_are_bounded_too() -> None:
    for bound in range(1, 7):
        search, _ = search_states(lift(TwoRanges), {}, Limits(max_states=bound))
        assert (search.states, search.complete) == (bound, bound == 6)


@pytest.mark.parametrize("space", spaces())
def test_what_a_cut_layer_refutes_is_refuted_by_a_shortest_path(space: str) -> None:
    """Of the last layer only some states are there; that they are refuted is true, and the path to them exists."""
    lifted = lift(ResendInDoubt)
    whole = {f.property: f for f in explore(lifted, {Effect: 2})}
    length = len(path_of(whole["at_most_once"]))
    cut = 0
    for bound in range(20, 200, 10):
        options = Options(symmetry=False, space=space)
        found = {f.property: f for f in explore(lifted, {Effect: 2}, Limits(max_states=bound), options=options)}
        if found["at_most_once"].answer is Answer.VIOLATED:
            assert len(path_of(found["at_most_once"])) == length
        else:
            cut += found["at_most_once"].answer is Answer.UNDETERMINED
    assert cut


def path_of(finding: Finding) -> tuple[str, ...]:
    assert finding.counterexample is not None
    return finding.counterexample.actions


def test_one_huge_layer_does_not_run_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits are looked at between slices: of a layer of thousands few are stepped when few may be held."""
    stepped: list[int] = []
    step = TupleSpace.step

    def counting(self: TupleSpace, batch: Batch, weights: Any) -> Stepped:
        stepped.append(len(batch))
        return step(self, batch, weights)

    monkeypatch.setattr(TupleSpace, "step", counting)
    options = Options(symmetry=False, space="tuples")
    search, _ = search_states(lift(Spreading), {Place: 12}, Limits(max_states=5000), options=options)
    assert search.states == 5000
    assert sum(stepped) < 5000


@model
class Spreading:
    flags: Map[Place, bool] = var(False)
    more: Map[Place, bool] = var(any_of(False, True))

    @action
    def flip(self, p: Place) -> None:
        self.flags[p] = not self.flags[p]


def test_memory_is_looked_at_within_a_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    used = iter(range(0, 10**9, 1000))
    monkeypatch.setattr("meshspec.engines.search.memory_now", lambda: next(used))
    options = Options(symmetry=False, space="tuples")
    search, _ = search_states(lift(Spreading), {Place: 12}, Limits(max_memory=1500), options=options)
    assert search.cut == "--max-memory of 1,500 bytes"
    assert search.states < 2**16  # of the 2**24 there are


def test_ctrl_c_within_a_layer_leaves_what_was_finished_before(monkeypatch: pytest.MonkeyPatch) -> None:
    step, calls = TupleSpace.step, [0]

    def interrupted(self: TupleSpace, batch: Batch, weights: Any) -> Stepped:
        calls[0] += 1
        if calls[0] == 4:
            raise KeyboardInterrupt
        return step(self, batch, weights)

    monkeypatch.setattr(TupleSpace, "step", interrupted)
    search, _ = search_states(lift(TwoPhase), {Manager: 4}, Limits(), options=Options(symmetry=False))
    assert (search.cut, search.depth, len(search.layers)) == ("interrupted", 3, 4)
    assert search.states == sum(map(search.space.size, search.layers)) == search.orbits


@pytest.mark.parametrize("given", [{"workers": 0}, {"counterexamples": 0}, {"space": "fast"}])
def test_options_that_mean_nothing_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"--{next(iter(given))}"):
        Options(**given)


def test_workers_without_a_kernel_are_refused() -> None:
    with pytest.raises(UsageError, match="only the kernel has several"):
        Options(space="numpy", workers=2)


# -- partial order ---------------------------------------------------------------------------------------------


@model
class Apart:
    """Places that have nothing to do with each other, and a mark that a claim looks at."""

    hidden: Map[Place, bool] = var(False)
    never: bool = var(False)

    @action
    def hide(self, p: Place) -> None:
        require(not self.hidden[p])
        self.hidden[p] = True

    @action
    def walk(self) -> None:
        require(not self.never)
        self.never = True

    @action
    def work(self) -> None:
        require(self.never and not self.never)

    @always
    def never_walks(self) -> bool:
        return not self.never


def test_leaving_out_orders_of_steps_changes_no_answer_that_it_settles() -> None:
    sizes: dict[type[Sort], int] = {Place: 4}
    whole = {f.property: f for f in explore(lift(Apart), sizes, options=Options(symmetry=False))}
    options = Options(symmetry=False, partial_order=True)
    less = {f.property: f for f in explore(lift(Apart), sizes, options=options)}
    assert less["never_walks"].facts["partial order"] is True
    assert (less["never_walks"].states or 0) < (whole["never_walks"].states or 0)
    for name, found in whole.items():
        if found.kind in SETTLES:
            assert less[name].answer is found.answer, name
    assert less["never_walks"].counterexample is not None
    assert less["never_walks"].counterexample.how == "perhaps not shortest"
    assert (whole[FIRES].answer, less[FIRES].answer) == (Answer.VACUOUS, Answer.UNDETERMINED)
    assert less[FIRES].settles == "the same without --partial-order"


def test_where_it_would_not_be_sound_to_leave_steps_out_none_is_and_the_reason_is_told() -> None:
    found = explore(lift(Apart), {Place: 4}, options=Options(partial_order=True))[0]
    assert str(found.facts["partial order off"]).startswith("symmetry is on")
    assert (found.facts["partial order"], found.states) == (False, 32)


# -- spaces that are wrong -------------------------------------------------------------------------------------


class Lying(TupleSpace):
    """Takes an ordinary step for an odd one."""

    def step(self, batch: Batch, weights: Any) -> Stepped:
        stepped = super().step(batch, weights)
        return Stepped(stepped.new, stepped.stuck, [Odd(0, 0)], stepped.taken)


class Losing(ColumnSpace):
    """Holds all but the last state of what it is given."""

    def pack(self, states: Sequence[State]) -> Batch:
        return super().pack(states[:-1])


def test_a_step_that_is_odd_only_to_its_space_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    moved_to(monkeypatch, Lying)
    with pytest.raises(Disagreement, match="leads to no state"):
        explore(lift(TwoPhase), {Manager: 3})


def test_a_space_that_loses_states_as_it_takes_over_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    moved_to(monkeypatch, Losing)
    with pytest.raises(Disagreement, match="states in a layer for which"):
        explore(lift(TwoPhase), {Manager: 3}, options=Options(symmetry=False))


def moved_to(monkeypatch: pytest.MonkeyPatch, space: type[Space]) -> None:
    def made(layout: Layout, symmetry: Symmetry | None, options: Options) -> Space:
        return space(layout)

    patch_stages(monkeypatch, [Stage(1, made)])


# -- determinism -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", spaces())
def test_a_search_that_was_cut_is_the_same_the_second_time(space: str) -> None:
    def once() -> list[Finding]:
        return explore(lift(Board), {Place: 3}, Limits(max_states=77), options=Options(space=space))

    assert once() == once()


@model
class Ending:
    """Ends in two of three ways that it may not."""

    way: Annotated[int, Range(0, 3)] = var(0)

    @action
    def take(self, number: Annotated[int, Range(1, 3)]) -> None:
        require(self.way == 0)
        self.way = number

    @always
    def undecided(self) -> bool:
        return self.way == 0

    @terminal
    def the_first_way(self) -> bool:
        return self.way == 1


def many(target: Any, wanted: int, sizes: Mapping[type[Sort], int] | None = None) -> dict[str, list[tuple[str, ...]]]:
    lifted: LiftedModel = lift(target)
    found = explore(lifted, sizes or {}, options=Options(counterexamples=wanted))
    return {
        f.property: [path.actions for path in (f.counterexample, *f.more) if path is not None]
        for f in found
        if f.answer is Answer.VIOLATED
    }


def test_counterexamples_end_in_different_states_and_come_in_order() -> None:
    found = many(Ending, 2)
    assert found["undecided"] == [("take(1)",), ("take(2)",)]
    assert found[ENDS] == [("take(2)",), ("take(3)",)]
    assert many(Ending, 9)["undecided"] == [("take(1)",), ("take(2)",), ("take(3)",)]
    assert many(Ending, 1)["undecided"] == [("take(1)",)]


def test_counterexamples_of_one_orbit_are_one_and_longer_ones_follow() -> None:
    found = many(ResendInDoubt, 4, {Effect: 2})["at_most_once"]
    assert [len(path) for path in found] == sorted(len(path) for path in found)
    assert len(set(found)) == 4
    swapped = [tuple(a.translate(str.maketrans("01", "10")) for a in path) for path in found]
    assert not set(swapped) & set(found[1:])


def test_several_ways_to_raise_and_to_leave_a_range() -> None:
    assert many(TwoRanges, 3)["low stays in 0..2"] == [("part",)]
    assert many(TwoRanges, 3)["high stays in 0..2"] == [("part",), ("meet", "part"), ("meet", "meet", "part")]
