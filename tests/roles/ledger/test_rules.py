"""The rules, on runs that are made up."""

from __future__ import annotations

import attrs
import pytest

from meshspec.roles.ledger.drills import Call, Drill, anew, killed_after, one_after_another, retried
from meshspec.roles.ledger.killer import Write
from meshspec.roles.ledger.obligations import (
    false_success,
    not_once,
    obligations,
    same_words,
    silent_duplicate,
    untold,
)
from meshspec.roles.ledger.running import Act, Seen, Told
from meshspec.roles.ledger.story import counterexample


def seen(drill: Drill, told: dict[str, str], *world: str, effect: str = "pay") -> Seen:
    """A run in which calls came to words, an error or nothing, and the world saw the effect in those calls."""
    known = {call: Told("answer" if word.isupper() else "raised", word) for call, word in told.items()}
    return Seen(drill, known, [Act(effect, call) for call in world])


TWICE = retried(Call())
LATE = retried(Call(error="TimeoutError"))


@pytest.mark.parametrize("word", ["DONE", "DUPLICATE", "FAILED", "CONFLICT", "RuntimeError"])
def test_a_second_effect_is_silent_where_its_call_claims_anything(word: str) -> None:
    assert "the world saw the effect twice" in silent_duplicate(seen(TWICE, {"2.1": word}, "1.1", "2.1"))


@pytest.mark.parametrize("word", ["UNKNOWN", "PENDING"])
def test_a_second_effect_is_announced_where_its_call_says_that_it_does_not_know(word: str) -> None:
    assert not silent_duplicate(seen(TWICE, {"2.1": word}, "1.1", "2.1"))


def test_a_second_effect_in_a_call_that_never_answers_is_silent() -> None:
    assert silent_duplicate(seen(TWICE, {}, "1.1", "2.1")).endswith("call 1 of process 2 never answered")


def test_two_effects_in_one_call_are_a_duplicate() -> None:
    assert silent_duplicate(seen(TWICE, {"1.1": "DONE"}, "1.1", "1.1"))


def test_what_happened_once_or_not_at_all_is_no_duplicate() -> None:
    assert not silent_duplicate(seen(TWICE, {"1.1": "DONE", "2.1": "DONE"}, "1.1"))
    assert not silent_duplicate(seen(TWICE, {"1.1": "DONE"}))


def test_once_is_neither_twice_nor_never() -> None:
    assert [not_once(seen(TWICE, {}, *calls)) for calls in ((), ("1.1",), ("1.1", "2.1"))] == [
        "the world saw the effect not at all, and it must be once",
        "",
        "the world saw the effect twice, and it must be once",
    ]


@pytest.mark.parametrize("word", ["DONE", "DUPLICATE", "FAILED", "CONFLICT"])
def test_what_nobody_can_know_is_told_by_no_word_that_claims_it(word: str) -> None:
    assert untold(seen(LATE, {"1.1": word}, "1.1"))
    assert untold(seen(LATE, {"1.1": "TimeoutError", "2.1": word}, "1.1"))


def test_what_nobody_can_know_may_be_in_doubt_or_let_out_as_it_came() -> None:
    assert not untold(seen(LATE, {"1.1": "TimeoutError", "2.1": "UNKNOWN"}, "1.1"))
    assert not untold(seen(LATE, {"1.1": "UNKNOWN", "2.1": "PENDING"}, "1.1"))


def test_a_call_that_performs_it_again_and_says_done_hides_the_doubt() -> None:
    assert untold(seen(LATE, {"1.1": "UNKNOWN", "2.1": "DONE"}, "1.1", "2.1"))
    assert not untold(seen(LATE, {"1.1": "UNKNOWN", "2.1": "UNKNOWN"}, "1.1", "2.1"))


@pytest.mark.parametrize("word", ["DONE", "DUPLICATE"])
def test_success_without_an_effect_is_false(word: str) -> None:
    assert false_success(seen(TWICE, {"2.1": word}))
    assert not false_success(seen(TWICE, {"2.1": word}, "2.1"))
    assert not false_success(seen(TWICE, {"2.1": "UNKNOWN"}))


def test_each_pair_of_causes_needs_two_words() -> None:
    verdicts = next(one.drills[0] for one in obligations() if one.name == "verdicts-distinguishable")
    good = {"1.1": "DONE", "1.2": "DUPLICATE", "1.3": "FAILED", "3.1": "PENDING"}
    assert not same_words(seen(verdicts, good, "1.1"))
    for call in good:
        for other in good:
            if call != other:
                assert same_words(seen(verdicts, {**good, call: good[other]}, "1.1")), (call, other)


def test_a_refusal_that_comes_out_as_it_came_is_a_word_of_its_own() -> None:
    verdicts = next(one.drills[0] for one in obligations() if one.name == "verdicts-distinguishable")
    told = {"1.1": "DONE", "1.2": "DUPLICATE", "1.3": "ConnectionRefusedError", "3.1": "PENDING"}
    assert not same_words(seen(verdicts, told, "1.1"))


def test_an_orphan_that_is_performed_again_is_not_taken_for_a_verdict_on_it() -> None:
    verdicts = next(one.drills[0] for one in obligations() if one.name == "verdicts-distinguishable")
    told = {"1.1": "DONE", "1.2": "DUPLICATE", "1.3": "FAILED", "3.1": "DONE"}
    assert not same_words(seen(verdicts, told, "1.1", "3.1"))


def test_the_payload_rule_asks_for_a_refusal_under_a_key_and_for_the_effect_without_one() -> None:
    rule = next(one.broken for one in obligations() if one.name == "changed-payload-is-refused")
    plain = Drill((one_after_another(Call(), Call("pay 20")),))
    keyed = Drill((one_after_another(Call(key="k"), Call("pay 20", key="k")),))
    performed = [Act("pay", "1.1"), Act("pay 20", "1.2")]
    assert not rule(attrs.evolve(seen(plain, {"1.2": "DONE"}), world=performed))
    assert rule(seen(plain, {"1.2": "DUPLICATE"}, "1.1"))
    assert rule(attrs.evolve(seen(keyed, {"1.2": "DONE"}), world=performed))
    assert rule(seen(keyed, {"1.2": "DUPLICATE"}, "1.1"))
    assert not rule(seen(keyed, {"1.2": "CONFLICT"}, "1.1"))


def test_a_kill_is_told_with_its_write_and_an_undisturbed_end_as_one() -> None:
    run = seen(killed_after(2), {"2.1": "DONE"}, "1.1", "2.1")
    run.writes[1] = [Write("openat", "ledger"), Write("fdatasync", "ledger")]
    run.ended[1] = "killed"
    assert counterexample(run, "").steps[1].action == (
        "process 1 is killed (SIGKILL) after write 2, `fdatasync` of ledger"
    )
    run.ended[1] = "lived"
    assert counterexample(run, "").steps[1].action == "process 1 ends undisturbed, after 2 writes"
    run.ended[1], run.writes[1] = "killed", []
    assert counterexample(run, "").steps[1].action == "process 1 is killed (SIGKILL) before its first write"


def test_only_what_has_one_order_and_no_clock_must_be_answered_alike() -> None:
    assert TWICE.sequential and Drill((one_after_another(Call(dies=True)), anew(Call()))).sequential
    assert not killed_after(1).sequential
    assert not retried(Call(), pause=0.1).sequential and not retried(Call(hold=0.1)).sequential
    assert {life.hashing for stage in TWICE.turned().stages for life in stage} == {0, 1}
    assert TWICE.turned() != TWICE and TWICE.turned().turned() == TWICE
