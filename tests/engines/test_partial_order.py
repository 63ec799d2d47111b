"""Partial order reduction against the full search: the same verdicts and the same deadlocks in fewer states."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
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
    choose,
    each,
    eventually,
    implies,
    model,
    require,
    sometimes,
    terminal,
    var,
)
from meshspec.backends.generated import Code, Generator, Successor
from meshspec.backends.layout import Layout, State, range_name
from meshspec.backends.symmetry import Symmetry, symmetry_of
from meshspec.engines import partial_order
from meshspec.engines.partial_order import SETTLES, PartialOrder, ample
from meshspec.expr.build import negate
from meshspec.expr.nodes import Node
from meshspec.lang.lift import lift
from meshspec.sorts import Sort as AnySort
from tests.generator import make
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
def test_a_model_with_a_place_for_one_is_reduced_and_says_the_same(workers: int) -> None:
    full, less = both(Turnstile, {Worker: workers})
    assert {"nobody_leaves(worker0)", "someone_gone(worker0)"} <= full.said
    assert len(less.states) < len(full.states)


def test_known_models_say_the_same() -> None:
    known: list[tuple[type, dict[type[AnySort], int]]] = [
        (TwoPhase, {Manager: 3}), (plain_ledger.EffectLedger, {plain_ledger.Effect: 2}),
        (lock.Peterson, {}), (lock.KeepTheTurn, {}), (lock.LookOnly, {}),
    ]  # fmt: skip
    for cls, sizes in known:
        reduced(Layout(lift(cls), sizes))


@model
class TwoPhaseSeen(TwoPhase):
    """Two-phase commit of which only the coordinator is looked at."""

    @always
    def consistent(self, a: Manager, b: Manager) -> bool:
        return not (self.commit_sent and self.abort_sent)

    @sometimes
    def all_commit(self) -> bool:
        return self.commit_sent


def test_two_phase_commit_is_reduced_where_only_the_coordinator_is_looked_at() -> None:
    full, less = both(TwoPhaseSeen, {Manager: 3})
    assert len(full.states) == 288 and len(less.states) < 144


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


@model
class Net:
    """Six bits and seven steps, made up at random; one pair of bits is looked at, or one, or none."""

    rules: tuple[Rule, ...]
    seen: tuple[tuple[Bit, bool], ...] = ()
    bit: Map[Bit, bool] = var(False)

    @action
    def step(self, n: Annotated[int, Range(0, 6)]) -> None:
        for number, (guard, effect) in enumerate(self.rules):
            if n == number:
                for at, value in guard:
                    require(self.bit[at] == value)
                before = [value if isinstance(value, bool) else self.bit[value] for _, value in effect]
                for (at, _), value in zip(effect, before, strict=True):
                    self.bit[at] = value

    @always
    def not_seen(self) -> bool:
        return not self.seen or not all(self.bit[at] == value for at, value in self.seen)


def random_net(seed: int) -> Layout:
    rnd = random.Random(seed)
    bits = list(Bit)

    def rule() -> Rule:
        mine = rnd.sample(bits, rnd.choice((1, 1, 2)))
        guard = tuple((at, rnd.random() < 0.4) for at in rnd.sample([*mine, rnd.choice(bits)], rnd.choice((0, 1, 2))))
        return guard, tuple((at, rnd.choice((True, True, False, rnd.choice(bits)))) for at in mine)

    seen = tuple((at, rnd.random() < 0.8) for at in rnd.sample(bits, rnd.choice((0, 1, 2))))
    return Layout(lift(Net(tuple(rule() for _ in range(7)), seen)), {})


@pytest.mark.parametrize("block", range(4))
def test_random_nets_say_the_same_and_many_are_reduced(block: int) -> None:
    found = [reduced(random_net(seed)) for seed in range(50 * block, 50 * block + 50)]
    fewer = [one for one in found if one is not None and len(one[1].states) < len(one[0].states)]
    assert len(fewer) > 10
    assert any(one.deadlocks for one, _ in fewer) and any(one.said for one, _ in fewer)


def test_the_proviso_matters_in_random_nets_too() -> None:
    missed = 0
    for seed in range(200):
        layout = random_net(seed)
        order, full = ample(layout), searched(layout)
        if isinstance(order, PartialOrder) and full is not None:
            careless = searched(layout, Careless(order))
            assert careless is not None and careless.said <= full.said
            missed += careless.said != full.said
    assert missed > 0


@pytest.mark.parametrize("block", range(0, 60, 20))
def test_generated_models_say_the_same(block: int) -> None:
    for seed in range(block, block + 20):
        made = make(seed)
        claims = [claim for claim in made.lifted.claims if claim.method.kind != "eventually"]
        for keep in (0, 1, len(claims)):
            reduced(Layout(attrs.evolve(made.lifted, claims=tuple(claims[:keep])), made.scope), most=300)
