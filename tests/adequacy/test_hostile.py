"""Who gives nothing that can be compared, no answer, or takes no such call, is not said to be adequate."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from meshspec.adequacy import (
    Effect,
    attributable,
    catalogue,
    deterministic,
    discriminates,
    limit,
    moves,
    must_agree,
    must_differ,
    stable,
)
from meshspec.adequacy.compared import why_not
from meshspec.answer import Answer, Finding
from meshspec.errors import UsageError
from meshspec.models.environment import Effect as Sort
from tests.adequacy import hostile

RUNS = [{"failed": 1, "hour": 1}, {"failed": 1, "hour": 2}]
HERE: dict[str, Any] = {"hash_seeds": (0, 1), "locales": ("C",)}
QUESTIONS: dict[str, Callable[[Any], Finding]] = {
    "moves": lambda f: moves(f, RUNS),
    "attributable": lambda f: attributable(f, RUNS, ["failed"]),
    "deterministic": lambda f: deterministic(f, RUNS, **HERE),
    "discriminates": lambda f: discriminates(f, [must_differ(1, 2, "Two numbers.")]),
    "discriminates, all pairs": lambda f: discriminates(f, examples=5),
    "stable": lambda f: stable(f, [must_agree(1, 1, "One number.")], **HERE),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", hostile.INCOMPARABLE)
def test_what_cannot_be_compared_leaves_every_question_open(name: str, question: str) -> None:
    found = QUESTIONS[question](hostile.INCOMPARABLE[name])
    assert found.answer is Answer.UNDETERMINED and "cannot be compared" in found.reason
    assert "where they mean the same" in found.settles


def test_two_outcomes_that_differ_are_a_witness_whatever_the_others_are() -> None:
    values = iter([float("nan"), 1, object(), 2])
    assert moves(lambda given: next(values), range(4)).answer is Answer.HOLDS
    values = iter([float("nan"), 1, object(), 1])
    assert moves(lambda given: next(values), range(4)).answer is Answer.UNDETERMINED


def test_a_pair_that_is_merged_is_shown_whatever_the_others_are() -> None:
    pairs = [must_differ(1, 2, "Two numbers."), must_differ(3, 4, "Two more.")]
    found = discriminates(lambda given: object() if given < 3 else 0, pairs)
    assert found.answer is Answer.VIOLATED and found.facts["shown by"] == ("Two more.",)


@pytest.mark.parametrize(
    "value",
    [
        None,
        ...,
        signal.SIGINT,
        int,
        why_not,
        Sort(0),
        [],
        {},
        (1, [None, {"a": b"x"}]),
        catalogue(["attrs", "values"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_the_same_for_everybody_can_be_compared(value: object) -> None:
    assert why_not(value) == ""


def test_what_contains_itself_is_looked_at_once() -> None:
    endless: list[object] = [1]
    endless.append(endless)
    assert why_not(endless) == "" and why_not([endless, float("nan")])


@pytest.mark.parametrize("question", QUESTIONS)
def test_to_end_the_process_is_no_answer_and_does_not_end_it(question: str) -> None:
    found = QUESTIONS[question](hostile.ends)
    assert found.answer is Answer.VIOLATED and "SystemExit" in str(found)


def test_ctrl_c_is_for_who_asks() -> None:
    def interrupted(given: object) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        moves(interrupted, RUNS)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("function", [hostile.hangs, hostile.hangs_on])
def test_what_gives_no_answer_in_time_leaves_it_open(
    function: Callable[[Any], object], question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limit, "CALL_LIMIT", 0.05)
    found = QUESTIONS[question](function)
    assert found.answer is Answer.UNDETERMINED and "gave no answer for 0.05 s" in found.reason
    assert "always answers" in found.settles


def test_the_limit_is_ten_seconds_as_elsewhere() -> None:
    assert limit.CALL_LIMIT == 10.0


def test_a_timer_that_was_running_goes_on() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(limit.Late), limit.limited(0.1):
            time.sleep(5)
        time.sleep(0.05)
        assert rung == [signal.SIGALRM] and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("wrong", [lambda: 1, divmod, hostile.two, hostile.named, hostile.Plain])
def test_a_call_that_does_not_fit_is_no_refusal(wrong: Any) -> None:
    for ask in QUESTIONS.values():
        with pytest.raises(UsageError, match="is asked with one argument"):
            ask(wrong)


def test_a_call_that_fits_may_refuse_without_a_frame_of_its_own() -> None:
    assert moves(len, [1, "a", "bb"]).facts["refused"] == ("1",)
    assert moves(int, ["x", "1", "2"]).answer is Answer.HOLDS


@pytest.mark.parametrize("name", ["folder", "home"])
def test_what_depends_on_where_it_runs_is_not_stable(name: str) -> None:
    pairs = [must_agree(1, 1, "One number.")]
    found = stable(f"tests.adequacy.hostile:{name}", pairs, **HERE)
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert "value '/'" in found.counterexample.steps[1].note and "HOME /" in found.counterexample.steps[1].note
    assert "os.chdir('/')" in found.replay
    assert stable("tests.adequacy.hostile:steady", pairs, **HERE).answer is Answer.HOLDS


def only_payments(effect: Effect) -> str:
    if effect.tool != "pay" or not all(type(value) is int for value in effect.arguments.values()):
        raise TypeError("write a payment of an int")
    return repr((effect.tool, sorted(effect.arguments.items()), effect[2:]))


def test_a_key_that_refuses_more_than_half_is_not_said_to_hold() -> None:
    for found in (discriminates(only_payments, examples=0), stable(f"{__name__}:only_payments", examples=0, **HERE)):
        assert found.answer is Answer.UNDETERMINED and found.reason.startswith("it refused ")
        assert "more than half of what it was asked" in found.reason
    assert discriminates(only_payments, catalogue(["scopes"])).answer is Answer.HOLDS
    assert attributable(only_payments, [Effect("pay", {}), Effect("go", {})], len).answer is Answer.VACUOUS
    half = deterministic(f"{__name__}:only_payments", [Effect("pay", {}), Effect("go", {})], **HERE)
    most = deterministic(f"{__name__}:only_payments", [Effect("pay", {}), Effect("go", {}), Effect("be", {})], **HERE)
    assert (half.answer, most.answer) == (Answer.HOLDS, Answer.UNDETERMINED)


TIDY: dict[str, tuple[Callable[[Effect], Effect], set[str]]] = {
    "signs": (
        lambda e: e._replace(arguments={k: abs(v) if type(v) is int else v for k, v in e.arguments.items()}),
        {"sign of an int"},
    ),
    "case of tools": (lambda e: e._replace(tool=e.tool.lower()), {"case of a tool's name"}),
    "blanks of tools": (
        lambda e: e._replace(tool=e.tool.strip(" ")),
        {"blank before a tool's name", "blank after a tool's name"},
    ),
    "case of tenants": (lambda e: e._replace(tenant=e.tenant.lower()), {"case of a tenant's name"}),
    "blanks of tenants": (
        lambda e: e._replace(tenant=e.tenant.strip(" ")),
        {"blank before a tenant's name", "blank after a tenant's name"},
    ),
    "long tenants": (lambda e: e._replace(tenant=e.tenant[:99]), {"end of a long tenant"}),
    "case of arguments": (
        lambda e: e._replace(arguments={k.lower(): v for k, v in e.arguments.items()}),
        {"case of an argument's name"},
    ),
    "blanks of arguments": (
        lambda e: e._replace(arguments={k.strip(" "): v for k, v in e.arguments.items()}),
        {"blank before an argument's name", "blank after an argument's name"},
    ),
    "ten arguments": (
        lambda e: e._replace(arguments=dict(list(e.arguments.items())[:10])),
        {"the last of twelve"},
    ),
    "leading blanks": (
        lambda e: e._replace(arguments={k: v.lstrip(" ") if type(v) is str else v for k, v in e.arguments.items()}),
        {"leading space"},
    ),
}


@pytest.mark.parametrize("name", TIDY)
def test_a_key_that_tidies_merges_what_it_tidies_and_nothing_else(name: str) -> None:
    tidied, merged = TIDY[name]
    found = discriminates(lambda effect: repr(tidied(effect)), examples=0)
    assert found.answer is Answer.VIOLATED and found.facts["shown by"]
    assert set(found.facts["shown by"]) == merged  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
