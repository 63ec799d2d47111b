"""The agreement tests on as many models as there is time for: ``python -m tests.agreement.soak --models 10000``.

A model is generated from each seed, its readings are compared, it is searched, proved, walked, certified and given a
wrong branch. With ``--resume`` it goes on where the last run ended; ``.soak/agreement.json`` keeps where that was and
which seeds disagree. Exit code 1 when one does.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from meshspec.backends.certificate import certify
from meshspec.backends.layout import Layout
from meshspec.lang.outcomes import Split
from tests.agreement.branches import Tally, mutants
from tests.agreement.engines import contradictions, searched
from tests.agreement.readings import compare
from tests.generator import GeneratedModel, make

STATE = Path(".soak/agreement.json")


def problems_of(model: GeneratedModel) -> list[str]:
    """Everything on which the engines and CPython disagree about one model."""
    problems = compare(model.lifted, model.scope, seed=model.seed).differences
    problems += searched(model.lifted, model.scope)
    problems += contradictions(model.lifted, model.scope, seed=model.seed)
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


def tried(seed: int) -> list[str]:
    """The problems of one seed; an exception is one too."""
    try:
        model = make(seed)
        try:
            return problems_of(model)
        finally:
            model.forget()
    except Exception:  # whatever it is, the seed is to be looked at, and the others are to be tried
        return [traceback.format_exc(limit=-3)]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.agreement.soak")
    parser.add_argument("--models", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many, to be resumed")
    asked = parser.parse_args(arguments)
    state: dict[str, Any] = {"first": asked.first, "done": 0, "disagree": {}}
    if asked.resume and STATE.exists():
        state = json.loads(STATE.read_text(encoding="utf-8"))
    started = told = time.monotonic()
    while state["done"] < asked.models:
        seed = state["first"] + state["done"]
        if problems := tried(seed):
            state["disagree"][str(seed)] = problems[:3]
            print(f"seed {seed}: {problems[0]}", flush=True)
        state["done"] += 1
        now = time.monotonic()
        if now - told > 10 or state["done"] == asked.models:
            told = now
            STATE.parent.mkdir(exist_ok=True)
            STATE.write_text(json.dumps(state, indent=1), encoding="utf-8")
            print(f"{state['done']} of {asked.models} models, {len(state['disagree'])} disagree", flush=True)
        if asked.minutes and now - started > asked.minutes * 60:
            break
    STATE.parent.mkdir(exist_ok=True)
    STATE.write_text(json.dumps(state, indent=1), encoding="utf-8")
    wrong = len(state["disagree"])
    print(f"{state['done'] - wrong} models agree, {wrong} disagree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
