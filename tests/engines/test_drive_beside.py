"""An implementation driven beside a model: the first difference is shown, whatever the implementation is made of."""

from __future__ import annotations

import asyncio
import gc
import importlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import HealthCheck, Phase, assume, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from meshspec import Map, SetOf, Sort, action, any_of, choose, model, require, var
from meshspec.answer import Answer, Finding
from meshspec.engines.beside import Implementation, NotFresh, NothingShown, beside, drive_beside, implementation
from meshspec.engines.drive import drive
from meshspec.engines.driven import AGREES, NothingTried, Refuted
from meshspec.engines.machine import NeverTaken
from meshspec.errors import UsageError
from meshspec.lang.lift import lift
from tests.models.plain_ledger import Effect, EffectLedger

FEW = settings(
    max_examples=25,
    stateful_step_count=20,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    phases=[Phase.generate, Phase.shrink],
)


class Service:
    """The ledger as somebody would write it, right but for what `wrong` names."""

    def __init__(self, wrong: str = "") -> None:
        self.wrong = wrong
        self.intended, self.recorded = set[Effect](), set[Effect]()
        self.applied = dict.fromkeys((Effect(0), Effect(1)), 0)
        self.sent, self.doubtful, self.up = set[Effect](), set[Effect](), True

    def do(self, name: str, arguments: tuple[Any, ...]) -> None:
        if name == self.wrong == "record":
            return
        if name == "recover" and self.wrong == "raises":
            raise OSError("the disk is full")
        getattr(self, f"_{name}")(*arguments)

    def _intend(self, e: Effect) -> None:
        self.intended.add(e)

    def _send(self, e: Effect) -> None:
        self.applied[e] += 1
        self.sent.add(e)

    def _record(self, e: Effect) -> None:
        self.recorded.add(e)
        self.sent.discard(e)

    def _crash(self) -> None:
        self.up = False
        self.sent.clear()

    def _recover(self) -> None:
        self.up = True
        self.doubtful = self.intended - self.recorded

    def _settle(self, e: Effect) -> None:
        self.doubtful.discard(e)
        if self.applied[e]:
            self.recorded.add(e)

    def show(self) -> dict[str, object]:
        cells = {f"recorded[{e!r}]": e in self.recorded for e in self.applied}
        return {"up": self.up, "applied": dict(self.applied), **cells}


def service(wrong: str = "", **other: Any) -> dict[str, Any]:
    return {"start": lambda: Service(wrong), "step": Service.do, "observe": Service.show, **other}


def down(_: Service) -> dict[str, object]:
    return {"up": False}


def nothing(_: Service) -> dict[str, object]:
    return {}


def driven(told: dict[str, Any], target: type = EffectLedger, **more: Any) -> Finding:
    lifted = lift(target)
    how: dict[str, Any] = {"examples": 25, "steps": 20, **more}
    found = drive(lifted, dict.fromkeys(lifted.sorts, 2), against=Implementation(**told), **how)
    assert all(one.answer is Answer.HOLDS for one in found if one.property != AGREES)
    return next(one for one in found if one.property == AGREES)


def fails(told: dict[str, Any], target: type = EffectLedger) -> Refuted:
    with pytest.raises(Refuted) as caught:
        run_state_machine_as_test(seed(1)(beside(target, **told)), settings=FEW)
    return caught.value


def test_a_right_implementation_agrees_and_what_it_does_not_show_is_named() -> None:
    found = driven(service())
    assert (found.answer, found.tested) == (Answer.HOLDS, 25)
    assert found.reason == "not observed: intended, sent, doubtful"
    run_state_machine_as_test(beside(EffectLedger, **service()), settings=FEW)


def test_the_first_difference_is_shown_after_the_path_in_the_words_of_the_model() -> None:
    found = driven(service("record"))
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    path = found.counterexample
    assert path.actions[-1].startswith("record(")
    effect = path.actions[-1][7:-1]
    assert path.failed == f"recorded[{effect}]: model True, implementation False"
    assert found.facts["steps"] and found.kind == "refines"


