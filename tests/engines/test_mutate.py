"""mutate: kills are the change's own, survivors are listed, equivalence is proved or not said."""

from __future__ import annotations

import os
import subprocess
import sys
from types import ModuleType
from typing import Annotated, Any

import pytest

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    choose,
    eventually,
    fault,
    implies,
    lemma,
    model,
    require,
    sometimes,
    terminal,
    var,
)
from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout
from meshspec.engines import mutate as engine
from meshspec.engines.equivalence import unequal
from meshspec.engines.explore import FIRES, explore
from meshspec.engines.inductive import properties_of
from meshspec.engines.kills import Judge, Misread, Steps
from meshspec.engines.limits import Limits
from meshspec.engines.live import live
from meshspec.engines.mutate import bound_on, capped, mutants_die, mutate, spread, summary
from meshspec.engines.mutation import NOTICED, Fate, MutationReport, Run
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import lift
from meshspec.lang.mutants import ROW, SOURCE, mutants


class Job(Sort): ...


def tried(cls: Any, size: int = 1, **more: Any) -> MutationReport:
    lifted = lift(cls)
    return mutate(lifted, dict.fromkeys(lifted.sorts, size), **more)


def run_of(report: MutationReport, name: str) -> Run:
    (run,) = [run for run in report.runs if run.mutant.name == name]
    return run


def answers(report: MutationReport) -> dict[str, Finding]:
    return {finding.property: finding for finding in report.findings()}


@model
class Counter:
    """Every line of it matters, but for a guard that repeats another."""

    n: Annotated[int, Range(0, 9)] = var(0)
    closed: bool = var(False)

    @action
    def grow(self) -> None:
        require(self.n < 3 and not self.closed)
        require(self.n < 5)
        self.n += 1

    @action
    def close(self) -> None:
        require(self.n >= 2)
        self.closed = True

    @always
    def small(self) -> bool:
        return self.n <= 3

    @always
    def closed_late(self) -> bool:
        return implies(self.closed, self.n >= 2)

    @sometimes
    def full(self) -> bool:
        return self.n == 3


def test_a_dropped_guard_is_killed_by_the_claim_that_needs_it_and_by_no_other() -> None:
    report = tried(Counter)
    assert run_of(report, "grow: without `self.n < 3`").kills == ("small",)
    assert run_of(report, "close: without `require(self.n >= 2)`").kills == ("closed_late",)
    assert run_of(report, "grow: `self.n += 1` -> `self.n -= 1`").kills == ("n stays in 0..9",)


def test_a_mutant_that_loses_a_witness_or_an_action_is_noticed_by_vacuity_and_not_killed() -> None:
    report = tried(Counter)
    run = run_of(report, "grow: `self.n < 3` -> `self.n < 2`")
    assert (run.fate, run.kills, run.notices) == (Fate.NOTICED, (), ("full",))
    blocked = run_of(report, "close: never taken where n >= 2")
    assert blocked.fate is Fate.NOTICED
    assert FIRES in blocked.notices


def test_a_redundant_guard_is_proved_equivalent_by_the_claims_that_make_it_so() -> None:
    run = run_of(tried(Counter), "grow: without `require(self.n < 5)`")
    assert run.fate is Fate.EQUIVALENT
    assert run.remark.startswith("the same steps wherever small")


@model
class Sealed:
    """`n < 9` is redundant because n stays below 4, which `low` states and proves."""

    n: Annotated[int, Range(0, 99)] = var(0)

    @action
    def grow(self) -> None:
        require(self.n < 9)
        if self.n < 3:
            self.n += 1

    @always
    def low(self) -> bool:
        return self.n <= 3


def test_equivalence_is_proved_under_proved_claims_and_only_there() -> None:
    lifted = lift(Sealed)
    found = {mutant.name: mutant for mutant in mutants(lifted)[0]}
    changed = found["grow: without `require(self.n < 9)`"].make()
    low = [p for p in properties_of(lifted) if p.name == "low"]
    assert unequal(lifted, changed, low) == ""
    assert "the solver does not exclude that they differ" in unequal(lifted, changed, [])
    run = run_of(tried(Sealed), "grow: without `require(self.n < 9)`")
    assert run.fate is Fate.EQUIVALENT
    assert run.remark.startswith("the same steps wherever low")


