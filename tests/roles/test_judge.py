from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from meshspec.answer import Answer, Finding, exit_code
from meshspec.errors import ModelError, UsageError
from meshspec.roles import policies
from meshspec.roles.breaker import Bound, obligations
from meshspec.roles.judge import judge
from meshspec.roles.policies import INCIDENTS
from tests.roles import standins

STANDINS = Path(standins.__file__)
SMALL = Bound(prefix=1, loop=2)
TRIPS = [o.name for o in obligations() if o.must_trip]
LETS = [o.name for o in obligations() if not o.must_trip]
BREAK_NOTHING_ELSE = (
    "trips-on-stuck-loop-with-noisy-output",
    "not-evaded-by-irrelevant-field",
    "lets-converging-repair-run",
)
STORIES = [o.name for o in obligations()]
CONDUCT = ["total", "contract", "deterministic"]


@cache
def put_to(
    name: str, bound: Bound = SMALL, walk: int = 4, limit: float = 5.0, memory: int = 4 << 30
) -> dict[str, Finding]:
    findings = judge(f"{STANDINS}:{name}", bound=bound, walk=walk, time_limit_per_story=limit, memory_limit=memory)
    return {finding.property: finding for finding in findings}


def answers(findings: dict[str, Finding], names: Iterable[str]) -> set[Answer]:
    return {findings[name].answer for name in names}


def line_of(text: str) -> str:
    lines = STANDINS.read_text(encoding="utf-8").splitlines()
    return f"standins.py:{next(i for i, line in enumerate(lines, 1) if text in line)}"


def test_a_stand_in_that_never_trips_fails_the_first_four() -> None:
    found = put_to("NeverTrips")
    assert answers(found, TRIPS) == {Answer.VIOLATED}
    assert answers(found, LETS) == {Answer.HOLDS}
    assert answers(found, CONDUCT) == {Answer.HOLDS}


def test_a_stand_in_that_always_trips_fails_the_last_two() -> None:
    found = put_to("AlwaysTrips")
    assert answers(found, LETS) == {Answer.VIOLATED}
    assert answers(found, TRIPS) == {Answer.HOLDS}


def test_the_reference_keeps_every_obligation_on_every_story_up_to_a_step_of_prefix_and_two_of_loop() -> None:
    target = f"{policies.__name__}:Reference"
    found = {finding.property: finding for finding in judge(target, bound=Bound(prefix=1, loop=2))}
    assert answers(found, [*STORIES, *CONDUCT]) == {Answer.HOLDS}
    assert found["trips-on-identical-success"].facts["tripped at step"] == policies.PATIENCE + 1


@pytest.mark.parametrize("obligation", STORIES)
def test_each_incident_breaks_the_obligation_it_is_listed_for(obligation: str) -> None:
    target = f"{policies.__name__}:{INCIDENTS[obligation].__name__}"
    found = {finding.property: finding for finding in judge(target, bound=SMALL, walk=4, only=STORIES)}
    violated = [name for name, finding in found.items() if finding.answer is Answer.VIOLATED]
    assert obligation in violated
    assert violated == [obligation] or obligation not in BREAK_NOTHING_ELSE
    assert answers(found, CONDUCT) == {Answer.HOLDS}


def test_a_violation_is_an_argument_in_the_words_of_the_domain() -> None:
    found = put_to("AlwaysTrips")["lets-converging-repair-run"]
    assert found.counterexample is not None
    assert found.counterexample.actions == ('run_check(name=integration) -> "3 failed; phase syntax", ok',)
    assert found.counterexample.steps[0].note == "TRIP: always"
    assert found.counterexample.how == "shortest"
    assert found.counterexample.failed == (
        "it must not trip before step 54, which is green, and tripped after step 1: always"
    )
    assert found.facts["story"] == "a loop of 1 step: run_check (same arguments, rank falls each round, ok)"
    assert found.facts["tripped at step"] == 1
    assert found.replay == f"meshspec check {STANDINS}:AlwaysTrips --role breaker --seed 0 --prefix 1"
    assert found.where.startswith("meshspec/roles/breaker.py:")
    assert str(found.facts["policy"]).endswith(line_of("class AlwaysTrips"))


