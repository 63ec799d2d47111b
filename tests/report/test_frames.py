"""Tables of pandas: plain values, one fact a cell; and a clear word where pandas is not installed."""

from __future__ import annotations

import sys

import attrs
import pandas
import pytest

from meshspec import scope
from meshspec.answer import Counterexample, Step
from meshspec.backends.certificate import certified
from meshspec.display import html_of
from meshspec.engines import graph
from meshspec.errors import UsageError
from meshspec.report.frames import plain
from meshspec.report.html_tables import entries
from tests.report.showing import charging, desk, everything, refuted, shown_in_readme, sizes
from tests.report.test_html import EVERYTHING


@pytest.mark.parametrize("what", EVERYTHING)
def test_everything_that_shows_itself_is_also_a_table(what: str) -> None:
    made = everything()[what].to_dataframe()
    assert isinstance(made, pandas.DataFrame)
    assert len(made) > 0
    assert made.equals(everything()[what].to_dataframe())


def test_a_check_is_a_row_a_property_with_its_one_answer() -> None:
    made = refuted().to_dataframe().set_index("property")
    assert list(made.index) == [one.answer.property for one in refuted().answered]
    bad = made.loc["charged_at_most_once"].to_dict()
    assert (bad["answer"], bad["steps"]) == ("VIOLATED", 3)
    assert bad["path"] == "charge(job0), crash, charge(job0)"
    assert bad["replay"] == refuted().of("charged_at_most_once").answer.replay
    assert made.loc["no action raises", "strength"] == "every size"


def test_a_check_without_an_answer_is_a_table_without_a_row() -> None:
    made = attrs.evolve(refuted(), answered=(), bug="x").to_dataframe()
    assert len(made) == 0
    assert "answer" in made.columns


def test_an_answer_is_a_row_for_each_engine_that_spoke() -> None:
    made = refuted().of("charged_at_most_once").to_dataframe()
    assert dict(zip(made["engine"], made["answer"], strict=True)) == {
        "explore": "VIOLATED",
        "prove": "UNDETERMINED",
        "simulate": "VIOLATED",
    }


def test_a_path_is_the_whole_state_after_each_step_in_plain_values() -> None:
    made = everything()["a counterexample"].to_dataframe()
    assert list(made["action"]) == ["", "charge(job0)", "crash", "charge(job0)"]
    assert list(made["charges[job0]"]) == [0, 1, 1, 2]
    assert list(made["in_hand[job0]"]) == [False, True, False, True]
    assert made["charges[job0]"].dtype == "int64"
    assert made["in_hand[job0]"].dtype == "bool"
    assert made.equals(everything()["a walk"].to_dataframe()), "the walk went the same way"


def test_a_variable_that_is_called_like_a_column_of_ours_is_told_apart() -> None:
    made = Counterexample({"action": "0", "note": "1"}, (Step("go", {"action": ("0", "2")}),), "").to_dataframe()
    assert list(made["action"]) == ["", "go"]
    assert list(made["self.action"]) == [0, 2]


def test_a_state_graph_is_a_row_for_each_step_and_for_each_state_without_one() -> None:
    made = everything()["a state graph"].to_dataframe()
    assert len(made) == everything()["a state graph"].steps
    assert made["state"].nunique() == 49
    ends = graph.build(certified(desk()), sizes(desk()))
    ends.actions, ends.targets, ends.first = ends.actions[:0], ends.targets[:0], ends.first[:1]
    assert list(ends.to_dataframe()["next"].isna()) == [True] * 9


def test_a_graph_of_any_number_of_states_is_a_table_though_it_is_not_drawn() -> None:
    model = charging()
    built = graph.build(certified(model), sizes(model, Job=3))
    assert "not drawn" in html_of(built)
    assert built.to_dataframe()["state"].nunique() == len(built.states) == 343


def test_a_kill_matrix_has_a_row_for_each_mutant_and_a_column_for_each_property() -> None:
    report = everything()["a kill matrix"]
    made = report.to_dataframe()
    assert len(made) == report.total
    assert (made["by charged_at_most_once"] == "kills").sum() == len(report.kills_of("charged_at_most_once"))
    assert set(made.loc[made["fate"] == "survived"].filter(like="by ").to_numpy().ravel()) == {""}


def test_a_coverage_counts_in_whole_numbers() -> None:
    made = everything()["a coverage"].to_dataframe()
    fired = made[made["kind"] == "action"].set_index("of")["count"]
    assert dict(fired) == {"charge": 42, "note": 28, "crash": 49}
    guards = made[made["kind"] == "guard"]
    assert list(guards["true"] + guards["false"]) == list(guards["count"])
    assert made[made["kind"] == "depth"]["count"].sum() == 49


def test_an_agreement_has_a_column_for_each_engine() -> None:
    made = everything()["an agreement"].to_dataframe()
    assert list(made.columns) == ["explore", "prove", "simulate", "together"]
    assert made.loc["no action raises", "prove"] == "HOLDS for every size"
    assert pandas.isna(made.loc["every action fires", "prove"])


def test_a_state_tells_members_that_differ_and_what_the_others_are() -> None:
    state, job = charging()(), shown_in_readme("charging.py").Job
    state.charge(job(1))
    assert ("charges", "job1", "1") in list(entries(state))
    assert ("charges", "else", "0") in list(entries(state))
    with scope({job: 2}):
        state.crash()  # assigns the whole map, which then has its members' entries and no others
    assert [key for name, key, _ in entries(state) if name == "in_hand"] == ["job0", "job1"]


def test_a_topology_has_a_row_for_each_component() -> None:
    made = everything()["a topology"].to_dataframe()
    assert made.loc["planner", "depends-on"] == "ledger"
    assert made.loc["ledger", "owner"] == "payments"


@pytest.mark.parametrize(
    ("text", "value"),
    [("True", True), ("None", None), ("-12", -12), ("job0", "job0"), ("1_0", "1_0"), ("9" * 30, "9" * 30)],
)
def test_a_value_is_what_python_has_where_it_is_a_number_or_a_truth_value(text: str, value: object) -> None:
    assert plain(text) == value


def test_without_pandas_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    for thing in everything().values():
        with pytest.raises(UsageError, match=r"to_dataframe\(\) needs pandas: pip install 'meshspec\[notebook\]'"):
            thing.to_dataframe()


def test_a_value_that_is_none_is_shown_as_none_and_not_as_a_number() -> None:
    path = Counterexample({"owner": "None", "n": "1"}, (Step("go", {"owner": ("None", "2")}),), "")
    made = path.to_dataframe()
    assert list(made["owner"]) == [None, 2]
    assert "NaN" not in str(made)
    assert made["n"].dtype == "int64"
