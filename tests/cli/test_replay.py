"""``meshspec replay``: what is reproduced, what is closed by a change of the model, and what was edited."""

from __future__ import annotations

import copy
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from meshspec.cli import main
from tests.cli.conftest import Said, User
from tests.report.bundles import CASES, CHARGING, made

FIRST = "a step that is not possible any more"
NAME = "charging_charged_at_most_once"


@attrs.frozen
class Replays:
    """A user with a bundle of her model in the folder ``out``."""

    user: User
    name: str

    @property
    def plain(self) -> Path:
        return Path("out") / f"{self.name}.json"

    @property
    def trace(self) -> Path:
        return Path("out") / f"{self.name}.itf.json"

    def told(self, path: Path) -> dict[str, Any]:
        return json.loads(path.read_text(encoding="ascii"))  # type: ignore[no-any-return]

    def edited(self, path: Path, told: dict[str, Any]) -> Said:
        """What replay says of the file with this content; the file is then as it was."""
        before = path.read_bytes()
        path.write_text(json.dumps(told), encoding="ascii")
        try:
            return self.user.run("replay", str(path))
        finally:
            path.write_bytes(before)


def prepared(user: User, case: str) -> Replays:
    plain = made(case).put(user.folder)[0]
    return Replays(user, plain.stem)


@pytest.fixture
def it(user: User) -> Replays:
    return prepared(user, FIRST)


# -- what is reproduced ----------------------------------------------------------------------------------------


def test_the_argument_reads_as_check_tells_it_and_is_violated(it: Replays) -> None:
    checked = it.user.run("explore", "wrong.py", "--max-states", "3000")
    argument = checked.out[checked.out.index("  VIOLATED") : checked.out.index("  HOLDS")]
    for path in (it.plain, it.trace):
        said = it.user.run("replay", str(path))
        assert said.code == 1
        assert f"wrong.py: what {path} names is imported and run Charging (wrong.py) [scope Job=2]" in said.words
        recorded = argument.replace("(shortest, explore)", "(as recorded: shortest, explore)")
        assert recorded != argument and _unpadded(recorded) in _unpadded(said.out)
        assert "  reproduced on CPython: 3 steps" in said.out.splitlines()
        assert said.lines[-1] == "1 violated; seed 0; exit 1"
        again = "replay charged_at_most_once: meshspec explore wrong.py --scope Job=2 --max-states 3000"
        assert again in said.lines and again in checked.lines


def _unpadded(text: str) -> str:
    return re.sub(r" +", " ", text)


def test_every_door_to_a_bundle_leads_to_the_same(it: Replays) -> None:
    paths = [it.plain, Path("out") / f"test_{NAME}.py", Path("out") / f"{NAME}.mmd", Path("out")]
    said = [it.user.run("replay", str(path)) for path in paths]
    assert {one.code for one in said} == {1}
    told = [one.out[one.out.index("  VIOLATED") :].partition("\n\n")[0] for one in said]
    assert len({one.partition("\nfences:")[0] for one in told}) == 1


@pytest.mark.parametrize("name", [name for name in CASES if name != "everything that a model may hold"])
def test_every_kind_of_bundle_is_reproduced_from_its_json_and_its_trace(user: User, name: str) -> None:
    for path in made(name).put(user.folder)[:2]:
        said = user.run("replay", str(path))
        assert said.code == 1, said.out + said.err
        assert "reproduced on CPython" in said.out


def test_a_report_as_json_is_written_and_a_bundle_is_not(it: Replays) -> None:
    said, told = it.user.json("replay", str(it.plain))
    (one,) = told["properties"]
    assert said.code == told["exit_code"] == 1
    assert (one["answer"], one["engine"], one["property"]) == ("VIOLATED", "replay", "charged_at_most_once")
    assert [step["action"] for step in one["counterexample"]] == ["charge(job0)", "crash", "charge(job0)"]
    refused = it.user.run("replay", str(it.plain), "--out", "other")
    assert refused.code == 2 and "--out writes what was found" in refused.err


