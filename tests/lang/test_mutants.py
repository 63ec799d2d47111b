"""Mutants: one small change each, in the author's words, at the author's line, and read as CPython runs them."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Annotated, Any, TypeVar

import attrs
import pytest

from meshspec import Map, Range, Sort, action, always, each, fault, model, require, var
from meshspec.backends import evaluate, native
from meshspec.backends.certificate import certify
from meshspec.backends.layout import Layout
from meshspec.engines.check import incidents_of
from meshspec.errors import MeshspecError
from meshspec.lang.lift import LiftedModel, lift
from meshspec.lang.mutants import BLOCKED, ROW, SOURCE, Mutant, mutants
from meshspec.lang.outcomes import Blocks
from meshspec.lang.sites import NoSource, body_of
from meshspec.models.environment import CrashAndRestart

_F = TypeVar("_F", bound=Callable[..., Any])
NOTHING: Mapping[str, object] = MappingProxyType({})


def traced(label: str) -> Callable[[_F], _F]:
    """A decorator with an argument, as an author may have one."""

    def around(body: _F) -> _F:
        @functools.wraps(body)
        def inner(*args: Any) -> Any:
            assert label
            return body(*args)

        return inner  # type: ignore[return-value]  # it takes what the body takes

    return around


class Job(Sort): ...


class Mode(Enum):
    IDLE = 0
    BUSY = 1
    DONE = 2


@model
class Desk:
    """Every form of statement that can be changed."""

    limit: int = 3
    mode: Mode = var(Mode.IDLE)
    open: Map[Job, bool] = var(False)
    tries: Annotated[int, Range(-9, 9)] = var(0)
    on: bool = var(True)

    def idle(self) -> None:
        self.mode = Mode.IDLE

    @action
    def take(self, job: Job) -> None:
        """Not `require(self.on)`: a docstring is no statement."""
        require(
            self.on
            and not self.open[job]
            and self.tries < self.limit
        )  # fmt: skip
        self.open[job] = True
        self.tries += 1

    @action
    def choose(self) -> None:
        if self.mode == Mode.IDLE or self.on:
            self.mode = Mode.BUSY
        elif self.tries > 2:
            self.on = False
        else:
            self.idle()

    @fault
    def wipe(self) -> None:
        self.open = each(Job, lambda j: self.open[j] and self.on)

    @always
    def few(self) -> bool:
        return self.tries <= 3


def changes(cls: Any, method: str, level: str = SOURCE) -> list[str]:
    found, _ = mutants(lift(cls))
    return [mutant.change for mutant in found if (mutant.method, mutant.level) == (method, level)]


def one(cls: Any, name: str) -> Mutant:
    found, _ = mutants(lift(cls))
    (mutant,) = [mutant for mutant in found if mutant.name == name]
    return mutant


def stepped(
    changed: LiftedModel, name: str, arguments: tuple[object, ...] = (), start: Mapping[str, object] = NOTHING
) -> Any:
    """What CPython makes of an action of a mutant in the initial state, with some scalars set to other values."""
    layout = Layout(changed, dict.fromkeys(changed.sorts, 1))
    values = layout.decode(next(iter(layout.initial_states())))
    values.update({(key, ()): value for key, value in start.items()})
    lifted = next(a for a in changed.actions if a.name == name)
    return native.run(layout, lifted, values, arguments)


def test_a_guard_over_several_lines_loses_negates_and_joins_its_conjuncts() -> None:
    whole = "self.on and not self.open[job] and self.tries < self.limit"
    assert changes(Desk, "take") == [
        f"without `require( {whole} )`",
        "without `self.on`",
        "`self.on` -> `not self.on`",
        f"`{whole}` -> `self.on or not self.open[job] or self.tries < self.limit`",
        "without `not self.open[job]`",
        "`not self.open[job]` -> `self.open[job]`",
        "without `self.tries < self.limit`",
        "`self.tries < self.limit` -> `self.tries >= self.limit`",
        "`self.tries < self.limit` -> `self.tries <= self.limit`",
        "without `self.open[job] = True`",
        "`self.open[job] = True` -> `self.open[job] = False`",
        "without `self.tries += 1`",
        "`self.tries += 1` -> `self.tries -= 1`",
        "`self.tries += 1` -> `self.tries += 2`",
        "`self.tries += 1` -> `self.tries += 0`",
    ]


def test_branches_are_swapped_an_elif_goes_and_members_and_ints_become_their_neighbours() -> None:
    test = "self.mode == Mode.IDLE or self.on"
    assert changes(Desk, "choose") == [
        f"`{test}` -> `not (self.mode == Mode.IDLE or self.on)`",
        f"`{test}` -> `self.mode == Mode.IDLE and self.on`",
        "`self.mode == Mode.IDLE` -> `self.mode != Mode.IDLE`",
        "without `self.mode = Mode.BUSY`",
        "`self.mode = Mode.BUSY` -> `self.mode = Mode.IDLE`",
        "`self.mode = Mode.BUSY` -> `self.mode = Mode.DONE`",
        "without `elif self.tries > 2: ...`",
        "`self.tries > 2` -> `self.tries <= 2`",
        "`self.tries > 2` -> `self.tries >= 2`",
        "`self.tries > 2` -> `self.tries > 3`",
        "`self.tries > 2` -> `self.tries > 1`",
        "without `self.on = False`",
        "`self.on = False` -> `self.on = True`",
        "without `else: self.idle()`",
    ]


def test_the_body_of_an_each_is_negated_and_a_called_method_is_changed_too() -> None:
    assert "`self.open[j] and self.on` -> `not (self.open[j] and self.on)`" in changes(Desk, "wipe")
    assert "`self.mode = Mode.IDLE` -> `self.mode = Mode.DONE`" in changes(Desk, "idle")


def test_what_was_changed_stands_at_its_line() -> None:
    found, unread = mutants(lift(Desk))
    assert not unread
    for mutant in found:
        if mutant.level == SOURCE:
            line = linecache.getline(str(Path(__file__)), mutant.where.line)
            assert mutant.where.file.endswith("test_mutants.py")
            assert mutant.old.removeprefix("else: ").split()[0] in line, mutant.name
    lines = {mutant.old: mutant.where.line for mutant in found if mutant.level == SOURCE}
    assert lines["self.tries < self.limit"] == lines["self.on"] + 2


def test_names_are_all_different_and_the_same_each_time() -> None:
    first, second = (mutants(lift(Desk))[0] for _ in range(2))
    names = [mutant.name for mutant in first]
    assert len(set(names)) == len(names)
    assert names == [mutant.name for mutant in second]


@model
class Twice:
    on: bool = var(True)
    off: bool = var(False)

    @action
    def both(self) -> None:
        require(self.on)
        if self.off:
            self.on = False
        else:
            self.on = False
            self.off = True


def test_two_changes_that_read_alike_are_told_apart_by_number() -> None:
    names = [mutant.name for mutant in mutants(lift(Twice))[0]]
    assert "both: without `self.on = False`" in names
    assert "both: without `self.on = False` (number 2 that reads so)" in names


@model
class Mixed(CrashAndRestart):
    """Its fault and its hook are from another file."""

    sent: bool = var(False)

    def forget(self) -> None:
        self.sent = False

    @action
    def send(self) -> None:
        require(self.up)
        self.sent = True


def test_methods_of_a_mixin_are_changed_in_its_own_file_and_hooks_in_ours() -> None:
    found, _ = mutants(lift(Mixed))
    files = {mutant.method: Path(mutant.where.file).name for mutant in found if mutant.level == SOURCE}
    assert files == {
        "crash": "environment.py", "recover": "environment.py", "forget": "test_mutants.py", "send": "test_mutants.py"
    }  # fmt: skip
    changed = one(Mixed, "forget: `self.sent = False` -> `self.sent = True`").make()
    assert stepped(changed, "crash").values["sent", ()] is True
    assert stepped(lift(Mixed), "crash").values["sent", ()] is False


@model
class Decorated:
    count: Annotated[int, Range(0, 9)] = var(0)

    @traced("grows")
    @action
    def grow(self) -> None:
        require(self.count < 3)
        self.count += 1


def test_a_decorator_with_arguments_stays_around_the_changed_body() -> None:
    changed = one(Decorated, "grow: `self.count += 1` -> `self.count += 2`").make()
    assert stepped(changed, "grow").values["count", ()] == 2
    assert stepped(lift(Decorated), "grow").values["count", ()] == 1
    (lifted,) = changed.actions
    assert lifted.method.function is not Decorated.grow
    assert lifted.method.where.line == lift(Decorated).actions[0].method.where.line


@model
class Parent:
    a: bool = var(False)
    b: bool = var(False)

    @action
    def go(self) -> None:
        self.a = True


@model
class Child(Parent):
    @action
    def go(self) -> None:
        super().go()
        self.__mark()

    def __mark(self) -> None:
        self.b = True


def test_super_and_private_names_mean_in_a_changed_body_what_they_meant() -> None:
    changed = one(Child, "go: without `self.__mark()`").make()
    values = stepped(changed, "go").values
    assert (values["a", ()], values["b", ()]) == (True, False)
    marked = one(Child, "_Child__mark: `self.b = True` -> `self.b = False`").make()
    assert stepped(marked, "go").values["b", ()] is False


def local_model(start: int) -> Any:
    @model
    class Local:
        n: Annotated[int, Range(0, 9)] = var(0)

        @action
        def jump(self) -> None:
            require(self.n == 0)
            self.n = start

    return Local


def test_a_model_inside_a_function_keeps_what_it_closes_over() -> None:
    model_ = local_model(4)
    changed = one(model_, "jump: without `require(self.n == 0)`").make()
    assert stepped(changed, "jump", (), {"n": 2}).values["n", ()] == 4


@model
class Several:
    picked: Map[Job, bool] = var(False)
    many: Annotated[int, Range(0, 3)] = var(0)

    @action
    def pick(self, jobs: Annotated[tuple[Job, ...], Range(1, 2)]) -> None:
        require(not any(self.picked[job] for job in jobs))
        for job in jobs:
            self.picked[job] = True
        self.many = len(jobs)


def test_a_model_with_a_tuple_parameter_is_changed_like_others() -> None:
    changed = one(Several, "pick: `self.picked[job] = True` -> `self.picked[job] = False`").make()
    (lifted,) = changed.actions
    assert [p.name for p in lifted.parameters] == ["len(jobs)", "jobs[0]", "jobs[1]"]
    assert stepped(changed, "pick", (1, Job(0), Job(0))).values["picked", (Job(0),)] is False


@model
class Inner:
    full: bool = var(False)

    def fill(self) -> None:
        self.full = True

    @property
    def empty(self) -> bool:
        return not self.full


@model
class Outer:
    left: Inner = var()
    right: Inner = var()

    @action
    def fill_left(self) -> None:
        require(self.left.empty and self.right.empty)
        self.left.fill()


def test_a_method_of_one_machine_is_changed_and_that_of_its_twin_is_not() -> None:
    changed = one(Outer, "left.fill: `self.full = True` -> `self.full = False`").make()
    assert stepped(changed, "fill_left").values["left.full", ()] is False
    unused = one(Outer, "right.fill: `self.full = True` -> `self.full = False`").make()
    assert [a.tree for a in unused.actions] == [a.tree for a in lift(Outer).actions]
    closed = one(Outer, "right.empty: `not self.full` -> `self.full`").make()
    assert isinstance(stepped(closed, "fill_left"), Blocks)
    assert not isinstance(stepped(closed, "fill_left", (), {"right.full": True}), Blocks)


@pytest.mark.parametrize("cls", [Desk, Twice, Mixed, Decorated, Child, Several, Outer])
def test_every_mutant_that_is_made_passes_the_certificate(cls: type) -> None:
    """The engine trusts mutants without one: here each is held against CPython, on a few random states."""
    made, lifted = 0, lift(cls)
    for mutant in mutants(lifted)[0]:
        if mutant.level == SOURCE:
            try:
                changed = mutant.make()
            except MeshspecError:
                continue
            again = tuple(action for action in changed.actions if action not in lifted.actions)
            certify(attrs.evolve(changed, actions=again, claims=()), random_states=5)
            made += 1
    assert made > 2


def test_a_change_that_cannot_be_lifted_says_so_when_it_is_made() -> None:
    @model
    class Mailbox:
        mode: Map[Job, Mode] = var(Mode.IDLE)
        tries: Map[Job, int] = var(0)

        @action
        def reset(self) -> None:
            self.mode = each(Job, lambda j: Mode.DONE)
            self.tries = each(Job, lambda j: 0 if self.tries[j] > 1 else self.tries[j] + 1)

    with pytest.raises(MeshspecError, match="mode holds Mode; False is not one"):
        one(Mailbox, "reset: `Mode.DONE` -> `not Mode.DONE`").make()
    assert not [change for change in changes(Mailbox, "reset") if "not (0 if" in change]  # plainly no bool


def test_a_mutant_is_no_incident_of_its_model() -> None:
    before = incidents_of(Mixed)
    kept = [mutant.make() for mutant in mutants(lift(Mixed))[0]]
    assert kept
    assert incidents_of(Mixed) == before


def test_the_original_is_left_as_it_was() -> None:
    lifted = lift(Mixed)
    trees = [action.tree for action in lifted.actions]
    for mutant in mutants(lifted)[0]:
        mutant.make()
    assert [action.tree for action in lifted.actions] == trees
    assert [action.tree for action in lift(Mixed).actions] == trees


def test_a_claim_keeps_the_helper_that_a_mutant_changes() -> None:
    @model
    class Shared:
        n: Annotated[int, Range(0, 9)] = var(0)

        def low(self) -> bool:
            return self.n < 3

        @action
        def grow(self) -> None:
            require(self.low())
            self.n += 1

        @always
        def stays_low(self) -> bool:
            return self.low() or self.n == 3

    changed = one(Shared, "low: `self.n < 3` -> `self.n < 4`").make()
    assert changed.claims[0].tree == lift(Shared).claims[0].tree
    assert changed.actions[0].tree != lift(Shared).actions[0].tree


def test_a_word_reached_through_its_module_and_later_annotations_are_read_too(tmp_path: Path) -> None:
    text = TYPED.replace("require(", "meshspec.require(").replace(
        "\nfrom meshspec", "\nimport meshspec\nfrom meshspec"
    )
    with loaded(tmp_path, "from __future__ import annotations\n" + text) as module:
        found, unread = mutants(lift(module.Typed))
        assert not unread
        assert "stop: without `meshspec.require(self.on)`" in [mutant.name for mutant in found]
        assert "stop: `self.on` -> `not self.on`" in [mutant.name for mutant in found]


# -- sources ---------------------------------------------------------------------------------------------------

TYPED = """
from meshspec import action, model, require, var

