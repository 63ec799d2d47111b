"""``meshspec explore`` and its options: what they change in the report, and what is refused."""

from __future__ import annotations

import json
import shlex
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.conftest import COUNTER, LEDGER, User

KNOWN = """\
@model
class Known:
    \"\"\"A table tells the effects apart.\"\"\"

    rank: Map[Effect, int] = Map(0, {Effect(1): 1})
    done: Map[Effect, bool] = var(False)

    @action
    def do(self, e: Effect) -> None:
        require(not self.done[e])
        self.done[e] = True

    @always
    def fine(self, e: Effect) -> bool:
        return not self.done[e] or self.rank[e] >= 0


"""


def test_orbits_are_told_beside_states(user: User) -> None:
    user.write(LEDGER)
    said, report = user.json("explore", "mine.py:Ledger", "--scope", "Effect=3")
    explored = report["properties"][0]
    assert explored["orbits"] < explored["states"]
    assert f"{explored['states']} states in {explored['orbits']} orbits," in said.words
    assert f"(exhaustive, {explored['states']} states, Effect=3)" in said.words
    assert "symmetry off" not in said.words


def test_without_symmetry_the_answers_are_the_same_and_no_orbits_are_told(user: User) -> None:
    user.write(LEDGER)
    _, on = user.json("explore", "mine.py:Forgetful", "--scope", "Effect=2")
    said, off = user.json("explore", "mine.py:Forgetful", "--scope", "Effect=2", "--symmetry", "off")
    assert "orbits" not in said.words and "symmetry off:" not in said.words  # it was asked for
    for mine, its in zip(on["properties"], off["properties"], strict=True):
        same = ("property", "answer", "states", "counterexample", "initial", "failed", "reason")
        assert [mine[name] for name in same] == [its[name] for name in same]
        assert (its["orbits"], its["facts"]["symmetry off"]) == (None, "it was turned off")
        assert its["replay"].endswith("--symmetry off")


def test_where_symmetry_is_off_the_reason_is_told(user: User) -> None:
    user.write(KNOWN)
    said = user.run("explore", "mine.py", "--scope", "Effect=2")
    assert said.code == 0, said.out + said.err
    assert "symmetry off: Effect: the constant table rank tells its members apart" in said.words


def test_further_counterexamples_are_printed_after_the_first_and_stand_in_the_report(user: User) -> None:
    user.write(LEDGER)
    said, report = user.json("explore", "mine.py:Forgetful", "--scope", "Effect=2", "--counterexamples", "3")
    schema = json.loads((resources.files("meshspec.report") / "schema.json").read_text(encoding="utf-8"))
    validator: Any = Draft202012Validator(schema)
    validator.validate(report)
    found = next(entry for entry in report["properties"] if entry["answer"] == "VIOLATED")
    assert len(found["more"]) == 2
    for number, other in enumerate(found["more"], 2):
        assert len(other["counterexample"]) >= len(found["counterexample"])
        assert f"counterexample {number}, in {len(other['counterexample'])} steps:" in said.words
        assert other["failed"] in said.words
    assert found["replay"].endswith("--counterexamples 3")
    assert user.json(*shlex.split(found["replay"])[1:])[1]["properties"] == report["properties"]


def test_by_which_means_states_are_held_changes_no_answer(user: User) -> None:
    user.write(LEDGER)
    said = {space: user.run("explore", "mine.py:Ledger", "--space", space) for space in ("tuples", "numpy")}
    assert {one.code for one in said.values()} == {0}
    assert said["numpy"].out.replace("numpy", "tuples") == said["tuples"].out


def test_an_exploration_that_was_cut_goes_on_from_its_checkpoint(user: User) -> None:
    user.write(LEDGER)
    asked = ("explore", "mine.py:Ledger", "--scope", "Effect=3", "--checkpoint", "kept")
    cut = user.run(*asked, "--max-states", "5")
    assert cut.code == 3
    assert "kept in kept: the same command with a higher bound goes on from there" in cut.words
    whole = user.run(*asked)
    assert whole.code == 0
    assert whole.out == user.run("explore", "mine.py:Ledger", "--scope", "Effect=3").out
    assert not (user.folder / "kept").exists()


def test_partial_order_says_what_it_does_not_settle_and_why_it_is_off(user: User) -> None:
    user.write(LEDGER)
    said, report = user.json("explore", "mine.py:Ledger", "--partial-order")
    assert "partial order off: symmetry is on" in said.words
    assert report["properties"][0]["facts"]["partial order"] is False


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--symmetry", "maybe"), "--symmetry maybe: write on or off"),
        (("--space", "fast"), "--space fast: write tuples, numpy or kernel"),
        (("--workers", "0"), "--workers must be at least 1"),
        (("--counterexamples", "0"), "--counterexamples must be at least 1"),
        (("--workers", "2", "--space", "numpy"), "only the kernel has several"),
        (("--partial-order", "--space", "numpy"), "--partial-order chooses among the steps of tuples"),
        (("--checkpoint", "missing/kept"), "--checkpoint missing/kept cannot be written"),
        (("--checkpoint", "mine.py"), "it is no checkpoint of meshspec"),
    ],
)
def test_bad_values_of_options_are_refused_before_anything_runs(
    user: User, options: tuple[str, ...], message: str
) -> None:
    user.write(COUNTER)
    said = user.run("explore", "mine.py", *options)
    assert (said.code, said.out) == (2, "")
    assert message in " ".join(said.err.split())
    assert user.run("check", "mine.py", "--symmetry", "maybe").code == 2


def test_an_int_without_bounds_cannot_be_packed_and_is_named(user: User) -> None:
    user.write(COUNTER.replace("Annotated[int, Range(0, 9)]", "int").replace("self.number < self.limit", "True"))
    said = user.run("explore", "mine.py", "--space", "numpy", "--max-states", "9")
    assert (said.code, said.out) == (2, "")
    assert "number" in said.err