@model
class Unproved:
    """`even` is not inductive without a lemma, so that `n != 7` is redundant is true and not shown."""

    n: Annotated[int, Range(0, 8)] = var(0)
    twice: bool = var(False)

    @action
    def grow(self) -> None:
        require(self.n != 7 and self.n < 8)
        self.n += 2

    @always
    def bounded(self) -> bool:
        return self.n <= 8


def test_what_only_the_scope_does_not_tell_apart_is_a_survivor() -> None:
    run = run_of(tried(Unproved), "grow: without `self.n != 7`")
    assert run.fate is Fate.SURVIVED
    assert run.remark.startswith("no reachable state in scope tells it apart; not shown for every size: grow: ")


def test_what_reads_as_the_same_rows_is_equivalent_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    @model
    class Fixed:
        strict: bool = True
        on: bool = var(False)

        @action
        def turn(self) -> None:
            require(self.strict)
            self.on = not self.on

        @sometimes
        def lit(self) -> bool:
            return self.on

    monkeypatch.setattr(engine, "unequal", None)
    run = run_of(tried(Fixed), "turn: without `require(self.strict)`")
    assert (run.fate, run.remark) == (Fate.EQUIVALENT, "it reads as the same rows, with these constants")


@model
class Lenient:
    """A guard that no claim needs, a change that only takes steps away."""

    on: bool = var(False)
    n: Annotated[int, Range(0, 3)] = var(0)

    @action
    def turn_on(self) -> None:
        require(not self.on)
        self.on = True

    @action
    def count(self) -> None:
        require(self.n < 3)
        if self.on:
            self.n += 1
        else:
            self.n = 0

    @always
    def fine(self) -> bool:
        return self.n <= 3


def test_a_guard_that_no_claim_needs_survives_and_is_told_with_its_line() -> None:
    report = tried(Lenient)
    run = run_of(report, "turn_on: without `require(not self.on)`")
    assert run.fate is Fate.SURVIVED
    assert run.remark == "it takes steps that the model does not take, and no claim forbids them"
    finding = answers(report)[NOTICED]
    assert finding.answer is Answer.UNDETERMINED
    assert "survive, the first at " in finding.reason
    assert f"{run.mutant.where}: {run.mutant.name}" in finding.reason
    assert "a claim that forbids the change" in finding.settles


def test_a_survivor_that_only_takes_steps_away_is_told_as_one_that_no_always_can_notice() -> None:
    run = run_of(tried(Lenient), "count: never taken where n < 3 and not on")
    assert run.fate is Fate.SURVIVED
    assert run.remark.startswith("it only takes steps away in this scope")


@model
class Toothless(Counter):
    @always
    def cannot_fail(self) -> bool:
        return self.n + 1 > self.n

    @always
    def hardly(self) -> bool:
        return self.n != 8


def test_a_claim_that_no_mutant_refutes_is_vacuous_and_one_that_refutes_some_holds_tested() -> None:
    report = tried(Toothless)
    found = answers(report)
    assert (found["hardly"].answer, found["hardly"].reason) == (
        Answer.VACUOUS,
        f"no mutant that was run refutes it, of all {report.run}: nothing shows that it can fail",
    )
    small = found["small"]
    assert (small.answer, small.strength, small.tested) == (Answer.HOLDS, Strength.TESTED, report.run)
    assert small.facts["kills"] == len([run for run in report.runs if "small" in run.kills])
    assert found["full"].answer is Answer.HOLDS  # lost in some


def test_a_claim_that_is_vacuous_in_the_model_is_so_here_and_one_that_the_model_breaks_is_undetermined() -> None:
    @model
    class Broken:
        n: Annotated[int, Range(0, 5)] = var(0)

        @action
        def grow(self) -> None:
            require(self.n < 3)
            self.n += 1

        @always
        def tiny(self) -> bool:
            return self.n < 2

        @always
        def never_asked(self) -> bool:
            return implies(self.n > 4, self.n == 5)

    found = answers(tried(Broken))
    assert found["tiny"].answer is Answer.UNDETERMINED
    assert "the model itself breaks tiny" in found["tiny"].reason
    assert found["never_asked"].answer is Answer.VACUOUS
    assert "vacuous in the model itself" in found["never_asked"].reason


