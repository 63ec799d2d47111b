"""The reference identity: against every pair, across processes, and what it refuses with what words."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from datetime import datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pytest

from meshspec.adequacy import adequate, catalogue, discriminates, named, stable
from meshspec.adequacy.worlds import HASH_SEEDS
from meshspec.answer import Answer
from meshspec.policies import identity
from meshspec.policies.identity import CanonicalIdentity
from meshspec.roles.effects import Effect

key = CanonicalIdentity().key
REFUSED = {
    "path and its text", "enum and its value", "NaN and 'NaN'", "NaN and None", "NaN again", "equal dataclasses",
    "dataclass fields", "two dataclasses", "equal objects", "objects that differ", "equal attrs objects",
    "attrs fields", "two attrs classes",
}  # fmt: skip


class Point(NamedTuple):
    x: int
    y: int


def pay(value: object) -> Effect:
    return Effect("pay", {"a": value})


def test_it_is_adequate_and_what_it_refuses_is_known() -> None:
    apart = discriminates(key, examples=40)
    same = stable(f"{identity.__file__}:CanonicalIdentity", examples=20, hash_seeds=HASH_SEEDS[:2], locales=("C",))
    adequate(apart, same)
    refused = {name for finding in (apart, same) for name in _names(finding.facts["refused"])}
    assert refused == REFUSED and {pair.name for pair in catalogue()} > REFUSED


def _names(refused: object) -> tuple[str, ...]:
    assert isinstance(refused, tuple)
    return tuple(str(name) for name in refused)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


@pytest.mark.parametrize("convention", ["numbers", "zeros", "unicode", "instants", "precision", "session"])
def test_where_it_takes_a_side_the_other_side_refutes_it(convention: str) -> None:
    arguable = [pair for pair in catalogue() if pair.convention == convention]
    assert discriminates(key, arguable).answer is Answer.HOLDS
    local = stable(lambda effect: key(effect), arguable, conventions={convention: "agree"})
    assert local.answer is Answer.VIOLATED


def test_a_session_may_be_left_out_of_the_scope() -> None:
    shared = CanonicalIdentity(across_sessions=True).key
    pair = named("session")
    assert shared(pair.one) == shared(pair.other) and key(pair.one) != key(pair.other)
    assert shared(pair.one) != key(pair.one)
    adequate(discriminates(shared, conventions={"session": "agree"}, examples=0))
    assert discriminates(shared, [pair]).answer is Answer.VIOLATED


def test_no_two_forms_have_one_text() -> None:
    """Of all small values built of a few: forms are equal where the values are, typed, and nowhere else."""
    plain: list[Any] = [None, True, False, 0, 1, 1.0, "", "1", b"", b"1", Decimal(1)]
    lists = [list(items) for size in (0, 1, 2) for items in itertools.product(plain, repeat=size)]
    maps = [{one: other} for one in plain for other in plain]
    nested = [[inner] for inner in lists[:20]] + [{"": inner} for inner in lists[:20]]
    values = [*plain, *lists, *maps, *nested]
    forms = {CanonicalIdentity().canonical(pay(value)) for value in values}
    assert len(forms) == len({repr(value) for value in values}) == len(values)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (float("nan"), r"arguments\['a'\] is NaN.*write None"),
        ([0, {"b": float("nan")}], r"arguments\['a'\]\[1\]\['b'\] is NaN"),
        (Decimal("NaN"), "is the decimal NaN; write None"),
        (Decimal("Infinity"), "is the decimal Infinity"),
        (object(), "is a builtins.object; write a mapping of the fields that matter"),
        (PurePosixPath("a"), r"write str\(\) of it, made absolute or relative first"),
        (Enum("Colour", "RED").RED, "write its .name or .value"),  # type: ignore[attr-defined]
        (IntEnum("Level", "LOW").LOW, "write its .name or .value"),  # type: ignore[attr-defined]
        (Point(1, 2), "write a plain tuple or mapping of its fields"),
        (time(9), r"write \.isoformat\(\) of it"),
        (timedelta(1), r"write its \.total_seconds\(\)"),
        (memoryview(b"x"), r"write bytes\(\) of it"),
        (type("Name", (str,), {})("x"), r"write str\(\) of it"),
        ({object(): 1}, "the key a builtins.object of arguments"),
        ({object()}, "a member of arguments"),
    ],
)
def test_what_has_no_form_is_refused_with_what_to_write(value: object, told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        key(pay(value))


def test_what_contains_itself_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="is it a part of itself"):
        key(pay(endless))


@pytest.mark.parametrize(
    ("effect", "told"),
    [
        (Effect("pay", {}, tenant=7), "tenant is 7; write a text"),  # type: ignore[arg-type]
        (Effect("pay", {}, session=None), "session is None; write a text"),  # type: ignore[arg-type]
        (Effect(b"pay", {}), "tool is a builtins.bytes; write a text"),  # type: ignore[arg-type]
        (Effect("pay", [1]), "arguments are a builtins.list; write a mapping"),  # type: ignore[arg-type]
        (Effect("pay", {}, occurrence=-1), "occurrence is -1; write how many repeats came before"),
        (Effect("pay", {}, occurrence=True), "occurrence is True"),
    ],
)
def test_an_effect_that_is_none_is_refused(effect: Effect, told: str) -> None:
    with pytest.raises((TypeError, ValueError), match=told):
        key(effect)


def test_very_large_ints_and_keys_of_any_kind_have_a_form() -> None:
    large = 10**5000
    assert key(pay({large: 1})) != key(pay({large + 1: 1}))
    assert key(pay({1: "x", "1": "y"})) == key(pay({"1": "y", 1: "x"}))
    assert key(pay(OrderedDict[str, int](b=1, a=2))) == key(pay({"a": 2, "b": 1}))
    with pytest.raises(ValueError, match=r"arguments\['a'\]\[an int of 16610 bits\] is NaN"):
        key(pay({large: float("nan")}))


def test_an_hour_that_comes_twice_is_two_without_a_zone_too() -> None:
    wall = datetime(2026, 10, 25, 2, 30)
    assert key(pay(wall)) != key(pay(wall.replace(fold=1)))


def test_its_limits_are_those_that_it_names() -> None:
    """X, Y, X: without a number the second X is a retry; and what is composed anew is another effect."""
    write_x, write_y = pay("X"), pay("Y")
    assert key(write_x) == key(pay("X")) != key(write_y)
    assert key(write_x) != key(write_x._replace(occurrence=1))
    assert key(pay("please send it")) != key(pay("send it, please"))
    assert key(pay({"amount": 5})) != key(pay({"amount": 5, "currency": "EUR"}))
    for limit in ("occurrence", "other words", "noise", "SHA-256", "RFC 8785"):
        assert limit in str(CanonicalIdentity.__doc__)