def test_a_machine_beside_fails_with_the_argument_and_no_command_that_would_not_replay_it() -> None:
    said = str(fails(service("record")))
    assert "  VIOLATED      the implementation agrees  in 3 steps (shrunk, drive)" in said
    assert "so recorded[effect0]: model True, implementation False" in said
    assert "meshspec drive" not in said
    path = "intend(effect0),send(effect0),record(effect0)"
    assert said.endswith(f'replay the implementation agrees: drive_beside(..., path="{path}")')
    with pytest.raises(Refuted) as again:
        drive_beside(EffectLedger, **service("record"), path=path)
    assert "model True, implementation False" in str(again.value)
    drive_beside(EffectLedger, **service(), path=path)
    with pytest.raises(UsageError, match="record"):
        drive_beside(EffectLedger, **service(), path="record(effect0)")


def test_an_implementation_that_raises_is_refuted_with_the_line_of_its_own_code() -> None:
    found = driven(service("raises"))
    line = Service.do.__code__.co_firstlineno + 4
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert found.counterexample.actions == ("crash", "recover")
    told = f"step() raises OSError: the disk is full at tests/engines/test_drive_beside.py:{line}"
    assert found.counterexample.failed == told


@pytest.mark.parametrize("what", ["start", "observe"])
def test_so_is_one_that_cannot_be_started_or_observed(what: str) -> None:
    def leaves(*_: Any) -> None:
        raise SystemExit(3)

    found = driven({**service(), what: leaves})
    assert found.counterexample is not None and found.counterexample.steps == ()
    assert found.counterexample.failed.startswith(f"{what}() raises SystemExit: 3 at ")


def test_one_that_begins_otherwise_is_refuted_before_any_step() -> None:
    found = driven(service(observe=down))
    assert found.counterexample is not None and found.counterexample.steps == ()
    assert found.counterexample.failed == "it begins otherwise: up: model True, implementation False"


def test_state_that_leaks_from_one_example_to_the_next_is_told_as_such() -> None:
    shared = Service()
    found = driven(service(start=lambda: shared))
    assert found.answer is Answer.UNDETERMINED
    assert found.reason.startswith("start() gives no fresh system: it returned the very object that an earlier")
    assert found.settles == "a start() that makes a new system each time"
    kept: dict[str, object] = {"recorded": set[Effect](), "intended": set[Effect]()}

    def leaky() -> Service:
        made = Service()
        vars(made).update(kept)
        return made

    with pytest.raises(NotFresh, match="before any step it shows recorded"):
        drive_beside(EffectLedger, **service(start=leaky), settings=FEW)


def test_one_object_that_is_reset_is_fresh() -> None:
    shared = Service()

    def reset() -> Service:
        shared.__init__()  # type: ignore[misc]  # as if it were new
        return shared

    assert driven(service(start=reset)).answer is Answer.HOLDS


def test_what_shows_nothing_was_never_compared() -> None:
    found = driven(service(observe=nothing))
    assert (found.answer, found.reason.partition(":")[0]) == (Answer.VACUOUS, "observe() shows nothing")
    with pytest.raises(NothingShown):
        drive_beside(EffectLedger, **service(observe=nothing), settings=FEW)


def test_what_differs_from_run_to_run_is_undetermined() -> None:
    count = itertools.count()

    def once(system: Service) -> dict[str, object]:
        return {"up": system.up != (next(count) == 40)}

    found = driven(service(observe=once))
    assert found.answer is Answer.UNDETERMINED
    assert found.reason.startswith("it does not do the same twice on the same steps (Flaky")


def test_ctrl_c_in_an_implementation_leaves_it_undetermined() -> None:
    def interrupts(*_: Any) -> None:
        raise KeyboardInterrupt

    lifted = lift(EffectLedger)
    against = Implementation(**service(step=interrupts))
    found = drive(lifted, {Effect: 2}, against=against, examples=3)
    assert {one.answer for one in found} == {Answer.UNDETERMINED}
    assert {one.reason for one in found} == {"interrupted"}


# -- what is shown ---------------------------------------------------------------------------------------------


class Node(Sort):
    """A node."""


@model
class Cluster:
    """Every kind of variable."""

    lead: Node | None = var(None)
    seen: SetOf[Node] = var()
    tries: Map[tuple[Node, bool], int] = var(0)
    on: bool = var(any_of(False, True))

    @action
    def elect(self, n: Node) -> None:
        require(self.lead is None)
        self.lead = n
        self.seen.add(n)
        self.tries[n, True] += 1

    @action
    def lose(self) -> None:
        require(self.lead is not None)
        other = choose(Node)
        require(other not in self.seen)
        self.lead = None
        self.seen.add(other)


