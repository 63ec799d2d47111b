"""refine: every step of a concrete model, as it is seen, is a step of the abstract one or no change."""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from collections.abc import Callable
from enum import Enum
from importlib import resources
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator

from meshspec import (
    Map,
    ModelError,
    Range,
    SetOf,
    Sort,
    action,
    any_of,
    each,
    model,
    refinement,
    require,
    var,
)
from meshspec.answer import Answer, Counterexample, Finding, Strength
from meshspec.backends import native
from meshspec.engines import graph as graphs
from meshspec.engines.check import Answered, was_interrupted
from meshspec.engines.limits import Limits
from meshspec.engines.refine import refine, scope_of_both
from meshspec.engines.seen import Seen
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import lift
from meshspec.lang.refinement import Refinement
from meshspec.report.json import report_object
from meshspec.report.text import lines_of
from tests.models.commits import TransactionCommit, ahead, as_told, blind, hasty_parts, parts
from tests.models.two_phase_commit import Manager, TwoPhase

HOLDS, VIOLATED = Answer.HOLDS, Answer.VIOLATED
UNDETERMINED, VACUOUS = Answer.UNDETERMINED, Answer.VACUOUS


def refined(mapping: Refinement, asked: Any = None, **limits: int) -> Finding:
    concrete, abstract = lift(mapping.concrete), lift(mapping.abstract)
    sizes = scope_of_both(mapping, concrete, abstract, asked or {})
    return refine(mapping, concrete, abstract, sizes, Limits(**limits))


def path_of(finding: Finding) -> Counterexample:
    assert finding.counterexample is not None
    return finding.counterexample


# -- two-phase commit ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("managers", "states"), [(1, 12), (2, 56), (3, 288)])
def test_two_phase_commit_refines_transaction_commit(managers: int, states: int) -> None:
    found = refined(parts, {"Manager": managers})
    assert (found.answer, found.strength, found.states) == (HOLDS, Strength.EXHAUSTIVE, states)
    assert found.property == "refines TransactionCommit by parts"
    moves: Any = found.facts["moves"]
    assert set(moves) == {"prepare", "commit", "abort"}
    assert all(moves.values())
    assert f"of {found.facts['transitions']:,} steps" in found.reason
    assert "safety alone" in found.reason


def test_a_hasty_coordinator_does_not_and_the_first_step_that_does_not_map_is_shown() -> None:
    found = refined(hasty_parts)
    assert found.answer is VIOLATED
    path = path_of(found)
    assert path.actions == ("prepare(manager0)", "hear_prepared(manager0)", "commit", "hear_commit(manager0)")
    assert [step.note for step in path.steps] == [
        "seen as prepare(manager0)", "seen as no change", "seen as no change", ""
    ]  # fmt: skip
    assert path.failed == (
        "the last step is seen as part[manager0] PREPARED -> COMMITTED, which no action of TransactionCommit does; "
        "there it can prepare(manager1), abort(manager0), abort(manager1); "
        "nearest is abort(manager0): part[manager0] PREPARED -> ABORTED"
    )


def test_a_broken_mapping_is_refuted_by_the_step_it_misreads() -> None:
    path = path_of(refined(as_told))
    assert path.actions[-1] == "commit"
    assert len(path.actions) == 5
    assert "part[manager0] PREPARED -> COMMITTED, part[manager1] PREPARED -> COMMITTED" in path.failed


def test_an_initial_state_that_is_seen_as_none_refutes_in_no_step() -> None:
    path = path_of(refined(ahead))
    assert path.steps == ()
    assert path.failed.startswith("the initial state is seen as part[manager0] = PREPARED")
    assert path.failed.endswith("which is no initial state of TransactionCommit")


def test_a_mapping_under_which_nothing_moves_is_vacuous() -> None:
    found = refined(blind)
    assert found.answer is VACUOUS
    assert found.reason.startswith("every step stutters: TransactionCommit is never seen to move")


# -- small models ----------------------------------------------------------------------------------------------


