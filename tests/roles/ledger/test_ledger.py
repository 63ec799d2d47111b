"""The role `ledger` put to its reference, its incidents, and policies that misbehave."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from meshspec.answer import Answer, Finding, exit_code
from meshspec.errors import ModelError, UsageError
from meshspec.roles import environments
from meshspec.roles.environments import CannotInstall
from meshspec.roles.ledger import ROLE, judge, killer
from meshspec.roles.ledger.obligations import obligations
from tests.roles.ledger import standins
from tests.roles.ledger.test_killer import denied

STANDINS = Path(standins.__file__)
TIMED = ("no-silent-duplicate-after-expiry", "live-holder-keeps-its-effect")
QUICK = tuple(one.name for one in obligations() if not one.swept and one.name not in TIMED)
CRASH = "no-silent-duplicate-after-crash"
BREAK_MORE: dict[str, set[str]] = {
    CRASH: {CRASH, "no-silent-duplicate-after-expiry"},  # the dead have expired as well
    "no-false-success-after-crash": {"no-false-success-after-crash", "verdicts-distinguishable"},
    "live-holder-keeps-its-effect": set(TIMED),  # without a beat, alive and dead expire alike
}
CONDUCT = {"total", "contract", "deterministic"}


def put_to(name: str, *only: str, limit: float = 5.0, kills: int | None = 2) -> dict[str, Finding]:
    target = name if ":" in name else f"{STANDINS}:{name}"
    found = judge(target, only=only or QUICK, time_limit_per_story=limit, kills=kills)
    return {finding.property: finding for finding in found}


@cache
def reference() -> dict[str, Finding]:
    """All that is owed, each kill made."""
    return {finding.property: finding for finding in judge(ROLE.reference)}


def line_of(text: str) -> str:
    lines = STANDINS.read_text(encoding="utf-8").splitlines()
    return f"standins.py:{next(i for i, line in enumerate(lines, 1) if text in line)}"


def test_the_reference_keeps_all_that_is_owed_wherever_it_is_killed() -> None:
    found = reference()
    assert list(found) == list(ROLE.names)
    assert {finding.answer for finding in found.values()} == {Answer.HOLDS}
    crash = found[CRASH]
    assert crash.facts["unit"] == "kills" and crash.tested == crash.facts["kills"]
    assert crash.tested is not None and crash.tested > 20  # two transactions and the effect, at ten writes each


def test_a_kill_may_leave_an_effect_undone_and_the_report_says_how_often() -> None:
    undone = reference()[CRASH].facts["left undone"]
    assert isinstance(undone, int) and undone > 0
    assert reference()[CRASH].reason == f"the effect was left undone in {undone}, as at most once allows"


@pytest.mark.parametrize("obligation", ROLE.incidents)
def test_each_incident_breaks_the_obligation_it_is_listed_for_and_no_other(obligation: str) -> None:
    asked = {*QUICK, obligation, *(TIMED if obligation in BREAK_MORE else ())}
    found = put_to(ROLE.incidents[obligation], *asked)
    violated = {name for name, finding in found.items() if finding.answer is Answer.VIOLATED}
    assert violated == BREAK_MORE.get(obligation, {obligation})
    others = {name: f.answer for name, f in found.items() if name not in violated}
    assert set(others.values()) <= {Answer.HOLDS}, others


def test_every_obligation_has_an_incident() -> None:
    assert list(ROLE.incidents) == [one.name for one in obligations()]


def test_a_violation_is_an_argument_from_the_first_call_to_the_second_line_in_the_world() -> None:
    found = put_to(ROLE.incidents[CRASH], CRASH)[CRASH]
    assert found.counterexample is not None and exit_code([found]) == 1
    assert [(step.action, dict(step.changes), step.note) for step in found.counterexample.steps] == [
        (
            "process 1 submits pay(order=7, amount=10); its process is killed (SIGKILL) after perform acted",
            {"world": ("0 lines", "1 line")},
            "no answer",
        ),
        (
            "process 2, a new one, submits pay(order=7, amount=10)",
            {"world": ("1 line", "2 lines")},
            "DONE 'receipt 1'",
        ),
    ]
    assert found.reason == "the world saw the effect twice, and call 1 of process 2 answered DONE"
    assert found.replay == f"meshspec check {ROLE.incidents[CRASH]} --role ledger --seed 0"


def test_a_moment_between_two_writes_is_found_by_the_kill_that_falls_there() -> None:
    found = put_to("ForgetsBeforeItRecords", CRASH, kills=None)[CRASH]
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert [step.action for step in found.counterexample.steps] == [
        "process 1 submits pay(order=7, amount=10)",
        "process 1 is killed (SIGKILL) after write 5, `unlink` of intent",  # intent; the world's line, thrice; unlink
        "process 2, a new one, submits pay(order=7, amount=10)",
    ]
    assert found.facts["kills"] == 6  # before the first write, and after each of five


def test_the_kills_are_one_more_than_the_writes_of_an_undisturbed_run() -> None:
    found = put_to("Once", CRASH, kills=None)[CRASH]
    assert (found.answer, found.tested) == (Answer.HOLDS, 5)  # its file; the world's line is opened, written, synced


def test_where_ptrace_is_not_permitted_a_crash_is_undetermined_and_never_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(killer, "ptrace", denied)
    found = put_to("Once", CRASH, "no-false-success-after-crash")
    for name in (CRASH, "no-false-success-after-crash"):
        assert found[name].answer is Answer.UNDETERMINED
        assert found[name].reason == "ptrace is not permitted here: Operation not permitted"
        assert found[name].known == "kept on 2 drills" and found[name].facts["kills"] == 0
    assert exit_code(found.values()) == 3


def test_where_ptrace_is_not_permitted_what_needs_none_is_still_found_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(killer, "ptrace", denied)
    assert put_to(ROLE.incidents[CRASH], CRASH)[CRASH].answer is Answer.VIOLATED


def test_a_sweep_that_is_cut_short_is_undetermined() -> None:
    found = put_to("Once", CRASH, kills=3)[CRASH]
    assert (found.answer, found.reason) == (Answer.UNDETERMINED, "only the first 3 kills were made")


def test_a_ledger_that_performs_nothing_keeps_nothing() -> None:
    found = put_to("DoesNothing", *(one.name for one in obligations() if one.name not in TIMED), kills=None)
    broken = [name for name, f in found.items() if f.answer is Answer.VIOLATED]
    assert broken == ["retry-after-success-runs-once", "concurrent-submits-run-once"]
    nothing = {f.reason for f in found.values() if f.answer is Answer.VACUOUS}
    assert nothing == {"nothing was evaluated: no effect was ever performed"}
    assert {name for name, f in found.items() if f.answer is Answer.HOLDS} == CONDUCT


def test_a_ledger_that_does_not_say_for_how_long_it_holds_cannot_be_waited_for() -> None:
    found = put_to("DoesNotSayHowLong", *TIMED)
    assert {found[name].answer for name in TIMED} == {Answer.UNDETERMINED}
    assert {found[name].reason for name in TIMED} == {"it does not say for how long a claim or a key holds"}
    assert "an attribute `lifetime` in seconds" in found[TIMED[0]].settles


def test_an_hour_is_not_waited_for() -> None:
    found = put_to("HoldsForAnHour", *TIMED)
    assert {found[name].answer for name in TIMED} == {Answer.UNDETERMINED}
    assert "its lifetime of 3600 s is none, or longer than 5 s" in found[TIMED[0]].reason


def test_a_lifetime_of_its_own_is_waited_for_and_what_it_lets_happen_is_found() -> None:
    found = put_to("HoldsForATenth", *TIMED)
    assert {found[name].answer for name in TIMED} == {Answer.VIOLATED}
    path = found[TIMED[0]].counterexample
    assert path is not None and [step.action for step in path.steps][1] == "0.15 s pass"


def test_a_policy_that_raises_on_a_drill_is_not_total_and_what_it_spoiled_is_no_success() -> None:
    found = put_to("Raises", "none-result-deduplicates")
    assert found["total"].answer is Answer.VIOLATED and found["total"].where.endswith(line_of("the line a report"))
    assert found["total"].reason == "in call 1 of process 2 it raised LookupError: it was seen before"
    spoiled = found["none-result-deduplicates"]
    assert spoiled.answer is Answer.VACUOUS and "no drill ended in answers (see total, contract)" in spoiled.reason


def test_where_some_drills_end_without_an_answer_the_others_do_not_make_it_hold() -> None:
    found = put_to("RaisesOnRings", "unserialisable-result-deduplicates")["unserialisable-result-deduplicates"]
    assert found.answer is Answer.UNDETERMINED and found.known == "kept on 2 drills"
    assert found.reason == "2 drills ended without an answer (see total, contract)"


def test_a_policy_that_cannot_be_made_over_what_it_left_is_not_total() -> None:
    found = put_to("CannotBeMadeAgain", "none-result-deduplicates")["total"]
    assert found.answer is Answer.VIOLATED and found.where.endswith(line_of('"made").mkdir'))
    assert found.reason.startswith("while it was being made it raised FileExistsError")


def test_what_is_no_answer_of_a_ledger_breaks_the_contract() -> None:
    found = put_to("TalksNonsense", "none-result-deduplicates")
    assert found["contract"].answer is Answer.VIOLATED and found["total"].answer is Answer.HOLDS
    assert "{'ok': ('DONE', 'receipt 1')}, which is no answer of a ledger" in found["contract"].reason


def test_executing_and_then_recording_is_found_by_all_that_can_come_between() -> None:
    target = "meshspec.policies.ledger_incidents:ExecutesThenRecords"
    found = put_to(target, *QUICK, CRASH)
    assert [name for name, finding in found.items() if finding.answer is Answer.VIOLATED] == [
        "no-silent-duplicate-after-exception",
        "unknown-outcome-surfaces",
        CRASH,
        "concurrent-submits-run-once",
    ]


def test_a_policy_that_answers_otherwise_in_another_process_is_not_deterministic() -> None:
    found = put_to("AnswersByItsProcess", "none-result-deduplicates")["deterministic"]
    assert found.answer is Answer.VIOLATED
    assert (
        found.reason == "run again, it went another way: call 1 of process 2 first came to PENDING, then to UNKNOWN"
    )


def test_a_name_that_depends_on_the_hash_seed_is_found_by_the_retry_in_another_process() -> None:
    found = put_to("DependsOnHashing", "none-result-deduplicates")
    assert found["none-result-deduplicates"].answer is Answer.VIOLATED
    assert "the world saw the effect twice" in found["none-result-deduplicates"].reason


@pytest.mark.parametrize(("name", "why"), [("Hangs", "it gave no answer for 0.4 s"), ("Exits", "its process ended")])
def test_what_never_comes_back_is_undetermined_with_its_drill(name: str, why: str) -> None:
    found = put_to(name, "none-result-deduplicates", limit=0.4)
    cut = found["none-result-deduplicates"]
    assert cut.answer is Answer.UNDETERMINED and found["total"].answer is Answer.UNDETERMINED
    assert cut.reason.startswith(f"{why} (in the drill that begins: process 1 submits pay(order=7, amount=10)")


def test_what_a_policy_starts_is_ended_with_its_drill() -> None:
    found = put_to("StartsOthers", "none-result-deduplicates")
    assert found["none-result-deduplicates"].answer is Answer.HOLDS
    assert "it left processes running" in str(found["total"].facts["did"])


def test_what_it_writes_elsewhere_is_refused_and_told() -> None:
    found = put_to("WritesElsewhere", "none-result-deduplicates")
    assert found["none-result-deduplicates"].answer is Answer.HOLDS
    assert "it wanted to write outside its own folder, and was refused" in str(found["total"].facts["did"])


def test_conduct_is_seen_whatever_is_asked() -> None:
    found = {finding.property: finding for finding in judge(f"{STANDINS}:HoldsForATenth", only=[TIMED[1]])}
    assert {found[name].answer for name in CONDUCT} == {Answer.HOLDS}
    assert found["deterministic"].tested == 1


def test_when_time_is_up_what_is_left_is_undetermined() -> None:
    found = judge(f"{STANDINS}:Once", only=["none-result-deduplicates", CRASH], time_limit=0.0)
    late = {finding.property: finding for finding in found if finding.kind == "obligation"}
    assert {finding.answer for finding in late.values()} == {Answer.UNDETERMINED}
    assert {finding.reason for finding in late.values()} == {"the time limit was reached"}


def test_a_system_without_fork_is_told_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    found = judge(ROLE.reference)
    assert {finding.answer for finding in found} == {Answer.UNDETERMINED} and len(found) == len(ROLE.names)
    assert "the drills need fork and Unix sockets" in found[0].reason


def test_a_package_that_cannot_be_had_is_undetermined_throughout(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(command: list[str]) -> None:
        raise CannotInstall("no such version")

    monkeypatch.setattr(environments, "_run", refuse)
    found = judge(ROLE.reference, package="agent-once==9999")
    assert {finding.reason for finding in found} == {"agent-once==9999 cannot be installed: no such version"}
    assert {finding.answer for finding in found} == {Answer.UNDETERMINED}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("HasNoRun", r"HasNoRun has no method run\(effect, perform\): the role ledger needs one"),
        ("Waits", "Waits.run is a coroutine function: the role ledger calls it"),
        ("NeedsMore", "cannot be made of the path of a folder: TypeError"),
        ("DiesInTheMaking", "its process ended while it was being made"),
    ],
)
def test_what_is_no_ledger_is_refused_with_its_line(name: str, why: str) -> None:
    with pytest.raises(ModelError, match=why):
        put_to(name)


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no module nowhere"):
        put_to("nowhere:Ledger")


def test_what_is_promised_stands_beside_each_answer() -> None:
    found = judge(f"{STANDINS}:DoesNothing", only=["verdicts-distinguishable"], promises=["verdicts-distinguishable"])
    assert found[0].facts["promised"] is True and found[0].answer is Answer.VACUOUS
