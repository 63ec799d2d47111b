"""One exploration in a process of its own, so that its memory is its own: prints what it came to as JSON.

    python -m tests.benchmarks.alone "ledger 1e6" --workers 2

What is timed is the search, from the lifted model to the last state: rows, tables and claims included, imports and
the loading of the compiled kernel not. ``--minicheck`` lets minicheck search instead, over our successor function.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import sys
import time
from typing import Any

from meshspec.backends.layout import Layout, State
from meshspec.backends.tuples import TupleSpace
from meshspec.engines.limits import Limits, Options
from meshspec.engines.search import search_states
from meshspec.lang.lift import lift
from tests.benchmarks.cases import CASES, Case
from tests.models.m_counters import Counter, Counters

LIMITS = Limits(max_states=10**9, max_memory=10**11)


def ours(case: Case, workers: int, symmetry: bool) -> dict[str, Any]:
    options = Options(symmetry=symmetry, space="kernel", workers=workers)
    search_states(lift(Counters), {Counter: 3}, LIMITS, options=options)  # the kernel is compiled, or loaded
    model = lift(case.model())
    begin, cpu = time.perf_counter(), time.process_time()
    found, _ = search_states(model, case.sizes, LIMITS, options=options)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    assert found.complete, found.cut
    counts = found.counts
    return {
        "states": counts.states,
        "orbits": counts.orbits,
        "steps": sum(counts.fired),
        "seconds": seconds,
        "cpu": cpu,
        "held": found.space.bytes_held() / counts.orbits,
        "layers": sum(getattr(found.layers[depth], "nbytes", 0) for depth in range(found.depth + 1)) / counts.orbits,
    }


def minicheck(case: Case) -> dict[str, Any]:
    peer: Any = importlib.import_module("minicheck")  # it has no types, and only `make bench` installs it

    layout = Layout(lift(case.model()), case.sizes)
    successors = TupleSpace(layout).successors
    names = [f"{lifted.name}{arguments}" for lifted, arguments in layout.ground_actions()]

    def transitions(state: State) -> list[tuple[str, State]]:
        return [(names[number], after) for number, after, _ in successors(state) if after is not None]

    (initial,) = layout.initial_states()
    protocol = peer.Protocol(
        name="benchmark",
        candidate=False,
        fields=tuple(str(cell) for cell in layout.cells),
        initial=initial,
        transitions=transitions,
        invariants={},
    )
    begin, cpu = time.perf_counter(), time.process_time()
    found = peer.check_safety(protocol, max_states=10**9)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    return {"states": found["reachable_states"], "seconds": seconds, "cpu": cpu}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--symmetry", action="store_true")
    parser.add_argument("--minicheck", action="store_true")
    given = parser.parse_args()
    case = CASES[given.case]
    found = minicheck(case) if given.minicheck else ours(case, given.workers, given.symmetry)
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
