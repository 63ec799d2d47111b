"""What generated models reach: counts of nodes, outcomes, words and Python constructs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import get_args

import meshspec
from meshspec.expr.build import FALSE
from meshspec.expr.nodes import Absent, Cell, Const, Name, Node, Op, Operator, Quant, Quantifier, Type
from meshspec.expr.walk import parts
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Does, Outcome, Says, Split, Tree, WriteAll, leaves
from tests.generator import GeneratedModel

NOT_OF_A_MODEL = {"Blocked", "ModelError", "evidence", "promise", "refinement", "scope", "suite"}
WORDS = sorted(set(meshspec.__all__) - NOT_OF_A_MODEL)
TYPES = ("BoolType", "IntType", "EnumType", "SortType")
NODES = [
    *(f"Const of {type}" for type in TYPES[:3]),
    *(f"Name of {type}" for type in TYPES),
    *(f"Cell of {type}" for type in TYPES),
    *(f"Cell with {keys} keys" for keys in range(3)),
    "Cell keyed by a Cell",
    "Cell of a constant table",
    "Cell of a nested machine",
    "Absent",
    *(f"Op {op}" for op in get_args(Operator)),
    *(f"Quant {kind}" for kind in get_args(Quantifier)),
    "Quant in a Quant",
    "Split",
    "Split of EnumType",
    *(f"leaf {name}" for name in ("Does", "Blocks", "Raises", "Says")),
    "Write",
    "Write of None",
    "WriteAll",
    "WriteAll of None",
    "two Writes to one variable",
    "hidden parameter",
]
CONSTRUCTS = [
    "match on an enum",
    "match on bools",
    "match on None",
    "case with alternatives",
    "case with a guard",
    "early return",
    "walrus",
    "augmented entry",
    "augmented scalar",
    "chained comparison",
    "in a tuple",
    "in a set",
    "is",
    "is None",
    "elif",
    "conditional expression",
    "and",
    "or",
    "not",
    "lambda in a lambda",
    "comprehension",
    "for over an enum",
    "try",
    "raise",
    "assert",
    "super",
    "swap",
    "dict of an enum",
    "map keyed by a map",
    "read of None as a key",
    "several initial states",
    "bounds from constants",
    "require with a reason",
    "docstring",
    *(f"call of {name}" for name in ("min", "max", "abs", "any", "all", "int", "clip", "ready", "settle", "trip")),
    *(f"operator {name}" for name in ("Add", "Sub", "Mult", "FloorDiv", "Mod", "USub")),
    *(f"comparison {name}" for name in ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")),
]


def nodes_in(model: GeneratedModel) -> Counter[str]:
    """How often each kind of node, leaf and write stands in the lifted methods."""
    found: Counter[str] = Counter()
    tables = {v.symbol.name for v in model.lifted.declared.variables if v.constant}
    for lifted in (*model.lifted.actions, *model.lifted.claims):
        found["hidden parameter"] += len(lifted.choices)
        for node in _expressions(lifted, found):
            for part in parts(node):
                for kind in _kinds(part, tables):
                    found[kind] += 1
    return found


def _expressions(lifted: Lifted, found: Counter[str]) -> Iterator[Node]:
    stack: list[Tree[Outcome]] = [lifted.raw]
    while stack:
        top = stack.pop()
        if isinstance(top, Split):
            found["Split"] += 1
            found[f"Split of {_type(top.question.type)}"] += 1
            yield top.question
            stack.extend(top.below)
    for _, leaf in leaves(lifted.raw):
        found[f"leaf {type(leaf).__name__}"] += 1
        if isinstance(leaf, Says):
            yield leaf.value
        if isinstance(leaf, Does):
            for update in leaf.updates:
                found["two Writes to one variable"] += len(update.writes) > 1
                for write in update.writes:
                    kind = type(write).__name__
                    found[kind] += 1
                    found[f"{kind} of None"] += write.absent != FALSE
                    yield write.value
                    yield write.absent
                    if not isinstance(write, WriteAll):
                        yield from write.keys
    yield lifted.claim


def _type(type_: Type) -> str:
    return type(type_).__name__


def _kinds(node: Node, tables: set[str]) -> Iterator[str]:
    match node:
        case Const():
            yield f"Const of {_type(node.type)}"
        case Name():
            yield f"Name of {_type(node.type)}"
        case Cell(symbol, keys):
            yield f"Cell of {_type(node.type)}"
            yield f"Cell with {len(keys)} keys"
            if any(isinstance(key, Cell) for key in keys):
                yield "Cell keyed by a Cell"
            if symbol.name in tables:
                yield "Cell of a constant table"
            if "." in symbol.name:
                yield "Cell of a nested machine"
        case Absent():
            yield "Absent"
        case Op(op):
            yield f"Op {op}"
        case Quant(kind, _, body):
            yield f"Quant {kind}"
            if any(isinstance(part, Quant) for part in parts(body)):
                yield "Quant in a Quant"


def words_in(model: GeneratedModel) -> Counter[str]:
    """How often the model's own classes use each word of the vocabulary."""
    used = Counter(node.id for node in ast.walk(_own(model)) if isinstance(node, ast.Name))
    return Counter({word: used[word] for word in WORDS if used[word]})


