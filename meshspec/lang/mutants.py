"""Mutants: a model with one small change, of its source or of a path that was lifted from it.

A *source* mutant changes one place of the body of an action, of a fault, or of a method that they call: a conjunct of
a guard dropped or negated, a comparison flipped, an assignment dropped, ... (:mod:`meshspec.lang.edits`). A *row*
mutant changes one merged path of an action: one of its conditions dropped, one of its updates dropped, or the path
blocked. Both say in the author's words what was changed and where. What a mutant does not change it shares with its
original; its claims are the original's, for they are the yardstick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import attrs

from meshspec.errors import Where
from meshspec.expr.build import conj
from meshspec.expr.nodes import Absent, Cell, Const, Node, Op
from meshspec.expr.text import cell_text, text
from meshspec.expr.walk import parts
from meshspec.lang.edits import Edited, edits
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Blocks, Does, Leaf, Outcome, Split, Tree, Update, WriteAll, grouped, merged
from meshspec.lang.sites import Body, NoSource, Used, body_of, methods_run, never_read, replaced, without_source

SOURCE, ROW = "source", "row"
BLOCKED = "never taken"


@attrs.frozen(eq=False)
class Mutant:
    """A change that can be made: in which method, where, from what to what (nothing where something is dropped).

    ``level`` is ``source`` or ``row``; ``row`` says of a row mutant on which path; ``make`` makes the changed model,
    or raises :class:`meshspec.errors.MeshspecError` where it cannot be lifted.
    """

    level: str
    method: str
    where: Where
    old: str
    new: str
    make: Callable[[], LiftedModel]
    row: str = ""
    nth: int = 1

    @property
    def change(self) -> str:
        """What was changed, in words."""
        what = f"`{self.old}` -> `{self.new}`" if self.new else f"without `{self.old}`"
        what = self.new if self.new == BLOCKED else what
        return f"{what} where {self.row}" if self.row else what

    @property
    def name(self) -> str:
        """The change without file and line: it stays the same when the file grows elsewhere."""
        again = f" (number {self.nth} that reads so)" if self.nth > 1 else ""
        return f"{self.method}: {self.change}{again}"


def mutants(model: LiftedModel) -> tuple[list[Mutant], list[str]]:
    """Every mutant of a model in a fixed order; and why some methods have mutants of their rows only."""
    made, unread = list[Mutant](), list[str]()
    nowhere = never_read(model)
    unread += map(without_source, nowhere)
    unplaced = {action.name for action in nowhere}  # what asked a question seems to be whoever runs the model
    for used in methods_run(model):
        try:
            body = body_of(used.function)
        except NoSource as why:
            unread.append(str(why))
            unplaced.update(action.name for action in used.actions)
            continue
        made += [_source(model, used, body, edited) for edited in edits(body)]
    for action in model.actions:
        for change in _changes(action.tree):
            new = partial(_with_tree, model, action, change.tree)
            where = action.method.where if action.name in unplaced else change.where or action.method.where
            row = text(conj(*change.row)) if change.row else ""
            made.append(Mutant(ROW, action.name, where, change.old, change.new, new, row))
    return _numbered(made), unread


def _numbered(made: list[Mutant]) -> list[Mutant]:
    """Mutants that read alike (the same words twice in one method) are told apart by number."""
    seen: dict[str, int] = {}
    found: list[Mutant] = []
    for mutant in made:
        nth = seen[mutant.name] = seen.get(mutant.name, 0) + 1
        found.append(attrs.evolve(mutant, nth=nth))
    return found


def _source(model: LiftedModel, used: Used, body: Body, edited: Edited) -> Mutant:
    def make() -> LiftedModel:
        return replaced(model, [(used, body.compiled(edited.definition))])

    return Mutant(SOURCE, used.name, body.where(edited.shown), edited.old, edited.new, make)


def _with_tree(model: LiftedModel, action: Lifted, tree: Tree[Outcome]) -> LiftedModel:
    other = attrs.evolve(action, raw=tree, tree=merged(tree))
    return attrs.evolve(model, actions=tuple(other if one is action else one for one in model.actions))


# -- rows ------------------------------------------------------------------------------------------------------


@attrs.frozen(eq=False)
class _Change:
    """A tree with one row changed: what was changed on which row, and where its question was asked."""

    where: Where | None
    old: str
    new: str
    row: tuple[Node, ...]
    tree: Tree[Outcome]


def _changes(tree: Tree[Outcome]) -> Iterator[_Change]:
    """Every change of one row of a merged tree that is taken: blocked, an update less, a condition less."""
    if isinstance(tree, Leaf):
        if isinstance(tree.value, Does):
            yield _Change(None, "the step", BLOCKED, (), Leaf(Blocks()))
            for update in tree.value.updates if len(tree.value.updates) > 1 else ():
                kept = Does(tuple(one for one in tree.value.updates if one is not update))
                yield _Change(None, _written(update), "", (), Leaf(kept))
        return
    # one question: `grouped` of a tree of this question alone gives each group of answers its condition
    children = list(dict.fromkeys(tree.below))
    numbers = tuple(Leaf(children.index(child)) for child in tree.below)
    for condition, number in grouped(Split(tree.question, tree.options, numbers)):
        child = children[number]
        for change in _changes(child):
            below = tuple(change.tree if one == child else one for one in tree.below)
            where = change.where or tree.where
            yield attrs.evolve(
                change, where=where, row=(*condition, *change.row), tree=attrs.evolve(tree, below=below)
            )
        if not condition or not _may_be_dropped(tree.question):
            continue
        for rest, outcome in grouped(child):
            if isinstance(outcome, Does) and not _needs_its_guard((*rest, *_values(outcome))):
                below = tuple(one if one == child else _also(rest, outcome, one) for one in tree.below)
                dropped = text(conj(*condition))
                yield _Change(tree.where, dropped, "", (*condition, *rest), attrs.evolve(tree, below=below))


def _also(conditions: tuple[Node, ...], outcome: Outcome, otherwise: Tree[Outcome]) -> Tree[Outcome]:
    """This outcome where all the conditions hold, and elsewhere what there was."""
    made: Tree[Outcome] = Leaf(outcome)
    for condition in reversed(conditions):
        if isinstance(condition, Op) and condition.op == "not":  # as lifting asks it, so that equal trees are equal
            made = Split(condition.args[0], (True, False), (otherwise, made))
        else:
            made = Split(condition, (True, False), (made, otherwise))
    return made


def _may_be_dropped(question: Node) -> bool:
    """Whether it is about the state, and is no test that something is there at all."""
    return any(isinstance(part, Cell) for part in parts(question)) and not isinstance(question, Absent)


def _needs_its_guard(nodes: tuple[Node, ...]) -> bool:
    """Whether something here is divided by what is not a literal: a guard may be what keeps that from zero."""
    return any(
        isinstance(part, Op) and part.op in ("//", "%") and not isinstance(part.args[1], Const)
        for node in nodes
        for part in parts(node)
    )


def _values(outcome: Does) -> tuple[Node, ...]:
    found: list[Node] = []
    for update in outcome.updates:
        for write in update.writes:
            found += [write.value, write.absent, *(() if isinstance(write, WriteAll) else write.keys)]
    return tuple(found)


def _written(update: Update) -> str:
    """An update as an author would write it."""
    said: list[str] = []
    for write in update.writes:
        gone = "None" if write.absent == conj() else text(write.value)
        if isinstance(write, WriteAll):
            said.append(f"{update.symbol.name} = each({write.bound.type}, lambda {write.bound.name}: {gone})")
        else:
            said.append(f"{cell_text(update.symbol.name, tuple(map(text, write.keys)))} = {gone}")
    return "; ".join(said)