@model
class Typed:
    on: bool = var(True)

    @action
    def stop(self) -> None:
        require(self.on)
        self.on = False
"""


@contextmanager
def loaded(folder: Path, text: str) -> Generator[ModuleType]:
    """A module of this text, from a file of its own."""
    path = folder / "edited.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("edited_model", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["edited_model"] = module
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules["edited_model"]


def test_what_was_typed_into_a_shell_has_mutants_of_its_rows_and_says_why() -> None:
    made = ModuleType("typed_into_a_shell")
    sys.modules[made.__name__] = made
    try:
        exec(compile(TYPED, "<ipython-input-0>", "exec"), vars(made))
        found, unread = mutants(lift(made.Typed))
    finally:
        del sys.modules[made.__name__]
    assert {mutant.level for mutant in found} == {ROW}
    assert unread == ["<ipython-input-0>:8: no file holds the source of stop"]


def test_a_file_that_was_changed_since_it_was_loaded_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"
    with loaded(tmp_path, TYPED) as module:
        assert body_of(module.Typed.stop).owner == "Typed"
        path.write_text(TYPED.replace("self.on = False", "self.on = True"), encoding="utf-8")
        linecache.checkcache(str(path))
        with pytest.raises(NoSource, match="no longer says what was loaded as stop: load it again"):
            body_of(module.Typed.stop)
        path.write_text("\n" + TYPED, encoding="utf-8")
        linecache.checkcache(str(path))
        with pytest.raises(NoSource, match="load it again"):
            body_of(module.Typed.stop)


# -- rows ------------------------------------------------------------------------------------------------------


@model
class Rows:
    held: Job | None = var(None)
    n: Annotated[int, Range(0, 9)] = var(0)
    parts: Annotated[int, Range(0, 9)] = var(0)
    on: bool = var(True)

    @action
    def share(self) -> None:
        require(self.parts > 0)
        self.n = 9 // self.parts

    @action
    def grab(self, job: Job) -> None:
        require(self.held is None and self.n < 3)
        self.held = job
        self.on = False

    @action
    def keep(self, job: Job) -> None:
        require(self.held is not None and self.held == job)
        self.on = True


def test_a_row_is_blocked_or_loses_an_update_or_a_condition() -> None:
    assert changes(Rows, "grab", ROW) == [
        f"{BLOCKED} where held is None and n < 3",
        "without `held = job` where held is None and n < 3",
        "without `on = False` where held is None and n < 3",
        "without `n < 3` where held is None and n < 3",
    ]


def test_a_guard_that_keeps_something_defined_is_not_dropped_from_a_row() -> None:
    assert not [change for change in changes(Rows, "share", ROW) if change.startswith("without `parts")]
    assert not [change for change in changes(Rows, "keep", ROW) if change.startswith("without `held is")]


def test_a_row_without_a_condition_is_taken_where_it_was_not() -> None:
    changed = one(Rows, "grab: without `n < 3` where held is None and n < 3").make()
    layout = Layout(changed, {Job: 1})
    before, after = lift(Rows).actions[1], changed.actions[1]
    values = layout.decode(next(iter(layout.initial_states())))
    values["n", ()] = 5
    assert not isinstance(evaluate.run(layout, before, values, (Job(0),)), native.Next)
    assert isinstance(evaluate.run(layout, after, values, (Job(0),)), native.Next)  # a row has no body to run


def test_a_row_mutant_stands_at_the_question_that_it_drops() -> None:
    mutant = one(Rows, "grab: without `n < 3` where held is None and n < 3")
    assert "self.held is None and self.n < 3" in linecache.getline(str(Path(__file__)), mutant.where.line)
