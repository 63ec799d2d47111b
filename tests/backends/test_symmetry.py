"""Symmetry against all permutations of members, made one by one on the values that an author knows."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Annotated, Any, cast

import attrs
import pytest

from meshspec import Map, Range, Sort, action, always, any_of, forall, model, require, sometimes, var
from meshspec.backends import symmetry as tested
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State
from meshspec.backends.symmetry import Symmetry, symmetry_of
from meshspec.expr.build import TRUE
from meshspec.expr.nodes import BOOL, Cell, Const, Name, SortType, Symbol
from meshspec.lang.lift import LiftedModel, lift
from meshspec.lang.outcomes import Blocks, Does, Leaf, Outcome, Says, Split, Tree, Update, Write, WriteAll
from tests.generator import make
from tests.models import p_counts, p_sizes, plain_ledger, shops
from tests.models.jugs import Jugs
from tests.models.two_phase_commit import Manager, TwoPhase


class Worker(Sort):
    """Whoever works."""


class Job(Sort):
    """What is worked at."""


class Place(Sort):
    """Where it is done."""


class Phase(Enum):
    IDLE = 0
    BUSY = 1


@model
class Weighted:
    """One worker weighs more than the others; who is lifted stays up, and only the heavy one breaks the scale."""

    weight: Map[Worker, int] = Map(1, {Worker(0): 5})
    up: Map[Worker, bool] = var(False)
    broken: bool = var(False)

    @action
    def lift(self, w: Worker) -> None:
        require(forall(Worker, lambda x: not self.up[x]))
        self.up[w] = True

    @action
    def drop(self, w: Worker) -> None:
        require(self.up[w] and self.weight[w] > 1)
        self.broken = True

    @always
    def whole(self) -> bool:
        return not self.broken


@model
class Favoured:
    """A constant table that holds a member."""

    best: Map[Job, Worker] = Map(Worker(0))
    done: Map[Worker, bool] = var(False)

    @action
    def finish(self, j: Job) -> None:
        self.done[self.best[j]] = True


@model
class Knows:
    """A relation among workers: sorting its rows would merge what differs."""

    knows: Map[tuple[Worker, Worker], bool] = var(False)

    @action
    def meet(self, a: Worker, b: Worker) -> None:
        self.knows[a, b] = True


@model
class Led:
    """A member that is also a value, beside a map that it keys."""

    leader: Worker | None = var(None)
    ready: Map[Worker, bool] = var(False)

    @action
    def prepare(self, w: Worker) -> None:
        self.ready[w] = True

    @action
    def lead(self, w: Worker) -> None:
        require(self.ready[w] and self.leader is None)
        self.leader = w

    @sometimes
    def leads(self, a: Worker, b: Worker) -> bool:
        return self.leader is a and self.ready[b]


@model
class Assigned:
    """Two sorts that key one map, one of which is a value too; entries of every type, some of them absent."""

    holds: Map[tuple[Worker, Job], bool] = var(False)
    at: Map[Job, Place | None] = var(None)
    phase: Map[tuple[Worker, Phase], int] = var(0)
    spent: Map[Worker, int | None] = var(None)
    mark: Map[Job, Phase | None] = var(None)
    ready: bool = var(any_of(False, True))


@model
class Alone:
    chosen: Worker | None = var(any_of(None, Worker))


@model
class Three:
    """Three sorts that are values."""

    worker: Worker | None = var(None)
    job: Job | None = var(None)
    place: Place | None = var(None)


@model
class Idle:
    """A sort that no variable knows."""

    on: bool = var(False)

    @action
    def switch(self, w: Worker) -> None:
        self.on = True


@model
class Gathered:
    ready: Map[Worker, bool] = var(False)

    @sometimes
    def all_ready(self, ws: Annotated[tuple[Worker, ...], Range(0, 2)]) -> bool:
        return all(self.ready[w] for w in ws)


def shuffled(layout: Layout, sort: type[Sort], order: tuple[int, ...]) -> Callable[[State], State]:
    """The state with member ``i`` of a sort called ``order[i]``, made on decoded values."""

    def name(value: object) -> object:
        return sort(order[value.index]) if isinstance(value, sort) else value

    def of(state: State) -> State:
        values = layout.decode(state)
        return layout.encode({(v, tuple(map(name, keys))): name(held) for (v, keys), held in values.items()})

    return of


def orbit(layout: Layout, sorts: tuple[type[Sort], ...], state: State) -> set[State]:
    """Every state that some permutation of the members of these sorts makes of it."""
    found = {state}
    for sort in sorts:
        orders = list(itertools.permutations(range(layout.sizes[sort])))
        found = {shuffled(layout, sort, order)(one) for one in found for order in orders}
    return found


def random_states(layout: Layout, count: int, seed: int) -> Iterator[State]:
    """States made of few different values, so that many are alike."""
    rnd = random.Random(seed)
    for _ in range(count):
        state: list[Any] = []
        for cell in layout.cells:
            symbol = cell.variable.symbol
            bounds = range(-1, 2)
            options = [layout.encode_value(value) for value in layout.values(symbol.type, bounds)]
            state.append(rnd.choice([None, *options] if symbol.optional else options))
        yield tuple(state)


def found(layout: Layout) -> Symmetry:
    symmetry = symmetry_of(layout)
    assert isinstance(symmetry, Symmetry), symmetry
    return symmetry


def check_orbits(layout: Layout, seed: int = 0, count: int = 30) -> Symmetry:
    """Canonical forms and orbit sizes of random states against all permutations."""
    symmetry = found(layout)
    canonical, size = symmetry.canonical(), symmetry.orbit_size()
    stands_for: dict[State, frozenset[State]] = {}
    for state in random_states(layout, count, seed):
        mine = orbit(layout, symmetry.sorts, state)
        assert {canonical(one) for one in mine} == {canonical(state)}
        assert canonical(state) in mine
        assert size(state) == len(mine)
        assert stands_for.setdefault(canonical(state), frozenset(mine)) == mine
    return symmetry


def reachable(layout: Layout, canonical: Callable[[State], State]) -> set[State]:
    step = Generator(layout).successors()
    seen = {canonical(state) for state in layout.initial_states()}
    todo = list(seen)
    while todo:
        new = {canonical(after) for _, after, _ in step(todo.pop()) if after is not None} - seen
        seen |= new
        todo += new
    return seen


def counts(model: LiftedModel, sizes: dict[type[Sort], int]) -> tuple[int, int]:
    """Orbits, and the states that they stand for."""
    layout = Layout(model, sizes)
    symmetry = found(layout)
    size = symmetry.orbit_size()
    met = reachable(layout, symmetry.canonical())
    return len(met), sum(map(size, met))


# -- known counts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("managers", "orbits"), [(2, 34), (3, 80), (4, 166), (5, 314)])
def test_two_phase_commit_has_the_known_orbits(managers: int, orbits: int) -> None:
    layout = Layout(lift(TwoPhase), {Manager: managers})
    states = len(reachable(layout, lambda state: state))
    assert counts(lift(TwoPhase), {Manager: managers}) == (orbits, states)
    assert states == {3: 288, 5: 8832}.get(managers, states)  # the published counts


@pytest.mark.parametrize("effects", [2, 3, 5])
def test_the_ledger_has_as_many_orbits_as_multisets_of_six_columns(effects: int) -> None:
    orbits = 2 * math.comb(effects + 5, effects)
    assert counts(lift(plain_ledger.EffectLedger), {plain_ledger.Effect: effects}) == (orbits, 2 * 6**effects)


# -- where it must be off, or look at every permutation --------------------------------------------------------


def test_a_constant_table_that_tells_members_apart_ends_symmetry() -> None:
    why = symmetry_of(Layout(lift(Weighted), {Worker: 2}))
    assert why == "Worker: the constant table weight tells its members apart"


def test_with_such_a_table_a_reduced_search_misses_the_bad_state() -> None:
    layout = Layout(lift(Weighted), {Worker: 2})
    broken = layout.index["broken", ()]
    unsound = Symmetry(layout, (((0,), (1,)),), ())
    assert any(state[broken] for state in reachable(layout, lambda state: state))
    assert not any(state[broken] for state in reachable(layout, unsound.canonical()))


def test_a_constant_table_that_is_the_same_for_all_members_ends_nothing() -> None:
    assert isinstance(symmetry_of(Layout(lift(Weighted(weight=Map(3))), {Worker: 3})), Symmetry)


def test_a_constant_table_that_holds_a_member_ends_the_symmetry_of_its_sort_only() -> None:
    layout = Layout(lift(Favoured), {Worker: 2, Job: 2})
    assert symmetry_of(layout) == "Worker: the constant table best tells its members apart"


def starting(model: LiftedModel, name: str, *initial: object) -> LiftedModel:
    """The model with another start of one variable, which no author can write."""
    variables = tuple(
        attrs.evolve(one, initial=initial) if one.symbol.name == name else one for one in model.declared.variables
    )
    return LiftedModel(model.instance, attrs.evolve(model.declared, variables=variables), model.actions, model.claims)


def test_a_start_at_one_member_ends_symmetry() -> None:
    why = symmetry_of(Layout(starting(lift(Led), "leader", Worker(0)), {Worker: 2}))
    assert why == "Worker: leader starts as worker0; any_of(Worker) would start as each of its members"


@pytest.mark.parametrize("initial", [(Worker,), (None, Worker), (Worker(1), Worker(0)), (Worker(1), Worker)])
def test_a_start_at_any_member_ends_nothing(initial: tuple[object, ...]) -> None:
    layout = Layout(starting(lift(Led), "leader", *initial), {Worker: 2})
    assert found(layout).sorts == (Worker,)


READY = Symbol("ready", (SortType(Worker),), BOOL)
FIRST_IS_READY = Cell(READY, (Const(cast("Any", Worker(0)), cast("Any", SortType(Worker))),))
ENABLED: Tree[Outcome] = Leaf(Does(()))
WRITES: Tree[Outcome] = Leaf(Does((Update(READY, (Write(FIRST_IS_READY.keys, TRUE),)),)))
NAMING: dict[str, Tree[Outcome]] = {
    "a guard": Split(FIRST_IS_READY, (True, False), (ENABLED, Leaf(Blocks()))),
    "its last case": Split(Cell(READY, (Name("w", SortType(Worker)),)), (True, False), (ENABLED, WRITES)),
    "a key that is written": WRITES,
    "a value that is written": Leaf(Does((Update(READY, (WriteAll(Name("x", SortType(Worker)), FIRST_IS_READY),)),))),
    "what a claim says": Leaf(Says(FIRST_IS_READY)),
    "an antecedent": Leaf(Says(TRUE, (("led.py:7", FIRST_IS_READY),))),
}


@pytest.mark.parametrize("place", NAMING)
def test_a_method_that_names_a_member_ends_symmetry(place: str) -> None:
    led = lift(Led)
    actions = tuple(attrs.evolve(one, raw=NAMING[place]) if one.name == "lead" else one for one in led.actions)
    why = symmetry_of(Layout(attrs.evolve(led, actions=actions), {Worker: 2}))
    assert why == "Worker: lead names a member"
    claims = tuple(attrs.evolve(one, raw=NAMING[place]) if one.name == "leads" else one for one in led.claims)
    why = symmetry_of(Layout(attrs.evolve(led, claims=claims), {Worker: 2}))
    assert why == "Worker: leads names a member"


def test_a_sort_that_keys_a_map_twice_or_is_a_value_owns_no_columns() -> None:
    for cls, size in itertools.product((Knows, Led), (2, 3)):
        symmetry = check_orbits(Layout(lift(cls), {Worker: size}))
        assert not symmetry.columns and len(symmetry.images) == math.factorial(size) - 1


def test_a_state_of_one_entry_is_reduced_too() -> None:
    symmetry = check_orbits(Layout(lift(Alone), {Worker: 3}))
    assert symmetry.canonical()((2,)) == symmetry.canonical()((1,)) == (0,)
    assert symmetry.canonical()((None,)) == (None,)


def test_more_than_four_members_that_own_no_columns_are_left_alone() -> None:
    end = "and it has 5 of them: up to 4 can be permuted"
    why = symmetry_of(Layout(lift(Knows), {Worker: 5}))
    assert why == f"Worker: its members own no columns (two are keys of knows) {end}"
    why = symmetry_of(Layout(lift(Led), {Worker: 5}))
    assert why == f"Worker: its members own no columns (leader holds one) {end}"


def test_sorting_columns_of_a_relation_would_merge_what_differs() -> None:
    layout = Layout(lift(Knows), {Worker: 3})
    rows = Symmetry(layout, (((0, 1, 2), (3, 4, 5), (6, 7, 8)),), ())
    right = {found(layout).canonical()(state) for state in itertools.product((False, True), repeat=9)}
    wrong = {rows.canonical()(state) for state in itertools.product((False, True), repeat=9)}
    assert len(right) == 104 and len(wrong) != len(right)  # 104 directed graphs with loops on three nodes


# -- several sorts at once -------------------------------------------------------------------------------------


def test_of_two_sorts_that_key_one_map_the_larger_owns_columns_and_the_other_is_permuted() -> None:
    layout = Layout(lift(Assigned), {Worker: 2, Job: 3, Place: 2})
    symmetry = check_orbits(layout)
    assert [len(columns) for columns in symmetry.columns] == [3]
    assert symmetry.sorts == (Job, Worker, Place)
    assert len(symmetry.images) == 2 * 2 - 1
    assert not symmetry.left_out


@pytest.mark.parametrize("sizes", [(3, 2, 1), (1, 3, 3), (3, 1, 2), (2, 2, 3)])
def test_every_mixture_of_sizes_gives_true_orbits(sizes: tuple[int, int, int]) -> None:
    check_orbits(Layout(lift(Assigned), dict(zip((Worker, Job, Place), sizes, strict=True))), seed=sum(sizes))


def test_sorts_that_are_too_many_to_permute_are_left_out_by_name_and_the_rest_is_reduced() -> None:
    layout = Layout(lift(Assigned), {Worker: 4, Job: 5, Place: 5})
    symmetry = found(layout)
    assert symmetry.sorts == (Job, Worker)
    assert symmetry.left_out == {
        "Place": "its members own no columns (at holds one) and it has 5 of them: up to 4 can be permuted"
    }


def test_permutations_are_bounded_over_all_sorts_together() -> None:
    symmetry = found(Layout(lift(Three), {Worker: 4, Job: 4, Place: 3}))
    assert symmetry.sorts == (Worker, Job) and len(symmetry.images) + 1 == tested.MAX_IMAGES
    assert "there would be 3,456 permutations of 3 entries to try" in symmetry.left_out["Place"]


def test_entries_of_all_images_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout(lift(Knows), {Worker: 4})
    monkeypatch.setattr(tested, "MAX_ENTRIES", 24 * 16)
    assert isinstance(symmetry_of(layout), Symmetry)
    monkeypatch.setattr(tested, "MAX_ENTRIES", 24 * 16 - 1)
    assert "24 permutations of 16 entries" in str(symmetry_of(layout))


def test_where_nothing_can_be_permuted_it_says_so() -> None:
    assert symmetry_of(Layout(lift(Jugs), {})) == "the model has no sort"
    assert symmetry_of(Layout(lift(TwoPhase), {Manager: 1})) == "every sort has one member"
    assert symmetry_of(Layout(lift(Idle), {Worker: 2})) == "no variable has a member as its key or its value"


# -- arguments -------------------------------------------------------------------------------------------------


def test_arguments_are_alike_when_a_permutation_maps_one_to_the_other() -> None:
    layout = Layout(lift(Led), {Worker: 3})
    symmetry = found(layout)
    leads = next(claim for claim in layout.model.claims if claim.name == "leads")
    classes = {symmetry.alike(leads, arguments) for arguments in layout.arguments(leads.parameters)}
    assert len(classes) == 2  # the same worker twice, and two workers
    assert symmetry.alike(leads, (Worker(2), Worker(0))) == symmetry.alike(leads, (Worker(0), Worker(1)))
    assert symmetry.alike(leads, (Worker(2), Worker(2))) == symmetry.alike(leads, (Worker(0), Worker(0)))


def test_members_that_are_not_permuted_are_alike_only_to_themselves() -> None:
    layout = Layout(lift(Led), {Worker: 3})
    leads = next(claim for claim in layout.model.claims if claim.name == "leads")
    other = Symmetry(layout, (), ())
    assert other.alike(leads, (Worker(2), Worker(0))) != other.alike(leads, (Worker(0), Worker(1)))


def test_elements_beyond_the_length_of_a_tuple_make_no_difference() -> None:
    layout = Layout(lift(Gathered), {Worker: 3})
    (claim,) = layout.model.claims
    alike = {symmetry: found(layout).alike(claim, symmetry) for symmetry in layout.arguments(claim.parameters)}
    assert alike[1, Worker(1), Worker(0)] == alike[1, Worker(0), Worker(0)]
    assert len(set(alike.values())) == 4  # none, one, one twice, two


# -- many models -----------------------------------------------------------------------------------------------

SHIPPED: list[tuple[type, dict[type[Sort], int]]] = [
    (p_counts.Pairs, {p_counts.Account: 3}),
    (p_counts.Budget, {p_counts.Account: 4}),
    (p_sizes.Pigeons, {p_sizes.Node: 3, p_sizes.Hole: 3}),
    (p_sizes.Counter, {p_sizes.Node: 5}),
    (shops.Shop, {shops.Item: 3}),
]


@pytest.mark.parametrize(("cls", "sizes"), SHIPPED)
def test_canonical_forms_of_test_models_are_one_for_each_orbit(cls: type, sizes: dict[type[Sort], int]) -> None:
    check_orbits(Layout(lift(cls), sizes))


SEEDS = range(40)
generated = functools.cache(make)


def test_most_generated_models_have_a_symmetry() -> None:
    models = [generated(seed) for seed in SEEDS]
    off = [symmetry_of(Layout(made.lifted, made.sizes(2))) for made in models]
    assert sum(isinstance(one, Symmetry) for one in off) > len(SEEDS) // 2


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_models_are_reduced_to_their_orbits(seed: int) -> None:
    made = generated(seed)
    layout = Layout(made.lifted, made.sizes(2 + seed % 2))
    if isinstance(symmetry_of(layout), str):
        return
    symmetry = check_orbits(layout, seed, 8)
    layout = Layout(made.lifted, made.scope)
    some = symmetry_of(layout)
    if isinstance(some, Symmetry) and (states := bounded(layout, 1500)) is not None:
        canonical, size = some.canonical(), some.orbit_size()
        met = reachable(layout, canonical)
        assert met == {canonical(state) for state in states}
        assert sum(map(size, met)) == len(states)
    assert symmetry.sorts


def bounded(layout: Layout, most: int) -> set[State] | None:
    """Every reachable state inside the Ranges, if they are few."""
    generator = Generator(layout)
    step = generator.successors()
    seen = set(itertools.islice(layout.initial_states(), most + 1))
    todo = list(seen)
    while todo and len(seen) <= most:
        new = {after for _, after, _ in step(todo.pop()) if after is not None} - seen
        seen |= new
        todo += new
    return seen if len(seen) <= most else None