@model
class Clock:
    """An hour at a time."""

    hour: Annotated[int, Range(0, 3)] = var(0)

    @action
    def tick(self) -> None:
        self.hour = (self.hour + 1) % 4

    @action
    def strike(self) -> None:
        require(self.hour == 7)


@model
class Watch:
    """Half an hour at a time; and it can be set back to a full hour."""

    halves: Annotated[int, Range(0, 7)] = var(0)

    @action
    def tick(self) -> None:
        self.halves = (self.halves + 1) % 8

    @action
    def set_back(self) -> None:
        require(self.halves % 2 == 1)
        self.halves -= 1


@refinement(Watch, Clock)
def full_hours(c: Watch, a: Clock) -> None:
    a.hour = c.halves // 2


@model
class Jumps(Watch):
    """It skips an hour once."""

    @action
    def tick(self) -> None:
        self.halves = 7 if self.halves == 3 else (self.halves + 1) % 8


@refinement(Jumps, Clock)
def hours_of_jumps(c: Jumps, a: Clock) -> None:
    a.hour = c.halves // 2


def test_half_hours_refine_hours_and_what_no_step_is_seen_as_is_said() -> None:
    found = refined(full_hours)
    assert found.answer is HOLDS
    assert found.reason.startswith("up to stuttering (8 of 12 steps)")
    assert found.reason.endswith("no step is seen as strike")


def test_a_step_that_skips_an_abstract_state_is_refuted() -> None:
    path = path_of(refined(hours_of_jumps))
    assert path.actions == ("tick", "tick", "tick", "tick")
    assert (
        "hour 1 -> 3, which no action of Clock does; there it can tick; nearest is tick: hour 1 -> 2" in path.failed
    )


@model
class Long:
    n: Annotated[int, Range(0, 7)] = var(0)

    @action
    def tick(self) -> None:
        require(self.n < 7)
        self.n += 1


@refinement(Long, Clock)
def too_many_hours(c: Long, a: Clock) -> None:
    a.hour = c.n


def test_a_state_seen_outside_a_range_of_the_abstract_model_refutes() -> None:
    path = path_of(refined(too_many_hours))
    assert len(path.actions) == 4
    assert path.failed == "the last step is seen as hour 3 -> 4, and hour leaves its Range"


@model
class Unbounded(Clock):
    """It leaves its own Range."""

    @action
    def tick(self) -> None:
        self.hour += 1


@refinement(Long, Unbounded)
def too_long(c: Long, a: Unbounded) -> None:
    a.hour = c.n


def test_a_step_by_which_the_abstract_model_leaves_its_range_is_none_to_be_seen_as() -> None:
    path = path_of(refined(too_long))
    assert len(path.actions) == 4
    assert path.failed == "the last step is seen as hour 3 -> 4, and hour leaves its Range"


@model
class Anywhere(Watch):
    halves: Annotated[int, Range(0, 7)] = var(any_of(0, 2, 4))


@model
class TwoStarts(Clock):
    hour: Annotated[int, Range(0, 3)] = var(any_of(0, 1))


@refinement(Anywhere, TwoStarts)
def starts(c: Anywhere, a: TwoStarts) -> None:
    a.hour = c.halves // 2


def test_every_initial_state_must_be_seen_as_one() -> None:
    path = path_of(refined(starts))
    assert (path.initial, path.steps) == ({"halves": "4"}, ())
    assert "hour = 2" in path.failed


@model
class Still(Watch):
    @action
    def tick(self) -> None:
        require(self.halves > 7)

    @action
    def set_back(self) -> None:
        require(self.halves > 7)


@refinement(Still, Clock)
def still_hours(c: Still, a: Clock) -> None:
    a.hour = c.halves


def test_a_model_without_a_step_is_vacuous() -> None:
    found = refined(still_hours)
    assert (found.answer, found.reason.partition(":")[0]) == (VACUOUS, "the model takes no step")


@model
class Overflows(Watch):
    @action
    def tick(self) -> None:
        self.halves = self.halves + 1


