"""The four words, how strong HOLDS is, and the exit codes, on a user's own file."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from importlib import resources
from typing import Any

import attrs
import pytest
from jsonschema import Draft202012Validator

from meshspec.answer import Answer, Finding, Strength
from meshspec.engines.simulate import simulate
from meshspec.lang.evidence import Evidence
from meshspec.lang.lift import LiftedModel
from meshspec.targets import shipped_evidence
from tests.cli.conftest import BROKEN, COUNTER, ENDLESS, IDLE_FAULT, LEDGER, User


def test_what_holds_exits_0_and_says_how_strongly(user: User) -> None:
    user.write(COUNTER)
    said = user.run("check", "mine.py")
    assert said.code == 0
    assert "small for every size; in scope (exhaustive, 4 states)" in said.words
    assert said.lines[0] == "Counter (mine.py) [4 states, 6 transitions, 3 steps deep, no deadlock]".replace(
        ") [", ")  ["
    )
    assert said.lines[-1] == "5 hold; seed 0; exit 0"
    assert "refutability not examined by incidents: the model has none" in said.words


def test_what_is_violated_exits_1_and_argues(user: User) -> None:
    path = user.write(BROKEN)
    line = path.read_text().splitlines().index("    def small(self) -> bool:")
    said = user.shell("check", "mine.py")
    assert (said.code, said.err) == (1, "")
    assert [re.sub(" {2,}", "  ", text) for text in said.lines if text][1:6] == [
        "VIOLATED  small  in 2 steps (shortest, explore)",
        "1. grow  number 0 -> 1",
        "2. grow  number 1 -> 2",
        "so small: number > 1, where number = 2",
        f"stated at mine.py:{line}",
    ]
    assert "replay small: meshspec explore mine.py" in said.lines
    assert said.lines[-1].startswith("1 violated, ")


def test_what_is_vacuous_exits_4_and_says_what_was_never_tried(user: User) -> None:
    user.write(IDLE_FAULT)
    said = user.shell("check", "mine.py")
    assert said.code == 4
    assert "VACUOUS every fault strikes set_back: never injected in any reachable state" in said.words


def test_what_is_undetermined_exits_3_with_the_reason_what_is_known_and_what_would_settle_it(user: User) -> None:
    user.write(ENDLESS.replace("!= -2", "!= -10**8"))
    said = user.shell("explore", "mine.py", "--max-states", "500")
    assert said.code == 3
    assert "UNDETERMINED not_huge cut off by --max-states of 500" in said.words
    assert "known so far: no counterexample in 500 states, 249 steps deep" in said.words
    assert "would settle it: a smaller scope, or higher --max-states and --max-memory" in said.words
    assert "(cut)" in said.lines[0]


def test_a_violation_found_before_the_cut_stays_violated(user: User) -> None:
    user.write(ENDLESS)
    said, report = user.json("explore", "mine.py", "--max-states", "500")
    answers = {entry["property"]: entry["answer"] for entry in report["properties"]}
    assert said.code == report["exit_code"] == 1
    assert answers["not_minus_two"] == "VIOLATED"
    assert answers["not_huge"] == "UNDETERMINED"


def test_memory_is_a_bound(user: User) -> None:
    user.write(ENDLESS.replace("!= -2", "!= -10**8"))
    said = user.run("explore", "mine.py", "--max-memory", "1M")
    assert said.code == 3
    assert "cut off by --max-memory of 1,000,000 bytes" in said.words


# -- nothing evaluated is no success ---------------------------------------------------------------------------

NO_CLAIM = COUNTER[: COUNTER.index("    @always")]
ONLY_A_LEMMA = COUNTER.replace("@always", "@lemma")
FORGOTTEN_MARK = COUNTER.replace("    @always\n", "")


@pytest.mark.parametrize("text", [NO_CLAIM, ONLY_A_LEMMA, FORGOTTEN_MARK], ids=["none", "a lemma", "no mark"])
@pytest.mark.parametrize("engine", ["check", "explore", "prove", "simulate"])
def test_a_model_that_claims_nothing_is_vacuous(user: User, text: str, engine: str) -> None:
    user.write(text)
    said = user.run(engine, "mine.py")
    assert said.code == 4
    assert "VACUOUS it claims something the model has no claim" in said.words


def test_an_antecedent_that_is_never_true_is_vacuous_and_its_line_is_given(user: User) -> None:
    text = COUNTER.replace("return self.number <= 3", "return implies(self.number > 5, self.number > 6)")
    path = user.write(text)
    line = next(n for n, one in enumerate(path.read_text().splitlines(), 1) if "return implies" in one)
    said = user.run("check", "mine.py")
    assert said.code == 4
    assert f"implies at mine.py:{line}" in said.words


def test_a_fault_that_is_taken_away_is_named(user: User) -> None:
    user.write(IDLE_FAULT)
    said, report = user.json("check", "mine.py", "--without", "set_back")
    assert said.code == 0
    assert "without set_back: what holds was not tried against it" in report["notes"]
    assert "without set_back" in said.words


def test_engines_that_look_for_nothing_vacuous_say_so(user: User) -> None:
    user.write(IDLE_FAULT)
    for engine in ("prove", "simulate"):
        said = user.run(engine, "mine.py")
        assert said.code == 0
        assert "vacuity not examined: only explore looks for what is never tried" in said.words
    assert "vacuity not examined" not in user.run("check", "mine.py").words


def test_incidents_that_nothing_puts_to_the_test_are_named(user: User) -> None:
    user.write(LEDGER)
    said = user.run("explore", "mine.py:Ledger")
    assert said.code == 0
    assert "by incidents: that Forgetful" in said.words
    again = user.run("explore", "mine.py:Forgetful")
    assert again.code == 1
    assert "by incidents: the model has none" in again.words


# -- combining -------------------------------------------------------------------------------------------------


def test_exit_codes_take_precedence_as_documented(user: User) -> None:
    user.write(BROKEN, "violated.py")
    user.write(IDLE_FAULT, "vacuous.py")
    user.write(ENDLESS.replace("!= -2", "!= -10**8"), "cut.py")
    user.write(COUNTER, "holds.py")
    bound = ("--engine", "explore", "--max-states", "100")
    codes = {
        ("holds.py", "cut.py"): 3,
        ("holds.py", "cut.py", "vacuous.py"): 4,
        ("holds.py", "vacuous.py", "cut.py", "violated.py"): 1,
        ("violated.py", "missing.py"): 2,
        ("holds.py",): 0,
    }
    for targets, code in codes.items():
        assert user.run("check", *targets, *bound).code == code, targets


def test_allow_undetermined_lowers_only_3(user: User) -> None:
    user.write(BROKEN, "violated.py")
    user.write(IDLE_FAULT, "vacuous.py")
    user.write(ENDLESS.replace("!= -2", "!= -10**8"), "cut.py")
    bound = ("--engine", "explore", "--max-states", "100", "--allow-undetermined")
    assert user.run("check", "cut.py", *bound).code == 0
    assert user.run("check", "cut.py", "vacuous.py", *bound).code == 4
    assert user.run("check", "cut.py", "violated.py", *bound).code == 1


def test_what_is_required_and_not_reached_is_undetermined(user: User) -> None:
    user.write(COUNTER)
    assert user.run("check", "mine.py", "--require", "proved").code == 0
    assert user.run("check", "mine.py", "--require", "exhaustive").code == 0
    said = user.run("check", "mine.py", "--engine", "explore", "--require", "proved")
    assert said.code == 3
    assert "UNDETERMINED small every size was required" in said.words
    assert "known so far: HOLDS, exhaustive" in said.words
    assert "HOLDS every action fires" in said.words
    assert user.run("check", "mine.py", "--engine", "simulate", "--require", "exhaustive").code == 3
    assert user.run("check", "mine.py", "--require", "much").code == 2


def test_what_is_required_and_not_proved_says_why_the_prover_gave_up(user: User) -> None:
    user.write(LEDGER.replace("    @lemma", "    @sometimes", 1).replace("def sent_is_applied", "def sent_is_once"))
    said = user.run("check", "mine.py:Ledger", "--require", "proved")
    assert said.code == 3
    assert "every size was required; prove: not inductive: send(" in said.words


def test_an_engine_that_refutes_what_another_proved_is_our_bug(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def proves_everything(model: LiftedModel, **more: Any) -> list[Finding]:
        names = [lifted.name for lifted in model.claims]
        return [Finding(model.name, n, Answer.HOLDS, "prove", strength=Strength.EVERY_SIZE) for n in names]

    monkeypatch.setattr("meshspec.engines.prove.prove", proves_everything)
    user.write(BROKEN)
    user.write(COUNTER, "fine.py")
    said, report = user.json("check", "mine.py", "fine.py")
    assert said.code == report["exit_code"] == 70
    assert "BUG of meshspec: Counter.small: explore refutes what prove says holds (every size)" in said.words
    assert any("explore refutes what prove says holds" in note for note in report["notes"])
    assert {entry["answer"] for entry in report["properties"]} == {"HOLDS"}, "the other target is still checked"


def test_walks_that_refute_what_was_checked_exhaustively_are_our_bug(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = simulate

    def refutes(*arguments: Any, **more: Any) -> Sequence[Finding]:
        return [attrs.evolve(f, answer=Answer.VIOLATED, strength=None) for f in real(*arguments, **more)]

    monkeypatch.setattr("meshspec.engines.simulate.simulate", refutes)
    user.write(COUNTER)
    assert user.run("check", "mine.py", "--engine", "explore,simulate").code == 70
    assert user.run("check", "mine.py", "--engine", "simulate").code == 1


# -- the same again --------------------------------------------------------------------------------------------


def test_the_replay_command_can_be_run_as_printed_and_gives_the_same_counterexample(user: User) -> None:
    user.write(LEDGER, "my models/a ledger.py")
    said, report = user.json("check", "my models/a ledger.py:Forgetful", "--scope", "Effect=3", "--max-states", "999")
    first = next(entry for entry in report["properties"] if entry["property"] == "at_most_once")
    assert first["counterexample"] is not None
    assert f"replay at_most_once: {first['replay']}" in said.lines
    words = shlex.split(first["replay"])
    assert words[0] == "meshspec"
    _, again = user.json(*words[1:])
    second = next(entry for entry in again["properties"] if entry["property"] == "at_most_once")
    assert second["counterexample"] == first["counterexample"]
    assert second["scope"] == first["scope"] == {"Effect": 3}


def test_a_walk_is_replayed_with_its_seed_and_its_bounds(user: User) -> None:
    user.write(LEDGER)
    asked = ("simulate", "mine.py:Forgetful", "--seed", "7", "--walks", "50", "--steps", "30")
    _, report = user.json(*asked)
    first = next(entry for entry in report["properties"] if entry["property"] == "at_most_once")
    words = shlex.split(first["replay"])[1:]
    assert words == ["simulate", "mine.py:Forgetful", "--scope", "Effect=2", *asked[2:]]
    _, again = user.json(*words)
    assert next(e for e in again["properties"] if e["property"] == "at_most_once") == first


def test_the_output_is_the_same_under_every_hash_seed(user: User) -> None:
    user.write(LEDGER)
    said = {
        user.shell("check", "mine.py:Forgetful", "--engine", engines, env={"PYTHONHASHSEED": seed}).out
        for seed in ("0", "1")
        for engines in ("explore,prove,simulate",)
    }
    assert len(said) == 1


def test_a_deadlock_is_counted_and_the_shortest_way_into_one_is_shown(user: User) -> None:
    user.write(COUNTER[: COUNTER.index("    @fault")] + COUNTER[COUNTER.index("    @always") :])
    said, report = user.json("check", "mine.py")
    assert said.code == 0
    assert "3 steps deep, 1 deadlock]" in said.words
    assert "no action is enabled after: grow, grow, grow" in said.lines
    facts = next(f["facts"] for f in report["properties"][0]["findings"] if f["engine"] == "explore")
    assert (facts["deadlocks"], facts["deadlock"]) == (1, ["grow", "grow", "grow"])


def test_every_target_is_resolved_before_anything_runs(user: User) -> None:
    user.write(BROKEN)
    for bad in ("nothing.py", "mine.py:Nothing"):
        said = user.run("check", "mine.py", bad)
        assert (said.code, said.out) == (2, "")


def test_what_is_shipped_is_checked_with_its_evidence_and_every_story_is_in_the_report(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_policy(*_: object) -> None:
        """Policies have tests of their own."""

    def the_ledger_alone() -> dict[str, Evidence]:
        """`make check` has all of it; mutants are a line of their own, tried where it is collected."""
        return {"effect_ledger": attrs.evolve(shipped_evidence()["effect_ledger"], survivors=None)}

    monkeypatch.setattr("meshspec.cli.runs._judge_shipped", no_policy)
    monkeypatch.setattr("meshspec.cli.runs.shipped_evidence", the_ledger_alone)
    said, report = user.json("check")
    assert said.code == report["exit_code"] == 0
    schema = json.loads((resources.files("meshspec.report") / "schema.json").read_text(encoding="utf-8"))
    validator: Any = Draft202012Validator(schema)
    validator.validate(report)
    lines = {entry["property"]: entry for entry in report["properties"] if entry["kind"] == "evidence"}
    story = lines["at_most_once is refuted by ResendInDoubt"]
    assert story["replay"] == "meshspec explore ResendInDoubt --scope Effect=2"
    assert f"replay at_most_once: {story['replay']}" in said.lines
    for number, step in enumerate(story["counterexample"], 1):
        assert f"{number}. {step['action']}" in said.words
    assert story["facts"]["says"] in said.words
    assert "every name is in the registry" in lines
    assert said.lines[-1] == f"again: {report['again']}" == "again: meshspec check"