def _own(model: GeneratedModel) -> ast.Module:
    """The text without its head, which is the same in all of them (sorts are used where they are named)."""
    tree = ast.parse(model.source)
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    kept = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in ("Machine", "Heir")]
    if "Worker" in named:
        kept += [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Worker"]
    return ast.Module(list(kept), [])


def constructs_in(model: GeneratedModel) -> Counter[str]:
    """How often each Python construct stands in the model's own classes."""
    found: Counter[str] = Counter()
    tree = _own(model)
    for node in ast.walk(tree):
        found.update(_constructs(node))
    return found


def _constructs(node: ast.AST) -> Iterator[str]:  # one line a construct
    match node:
        case ast.Match(_, cases):
            values = [ast.unparse(case.pattern) for case in cases]
            if any(value == "None" for value in values):
                yield "match on None"
            elif any(value in ("True", "False") for value in values):
                yield "match on bools"
            else:
                yield "match on an enum"
            if any(isinstance(case.pattern, ast.MatchOr) for case in cases):
                yield "case with alternatives"
            if any(case.guard is not None for case in cases):
                yield "case with a guard"
        case ast.Return(None):
            yield "early return"
        case ast.FunctionDef(body=body):
            if any(isinstance(inner, ast.Return) for one in body[:-1] for inner in ast.walk(one)):
                yield "early return"
            if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                yield "docstring"
        case ast.NamedExpr():
            yield "walrus"
        case ast.AugAssign(target):
            yield "augmented entry" if isinstance(target, ast.Subscript) else "augmented scalar"
        case ast.Compare(_, ops, comparators):
            if len(ops) > 1:
                yield "chained comparison"
            for op, right in zip(ops, comparators, strict=True):
                yield f"comparison {type(op).__name__}"
                if isinstance(op, (ast.In, ast.NotIn)):
                    yield "in a tuple" if isinstance(right, ast.Tuple) else "in a set"
                if isinstance(op, (ast.Is, ast.IsNot)):
                    none = isinstance(right, ast.Constant) and right.value is None
                    yield "is None" if none else "is"
        case ast.If(_, _, [ast.If()]):
            yield "elif"
        case ast.IfExp():
            yield "conditional expression"
        case ast.BoolOp(op):
            yield "and" if isinstance(op, ast.And) else "or"
            walrus, *rest = node.values
            names = {inner.target.id for inner in ast.walk(walrus) if isinstance(inner, ast.NamedExpr)}
            keys = {ast.unparse(i.slice) for one in rest for i in ast.walk(one) if isinstance(i, ast.Subscript)}
            if names & keys:
                yield "read of None as a key"
        case ast.UnaryOp(op):
            yield "not" if isinstance(op, ast.Not) else f"operator {type(op).__name__}"
        case ast.BinOp(_, op):
            yield f"operator {type(op).__name__}"
        case ast.Lambda(args, body):
            if any(isinstance(inner, ast.Lambda) for inner in ast.walk(body)):
                yield "lambda in a lambda"
            if [arg.arg for arg in args.args] == ["m"]:
                yield "bounds from constants"
        case ast.GeneratorExp():
            yield "comprehension"
        case ast.For():
            yield "for over an enum"
        case ast.Try():
            yield "try"
        case ast.Raise():
            yield "raise"
        case ast.Assert():
            yield "assert"
        case ast.Dict():
            yield "dict of an enum"
        case ast.Assign([ast.Tuple()]):
            yield "swap"
        case ast.Subscript(slice=key):
            if any(isinstance(i, ast.Attribute) and ast.unparse(i).startswith("self.") for i in ast.walk(key)):
                yield "map keyed by a map"
        case ast.Call(ast.Name(name), args):
            yield f"call of {name}"
            if name == "super":
                yield "super"
            if name == "any_of":
                yield "several initial states"
            if name == "require" and len(args) == 2:
                yield "require with a reason"
        case ast.Call(ast.Attribute(attr=name)):
            yield f"call of {name}"
        case _:
            pass
