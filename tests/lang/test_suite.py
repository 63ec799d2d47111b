"""``suite``: what it may say, and that it says what is wrong at the author's line."""

from __future__ import annotations

import pytest

from meshspec import ModelError, Sort, action, model, suite, var


class Thing(Sort):
    """Something."""


@model
class Box:
    full: bool = var(False)

    @action
    def fill(self) -> None:
        self.full = True


class Undecorated(Box):
    """It lacks @model."""


@pytest.fixture(autouse=True)
def _not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """No suite of these tests is to be collected, and the session is not to fail for that."""
    monkeypatch.setattr("meshspec.lang.suite.MADE", [])


def test_a_suite_is_of_a_class_or_an_instance() -> None:
    assert suite(Box).cls is suite(Box()).cls is Box
    made = suite(Box, scope={Thing: 3}, engines=["explore", "explore"], require="proved", without=[], seed=4)
    assert (made.scope, made.engines, made.require, made.without, made.seed) == (
        {Thing: 3},
        ("explore",),
        "proved",
        (),
        4,
    )
    assert str(made.where).partition(":")[0].endswith("test_suite.py")


def test_a_suite_of_a_role_may_leave_the_policy_to_who_runs_it() -> None:
    assert (suite(role="breaker").policy, suite(role="breaker").prefix) == ("", None)
    assert suite(role="breaker", policy="guard:Guard", prefix=0).policy == "guard:Guard"


@pytest.mark.parametrize(
    ("given", "keywords", "text"),
    [
        ((), {}, "a suite is of a model or of a role"),
        ((Box,), {"role": "breaker"}, "a suite is of a model or of a role"),
        ((Thing,), {}, "Thing is no model: decorate it with @model, or name one that is"),
        (("Box",), {}, "str is no model"),
        ((Undecorated,), {}, "Undecorated extends a model and is not decorated"),
        ((Box,), {"scope": {"Thing": 2}}, "scope={'Thing': 2}: the class of a sort stands here"),
        ((Box,), {"scope": {Thing: 0}}, "a sort has at least one member: Thing: 0"),
        ((Box,), {"scope": {Thing: True}}, "a sort has at least one member: Thing: True"),
        ((Box,), {"scope": 3}, "scope=3: write sizes of sorts"),
        ((Box,), {"require": "strong"}, "require='strong': write 'proved' or 'exhaustive'"),
        ((Box,), {"engines": "explore"}, "engines='explore': write names in a list"),
        ((Box,), {"without": [1]}, r"without=\[1\]: write names in a list"),
        ((Box,), {"max_states": 0}, "max_states=0: write a number of states"),
        ((Box,), {"policy": "guard:Guard"}, "a policy is judged in a role"),
        ((), {"role": "breaker", "prefix": -1}, "prefix=-1: write a number of steps"),
        ((), {"role": "breaker", "scope": {Thing: 2}}, "scope is of a model, and this suite is of the role breaker"),
    ],
)
def test_what_cannot_be_is_refused(given: tuple[object, ...], keywords: dict[str, object], text: str) -> None:
    make: object = suite
    assert callable(make)
    with pytest.raises(ModelError, match=text) as caught:
        make(*given, **keywords)
    assert "test_suite.py:" in str(caught.value)
