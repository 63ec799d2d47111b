"""What an incident inherits untouched is not tried again, and whatever could be otherwise is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import attrs
import pytest

from meshspec import Map, Range, Sort, action, always, fault, model, require, var
from meshspec.backends import certificate, inherited
from meshspec.backends.certificate import certified, certify
from meshspec.errors import CertificateError
from meshspec.lang.lift import LiftedModel, lift
from tests.lang.reading import no_scan

Small = Annotated[int, Range(0, 3)]
ONE = 1


class Job(Sort):
    """A job."""


def models() -> dict[str, type]:
    """A model and what is made of it, anew each time: nothing of them was ever certified."""

    @model
    class Counter:
        limit: int = 2
        counts: Map[Job, Small] = var(0)
        up: bool = var(True)

        def most(self) -> int:
            return self.limit

        @property
        def quiet(self) -> bool:
            return not self.up

        @action
        def count(self, j: Job) -> None:
            require(self.up and self.counts[j] < self.most())
            self.counts[j] += 1

        @fault
        def crash(self) -> None:
            self.up = False

        @action
        def rest(self) -> None:
            require(self.quiet)
            self.up = True

        @always
        def few(self, j: Job) -> bool:
            return self.counts[j] <= 2

    @model
    class NoCrash(Counter):
        @fault
        def crash(self) -> None:
            require(not self.up)

    @model
    class OtherHelper(Counter):
        def most(self) -> int:
            return 3 if self.limit > 5 else 2

    @model
    class OtherProperty(Counter):
        @property
        def quiet(self) -> bool:
            return self.up is False

    @model
    class OtherConstant(Counter):
        limit: int = 1

    @model
    class MoreState(Counter):
        note: bool = var(False)

    return {name: made for name, made in locals().items() if isinstance(made, type)}


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str]]]:
    """Which methods of which models are really tried."""
    seen: list[tuple[str, str]] = []
    check: Any = vars(certificate)["_Check"]

    class Seen(check):  # type: ignore[misc]
        def all(self, random_states: int) -> object:
            seen.append((self.model.name, self.lifted.name))
            return check.all(self, random_states)

    monkeypatch.setattr(certificate, "_Check", Seen)
    yield seen


ALL = ["count", "crash", "rest", "few"]


def test_only_what_an_incident_changes_is_tried_again(tried: list[tuple[str, str]]) -> None:
    made = models()
    certified(made["Counter"])
    assert tried == [("Counter", name) for name in ALL]
    del tried[:]
    certified(made["NoCrash"])
    assert tried == [("NoCrash", "crash")]


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("OtherHelper", ["count"]),  # the same function, which reaches another one
        ("OtherProperty", ["rest"]),
        ("OtherConstant", ALL),
        ("MoreState", ALL),
    ],
)
def test_what_it_reaches_is_looked_at_too(tried: list[tuple[str, str]], name: str, again: list[str]) -> None:
    made = models()
    certified(made["Counter"])
    del tried[:]
    certified(made[name])
    assert [method for _, method in tried] == again


def test_siblings_share_what_both_inherit(tried: list[tuple[str, str]]) -> None:
    made = models()
    certified(made["NoCrash"])
    certified(made["OtherHelper"])
    assert tried == [*(("NoCrash", name) for name in ALL), ("OtherHelper", "count"), ("OtherHelper", "crash")]


def test_the_certificate_is_the_one_that_trying_everything_gives() -> None:
    made = models()
    certify(lift(made["Counter"]), inherit=True)
    incident = lift(made["NoCrash"])
    assert certify(incident, inherit=True) == attrs.evolve(certify(incident), model="NoCrash")


def test_it_is_the_door_of_engines_that_inherits_and_nothing_else(tried: list[tuple[str, str]]) -> None:
    made = lift(models()["Counter"])
    certify(made)
    certify(made)
    assert len(tried) == 2 * len(ALL)


def test_a_table_that_differs_in_kind_alone_is_another_table(tried: list[tuple[str, str]]) -> None:
    @model
    class Table:
        most: Map[Job, int] = Map(1)
        counts: Map[Job, int] = var(0)

        @action
        def count(self, j: Job) -> None:
            require(self.counts[j] < self.most[j])
            self.counts[j] += 1

    build: Any = Table
    for limit in (build(), build(most=Map(1)), build(most=Map(2)), build(most=Map(1, {Job(0): 1}))):
        certified(limit)
    assert len(tried) == 3  # the second is the first again
    assert not inherited.same(
        inherited.constants_of(build(most=Map(1))), inherited.constants_of(build(most=Map(True)))
    )


def test_a_table_that_changes_after_it_was_certified_is_not_taken_for_what_it_was(
    tried: list[tuple[str, str]],
) -> None:
    @model
    class Table:
        most: Map[Job, int] = Map(1)
        up: bool = var(True)

        @action
        def stop(self) -> None:
            require(self.up)
            self.up = False

    held: Map[Job, int] = Map(1)
    build: Any = Table
    first = certified(build(most=held))
    held[Job(0)] = 5
    assert certified(build(most=held)) is not first
    assert len(tried) == 2


def test_what_goes_wrong_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    @model
    class Peeks:
        n: Small = var(0)

        @action
        def step(self) -> None:
            self.n = 1 if self.n is ONE else 2

    monkeypatch.setattr("meshspec.lang.lift.refuse_blind_spots", no_scan)
    for _ in range(2):
        with pytest.raises(CertificateError):
            certified(Peeks)


def test_what_may_look_at_its_own_class_is_tried_again(tried: list[tuple[str, str]]) -> None:
    @model
    class Parent:
        n: Small = var(0)

        @action
        def step(self) -> None:
            require(self.n < 3)
            self.n = self.n + (1 if isinstance(self, Parent) else 2)  # pyright: ignore[reportUnnecessaryIsInstance]

    @model
    class Child(Parent):
        pass

    certified(Parent)
    certified(Child)
    assert tried == [("Parent", "step"), ("Child", "step")]


def test_shipped_models_have_the_certificates_that_trying_everything_gives() -> None:
    from meshspec.models.event_log import EventLog
    from meshspec.models.incidents.event_log import CountsTheWholeLog, WrittenByAnother

    read: list[LiftedModel] = [lift(one) for one in (EventLog, CountsTheWholeLog, WrittenByAnother)]
    for one in read:
        told = [[(m.name, m.paths, m.dead) for m in certify(one, inherit=how).methods] for how in (True, False)]
        assert told[0] == told[1]  # which states witness a path is the solver's choice
