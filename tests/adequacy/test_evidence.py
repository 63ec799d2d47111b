"""moves, attributable, deterministic and determinate: every word, with what shows it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import attrs
import pytest

from meshspec.adequacy import Effect as Call
from meshspec.adequacy import attributable, determinate, deterministic, moves
from meshspec.answer import Answer, Finding, Strength
from meshspec.errors import UsageError
from meshspec.models.effect_ledger import EffectLedger
from meshspec.models.environment import Effect
from meshspec.sorts import Sort
from tests.adequacy import keys

HERE: dict[str, Any] = {"hash_seeds": (0, 1), "locales": ("C",)}
ONE: Mapping[type[Sort], int] = {Effect: 1}


def says(finding: Finding, answer: Answer, *parts: str) -> None:
    assert finding.answer is answer, str(finding)
    told = " ".join(str(finding).split())
    for part in parts:
        assert part in told, told


def nothing(given: object) -> object:
    raise KeyError(given)


def length(given: Any) -> int:
    return len(given)


def call(tool: str) -> Call:
    return Call(tool, {"a": 1})


# moves


def test_what_is_the_same_for_every_outcome_cannot_move() -> None:
    found = moves(lambda names: "check" in names, [["check", "a", "b"], ["check"], ["check", "a"]])
    says(found, Answer.VIOLATED, "it cannot move", "all 3 outcomes", "['check']", "['check', 'a']")


def test_what_moves_holds_with_two_outcomes() -> None:
    says(moves(length, [["a"], ["b"], ["a", "b"]]), Answer.HOLDS, "['a'] gives value 1", "['a', 'b'] gives value 2")


def test_an_endless_supply_of_one_value_leaves_it_open() -> None:
    found = moves(lambda number: 0, itertools.count(), limit=50)
    says(found, Answer.UNDETERMINED, "cut off by 50 outcomes", "nothing speaks against it in 50 outcomes")
    assert moves(lambda number: number // 49, itertools.count(), limit=50).answer is Answer.HOLDS
    assert moves(lambda number: 0, range(50), limit=50).answer is Answer.VIOLATED


@pytest.mark.parametrize("outcomes", [[], [["a"]]])
def test_with_fewer_than_two_outcomes_nothing_is_said(outcomes: list[object]) -> None:
    says(moves(length, outcomes), Answer.VACUOUS, "fewer than two outcomes")


def test_outcomes_that_are_refused_are_none() -> None:
    says(moves(length, [1, 2, 3]), Answer.VACUOUS, "it refused all 3 outcomes")
    says(moves(length, [1, "a", "bb"]), Answer.HOLDS, "it refused 1 more (1)")


def test_to_raise_is_violated_and_what_cannot_be_compared_is_open() -> None:
    says(moves(lambda names: names["x"], [{}, {"x": 1}]), Answer.VIOLATED, "KeyError")
    says(moves(lambda names: keys.Torn(), [1, 2]), Answer.UNDETERMINED, "which of my parts?")


def test_the_reachable_states_of_a_model_are_outcomes() -> None:
    effect = Effect(0)
    found = moves(lambda ledger: ledger.recorded[effect], EffectLedger, scope=ONE)
    assert (found.answer, found.strength, found.scope) == (Answer.HOLDS, Strength.EXHAUSTIVE, {"Effect": 1})
    constant = moves(lambda ledger: ledger.applied[effect] > 1, EffectLedger, scope=ONE)
    says(
        constant, Answer.VIOLATED, "the first state", f"all {found.states} outcomes"
    )  # at most once: no state has it


def test_a_search_of_states_that_is_cut_off_leaves_it_open() -> None:
    cut = moves(lambda ledger: 0, EffectLedger, scope=ONE, limit=5)
    says(cut, Answer.UNDETERMINED, "cut off by 5 states")
    seen = moves(lambda ledger: ledger.up, EffectLedger, scope=ONE, limit=20)
    assert seen.strength is Strength.TESTED


def test_a_scope_is_a_models_alone() -> None:
    with pytest.raises(UsageError, match="a scope belongs to a model"):
        moves(length, [[], ["a"]], scope=ONE)
    with pytest.raises(UsageError, match="at least one input"):
        moves(length, [[], ["a"]], limit=0)


# attributable


class Run(NamedTuple):
    failed: int
    hour: int
    host: str = "a"


@attrs.frozen
class Report:
    failed: int
    hour: int


RUNS = [Run(0, 9), Run(2, 17, "b"), Run(2, 9, "c")]


def test_what_depends_on_something_else_is_violated_with_two_inputs() -> None:
    found = attributable(lambda run: (run.failed, run.hour), RUNS, ["failed"])
    says(found, Answer.VIOLATED, "failed is the same in both", "Run(failed=0, hour=9,", "Run(failed=0, hour=17,")


def test_two_fields_that_matter_together_are_found() -> None:
    """Where either alone changes nothing."""
    both = attributable(lambda run: run == (0, 17, "b"), RUNS[:2], ["failed"])
    says(both, Answer.VIOLATED, "1 of", "Run(failed=0, hour=17, host='b')")


def test_what_depends_on_nothing_else_holds() -> None:
    found = attributable(lambda run: run.failed > 1, RUNS, ["failed"])
    assert found.answer is Answer.HOLDS and found.tested
    plain = attributable(lambda run: run.failed, [Report(0, 9), Report(2, 17)], ["failed"])
    assert (plain.answer, plain.tested) == (Answer.HOLDS, 2)
    by_failures = [{"failed": 1, "hour": hour} for hour in (1, 2)]
    grouped = attributable(lambda run: run["failed"], by_failures, lambda run: run["failed"])
    assert (grouped.answer, grouped.tested) == (Answer.HOLDS, 1)


def test_where_nothing_else_varies_nothing_is_said() -> None:
    says(attributable(length, [], lambda given: given), Answer.VACUOUS, "no two inputs")
    says(attributable(lambda run: run.failed, [Run(0, 9), Run(1, 9)], ["failed"]), Answer.VACUOUS)
    says(attributable(lambda run: length(run.failed), RUNS, ["failed"]), Answer.VACUOUS, "it refused all")


def test_too_many_pairs_leave_it_open() -> None:
    many = (Run(0, hour) for hour in itertools.count())
    says(attributable(lambda run: run.failed, many, ["failed"], limit=20), Answer.UNDETERMINED, "cut off by 20")
    says(attributable(lambda run: keys.Torn(), RUNS, ["failed"]), Answer.UNDETERMINED, "which of my parts?")


def test_fields_that_there_are_not_are_refused() -> None:
    with pytest.raises(UsageError, match=r"has no field 'failure'; it has 'failed', 'hour', 'host'"):
        attributable(length, RUNS, ["failure"])
    with pytest.raises(UsageError, match="has no named fields"):
        attributable(length, ["ab", "c"], ["failed"])


def test_to_raise_is_violated_there_too() -> None:
    says(attributable(nothing, RUNS, ["failed"]), Answer.VIOLATED, "KeyError")


# deterministic


def test_what_is_remembered_shows_when_it_is_asked_again() -> None:
    remembered: list[object] = []

    def first_time(given: object) -> bool:
        remembered.append(given)
        return remembered.count(given) == 1

    says(deterministic(first_time, ["a", "b"]), Answer.VIOLATED, "asked once more, last first")


def test_what_depends_on_the_order_of_asking_shows() -> None:
    asked: list[object] = []

    def every_other(given: object) -> int:
        asked.append(given)
        return len(asked) % 2

    says(deterministic(every_other, ["a", "b"]), Answer.VIOLATED, "asked once more, last first")


def test_what_was_met_first_in_another_process_shows() -> None:
    found = deterministic("tests.adequacy.keys:numbered", [call("pay"), call("refund")], **HERE)
    says(found, Answer.VIOLATED, "the last input asked first")


def test_what_each_process_draws_for_itself_shows_there() -> None:
    effects = [call("pay"), call("refund")]
    found = deterministic("tests.adequacy.keys:drawn", effects, **HERE)
    says(found, Answer.VIOLATED, "in this process", "PYTHONHASHSEED=0")
    assert deterministic("tests.adequacy.keys:all_of_it", effects, **HERE).answer is Answer.HOLDS


def test_a_key_that_leaves_something_out_is_violated() -> None:
    runs = [{"workspace": "w", "log": size} for size in (1, 2)]
    found = deterministic(lambda run: run["log"] == 1, runs, lambda run: run["workspace"])
    says(found, Answer.VIOLATED, "the key is 'w' for both", "'log': 1", "'log': 2")


def test_a_check_that_no_other_process_can_import_is_left_open() -> None:
    runs = [{"workspace": "w", "log": size} for size in (1, 2)]
    found = deterministic(lambda run: run["log"], runs, lambda run: run["log"])
    says(found, Answer.UNDETERMINED, "lambda", "module:attribute")


def test_without_an_input_there_is_nothing_to_ask_twice() -> None:
    says(deterministic("tests.adequacy.keys:all_of_it", [], **HERE), Answer.VACUOUS, "no input was given")
    says(deterministic(keys.refusing, [call("pay")], **HERE), Answer.VACUOUS, "it refused all 1")


def test_to_raise_is_no_outcome() -> None:
    says(deterministic(keys.raising, [call("pay")], **HERE), Answer.VIOLATED, "KeyError")
    says(deterministic(keys.torn, [call("pay")], **HERE), Answer.UNDETERMINED, "which of my parts?")


def test_inputs_without_an_end_leave_it_open() -> None:
    says(deterministic(lambda number: 0, itertools.count(), limit=9), Answer.UNDETERMINED, "cut off by 9 inputs")


# determinate


def worlds() -> Iterator[tuple[str, str]]:
    """What is seen, and what is so."""
    yield from [("gap", "first"), ("gap", "second"), ("none", "first")]


def decided(decide: Callable[[Any], object], **told: Any) -> Finding:
    return determinate(decide, worlds(), sees=lambda w: w[0], truth=lambda w: w[1], abstains="abstain", **told)


def test_to_decide_between_two_worlds_that_look_alike_is_violated() -> None:
    says(decided(lambda seen: "first"), Answer.VIOLATED, "both look like 'gap'", "wants 'second'")


def test_to_abstain_there_is_enough() -> None:
    found = decided(lambda seen: "abstain" if seen == "gap" else "first")
    assert (found.answer, found.tested) == (Answer.HOLDS, 1)


def test_where_no_two_worlds_look_alike_nothing_is_said() -> None:
    clear = determinate(lambda seen: "first", [("a", 1), ("b", 2)], sees=lambda w: w[0], truth=lambda w: w[1])
    says(clear, Answer.VACUOUS, "no two worlds look alike")
    one = determinate(lambda seen: "first", [("a", 1), ("a", 1)], sees=lambda w: w[0], truth=lambda w: w[1])
    says(one, Answer.VACUOUS, "want different answers")


def test_worlds_that_were_not_looked_at_leave_it_open() -> None:
    says(decided(lambda seen: "abstain", limit=2), Answer.UNDETERMINED, "cut off by 2 worlds")
    says(decided(lambda seen: keys.Torn()), Answer.UNDETERMINED, "which of my parts?")
    says(decided(nothing), Answer.VIOLATED, "KeyError")