def test_a_bundle_that_is_not_there_is_a_matter_of_usage(user: User) -> None:
    said = user.run("replay", "gone.json")
    assert (said.code, said.err) == (2, "meshspec: gone.json does not exist\n")


def test_the_target_must_be_here(it: Replays, monkeypatch: pytest.MonkeyPatch) -> None:
    (it.user.folder / "elsewhere").mkdir()
    monkeypatch.chdir(it.user.folder / "elsewhere")
    (it.user.folder / "wrong.py").rename(it.user.folder / "right.py")
    said = it.user.run("replay", str(Path("..") / it.plain))
    assert said.code == 2
    assert "wrong.py does not exist" in said.err


def test_the_target_is_looked_for_in_the_folders_above_the_bundle(
    it: Replays, monkeypatch: pytest.MonkeyPatch
) -> None:
    (it.user.folder / "elsewhere").mkdir()
    monkeypatch.chdir(it.user.folder / "elsewhere")
    said = it.user.run("replay", str(Path("..") / it.plain))
    assert said.code == 1
    assert "wrong.py is not in this folder; " in said.words and " was taken" in said.words


# -- what was edited -------------------------------------------------------------------------------------------


def edits(step: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The step with one field of it edited, each field in turn."""
    for field, value in (
        ("action", "note(job0)"),
        ("action", "no such thing"),
        ("arguments", {"j": "job1"}),
        ("choices", {"choice1(Job)": "job0"}),
        ("note", "raises OSError"),
        ("at", 7),
        ("changes", {}),
    ):
        yield field, {**step, field: value}
    for name, change in step["changes"].items():
        for side in ("before", "after"):
            other = copy.deepcopy(step)
            other["changes"][name][side] = f"{change[side]}1"
            yield f"{name} {side}", other
        other = copy.deepcopy(step)
        other["changes"][f"{name}0"] = other["changes"].pop(name)
        yield f"{name} by another name", other


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_step_that_was_edited_in_any_field_fails_at_that_step(it: Replays, number: int) -> None:
    whole = it.told(it.plain)
    for what, step in edits(whole["steps"][number - 1]):
        steps = [*whole["steps"]]
        steps[number - 1] = step
        said = it.edited(it.plain, {**whole, "steps": steps})
        assert said.code == 2, what
        expected = f"the bundle contradicts wrong.py, which has not changed since: step {number}: "
        assert expected in said.err, (what, said.err)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_state_of_a_trace_that_was_edited_fails_at_that_step(it: Replays, number: int) -> None:
    whole = it.told(it.trace)
    state = whole["states"][number]
    charges = {"#map": [["job0", {"#bigint": "0"}], ["job1", {"#bigint": "1"}]]}
    nothing: list[Any] = []
    flipped = {"#map": [[key, not value] for key, value in state["noted"]["#map"]]}
    others: list[tuple[str, dict[str, Any]]] = [
        ("a number", {**state, "charges": charges}),
        ("a truth", {**state, "noted": flipped}),
        ("the action", {**state, "mbt::actionTaken": "note"}),
        ("the picks", {**state, "mbt::nondetPicks": {"j": "job1"}}),
        ("true for one", {**state, "mbt::nondetPicks": {"j": 1}}),
        ("the action's text", {**state, "#meta": {**state["#meta"], "action": "note(job0)"}}),
        ("a note", {**state, "#meta": {**state["#meta"], "note": "raises OSError"}}),
        ("a form", {**state, "charges": {"#map": nothing}}),
        ("a type", {**state, "noted": True}),
        ("a key twice", {**state, "noted": {"#map": [["job0", False], ["job0", False]]}}),
        ("a name too many", {**state, "tips": True}),
    ]
    for what, other in others:
        states = [*whole["states"]]
        states[number] = other
        said = it.edited(it.trace, {**whole, "states": states})
        assert said.code == 2, what
        assert f"step {number}: " in said.err, (what, said.err)


OTHER: dict[str, tuple[object, str]] = {
    "property": ("charges stays in 0..2", "at the end: there is no @always 'charges stays in 0..2'"),
    "kind": ("lemma", "at the end: there is no @lemma 'charged_at_most_once'"),
    "failed": ("all is well", "at the end: the clause recorded is 'all is well'"),
    "constants": ({"limit": "3"}, "at the start: its constants are {}"),
    "scope": ({"Job": 3}, "at the start: in_hand[job2] is not recorded"),
    "without": (["crash"], "step 2: there is no action 'crash'"),
    "claim": ({"j": "job1"}, "at the end: the claim is {'j': 'job0'}"),
    "cell": ("charges[job0]", "at the end: the cell is ''"),
    "initial": ({}, "at the start: in_hand[job0] is not recorded"),
    "steps": ([], "at the end: charged_at_most_once is true here"),
    "loop": (1, "at the end: nothing is repeated from step 1 on for ever"),
}


@pytest.mark.parametrize("field", OTHER)
def test_anything_else_that_was_edited_is_found_too(it: Replays, field: str) -> None:
    value, expected = OTHER[field]
    said = it.edited(it.plain, {**it.told(it.plain), field: value})
    assert said.code == 2
    assert f"which has not changed since: {expected}" in said.err


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("scope", {}, "the bundle gives sizes to no sort; Charging has Job"),
        ("scope", {"Job": 0}, "Job=0: a sort has at least one member"),
        ("scope", {"Job": 10**9}, "cells, more than 20,000"),
        ("without", ["note"], "Charging has the faults crash"),
        ("subject", "Chargers", "wrong.py is the model Charging, and the bundle is of 'Chargers'"),
        ("kind", "sometimes", "a @sometimes is refuted by no path"),
        ("kind", "refines", "the kind 'refines' is none of"),
        ("target", "", "was typed into a shell or a notebook: there is nothing to import"),
        ("target", "os:system", "is no model"),
        ("target", "../../no.py", "does not exist"),
        ("of", "policy", "is of a policy and holds no story"),
    ],
)
def test_what_cannot_be_run_at_all_is_a_matter_of_usage(
    it: Replays, field: str, value: object, expected: str
) -> None:
    said = it.edited(it.plain, {**it.told(it.plain), field: value})
    assert said.code == 2
    assert expected in said.err and "Traceback" not in said.err


def test_where_the_claim_stands_is_seen_in_the_model_and_not_believed(it: Replays) -> None:
    said = it.edited(it.plain, {**it.told(it.plain), "where": "elsewhere.py:1"})
    assert said.code == 1 and "elsewhere" not in said.out
    assert "stated at wrong.py:" in said.out


def test_what_running_it_does_not_confirm_is_told_as_recorded(it: Replays) -> None:
    whole = it.told(it.plain)
    other = {"how": "the only one", "engine": "prove", "seed": 7, "reason": "it rained"}
    said = it.edited(it.plain, {**whole, **other})
    assert said.code == 1
    assert "in 3 steps (as recorded: the only one, prove)" in said.words
    assert "as recorded: it rained" in said.words
    assert said.lines[-1] == "1 violated; seed 0; exit 1"


def test_a_subject_that_contradicts_the_model_is_refused_also_where_the_source_is_unknown(it: Replays) -> None:
    said = it.edited(it.plain, {**it.told(it.plain), "subject": "Chargers", "source": ""})
    assert said.code == 2 and "Chargers" not in said.out
    assert "wrong.py is the model Charging, and the bundle is of 'Chargers'" in said.err


def test_a_loop_that_was_edited_is_none(user: User) -> None:
    it = prepared(user, "a loop that is not fair")
    whole = it.told(it.plain)
    said = it.edited(it.plain, {**whole, "loop": len(whole["steps"])})
    assert said.code == 2
    assert "at the end: it ends where hand_in(job1) is enabled" in said.err or "is enabled" in said.err
    shorter = it.edited(it.plain, {**whole, "steps": whole["steps"][:-1]})
    assert shorter.code == 2


def test_choices_that_were_edited_fail_at_their_step(user: User) -> None:
    it = prepared(user, "a loop that is not fair")
    whole = it.told(it.plain)
    first = whole["steps"][0]
    assert first["choices"] == {"choice1(Tray)": "tray0"}
    steps = [{**first, "choices": {"choice1(Tray)": "tray1"}}, *whole["steps"][1:]]
    said = it.edited(it.plain, {**whole, "steps": steps})
    assert said.code == 2 and "step 1: its choices are {'choice1(Tray)': 'tray0'}" in said.err


# -- what has changed since ------------------------------------------------------------------------------------


def test_a_path_that_a_change_has_closed_is_undetermined(it: Replays) -> None:
    CASES[FIRST].write(it.user.folder, mended=True)
    for path in (it.plain, it.trace):
        said, told = it.user.json("replay", str(path))
        assert said.code == 3
        reason = "the path is closed at step 3: charge(job0) is not enabled in this state"
        assert f"not reproduced: {reason}" in said.words
        (one,) = told["properties"]
        assert (one["answer"], one["engine"]) == ("UNDETERMINED", "replay")
        assert one["reason"].startswith(reason)
        assert one["settles"] == "`meshspec check`, which asks about every path"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("self.charges[j] <= 1", "self.charges[j] <= 2", "at the end: charged_at_most_once is true here"),
        ("def charge(", "def bill(", "at step 1: there is no action 'charge(job0)'"),
        ("def charged_at_most_once", "def billed_once", "at the end: there is no @always 'charged_at_most_once'"),
        ("var(0)", "var(1)", "at the start: charges[job0] = 0 was recorded; it starts at 1"),
        (
            "class Job(Sort)",
            "class Job(Sort): ...\n\n\nclass Task(Sort)",
            "at the start: the bundle gives sizes to Job",
        ),
        ("@fault", "@action", "at the start"),
    ],
)
def test_whatever_closes_it_is_the_reason(it: Replays, old: str, new: str, reason: str) -> None:
    text = CHARGING.replace(old, new)
    if "Task" in new:
        text = text.replace("def crash(self)", "def crash(self, t: Task)")
    if new == "@action":
        (it.user.folder / "wrong.py").write_text(CHARGING + "\n", encoding="utf-8")
        said = it.edited(it.plain, {**it.told(it.plain), "without": ["note"]})
    else:
        (it.user.folder / "wrong.py").write_text(text, encoding="utf-8")
        said = it.user.run("replay", str(it.plain))
    assert said.code == 3, said.out + said.err
    assert f"not reproduced: the path is closed {reason}" in said.words


def test_a_change_that_leaves_the_violation_is_told_beside_it(it: Replays) -> None:
    text = CHARGING.replace(
        "noted: Map[Job, bool] = var(False)", "noted: Map[Job, bool] = var(False)\n    bell: bool = var(False)"
    )
    text = text.replace("        self.in_hand = each", "        self.bell = True\n        self.in_hand = each")
    (it.user.folder / "wrong.py").write_text(text, encoding="utf-8")
    said = it.user.run("replay", str(it.plain))
    assert said.code == 1
    assert "reproduced on CPython: 3 steps" in said.out
    assert "wrong.py has changed since: at the start: bell is not recorded; it starts at False" in said.words
    assert "bell False -> True" in said.words, "the path is told as it is now"


def test_a_change_that_does_not_matter_is_none(it: Replays) -> None:
    (it.user.folder / "wrong.py").write_text(CHARGING + "\n# a remark\n", encoding="utf-8")
    said = it.user.run("replay", str(it.plain))
    assert said.code == 1 and "has changed" not in said.out


def test_several_bundles_are_replayed_and_the_worst_counts(user: User) -> None:
    broken = (
        CHARGING.replace("<= 1", "<= 0")
        + "\n    @always\n    def never_noted(self, j: Job) -> bool:\n        return not self.noted[j]\n"
    )
    user.write(broken, imports="")
    assert user.run("explore", "mine.py", "--out", "out").code == 1
    user.write(broken.replace("<= 0", "<= 2"), imports="")
    said = user.run("replay", "out")
    assert said.code == 1
    assert said.lines[-1] == "1 violated, 1 undetermined; seed 0; exit 1"


# -- what is shipped, and a policy -----------------------------------------------------------------------------


def test_a_shipped_incident_is_replayed(user: User) -> None:
    said = user.run("explore", "ResendInDoubt", "--out", "out")
    assert said.code == 1
    again = user.run("replay", "out")
    assert again.code == 1 and "undetermined" not in again.lines[-1]
    assert again.out.count("reproduced on CPython") == len(list(Path("out").glob("*.itf.json")))


PATIENCE = '''\
class Patience:
    """Trips when one and the same call has been made five times."""

    def __init__(self):
        self.calls = []

    def observe(self, step):
        call = (step.tool, step.arguments)
        self.calls.append(call)
        return ("TRIP", "five times the same call") if self.calls.count(call) >= 5 else "CONTINUE"
'''


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a policy, and the bundles of what it does not keep."""
    folder = tmp_path_factory.mktemp("policy")
    (folder / "patience.py").write_text(PATIENCE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", list(sys.path))
        options = ("--role", "breaker", "--prefix", "0")
        assert main(["check", "patience.py:Patience", *options, "--out", "out"]) == 1
    return folder


STORY = Path("out") / "patience_py_patience_lets_converging_repair_run.json"


@pytest.fixture
def policy(judged: Path, user: User, monkeypatch: pytest.MonkeyPatch) -> User:
    for path in (Path("patience.py"), *(path.relative_to(judged) for path in judged.glob("out/*"))):
        (user.folder / path).parent.mkdir(exist_ok=True)
        (user.folder / path).write_bytes((judged / path).read_bytes())
    return user


def test_a_policy_is_told_its_story_again(policy: User) -> None:
    said = policy.run("replay", "out")
    assert said.code == 1
    assert "told again to the policy: 5 steps" in said.lines and "told again to the policy: 54 steps" in said.lines
    assert said.lines[-1].startswith("2 violated")


@pytest.mark.parametrize("field", ["action", "note", "at"])
def test_a_story_that_was_edited_fails_at_its_step(policy: User, field: str) -> None:
    told = json.loads(STORY.read_text(encoding="ascii"))
    for number in (1, 5):
        steps = copy.deepcopy(told["steps"])
        steps[number - 1][field] = 77 if field == "at" else "something else"
        STORY.write_text(json.dumps({**told, "steps": steps}), encoding="ascii")
        said = policy.run("replay", str(STORY))
        assert said.code == 2
        assert f"patience.py:Patience, which has not changed since: step {number}: its {field} is" in said.err


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("loop", [], "the story has a loop"),
        ("loop", [999], "the story has a loop, and its steps are numbered from 0 to"),
        ("loop", [0], "the story is none that lets-converging-repair-run speaks of"),
        ("steps", 10**9, "is unrolled to 1000000000 steps"),
        ("field", "<b>", "the irrelevant field '<b>' is none of"),
        ("role", "judge", "there is no role 'judge'"),
        ("step", 4, "at the end: ('trip', 4"),
    ],
)
def test_a_story_that_is_none_is_refused(policy: User, field: str, value: object, expected: str) -> None:
    told = json.loads(STORY.read_text(encoding="ascii"))
    told["tale"][field] = value
    STORY.write_text(json.dumps(told), encoding="ascii")
    said = policy.run("replay", str(STORY))
    assert said.code == 2
    assert expected in said.err


def test_a_policy_that_was_mended_leaves_the_story_undetermined(policy: User) -> None:
    patient = PATIENCE.replace("five times", "sixty times").replace(">= 5", ">= 60")
    (policy.folder / "patience.py").write_text(patient, encoding="utf-8")
    said = policy.run("replay", str(STORY))
    assert said.code == 3
    assert "the story no longer breaks it: it never tripped in 54 steps" in said.words
