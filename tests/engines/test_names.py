"""What a test runner lists before a check is what the check then answers, for every model of the tests."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from meshspec import action, eventually, fault, model, require, var
from meshspec.answer import Finding
from meshspec.engines.check import PROMISES, check, combined, scope_of
from meshspec.engines.drive import drive
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.engines.live import live
from meshspec.engines.names import properties
from meshspec.engines.prove import prove
from meshspec.engines.simulate import simulate
from meshspec.errors import LiftError, UsageError
from meshspec.lang.lift import LiftedModel, lift
from meshspec.targets import models_in, shipped_evidence
from tests import models

FEW = Limits(max_states=12)


@model
class Door:
    """It may be left open by the wind."""

    open: bool = var(False)

    @action
    def shut(self) -> None:
        require(self.open)
        self.open = False

    @fault
    def blow(self) -> None:
        self.open = True


@model
class Mended(Door):
    @eventually(weak=("shut",))
    def it_is_shut(self) -> bool:
        return not self.open


def every_model() -> Iterator[type]:
    yield from (held.model for held in shipped_evidence().values())  # an incident is named as what it extends
    for info in pkgutil.iter_modules(models.__path__):
        yield from models_in(importlib.import_module(f"{models.__name__}.{info.name}"))


def said(model: LiftedModel, engines: Sequence[str]) -> list[str]:
    """What the engines answer, each given little time: of what they speak does not depend on it."""
    sizes, found = scope_of(model, {}), list[Finding]()
    for engine in engines:
        if engine == "explore":
            found += explore(model, sizes, FEW)
        elif engine == "live" and (any(c.method.kind == "eventually" for c in model.claims) or engines == ("live",)):
            found += live(model, sizes, FEW)
        elif engine == "prove":
            found += prove(model, rlimit=1, rounds=0)
        elif engine == "drive":
            found += drive(model, sizes, examples=1, steps=1)
        elif engine == "simulate":
            found += simulate(model, sizes, walks=1, steps=1)
    return [one.answer.property for one in combined(found)]


def test_what_is_listed_is_what_is_answered_in_every_model() -> None:
    compared = 0
    for cls in every_model():
        try:
            model = lift(cls)
            seldom = [engine for engine, each in (("prove", 12), ("drive", 40)) if compared % each == 0]  # slow ones
            for engines in (("explore", "live"), ("simulate",), ("live",), *((engine,) for engine in seldom)):
                listed, answered = properties(cls, engines), said(model, engines)
                if not any(lifted.method.kind in PROMISES for lifted in model.claims):
                    listed.remove("it claims something")  # `check` says that, and no engine
                assert Counter(listed) == Counter(answered), cls.__name__
        except (LiftError, UsageError):  # a trap that is refused, or a scope too large to build: nothing is answered
            continue
        compared += 1
    assert compared > 100


def test_a_model_that_claims_nothing_is_asked_whether_it_claims_something() -> None:
    fires = ["no action raises", "every action fires"]
    assert properties(Door) == [*fires, "every fault strikes", "it claims something"]
    assert properties(Door, without=["blow"]) == [*fires, "it claims something"]
    assert properties(Door) == [one.answer.property for one in check(lift(Door), {})]


def test_what_must_come_about_is_named_once_and_where_live_says_it() -> None:
    assert properties(Mended)[-1] == "it_is_shut"
    assert properties(Mended, ("explore",))[0] == "it_is_shut"


def test_an_engine_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no engine 'explor'; the engines are drive, explore"):
        properties(Door, ("explor",))
