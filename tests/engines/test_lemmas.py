"""A search for lemmas proves what its author left unproved, says with what, and says so where it finds nothing."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import attrs
import pytest

from meshspec.answer import Answer, Finding, Strength
from meshspec.backends import native
from meshspec.backends.evaluate import evaluate
from meshspec.backends.layout import NO_RAISE, Layout
from meshspec.engines.explore import explore
from meshspec.engines.lemmas import literals_of
from meshspec.engines.limits import Limits
from meshspec.engines.paste import lemma
from meshspec.engines.prove import SEARCH, prove
from meshspec.engines.templates import candidates, reachable
from meshspec.expr.nodes import IntType
from meshspec.lang.lift import LiftedModel, lift
from tests.generator import compiled, make
from tests.models import p_hidden, p_ledger, p_lock, p_sizes, p_thresholds, p_traps, p_two_phase, plain_ledger


def bare(model: Any) -> LiftedModel:
    """The model without the lemmas its author found."""
    lifted = lift(model)
    return attrs.evolve(lifted, claims=tuple(c for c in lifted.claims if c.method.kind != "lemma"))


def searched(model: LiftedModel, most: int = SEARCH) -> dict[str, Finding]:
    return {finding.property: finding for finding in prove(model, max_candidates=most)}


def found_in(findings: Mapping[str, Finding]) -> dict[str, str]:
    methods: dict[str, str] = {}
    for finding in findings.values():
        methods.update(cast("Mapping[str, str]", finding.facts.get("found", {})))
    return methods


def pasted(source: Path, methods: Mapping[str, str], name: str, folder: Path) -> type:
    """A model file in which the lemmas of the class `name` are these."""
    text = source.read_text(encoding="utf-8")
    start, end = text.index("    @lemma\n"), text.index("@model\n", text.index("    @lemma\n"))
    lines = "\n\n".join("\n".join("    " + line for line in method.splitlines()) for method in methods.values())
    module = compiled(f"{text[:start]}{lines}\n\n\n{text[end:]}", "pasted_lemmas", folder)
    return cast("type", getattr(module, name))


def test_the_ledger_without_its_lemmas_is_proved_with_found_ones() -> None:
    model = bare(plain_ledger.EffectLedger)
    assert prove(model)[0].answer is Answer.UNDETERMINED
    findings = searched(model)
    assert all(f.answer is Answer.HOLDS and f.strength is Strength.EVERY_SIZE for f in findings.values()), findings
    used = cast("list[str]", findings["at_most_once"].facts["uses"])
    assert used and set(used) <= set(found_in(findings))
    assert "a search found" in findings["at_most_once"].reason
    assert findings["memory_dies_with_the_worker"].facts == {"uses": []}


def test_what_was_found_can_be_pasted_and_proves_without_a_search(tmp_path: Path) -> None:
    methods = found_in(searched(bare(plain_ledger.EffectLedger)))
    assert methods and all(method.startswith("@lemma\ndef found_") for method in methods.values())
    model = pasted(Path(plain_ledger.__file__), methods, "EffectLedger", tmp_path)
    findings = prove(lift(model))
    assert sum(f.kind == "lemma" for f in findings) == len(methods)
    assert all(f.strength is Strength.EVERY_SIZE for f in findings), findings


def test_what_is_found_reads_like_what_its_author_would_have_written() -> None:
    """The author's own three, but for two that are said of less, since no more is needed."""
    assert list(found_in(searched(bare(plain_ledger.EffectLedger))).values()) == [
        "@lemma\ndef found_1(self, e: Effect) -> bool:\n    return implies("
        "self.up and self.applied[e] > 0, self.doubtful[e] or self.recorded[e] or self.sent[e])",
        "@lemma\ndef found_2(self, e: Effect) -> bool:\n    return implies(self.applied[e] > 0, self.intended[e])",
        "@lemma\ndef found_3(self, e: Effect) -> bool:\n    return implies(self.sent[e], self.applied[e] >= 1)",
    ]


