"""Edits: the small changes that can be made to the body of an action, each at one place of its source."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from enum import Enum
from types import FunctionType
from typing import cast

import attrs

from meshspec.lang.sites import Body, Definition

_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **_FLIPPED,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
_REVERSED: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


@attrs.frozen(eq=False)
class Edit:
    """One change: ``target`` becomes ``made``, or goes away. It is shown at ``shown``, which read ``old``."""

    target: ast.AST
    made: ast.expr | ast.stmt | None
    shown: ast.AST
    old: str


@attrs.frozen(eq=False)
class Edited:
    """An edit made: what it turned ``old`` into (nothing where that is gone), and the whole definition."""

    shown: ast.AST
    old: str
    new: str
    definition: Definition


def edits(body: Body) -> Iterator[Edited]:
    """Every edit of a body and the definition that it makes, in the order of the text, no two alike."""
    parents = {id(child): parent for parent in ast.walk(body.node) for child in ast.iter_child_nodes(parent)}
    seen = {ast.unparse(body.node)}
    found = (edit for statement in _statements(body.node) for edit in _of(body, statement))
    for edit in sorted(found, key=lambda e: (getattr(e.shown, "lineno", 0), getattr(e.shown, "col_offset", 0))):
        memo: dict[int, object] = {}
        made = _applied(body.node, parents[id(edit.target)], edit, memo)
        text = ast.unparse(made)
        if text in seen:
            continue
        seen.add(text)
        shown, old = edit.shown, edit.old
        new = "" if edit.made is None or shown is not edit.target else ast.unparse(edit.made)
        if isinstance(edit.made, (ast.Constant, ast.Attribute)):  # `True` alone says nothing
            around = _context(shown, parents)
            if around is not shown:
                shown, old = around, body.text(around)
                new = ast.unparse(memo[id(around)])  # type: ignore[arg-type]  # the copy of a node
        yield Edited(shown, old, new, made)


def _context(node: ast.AST, parents: dict[int, ast.AST]) -> ast.AST:
    """What a value must be shown in to be understood: the comparison, the assignment, the call of a word."""
    top = node
    while isinstance(top, ast.expr) and not isinstance(top, ast.Compare):
        above = parents[id(top)]
        if isinstance(above, ast.BoolOp) or not isinstance(above, (ast.expr, ast.Assign, ast.AugAssign)):
            break
        top = above
    return top


def _statements(node: Definition) -> list[ast.stmt]:
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if documented else node.body


def _applied(node: Definition, parent: ast.AST, edit: Edit, memo: dict[int, object]) -> Definition:
    """A copy of the definition with the edit in it; `memo` takes note of which node became which."""
    made = copy.deepcopy(node, memo)
    holder, old = memo[id(parent)], memo[id(edit.target)]
    for field, held in ast.iter_fields(holder):  # type: ignore[arg-type]  # the copy of a node is a node
        if held is old:
            setattr(holder, field, edit.made)
        elif isinstance(held, list) and any(part is old for part in cast("list[object]", held)):
            new = [] if edit.made is None else [edit.made]
            kept = [one for part in cast("list[object]", held) for one in (new if part is old else [part])]
            statements = isinstance(old, ast.stmt) and field != "orelse"
            setattr(holder, field, kept or ([ast.Pass()] if statements else []))
            if isinstance(holder, ast.BoolOp) and len(kept) == 1:
                _unnest(made, holder, kept[0])
    return ast.fix_missing_locations(made)


def _unnest(root: ast.AST, old: ast.BoolOp, new: object) -> None:
    """A conjunction of one conjunct is that conjunct."""
    for parent in ast.walk(root):
        for field, held in ast.iter_fields(parent):
            if held is old:
                setattr(parent, field, new)
            elif isinstance(held, list):
                setattr(parent, field, [new if part is old else part for part in cast("list[object]", held)])


# -- what can be changed at one place --------------------------------------------------------------------------


def _of(body: Body, top: ast.AST) -> Iterator[Edit]:
    for node in ast.walk(top):
        match node:
            case ast.Expr(value=ast.Call() as call):
                yield _dropped(body, node)
                if called(call) == "require" and call.args:
                    yield from _conjuncts(body, call.args[0])
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield _dropped(body, node)
                yield from _values(body, node.value)
            case ast.AugAssign(target=ast.Attribute() | ast.Subscript()):
                yield _dropped(body, node)
                if type(node.op) in _REVERSED:
                    other = ast.AugAssign(node.target, _REVERSED[type(node.op)](), node.value)
                    yield _changed(body, node, ast.copy_location(other, node))
            case ast.If():
                yield from _conjuncts(body, node.test)
                if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And):
                    yield _changed(body, node.test, negated(node.test))
                if node.orelse:
                    yield from _otherwise(body, node)
            case ast.IfExp():
                other_way = ast.IfExp(node.test, node.orelse, node.body)
                yield _changed(body, node, ast.copy_location(other_way, node))
            case ast.BoolOp():
                op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
                yield _changed(body, node, ast.copy_location(ast.BoolOp(op, node.values), node))
            case ast.UnaryOp(op=ast.Not()):
                yield _changed(body, node, node.operand)
            case ast.Compare():
                yield from _comparisons(body, node)
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                for value in (number + 1, number - 1):
                    yield _changed(body, node, ast.copy_location(ast.Constant(value), node))
            case ast.Call(args=[_, ast.Lambda() as inner]) if called(node) == "each" and _may_be_bool(inner.body):
                yield _changed(body, inner.body, negated(inner.body))
            case _:
                pass


def _dropped(body: Body, node: ast.stmt | ast.expr) -> Edit:
    return Edit(node, None, node, body.text(node))


def _changed(body: Body, old: ast.expr | ast.stmt, new: ast.expr | ast.stmt) -> Edit:
    return Edit(old, new, old, body.text(old))


def _conjuncts(body: Body, test: ast.expr) -> Iterator[Edit]:
    """Each conjunct away, each negated; what is no conjunction is negated as a whole."""
    if not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)):
        yield _changed(body, test, negated(test))
        return
    for part in test.values:
        yield _dropped(body, part)
        yield from _conjuncts(body, part)


def _otherwise(body: Body, node: ast.If) -> Iterator[Edit]:
    """The ``elif`` away, and nothing else of what follows it; or the whole ``else``."""
    first = node.orelse[0]
    if len(node.orelse) == 1 and isinstance(first, ast.If) and body.text(first).startswith("elif"):
        rest = first.orelse
        whole = ast.copy_location(ast.If(node.test, node.body, rest), node)
        yield Edit(node, whole, first, f"elif {body.text(first.test)}: ...")
    else:
        whole = ast.copy_location(ast.If(node.test, node.body, []), node)
        yield Edit(node, whole, first, f"else: {body.text(first)}")


def _comparisons(body: Body, node: ast.Compare) -> Iterator[Edit]:
    for place, op in enumerate(node.ops):
        if type(op) in _FLIPPED:
            ops = [*node.ops[:place], _FLIPPED[type(op)](), *node.ops[place + 1 :]]
            yield _changed(body, node, ast.copy_location(ast.Compare(node.left, ops, node.comparators), node))


def _values(body: Body, value: ast.expr) -> Iterator[Edit]:
    """Another value of the same finite type: the other truth value, the next member of the enum."""
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        yield _changed(body, value, ast.copy_location(ast.Constant(not value.value), value))
    if isinstance(value, ast.Attribute):
        held = _found(body.function, value.value)
        if isinstance(held, type) and issubclass(held, Enum) and value.attr in held.__members__:
            names = [member.name for member in held]
            others = [name for name in names if held[name] is not held[value.attr]]
            for name in others:
                yield _changed(body, value, ast.copy_location(ast.Attribute(value.value, name, ast.Load()), value))


def _found(function: FunctionType, name: ast.expr) -> object:
    """What a dotted name means to a function, or ``None``."""
    if isinstance(name, ast.Attribute):
        return getattr(_found(function, name.value), name.attr, None)
    if not isinstance(name, ast.Name):
        return None
    for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if free == name.id:
            return cell.cell_contents
    return function.__globals__.get(name.id)


def called(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _may_be_bool(value: ast.expr) -> bool:
    """Whether an expression may be one whose opposite means something; what it is shows when it is lifted."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, bool)
    return not isinstance(value, (ast.BinOp, ast.IfExp))  # an int; and what has branches to swap


def negated(test: ast.expr) -> ast.expr:
    """The opposite, in the fewest words."""
    made: ast.expr = ast.UnaryOp(ast.Not(), test)
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return test.operand
        case ast.Compare(ops=[op]) if type(op) in _OPPOSITE:
            made = ast.Compare(test.left, [_OPPOSITE[type(op)]()], test.comparators)
        case ast.Constant(value=bool() as value):
            made = ast.Constant(not value)
        case _:
            pass
    return ast.copy_location(made, test)
