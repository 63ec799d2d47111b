"""Settlements and showings: an item each, which fails as a failure; and no printed value could be another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from meshspec.claims import Value, load
from meshspec.errors import ModelError
from meshspec.settle import Settlement, Showing, Values, perturbed, settles, shows
from tests.plugin import again, run, write
from tests.plugin import shows as in_order
from tests.plugin import user as user
from tests.registry import settlements

CLAIM = "F1.k.identical-calls"  # it prints one value: four calls
SETTLED = list(settlements())


def settled(status: str = "reproduced", claim: str = CLAIM, **more: Any) -> Settlement:
    @settles(claim, status, **more)
    def it_is_four(values: Values) -> None:
        """Four, and no other number."""
        assert values.number("threshold") == 2 + 2

    return it_is_four


def printed(claim: str) -> Mapping[str, Value]:
    return load().claims[claim].values


# -- what is refused -----------------------------------------------------------------------------------------------


def test_a_settlement_passes_on_what_is_printed_and_on_nothing_else() -> None:
    one = settled()
    one.run()
    for name, values in perturbed(printed(CLAIM)):
        with pytest.raises(AssertionError):
            one.run(values)
        assert name == "threshold"


def test_a_value_that_is_not_read_is_refused_unless_it_is_said_why() -> None:
    @settles(CLAIM, "proved")
    def nothing_is_read(values: Values) -> None:
        """It looks at nothing."""

    with pytest.raises(ModelError, match=rf"test_settle.py:\d+: {CLAIM}: read every value, .* see threshold"):
        nothing_is_read.run()
    settles(CLAIM, "proved", unread={"threshold": "nothing follows"})(nothing_is_read.function).run()


def test_a_reason_for_a_value_that_is_read_or_is_not_there_is_refused() -> None:
    for name in ("threshold", "hours"):
        with pytest.raises(ModelError, match=f"say in unread= why not; see {name}"):
            settled(unread={name: "nothing follows"}).run()


def test_looking_whether_a_value_is_there_is_not_reading_it() -> None:
    values = Values({"calls": 54, "hours": 1.5, "word": "once"})
    assert len(values) == 3 and list(values) == ["calls", "hours", "word"]
    assert list(values.unread) == ["calls", "hours", "word"]
    assert (values.number("calls"), values.real("hours"), values.text("word")) == (54, 1.5, "once")
    assert not list(values.unread) and values.real("calls") == 54.0


def test_a_value_of_another_kind_and_one_that_is_not_there_are_refused() -> None:
    values = Values({"calls": 54, "word": "once"})
    with pytest.raises(TypeError, match="calls is 54, which is no str"):
        values.text("calls")
    with pytest.raises(TypeError, match="word is 'once', which is no int"):
        values.number("word")
    with pytest.raises(KeyError, match="hours"):
        values.number("hours")


@pytest.mark.parametrize("status", ["open", "true", ""])
def test_a_status_that_settles_nothing_is_refused(status: str) -> None:
    with pytest.raises(ModelError, match=f"test_settle.py:.* there is no way to settle a claim as '{status}': open"):
        settled(status)


def test_a_claim_that_the_registry_does_not_have_is_refused() -> None:
    with pytest.raises(ModelError, match=r"the registry has no claim 'F1\.none'"):
        settled(claim="F1.none").run()


def test_what_says_nothing_and_what_shows_nothing_is_refused() -> None:
    def silent() -> None: ...

    def silent_too(_: Values) -> None: ...

    with pytest.raises(ModelError, match="silent says nothing: give it a docstring"):
        shows("EL-IMPOSSIBLE")(silent)
    with pytest.raises(ModelError, match="silent_too says nothing"):
        settles(CLAIM, "proved")(silent_too)
    silent.__doc__ = "It says something."
    with pytest.raises(ModelError, match="silent shows nothing: name an invariant"):
        shows()(silent)
    assert isinstance(shows("EL-IMPOSSIBLE")(silent), Showing)


def test_what_answers_instead_of_asserting_is_refused() -> None:
    @settles(CLAIM, "proved")
    def it_is_four(values: Values) -> bool:
        """Four, it says."""
        return values.number("threshold") == 5

    @shows("EL-IMPOSSIBLE")
    def it_cannot_be() -> bool:
        """It says that it is not so."""
        return False

    for one in (it_is_four, it_cannot_be):
        with pytest.raises(ModelError, match=rf"{one.name} returns False, which nobody looks at: assert it instead"):
            one.run()


def test_every_single_value_is_changed_however_deep_it_lies() -> None:
    values: dict[str, Value] = {"n": 4, "share": 0.5, "word": "once", "many": [1, "a"], "by": {"x": 1, "y": [2]}}
    told = [(name, changed[name]) for name, changed in perturbed(values)]
    assert [name for name, _ in told] == ["n", "n", "share", "share", "word"] + ["many"] * 3 + ["by"] * 4
    assert [one for name, one in told if name == "many"] == [[2, "a"], [0, "a"], [1, "a, or not"]]
    assert [one for name, one in told if name == "by"] == [
        {"x": 2, "y": [2]}, {"x": 0, "y": [2]}, {"x": 1, "y": [3]}, {"x": 1, "y": [1]}
    ]  # fmt: skip
    assert all(
        one != values[name] and other == values[other_name]
        for name, one in told
        for other_name, other in values.items()
        if other_name != name
    )


# -- as pytest has them --------------------------------------------------------------------------------------------

STATED = '''
from meshspec.settle import Values, settles, shows


@settles("F1.k.identical-calls", "reproduced")
def it_is_four(values: Values) -> None:
    """Four."""
    assert values.number("threshold") == 4


@settles("F1.k.identical-calls", "reproduced")
def it_is_five(values: Values) -> None:
    """Five, which is wrong."""
    assert values.number("threshold") == 5, "not five"


@settles("F1.k.identical-calls", "proved")
def it_is_anything(values: Values) -> None:
    """It reads nothing."""


@settles("F1.k.identical-cals", "proved")
def it_is_misspelt(values: Values) -> None:
    """There is no such claim."""


@shows("EL-IMPOSSIBLE", "EL-TTL")
def it_is_shown() -> None:
    """Two names."""


@shows("EL-IMPOSSIBLY")
def it_is_unknown() -> None:
    """No name."""
'''


def test_each_is_an_item_that_passes_or_fails_as_it_should(user: pytest.Pytester) -> None:
    write(user, "stated.py", STATED)
    result = again(user, "-v", "stated.py")
    result.assert_outcomes(passed=2, failed=1, errors=3)
    result.stdout.fnmatch_lines_random(
        [
            "stated.py::it_is_four[[]F1.k.identical-calls[]] PASSED*",
            "stated.py::it_is_five[[]F1.k.identical-calls[]] FAILED*",
            "stated.py::it_is_anything[[]F1.k.identical-calls[]] ERROR*",
            "stated.py::it_is_shown[[]EL-IMPOSSIBLE,EL-TTL[]] PASSED*",
            "stated.py::it_is_unknown[[]EL-IMPOSSIBLY[]] ERROR*",
            "E*AssertionError: not five",
            "*stated.py:*: F1.k.identical-calls: read every value, or say in unread= why not; see threshold",
            "*stated.py:*: there is no EL-IMPOSSIBLY in the registry; did you mean EL-IMPOSSIBLE?",
            "*stated.py:*: there is no F1.k.identical-cals in the registry; did you mean F1.k.identical-calls?",
        ]
    )


def test_they_are_found_in_a_module_whose_name_is_no_tests(user: pytest.Pytester) -> None:
    write(user, "evidence_of_mine.py", STATED)
    result = run(user, "def test_nothing() -> None: ...\n", "--collect-only", "-q")
    in_order(result, "evidence_of_mine.py::it_is_four[F1.k.identical-calls]")


# -- what is shipped -----------------------------------------------------------------------------------------------


def test_a_claim_is_settled_by_one_function_of_a_name() -> None:
    assert len({one.reference for one in SETTLED}) == len(SETTLED)


@pytest.mark.parametrize("one", SETTLED, ids=lambda one: f"{one.claim}-{one.name}")
def test_no_printed_value_could_be_another_one(one: Settlement) -> None:
    """With each value that is read changed by itself, the settlement fails, and says so by an assertion."""
    for name, values in perturbed(printed(one.claim)):
        if name in one.unread:
            continue
        with pytest.raises(AssertionError):
            one.run(values)
            pytest.fail(f"{one.claim} holds as well with {name} = {values[name]!r}", pytrace=False)
