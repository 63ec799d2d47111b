"""The agreement tests on as many models as there is time for: ``python -m tests.agreement.soak --models 10000``.

A model is generated from each seed and all its readings are compared, state by state and in whole searches. The first
two hundred and every tenth are also held against a search on CPython, proved, walked, certified and given a wrong
branch (``--engines 1``: every one). With ``--resume`` it goes on where the last run ended; ``.soak/agreement.json``
keeps where that was, what was compared and which seeds disagree. Exit code 1 when one does.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from meshspec.backends.certificate import certify
from meshspec.backends.layout import Layout
from meshspec.lang.outcomes import Split
from tests.agreement.branches import Tally, mutants
from tests.agreement.engines import contradictions, searched
from tests.agreement.faults_noticed import least_paths
from tests.agreement.models import ALL
from tests.agreement.readings import READINGS, Compared, compare
from tests.agreement.searches import SEARCHES, searches_differ
from tests.engines.test_partial_order import some_claims
from tests.generator import GeneratedModel, make

STATE = Path(".soak/agreement.json")


def told(state: Mapping[str, Any]) -> str:
    """What was compared, as a table: one line for each reading and each way to search."""
    lines = [f"{'':<34} {'models':>7} {'refused':>8} {'compared':>11} {'disagree':>9}"]
    for name in (*READINGS, *SEARCHES):
        row = state["table"].get(name, {})
        numbers = (row.get(key, 0) for key in ("models", "refused", "compared", "disagree"))
        lines.append("{:<34} {:>7,} {:>8,} {:>11,} {:>9,}".format(name, *numbers))
    return "\n".join(lines)


def _count(table: dict[str, dict[str, int]], name: str, **more: int) -> None:
    row = table.setdefault(name, {})
    for key, number in more.items():
        row[key] = row.get(key, 0) + number


def counted(table: dict[str, dict[str, int]], compared: Compared) -> None:
    for name in READINGS:
        refused = name in compared.refused
        wrong = any(problem.startswith(f"{name}:") for problem in compared.differences)
        runs = compared.by.get(name, 0)
        _count(table, name, models=not refused, refused=refused, compared=runs, disagree=wrong)


def readings_of(model: GeneratedModel, table: dict[str, dict[str, int]]) -> list[str]:
    """Every reading of a model against the others, on states and on whole searches."""
    compared = compare(model.lifted, model.scope, seed=model.seed)
    counted(table, compared)
    problems = list(compared.differences)
    for name, found in searches_differ(model.lifted, model.scope).items():
        _count(table, name, models=not found.refused, refused=bool(found.refused), compared=found.states)
        _count(table, name, disagree=bool(found.differences))
        problems += [f"{name}: {difference}" for difference in found.differences]
    return problems


def engines_of(model: GeneratedModel) -> list[str]:
    """Everything on which the engines, the certificate and CPython disagree about one model."""
    problems = searched(model.lifted, model.scope)
    problems += contradictions(model.lifted, model.scope, seed=model.seed)
    problems += least_paths((model.lifted, dict(model.scope)))
    some_claims(model.lifted, model.scope)
    certify(model.lifted, seed=model.seed, random_states=30)
    methods = [one for one in (*model.lifted.actions, *model.lifted.claims) if isinstance(one.tree, Split)]
    if methods:
        tally = Tally()
        layout = Layout(model.lifted, {sort: max(2, size) for sort, size in model.scope.items()})
        lifted = methods[model.seed % len(methods)]
        wrong = list(mutants(lifted))
        tally.plant(model.lifted, layout, lifted, wrong[model.seed % len(wrong)])
        problems += [f"a wrong branch was not noticed: {missed}" for missed in tally.missed]
    return problems


def tried(seed: int, engines: bool, table: dict[str, dict[str, int]]) -> list[str]:
    """The problems of one seed; an exception is one too."""
    try:
        model = make(seed)
        try:
            return readings_of(model, table) + (engines_of(model) if engines else [])
        finally:
            model.forget()
    except Exception:  # whatever it is, the seed is to be looked at, and the others are to be tried
        return [traceback.format_exc(limit=-3)]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.agreement.soak")
    parser.add_argument("--models", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument(
        "--engines",
        type=int,
        default=10,
        help="every so many models also go through the engines, beside the first 200",
    )
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many, to be resumed")
    parser.add_argument("--state", type=Path, default=STATE)
    asked = parser.parse_args(arguments)
    state: dict[str, Any] = {"first": asked.first, "done": 0, "engines": 0, "disagree": {}, "table": {}}
    if asked.resume and asked.state.exists():
        state = json.loads(asked.state.read_text(encoding="utf-8"))
    started = last = time.monotonic()
    while state["done"] < asked.models:
        seed = state["first"] + state["done"]
        engines = seed % asked.engines == 0 or seed in ALL
        if problems := tried(seed, engines, state["table"]):
            state["disagree"][str(seed)] = problems[:3]
            print(f"seed {seed}: {problems[0]}", flush=True)
        state["done"] += 1
        state["engines"] += engines
        now = time.monotonic()
        if now - last > 10:
            last = now
            _keep(asked.state, state)
            print(f"{state['done']} of {asked.models} models, {len(state['disagree'])} disagree", flush=True)
        if asked.minutes and now - started > asked.minutes * 60:
            break
    _keep(asked.state, state)
    print(told(state))
    wrong = len(state["disagree"])
    print(f"{state['done'] - wrong} models agree, {wrong} disagree; {state['engines']} went through the engines")
    return 1 if wrong else 0


def _keep(path: Path, state: Mapping[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(state, indent=1), encoding="utf-8")
    beside.replace(path)


if __name__ == "__main__":
    sys.exit(main())
