"""What is shipped: no two classes of one name, and each model asked about in the sizes of its evidence."""

from __future__ import annotations

from types import ModuleType

import pytest

from meshspec import action, always, model, targets, var
from meshspec.answer import Answer
from meshspec.errors import ModelError
from meshspec.lang.lift import lift
from meshspec.models.incidents.repair_rounds import HashRefund
from meshspec.models.repair_rounds import RepairRounds
from meshspec.report.checked import asked, checked
from meshspec.targets import models_in, shipped_evidence, shipped_models, shipped_modules, usual_sizes
from tests.models.plain_ledger import EffectLedger

SIZES = {"Component": 1, "Outcome": 4, "Report": 4}


def test_no_two_shipped_classes_share_a_name() -> None:
    every = [cls for module in shipped_modules("models") for cls in models_in(module)]
    assert len(every) == len(shipped_models()) > 100


def test_a_class_that_hides_another_is_refused_with_both_places(monkeypatch: pytest.MonkeyPatch) -> None:
    @model
    class HashRefund:  # as an incident of another model is called
        done: bool = var(False)

        @action
        def do(self) -> None:
            self.done = True

        @always
        def anything(self) -> bool:
            return True

    other = ModuleType(__name__)
    vars(other)["HashRefund"] = HashRefund
    modules = [*shipped_modules("models"), other]

    def shipped(_: str) -> list[ModuleType]:
        return modules

    monkeypatch.setattr(targets, "shipped_modules", shipped)
    with pytest.raises(ModelError, match=r"HashRefund is shipped twice, here and at .*repair_rounds\.py:\d+"):
        shipped_models()


def test_the_sizes_of_every_shipped_model_are_those_of_its_evidence() -> None:
    for held in shipped_evidence().values():
        assert usual_sizes(lift(held.model)) == {sort.__name__: size for sort, size in held.scope.items()}, held.model


def test_an_incident_has_the_sizes_of_its_model_and_what_is_not_shipped_has_none() -> None:
    assert usual_sizes(lift(HashRefund)) == SIZES == asked(HashRefund).scope
    assert usual_sizes(lift(EffectLedger)) == {}  # ours of the tests, whose name a shipped one bears too


def test_what_is_given_comes_before_the_evidence() -> None:
    assert asked(RepairRounds, scope={"Outcome": 3}).scope == SIZES | {"Outcome": 3}


def test_a_shipped_model_is_not_vacuous_where_nothing_is_said() -> None:
    found = checked(RepairRounds, engines=("explore",))
    assert {one.answer.answer for one in found.answered} == {Answer.HOLDS}
    small = checked(RepairRounds, scope={"Outcome": 2, "Report": 2}, engines=("explore",))
    assert small.of("who_gets_better_is_not_stopped").answer.answer is Answer.VACUOUS