@refinement(Overflows, Clock)
def overflowing(c: Overflows, a: Clock) -> None:
    a.hour = c.halves // 2 % 4


def test_where_the_concrete_model_leaves_a_range_nothing_holds() -> None:
    found = refined(overflowing)
    assert found.answer is UNDETERMINED
    assert "'halves stays in 0..7' is left after tick" in found.reason
    assert "explore" in found.settles


def test_a_search_that_was_cut_is_undetermined_and_a_step_that_does_not_map_refutes_all_the_same() -> None:
    cut = refined(full_hours, max_states=5)
    assert (cut.answer, cut.reason) == (UNDETERMINED, "cut off by --max-states of 5")
    assert cut.known == "every step mapped so far: 2 steps and 4 stutters"
    assert refined(hours_of_jumps, max_states=5).answer is VIOLATED


def test_ctrl_c_and_the_end_of_memory_leave_it_undetermined(monkeypatch: pytest.MonkeyPatch) -> None:
    see, asked = Seen.__call__, 0

    def stops(self: Seen, state: Any, way: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == 4:
            raise error
        return see(self, state, way)

    monkeypatch.setattr(Seen, "__call__", stops)
    for error, reason in ((KeyboardInterrupt, "interrupted"), (MemoryError, "cut off by the end of memory")):
        asked = 0
        found = refined(full_hours)
        assert (found.answer, found.reason) == (UNDETERMINED, reason)
        assert was_interrupted([found]) == (error is KeyboardInterrupt)
    monkeypatch.setattr(Seen, "__call__", see)

    def presses_ctrl_c() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(graphs, "memory_now", presses_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        presses_ctrl_c()
    assert refined(full_hours).reason == "interrupted"


# -- sorts, sets, optionals ------------------------------------------------------------------------------------


class Account(Sort):
    """What a manager has, in a model that knows no managers."""


class Mood(Enum):
    CALM = 0
    BUSY = 1


@model
class Bank:
    opened: SetOf[Account] = var()
    last: Account | None = var(None)
    mood: Mood = var(Mood.CALM)
    links: Map[tuple[Account, Account], bool] = var(False)

    @action
    def open(self, x: Account) -> None:
        require(x not in self.opened)
        self.opened.add(x)
        self.last = x
        self.mood = Mood.BUSY
        self.links[x, x] = True


@model
class Office:
    desks: Map[Manager, bool] = var(False)
    last: Manager | None = var(None)

    @action
    def sit(self, m: Manager) -> None:
        require(not self.desks[m])
        self.desks[m] = True
        self.last = m


@refinement(Office, Bank, sorts={Account: Manager})
def accounts(c: Office, a: Bank) -> None:
    for m in Manager:
        if c.desks[m]:
            a.opened.add(Account(m.index))
        for n in Manager:
            a.links[Account(m.index), Account(n.index)] = m is n and c.desks[m]
    a.last = None if c.last is None else Account(c.last.index)
    a.mood = Mood.BUSY if any(c.desks[m] for m in Manager) else Mood.CALM


def test_sorts_may_be_paired_and_sets_start_empty() -> None:
    found = refined(accounts, {"Manager": 3})
    assert found.answer is HOLDS
    assert found.scope == {"Manager": 3, "Account": 3}
    assert found.facts["stutters"] == 0


def test_a_scope_names_sorts_that_are_there_and_paired_ones_by_their_partner() -> None:
    for asked, message in (
        ({"Clerk": 2}, "--scope Clerk=2: accounts ranges over Manager"),
        ({"Account": 2}, "--scope Account=2: accounts ranges over Manager"),
    ):
        with pytest.raises(UsageError, match=message):
            refined(accounts, asked)


class There:
    class Manager(Sort):
        """Another one."""


@model
class Elsewhere:
    here: Map[There.Manager, bool] = var(False)

    @action
    def come(self, m: There.Manager) -> None:
        self.here[m] = True


def test_two_sorts_of_one_name_are_not_taken_for_one() -> None:
    @refinement(Office, Elsewhere)
    def same_name(c: Office, a: Elsewhere) -> None: ...

    with pytest.raises(UsageError, match="each have a sort Manager, and they are not the same"):
        refined(same_name)


def test_a_partner_that_is_no_sort_of_the_concrete_model_is_refused() -> None:
    @refinement(Watch, Bank, sorts={Account: Manager})
    def of_nobody(c: Watch, a: Bank) -> None: ...

    with pytest.raises(UsageError, match=r"sorts=\{Account: Manager\}: Watch has no Manager"):
        refined(of_nobody)


# -- mappings that give no state -------------------------------------------------------------------------------

calls = itertools.count()


def _forgets(c: Office, a: Bank) -> None:
    mood = a.mood
    accounts.mapping(c, a)
    a.mood = mood


def _forgets_one_entry(c: TwoPhase, a: TransactionCommit) -> None:
    a.part[Manager(0)] = c.part[Manager(0)]


def _raises(c: Watch, a: Clock) -> None:
    a.hour = [0, 0, 1][c.halves]


def _exits(c: Watch, a: Clock) -> None:
    a.hour = 0
    sys.exit(0)


def _ends_the_process(c: Watch, a: Clock) -> None:
    a.hour = 0
    os._exit(0)


def _unknown(c: Watch, a: Clock) -> None:
    a.minute = c.halves  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]  # the point


def _wrong_type(c: Watch, a: Clock) -> None:
    a.hour = None  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]  # that is the point


