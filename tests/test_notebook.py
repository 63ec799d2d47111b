"""The notebook's door: it asks what the command line asks, walks without widgets too, and its notebook runs."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, cast

import nbclient
import nbformat
import pytest

from meshspec import Range, action, model, require, var
from meshspec import notebook as nb
from meshspec.answer import Answer
from meshspec.display import html_of
from meshspec.errors import Disagreement, LiftError, ModelError, UsageError
from meshspec.lang.fences import Fenced, present, watching
from meshspec.lang.places import number_cells, shown
from meshspec.notebook.walker import MOST_BUTTONS
from meshspec.report.checked import checked
from tests.readme import BLOCK, README
from tests.report.showing import charging, desk, read, shown_in_readme, words
from tests.tree import ROOT


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration but one that a test writes."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


# -- asking ----------------------------------------------------------------------------------------------------


def test_check_says_what_the_command_line_says() -> None:
    found, usual = nb.check(charging()), checked(charging())
    assert [line for line in found.lines() if line in usual.lines()] == usual.lines()
    assert any("12 of 38 mutants tried" in note for note in found.notes)
    assert found.of("charged_at_most_once").answer.answer is Answer.VIOLATED


def test_a_scope_is_given_by_name_or_by_the_sort_itself() -> None:
    job = shown_in_readme("charging.py").Job
    assert nb.explore(charging(), scope={"Job": 1}).scope == {"Job": 1}
    assert nb.explore(charging(), scope={job: 1}).scope == {"Job": 1}
    with pytest.raises(UsageError, match="Charging ranges over Job"):
        nb.explore(charging(), scope={"Jobs": 1})


def test_each_engine_is_asked_by_its_name() -> None:
    asked = {
        "explore": nb.explore(charging()),
        "live": nb.live(desk()),
        "prove": nb.prove(charging()),
        "simulate": nb.simulate(charging(), seed=1),
        "drive": nb.drive(charging(), examples=5, seed=1),
    }
    for engine, found in asked.items():
        assert engine in {finding.engine for one in found.answered for finding in one.findings}


def test_a_bound_a_strength_and_a_fault_that_are_asked_for_count() -> None:
    cut = nb.explore(charging(), max_states=3)
    assert cut.of("charged_and_noted").answer.answer is Answer.UNDETERMINED
    weak = nb.explore(charging(), require="proved")
    assert weak.of("no action raises").answer.answer is Answer.UNDETERMINED
    assert nb.explore(charging(), without=["crash"]).of("charged_at_most_once").answer.answer is Answer.HOLDS
    with pytest.raises(UsageError, match="require='sure': write 'proved' or 'exhaustive'"):
        nb.explore(charging(), require="sure")


def test_a_fault_that_never_strikes_is_vacuous_here_as_well() -> None:
    class_ = shown_in_readme("charging.py")
    assert nb.check(class_.Charging).of("every fault strikes").answer.answer is Answer.HOLDS
    alone = nb.explore(desk(), scope={"Draft": 1})
    assert alone.of("every action fires").answer.answer is Answer.HOLDS
    assert nb.explore(desk(), max_states=1).of("every action fires").answer.answer is not Answer.HOLDS


def test_what_the_project_asks_for_counts_where_the_call_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.meshspec]\nscope = { Job = 1, Effect = 3 }\nengines = ["explore"]\nwithout = ["crash", "flood"]\n'
    )
    found = nb.check(charging())
    assert (found.scope, found.asked.engines, found.asked.taken) == ({"Job": 1}, ("explore",), ("crash",))
    assert nb.check(charging(), scope={"Job": 2}, without=()).scope == {"Job": 2}
    assert nb.graph(charging()).layout.scope_names == {"Job": 1}


@pytest.mark.parametrize(
    ("day", "told"), [("2026-11-29", "waived until 2026-12-31 by me: not yet"), ("2027-01-01", "excuses nothing")]
)
def test_what_the_project_waives_is_shown_with_its_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, day: str, told: str
) -> None:
    monkeypatch.setenv("MESHSPEC_TODAY", day)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.meshspec]\n[[tool.meshspec.waivers]]\nmodel = "Charging"\nproperty = "charged_at_most_once"\n'
        'owner = "me"\nreason = "not yet"\nexpires = 2026-12-31\n'
        '[[tool.meshspec.waivers]]\nmodel = "Desk"\nproperty = "other"\nowner = "me"\nreason = "x"\n'
        "expires = 2026-12-31\n"
    )
    found = nb.explore(charging())
    text = read(html_of(found))
    assert told in text
    assert "VIOLATED charged_at_most_once in 3 steps" in text
    assert found.of("charged_at_most_once").answer.waived is (day < "2027")
    assert "Desk" not in text


def test_graph_coverage_mutate_model_and_agreement_are_at_the_door() -> None:
    assert len(nb.graph(charging(), scope={"Job": 1}).states) == 7
    assert nb.graph(charging(), max_states=2).cut
    assert nb.coverage(charging()).states == 49
    report = nb.mutate(charging(), cap=3, seed=1)
    assert (len(report.runs), report.total) == (3, 38)
    with pytest.raises(UsageError, match="cap=0: try at least one mutant"):
        nb.mutate(charging(), cap=0)
    assert nb.model(charging()).name == "Charging"
    assert nb.agreement(nb.check(charging())).compared == 2


def test_a_bundle_is_written_for_each_counterexample_and_for_nothing_else(tmp_path: Path) -> None:
    written = nb.explore(charging()).bundle(tmp_path / "found")
    assert written
    assert all(path.is_file() for path in written)
    assert nb.explore(charging(), without=["crash"]).bundle(tmp_path / "none") == []
    assert not (tmp_path / "none").exists()


def test_messages_name_the_cells_of_a_notebook_by_their_numbers() -> None:
    numbers: dict[str, object] = {"/tmp/ipykernel_1/2.py": 7}
    number_cells(numbers)
    try:
        assert shown("/tmp/ipykernel_1/2.py") == "In[7]"
        numbers["/tmp/ipykernel_1/3.py"] = 8
        assert shown("/tmp/ipykernel_1/3.py") == "In[8]"
        assert shown("/elsewhere.py") == "/elsewhere.py"
    finally:
        number_cells({})


# -- walking ---------------------------------------------------------------------------------------------------


def labels(walker: nb.Walker) -> list[str]:
    return [button.description for button in walker.box.children[1].children]


def press(walker: nb.Walker, label: str) -> None:
    every = [*walker.box.children[1].children, *walker.box.children[2].children]
    next(button for button in every if button.description == label).click()


def test_buttons_walk_back_and_begin_again() -> None:
    walker = nb.walk(charging(), scope={"Job": 1})
    assert labels(walker) == ["charge(job0)", "crash"]
    press(walker, "charge(job0)")
    press(walker, "crash")
    press(walker, "charge(job0)")
    assert walker.path == "charge(job0),crash,charge(job0)"
    assert walker.box.children[3].value == walker.path
    assert "false now: charged_at_most_once" in read(walker.box.children[0].value)
    assert labels(walker) == ["note(job0)", "crash"]
    press(walker, "back")
    assert walker.path == "charge(job0),crash"
    press(walker, "reset")
    assert walker.path == ""
    assert [button.disabled for button in walker.box.children[2].children] == [True, True]


def test_a_button_pressed_twice_says_why_it_cannot_be() -> None:
    walker = nb.walk(charging(), scope={"Job": 1})
    old = walker.box.children[1].children[0]
    old.click()
    old.click()
    assert walker.path == "charge(job0)"
    assert "charge(job0) is not enabled" in walker.box.children[-1].value
    press(walker, "note(job0)")
    assert len(walker.box.children) == 4, "and no longer once another step was taken"


def test_without_widgets_it_walks_by_methods_and_shows_text_and_html(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    walker = nb.walk(charging(), scope={"Job": 1}).take("charge(job0)").take(2)
    assert walker.box is None
    shown_ = cast(Any, walker)._repr_mimebundle_()
    assert set(shown_) == {"text/plain", "text/html"}
    assert shown_["text/plain"] == repr(walker)
    assert "2. crash  " in repr(walker)
    assert "enabled: charge(job0), crash" in repr(walker)
    assert "1. charge(job0)" in read(shown_["text/html"])
    assert walker.back().path == "charge(job0)"
    assert walker.reset(1).path == ""
    assert list(walker.take(1).to_dataframe()["action"]) == ["", "charge(job0)"]


def test_a_step_that_is_not_enabled_and_a_start_that_there_is_not_are_refused() -> None:
    walker = nb.walk(charging(), scope={"Job": 1})
    with pytest.raises(UsageError, match=r"note\(job0\) is not enabled: `self.in_hand\[j\]` is false"):
        walker.take("note(job0)")
    with pytest.raises(UsageError, match="there is no step to go back"):
        walker.back()
    with pytest.raises(UsageError, match="there is no initial state 3"):
        nb.walk(charging(), start=3)


def test_a_bug_of_ours_is_told_beside_the_buttons(monkeypatch: pytest.MonkeyPatch) -> None:
    walker = nb.walk(charging(), scope={"Job": 1})

    def wrong(*_: object) -> None:
        raise Disagreement("lifted it is one thing, on CPython another")

    monkeypatch.setattr(walker.walk, "_run", wrong)
    press(walker, "crash")
    assert walker.box.children[-1].value == "BUG of meshspec: lifted it is one thing, on CPython another"
    with pytest.raises(Disagreement):
        walker.take("crash")


def test_of_very_many_actions_the_rest_is_counted() -> None:
    walker = nb.walk(charging(), scope={"Job": 60})
    assert len(walker.box.children[1].children) == MOST_BUTTONS + 1
    assert walker.box.children[1].children[-1].value == "… and 21 more, with .take(...)"


def test_steps_and_starts_are_counted_from_one_as_the_terminal_counts_them() -> None:
    walker = nb.walk(charging(), scope={"Job": 1}, start=1)
    assert walker.take(1).path == "charge(job0)"
    for number in (0, -1, 9):
        with pytest.raises(UsageError, match=f"there is no action {number}: 2 are enabled, counted from 1"):
            walker.take(number)
        with pytest.raises(UsageError, match=f"there is no initial state {number}: there are 1, counted from 1"):
            walker.reset(number)
    with pytest.raises(UsageError, match="there is no initial state 0"):
        nb.walk(charging(), start=0)


def test_what_is_false_names_its_claim_once() -> None:
    walker = nb.walk(charging(), scope={"Job": 1}).take("charge(job0)").take("crash").take("charge(job0)")
    assert repr(walker).count("charged_at_most_once") == 1
    assert read(html_of(walker.walk)).count("charged_at_most_once") == 1


# -- a body that does not come back, or prints -----------------------------------------------------------------


@model
class Endless:
    n: int = var(0)

    @action
    def go(self) -> None:
        while True:
            pass


@model
class Counting:
    n: int = var(0)

    @action
    def go(self) -> None:
        while self.n < 10:
            self.n += 1


@model
class Chatty:
    n: Annotated[int, Range(0, 2)] = var(0)

    @action
    def up(self) -> None:
        require(self.n < 2)
        print("hello")
        self.n += 1


DOORS = (nb.check, nb.drive, nb.model, nb.graph, nb.coverage, nb.mutate, nb.walk)


@pytest.mark.parametrize("door", DOORS)
def test_no_door_runs_a_body_that_does_not_come_back_for_ever(door: Any) -> None:
    with watching(0.2), pytest.raises(Fenced, match=r"test_notebook\.py:\d+: it did not come back in 0.2 s"):
        door(Endless)


@pytest.mark.parametrize("door", DOORS)
def test_every_door_puts_up_fences_of_its_own(door: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    up: list[bool] = []

    def certified(_: object) -> object:
        up.append(present() is not None)
        raise UsageError("seen")

    monkeypatch.setattr(nb, "certified", certified)
    with pytest.raises(UsageError, match="seen"):
        door(Chatty)
    assert up == [True]
    assert present() is None


def test_a_loop_that_counts_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(LiftError, match="asks more than 128 questions, the last of them here: bound"):
        nb.check(Counting)


def test_what_a_body_prints_is_kept_apart_and_told(capfd: pytest.CaptureFixture[str]) -> None:
    class Stream(io.StringIO):
        def write(self, text: str, /) -> int:
            return super().write(text) if type(text) is str else 0

    for name in ("stdout", "stderr"):
        mine = Stream()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, name, mine)
            vars(Chatty).get("_meshspec_certified", {}).clear()
            found = nb.explore(Chatty)
        assert mine.getvalue() == ""
        assert found.of("no action raises").answer.answer is Answer.HOLDS
        assert any("kept apart: 'hello" in note for note in found.notes)
    assert capfd.readouterr().out == ""


# -- what was defined again, and what a slip shows -------------------------------------------------------------

TINY = """
from meshspec import Map, Sort, action, always, forall, model, require, var
from meshspec import notebook as nb
class Job(Sort): ...
@model
class Tiny:
    done: Map[Job, bool] = var(False)
    @action
    def do(self, j: Job) -> None:
        require(not self.done[j])
        self.done[j] = True
    @always
    def fine(self) -> bool:
        return forall(Job, lambda j: not self.done[j])