@model
class Waiting:
    """It ends if `finish` is not put off for ever; `idle` goes round meanwhile."""

    done: bool = var(False)
    mood: Annotated[int, Range(0, 3)] = var(0)

    @action
    def finish(self) -> None:
        require(not self.done)
        self.done = True

    @action
    def idle(self) -> None:
        require(self.mood < 2)
        self.mood = 1 - self.mood

    @eventually(weak=("finish",))
    def ends(self) -> bool:
        return self.done


def test_what_must_come_about_kills_a_mutant_on_which_it_does_not() -> None:
    report = tried(Waiting)
    run = run_of(report, "finish: `self.done = True` -> `self.done = False`")
    assert (run.fate, run.kills) == (Fate.KILLED, ("ends",))
    found = answers(report)["ends"]
    assert (found.answer, found.strength) == (Answer.HOLDS, Strength.TESTED)
    assert found.facts["kills"] == len([run for run in report.runs if "ends" in run.kills])


def test_a_fair_action_that_is_never_taken_kills_by_what_is_not_enabled_on_the_lasso() -> None:
    report = tried(Waiting)
    assert run_of(report, "finish: never taken where not done").kills == ("ends",)  # each step is the original's
    assert "ends" not in run_of(report, "finish: without `require(not self.done)`").kills
    assert not any("ends" in run.kills for run in report.runs if run.mutant.method == "idle")


def test_a_row_is_no_body_so_its_lasso_is_not_run_by_cpython() -> None:
    row = next(m for m in mutants(lift(Waiting))[0] if m.name == "finish: never taken where not done")
    (found,) = live(row.make(), {}, replayed=False)
    assert found.answer is Answer.VIOLATED
    assert found.counterexample is not None
    assert found.counterexample.failed.startswith("ends: it is never true; at the start ")
    with pytest.raises(Disagreement):
        live(row.make(), {})


def test_what_must_come_about_is_not_asked_of_mutants_where_the_model_breaks_it_or_was_cut() -> None:
    @model
    class Unfair(Waiting):
        @eventually
        def ends(self) -> bool:
            return self.done

    report = tried(Unfair, name="my.py:Unfair")
    found = answers(report)["ends"]
    assert (found.answer, report.kills_of("ends")) == (Answer.UNDETERMINED, [])
    assert found.settles == "a model that keeps it (meshspec live my.py:Unfair shows the path)"
    cut = answers(tried(Waiting, limits=Limits(max_states=1)))["ends"]
    assert cut.answer is Answer.UNDETERMINED
    assert cut.reason == "it is not settled of the model itself: cut off by --max-states of 1"
    assert "--max-states" in cut.settles


@model
class Endless:
    """Its search is cut long before it breaks `small` at 2,000; a mutant gets there within the bound."""

    n: int = var(0)
    side: Annotated[int, Range(0, 40)] = var(0)

    @action
    def grow(self) -> None:
        self.n += 1

    @action
    def wander(self) -> None:
        require(self.side < 40)
        self.side += 1

    @always
    def small(self) -> bool:
        return self.n < 150


def test_a_violation_that_the_model_has_as_well_is_no_kill() -> None:
    report = tried(Endless, limits=Limits(max_states=600))
    run = run_of(report, "wander: never taken where side < 40")
    assert run.kills == ()
    assert run.otherwise == {"small": "every step of its path is one of the unchanged model"}
    assert run.fate is not Fate.KILLED
    assert "small" not in {name for one in report.runs if one.mutant.method == "wander" for name in one.kills}