def _wrong_key(c: TwoPhase, a: TransactionCommit) -> None:
    a.part[0] = c.part[Manager(0)]  # type: ignore[index]  # pyright: ignore[reportArgumentType]  # that is the point


def _unhashable(c: TwoPhase, a: TransactionCommit) -> None:
    a.part[[]] = c.part[Manager(0)]  # type: ignore[index]  # pyright: ignore[reportArgumentType]  # that is the point


def _beyond(c: Office, a: Bank) -> None:
    accounts.mapping(c, a)
    a.last = Account(5)


def _returns(c: Watch, a: Clock) -> None:
    a.hour = c.halves // 2
    return a  # type: ignore[return-value]  # pyright: ignore[reportReturnType]  # that is the point


def _changes(c: Watch, a: Clock) -> None:
    c.halves = 0
    a.hour = 0


def _requires(c: Watch, a: Clock) -> None:
    require(c.halves == 0)
    a.hour = 0


def _forgetful_memory(c: Watch, a: Clock) -> None:
    a.hour = next(calls) % 2


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (_forgets, "_forgets leaves mood as it was, or makes it depend on something else than the concrete state"),
        (_forgets_one_entry, "_forgets_one_entry leaves part[manager1] as it was"),
        (_raises, "_raises raises IndexError: list index out of range, after tick, tick, tick"),
        (_exits, "_exits raises SystemExit: 0, after no step"),
        (
            _ends_the_process,
            "_ends_the_process raises SystemExit: os._exit(0): a model's file may not end the process",
        ),
        (_unknown, "Clock has no variable 'minute'; its variables are hour"),
        (_wrong_type, "hour is int; None is not one"),
        (_wrong_key, "part[0]: the key must be Manager"),
        (_unhashable, "part[[]]: the key must be Manager"),
        (_beyond, "_beyond gives last the value account5, after no step; Account has 2 members here"),
        (_returns, "_returns returns nothing: it assigns the variables of its second argument"),
        (_changes, "_changes changes the concrete state: it may only look at it"),
        (_requires, "_requires uses require: a mapping sees every state"),
        (_forgetful_memory, "_forgetful_memory leaves hour as it was, or makes it depend on something else"),
    ],
)
def test_a_mapping_that_gives_no_state_is_refused_with_its_line(
    mapping: Callable[[Any, Any], None], message: str
) -> None:
    hints: dict[str, Any] = {k: globals()[v] for k, v in mapping.__annotations__.items() if v != "None"}
    sorts: dict[type[Sort], type[Sort]] = {Account: Manager} if hints["a"] is Bank else {}
    given = refinement(hints["c"], hints["a"], sorts=sorts)(mapping)
    with pytest.raises(ModelError, match=r"test_refine\.py:\d+: .*" + re.escape(message)) as error:
        refined(given)
    where = error.value.where
    assert where is not None
    first = mapping.__code__.co_firstlineno
    assert first <= where.line <= max(line or 0 for _, _, line in mapping.__code__.co_lines())