@pytest.mark.parametrize("model", [p_lock.Lock, p_two_phase.TwoPhase], ids=lambda model: model.__name__)
def test_no_more_lemmas_are_found_than_the_author_needed(model: type) -> None:
    own = [claim for claim in lift(model).claims if claim.method.kind == "lemma"]
    assert 0 < len(found_in(searched(bare(model)))) <= len(own)


def test_none_of_the_found_lemmas_can_be_done_without(tmp_path: Path) -> None:
    methods = found_in(searched(bare(plain_ledger.EffectLedger)))
    for name in methods:
        fewer = {other: method for other, method in methods.items() if other != name}
        model = pasted(Path(plain_ledger.__file__), fewer, "EffectLedger", tmp_path)
        assert any(f.answer is Answer.UNDETERMINED and f.kind != "lemma" for f in prove(lift(model)))


PROVED = [
    (p_ledger.BareLedger, "at_most_once"),
    (p_lock.Lock, "one_at_a_time"),
    (p_two_phase.TwoPhase, "consistent"),
    (p_hidden.Tickets, "tickets_differ"),
    (p_hidden.Desk, "whoever_is_there_took_it"),
    (p_hidden.Share, NO_RAISE),
    (p_traps.Raising, NO_RAISE),
]


@pytest.mark.parametrize(("model", "claim"), PROVED, ids=lambda value: getattr(value, "__name__", value))
def test_a_promise_is_proved_with_lemmas_that_nobody_wrote(model: Any, claim: str) -> None:
    without = {f.property: f for f in prove(bare(model))}[claim]
    finding = searched(bare(model))[claim]
    assert without.answer is Answer.UNDETERMINED
    assert finding.strength is Strength.EVERY_SIZE, finding.reason
    assert finding.facts["found"]


def test_where_no_template_suffices_the_answer_stays_undetermined_and_says_so() -> None:
    finding = searched(bare(p_hidden.Odd))["never_seven"]
    assert finding.answer is Answer.UNDETERMINED and finding.settles
    tried = finding.facts["candidates"]
    assert isinstance(tried, int) and tried > 0
    assert f"searched for lemmas: none of {tried} candidates is a lemma that helps" in finding.reason
    assert "cti" in finding.facts, "what stands in the way is still shown"


def test_without_candidates_to_try_nothing_more_is_proved() -> None:
    finding = searched(bare(p_ledger.BareLedger), most=1)["at_most_once"]
    assert finding.answer is Answer.UNDETERMINED and finding.facts["candidates"] == 1