def test_a_kill_is_one_only_if_undoing_the_change_on_the_same_schedule_undoes_it() -> None:
    """The path of this mutant uses its change, and leads the unchanged model into the violation just as well."""

    @model
    class Doomed:
        n: Annotated[int, Range(0, 9)] = var(0)
        mark: Annotated[int, Range(0, 9)] = var(0)

        @action
        def grow(self) -> None:
            self.n = min(self.n + 1, 9)
            self.mark = 1

        @always
        def small(self) -> bool:
            return self.n < 2

    lifted = lift(Doomed)
    found = {mutant.name: mutant for mutant in mutants(lifted)[0]}
    changed = found["grow: `self.mark = 1` -> `self.mark = 2`"].make()
    violated = next(f for f in explore(changed, {}) if f.property == "small")
    judge = Judge(lifted, {})
    assert judge.objection(Steps(changed, {}), violated, True) == "the unchanged model breaks it on the same schedule"
    faster = found["grow: `self.n = min(self.n + 1, 9)` -> `self.n = min(self.n + 2, 9)`"].make()
    sooner = next(f for f in explore(faster, {}) if f.property == "small")
    assert judge.objection(Steps(faster, {}), sooner, True) == ""


def test_what_cpython_does_not_do_is_no_kill() -> None:
    lifted = lift(Counter)
    row = next(m for m in mutants(lifted)[0] if m.level == ROW and m.name.startswith("close: without `n >= 2`"))
    changed = row.make()  # its body is the unchanged one, so that CPython does otherwise
    violated = next(f for f in explore(changed, {}) if f.property == "closed_late")
    judge = Judge(lifted, {})
    assert judge.objection(Steps(changed, {}), violated, False) == ""
    with pytest.raises(Misread, match="CPython does not take close as the changed body was read"):
        judge.objection(Steps(changed, {}), violated, True)


def test_a_bad_end_an_error_and_a_range_are_kills_of_their_own() -> None:
    @model
    class Ending:
        n: Annotated[int, Range(0, 4)] = var(0)

        @action
        def grow(self) -> None:
            require(self.n < 4)
            self.n += 1

        @action
        def check(self) -> None:
            require(self.n > 0)
            assert self.n > 0

        @terminal
        def at_the_top(self) -> bool:
            return False

    report = tried(Ending)
    raising = run_of(report, "check: `self.n > 0` -> `self.n >= 0`")
    assert raising.kills == ("no action raises",)
    assert run_of(report, "grow: `self.n < 4` -> `self.n <= 4`").kills == ("n stays in 0..4",)
    stuck = run_of(report, "check: `self.n > 0` -> `self.n <= 0`")
    assert "ends only where it may" in stuck.kills


def test_a_mutant_without_end_is_cut_and_left_undecided() -> None:
    @model
    class Guarded:
        n: int = var(0)

        @action
        def grow(self) -> None:
            require(self.n < 3)
            self.n += 1

        @always
        def positive(self) -> bool:
            return self.n >= 0

    report = tried(Guarded)
    run = run_of(report, "grow: without `require(self.n < 3)`")
    assert run.fate is Fate.UNDECIDED
    assert run.remark == f"not settled within {bound_on(4):,} states"
    assert answers(report)[NOTICED].answer is Answer.UNDETERMINED


@model
class Choosing:
    n: Annotated[int, Range(0, 3)] = var(0)
    lucky: bool = var(False)

    @action
    def draw(self) -> None:
        self.lucky = choose(range(2)) == 1

    @always
    def fine(self) -> bool:
        return self.n == 0

    @sometimes
    def won(self) -> bool:
        return self.lucky


def test_how_a_choice_is_numbered_is_no_difference() -> None:
    run = run_of(tried(Choosing), "draw: `choose(range(2)) == 1` -> `choose(range(2)) == 0`")
    assert run.fate is Fate.SURVIVED
    assert run.remark.startswith("no reachable state in scope tells it apart; not shown for every size")
    fewer = run_of(tried(Choosing), "draw: `choose(range(2)) == 1` -> `choose(range(2)) == 2`")
    assert (fewer.fate, fewer.notices) == (Fate.NOTICED, ("won",))


# -- samples ---------------------------------------------------------------------------------------------------


def test_a_sample_is_spread_over_the_methods_and_says_how_many_there_are() -> None:
    report = tried(Counter, cap=2, seed=3)
    assert report.run == 2
    assert {run.mutant.method for run in report.runs} == {"grow", "close"}
    assert summary(report).startswith(f"{len(report.runs)} of {report.total} mutants tried, ")
    quiet = [f for f in report.findings() if f.property in ("small", "closed_late") and not f.strength]
    for finding in quiet:  # what a sample does not show is not said
        assert finding.answer is Answer.UNDETERMINED
        assert f"of {report.total} mutants tried" in finding.reason


