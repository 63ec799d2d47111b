"""Parameters that are tuples of bounded length: real tuples in every reading, each call counted once."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from itertools import product
from typing import Annotated, Any

import attrs
import pytest

from meshspec import (
    Map,
    Range,
    SetOf,
    Sort,
    action,
    always,
    choose,
    evidence,
    exists,
    model,
    promise,
    require,
    sometimes,
    var,
)
from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.certificate import certified, certify
from meshspec.backends.layout import Layout
from meshspec.engines.confirm import Confirmation
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.engines.prove import prove
from meshspec.engines.search import search_states
from meshspec.engines.simulate import simulate
from meshspec.errors import CertificateError, UsageError
from meshspec.expr.build import const
from meshspec.lang.lift import Lifted, LiftedModel, lift
from meshspec.lang.outcomes import Does, Leaf, Outcome, Split, Tree, merged
from tests.lang.reading import disagreements, only
from tests.oracle import Oracle


class Worker(Sort):
    """Somebody who is visited."""


class Light(Enum):
    RED = 0
    AMBER = 1
    GREEN = 2


Some = Annotated[tuple[Worker, ...], Range(0, 3)]


@model
class Visits:
    """Workers are kept busy, some at a time."""

    busy: Map[Worker, bool] = var(False)
    n: Annotated[int, Range(0, 3)] = var(0)

    @action
    def visit(self, ws: Some) -> None:
        require(not any(self.busy[w] for w in ws))
        for w in ws:
            self.busy[w] = True
        self.n = len(ws)

    @always
    def n_is_a_length(self, ws: Some) -> bool:
        return len(ws) == self.n or self.n in range(4)

    @always
    def no_two_of_them(self, ws: Some) -> bool:
        return len(ws) < 2 or ws[0] == ws[1] or not all(self.busy[w] for w in ws)

    @sometimes
    def all_of_them(self, ws: Some) -> bool:
        return next(filter(lambda w: not self.busy[w], ws), None) is None


@model
class Bodies:
    """Bodies that look at tuples in many ways."""

    most: int = 2
    busy: Map[Worker, bool] = var(False)
    seen: SetOf[Worker] = var()
    last: Worker | None = var(None)
    light: Light = var(Light.RED)
    n: int = var(0)

    @action
    def ignore(self, ws: Some) -> None:
        self.n = 1

    @action
    def measure(self, ws: Some) -> None:
        self.n = len(ws)

    @action
    def distinct(self, ws: Some) -> None:
        self.n = 10 * len(ws) + len(set(ws))

    @action
    def take_the_last(self, ws: Annotated[tuple[Worker, ...], Range(1, 2)]) -> None:
        *others, self.last = ws
        for w in others:
            self.seen.add(w)

    @action
    def raise_on_empty(self, ws: Annotated[tuple[Worker, ...], Range(0, 2)]) -> None:
        self.last = ws[0]

    @action
    def reverse(self, w: Worker, ws: Annotated[tuple[Worker, ...], Range(0, 2)], deep: bool) -> None:
        require(w in ws or deep)
        self.busy[w] = ws[::-1] == ws
        self.n = ws.count(w)

    @action
    def twice(
        self, a: Annotated[tuple[Worker, ...], Range(0, 1)], b: Annotated[tuple[Worker, ...], Range(0, 2)]
    ) -> None:
        self.n = len(a + b)
        self.last = (a + b)[-1] if a or b else None

    @action
    def none(self, ws: Annotated[tuple[Worker, ...], Range(0, 0)]) -> None:
        self.n = len(ws) if not ws else -1

    @action
    def shine(self, lights: Annotated[tuple[Light, ...], Range(1, 2)]) -> None:
        match lights:
            case (Light.RED, Light.GREEN):
                self.light = Light.AMBER
            case (*_, last):
                self.light = last
            case _:
                self.n = -1

    @action
    def flags(self, flags: Annotated[tuple[bool, ...], Range(0, 3)]) -> None:
        self.n = sum(flags)

    @action
    def add(self, ns: Annotated[tuple[Annotated[int, Range(-1, 2)], ...], Range(0, 2)]) -> None:
        self.n = max((sum(ns), *ns))

    @action
    def bounded(self, ws: Annotated[tuple[Worker, ...], Range(lambda m: m.most - 1, lambda m: m.most)]) -> None:
        self.n = len(ws)

    @action
    def choose_for_each(self, ws: Annotated[tuple[Worker, ...], Range(0, 2)]) -> None:
        self.n = sum(choose(range(1, 4)) for _ in ws)

    @always
    def closed(self, ws: Annotated[tuple[Worker, ...], Range(1, 2)]) -> bool:
        return exists(Worker, lambda w: self.busy[w] and w in ws) == any(self.busy[w] for w in ws)

    @always
    def fails_on_some(self, ws: Annotated[tuple[Worker, ...], Range(0, 2)]) -> bool:
        return self.last is None or ws[-1] != self.last


TRANSITIONS = {  # closed forms, for two members: what one state has
    "ignore": 1 + 2 + 4 + 8,
    "measure": 1 + 2 + 4 + 8,
    "distinct": 1 + 2 + 4 + 8,
    "take_the_last": 2 + 4,
    "raise_on_empty": 1 + 2 + 4,
    "twice": (1 + 2) * (1 + 2 + 4),
    "none": 1,
    "shine": 3 + 9,
    "flags": 1 + 2 + 4 + 8,
    "add": 1 + 4 + 16,
    "bounded": 2 + 4,
    "choose_for_each": 1 + 2 * 3 + 4 * 9,
}
METHODS = ["reverse", "closed", "fails_on_some", *TRANSITIONS]


@model
class Part:
    """A machine inside another."""

    most: int = 1
    on: bool = var(False)

    @always
    def short(self, ws: Annotated[tuple[Worker, ...], Range(0, lambda m: m.most)]) -> bool:
        return len(ws) <= self.most and not (self.on and ws)


@model
class Whole:
    """The other, with a constant of that name too."""

    most: int = 3
    part: Part = var()

    @action
    def turn(self) -> None:
        self.part.on = True


def told(target: Any, sizes: dict[type[Sort], int]) -> dict[str, Finding]:
    return {finding.property: finding for finding in explore(lift(target), sizes)}


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_what_is_lifted_means_what_cpython_means(method: str, size: int) -> None:
    assert list(disagreements(only(Bodies, method), {Worker: size})) == []


@pytest.mark.parametrize("method", ["visit", "n_is_a_length", "no_two_of_them", "all_of_them"])
def test_a_body_with_guard_and_loop_means_what_cpython_means(method: str) -> None:
    assert list(disagreements(only(Visits, method), {Worker: 3})) == []


def test_the_certificate_passes_them_all() -> None:
    certified(Visits)
    certified(Bodies)


@pytest.mark.parametrize("method", TRANSITIONS)
def test_every_tuple_is_one_transition(method: str) -> None:
    search, _ = search_states(only(Bodies, method), {Worker: 2}, Limits())
    assert search.complete
    assert search.transitions == TRANSITIONS[method] * search.states


@pytest.mark.parametrize("size", [1, 2, 3])
def test_counts_are_those_of_a_search_written_by_hand(size: int) -> None:
    todo: list[tuple[frozenset[int], int]] = [(frozenset(), 0)]
    seen, transitions = set(todo), 0
    while todo:
        busy, _ = todo.pop()
        for length in range(4):
            for ws in product(range(size), repeat=length):
                if busy.isdisjoint(ws):
                    transitions += 1
                    after = busy.union(ws), length
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
    search, _ = search_states(lift(Visits), {Worker: size}, Limits())
    assert search.complete
    assert (search.states, search.transitions) == (len(seen), transitions)
    assert len(Oracle(lift(Visits), {Worker: size}).reachable()) == len(seen)


def test_a_violated_claim_has_the_first_of_the_shortest_paths_and_names_the_tuple() -> None:
    found = told(Visits, {Worker: 2})
    assert {name for name, finding in found.items() if finding.answer is not Answer.HOLDS} == {"no_two_of_them"}
    path = found["no_two_of_them"].counterexample
    assert path is not None
    assert path.actions == ("visit((worker0, worker1))",)
    assert path.failed == "no_two_of_them((worker0, worker1)): worker0 != worker1 and busy[worker0] and busy[worker1]"
    oracle = Oracle(lift(Visits), {Worker: 2})
    assert oracle.first_path(lambda values: not oracle.holds("no_two_of_them", values), 2) == path.actions


def test_a_claim_about_the_length_alone_says_which_tuple() -> None:
    @model
    class Short:
        on: bool = var(False)

        @action
        def turn(self, ws: Annotated[tuple[Worker, ...], Range(0, 1)]) -> None:
            require(not self.on)
            self.on = not ws

        @always
        def dark(self, ws: Annotated[tuple[Worker, ...], Range(0, 1)]) -> bool:
            return len(ws) == 0 or not self.on

        @always
        def never_two(self, ws: Annotated[tuple[Worker, ...], Range(0, 2)]) -> bool:
            return len(ws) < 2

    found = told(Short, {Worker: 2})
    path, never = found["dark"].counterexample, found["never_two"].counterexample
    assert path is not None and never is not None
    assert (path.actions, path.failed) == (("turn(())",), "dark((worker0,)): on")
    assert (never.actions, never.failed) == ((), "never_two((worker0, worker0)): it is false in every state")


def test_a_raise_on_an_empty_tuple_is_found() -> None:
    found = {f.property: f for f in explore(only(Bodies, "raise_on_empty"), {Worker: 2})}["no action raises"]
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert found.counterexample.failed == "raise_on_empty(()) raises IndexError"


def test_choices_stand_after_the_tuple() -> None:
    lifted = only(Bodies, "choose_for_each")
    (act,) = lifted.actions
    assert [p.name for p in act.parameters] == ["len(ws)", "ws[0]", "ws[1]", "choice1(1..3)", "choice2(1..3)"]
    assert [p.name for p in act.choices] == ["choice1(1..3)", "choice2(1..3)"]
    assert act.called((1, Worker(1), Worker(0), 2, 3)) == "choose_for_each((worker1,), 2, 3)"


def test_arguments_come_by_length_and_each_call_once() -> None:
    lifted = only(Bodies, "take_the_last")
    ground = Layout(lifted, {Worker: 2}).ground_actions()
    pairs = [f"(worker{i}, worker{j})" for i in range(2) for j in range(2)]
    assert [act.called(a) for act, a in ground] == [
        f"take_the_last({ws})" for ws in ("(worker0,)", "(worker1,)", *pairs)
    ]
    assert [act.called(a) for act, a in Layout(only(Bodies, "none"), {Worker: 2}).ground_actions()] == ["none(())"]


def test_a_scope_is_too_large_by_the_calls_it_makes() -> None:
    lifted = only(Bodies, "ignore")
    assert len(Layout(lifted, {Worker: 26}).ground_actions()) == 1 + 26 + 26**2 + 26**3
    with pytest.raises(UsageError, match="gives ignore 20,440 combinations of arguments"):
        Layout(lifted, {Worker: 27})


def test_there_is_a_path_for_every_length() -> None:
    (act,) = only(Bodies, "measure").actions
    written = [p.outcome.updates[0].writes[0].value for p in act.paths if isinstance(p.outcome, Does)]
    assert written == [const(length) for length in range(4)]
    assert act.runs == 1 + 1 + 2 + 5, "every way in which elements may be equal: Bell's numbers"


def test_a_nested_machine_bounds_a_tuple_by_its_own_constants() -> None:
    (short,) = certified(Whole).claims
    assert [p.name for p in short.parameters] == ["len(ws)", "ws[0]"]
    path = told(Whole, {Worker: 2})["part.short"].counterexample
    assert path is not None and path.failed == "part.short((worker0,)): part.on"


# -- every size ------------------------------------------------------------------------------------------------


@model
class Marked:
    """Whoever was visited is marked; an inductive claim about tuples."""

    marked: Map[Worker, bool] = var(False)
    visited: Map[Worker, bool] = var(False)

    @action
    def visit(self, ws: Some) -> None:
        for w in ws:
            self.marked[w] = True
            self.visited[w] = True

    @always
    def marks_stay(self, ws: Annotated[tuple[Worker, ...], Range(1, 2)]) -> bool:
        return all(self.marked[w] for w in ws if self.visited[w])


def test_a_claim_about_tuples_is_proved_for_every_size() -> None:
    found = prove(certified(Marked))
    assert [f.property for f in found] == ["marks_stay", "no action raises"]
    assert all(f.answer is Answer.HOLDS and f.strength is Strength.EVERY_SIZE for f in found), found


def test_a_range_is_proved_from_the_length() -> None:
    found = {f.property: f for f in prove(certified(Visits))}
    assert found["n stays in 0..3"].answer is Answer.HOLDS
    assert found["n_is_a_length"].answer is Answer.HOLDS
    assert found["no_two_of_them"].answer is Answer.UNDETERMINED


def test_a_counterexample_to_induction_names_the_tuple() -> None:
    found = next(f for f in prove(lift(Visits)) if f.property == "no_two_of_them")
    facts: Any = found.facts["cti"]
    assert facts["action"].startswith("visit((worker") and facts["action"].endswith("))")
    assert facts["false"].startswith("no_two_of_them((worker")


def test_a_proof_is_refused_where_only_one_length_fails() -> None:
    @model
    class Long:
        n: int = var(0)

        @action
        def visit(self, ws: Some) -> None:
            self.n = len(ws)

        @always
        def below_3(self) -> bool:
            return self.n < 3

    found = next(f for f in prove(lift(Long)) if f.property == "below_3")
    assert found.answer is Answer.UNDETERMINED and "visit((" in found.reason


# -- the other engines -----------------------------------------------------------------------------------------


def test_a_walk_names_the_tuple() -> None:
    found = {f.property: f for f in simulate(lift(Visits), {Worker: 2}, walks=50, steps=5)}["no_two_of_them"]
    assert found.counterexample is not None
    assert all(step.startswith("visit((") for step in found.counterexample.actions)
    assert found.counterexample.failed.startswith("no_two_of_them((worker")


@model
class Once:
    """One worker is kept busy."""

    busy: Map[Worker, bool] = var(False)

    @action
    def visit(self, ws: Some) -> None:
        require(not ws or (len(ws) == 1 and not exists(Worker, lambda w: self.busy[w])))
        for w in ws:
            self.busy[w] = True

    @always
    def no_two_of_them(self, ws: Annotated[tuple[Worker, ...], Range(2, 2)]) -> bool:
        return ws[0] == ws[1] or not all(self.busy[w] for w in ws)


@model
class Twice(Once):
    """The incident: as many as you like."""

    @action
    def visit(self, ws: Some) -> None:
        for w in ws:
            self.busy[w] = True


@pytest.mark.parametrize(
    ("path", "answer"),
    [(["visit((worker0, worker1))"], Answer.HOLDS), (["visit((worker1, worker0))"], Answer.VIOLATED)],
)
def test_evidence_is_pinned_with_tuples(path: list[str], answer: Answer) -> None:
    held = evidence(
        Once,
        scope={Worker: 2},
        states=3,
        deadlocks=0,
        promises={"no_two_of_them": promise(refuted_by={Twice: path})},
    )
    lines = {line.id: line.confirm() for line in Confirmation(held, lambda names: []).lines()}
    assert lines["no_two_of_them is refuted by Twice"].answer is answer
    assert lines["no_two_of_them holds"].answer is Answer.HOLDS
    assert lines["Twice breaks only what it is listed for"].answer is Answer.HOLDS


# -- the certificate -------------------------------------------------------------------------------------------


def planted(tree: Tree[Outcome], length: int, change: Callable[[Outcome], Outcome], at: int = 0) -> Tree[Outcome]:
    """The tree with other leaves where the tuple has this length: lengths are asked about one after the other."""
    if at == 3:
        return everywhere(tree, change)
    assert isinstance(tree, Split)
    yes, no = tree.below
    if at == length:
        return attrs.evolve(tree, below=(everywhere(yes, change), no))
    return attrs.evolve(tree, below=(yes, planted(no, length, change, at + 1)))


def everywhere(tree: Tree[Outcome], change: Callable[[Outcome], Outcome]) -> Tree[Outcome]:
    if isinstance(tree, Leaf):
        return Leaf(change(tree.value))
    return attrs.evolve(tree, below=tuple(everywhere(child, change) for child in tree.below))


def nothing(outcome: Outcome) -> Outcome:
    return Does(())


def with_action(right: LiftedModel, lifted: Lifted, raw: Tree[Outcome]) -> LiftedModel:
    return attrs.evolve(right, actions=(attrs.evolve(lifted, raw=raw, tree=merged(raw)),))


@pytest.mark.parametrize("length", [0, 1, 2, 3])
@pytest.mark.parametrize("method", ["measure", "distinct"])
def test_the_certificate_sees_a_wrong_branch_at_one_length(method: str, length: int) -> None:
    right = only(Bodies, method)
    (lifted,) = right.actions
    certify(right)
    wrong = with_action(right, lifted, planted(lifted.raw, length, nothing))
    for random_states in (200, 0):
        with pytest.raises(CertificateError, match=f"{method} cannot be trusted as it was read") as refusal:
            certify(wrong, random_states=random_states)
    said = str(refusal.value).partition("arguments: ")[2]
    assert said.count("worker") == length, "the arguments are told as the tuple that they are"
