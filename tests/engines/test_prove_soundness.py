"""What prove says HOLDS for every size, CPython does not refute at small ones: for the test models and their mutants.

A mutant is a model's own source with one statement of an action dropped, one conjunct of a guard dropped, or one
boolean write negated. The oracle is a breadth-first search in which CPython takes every step.
"""

from __future__ import annotations

import ast
import inspect
import random
import sys
import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from meshspec.answer import Answer
from meshspec.backends import native
from meshspec.backends.layout import NO_RAISE, Layout, range_name
from meshspec.engines.prove import prove
from meshspec.errors import MeshspecError
from meshspec.lang.declare import is_model
from meshspec.lang.lift import LiftedModel, lift
from meshspec.lang.outcomes import Raises
from tests.models import (
    p_counts,
    p_ghosts,
    p_hidden,
    p_ledger,
    p_lock,
    p_shapes,
    p_sizes,
    p_thresholds,
    p_traps,
    p_two_phase,
)

FILES = [
    p_counts,
    p_ghosts,
    p_hidden,
    p_ledger,
    p_lock,
    p_shapes,
    p_sizes,
    p_thresholds,
    p_traps,
    p_two_phase,
]
MUTATED = [
    (p_counts, "Budget"),
    (p_counts, "Counted"),
    (p_ledger, "BareLedger"),
    (p_lock, "Lock"),
    (p_lock, "Fencing"),
    (p_shapes, "Assignment"),
    (p_shapes, "Nested"),
    (p_shapes, "Chain"),
    (p_shapes, "Quota"),
    (p_sizes, "Pigeons"),
    (p_traps, "Mutual"),
    (p_traps, "Raising"),
    (p_traps, "Ranged"),
    (p_two_phase, "TwoPhase"),
]


def refuted(lifted: LiftedModel, size: int, cap: int) -> set[str]:
    """The properties that CPython finds false in one of the first `cap` reachable states."""
    layout = Layout(lifted, dict.fromkeys(lifted.sorts, size))
    claims = [c for c in lifted.claims if c.method.kind in ("always", "lemma")]
    ranges = [(v, range_name(v, lifted.instance)) for v in lifted.declared.variables if v.range and not v.constant]
    seen, todo, false = set[Any](), list(layout.initial_states())[:cap], set[str]()
    seen.update(todo)
    for state in todo:
        values = layout.decode(state)
        for claim in claims:
            if claim.name not in false and any(
                native.run(layout, claim, values, a) != native.Value(True) for a in layout.arguments(claim.parameters)
            ):
                false.add(claim.name)
        for variable, name in ranges:
            assert variable.range is not None
            held = [values[c.key] for c in layout.cells if c.variable is variable]
            if any(value is not None and value not in variable.range.of(lifted.instance) for value in held):
                false.add(name)
        for action, arguments in layout.ground_actions():
            after = native.run(layout, action, values, arguments)
            if isinstance(after, Raises):
                false.add(NO_RAISE)
            if isinstance(after, native.Next) and len(seen) < cap:
                reached = layout.encode(after.values)
                if reached not in seen:
                    seen.add(reached)
                    todo.append(reached)
    return false


def models_of(module: types.ModuleType) -> list[type]:
    return [c for c in vars(module).values() if is_model(c) and c.__module__ == module.__name__]


SMALL = [m for file in FILES for m in models_of(file) if m is not p_traps.Squares]  # that one has a million actions


@pytest.mark.parametrize("model", SMALL, ids=lambda model: model.__name__)
def test_what_is_proved_is_not_refuted_and_what_is_violated_is(model: type) -> None:
    lifted = lift(model)
    said = {finding.property: finding.answer for finding in prove(lifted, rlimit=100_000)}
    proved = {name for name, answer in said.items() if answer is Answer.HOLDS}
    violated = {name for name, answer in said.items() if answer is Answer.VIOLATED}
    false = refuted(lifted, 1, 60) | refuted(lifted, 2, 60)
    assert not proved & false
    assert violated <= false | refuted(lifted, 4, 1)


class _Mutation(ast.NodeTransformer):
    """Counts the places where an action of one class can be changed, and changes the one that is asked for."""

    def __init__(self, cls: str, place: int) -> None:
        self.cls, self.place, self.seen, self.what = cls, place, 0, ""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self.generic_visit(node) if node.name == self.cls else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
        if not marks & {"action", "fault"}:
            return node
        body: list[ast.stmt] = []
        for statement in node.body:
            body += self._changed(node.name, statement)
        node.body = body or [ast.Pass()]
        return node

    def _here(self, what: str) -> bool:
        self.seen += 1
        if self.seen - 1 == self.place:
            self.what = what
            return True
        return False

    def _changed(self, action: str, statement: ast.stmt) -> list[ast.stmt]:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return [statement]  # the docstring
        if self._here(f"{action} without `{ast.unparse(statement)}`"):
            return []
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            value = statement.value
            if isinstance(value.value, bool) and self._here(f"{action} with `{ast.unparse(statement)}` negated"):
                value.value = not value.value
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            for argument in statement.value.args:
                if isinstance(argument, ast.BoolOp) and isinstance(argument.op, ast.And):
                    for conjunct in list(argument.values):
                        if self._here(f"{action} without `{ast.unparse(conjunct)}`"):
                            argument.values.remove(conjunct)
        return [statement]


def mutants(module: types.ModuleType, cls: str) -> Iterator[tuple[str, str]]:
    """Every mutant of a class: what was changed, and the source of its module."""
    source, place = inspect.getsource(module), 0
    while True:
        mutation = _Mutation(cls, place)
        tree = mutation.visit(ast.parse(source))
        if not mutation.what:
            return
        yield mutation.what, ast.unparse(ast.fix_missing_locations(tree))
        place += 1


def test_no_mutant_is_proved_that_cpython_refutes() -> None:
    every = [(cls, what, text) for module, cls in MUTATED for what, text in mutants(module, cls)]
    assert len(every) > 100
    outcomes: Counter[str] = Counter()
    for number, (cls, what, text) in enumerate(random.Random(1).sample(every, 40)):
        name = f"tests.models.mutant_{number}"
        made = types.ModuleType(name)
        sys.modules[name] = made
        try:
            exec(compile(text, f"mutant_{number}.py", "exec"), vars(made))
            try:
                lifted = lift(getattr(made, cls))
            except MeshspecError:
                outcomes["refused"] += 1
                continue
            said = prove(lifted, rlimit=100_000)
            proved = {finding.property for finding in said if finding.answer is Answer.HOLDS}
            false = refuted(lifted, 2, 40)
            assert not proved & false, f"{cls}: {what}: {proved & false} is proved and false"
            outcomes["all proved" if len(proved) == len(said) else "some not"] += 1
            outcomes["refuted"] += bool(false)
        finally:
            del sys.modules[name]
    assert outcomes["all proved"] > 5 and outcomes["refuted"] > 10, outcomes
