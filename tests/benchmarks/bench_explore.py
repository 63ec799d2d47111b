"""explore against Spin and minicheck: in one run, one after the other in turn, all counting the same states.

Run by ``make bench``, never by ``make test``. What is compared is the time of the exploration by the wall clock, best
of the rounds, without symmetry on our side (with it, one figure beside it); Spin's breadth-first search is the faster
one of its two forms, its best the fastest of all four. A whole process is as a user starts it, with symmetry, and one
without it beside it. Every peer must be installed, or the benchmark fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks import peers, record
from tests.benchmarks.cases import CASES, Case
from tests.benchmarks.peers import Run

BenchmarkFixture = Any  # of pytest-benchmark, which only `make bench` installs

Engine = Callable[[Case, Path], Run]
FORMS = {False: "bytes", True: "packed"}

AT_LEAST = {
    ("ledger 1e6", "1 thread to Spin BFS"): 4.0,
    ("budget 1e6", "1 thread to Spin BFS"): 2.5,
    ("lease 1e6", "1 thread to Spin BFS"): 2.5,
    ("ledger 1e7", "2 threads to Spin BFS"): 6.0,
    ("ledger 1e7", "2 threads to best Spin"): 4.0,
    ("budget 1e7", "2 threads to Spin BFS"): 6.0,
    ("budget 1e7", "2 threads to best Spin"): 4.0,
    ("ledger 1e6", "1 thread to minicheck"): 20.0,
    ("budget 1e6", "1 thread to minicheck"): 20.0,
    ("ledger 1e5", "whole process, warm, to Spin BFS"): 1.5,
    ("ledger 1e6", "whole process, warm, to Spin BFS"): 2.5,
    ("budget 1e6", "whole process, warm, to Spin BFS"): 2.5,
}
"""What was promised. Spin's time for a whole process includes generation and compilation, as it must."""

MOST_BYTES = 32.0
"""Of our own data for each state at 1e7, layers for counterexamples included."""


def _spin(packed: bool, breadth: bool) -> Engine:
    return lambda case, folder: peers.spin(case, folder, packed=packed, breadth=breadth)


SPIN: dict[str, Engine] = {
    f"Spin {'BFS' if breadth else 'DFS'}, {form}": _spin(packed, breadth)
    for breadth in (True, False)
    for packed, form in FORMS.items()
}
OURS: dict[str, Engine] = {
    "1 thread": lambda case, folder: peers.ours(case, folder),
    "2 threads": lambda case, folder: peers.ours(case, folder, workers=2),
    "1 thread, symmetry": lambda case, folder: peers.ours(case, folder, symmetry=True),
}
MINICHECK: dict[str, Engine] = {"minicheck": peers.minicheck}


def measured(
    benchmark: BenchmarkFixture, case: Case, folder: Path, engines: Mapping[str, Engine], rounds: int
) -> dict[str, list[Run]]:
    """Every engine in turn, several times over; each must count the states that are known."""
    runs: dict[str, list[Run]] = {name: [] for name in engines}

    def one_round() -> None:
        for name, engine in engines.items():
            place = folder / name.replace(" ", "-").replace(",", "")
            place.mkdir(exist_ok=True)
            run = engine(case, place)
            assert run.states == case.states, f"{name} counts {run.states:,} states, not {case.states:,}"
            runs[name].append(run)

    benchmark.pedantic(one_round, rounds=rounds)
    return runs


def best(runs: Mapping[str, Sequence[Run]], *starts: str) -> float:
    return min(run.seconds for name, some in runs.items() if name.startswith(starts) for run in some)


def kept(benchmark: BenchmarkFixture, name: str, runs: Mapping[str, Sequence[Run]], ratios: dict[str, float]) -> None:
    """Write the figures down before anything is asserted of them."""
    record.keep(name, runs, ratios)
    benchmark.extra_info.update({what: round(ratio, 2) for what, ratio in ratios.items()})


def promised(case: Case, ratios: Mapping[str, float]) -> None:
    for (name, what), least in AT_LEAST.items():
        if name == case.name and what in ratios:
            assert ratios[what] >= least, f"{case.name}: {what} {ratios[what]:.2f} times, less than {least}"


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_explore_against_spin(benchmark: BenchmarkFixture, case: Case, tmp_path: Path) -> None:
    rounds = 1 if case.name.endswith("1e7") else 2
    runs = measured(benchmark, case, tmp_path, {**SPIN, **OURS}, rounds)
    ratios: dict[str, float] = {}
    for mine in OURS:
        own = min(run.seconds for run in runs[mine])
        ratios[f"{mine} to Spin BFS"] = best(runs, "Spin BFS") / own
        ratios[f"{mine} to best Spin"] = best(runs, "Spin") / own
    cpu = min(run.cpu for run in runs["1 thread"])
    spins = min(run.cpu for name, some in runs.items() if name.startswith("Spin BFS") for run in some)
    ratios["1 thread to Spin BFS, processor time"] = spins / cpu
    kept(benchmark, f"explore, {case.name}", runs, ratios)
    promised(case, ratios)
    if case.name.endswith("1e7"):
        facts = runs["1 thread"][0].facts
        assert facts["held"] + facts["layers"] <= MOST_BYTES


@pytest.mark.parametrize("name", ["ledger 1e5", "budget 1e5", "ledger 1e6", "budget 1e6"])
def test_explore_against_minicheck(benchmark: BenchmarkFixture, name: str, tmp_path: Path) -> None:
    case = CASES[name]
    runs = measured(benchmark, case, tmp_path, {**MINICHECK, "1 thread": OURS["1 thread"]}, 3)
    ratios = {"1 thread to minicheck": best(runs, "minicheck") / best(runs, "1 thread")}
    kept(benchmark, f"minicheck, {case.name}", runs, ratios)
    promised(case, ratios)


@pytest.mark.parametrize("name", ["ledger 1e5", "ledger 1e6", "budget 1e6"])
def test_a_whole_process_against_spin_with_its_compiler(
    benchmark: BenchmarkFixture, name: str, tmp_path: Path
) -> None:
    case = CASES[name]
    engines: dict[str, Engine] = {
        **SPIN,
        "cold": lambda case, folder: peers.command_line(case, folder, warm=False),
        "warm": lambda case, folder: peers.command_line(case, folder.parent / "cold", warm=True),
        "warm, no symmetry": lambda case, folder: peers.command_line(
            case, folder.parent / "cold", warm=True, symmetry=False
        ),
    }
    runs = measured(benchmark, case, tmp_path, engines, 3)
    spin = min(run.whole for engine, some in runs.items() if engine.startswith("Spin BFS") for run in some)
    fastest = min(run.whole for engine, some in runs.items() if engine.startswith("Spin") for run in some)
    ratios: dict[str, float] = {}
    for mine in ("cold", "warm", "warm, no symmetry"):
        own = min(run.whole for run in runs[mine])
        ratios[f"whole process, {mine}, to Spin BFS"] = spin / own
        ratios[f"whole process, {mine}, to best Spin"] = fastest / own
    kept(benchmark, f"whole process, {case.name}", runs, ratios)
    promised(case, ratios)