@pytest.mark.parametrize(
    ("model", "claim"),
    [
        (p_ledger.ResendInDoubt, "at_most_once"),
        (p_two_phase.CommitUnheard, "consistent"),
        (p_lock.ReleaseWhileWorking, "one_at_a_time"),
        (p_lock.NoFencing, "last_write_is_the_highest"),
        (p_traps.Mutual, "a_never"),
        (p_traps.Circle, "left_is_low"),
        (p_sizes.Counter, "below_four"),
        (p_sizes.AllButOne, "not_all"),
        (p_thresholds.Rounds, "at_most_three_rounds"),
        (p_thresholds.Seats, "nobody_is_turned_away"),
        (p_thresholds.Succession, "no_four_in_a_row"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_is_false_at_some_size_is_proved_with_no_lemma(model: Any, claim: str) -> None:
    assert searched(bare(model))[claim].answer is Answer.UNDETERMINED


def test_with_hardly_any_steps_for_the_solver_nothing_is_found() -> None:
    findings = prove(bare(p_ledger.BareLedger), rlimit=1, max_candidates=SEARCH)
    assert {f.answer for f in findings if f.property != NO_RAISE} == {Answer.UNDETERMINED}


def test_every_candidate_is_true_in_every_state_seen_and_there_are_no_more_than_asked_for() -> None:
    model = bare(plain_ledger.EffectLedger)
    seen = reachable(model)
    assert seen is not None and seen.complete and len(seen.states) == 72
    every = candidates(model, seen, 10_000)
    assert len(set(every)) == len(every)
    assert candidates(model, seen, 7) == every[:7]
    sizes = [one.size for one in every]
    assert 1 in sizes and max(sizes) > 2


def test_no_state_is_looked_for_beyond_one_in_which_a_range_is_left() -> None:
    seen = reachable(lift(p_hidden.Beyond))
    assert seen is not None and seen.complete
    known = next(place for place, cell in enumerate(seen.layout.cells) if str(cell) == "known")
    level = next(place for place, cell in enumerate(seen.layout.cells) if str(cell) == "level")
    assert max(state[level] for state in seen.states) == 5
    assert not any(state[known] for state in seen.states)


def test_a_search_that_is_cut_still_only_suggests() -> None:
    cut = reachable(bare(p_hidden.Tickets), most=20)
    assert cut is not None and not cut.complete and len(cut.states) == 20


def shaken(layout: Layout, rnd: random.Random) -> dict[Any, Any]:
    """Any state, reachable or not."""
    values: dict[Any, Any] = {}
    for cell in layout.cells:
        symbol = cell.variable.symbol
        some = [-1, 0, 1, 2, 3] if isinstance(symbol.type, IntType) else list(layout.values(symbol.type))
        values[cell.key] = rnd.choice([*some, None] if symbol.optional else some)
    return values


@pytest.mark.parametrize("seed", range(6))
def test_a_pasted_lemma_means_what_was_proved_in_every_state(seed: int, tmp_path: Path) -> None:
    """Every candidate of a generated model as a method, read again, and both evaluated in the same random states."""
    model = make(seed)
    seen = reachable(model.lifted)
    assert seen is not None
    tried = candidates(model.lifted, seen, 40)
    methods = [
        lemma(f"found_{number}", one.universal.parameters, literals_of(one.universal.body), model.lifted.declared)
        for number, one in enumerate(tried)
    ]
    body = "\n\n".join("\n".join("    " + line for line in method.splitlines()) for method in methods)
    text = f"{model.source}\n\n@model\nclass Pasted({model.cls.__name__}):\n{body or '    pass'}\n"
    again = lift(compiled(text, f"pasted_{seed}", tmp_path).Pasted)
    model.forget()
    claims = {one.name: one for one in again.claims}
    sizes = dict.fromkeys(again.sorts, 2)
    layout, rnd = Layout(again, sizes), random.Random(seed)
    by_name = {sort.__name__: sort for sort in again.sorts}
    assert by_name.keys() == {sort.__name__ for sort in seen.layout.sizes}
    for _ in range(12):
        encoded = layout.encode(shaken(layout, rnd))
        here, there = layout.decode(encoded), seen.layout.decode(encoded)
        for number, one in enumerate(tried):
            lifted = claims[f"found_{number}"]
            for mine, theirs in zip(
                layout.arguments(lifted.parameters), seen.layout.arguments(one.universal.parameters), strict=True
            ):
                pasted_says = native.run(layout, lifted, here, mine)
                names = {p.name: value for p, value in zip(one.universal.parameters, theirs, strict=True)}
                truth = evaluate(one.universal.body, seen.layout, there, names)
                assert pasted_says == native.Value(truth), methods[number]


@pytest.mark.parametrize("seed", [*range(7), 59])  # 59: an action divides, which no lemma may
def test_what_a_search_proves_of_a_generated_model_explore_does_not_refute(seed: int) -> None:
    model = make(seed)
    findings = prove(model.lifted, max_candidates=120, rlimit=300_000, max_members=4, rounds=1)
    for size in (1, 2, 3):
        for explored in explore(model.lifted, model.sizes(size), Limits(max_states=1500)):
            proved = {f.property for f in findings if f.answer is Answer.HOLDS}
            assert explored.answer is not Answer.VIOLATED or explored.property not in proved
    model.forget()


SCRIPT = """
import attrs
from meshspec.engines.prove import SEARCH, prove
from meshspec.lang.lift import lift
from tests.models.plain_ledger import EffectLedger
model = lift(EffectLedger)
model = attrs.evolve(model, claims=tuple(c for c in model.claims if c.method.kind != "lemma"))
print([(f.property, f.reason, dict(f.facts)) for f in prove(model, max_candidates=SEARCH)])
"""


def test_the_lemmas_found_do_not_depend_on_the_hash_seed() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1 and "found_1" in said.pop()