def test_a_long_story_is_folded_where_nothing_new_happens() -> None:
    found = put_to("NeverTrips")["trips-on-alternation"]
    assert found.counterexample is not None
    actions = found.counterexample.actions
    assert actions[0] == actions[2] == actions[5] and actions[1] == actions[3] == actions[6]
    assert actions[4] == "(the loop goes on in the same way through step 52)"


def test_a_holding_answer_says_on_how_many_stories_it_was_tested() -> None:
    found = put_to("AlwaysTrips", walk=7)["trips-on-identical-success"]
    owed = next(o for o in obligations() if o.name == found.property).count(SMALL)
    assert found.strength is not None and found.strength.value == "tested"
    assert found.tested == owed + 7 and found.facts["stories owed"] == owed
    assert found.facts["stories in all"] == 5 * (108 + 5886)


def test_a_policy_that_raises_is_not_total_and_its_line_is_shown() -> None:
    found = put_to("Raises")
    total = found["total"]
    assert total.answer is Answer.VIOLATED
    assert total.where.endswith(line_of("raise ValueError"))
    assert total.reason == "ValueError: no budget for failures at step 3"
    assert total.counterexample is not None and len(total.counterexample.steps) == 3
    assert total.counterexample.steps[-1].note == "raised ValueError: no budget for failures"
    assert found["trips-on-identical-success"].answer is Answer.VIOLATED
    assert found["lets-converging-repair-run"].answer is Answer.UNDETERMINED
    assert found["lets-distinct-work-run"].answer is Answer.HOLDS


def test_a_policy_that_raises_always_leaves_nothing_to_evaluate() -> None:
    found = put_to("RaisesAlways")
    assert answers(found, STORIES) == {Answer.VACUOUS}
    assert found["total"].reason == "SystemExit: 7 at step 1"
    assert found["contract"].answer is Answer.VACUOUS
    assert exit_code(found.values()) == 1


def test_a_policy_that_hangs_is_undetermined_at_that_step_and_the_rest_goes_on() -> None:
    found = put_to("Hangs", limit=0.5)
    repair = found["lets-converging-repair-run"]
    assert repair.answer is Answer.UNDETERMINED
    assert repair.reason.startswith("it gave no answer for 0.5 s at step 4 of a loop of 1 step: run_check")
    assert found["total"].answer is Answer.UNDETERMINED and found["total"].where.endswith(
        f":{int(line_of('On the fourth step').split(':')[1]) + 5}"
    )
    assert found["lets-distinct-work-run"].answer is Answer.HOLDS
    assert found["trips-on-identical-success"].answer is Answer.VIOLATED
    assert found["deterministic"].answer is Answer.HOLDS


@pytest.mark.parametrize(("name", "how"), [("Exits", "exit code 3"), ("IsKilled", "SIGSEGV")])
def test_a_policy_that_ends_its_process_is_undetermined_at_that_step(name: str, how: str) -> None:
    found = put_to(name)
    repair = found["lets-converging-repair-run"]
    assert repair.answer is Answer.UNDETERMINED
    assert repair.reason.startswith(f"its process ended ({how}) at step 1 of a loop of 1 step: run_check")


def test_a_policy_that_exits_on_checks_still_owes_what_has_no_check() -> None:
    assert put_to("Exits", bound=Bound(0, 2), walk=0)["lets-distinct-work-run"].answer is Answer.HOLDS


def test_a_policy_that_wants_all_memory_is_undetermined_at_that_step() -> None:
    found = put_to("Hoards", memory=1 << 30)
    assert answers(found, [*STORIES, *CONDUCT]) == {Answer.UNDETERMINED}
    assert found["total"].reason.startswith("it ran into the memory limit at step 1 of ")