def _takes_one(c: Watch) -> None: ...


def _decorates(concrete: Any, abstract: Any, mapping: Any = full_hours.mapping, **more: Any) -> Any:
    return refinement(concrete, abstract, **more)(mapping)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: _decorates(Watch, int), "@refinement relates two models, and <class 'int'> is none"),
        (lambda: _decorates(3, Clock), "@refinement relates two models, and 3 is none"),
        (lambda: _decorates(Watch(), Clock), "is none (give the class; constants are chosen in a subclass)"),
        (
            lambda: _decorates(Watch, Clock, sorts={Account: 3}),
            "sorts pairs sorts, {Account: Manager}, and 3 is none",
        ),
        (lambda: _decorates(Watch, Clock, "hours"), "@refinement marks a function, not 'hours'"),
        (
            lambda: _decorates(Watch, Clock, _takes_one),
            "takes a concrete and an abstract state: def _takes_one(c: Watch, a: Clock) -> None",
        ),
    ],
)
def test_what_is_no_refinement_is_refused_where_it_stands(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ModelError, match=r"test_refine\.py:\d+: .*" + re.escape(message)):
        make()


# -- what is shown is run first, and reads as an argument --------------------------------------------------------


def test_an_abstract_step_that_cpython_takes_after_all_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    run = native.run

    def takes(layout: Any, lifted: Any, values: Any, arguments: Any) -> Any:
        if lifted.name == "tick" and layout.model.name == "Clock":
            return native.Next({("hour", ()): 3})
        return run(layout, lifted, values, arguments)

    monkeypatch.setattr(native, "run", takes)
    with pytest.raises(Disagreement, match="on CPython tick does what hours_of_jumps needs"):
        refined(hours_of_jumps)


def test_a_concrete_step_that_cpython_does_not_take_is_our_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    run = native.run

    def stays(layout: Any, lifted: Any, values: Any, arguments: Any) -> Any:
        return native.Next(values) if layout.model.name == "Jumps" else run(layout, lifted, values, arguments)

    monkeypatch.setattr(native, "run", stays)
    with pytest.raises(Disagreement, match="step 1 leads to the same state"):
        refined(hours_of_jumps)


def test_it_reads_as_an_argument_and_the_json_is_valid() -> None:
    found = [refined(one) for one in (hasty_parts, blind, full_hours)]
    lines = lines_of(Answered(found[0], (found[0],)))
    assert lines[0].startswith(
        "VIOLATED      refines TransactionCommit by hasty_parts  in 4 steps (shortest, refine)"
    )
    assert any("heard[manager0] False -> True; seen as no change" in line for line in lines)
    assert any("stated at tests/models/commits.py:" in line for line in lines)
    report = report_object([Answered(f, (f,)) for f in found], seed=0, exit_code=1, notes=[])
    schema = json.loads((resources.files("meshspec.report") / "schema.json").read_text(encoding="utf-8"))
    validator: Any = Draft202012Validator(schema)
    assert not list(validator.iter_errors(report))


def test_progress_is_told_and_wiped() -> None:
    told: list[str] = []
    refine(full_hours, lift(Watch), lift(Clock), {}, progress=told.append)
    assert told[0].startswith("refine Watch: ")
    assert told[-1] == ""


def test_a_mapping_looks_at_a_whole_map_with_each() -> None:
    @refinement(TwoPhase, TransactionCommit)
    def prepared(c: TwoPhase, a: TransactionCommit) -> None:
        a.part = each(Manager, lambda m: c.part[m])

    assert refined(prepared).answer is HOLDS
