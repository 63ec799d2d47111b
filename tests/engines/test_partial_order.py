"""Partial order reduction against the full search: the same verdicts and the same deadlocks in fewer states."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Annotated, Protocol

import attrs
import pytest

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    any_of,
    choose,
    each,
    eventually,
    forall,
    implies,
    model,
    require,
    sometimes,
    terminal,
    total,
    var,
)
from meshspec.backends.generated import Code, Generator, Successor
from meshspec.backends.layout import Layout, State, range_name
from meshspec.backends.symmetry import Symmetry, symmetry_of
from meshspec.engines import partial_order
from meshspec.engines.partial_order import SETTLES, PartialOrder, ample
from meshspec.expr.build import negate
from meshspec.expr.nodes import Node
from meshspec.lang.lift import LiftedModel, lift
from meshspec.sorts import Sort as AnySort
from tests.agreement.models import generated
from tests.models import lock, plain_ledger
from tests.models.two_phase_commit import Manager, TwoPhase


class Worker(Sort):
    """Whoever works."""


class Job(Sort):
    """What is worked at."""


@attrs.define
class Searched:
    """What a search came to: names of what is false, met or raised somewhere, and all deadlocks."""

    states: set[State] = attrs.field(factory=set[State])
    deadlocks: set[State] = attrs.field(factory=set[State])
    said: set[str] = attrs.field(factory=set[str])


class Chooses(Protocol):
    def choose(
        self, state: State, successors: Sequence[Successor], is_new: Callable[[State], bool]
    ) -> Sequence[Successor]: ...


def searched(layout: Layout, order: Chooses | None = None, most: int = 100_000) -> Searched | None:
    """Breadth first, with all steps or with those that are chosen; ``None`` if there are too many states."""
    generator = Generator(layout)
    step, outside = generator.successors(), generator.out_of_range()
    questions = [(name, generator.first_failure(node, [names])) for name, node, names in asked(layout, generator)]
    found, layer = Searched(), dict.fromkeys(layout.initial_states())
    found.states.update(layer)
    while layer:
        after = dict[State, None]()
        for state in layer:
            found.said.update(name for name, test in questions if test(state) >= 0)
            left = outside(state)
            found.said.update(range_name(layout.cells[at].variable, layout.model.instance) for at in left)
            if left:
                continue
            steps = step(state)
            if not steps:
                found.deadlocks.add(state)
            chosen = order.choose(state, steps, lambda one: one not in found.states) if order is not None else steps
            if len(found.states) > most:
                return None
            for number, reached, error in chosen:
                if reached is None:
                    found.said.add(f"{number} raises {error}")
                elif reached not in found.states:
                    found.states.add(reached)
                    after[reached] = None
        layer = after
    return found


def asked(layout: Layout, generator: Generator) -> Iterator[tuple[str, Node, dict[str, Code]]]:
    """What is false where it is settled: claims, witnesses and antecedents not met, for each combination."""
    for lifted in layout.model.claims:
        kind = lifted.method.kind
        for arguments in layout.arguments(lifted.parameters) if kind in ("always", "lemma", "sometimes") else ():
            names = generator.names(lifted, arguments)
            called = lifted.called(arguments)
            yield called, lifted.claim if kind != "sometimes" else negate(lifted.claim), names
            if kind == "sometimes":
                yield f"{called} raises", negate(lifted.raising), names
            for site, node in lifted.antecedents.items() if kind != "sometimes" else ():
                yield f"{called} {site}", negate(node), names


def reduced(layout: Layout, most: int = 100_000) -> tuple[Searched, Searched] | None:
    """The full and the reduced search, found to agree; ``None`` where there is nothing to reduce or too much."""
    order = ample(layout)
    if isinstance(order, str) or (full := searched(layout, most=most)) is None:
        return None
    less = searched(layout, order)
    assert less is not None and less.states <= full.states
    assert less.said == full.said
    assert less.deadlocks == full.deadlocks
    return full, less


def both(cls: type, sizes: dict[type[AnySort], int]) -> tuple[Searched, Searched]:
    found = reduced(Layout(lift(cls), sizes))
    assert found is not None
    return found


# -- models that are reduced -----------------------------------------------------------------------------------


@model
class Apart:
    """Workers that never meet, and a bell that is rung at last."""

    done: Map[Worker, Annotated[int, Range(0, 2)]] = var(0)
    ready: Map[Worker, bool] = var(False)
    rung: bool = var(False)

    @action
    def prepare(self, w: Worker) -> None:
        require(not self.ready[w])
        self.ready[w] = True

    @action
    def ring(self) -> None:
        require(not self.rung)
        self.rung = True

    @always
    def silent(self) -> bool:
        return not self.rung

    @terminal
    def all_ready(self, w: Worker) -> bool:
        return self.ready[w]


@pytest.mark.parametrize("workers", [1, 3, 6])
def test_workers_that_never_meet_are_taken_in_one_order(workers: int) -> None:
    full, less = both(Apart, {Worker: workers})
    assert len(full.states) == 2 ** (workers + 1)
    assert len(less.states) == workers + 2
    assert full.said == {"silent"} and len(full.deadlocks) == 1


class At(Enum):
    IDLE = 0
    WAITING = 1
    INSIDE = 2
    GONE = 3


@model
class Turnstile:
    """Each thinks for itself, one at a time passes, and what one carries is looked at where it passes."""

    at: Map[Worker, At] = var(At.IDLE)
    thought: Map[Worker, bool] = var(False)
    packed: Map[Worker, bool] = var(False)
    inside: Worker | None = var(None)

    @action
    def think(self, w: Worker) -> None:
        require(self.at[w] is At.IDLE and not self.thought[w])
        self.thought[w] = True

    @action
    def pack(self, w: Worker) -> None:
        require(not self.packed[w])
        self.packed[w] = True

    @action
    def enter(self, w: Worker) -> None:
        require(self.at[w] is At.IDLE and self.thought[w] and self.inside is None)
        self.at[w] = At.INSIDE
        self.inside = w

    @action
    def leave(self, w: Worker) -> None:
        require(self.inside is w and self.packed[w])
        self.inside = None
        self.at[w] = At.GONE

    @always
    def one_inside(self, a: Worker, b: Worker) -> bool:
        return implies(self.at[a] is At.INSIDE and self.at[b] is At.INSIDE, a is b)

    @always
    def nobody_leaves(self, w: Worker) -> bool:
        return self.at[w] is not At.GONE

    @sometimes
    def someone_gone(self, w: Worker) -> bool:
        return self.at[w] is At.GONE


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_model_with_a_place_for_one_says_the_same(workers: int) -> None:
    full, _ = both(Turnstile, {Worker: workers})
    assert {"nobody_leaves(worker0)", "someone_gone(worker0)"} <= full.said


def test_known_models_say_the_same() -> None:
    known: list[tuple[type, dict[type[AnySort], int]]] = [
        (TwoPhase, {Manager: 3}), (plain_ledger.EffectLedger, {plain_ledger.Effect: 2}),
        (lock.Peterson, {}), (lock.KeepTheTurn, {}), (lock.LookOnly, {}),
    ]  # fmt: skip
    for cls, sizes in known:
        reduced(Layout(lift(cls), sizes))


# -- each condition is needed ----------------------------------------------------------------------------------


@model
class Spinning:
    """A wheel that turns for ever beside a fuse that may blow."""

    wheel: bool = var(False)
    blown: bool = var(False)

    @action
    def turn(self) -> None:
        self.wheel = not self.wheel

    @action
    def blow(self) -> None:
        self.blown = True

    @always
    def whole(self) -> bool:
        return not self.blown


@attrs.define
class Careless:
    """A reduction that never asks whether a state is new."""

    order: PartialOrder

    def choose(
        self, state: State, successors: Sequence[Successor], is_new: Callable[[State], bool]
    ) -> Sequence[Successor]:
        return self.order.choose(state, successors, lambda _: True)


def test_without_the_proviso_a_cycle_hides_a_violation() -> None:
    layout = Layout(lift(Spinning), {})
    order = ample(layout)
    assert isinstance(order, PartialOrder)
    careless = searched(layout, Careless(order))
    assert careless is not None and careless.said == set() and len(careless.states) == 2
    full, less = both(Spinning, {})
    assert less.said == full.said == {"whole"}


@model
class Overtaken:
    """What `first` does makes no difference to what is looked at, but `second` may come before it or after."""

    first: bool = var(False)
    late: bool = var(False)

    @action
    def go_first(self) -> None:
        require(not self.first)
        self.first = True

    @action
    def go_second(self) -> None:
        require(not self.first and not self.late)
        self.late = True

    @always
    def never_late(self) -> bool:
        return not self.late


def test_an_action_that_reads_what_another_writes_is_not_left_waiting() -> None:
    full, _ = both(Overtaken, {})
    assert full.said == {"never_late"}


@model
class Enabled:
    """`hidden` enables `breaks`, which depends on `idle`: without it the disabled one would be forgotten."""

    open: bool = var(False)
    idle: bool = var(False)
    broken: bool = var(False)

    @action
    def rest(self) -> None:
        require(not self.idle)
        self.idle = True

    @action
    def hidden(self) -> None:
        require(not self.open)
        self.open = True

    @action
    def breaks(self) -> None:
        require(self.open and not self.idle)
        self.broken = True

    @always
    def whole(self) -> bool:
        return not self.broken


def test_what_a_disabled_action_waits_for_is_taken_too() -> None:
    full, _ = both(Enabled, {})
    assert full.said == {"whole"}


@model
class Looked:
    """Two independent steps, and a state between them that only one order has."""

    a: bool = var(False)
    b: bool = var(False)
    spare: bool = var(False)

    @action
    def set_b(self) -> None:
        require(not self.b)
        self.b = True

    @action
    def set_a(self) -> None:
        require(not self.a)
        self.a = True

    @action
    def waste(self) -> None:
        require(not self.spare)
        self.spare = True

    @always
    def b_comes_with_a(self) -> bool:
        return implies(self.b, self.a)

    @always
    def a_comes_with_b(self) -> bool:
        return implies(self.a, self.b)


def test_steps_that_are_looked_at_are_taken_in_every_order() -> None:
    full, less = both(Looked, {})
    assert {"b_comes_with_a", "a_comes_with_b"} <= full.said
    assert len(less.states) < len(full.states)


@model
class Raising:
    """An error that depends on a step nobody looks at, and a Range that is left."""

    limit: Map[Worker, int] = Map(1)
    level: int = var(0)
    spare: bool = var(False)
    count: Annotated[int, Range(0, 1)] = var(0)

    @action
    def waste(self) -> None:
        require(not self.spare)
        self.spare = True

    @action
    def raise_level(self) -> None:
        require(self.level == 0)
        self.level = 1

    @action
    def divide(self) -> None:
        if self.level == 1:
            raise ValueError
        require(self.spare)

    @action
    def count_up(self) -> None:
        require(self.count <= 1)
        self.count += 1


def test_errors_and_ranges_are_looked_at() -> None:
    full, less = both(Raising, {Worker: 1})
    assert full.said == {"2 raises ValueError", "count stays in 0..1"}
    assert less.said == full.said


@model
class Pointed:
    """Keys that only a state knows, a whole map written at once, and a choice."""

    holder: Worker | None = var(None)
    used: Map[Worker, bool] = var(False)
    noted: Map[tuple[Worker, Job], bool] = var(False)
    spare: Map[Job, bool] = var(False)
    cleared: bool = var(False)

    @action
    def take(self, w: Worker) -> None:
        require(self.holder is None)
        self.holder = w

    @action
    def use(self) -> None:
        mine = self.holder
        require(mine is not None)
        if mine is not None:
            self.used[mine] = True
            self.holder = None

    @action
    def note(self, j: Job) -> None:
        mine = self.holder
        require(mine is not None)
        if mine is not None:
            self.noted[mine, j] = True

    @action
    def waste(self) -> None:
        j = choose(Job)
        self.spare[j] = True

    @action
    def clear(self) -> None:
        require(not self.cleared)
        self.cleared = True
        self.used = each(Worker, lambda w: False)

    @always
    def unused(self, w: Worker) -> bool:
        return not self.used[w]

    @always
    def not_noted(self, w: Worker, j: Job) -> bool:
        return not self.noted[w, j]


def test_keys_that_only_a_state_knows_may_lead_anywhere() -> None:
    full, less = both(Pointed, {Worker: 2, Job: 2})
    assert {"unused(worker1)", "not_noted(worker1, job1)"} <= full.said
    assert len(less.states) < len(full.states)


# -- what depends on what --------------------------------------------------------------------------------------


@model
class Touching:
    """Every way to read and to write an entry."""

    mine: Worker = var(any_of(Worker))
    hits: Map[Worker, int] = var(0)
    grid: Map[tuple[Worker, Job, bool], bool] = var(False)
    total: int = var(0)
    lost: bool = var(False)
    met: bool = var(False)

    @action
    def hit_mine(self) -> None:
        self.hits[self.mine] = 1

    @action
    def hit(self, w: Worker) -> None:
        self.hits[w] = 1

    @action
    def clear(self) -> None:
        self.hits = each(Worker, lambda w: 0)

    @action
    def sum_up(self) -> None:
        self.total = total(Worker, lambda w: self.hits[w])

    @action
    def copy(self, w: Worker) -> None:
        self.total = self.hits[w] + 1

    @action
    def mark(self, w: Worker, j: Job) -> None:
        require(not self.grid[w, j, True])
        self.grid[w, j, True] = True

    @action
    def wait(self, w: Worker, j: Job) -> None:
        require(self.grid[w, j, True] or self.grid[w, j, False])

    @action
    def alone(self, w: Worker) -> None:
        require(forall(Worker, lambda x: x is w or self.hits[x] == 0))

    @action
    def lose(self) -> None:
        self.lost = True

    @action
    def fail(self) -> None:
        if self.lost:
            raise ValueError

    @action
    def meet(self) -> None:
        self.met = True

    @always
    def says_nothing(self) -> bool:
        return implies(self.met, True)


def named(layout: Layout, sets: Sequence[int]) -> dict[str, set[str]]:
    """For each action those in its set, itself left out."""
    names = [lifted.called(arguments) for lifted, arguments in layout.ground_actions()]
    inside = [{other for bit, other in enumerate(names) if one >> bit & 1} for one in sets]
    return {name: others - {name} for name, others in zip(names, inside, strict=True)}


def test_actions_depend_on_each_other_when_one_may_touch_what_the_other_writes() -> None:
    layout = Layout(lift(Touching), {Worker: 2, Job: 3})
    order = ample(layout)
    assert isinstance(order, PartialOrder)
    on = named(layout, order.dependent)
    hits = {"hit_mine", "hit(worker0)", "hit(worker1)", "clear"}
    totals = {"sum_up", "copy(worker0)", "copy(worker1)"}
    alone = {"alone(worker0)", "alone(worker1)"}
    assert on["hit_mine"] == hits - {"hit_mine"} | totals | alone
    assert on["hit(worker1)"] == {"hit_mine", "clear", "sum_up", "copy(worker1)", "alone(worker0)"}
    assert on["clear"] == hits - {"clear"} | totals | alone
    assert on["sum_up"] == hits | totals - {"sum_up"}
    assert on["copy(worker0)"] == hits - {"hit(worker1)"} | totals - {"copy(worker0)"}
    assert on["mark(worker1, job2)"] == {"wait(worker1, job2)"}
    assert on["wait(worker0, job1)"] == {"mark(worker0, job1)"}
    assert on["lose"] == {"fail"} and on["meet"] == set()
    assert all(one in on[other] for other, those in on.items() for one in those)


def test_only_what_a_guard_reads_can_enable_an_action() -> None:
    layout = Layout(lift(Touching), {Worker: 2, Job: 3})
    order = ample(layout)
    assert isinstance(order, PartialOrder)
    by = named(layout, order.enabling)
    assert by["wait(worker1, job0)"] == {"mark(worker1, job0)"}
    assert by["fail"] == {"lose"}
    assert by["copy(worker0)"] == set()  # it is always enabled, whatever it adds up


def test_what_an_antecedent_or_an_action_that_may_raise_reads_is_looked_at() -> None:
    layout = Layout(lift(Touching), {Worker: 2, Job: 3})
    order = ample(layout)
    assert isinstance(order, PartialOrder)
    names = [lifted.called(arguments) for lifted, arguments in layout.ground_actions()]
    assert {name for at, name in enumerate(names) if order.visible >> at & 1} == {"lose", "meet"}


def test_of_several_sets_that_may_be_taken_the_smallest_that_leads_to_something_new_is() -> None:
    order = PartialOrder([0b0011, 0b0011, 0b0100, 0b1000], [0, 0, 0, 0], 0b1000)
    steps: list[Successor] = [(number, (number,), "") for number in range(4)]
    new: list[set[State]] = [{(0,), (1,), (2,), (3,)}, {(0,), (1,), (3,)}, {(1,)}, {(3,)}, set()]
    chosen = [order.choose((), steps, some.__contains__) for some in new]
    numbers = [[number for number, _, _ in some] for some in chosen]
    assert numbers == [[2], [0, 1], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3]]


# -- when it is off --------------------------------------------------------------------------------------------


def test_it_is_off_under_symmetry() -> None:
    layout = Layout(lift(Apart), {Worker: 2})
    symmetry = symmetry_of(layout)
    assert isinstance(symmetry, Symmetry)
    why = ample(layout, symmetry)
    assert why == "symmetry is on, and the two together are not known to be sound: turn one of them off"


@model
class Owed(Apart):
    @eventually
    def rings(self) -> bool:
        return self.rung


def test_it_is_off_where_something_must_come_about() -> None:
    why = ample(Layout(lift(Owed), {Worker: 2}))
    assert why == "rings: what must come about depends on steps that would be left out"


def test_it_is_off_where_every_step_is_looked_at() -> None:
    why = ample(Layout(lift(lock.Peterson), {}))
    if not isinstance(why, str):
        pytest.fail("Peterson's lock has steps that nobody looks at")
    assert why == "every action writes what a claim, a Range or an action that may raise looks at"


def test_it_is_off_where_actions_are_too_many_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout(lift(Apart), {Worker: 5})
    monkeypatch.setattr(partial_order, "MAX_GROUND_ACTIONS", 5)
    assert ample(layout) == "6 ground actions are more than the 5 it can compare pair by pair"
    monkeypatch.setattr(partial_order, "MAX_GROUND_ACTIONS", 6)
    assert isinstance(ample(layout), PartialOrder)


def test_counts_and_firings_are_not_settled() -> None:
    assert not SETTLES & {"fires", "eventually"}


# -- many models -----------------------------------------------------------------------------------------------


class Bit(Enum):
    A = 0
    B = 1
    C = 2
    D = 3
    E = 4
    F = 5


Rule = tuple[tuple[tuple[Bit, bool], ...], tuple[tuple[Bit, Bit | bool], ...]]
"""What some bits must be, and what others become: a value, or what another bit is."""


class Step(Enum):
    A = 0
    B = 1
    C = 2
    D = 3
    E = 4
    F = 5
    G = 6


@model
class Net:
    """Six bits and seven steps, made up at random; one pair of bits is looked at, or one, or none."""

    rules: tuple[Rule, ...]
    seen: tuple[tuple[Bit, bool], ...] = ()
    bit: Map[Bit, bool] = var(False)

    @action
    def step(self, s: Step) -> None:
        guard, effect = self.rules[s.value]
        for at, value in guard:
            require(self.bit[at] == value)
        before = [value if isinstance(value, bool) else self.bit[value] for _, value in effect]
        for (at, _), now in zip(effect, before, strict=True):
            self.bit[at] = now

    @always
    def not_seen(self) -> bool:
        return not self.seen or not all(self.bit[at] == value for at, value in self.seen)


def random_net(seed: int) -> Layout:
    rnd = random.Random(seed)
    bits = list(Bit)

    def rule() -> Rule:
        mine = rnd.sample(bits, rnd.choice((1, 1, 2)))
        effect = tuple((at, rnd.choice((True, True, False, rnd.choice(bits)))) for at in mine)
        once = [(at, not value) for at, value in effect if isinstance(value, bool) and rnd.random() < 0.9]
        return (*once, *((at, rnd.random() < 0.5) for at in rnd.sample(bits, rnd.choice((0, 1))))), effect

    seen = tuple((at, rnd.random() < 0.8) for at in rnd.sample(bits, rnd.choice((0, 1, 2))))
    return Layout(lift(Net(rules=tuple(rule() for _ in Step), seen=seen)), {})


def test_random_nets_say_the_same_many_are_reduced_and_the_proviso_matters() -> None:
    fewer: list[Searched] = []
    missed = 0
    for seed in range(100):
        layout = random_net(seed)
        order, found = ample(layout), reduced(layout)
        if found is not None and isinstance(order, PartialOrder):
            full, less = found
            fewer += [full] if len(less.states) < len(full.states) else []
            careless = searched(layout, Careless(order))
            assert careless is not None and careless.said <= full.said
            missed += careless.said != full.said
    assert len(fewer) > 15 and missed > 0
    assert sum(bool(full.deadlocks) for full in fewer) > 3 and sum(bool(full.said) for full in fewer) > 3


def test_generated_models_say_the_same() -> None:
    """`tests.agreement.soak` has hundreds."""
    for seed in range(12):
        some_claims(generated(seed).lifted, generated(seed).scope)


def some_claims(model: LiftedModel, scope: Mapping[type[AnySort], int]) -> None:
    """Full and reduced searches agree, whether all claims are kept, one or none."""
    claims = [claim for claim in model.claims if claim.method.kind != "eventually"]
    for keep in (0, 1, len(claims)):
        reduced(Layout(attrs.evolve(model, claims=tuple(claims[:keep])), dict(scope)), most=300)


@model
class Independent:
    """What the claim says is the same everywhere; its body raises where `come` is taken first."""

    near: bool = var(False)
    far: bool = var(False)
    aside: bool = var(False)

    @action
    def come(self) -> None:
        require(not self.near)
        self.near = True

    @action
    def go(self) -> None:
        require(not self.far)
        self.far = True

    @action
    def step_aside(self) -> None:
        require(not self.aside)
        self.aside = True

    @sometimes
    def met(self) -> bool:
        assert self.far or not self.near
        return False


def test_a_step_to_where_the_body_of_a_claim_raises_is_not_left_out() -> None:
    assert (both := reduced(Layout(lift(Independent), {}))) is not None
    assert all("met raises" in search.said for search in both)
