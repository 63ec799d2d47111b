"""The TLA+ export says what the model says: read back by a reader of its own, state by state and step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

import pytest

from meshspec import (
    Sort,
)
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State
from meshspec.cli.targets import shipped_models
from meshspec.lang.lift import LiftedModel, lift
from meshspec.report.tla import Module
from tests.agreement.models import corners, generated
from tests.models import (
    jugs,
    lock,
    p_counts,
    p_ledger,
    p_lock,
    p_shapes,
    p_sizes,
    p_traps,
    p_two_phase,
    plain_ledger,
    shops,
    two_phase_commit,
)
from tests.report.tla_states import Fun, ModelValue
from tests.report.tla_states import Module as Reader

OURS = (jugs, lock, p_counts, p_ledger, p_lock, p_shapes, p_sizes, p_traps, p_two_phase, plain_ledger, shops)
MOST = 300
"""States of each model on which every step and every claim is compared."""


def read(lifted: LiftedModel, sizes: Mapping[type[Sort], int]) -> tuple[Module, Reader]:
    written = Module(lifted, sizes)
    return written, Reader(written.tla, written.cfg())


class Compared:
    """A model in a scope beside its export."""

    def __init__(self, lifted: LiftedModel, sizes: Mapping[type[Sort], int]) -> None:
        self.model, self.layout = lifted, Layout(lifted, sizes)
        self.module, self.reader = read(lifted, sizes)
        generator = Generator(self.layout)
        self.successors, self.out_of_range = generator.successors(), generator.out_of_range()
        self.claims = {
            lifted.name: generator.first_failure(
                lifted.claim, [generator.names(lifted, a) for a in self.layout.arguments(lifted.parameters)]
            )
            for lifted in lifted.claims
        }

    def as_read(self, state: State) -> dict[str, Any]:
        """A state of ours as the reader has it."""
        found: dict[str, Any] = {}
        for (name, keys), value in self.layout.decode(state).items():
            at = self.module.names.given[name]
            if keys:
                named = [self._value(key) for key in keys]
                found.setdefault(at, Fun())[named[0] if len(named) == 1 else tuple(named)] = self._value(value)
            else:
                found[at] = self._value(value)
        return found

    def _value(self, value: object) -> Any:
        if isinstance(value, Sort):
            return ModelValue(repr(value))
        return ModelValue("NONE") if value is None else value.name if isinstance(value, Enum) else value

    def compare(self, most: int) -> int:
        """Breadth first, on both sides at once; how many states were compared."""
        layer = list(dict.fromkeys(self.layout.initial_states()))
        assert {frozen(s) for s in self.reader.starts()} == {frozen(self.as_read(s)) for s in layer}
        seen = set(layer)
        compared = 0
        while layer:
            found: dict[State, None] = {}
            for state in layer:
                if compared == most:
                    return compared
                found.update(dict.fromkeys(self._compare(state)))
                compared += 1
            layer = [state for state in found if state not in seen]
            seen.update(layer)
        return compared

    def _compare(self, state: State) -> list[State]:
        here = self.as_read(state)
        taken = self.successors(state)
        after = [next_ for _, next_, _ in taken if next_ is not None]
        assert {frozen(s) for s in self.reader.steps(here)} == {frozen(self.as_read(s)) for s in after}
        holds = self.reader.holds
        assert holds("TypeOK", here) is (not self.out_of_range(state))
        if "NoActionRaises" in self.reader.invariants:
            assert holds("NoActionRaises", here) is all(next_ is not None for _, next_, _ in taken)
        else:
            assert len(after) == len(taken)
        for lifted in self.model.claims:
            prefix = {"always": "Always", "lemma": "Lemma"}.get(lifted.method.kind)
            if prefix is not None:
                name = self.module.names.given[lifted.method.kind, lifted]
                assert name.startswith(prefix) and name in self.reader.invariants
                assert holds(name, here) is (self.claims[lifted.name](state) == -1), lifted.name
        return after


def frozen(state: Mapping[str, Any]) -> frozenset[tuple[str, Any]]:
    """Values with their types: ``True`` is no ``1`` in TLA+."""
    return frozenset((name, type(value).__name__, value) for name, value in state.items())  # type: ignore[misc]


def models_of(module: object) -> Iterator[type]:
    for value in vars(module).values():
        if isinstance(value, type) and "_meshspec_declared" in vars(value) and value.__module__ == module.__name__:
            yield value


TESTED = {f"{module.__name__.rpartition('.')[2]}.{cls.__name__}": cls for module in OURS for cls in models_of(module)}


@pytest.mark.parametrize("name", shipped_models())
def test_every_shipped_model_and_incident_is_exported_as_it_is(name: str) -> None:
    lifted = lift(shipped_models()[name])
    assert Compared(lifted, dict.fromkeys(lifted.sorts, 2)).compare(MOST) > 1


@pytest.mark.parametrize("name", TESTED)
def test_every_model_of_the_tests_is_exported_as_it_is(name: str) -> None:
    lifted = lift(TESTED[name])
    assert Compared(lifted, dict.fromkeys(lifted.sorts, 2)).compare(MOST // 3) > 0


@pytest.mark.parametrize("number", range(len(corners())))
def test_every_corner_of_the_language_is_exported_as_it_is(number: int) -> None:
    lifted = corners()[number]
    sizes = {sort: 2 + place for place, sort in enumerate(lifted.sorts)}
    assert Compared(lifted, sizes).compare(20) > 0


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_generated_models_are_exported_as_they_are(first: int) -> None:
    for seed in range(first, first + 10):
        made = generated(seed)
        assert Compared(made.lifted, made.scope).compare(10) > 0


@pytest.mark.parametrize(
    ("cls", "size", "states"),
    [(two_phase_commit.TwoPhase, 3, 288), (plain_ledger.EffectLedger, 2, 72), (jugs.Jugs, 1, 16)],
)
def test_the_export_has_the_known_number_of_states(cls: type, size: int, states: int) -> None:
    lifted = lift(cls)
    assert Compared(lifted, dict.fromkeys(lifted.sorts, size)).compare(10 * states) == states
