"""The notebooks: kept without outputs, and each cell says what the page around it says that it does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import ALL, executed, held, kept_without_outputs, quiet, told
from tests.readme import BLOCK, README

FIRST = {
    "found = nb.check": "✗ VIOLATED charged_at_most_once in 3 steps (shortest, explore)",
    "nb.model(": "action charge(j: Job)",
    "nb.graph(": "7 states, 12 steps",
    "walk = nb.walk": "false now: charged_at_most_once",
    "written = found.bundle": "test_charging_charged_at_most_once.py",
    "import sys": "reproduced on CPython: 3 steps",
    "mended = nb.check": "✓ HOLDS charged_at_most_once in scope (exhaustive, 16 states, Job=2)",
    "!{sys.executable}": "not reproduced: the path is closed at step 1",
    "nb.prove(": "✓ HOLDS charged_at_most_once for every size",
    "nb.agreement(": "they agree: of 8 properties 6 were settled",
    "nb.mutate(": "12 killed",
    "nb.coverage(": "✓ HOLDS every guard is once false",
}

FIFTY_FOUR = {
    "inherited.of(": "VIOLATED trips-on-identical-success it must trip by step 54, and never tripped in 54 steps",
    "proved.of(": "HOLDS without_errors_the_inherited_breaker_stays_shut for every size",
    "budgeted.of(": "VIOLATED a_loop_costs_no_more_than_its_patience in 5 steps",
    "wasted = ": "an endless loop of equal calls costs: budget alone, progress breaker by budget of steps, 6 bars",
    "nb.check(ProgressBreaker": "HOLDS a_loop_costs_no_more_than_its_patience for every size; in scope (exhaustive",
    "stopped = cost(": "54 4 50 0.925926",
    "nb.explore(ConsecutiveOnly": "VIOLATED nothing_is_asked_and_answered_too_often in 5 steps",
    "nb.prove(RecurringCalls": "HOLDS nothing_is_asked_and_answered_too_often for every size",
    "ours = nb.judge": "trips-on-identical-success HOLDS tested (",
    "spared = ": "a line at 54, printed",
}
CONSTANT = {
    "naive.of(": "VIOLATED who_gets_better_is_not_stopped in 3 steps",
    "{stopped_in(ConstantEvidence": "{3}",
    "moves(check_name": "VIOLATED moves it cannot move",
    "moves(reported": "HOLDS moves in scope (exhaustive, 30 states",
    "counted = ": "r3 2 2 0",
    "from meshspec.properties.breaker_claims import power": "'no decision': None",
    "nb.check(RepairRounds": "HOLDS who_is_stuck_is_stopped for every size",
    "runs = ": "crash, for ever 3 3 never",
    "nb.explore(CountOnlyRefund": "VIOLATED a_round_is_stalled_or_refunded in 2 steps",
    "turned = ": "The round in which a repair is stopped",
}
TWENTY_ONE = {
    "naive.of(": "VIOLATED a_check_sees_its_own_events_alone in 10 steps",
    "seen = ": "the whole log, its own events by invocation, 6 bars; a line at 1, wanted",
    "nb.prove(EventLog": "HOLDS every_event_is_of_an_invocation_or_was_there for every size",
    "events = ": "0 0 7 1 3 6 2 6 5",
    "held = ": "b = 0, b = 3 by invocation, 6 bars; a line at 21, 21, printed",
    "observed = ": "0 1 0 3 1 1 1 2 2 1 2 1",
    "nb.check(EventLog": "HOLDS a_check_sees_its_own_events_alone for every size; in scope (exhaustive, 256 states",
    "turned = ": "b = 4, 3 an invocation: size by invocation, 8 steps",
}
AT_MOST_ONCE = {
    "naive.of(": "VIOLATED at_most_once in 7 steps",
    "killed.of(": "VIOLATED no-silent-duplicate-after-crash the world saw the effect twice",
    "promises = ": "recorded_is_done_once HOLDS VIOLATED VIOLATED",
    "found[Recovery.SKIP]": "VIOLATED recorded_is_done_once in 5 steps",
    "sights = ": "to send again is wrong where it is done, and acts twice",
    "print(f": "4 functions, of which 0 work",
    "nb.check(ContractLedger": "HOLDS at_most_once for every size",
    "looked = ": "for a bound of 2; none where there is no bar",
    "nb.prove(VerifiedRetry": "HOLDS at_most_once for every size",
    "nb.check(EffectLedger": "HOLDS at_most_once for every size; in scope (exhaustive, 968 states, Effect=2)",
    'ours = nb.judge("meshspec.policies.ledger': "no-silent-duplicate-after-crash HOLDS tested (",
}
EXPECTED: Mapping[str, Mapping[str, str]] = {
    "01-first-model": FIRST,
    "02-fifty-four-calls": FIFTY_FOUR,
    "03-constant-signal": CONSTANT,
    "04-twenty-one-events": TWENTY_ONE,
    "05-at-most-once": AT_MOST_ONCE,
}
"""What the output must have in it of the cells that begin, or have a line that begins, like this."""


def test_every_notebook_is_here() -> None:
    assert [path.stem for path in ALL] == list(EXPECTED)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_it_is_kept_without_outputs(path: Path) -> None:
    kept_without_outputs(path)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_it_asks_first_and_ends_with_what_to_try(path: Path) -> None:
    cells = held(path).cells
    assert cells[0].cell_type == cells[-1].cell_type == "markdown"
    assert cells[0].source.rstrip().endswith("?") or "?" in cells[0].source
    assert cells[-1].source.startswith("## Try this\n")


@pytest.fixture(scope="module", params=ALL, ids=lambda path: path.stem)
def book(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    """A notebook, executed once in a process."""
    path: Path = request.param
    return path.stem, executed(path, tmp_path_factory.mktemp(path.stem))


def test_it_runs_quietly_says_what_it_should_and_stays_small(book: tuple[str, Any]) -> None:
    name, run = book
    quiet(run)
    for begins, says in EXPECTED[name].items():
        assert says.replace("✗ ", "✗ ") in told(run, begins), begins
    figures = [out for cell in run.cells for out in cell.get("outputs", []) if "image/svg+xml" in out.get("data", {})]
    assert name.startswith("01") or figures
    assert max(len(json.dumps(cell.get("outputs", []))) for cell in run.cells) < 200_000


def test_the_first_states_the_models_of_the_readme() -> None:
    shown_there = {m["note"]: m["body"] for m in BLOCK.finditer(README.read_text("utf-8")) if m["kind"] == "python"}
    cells = [cell.source for cell in held(ALL[0]).cells if cell.source.startswith("%%writefile")]
    assert len(cells) == 3
    assert cells[0].partition("\n")[2].strip() == shown_there["file: charging.py"].strip()
    assert shown_there["replace in charging.py: the two actions"].strip() in cells[1]
    assert cells[2].partition("\n")[2].strip("\n") == shown_there["append to charging.py"].strip("\n")
