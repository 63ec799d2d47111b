"""The plain interpreter of expressions and outcomes: slow, short, and what the other backends are held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from meshspec.backends.layout import Key, Layout, Values
from meshspec.backends.native import Native, Next, Value
from meshspec.errors import Disagreement
from meshspec.expr.build import TRUE, const, fold_ints
from meshspec.expr.nodes import INT, Absent, Cell, Const, Name, Node, Op, Operator, Quant, Quantifier, SortType
from meshspec.expr.text import cell_text, text, value_text
from meshspec.expr.walk import children, free_names, parts, substitute
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Blocks, Outcome, Raises, Says, Split, Tree, WriteAll, answer_is

Names = Mapping[str, Any]
Meaning = Callable[[Values, Names], Any]

_KNOWN: WeakKeyDictionary[Layout, dict[Node, Meaning]] = WeakKeyDictionary()


def evaluate(node: Node, layout: Layout, values: Values, names: Names) -> Any:
    """The value of an expression in a state, with values for its free names."""
    return meaning(node, layout)(values, names)


def meaning(node: Node, layout: Layout) -> Meaning:
    """The expression as a function of a state and of its free names, made once for a layout."""
    known = _KNOWN.get(layout)
    if known is None:
        known = _KNOWN[layout] = {}
    return known.get(node) or _made(node, layout, known)


def _made(node: Node, layout: Layout, known: dict[Node, Meaning]) -> Meaning:
    found = known.get(node)
    if found is None:
        found = known[node] = _meaning(node, layout, tuple(_made(child, layout, known) for child in children(node)))
    return found


def _meaning(node: Node, layout: Layout, below: tuple[Meaning, ...]) -> Meaning:
    """What one node makes of the meanings of its children; none of these functions may hold the layout alive."""
    match node:
        case Const(value):
            return lambda values, names: value
        case Name(name):
            return lambda values, names: names[name]
        case Cell(symbol):
            return _cell(symbol.name, layout, below)
        case Absent(symbol):
            held = _cell(symbol.name, layout, below)
            return lambda values, names: held(values, names) is None
        case Quant(kind, bound):
            return _over(kind, bound.name, layout.values(bound.type), below[1])
        case Op(op):
            return _operator(op, below)


def _cell(name: str, layout: Layout, keys: tuple[Meaning, ...]) -> Meaning:
    if name in layout.tables:
        table: Any = layout.model.instance
        for part in next(v.path for v in layout.model.declared.variables if v.symbol.name == name):
            table = getattr(table, part)
        if len(keys) == 1:
            return lambda values, names: table[keys[0](values, names)]
        return lambda values, names: table[tuple([key(values, names) for key in keys])]
    if not keys:
        alone: Key = name, ()
        return lambda values, names: values[alone]
    if len(keys) == 1:
        (only,) = keys
        return lambda values, names: values[name, (only(values, names),)]
    return lambda values, names: values[name, tuple([key(values, names) for key in keys])]


def _operator(op: Operator, args: tuple[Meaning, ...]) -> Meaning:
    match op, args:
        case "and", _:
            return lambda values, names: _first(args, values, names, False) is None
        case "or", _:
            return lambda values, names: _first(args, values, names, True) is not None
        case "not", (a,):
            return lambda values, names: not a(values, names)
        case "ite", (a, b, c):
            return lambda values, names: b(values, names) if a(values, names) else c(values, names)
        case "==", (a, b):
            return lambda values, names: a(values, names) == b(values, names)
        case "<", (a, b):
            return lambda values, names: a(values, names) < b(values, names)
        case "<=", (a, b):
            return lambda values, names: a(values, names) <= b(values, names)
        case _, (a, b):
            return lambda values, names: fold_ints(op, a(values, names), b(values, names))
        case _:
            raise AssertionError(f"{op} on {len(args)} arguments")


def _first(args: tuple[Meaning, ...], values: Values, names: Names, wanted: bool) -> Meaning | None:
    """The first argument with this truth; those after it may mean nothing (a division by zero) and are not asked."""
    for arg in args:
        if bool(arg(values, names)) is wanted:
            return arg
    return None


def _over(kind: Quantifier, bound: str, members: tuple[Any, ...], body: Meaning) -> Meaning:
    def each(values: Values, names: Names) -> list[Any]:
        return [body(values, {**names, bound: member}) for member in members]

    if kind == "forall":
        return lambda values, names: all(each(values, names))
    if kind == "exists":
        return lambda values, names: any(each(values, names))
    return lambda values, names: sum(each(values, names))


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
        sides = [bool(evaluate(side, layout, values, names)) for side in outcome.response or ()]
        return Value(bool(evaluate(outcome.value, layout, values, names)), (sides[0], sides[1]) if sides else None)
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
        return f"its body raises {tree.value.error} {f'where {said}' if clauses else 'in every state'}"
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