@attrs.define
class Nodes:
    """The same, written by hand."""

    on: bool = True
    lead: Node | None = None
    seen: set[Node] = attrs.field(factory=set[Node])
    tries: int = 0

    def do(self, name: str, arguments: tuple[Any, ...]) -> None:
        (node,) = arguments  # of `lose` what the model chose
        self.seen.add(node)
        self.lead = node if name == "elect" else None
        self.tries += name == "elect"


def nodes(show: Callable[[Nodes], object]) -> dict[str, Any]:
    return {"start": Nodes, "step": Nodes.do, "observe": show}


def test_sets_optional_members_choices_and_several_beginnings_are_compared() -> None:
    found = driven(nodes(lambda s: {"on": s.on, "lead": s.lead, "seen": s.seen}), Cluster)
    assert (found.answer, found.reason) == (Answer.HOLDS, "not observed: tries")


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ({"on": 1}, "it begins otherwise: on: model False, implementation 1, a int"),
        ({"lead": Node(0)}, "it begins otherwise: lead: model None, implementation node0"),
        ({"seen": {Node(1)}}, "it begins otherwise: seen[node1]: model False, implementation True"),
        ({"tries[node0, True]": 2}, "it begins otherwise: tries[node0, True]: model 0, implementation 2"),
        ({"lead": "node0"}, "it begins otherwise: lead: model None, implementation 'node0', a str"),
    ],
)
def test_a_difference_names_its_cell_and_both_values(shown: dict[str, object], told: str) -> None:
    assert fails(nodes(lambda _: shown), Cluster).failed == told


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ([], "observe() gives list, and should give a mapping"),
        ({"leed": None}, "observe() shows 'leed', which is no variable; did you mean lead?"),
        ({"zzz": None}, "observe() shows 'zzz', which is no variable; the model has lead, seen, tries, on"),
        ({"seen": 3}, "observe() shows seen as 3: give a set of members, or its cells: 'seen[node0]'"),
        ({"tries": 3}, "observe() shows tries as 3: give a mapping from its keys"),
        ({"tries": {(Node(0), True): 1}}, "observe() shows tries without (node0, False): give every key"),
    ],
)
def test_what_cannot_be_read_is_refused(shown: object, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        drive_beside(Cluster, **nodes(lambda _: shown), settings=FEW)
    assert told in str(caught.value)


# -- async -----------------------------------------------------------------------------------------------------


def asynchronous(wrong: str = "", seen: list[Any] | None = None) -> dict[str, Any]:
    async def start() -> Service:
        if seen is not None:
            seen.append(asyncio.get_running_loop())
            seen.append(asyncio.create_task(asyncio.sleep(3600)))
        return Service(wrong)

    async def step(system: Service, name: str, arguments: tuple[Any, ...]) -> None:
        await asyncio.sleep(0)
        system.do(name, arguments)

    async def observe(system: Service) -> dict[str, object]:
        return system.show()

    return {"start": start, "step": step, "observe": observe}


def test_all_three_may_be_async_with_an_event_loop_for_each_example_and_no_task_left() -> None:
    seen: list[Any] = []
    assert driven(asynchronous(seen=seen), examples=5).answer is Answer.HOLDS
    loops, tasks = seen[::2], seen[1::2]
    assert len(set(map(id, loops))) == len(loops) >= 5
    assert all(loop.is_closed() for loop in loops) and all(task.cancelled() for task in tasks)
    gc.collect()


def test_an_async_implementation_is_refuted_like_any_other() -> None:
    assert "so recorded[effect0]: model True, implementation False" in str(fails(asynchronous("record")))
    assert fails(asynchronous("raises")).failed.startswith("step() raises OSError: the disk is full at ")


def test_an_event_loop_that_is_running_already_is_no_place_for_it() -> None:
    async def inside() -> None:
        drive_beside(EffectLedger, **asynchronous(), settings=FEW)

    with pytest.raises(UsageError, match="drive it from a plain function"):
        asyncio.run(inside())


# -- inside tests ----------------------------------------------------------------------------------------------


def test_fixtures_are_used_by_the_three_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEDGER", "on")
    numbers = itertools.count()

    def start() -> Service:
        system = Service()
        (tmp_path / f"{next(numbers)}").write_text("begun", encoding="utf-8")
        return system

    drive_beside(EffectLedger, **service(start=start), settings=FEW)
    assert len(list(tmp_path.iterdir())) >= 25


def test_assume_in_an_implementation_drops_the_example() -> None:
    def step(system: Service, name: str, arguments: tuple[Any, ...]) -> None:
        assume(name != "settle")
        system.do(name, arguments)

    quiet = settings(FEW, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
    few = settings(quiet, stateful_step_count=8)
    with pytest.warns(NeverTaken, match="examples: settle"):  # what was dropped does not count as taken
        drive_beside(EffectLedger, **service(step=step), swarm=False, settings=few)


def refusing(*_: object) -> None:
    assume(False)


@pytest.mark.parametrize(
    ("told", "how"),
    [
        ({}, {"stateful_step_count": 1}),
        ({"step": refusing}, {"suppress_health_check": list(HealthCheck)}),
        ({}, {"phases": []}),
        ({}, {"phases": [Phase.reuse]}),
    ],
)
def test_where_no_step_was_compared_the_test_is_vacuous_and_neither_passes_nor_is_skipped(
    told: dict[str, Any], how: dict[str, Any]
) -> None:
    with pytest.raises(NothingTried, match="EffectLedger is VACUOUS: no step was compared in ") as stopped:
        drive_beside(EffectLedger, **service(**told), settings=settings(FEW, **how))
    assert stopped.value.answer is Answer.VACUOUS
    with pytest.raises(NothingTried):
        drive_beside(EffectLedger, **service(), path="")


@model
class Scalars:
    """Two counts, neither of them in a map."""

    first: int = var(0)
    second: int = var(0)

    @action
    def one(self) -> None:
        require(self.first < 5)
        self.first += 1

    @action
    def other(self) -> None:
        require(self.second < 5)
        self.second += 1


def test_a_path_is_minimal_though_what_differs_is_no_map() -> None:
    """It counts one too many from the second time on, so the two differ by other values on longer paths."""

    class Counts:
        def __init__(self) -> None:
            self.first = self.second = self.wrong = 0

        def do(self, name: str, _: tuple[Any, ...]) -> None:
            if name == "one":
                self.first += 1
            else:
                self.second += 1
                self.wrong += 1

        def show(self) -> dict[str, object]:
            return {"first": self.first + (self.first if self.wrong > 1 else 0)}

    with pytest.raises(Refuted) as stopped:
        drive_beside(Scalars, start=Counts, step=Counts.do, observe=Counts.show, settings=FEW)
    called = [stopped.value.plan.called[number] for number in stopped.value.trace.actions]
    assert sorted(called) == ["one", "other", "other"]


def test_a_teardown_of_a_subclass_sees_the_system() -> None:
    torn: list[object] = []

    class Mine(beside(EffectLedger, **service())):  # type: ignore[misc]  # a class made at run time
        def teardown(self) -> None:
            torn.append(self.system)

    run_state_machine_as_test(Mine, settings=FEW)
    assert torn and all(isinstance(system, Service) for system in torn)


def test_what_lacks_one_of_the_three_functions_is_no_implementation() -> None:
    with pytest.raises(UsageError, match="--against mine:Half lacks step, observe"):
        implementation(type("Half", (), {"start": down}), "mine:Half")
    module = importlib.import_module("tests.engines.implemented")
    assert implementation(module, "it").name == "it"
    assert driven(attrs.asdict(implementation(module.Whole, "it"), recurse=False)).answer is Answer.HOLDS


def test_a_path_that_is_given_is_taken_beside_too() -> None:
    lifted = lift(EffectLedger)
    path = ["intend(effect1)", "send(effect1)", "record(effect1)", "crash"]
    found = drive(lifted, {Effect: 2}, against=Implementation(**service("record")), path=path)
    refuted = [one for one in found if one.answer is Answer.VIOLATED]
    assert [one.property for one in refuted] == [AGREES]
    assert refuted[0].counterexample is not None and len(refuted[0].counterexample.steps) == 3
