"""What does a policy promise of itself? Read from its file, which is not run.

A policy says so in an attribute ``PROMISES`` of its class, of a class in the same file that it is derived from, or of
the file: a tuple, list or set of names of obligations, written out.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Collection
from pathlib import Path
from typing import cast

from meshspec.errors import UsageError
from meshspec.roles.known import refuse_unowed

_NAME = "PROMISES"
METHODS = {
    "breaker": ("observe",),
    "identity": ("key",),
    "ledger": ("run",),
    "lease": ("acquire", "renew", "release", "commit"),
}
"""What a class must have to be judged in a role."""


def promised(target: str, role: str) -> frozenset[str] | None:
    """The obligations that the policy promises; ``None`` where it says nothing, or its file cannot be read.

    Raises :class:`UsageError` for what is written and cannot be meant: no plain names, or names of no obligation.
    """
    where, _, attr = target.rpartition(":")
    file, tree = _file(where), _tree(where)
    if tree is None:
        return None
    classes = _classes(tree)
    given = next(filter(None, (_given(node.body) for node in _line(attr.rpartition(".")[2], classes))), None)
    given = given or _given(tree.body)
    if given is None:
        return None
    place = f"{where if where.endswith('.py') else file}:{given.lineno}"
    try:
        names: object = ast.literal_eval(given)
    except ValueError:
        names = None
    several = cast("Collection[object]", names) if isinstance(names, tuple | list | set) else None
    if several is None or not all(isinstance(name, str) for name in several):
        raise UsageError(f"{place}: {_NAME} is no plain tuple of texts: write the names of obligations out")
    found = frozenset(map(str, several))
    try:
        refuse_unowed(role, found)
    except UsageError as error:
        raise UsageError(f"{place}: {_NAME}: {error}") from None
    return found


def lacking(target: str, role: str) -> str:
    """The first method of the role that a class lacks; empty where it has all, or its file does not say."""
    where, _, attr = target.rpartition(":")
    tree = _tree(where)
    classes = _classes(tree) if tree is not None else {}
    line = _line(attr, classes)
    known = {*classes, "object"}
    plain = [node for node in line if not node.decorator_list and not node.keywords]
    if not line or len(plain) < len(line) or any(_base(base) not in known for node in line for base in node.bases):
        return ""  # something else may give it one
    given = _given_names(line)
    return "" if "__getattr__" in given else next((name for name in METHODS[role] if name not in given), "")


def suited(where: str, role: str) -> list[str]:
    """The public classes of a module or file that are written with all methods of the role."""
    tree = _tree(where)
    classes = _classes(tree) if tree is not None else {}
    found = [name for name in classes if _given_names(_line(name, classes)).issuperset(METHODS[role])]
    return [name for name in found if not name.startswith("_")]


def _given_names(line: list[ast.ClassDef]) -> set[str]:
    """The names that the bodies of classes give."""
    found = set[str]()
    for node in (each for cls in line for each in ast.walk(cls)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


def _base(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _tree(where: str) -> ast.Module | None:
    """The text of a module or file; None where it cannot be read, which is told by whoever loads it."""
    file = _file(where)
    try:
        return ast.parse(file.read_bytes()) if file is not None else None
    except (OSError, SyntaxError, ValueError):
        return None


def _classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _file(where: str) -> Path | None:
    if where.endswith(".py"):
        return Path(where)
    try:
        spec = importlib.util.find_spec(where)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin and spec.origin.endswith(".py") else None


def _line(name: str, classes: dict[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """A class and those of the file that it is derived from, the nearest first."""
    found: list[ast.ClassDef] = []
    names = [name]
    while names:
        node = classes.get(names.pop(0))
        if node is not None and node not in found:
            found.append(node)
            names += [base.id for base in node.bases if isinstance(base, ast.Name)]
    return found


def _given(body: list[ast.stmt]) -> ast.expr | None:
    """The last value that is given to the name there."""
    found: ast.expr | None = None
    for node in body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(one, ast.Name) and one.id == _NAME for one in targets):
            assert isinstance(node, ast.Assign | ast.AnnAssign)
            found = node.value or found
    return found
