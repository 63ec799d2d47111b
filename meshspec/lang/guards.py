"""Guards: the conjuncts of every ``require`` and the tests of every ``if``, as actions evaluate them.

Each body is compiled again with its conjuncts noted as they are evaluated, and lifted: every raw path then knows
which conjuncts it met, and what each came to. What short-circuiting skips is not noted.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from types import FunctionType

import attrs

from meshspec.errors import Where
from meshspec.lang.edits import called
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Does, Leaf, Outcome, Split, Tree, leaves, merged
from meshspec.lang.sites import (
    Body,
    Definition,
    NoSource,
    Used,
    body_of,
    methods_run,
    never_read,
    replaced,
    without_source,
)

NOTE = "__noted__"
GUARD, BRANCH = "guard", "branch"


@attrs.frozen
class Site:
    """A conjunct of a guard, or the test of an ``if``: in which method, where, in the author's words."""

    method: str
    kind: str
    where: Where
    text: str


@attrs.frozen(cache_hash=True)
class Noted:
    """What a path of an action met: sites by number, and what they came to; and whether the step is taken."""

    met: tuple[tuple[int, bool], ...]
    taken: bool


@attrs.frozen(eq=False)
class Guarded:
    """An action and, for every state and arguments, what it notes."""

    action: Lifted
    tree: Tree[Noted]


def guarded(model: LiftedModel) -> tuple[list[Site], list[Guarded], list[str]]:
    """The sites of a model, its actions with what they note, and why some methods have no sites."""
    noting = _Noting()
    sites: list[Site] = []
    bodies: list[tuple[Used, Body, Definition]] = []
    unread = list(map(without_source, never_read(model)))
    for used in methods_run(model):
        try:
            body = body_of(used.function)
        except NoSource as why:
            unread.append(str(why))
            continue
        bodies.append((used, body, _noted(body, used, sites)))
    actions: list[Guarded] = []
    for action in model.actions:
        changed: list[tuple[Used, FunctionType]] = []
        for used, body, made in bodies:
            if action in used.actions:
                own = not used.path and used.name == action.name
                definition = _begins(made) if own else made
                new = body.compiled(definition, {NOTE: noting.note})
                changed.append((attrs.evolve(used, actions=(action,)), new))
        noting.runs = []
        lifted = replaced(attrs.evolve(model, actions=(action,)), changed).actions[0]
        if len(noting.runs) != sum(1 for _ in leaves(lifted.raw)):
            noting.runs = []
            if any(used.name == action.name for used, _ in changed):
                unread.append(f"{action.method.where}: {action.name} runs itself, so its guards are not told apart")
        actions.append(Guarded(action, _tree(lifted.raw, noting.runs)))
    return sites, actions, unread


class _Noting:
    """Takes notes while bodies are lifted: one list for each run."""

    def __init__(self) -> None:
        self.runs: list[list[tuple[int, bool]]] = []

    def note(self, number: int, value: object = None) -> object:
        if number < 0:
            self.runs.append([])
        elif isinstance(value, bool) and self.runs:
            self.runs[-1].append((number, value))
        return value


class _Wrapped(ast.NodeTransformer):
    """Puts a note around some nodes, which are given by identity."""

    def __init__(self, numbers: Mapping[int, int]) -> None:
        self.numbers = numbers

    def visit(self, node: ast.AST) -> ast.AST:
        number = self.numbers.get(id(node))
        made: ast.AST = self.generic_visit(node)
        if number is None or not isinstance(made, ast.expr):
            return made
        return ast.copy_location(_note(number, made), made)


def _note(number: int, *noted: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(NOTE, ast.Load()), [ast.Constant(number), *noted], [])


def _noted(body: Body, used: Used, sites: list[Site]) -> Definition:
    """The definition with its conjuncts noted; `sites` takes them in."""
    memo: dict[int, object] = {}
    made = copy.deepcopy(body.node, memo)
    numbers: dict[int, int] = {}
    for kind, node in _conjuncts(body.node):
        numbers[id(memo[id(node)])] = len(sites)
        sites.append(Site(used.name, kind, body.where(node), body.text(node)))
    wrapped = _Wrapped(numbers).visit(made)
    assert isinstance(wrapped, ast.FunctionDef)
    return ast.fix_missing_locations(wrapped)


def _begins(definition: Definition) -> Definition:
    """The same, saying first that a run begins."""
    made = copy.deepcopy(definition)
    made.body.insert(0, ast.copy_location(ast.Expr(_note(-1)), made.body[0]))
    return ast.fix_missing_locations(made)


def _conjuncts(node: Definition) -> Iterator[tuple[str, ast.expr]]:
    found: list[tuple[str, ast.expr]] = []
    for part in ast.walk(node):
        match part:
            case ast.Expr(value=ast.Call(args=[test, *_]) as call) if called(call) == "require":
                found += [(GUARD, one) for one in _split(test)]
            case ast.If(test=test):
                found.append((BRANCH, test))
            case _:
                pass
    return iter(sorted(found, key=lambda one: (one[1].lineno, one[1].col_offset)))


def _split(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [one for part in test.values for one in _split(part)]
    return [test]


def _tree(raw: Tree[Outcome], runs: list[list[tuple[int, bool]]]) -> Tree[Noted]:
    """The raw tree with what was noted at its leaves, which come in the order of the runs."""
    notes = iter(runs)

    def noted(tree: Tree[Outcome]) -> Tree[Noted]:
        if isinstance(tree, Leaf):
            return Leaf(Noted(tuple(next(notes, ())), isinstance(tree.value, Does)))
        return Split(tree.question, tree.options, tuple(noted(child) for child in tree.below), tree.where)

    return merged(noted(raw))
