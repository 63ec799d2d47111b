"""The TLA+ export says what the model says: read back by a reader of its own, state by state and step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from types import ModuleType
from typing import Annotated, Any

import pytest

from meshspec import Map, Range, Sort, action, eventually, model, require, terminal, var
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State
from meshspec.lang.lift import LiftedModel, lift
from meshspec.report.tla import Module
from meshspec.targets import shipped_models
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
    published,
    seldom,
    shops,
    two_phase_commit,
)
from tests.report.tla_states import Fun, ModelValue
from tests.report.tla_states import Module as Reader

OURS = (
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
    published,
    shops,
)
MOST = 50
"""States of a model on which every step and every claim is compared, where it has too many to compare them all."""


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


def models_of(module: ModuleType) -> Iterator[type]:
    for value in vars(module).values():
        if isinstance(value, type) and "_meshspec_declared" in vars(value) and value.__module__ == module.__name__:
            yield value


TESTED = {f"{module.__name__.rpartition('.')[2]}.{cls.__name__}": cls for module in OURS for cls in models_of(module)}
HUGE = TESTED.pop("p_traps.Squares")  # a million arguments: nobody's to enumerate


def is_incident(name: str) -> bool:
    return ".incidents." in shipped_models()[name].__module__


INCIDENTS = [name for name in shipped_models() if is_incident(name)]
SHIPPED = [
    *(name for name in shipped_models() if not is_incident(name)),
    *INCIDENTS[::8],
]  # one decision is all that an incident changes


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_model_and_incident_is_exported_as_it_is(name: str) -> None:
    lifted = lift(shipped_models()[name])
    compared = Compared(lifted, dict.fromkeys(lifted.sorts, 1))
    assert compared.compare(1000) < 1000, "all of them, with one member of every sort"
    assert Compared(lifted, dict.fromkeys(lifted.sorts, 2)).compare(MOST) > 0


@pytest.mark.parametrize("name", TESTED)
def test_every_model_of_the_tests_is_exported_as_it_is(name: str) -> None:
    lifted = lift(TESTED[name])
    assert Compared(lifted, dict.fromkeys(lifted.sorts, 2)).compare(MOST) > 0


def test_a_model_that_no_scope_holds_is_exported_all_the_same() -> None:
    _, reader = read(lift(HUGE), {})
    assert "step" in reader.parsed.definitions


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


# -- what is seldom --------------------------------------------------------------------------------------------


def test_names_values_and_outcomes_of_every_kind_are_exported_as_they_are() -> None:
    lifted = lift(seldom.Seldom)
    compared = Compared(lifted, {seldom.Job: 2})
    assert compared.compare(60) == 60
    reader = compared.reader
    assert {"NoActionRaises", "NoDeadlock", "TypeOK", "Always_TypeOK", "Lemma_held"} <= set(reader.invariants)
    assert reader.properties == ["Eventually_ends"] and "Never_moved" in reader.parsed.definitions


def test_a_deadlock_is_allowed_where_the_model_says_that_it_may_end() -> None:
    @model
    class Candle:
        n: Annotated[int, Range(0, 2)] = var(0)

        @action
        def burn(self) -> None:
            require(self.n < 2)
            self.n += 1

        @terminal
        def out(self) -> bool:
            return self.n == 2

    @model
    class Stuck(Candle):
        @action
        def burn(self) -> None:
            require(self.n < 1)
            self.n += 1

    for cls, fine in ((Candle, {0: True, 1: True, 2: True}), (Stuck, {0: True, 1: False, 2: True})):
        _, reader = read(lift(cls), {})
        assert {n: reader.holds("NoDeadlock", {"n": n}) for n in range(3)} == fine


def test_what_is_assumed_of_an_eventually_stands_before_it() -> None:
    @model
    class Waiting:
        asked: Map[seldom.Job, bool] = var(False)
        done: Map[seldom.Job, bool] = var(False)

        @action
        def ask(self, j: seldom.Job) -> None:
            self.asked[j] = True

        @action
        def answer(self, j: seldom.Job) -> None:
            require(self.asked[j])
            self.done[j] = True

        @eventually(weak=("answer",), strong=("ask",))
        def gets_done(self, j: seldom.Job) -> bool:
            return self.done[j]

    written, _ = read(lift(Waiting), {seldom.Job: 2})
    (line,) = [line for line in written.tla.splitlines() if line.startswith("Eventually_gets_done ")]
    assert "(\\A j_2 \\in Job : WF_vars(answer(j_2)))" in line
    assert "(\\A j_2 \\in Job : SF_vars(ask(j_2)))" in line
    assert line.endswith("=> <>gets_done(j))")


# -- the reader itself -----------------------------------------------------------------------------------------

FAULTS = {
    "a guard lost": ("  /\\ ~intended[e]\n  /\\ intended'", "  /\\ intended'"),
    "a guard negated": ("  /\\ ~up\n", "  /\\ up\n"),
    "another value": ("sent' = [sent EXCEPT ![e] = TRUE]", "sent' = [sent EXCEPT ![e] = FALSE]"),
    "an off by one": ("applied[e] + 1)", "applied[e] + 2)"),
    "an action left out": ("  \\/ crash  \\* fault\n", ""),
    "another start": ("/\\ up = TRUE", "/\\ up \\in BOOLEAN"),
    "another claim": ("applied[e] <= 1", "applied[e] <= 0"),
    "a wider range": ("(0..3)", "(1..3)"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_in_the_export_is_seen(what: str) -> None:
    lifted = lift(plain_ledger.EffectLedger)
    compared = Compared(lifted, {plain_ledger.Effect: 1})
    before, after = FAULTS[what]
    assert before in compared.module.tla
    compared.reader = Reader(compared.module.tla.replace(before, after, 1), compared.module.cfg())
    with pytest.raises(AssertionError):
        compared.compare(MOST)


REFUSED = {
    "a name without a meaning": ("intended[e]", "intend[e]"),
    "a hidden name": ("\\E e \\in Effect : intend(e)", "\\E up \\in Effect : intend(up)"),
    "a variable forgotten": ("UNCHANGED <<intended, ", "UNCHANGED <<"),
    "and beside or": ("  /\\ up\n  /\\ ~intended[e]\n", "  /\\ up /\\ up \\/ up\n  /\\ ~intended[e]\n"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_tlc_refuses_the_reader_refuses(what: str) -> None:
    written, _ = read(lift(plain_ledger.EffectLedger), {plain_ledger.Effect: 1})
    before, after = REFUSED[what]
    assert before in written.tla
    with pytest.raises((SyntaxError, TypeError, KeyError)):
        reader = Reader(written.tla.replace(before, after, 1), written.cfg())
        todo = list(reader.starts())
        for state in todo:
            todo += [after for after in reader.steps(state) if after not in todo]


def test_the_reader_reads_python_s_floor_and_refuses_what_tla_leaves_undefined() -> None:
    text = "---- MODULE M ----\nEXTENDS Integers\n{}\n====\n"
    parsed = Reader(text.format("x == (-7) \\div 2\ny == (-7) % 2\nz == 7 % (-2)"), "")
    assert (parsed.called("x", [], {}), parsed.called("y", [], {})) == (-4, 1)
    with pytest.raises(ValueError, match="the divisor must be positive"):
        parsed.called("z", [], {})
