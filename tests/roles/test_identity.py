"""The role `identity`: what its obligations let through and what they catch, and what hostile policies come to."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

from meshspec.answer import Answer, Finding, Strength, exit_code
from meshspec.errors import ModelError
from meshspec.roles import asked, environments, known
from meshspec.roles.asked import reader
from meshspec.roles.effects import Effect
from meshspec.roles.environments import CannotInstall
from meshspec.roles.identity import AGREE, DIFFER, ROLE, SCOPES, every_pair, judge, wrapped_pairs
from meshspec.roles.identity_words import value_words, words
from meshspec.roles.pairs import TOPICS, catalogue
from meshspec.roles.protocol import Spoiled

POLICIES = Path(__file__).with_name("identities.py")
OWED = [one.name for one in ROLE.obligations]


@cache
def put(name: str, walk: int = 0, limit: float = 10.0, target: str = "") -> dict[str, Finding]:
    found = judge(target or f"{POLICIES}:{name}", walk=walk, time_limit_per_story=limit)
    assert [finding.property for finding in found] == list(ROLE.names)
    return {finding.property: finding for finding in found}


def answered(found: dict[str, Finding], answer: Answer) -> set[str]:
    return {name for name, finding in found.items() if finding.answer is answer}


def test_the_reference_keeps_everything_and_says_how_often_that_was_tried() -> None:
    found = put("", walk=60, target=ROLE.reference)
    assert answered(found, Answer.HOLDS) == set(ROLE.names)
    assert {finding.strength for finding in found.values()} == {Strength.TESTED}
    pairs = [ask for ask in every_pair() if ask.obligation == SCOPES]
    drawn = [ask for ask in wrapped_pairs(0, 60) if ask.obligation == SCOPES]
    assert found[SCOPES].tested == len(pairs) + len(drawn) > 0
    refused = found[DIFFER].facts["refused"]
    assert isinstance(refused, int) and f"{refused} pairs more were refused" in found[DIFFER].reason


@pytest.mark.parametrize("name", OWED)
def test_each_obligation_has_an_incident_that_breaks_it_and_no_other(name: str) -> None:
    found = put("", walk=30, target=ROLE.incidents[name])
    assert answered(found, Answer.VIOLATED) == {name}
    path = found[name].counterexample
    assert path is not None and len(path.steps) == 2
    keys = [step.note for step in path.steps]
    assert (keys[0] == keys[1]) is (name != AGREE), "one key for two effects, or two for one"


def test_every_pair_that_is_broken_is_listed_and_the_simplest_is_the_counterexample() -> None:
    found = put("", walk=30, target=ROLE.incidents[DIFFER])[DIFFER]
    pairs = cast("list[dict[str, Any]]", found.facts["pairs"])
    assert len(pairs) == found.facts["violated"] and len(pairs) > 5
    assert {"1 and '1'", "None and 'None'", "uuid and its text"} <= {pair["pair"] for pair in pairs}
    path = found.counterexample
    assert path is not None
    shown = [step.action for step in path.steps]
    assert shown in [pair["effects"] for pair in pairs]
    plain = [pair["effects"] for pair in pairs if "occurrence" not in str(pair["effects"])]
    assert sum(map(len, shown)) == min(sum(map(len, effects)) for effects in plain)


def test_a_key_that_depends_on_the_process_is_two_keys_for_one_effect() -> None:
    for name, told in (("ByHash", "PYTHONHASHSEED=2"), ("ByZone", "TZ=EAST-9")):
        found = put(name)
        assert found[AGREE].answer is Answer.VIOLATED and found["deterministic"].answer is Answer.HOLDS
        path = found[AGREE].counterexample
        assert path is not None and told in path.steps[1].action


def test_what_is_asked_again_in_one_process_must_be_answered_alike() -> None:
    for name in ("Moody", "Counts"):
        assert "deterministic" in answered(put(name), Answer.VIOLATED), name


@pytest.mark.parametrize("name", ["RefusesAll", "RefusesInItsWay"])
def test_who_refuses_everything_breaks_nothing_and_keeps_nothing(name: str) -> None:
    found = put(name)
    unseen = {*OWED, "contract", "deterministic"}
    assert answered(found, Answer.VACUOUS) == unseen and answered(found, Answer.VIOLATED) == set()
    assert all("were refused" in found[one].reason and found[one].facts["refused"] for one in OWED)
    assert found["total"].answer is Answer.HOLDS, "a refusal is no slip"


def test_a_slip_is_no_refusal() -> None:
    found = put("Slips")
    assert answered(found, Answer.VIOLATED) == {"total"}
    assert answered(found, Answer.VACUOUS) == {*OWED, "contract", "deterministic"}
    assert "ended without an answer (see total, contract)" in found["deterministic"].reason
    assert "KeyError" in found["total"].reason
    line = (
        POLICIES.read_text(encoding="utf-8").splitlines().index('        return effect.arguments["no such argument"]')
        + 1
    )
    assert found["total"].where.endswith(f"identities.py:{line}")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("GivesLists", "unhashable"),
        ("GivesIncomparable", "does not compare: == gives 'perhaps'"),
        ("TakesApart", "it changes the effect that it is asked about"),
        ("EqualToAll", "are equal (==), and their hashes differ"),
        ("HashRaises", "can be no key: hash() or == of it raises KeyError"),
    ],
)
def test_what_is_no_key_and_what_changes_the_effect_breaks_the_contract(name: str, told: str) -> None:
    found = put(name)
    assert found["contract"].answer is Answer.VIOLATED and told in found["contract"].reason


def test_where_no_key_is_one_nothing_else_is_evaluated() -> None:
    found = put("HashRaises")
    assert answered(found, Answer.VACUOUS) == {*OWED, "deterministic"}
    assert all("refused" not in finding.reason for finding in found.values())


def test_keys_that_print_alike_are_told_as_that() -> None:
    told = put("Nameful")[AGREE]
    assert told.answer is Answer.VIOLATED and "two keys that print alike (an address or an identity" in told.reason


@pytest.mark.parametrize("role", ["identity", "lease"])
def test_what_was_finished_when_the_user_ended_it_keeps_its_answer(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, left = asked.Session.drive, iter(range(2))

    def ended(session: asked.Session, questions: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return drive(session, questions)

    monkeypatch.setattr(asked.Session, "drive", ended)
    target = "ForgetsWhose" if role == "identity" else "ChecksThenInserts"
    found = {f.property: f for f in known.judge(f"meshspec.roles.{role}_incidents:{target}", role=role)}
    broken = SCOPES if role == "identity" else "one-holder-at-a-time"
    assert answered(found, Answer.VIOLATED) == {broken}
    rest = [finding for name, finding in found.items() if name != broken]
    assert {finding.answer for finding in rest} == {Answer.UNDETERMINED}
    assert {finding.reason for finding in rest} == {"interrupted"} and exit_code(rest) == 3


def test_a_policy_that_hangs_is_undetermined_where_it_hangs_and_judged_elsewhere() -> None:
    found = put("Hangs", limit=0.5)
    assert found[DIFFER].answer is Answer.VIOLATED, "its keys do not tell values apart, and that was seen before"
    assert found[SCOPES].answer is Answer.HOLDS
    cut = {found[name].answer for name in ("total", "contract", "deterministic")}
    assert cut == {Answer.UNDETERMINED} and "it gave no answer for 0.5 s in call 1" in found["total"].reason


def test_a_policy_that_ends_its_process_is_undetermined_throughout() -> None:
    found = put("Exits")
    assert answered(found, Answer.UNDETERMINED) == set(ROLE.names)
    assert "its process ended (exit code 3) in call 1" in found[SCOPES].reason


def test_keys_that_cannot_leave_their_process_leave_agreement_undetermined() -> None:
    found = put("GivesOpaque")
    assert found[AGREE].answer is Answer.UNDETERMINED and "cannot be compared" in found[AGREE].reason
    assert "text, bytes, numbers" in found[AGREE].settles


def test_what_is_printed_is_kept_apart() -> None:
    found = put("Chatty")
    assert "hello" in str(found["total"].facts["printed"]) and found["total"].answer is Answer.HOLDS


@pytest.mark.parametrize(
    ("name", "told"),
    [("Nameless", "has no method key: the role identity needs key"), ("Waits", "key is a coroutine function")],
)
def test_what_has_no_such_method_is_bad_input_at_its_line(name: str, told: str) -> None:
    with pytest.raises(ModelError, match=told) as error:
        put(name)
    assert error.value.where is not None and error.value.where.file.endswith("identities.py")


def test_no_time_and_no_package_are_undetermined(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    late = judge(ROLE.reference, time_limit=0.0)
    assert {finding.answer for finding in late} == {Answer.UNDETERMINED}
    monkeypatch.setenv("MESHSPEC_CACHE", str(tmp_path))

    def refuse(command: list[str]) -> None:
        raise CannotInstall("no such version")

    monkeypatch.setattr(environments, "_run", refuse)
    missing = judge(ROLE.reference, package="nothing==1", promises=[DIFFER], only=[DIFFER])
    assert [finding.property for finding in missing] == [DIFFER, *ROLE.conduct]
    assert {finding.reason for finding in missing} == {"nothing==1 cannot be installed: no such version"}


def test_every_pair_of_the_catalogue_is_asked_in_one_obligation() -> None:
    asked = list(every_pair())
    assert len(asked) == len(catalogue(Effect)) and {ask.pair.topic for ask in asked} == set(TOPICS)
    assert {ask.obligation for ask in asked} == {DIFFER, AGREE, SCOPES}
    assert {ask.pair.name for ask in asked if ask.obligation == SCOPES} >= {"tool", "tenant", "session"}
    drawn, again, other = ([ask.question for ask in wrapped_pairs(seed, 40)] for seed in (7, 7, 8))
    assert drawn == again != other


def test_values_are_shown_as_they_are_written_and_not_at_length() -> None:
    assert words(Effect("pay", {"a b": 1}, session="s\n")) == "pay(**{'a b': 1}) in session 's\\n'"
    assert value_words(10**5000 + 1) == "<an int of about 5,001 digits, ending in 001>"
    assert value_words({"b", "a"}) == "{'a', 'b'}" and len(value_words("y" * 5000)) < 90
    assert value_words(True) == "True" and value_words([1, {"x": None}]) == "[1, {'x': None}]"


def test_what_no_child_writes_is_not_believed() -> None:
    read = reader(int)
    assert read(b"5") == 5
    with pytest.raises(Spoiled):
        read(b'"five"')