def test_an_answer_outside_the_contract_is_a_violation_of_the_contract_alone() -> None:
    found = put_to("TalksNonsense")
    assert found["contract"].answer is Answer.VIOLATED
    assert found["contract"].reason == "{'halt': True} at step 2 is neither CONTINUE nor TRIP(reason)"
    assert re.search(r"standins\.py:\d+$", found["contract"].where)
    assert found["total"].answer is Answer.HOLDS
    assert answers(found, STORIES) == {Answer.VACUOUS}


def test_an_answer_that_cannot_even_be_shown_is_told_by_its_type() -> None:
    reason = put_to("AnswersTheUnshowable")["contract"].reason
    assert reason.startswith("<Unshowable instance> at step 1 is neither")


def test_what_a_policy_prints_is_kept_apart_and_told() -> None:
    found = put_to("Prints")
    assert answers(found, TRIPS) == {Answer.HOLDS} and answers(found, CONDUCT) == {Answer.HOLDS}
    printed = str(found["total"].facts["printed"])
    assert "raw\n" in printed and len(printed) <= 200


@pytest.mark.parametrize("name", ["DependsOnHashing", "RemembersOtherRuns"])
def test_a_policy_that_differs_from_run_to_run_is_told_after_which_step(name: str) -> None:
    found = put_to(name)["deterministic"]
    assert found.answer is Answer.VIOLATED
    assert re.fullmatch(
        r"in one run it (tripped after step \d+|never tripped in \d+ steps), "
        r"in another it (tripped after step \d+|never tripped in \d+ steps)",
        found.reason,
    )
    assert found.counterexample is not None and found.counterexample.how == "first found"


def test_a_policy_that_spoils_its_arguments_spoils_them_for_itself_alone() -> None:
    found = put_to("ChangesItsArguments")
    assert answers(found, LETS) == {Answer.HOLDS} and answers(found, CONDUCT) == {Answer.HOLDS}


def test_an_obligation_no_story_owes_is_vacuous() -> None:
    found = put_to("AlwaysTrips", bound=Bound(prefix=0, loop=1))
    assert found["trips-on-alternation"].answer is Answer.VACUOUS
    assert found["trips-on-alternation"].reason == "no story within the bound meets its premise"
    assert found["trips-on-stuck-loop"].answer is Answer.HOLDS


def test_what_there_was_no_time_for_is_undetermined() -> None:
    found = judge(f"{STANDINS}:NeverTrips", time_limit=0.0)
    assert {finding.answer for finding in found} == {Answer.UNDETERMINED}
    assert {finding.reason for finding in found} == {"the time limit was reached"}


def test_the_seed_is_honoured_and_the_same_seed_gives_the_same_report() -> None:
    target = f"{policies.__name__}:CountsCallsOfATool"
    told = ["trips-on-identical-success", "trips-on-alternation", "lets-distinct-work-run"]
    first, again, other = (judge(target, bound=Bound(0, 1), walk=20, seed=seed, only=told) for seed in (0, 0, 1))
    assert first == again
    assert [f.answer for f in first] == [f.answer for f in other]
    assert other[0].facts["seed"] == 1 and "--seed 1" in other[0].replay


def test_a_walk_finds_what_only_longer_stories_show_and_shrinks_it(tmp_path: Path) -> None:
    policy = tmp_path / "patient.py"
    policy.write_text(
        "class Patient:\n"
        "    steps = 0\n"
        "    def observe(self, step):\n"
        "        self.steps += 1\n"
        "        return 'TRIP' if self.steps > 60 else 'CONTINUE'\n"
    )
    found = {f.property: f for f in judge(f"{policy}:Patient", bound=SMALL, walk=4)}["lets-distinct-work-run"]
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert found.counterexample.how == "shrunk" and found.facts["tripped at step"] == 61
    assert str(found.facts["story"]).startswith("a loop of")


