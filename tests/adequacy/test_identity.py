"""discriminates and stable: every word, with the pair that shows it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from meshspec.adequacy import Inadequate, adequate, catalogue, discriminates, must_agree, must_differ, named, stable
from meshspec.answer import Answer, Finding, Strength
from meshspec.errors import UsageError
from tests.adequacy import keys

HERE: dict[str, Any] = {"hash_seeds": (0, 1), "locales": ("C",)}
ROOT = Path(__file__).parents[2]


def actions(finding: Finding) -> tuple[str, ...]:
    assert finding.counterexample is not None
    return finding.counterexample.actions


def told(finding: Finding, name: str) -> set[str]:
    """A list among the facts."""
    return set(cast("tuple[str, ...]", finding.facts[name]))


def test_what_merges_is_violated_with_the_smallest_pair() -> None:
    found = discriminates(keys.dumped)
    assert found.answer is Answer.VIOLATED and "merges" in found.reason
    assert actions(found) == ("Effect('pay', {'a': 1})", "Effect('pay', {'a': 1}, occurrence=1)")
    assert {"tenant", "session", "key 1 and key '1'", "occurrence"} <= told(found, "shown by")


def test_what_was_shown_can_be_shown_again() -> None:
    found = discriminates("tests.adequacy.keys:dumped")
    command = found.replay.replace("python", sys.executable, 1)
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT, check=True, timeout=60)
    assert done.stdout == '["pay", {"a": 1}] ["pay", {"a": 1}]\n'


def test_what_no_pair_of_the_catalogue_shows_is_generated_and_shrunk() -> None:
    def without_long_names(effect: Any) -> str:
        return repr(
            effect._replace(arguments={k: v for k, v in effect.arguments.items() if len(k) < 3 or k in NAMES})
        )

    NAMES = {name for pair in catalogue() for name in (*pair.one.arguments, *pair.other.arguments)}
    found = discriminates(without_long_names, examples=30, seed=3)
    assert found.answer is Answer.VIOLATED and found.counterexample is not None
    assert found.counterexample.how == "shrunk" and "a generated pair" in found.reason
    assert len(actions(found)[0]) < 60
    again = discriminates(without_long_names, examples=30, seed=3)
    assert actions(again) == actions(found)


def test_what_tells_all_apart_holds_and_says_what_it_was_judged_by() -> None:
    found = discriminates(keys.all_of_it, examples=30)
    assert (found.answer, found.strength) == (Answer.HOLDS, Strength.TESTED)
    assert "numbers differ" in found.reason and found.facts["refused"] == ("very large ints",)
    assert found.tested == 30 + len([p for p in catalogue() if p.relation == "differ"]) - 1


def test_a_convention_can_be_switched() -> None:
    def equal_numbers(effect: Any) -> object:
        return effect  # two named tuples are equal where == says so

    merged = discriminates(equal_numbers, [named("1 and 1.0")])
    assert merged.answer is Answer.VIOLATED and "'numbers'" in str(merged)
    assert (
        discriminates(equal_numbers, [named("1 and 1.0")], conventions={"numbers": "either"}).answer is Answer.VACUOUS
    )
    agreeing = stable(equal_numbers, [named("1 and 1.0")], conventions={"numbers": "agree"}, **HERE)
    assert agreeing.answer is Answer.UNDETERMINED  # as far as this process goes; a closure goes no further


@pytest.mark.parametrize(
    ("conventions", "message"),
    [({"number": "agree"}, "no convention 'number'"), ({"numbers": "same"}, "write 'differ', 'agree' or 'either'")],
)
def test_a_convention_that_there_is_not_is_refused(conventions: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        discriminates(keys.all_of_it, conventions=conventions)


def test_refusing_is_not_merging() -> None:
    found = discriminates(keys.refusing, topics=["types"])
    assert found.answer is Answer.VACUOUS and found.reason.startswith("it refused all")
    assert stable(keys.refusing, topics=["nesting"], **HERE).answer is Answer.VACUOUS


def test_a_pair_of_which_one_is_refused_is_not_asked() -> None:
    def only_texts(value: object) -> object:
        if not isinstance(value, str):
            raise TypeError("write a text")
        return value

    found = discriminates(only_texts, [must_differ(1, "1", "A number is no text.")])
    assert found.answer is Answer.VACUOUS and found.facts["refused"] == ("A number is no text.",)


def test_to_raise_for_one_of_two_is_told_as_that() -> None:
    found = discriminates(lambda value: {1: "one"}[value], [must_differ(1, 2, "Two numbers.")])
    assert found.answer is Answer.VIOLATED and "neither a value nor a refusal" in str(found)


def test_to_raise_is_neither_a_key_nor_a_refusal() -> None:
    for found in (discriminates(keys.raising), stable(keys.raising, **HERE)):
        assert found.answer is Answer.VIOLATED and "KeyError" in str(found)


def test_without_a_pair_nothing_is_said() -> None:
    assert discriminates(keys.all_of_it, []).answer is Answer.VACUOUS
    assert discriminates(keys.all_of_it, [must_agree(1, 1, "One.")]).answer is Answer.VACUOUS
    assert stable("tests.adequacy.keys:all_of_it", [], **HERE).answer is Answer.VACUOUS


def test_values_that_cannot_be_compared_are_told() -> None:
    for found in (discriminates(keys.torn), stable(keys.torn, **HERE)):
        assert found.answer is Answer.UNDETERMINED and "which of my parts?" in found.reason


def test_what_answers_in_two_ways_cannot_be_shrunk_and_says_so() -> None:
    asked: list[int] = []

    def wavering(effect: Any) -> str:
        asked.append(1)
        return "" if 250 < len(asked) < 260 else repr(effect)

    found = discriminates(wavering, examples=50)
    assert found.answer is Answer.UNDETERMINED and "two answers" in found.reason


def test_pairs_of_any_things_may_be_given() -> None:
    rounds = [must_differ({"failing": 4}, {"failing": 0}, "Four defects are not none.")]
    found = discriminates(lambda round_: "acceptance", rounds)
    assert found.answer is Answer.VIOLATED and "Four defects are not none." in str(found)
    adequate(discriminates(lambda round_: round_["failing"], rounds))


def test_pairs_and_topics_are_two_ways_to_choose() -> None:
    with pytest.raises(UsageError, match="not both"):
        discriminates(keys.all_of_it, [], topics=["texts"])
    with pytest.raises(UsageError, match="no topic 'text'"):
        discriminates(keys.all_of_it, topics=["text"])


def test_what_tells_equal_effects_apart_is_violated() -> None:
    found = stable(keys.all_of_it, **HERE)
    assert found.answer is Answer.VIOLATED and "tells apart" in found.reason
    assert {"argument order", "list and tuple", "equal objects"} <= told(found, "shown by")


def test_an_identity_that_no_other_process_can_import_is_never_said_to_hold() -> None:
    found = stable(lambda effect: effect.tool, [named("argument order")], **HERE)
    assert found.answer is Answer.UNDETERMINED and "lambda" in found.reason
    assert "nothing speaks against it in 1 comparisons" in found.known


def test_a_test_fails_with_the_pair() -> None:
    holds, wrong = (discriminates(key, topics=["scopes"]) for key in (keys.all_of_it, keys.dumped))
    adequate(holds)
    with pytest.raises(Inadequate, match=r"(?s)VIOLATED.*occurrence=1") as failure:
        adequate(holds, wrong)
    assert isinstance(failure.value, AssertionError) and "HOLDS" not in str(failure.value)
    for unsure in (discriminates(keys.refusing, topics=["scopes"]), discriminates(keys.torn, topics=["scopes"])):
        with pytest.raises(Inadequate):
            adequate(unsure)
    with pytest.raises(Inadequate, match="nothing was asked"):
        adequate()
