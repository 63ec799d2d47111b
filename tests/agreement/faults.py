"""Faults to plant in our own engines, each by replacing one thing that they are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from meshspec.backends import evaluate as interpreter
from meshspec.backends import generated, terms
from meshspec.backends.generated import Code, Generator
from meshspec.backends.layout import Layout
from meshspec.engines import search
from meshspec.expr import handles
from meshspec.expr.build import fold_ints, less
from meshspec.expr.nodes import Name, Node, Op
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Outcome, Split, Tree, Update
from meshspec.lang.trace import Tracer

Fault = Callable[[pytest.MonkeyPatch], None]


def part_of(owner: object, name: str) -> Any:
    """Something that an engine is made of and keeps to itself."""
    return getattr(owner, name)


def _rewritten(patch: pytest.MonkeyPatch, rewrite: Callable[[str], str]) -> None:
    """Generated Python with its lines rewritten before it is compiled."""
    compile_ = part_of(Generator, "_compile")

    def rewriting(self: Generator, lines: list[str], name: str) -> object:
        return compile_(self, [*map(rewrite, lines)], name)

    patch.setattr(Generator, "_compile", rewriting)


# -- in generated Python ---------------------------------------------------------------------------------------


def dropped_conjunct(patch: pytest.MonkeyPatch) -> None:
    junction = part_of(generated, "_junction")

    def dropping(op: str, each: list[Code]) -> Any:
        return junction(op, each[:-1] if op == "and" else each)

    patch.setattr(generated, "_junction", dropping)


def off_by_one_in_generated_python(patch: pytest.MonkeyPatch) -> None:
    _rewritten(patch, lambda line: line.replace(" <= ", " < "))


def wrong_key_order(patch: pytest.MonkeyPatch) -> None:
    position = part_of(Generator, "_position")

    def reversing(self: Generator, name: str, keys: list[Code]) -> Any:
        return position(self, name, keys[::-1])

    patch.setattr(Generator, "_position", reversing)


def dropped_frame(patch: pytest.MonkeyPatch) -> None:
    _rewritten(patch, lambda line: line.replace("t = list(s)", "t = [0] * len(s)"))


def new_state_in_each(patch: pytest.MonkeyPatch) -> None:
    def rewrite(line: str) -> str:
        target, is_write, value = line.partition("] = ")
        writes = is_write and target.strip().startswith("t[")
        return f"{target}] = {value.replace('s[', 't[')}" if writes else line

    _rewritten(patch, rewrite)


def quantifier_over_one_too_few(patch: pytest.MonkeyPatch) -> None:
    positions = part_of(Generator, "_positions")

    def fewer(self: Generator, bound: Name) -> range:
        every: range = positions(self, bound)
        return every[:-1] if len(every) > 1 else every

    patch.setattr(Generator, "_positions", fewer)


def none_taken_for_zero(patch: pytest.MonkeyPatch) -> None:
    _rewritten(patch, lambda line: line.replace(" is None)", " in (None, 0))"))


def choice_counted_twice(patch: pytest.MonkeyPatch) -> None:
    leaf = part_of(Generator, "_leaf")

    def every(self: Generator, outcome: Any, number: Any, names: Any, spare: Any, indent: Any, lines: Any) -> None:
        leaf(self, outcome, number, names, set(), indent, lines)

    patch.setattr(Generator, "_leaf", every)


def truncating_division_in_generated_python(patch: pytest.MonkeyPatch) -> None:
    code = Generator.code

    def truncating(self: Generator, node: Node, names: Any) -> Code:
        if isinstance(node, Op) and node.op == "//":
            left, right = (self.code(arg, names).text for arg in node.args)
            return Code(f"int({left} / {right})")
        return code(self, node, names)

    patch.setattr(Generator, "code", truncating)


# -- in the interpreter, in the solver, in lifting -------------------------------------------------------------


def truncating_division_in_the_interpreter(patch: pytest.MonkeyPatch) -> None:
    def truncating(op: Any, x: int, y: int) -> int:
        return int(x / y) if op == "//" else fold_ints(op, x, y)

    patch.setattr(interpreter, "fold_ints", truncating)


def truncating_division_in_the_solver(patch: pytest.MonkeyPatch) -> None:
    operator = part_of(terms.Terms, "_operator")

    def unfloored(self: Any, op: Any, args: Any) -> Any:
        return args[0] / args[1] if op == "//" else operator(self, op, args)

    patch.setattr(terms.Terms, "_operator", unfloored)


def off_by_one_in_lifting(patch: pytest.MonkeyPatch) -> None:
    def never_equal(a: Node, b: Node, *, or_equal: bool = False) -> Node:
        return less(a, b)

    patch.setattr(handles, "less", never_equal)


def earlier_write_wins(patch: pytest.MonkeyPatch) -> None:
    updates = Tracer.updates

    def reversing(self: Tracer) -> tuple[Update, ...]:
        return tuple(attrs.evolve(update, writes=update.writes[::-1]) for update in updates(self))

    patch.setattr(Tracer, "updates", reversing)


# -- in the search ---------------------------------------------------------------------------------------------


def missed_action(patch: pytest.MonkeyPatch) -> None:
    ground = Layout.ground_actions

    def fewer(self: Layout) -> list[tuple[Lifted, tuple[Any, ...]]]:
        return ground(self)[:-1]

    patch.setattr(Layout, "ground_actions", fewer)


def lost_last_layer(patch: pytest.MonkeyPatch) -> None:
    """States two steps from the start are not expanded: where that is the layer before the last, the last is lost."""
    searching = part_of(search, "_Search")
    expand = part_of(searching, "_expand")

    def lazy(self: Any, depth: int) -> object:
        return part_of(self, "_layer")(depth + 1) if depth >= 2 else expand(self, depth)

    patch.setattr(searching, "_expand", lazy)


def bound_taken_for_a_deadlock(patch: pytest.MonkeyPatch) -> None:
    """What a search has not expanded when it is cut, or where a Range is left, is counted as an end."""
    searching = part_of(search, "_Search")
    go = part_of(searching, "go")

    def counting(self: Any) -> None:
        go(self)
        result = self.result
        ends = result.deadlocks + result.closed + (0 if result.complete else result.space.size(result.layers[-1]))
        result.counts = attrs.evolve(result.counts, deadlocks=ends)

    patch.setattr(searching, "go", counting)


IN_READINGS: tuple[Fault, ...] = (
    dropped_conjunct,
    off_by_one_in_generated_python,
    wrong_key_order,
    dropped_frame,
    new_state_in_each,
    quantifier_over_one_too_few,
    none_taken_for_zero,
    choice_counted_twice,
    truncating_division_in_generated_python,
    truncating_division_in_the_interpreter,
    truncating_division_in_the_solver,
)
IN_LIFTING: tuple[Fault, ...] = (off_by_one_in_lifting, earlier_write_wins)
IN_SEARCH: tuple[Fault, ...] = (missed_action, lost_last_layer, choice_counted_twice, bound_taken_for_a_deadlock)


def branches_swapped(model: LiftedModel) -> LiftedModel:
    """Every action with the branches of its first question swapped."""

    def wrong(lifted: Lifted) -> Lifted:
        return attrs.evolve(lifted, raw=_first_swapped(lifted.raw), tree=_first_swapped(lifted.tree))

    return attrs.evolve(model, actions=tuple(map(wrong, model.actions)))


def _first_swapped(tree: Tree[Outcome]) -> Tree[Outcome]:
    return attrs.evolve(tree, below=tree.below[::-1]) if isinstance(tree, Split) else tree