def test_a_sample_in_which_all_die_is_not_every_change() -> None:
    report = tried(Counter, cap=1)
    assert not report.survivors
    found = answers(report)[NOTICED]
    assert (found.answer, found.strength) == (Answer.UNDETERMINED, None)
    assert found.reason == f"1 of {report.total} mutants tried"
    assert found.known == "1 mutant run, none survived"
    assert found.settles == "meshspec mutate without --cap"


def test_what_cut_the_search_is_what_would_settle_it() -> None:
    narrow = tried(Counter, limits=Limits(max_states=1))
    assert narrow.of(Fate.UNDECIDED)[0].remark == "not settled within 1 state"
    assert narrow.settles() == "a higher --max-states"
    sample = tried(Counter, limits=Limits(max_states=1), cap=2)
    assert sample.of(Fate.UNDECIDED)
    assert sample.settles() == "a higher --max-states; meshspec mutate without --cap"


def test_a_model_without_source_is_undetermined_and_placed_in_no_file_of_others() -> None:
    made = ModuleType("typed_elsewhere")
    text = (
        "from meshspec import *\nfrom typing import Annotated\n@model\nclass Typed:\n"
        "    n: Annotated[int, Range(0, 9)] = var(0)\n    @action\n    def grow(self) -> None:\n"
        "        require(self.n < 3)\n        self.n += 1\n    @always\n    def small(self) -> bool:\n"
        "        return self.n <= 3\n"
    )
    exec(compile(text, "<string>", "exec", dont_inherit=True), vars(made))
    report = tried(made.Typed)
    assert {run.mutant.level for run in report.runs} == {ROW}
    assert not report.survivors
    assert {run.mutant.where.file for run in report.runs} == {"<string>"}
    found = answers(report)
    assert found[NOTICED].answer is Answer.UNDETERMINED
    why = "<string>:6: no file holds the source of grow"
    assert found[NOTICED].reason == f"no source: only rows were changed ({why})"
    assert found[NOTICED].settles == "the model in a file"
    assert found["small"].answer is Answer.HOLDS
    assert mutants_die(lift(made.Typed), {}).answer is Answer.UNDETERMINED


def test_a_sample_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="--cap 0: try at least one mutant"):
        tried(Counter, cap=0)


def test_a_cap_beyond_all_is_no_sample() -> None:
    report = tried(Sealed, cap=10_000)
    assert report.all_tried


SAMPLE = """
from meshspec.engines.mutate import spread
from meshspec.lang.lift import lift
from meshspec.lang.mutants import mutants
from tests.engines.test_mutate import Toothless
print([mutant.name for mutant in spread(mutants(lift(Toothless))[0], 7)])
"""


def test_a_sample_does_not_depend_on_the_hash_seed() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SAMPLE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    here = [mutant.name for mutant in spread(mutants(lift(Toothless))[0], 7)]
    assert said == {f"{here}\n"}


def test_another_seed_draws_another_sample() -> None:
    every = mutants(lift(Counter))[0]
    drawn = {tuple(mutant.name for mutant in spread(every, seed)[:6]) for seed in range(5)}
    assert len(drawn) > 1
    assert sorted(m.name for m in spread(every, 0)) == sorted(m.name for m in every)


# -- interruption ----------------------------------------------------------------------------------------------


def test_what_was_run_until_an_interruption_is_told_and_the_rest_is_undetermined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lifted = lift(Counter)
    base = explore(lifted, {})
    calls = 0

    def interrupted(*args: Any) -> list[Finding]:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise KeyboardInterrupt
        return explore(*args)

    monkeypatch.setattr(engine, "explore", interrupted)
    report = mutate(lifted, {}, base=base)
    assert report.stopped == "interrupted"
    assert 3 <= len(report.runs) < report.total
    found = answers(report)
    assert found[NOTICED].answer is Answer.UNDETERMINED
    assert found[NOTICED].reason.startswith("interrupted") or "; interrupted" in found[NOTICED].reason
    assert found["closed_late"].answer is Answer.UNDETERMINED
    assert found["closed_late"].settles == "letting it run to its end"


