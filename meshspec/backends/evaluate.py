"""The plain interpreter of expressions and outcomes: slow, short, and what the other backends are held against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from meshspec.backends.layout import Layout, Values
from meshspec.backends.native import Native, Next, Value
from meshspec.errors import Disagreement
from meshspec.expr.build import TRUE, const, fold_ints
from meshspec.expr.nodes import INT, Absent, Cell, Const, Name, Node, Op, Quant, SortType
from meshspec.expr.text import cell_text, text, value_text
from meshspec.expr.walk import free_names, parts, substitute
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Blocks, Outcome, Raises, Says, Split, Tree, WriteAll, answer_is

Names = Mapping[str, Any]


def evaluate(node: Node, layout: Layout, values: Values, names: Names) -> Any:
    """The value of an expression in a state, with values for its free names."""

    def of(part: Node) -> Any:
        return evaluate(part, layout, values, names)

    match node:
        case Const(value):
            return value
        case Name(name):
            return names[name]
        case Cell(symbol, keys) | Absent(symbol, keys):
            at = tuple(of(key) for key in keys)
            held = _constant(layout, symbol.name, at) if symbol.name in layout.tables else values[symbol.name, at]
            return held is None if isinstance(node, Absent) else held
        case Op("and", args):
            return all(of(arg) for arg in args)
        case Op("or", args):
            return any(of(arg) for arg in args)
        case Op("not", (arg,)):
            return not of(arg)
        case Op("ite", (condition, then, otherwise)):
            return of(then) if of(condition) else of(otherwise)
        case Op("==", (left, right)):
            return of(left) == of(right)
        case Op("<", (left, right)):
            return of(left) < of(right)
        case Op("<=", (left, right)):
            return of(left) <= of(right)
        case Op(op, (left, right)):
            return fold_ints(op, of(left), of(right))
        case Quant(kind, bound, body):
            each = [evaluate(body, layout, values, {**names, bound.name: m}) for m in layout.values(bound.type)]
            if kind in ("forall", "exists"):
                return all(each) if kind == "forall" else any(each)
            return sum(each)
        case _:
            raise AssertionError(f"not an expression: {text(node)}")


def _constant(layout: Layout, name: str, keys: tuple[object, ...]) -> Any:
    held: Any = layout.model.instance
    for part in next(v.path for v in layout.model.declared.variables if v.symbol.name == name):
        held = getattr(held, part)
    return held[keys[0] if len(keys) == 1 else keys]


def reached(tree: Tree[Outcome], layout: Layout, values: Values, names: Names) -> Outcome:
    """The leaf that a state leads to."""
    while isinstance(tree, Split):
        answer = evaluate(tree.question, layout, values, names)
        tree = tree.below[tree.options.index(answer)]
    return tree.value


def apply(outcome: Outcome, layout: Layout, values: Values, names: Names) -> Native:
    """What an outcome makes of a state."""
    if isinstance(outcome, (Blocks, Raises)):
        return outcome
    if isinstance(outcome, Says):
        return Value(bool(evaluate(outcome.value, layout, values, names)))
    after = dict(values)
    for update in outcome.updates:
        for write in update.writes:
            if isinstance(write, WriteAll):
                for member in layout.values(write.bound.type):
                    here = {**names, write.bound.name: member}
                    gone = evaluate(write.absent, layout, values, here)
                    after[update.symbol.name, (member,)] = (
                        None if gone else evaluate(write.value, layout, values, here)
                    )
            else:
                keys = tuple(evaluate(key, layout, values, names) for key in write.keys)
                gone = evaluate(write.absent, layout, values, names)
                after[update.symbol.name, keys] = None if gone else evaluate(write.value, layout, values, names)
    return Next(after)


def run(layout: Layout, lifted: Lifted, values: Values, arguments: tuple[Any, ...]) -> Native:
    """What the lifted method makes of a state; raises :class:`Disagreement` unless exactly one path fits."""
    names = {p.name: value for p, value in zip(lifted.parameters, arguments, strict=True)}
    fitting = [
        path for path in lifted.paths if all(evaluate(conjunct, layout, values, names) for conjunct in path.condition)
    ]
    if len(fitting) != 1:
        raise Disagreement(f"{lifted.name}: {len(fitting)} paths fit one state; exactly one must")
    return apply(fitting[0].outcome, layout, values, names)


def failed_clause(lifted: Lifted, layout: Layout, values: Values, arguments: tuple[Any, ...]) -> str:
    """Why a claim is false here: the answers that lead to it, with the values that are not plain from them.

    For instance ``recorded[effect0] and applied[effect0] != 1, where applied[effect0] = 2``.
    """
    names = {p.name: value for p, value in zip(lifted.parameters, arguments, strict=True)}
    clauses: list[Node] = []
    tree = lifted.tree
    while isinstance(tree, Split):
        answer = evaluate(tree.question, layout, values, names)
        clauses.append(answer_is(tree.question, answer))
        tree = tree.below[tree.options.index(answer)]
    spoken = (_spoken(clause, names) for clause in clauses)
    said = " and ".join(text(clause) for clause in spoken if clause != TRUE) or "it is false in every state"
    if isinstance(tree.value, Raises):
        return f"its body raises {tree.value.error} where {said}"
    seen = {one: None for clause in clauses for one in _looked_at(clause, layout, values, names)}
    return said + (f", where {', '.join(seen)}" if seen else "")


def _spoken(node: Node, names: Names) -> Node:
    """The expression with the arguments in it, for reading only."""
    by: dict[Name, Node] = {}
    for name in free_names(node):
        if name.name in names:
            value = names[name.name]
            by[name] = Name(value_text(value), name.type) if isinstance(name.type, SortType) else const(value)
    return substitute(node, by)


def _looked_at(node: Node, layout: Layout, values: Values, names: Names) -> list[str]:
    seen: dict[str, None] = {}
    for part in parts(node):
        if isinstance(part, Cell) and part.type == INT and all(free.name in names for free in free_names(part)):
            keys = tuple(value_text(evaluate(key, layout, values, names)) for key in part.keys)
            value = value_text(evaluate(part, layout, values, names))
            seen[f"{cell_text(part.symbol.name, keys)} = {value}"] = None
    return list(seen)
