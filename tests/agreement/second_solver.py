"""What Z3 calls unsatisfiable, asked of another solver: ``python -m tests.agreement.second_solver``.

Every question on which a HOLDS of `prove` rests is one that Z3 answered *unsatisfiable*: the obligations for every
size, the base and the steps of k-induction, and that bounded search found nothing. Here each of them, of the shipped
models and of the test models, is written as SMT-LIB 2 and given to cvc5. It must not say *satisfiable* to any; where
it gives up within its own limit (a count of its steps), that is counted and said. Exit code 1 when it contradicts Z3.
"""

from __future__ import annotations

import argparse
import sys
import types
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import attrs

from meshspec.backends import solver as backend
from meshspec.backends.solver import Reply, Unsat
from meshspec.engines import bounded, lemmas, obligations
from meshspec.engines.bounded import Bounds
from meshspec.engines.prove import SEARCH, InScope, prove
from meshspec.lang.declare import is_model
from meshspec.lang.lift import LiftedModel, lift
from meshspec.targets import shipped_models

MODULES = ("counts", "ghosts", "hidden", "ledger", "lock", "shapes", "sizes", "thresholds", "traps", "two_phase")
USERS: tuple[types.ModuleType, ...] = (obligations, bounded, lemmas)
STEPS = 200_000
BOUNDS = Bounds(k=3, depth=4)


@attrs.define
class Tally:
    """What the second solver said of one model's questions."""

    name: str
    unsat: int = 0
    unknown: int = 0
    sat: list[str] = attrs.field(factory=list[str])

    @property
    def asked(self) -> int:
        return self.unsat + self.unknown + len(self.sat)

    def __str__(self) -> str:
        told = f"{self.asked} questions: {self.unsat} unsat, {self.unknown} unknown, {len(self.sat)} sat"
        return f"{self.name:<24} {told}"


@contextmanager
def recording() -> Generator[dict[str, None]]:
    """Every question that Z3 answers *unsatisfiable* inside, as SMT-LIB 2 and each once."""
    asked: dict[str, None] = {}

    class Recorder(backend.Solver):
        def check(self, labels: Sequence[str] = ()) -> Reply:
            reply = super().check(labels)
            if isinstance(reply, Unsat):
                asked[self.smt2(sorted(reply.core))] = None
            return reply

    before = [module.__dict__["Solver"] for module in USERS]
    for module in USERS:
        module.__dict__["Solver"] = Recorder
    try:
        yield asked
    finally:
        for module, solver in zip(USERS, before, strict=True):
            module.__dict__["Solver"] = solver


def questions(model: LiftedModel, most: int = 0) -> list[str]:
    """The unsatisfiable questions of proving this model, with two members of each sort where a scope is needed."""
    with recording() as asked:
        prove(model, in_scope=InScope(dict.fromkeys(model.sorts, 2), BOUNDS), max_candidates=most)
    return list(asked)


def second_opinion(text: str, steps: int = STEPS) -> str:
    """What cvc5 says of a question: ``unsat``, ``sat`` or ``unknown``."""
    cvc5: Any = import_module("cvc5")
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit-per", str(steps))
    solver.setLogic("ALL")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said = str(command.invoke(solver, parser.getSymbolManager())).strip() or said
    if said not in ("unsat", "sat", "unknown"):
        raise RuntimeError(f"cvc5 answered {said!r} to\n{text}")
    return said


def compared(name: str, asked: Sequence[str], steps: int = STEPS) -> Tally:
    """The second solver's answers to these questions."""
    tally = Tally(name)
    for text in asked:
        match second_opinion(text, steps):
            case "unsat":
                tally.unsat += 1
            case "unknown":
                tally.unknown += 1
            case _:
                tally.sat.append(text)
    return tally


def models() -> Iterator[tuple[str, type]]:
    """The shipped models and incidents, then the test models."""
    yield from shipped_models().items()
    for name in MODULES:
        module = import_module(f"tests.models.p_{name}")
        for held in vars(module).values():
            if isinstance(held, type) and is_model(held) and held.__module__ == module.__name__:
                yield f"p_{name}.{held.__name__}", held


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.agreement.second_solver")
    parser.add_argument("--steps", type=int, default=STEPS, help="steps of cvc5 for one question")
    parser.add_argument("--only", default="", help="models whose name has this in it")
    asked = parser.parse_args(arguments)
    tallies: list[Tally] = []
    for name, cls in models():
        if asked.only not in name:
            continue
        tallies.append(compared(name, questions(lift(cls), SEARCH), asked.steps))
        print(tallies[-1], flush=True)
        for text in tallies[-1].sat:
            print(f"CONTRADICTION: cvc5 can satisfy what Z3 cannot:\n{text}", flush=True)
    total = Tally("all")
    for one in tallies:
        total.unsat, total.unknown, total.sat = (
            total.unsat + one.unsat,
            total.unknown + one.unknown,
            total.sat + one.sat,
        )
    print(f"{total}; {len(tallies)} models")
    return 1 if total.sat or not total.asked else 0


if __name__ == "__main__":
    sys.exit(main())