def test_an_interruption_that_the_search_reports_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    lifted = lift(Counter)
    base = explore(lifted, {})
    cut = [Finding("Counter", "small", Answer.UNDETERMINED, "explore", reason="x", facts={"cut": "interrupted"})]

    def stopped(*_: object) -> list[Finding]:
        return cut

    monkeypatch.setattr(engine, "explore", stopped)
    report = mutate(lifted, {}, base=base)
    assert report.stopped == "interrupted"
    assert not any(run.fate is Fate.UNDECIDED for run in report.runs)


# -- for check and for evidence --------------------------------------------------------------------------------


def test_a_capped_run_prints_one_line_with_what_it_tried() -> None:
    lifted = lift(Counter)
    made = capped(lifted, {}, name="counters.py", base=explore(lifted, {}), cap=4)
    assert made.report is not None
    assert made.line == f"refutability: {summary(made.report)}; meshspec mutate counters.py tries all"
    assert made.report.run == 4


def test_a_capped_run_of_a_large_model_tries_nothing_and_says_so() -> None:
    made = capped(lift(Endless), {}, Limits(max_states=500))
    assert made.report is None
    assert made.line == (
        "refutability: no mutants tried, the model has many states; meshspec mutate Endless tries them"
    )


def test_a_capped_run_asks_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "prove", None)
    monkeypatch.setattr(engine, "unequal", None)
    assert capped(lift(Sealed), {}, cap=50).report is not None


def test_the_evidence_names_survivors_that_are_not_acknowledged() -> None:
    lifted = lift(Lenient)
    finding = mutants_die(lifted, {})
    assert finding.answer is Answer.VIOLATED
    assert "turn_on: without `require(not self.on)` survives and is not acknowledged" in finding.reason
    alive = [run.mutant.name for run in mutate(lifted, {}).survivors]
    known = mutants_die(lifted, {}, survivors=alive)
    assert (known.answer, known.strength) == (Answer.HOLDS, Strength.TESTED)
    assert all(name in known.reason for name in alive)


def test_a_star_acknowledges_whatever_stands_in_its_place_and_nothing_else() -> None:
    lifted = lift(Lenient)
    others = [r.mutant.name for r in mutate(lifted, {}).survivors if r.mutant.method != "turn_on"]
    assert mutants_die(lifted, {}, survivors=["turn_on: *", *others]).answer is Answer.HOLDS
    finding = mutants_die(lifted, {}, survivors=["turn_on: `*", *others])
    assert finding.answer is Answer.VIOLATED
    assert "turn_on: without" in finding.reason


def test_the_evidence_refuses_an_acknowledged_survivor_that_is_none() -> None:
    lifted = lift(Lenient)
    alive = [run.mutant.name for run in mutate(lifted, {}).survivors]
    finding = mutants_die(lifted, {}, survivors=[*alive, "turn_on: without `self.gone`"])
    assert finding.answer is Answer.VIOLATED
    assert "turn_on: without `self.gone` is acknowledged as a survivor and is none" in finding.reason


def test_the_evidence_of_a_model_without_a_claim_that_bites_is_vacuous() -> None:
    @model
    class Idle:
        on: bool = var(False)

        @action
        def flip(self) -> None:
            self.on = not self.on

        @always
        def yes(self) -> bool:
            return self.on or not self.on

    lifted = lift(Idle)
    alive = [run.mutant.name for run in mutate(lifted, {}).survivors]
    finding = mutants_die(lifted, {}, survivors=alive)
    assert finding.answer is Answer.VACUOUS
    assert finding.reason == "no claim notices any of them: nothing shows that one can fail"


def test_the_evidence_of_a_cut_search_is_undetermined() -> None:
    @model
    class Open:
        n: int = var(0)

        @action
        def grow(self) -> None:
            require(self.n < 3)
            self.n += 1

        @always
        def small(self) -> bool:
            return self.n != -1

        @sometimes
        def there(self) -> bool:
            return self.n == 3

    lifted = lift(Open)
    alive = [run.mutant.name for run in mutate(lifted, {}).survivors]
    assert mutants_die(lifted, {}, survivors=alive).answer is Answer.UNDETERMINED