"""


def test_a_sort_that_was_defined_again_after_its_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = ModuleType("a_cell")
    monkeypatch.setitem(sys.modules, "a_cell", cell)
    held: Any = vars(cell)
    exec(compile(TINY, "cell.py", "exec"), held)
    assert nb.explore(held["Tiny"]).of("fine").answer.answer is Answer.VIOLATED
    exec("class Job(Sort): ...", held)
    again = "Job was defined again after Tiny: run the cell that defines Tiny again"
    for door in cast("tuple[Any, ...]", DOORS):
        more = {} if door is nb.model else {"scope": {held["Job"]: 1}}
        with pytest.raises(ModelError, match=again):
            door(held["Tiny"], **more)
    exec(compile(TINY, "cell.py", "exec"), held)
    assert nb.explore(held["Tiny"]).of("fine").answer.answer is Answer.VIOLATED


def test_a_slip_shows_its_own_line_and_the_message_and_none_of_our_lines() -> None:
    with pytest.raises(UsageError) as caught:
        nb.explore(charging(), scope={"Jobs": 1})
    shown_: list[str] = cast(Any, caught.value)._render_traceback_()
    assert shown_[-1].startswith("UsageError: ")
    assert len(shown_) == 2
    assert re.search(r'test_notebook\.py:\d+: nb\.explore\(charging\(\), scope={"Jobs": 1}\)$', shown_[0])
    assert not hasattr(Disagreement("x"), "_render_traceback_"), "a bug of ours is shown whole"


# -- a graph ---------------------------------------------------------------------------------------------------


def test_a_graph_that_is_too_large_to_be_looked_at_is_cut_and_says_that_nothing_is_drawn() -> None:
    text = words(str(nb.graph(charging(), scope={"Job": 6})))
    assert f"(cut off by max_states of {nb.GRAPH_STATES:,})" in text
    assert f"not drawn: {nb.GRAPH_STATES:,} states are more than the 60" in text
    assert "max_states=... for more of them" in text
    assert "meshspec show" not in text
    assert "drawn where HTML is shown" in words(str(nb.graph(charging(), scope={"Job": 1})))


# -- models in cells -------------------------------------------------------------------------------------------


def test_models_typed_into_cells_are_checked_mutated_and_stated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    source = next(m["body"] for m in BLOCK.finditer(README.read_text("utf-8")) if m["note"] == "file: charging.py")
    weaker = source.replace("not self.in_hand[j] and not self.noted[j]", "not self.in_hand[j]")
    cells = [
        "from meshspec import notebook as nb",
        source,
        'print("\\n".join(nb.check(Charging).lines()))',
        weaker,
        'print("\\n".join(nb.check(Charging).lines()))',
        "print(nb.mutate(Charging, cap=2).unread, nb.coverage(Charging).unread)",
    ]
    typed = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])  # type: ignore[no-untyped-call]
    nbclient.NotebookClient(typed, timeout=120, kernel_name="python3").execute()
    first, second, third = (typed.cells[at].outputs[0].text for at in (2, 4, 5))
    assert "1. charge(job0)" in first
    assert "2. crash " in first
    assert "stated at In[2]:34" in first
    assert "2. note(job0)" in second, "the class was stated anew, and the new one is checked"
    assert "stated at In[4]:34" in second
    assert "replay" not in first, "no command line reaches it"
    assert words(nb.NAMELESS) in words(first)
    assert third.strip() == "() ()", "their source was found"