def test_a_function_that_makes_policies_is_as_good_as_a_class() -> None:
    assert put_to("make")["total"].answer is Answer.HOLDS


def test_a_policy_needs_neither_meshspec_nor_an_adapter(tmp_path: Path) -> None:
    assert "meshspec" not in STANDINS.read_text(encoding="utf-8").partition("class NeverTrips")[2]


@pytest.mark.parametrize(
    ("attr", "message", "line"),
    [
        ("NeedsArguments", "cannot be made: TypeError: ", "class NeedsArguments"),
        ("CannotBeMade", "cannot be made: ValueError: invalid literal for int() with base 10: 'ten'", 'int("ten")'),
        ("HasNoMethod", "has no method observe(step): the role breaker needs one", "class HasNoMethod"),
    ],
)
def test_a_policy_that_cannot_be_made_is_refused_with_its_line(attr: str, message: str, line: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)) as caught:
        put_to(attr)
    assert str(caught.value.where).endswith(line_of(line))


def test_a_target_that_is_no_class_is_refused() -> None:
    with pytest.raises(ModelError, match=r"A_NUMBER is 7: a policy is a class or a function of no arguments"):
        put_to("A_NUMBER")


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        ("x = 1\ndef broken(:\n", "cannot be loaded: SyntaxError: ", 2),
        (
            "\n\nimport no_such_package_anywhere\n",
            "ModuleNotFoundError: No module named 'no_such_package_anywhere'",
            3,
        ),
        ("def f():\n    return 1 / 0\n\nf()\n", "cannot be loaded: ZeroDivisionError: division by zero", 2),
        ("raise SystemExit\n", "cannot be loaded: SystemExit", 1),
    ],
)
def test_a_file_that_cannot_be_loaded_is_refused_with_its_line(
    tmp_path: Path, source: str, message: str, line: int
) -> None:
    file = tmp_path / "guard.py"
    file.write_text(source)
    with pytest.raises(ModelError, match=re.escape(message)) as caught:
        judge(f"{file}:Guard")
    assert str(caught.value.where) == f"{file}:{line}"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nothing", "'nothing' is not module:attr or path.py:attr"),
        ("no_such_file.py:Guard", "there is no file no_such_file.py"),
        ("no.such.module:Guard", "there is no module no.such.module"),
        (f"{STANDINS}:Missing", "has no attribute Missing"),
    ],
)
def test_a_target_that_names_nothing_is_refused(target: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        judge(target)


def test_an_unknown_role_and_an_interpreter_that_is_not_there_are_refused() -> None:
    with pytest.raises(UsageError, match="there is no role 'router'"):
        judge(f"{STANDINS}:NeverTrips", role="router")
    with pytest.raises(UsageError, match="the interpreter /no/such/python cannot be run"):
        judge(f"{STANDINS}:NeverTrips", python="/no/such/python")


def test_a_policy_that_hangs_or_ends_while_loading_is_undetermined_throughout(tmp_path: Path) -> None:
    for source, said in (("while True: pass", "no answer for 0.2 s"), ("import os; os._exit(5)", "(exit code 5)")):
        file = tmp_path / "guard.py"
        file.write_text(source)
        found = judge(f"{file}:Guard", time_limit_per_story=0.2)
        assert {finding.answer for finding in found} == {Answer.UNDETERMINED} and len(found) == 13
        assert all(said in finding.reason and "while it was being loaded" in finding.reason for finding in found)


def test_a_module_is_found_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_guard.py").write_text("class Guard:\n    def observe(self, step): return 'TRIP'\n")
    monkeypatch.chdir(tmp_path)
    found = judge("my_own_guard:Guard", bound=Bound(0, 1), walk=0)
    assert found[0].answer is Answer.HOLDS and found[0].facts["policy"] == "my_own_guard.py:1"