@model
class Counting:
    """Counts up to three, and must."""

    n: Annotated[int, Range(0, 5)] = var(0)
    idle: bool = var(False)

    @action
    def step(self) -> None:
        require(self.n < 3)
        self.n += 1
        self.idle = not self.idle

    @always
    def few(self) -> bool:
        return self.n <= 3

    @eventually(weak=("step",))
    def comes_to_its_end(self) -> bool:
        return self.n == 3


def test_where_one_claim_is_enough_the_same_mutants_die(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    right = live

    def counted(model: Any, *more: Any, **how: Any) -> list[Finding]:
        asked.append(model.name)
        return right(model, *more, **how)

    monkeypatch.setattr(engine, "live", counted)
    lifted = lift(Counting)
    every = mutate(lifted, {})
    all_of_them = len(asked)
    once = mutate(lifted, {}, enough=True)
    assert [(run.mutant.name, run.fate) for run in once.runs] == [(run.mutant.name, run.fate) for run in every.runs]
    assert {run.fate for run in once.runs} >= {Fate.KILLED, Fate.SURVIVED}
    assert len(asked) - all_of_them < all_of_them
    assert any("comes_to_its_end" in run.kills for run in once.runs)  # what only liveness notices is still asked


# -- soundness -------------------------------------------------------------------------------------------------


@model
class Ledger:
    applied: Map[Job, Annotated[int, Range(0, 5)]] = var(0)
    sent: Map[Job, bool] = var(False)
    holder: Job | None = var(None)
    up: bool = var(True)

    @action
    def send(self, job: Job) -> None:
        require(self.up and not self.sent[job])
        require(self.applied[job] < 2)
        self.sent[job] = True
        self.applied[job] += 1
        self.holder = job

    @fault
    def crash(self) -> None:
        require(self.up)
        self.up = False
        self.holder = None

    @action
    def recover(self) -> None:
        require(not self.up)
        self.up = True

    @always
    def at_most_once(self, job: Job) -> bool:
        return self.applied[job] <= 1

    @lemma
    def sent_is_applied(self, job: Job) -> bool:
        return self.applied[job] == (1 if self.sent[job] else 0)


def test_what_is_proved_equivalent_takes_the_same_steps_in_larger_scopes_too() -> None:
    lifted = lift(Ledger)
    report = mutate(lifted, {Job: 1})
    equal = [run for run in report.runs if run.fate is Fate.EQUIVALENT]
    assert {run.mutant.name for run in equal} >= {"send: without `require(self.applied[job] < 2)`"}
    layout = Layout(lifted, {Job: 3})
    step = Generator(layout).successors()
    seen = list(layout.initial_states())
    for state in seen:
        seen += [s for s in dict.fromkeys(s for _, s, _ in step(state)) if s is not None and s not in seen]
    assert len(seen) > 20
    for run in equal:
        other = Generator(Layout(run.mutant.make(), {Job: 3})).successors()
        assert all(step(state) == other(state) for state in seen), run.mutant.name


def test_every_kill_at_one_size_is_confirmed_by_replaying_it() -> None:
    """Kills were judged on generated Python; here each is judged again from a fresh search."""
    lifted = lift(Ledger)
    report = mutate(lifted, {Job: 1})
    killed = [run for run in report.runs if run.kills]
    assert len(killed) > 5
    judge = Judge(lifted, {Job: 1})
    for run in killed[:10]:
        changed = run.mutant.make()
        for finding in explore(changed, {Job: 1}):
            if finding.property in run.kills:
                assert finding.answer is Answer.VIOLATED
                assert judge.objection(Steps(changed, {Job: 1}), finding, run.mutant.level == SOURCE) == ""


def test_a_report_is_plain_data_with_every_mutant_in_it() -> None:
    report = tried(Sealed)
    told = report.to_dict()
    assert told["mutants"] == len(told["runs"]) == report.total
    assert sum(told["fates"].values()) == report.total
    (dropped,) = [run for run in told["runs"] if run["name"] == "grow: without `require(self.n < 9)`"]
    assert dropped["where"].endswith(f"test_mutate.py:{run_of(report, dropped['name']).mutant.where.line}")
    assert (dropped["old"], dropped["new"], dropped["level"]) == ("require(self.n < 9)", "", "source")
