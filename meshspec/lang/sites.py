"""Sites: a method's body as its author wrote it, and a model in which one such body is another.

A body is read from its file, never from its bytecode, and is compiled again under the same file name and line
numbers, so that whatever is said of it points at the author's line. Where the file no longer says what was loaded,
or there is no file (typed into a shell), :class:`NoSource` tells so.
"""

from __future__ import annotations
import __future__

import ast
import inspect
import linecache
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import CellType, CodeType, FunctionType, MappingProxyType
from typing import Any

import attrs

from meshspec.errors import MeshspecError, Where
from meshspec.lang.declare import DECLARED, declared
from meshspec.lang.lift import Lifted, LiftedModel, lift_method
from meshspec.lang.places import shown, where_is

Definition = ast.FunctionDef
_NOTHING: Mapping[str, object] = MappingProxyType({})
_LATE_ANNOTATIONS = __future__.annotations.compiler_flag  # the one future that changes how a body is compiled


class NoSource(MeshspecError):
    """A body cannot be read as its author wrote it; the message says why."""


@attrs.frozen(eq=False)
class Body:
    """A function and its definition in its file; ``owner`` is the class it is written in, if any."""

    function: Any  # a FunctionType; checkers take one that is an attribute for a method
    node: Definition
    owner: str
    lines: tuple[str, ...]

    def where(self, node: ast.AST) -> Where:
        line = getattr(node, "lineno", self.node.lineno)
        return Where(shown(self.function.__code__.co_filename), line)

    def text(self, node: ast.AST) -> str:
        """What the author wrote there, in one line."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        lines = [line.encode() for line in self.lines[first - 1 : last]]  # columns count bytes
        lines[-1] = lines[-1][: getattr(node, "end_col_offset", 0)]
        lines[0] = lines[0][getattr(node, "col_offset", 0) :]
        return " ".join(b" ".join(lines).decode().split())

    def compiled(self, node: Definition, known: Mapping[str, object] = _NOTHING) -> FunctionType:
        """Another definition in the place of this one: same file, lines, globals and closure.

        It may speak of the names in `known` as well.
        """
        old: CodeType = self.function.__code__
        code = self.code(node, tuple(known))
        cells: tuple[CellType, ...] = self.function.__closure__ or ()
        held = dict(zip(old.co_freevars, cells, strict=True))
        held.update((name, CellType(value)) for name, value in known.items())
        closure = tuple(held[name] for name in code.co_freevars)
        made = FunctionType(
            code, self.function.__globals__, self.function.__name__, self.function.__defaults__, closure
        )
        made.__kwdefaults__ = self.function.__kwdefaults__
        made.__dict__.update(self.function.__dict__)
        made.__annotations__ = self.function.__annotations__
        made.__qualname__, made.__module__ = self.function.__qualname__, self.function.__module__
        return made

    def code(self, node: Definition, known: Sequence[str] = ()) -> CodeType:
        """Compiled where it stood: in its class (names with two underscores, ``super()``), in its function."""
        old: CodeType = self.function.__code__
        body: ast.stmt = node
        if self.owner:
            body = _without_types(ast.ClassDef(self.owner, [], [], [body], [], **_place(node)))
        if known or old.co_flags & inspect.CO_NESTED:
            free = [name for name in (*old.co_freevars, *known) if name != "__class__"]
            names = [ast.arg(name, **_place(node)) for name in free]
            around = ast.arguments([], names, None, [], [], None, [])
            body = _without_types(ast.FunctionDef("around", around, [body], [], **_place(node)))
        tree = ast.fix_missing_locations(ast.Module([body], []))
        flags = old.co_flags & _LATE_ANNOTATIONS
        whole = compile(tree, old.co_filename, "exec", flags=flags, dont_inherit=True)
        return next(c for c in _codes(whole) if c.co_name == old.co_name and c.co_firstlineno == old.co_firstlineno)


def _place(node: Definition) -> dict[str, Any]:
    return {"lineno": node.lineno, "col_offset": node.col_offset, "end_lineno": node.end_lineno}


def _without_types(node: ast.stmt) -> ast.stmt:
    """Since Python 3.12 a definition has parameters of type as well."""
    if sys.version_info >= (3, 12):
        node.__dict__["type_params"] = []
    return node


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def innermost(function: FunctionType) -> FunctionType:
    """The function that decorators wrap, or the function itself."""
    found: object = inspect.unwrap(function)
    if not isinstance(found, FunctionType):
        raise NoSource(f"{where_is(function)}: a decorator hides the body of {function.__name__}")
    return found


def body_of(function: FunctionType) -> Body:
    """The body of a function (of the innermost one, where decorators wrap it), or :class:`NoSource`."""
    inner = innermost(function)
    code = inner.__code__
    lines = tuple(linecache.getlines(code.co_filename, inner.__globals__))
    where = where_is(inner)
    if not lines:
        raise NoSource(f"{where}: no file holds the source of {inner.__name__}")
    changed = f"{where}: the file no longer says what was loaded as {inner.__name__}: load it again"
    source = "".join(lines)
    for node, owner in _definitions(source):
        if node.name == code.co_name and _first_line(node) == code.co_firstlineno:
            asserts = any(isinstance(part, ast.Assert) for part in ast.walk(node))  # pytest rewrites those
            if asserts or code in _compiled(source, code.co_filename, code.co_flags & _LATE_ANNOTATIONS):
                return Body(inner, node, owner, lines)
    raise NoSource(changed)


def _first_line(node: Definition) -> int:
    return node.decorator_list[0].lineno if node.decorator_list else node.lineno


@lru_cache(maxsize=64)
def _compiled(source: str, file: str, flags: int) -> frozenset[CodeType]:
    """The code of every function of a file; code is equal only where its names, constants and lines are."""
    return frozenset(_codes(compile(source, file, "exec", flags=flags, dont_inherit=True)))


@lru_cache(maxsize=64)
def _definitions(source: str) -> tuple[tuple[Definition, str], ...]:
    """Every function of a file and the class it is written in; none where the file is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ()
    found: list[tuple[Definition, str]] = []
    todo: list[ast.AST] = [tree]
    while todo:
        top = todo.pop()
        inside = top.name if isinstance(top, ast.ClassDef) else ""
        for child in ast.iter_child_nodes(top):
            if isinstance(child, ast.FunctionDef):
                found.append((child, inside))
            todo.append(child)
    return tuple(found)


def rewrapped(outer: FunctionType, inner: FunctionType, new: FunctionType) -> FunctionType:
    """`outer`, which decorators made of `inner`, as they would have made it of `new`.

    Raises :class:`NoSource` for a decorator that does not keep what it wraps in its closure.
    """
    if outer is inner:
        return new
    cells: list[CellType] = []
    wrapped: FunctionType | None = None
    for cell in outer.__closure__ or ():
        held: object = cell.cell_contents
        if isinstance(held, FunctionType) and innermost(held) is inner:
            wrapped = rewrapped(held, inner, new)
            cell = CellType(wrapped)
        cells.append(cell)
    if wrapped is None:
        raise NoSource(f"{where_is(inner)}: a decorator hides the body of {inner.__name__}")
    made = FunctionType(outer.__code__, outer.__globals__, outer.__name__, outer.__defaults__, tuple(cells))
    made.__kwdefaults__ = outer.__kwdefaults__
    made.__dict__.update({**vars(outer), "__wrapped__": wrapped})
    made.__annotations__ = outer.__annotations__
    made.__qualname__, made.__module__ = outer.__qualname__, outer.__module__
    return made


@attrs.frozen(eq=False)
class Used:
    """A method of the model, or of a machine within it, that actions run: themselves, or a helper of theirs.

    ``path`` leads to the machine, ``held`` is what its class has under ``attribute``: a function or a property.
    """

    path: tuple[str, ...]
    attribute: str
    held: FunctionType | property
    actions: tuple[Lifted, ...]

    @property
    def name(self) -> str:
        return ".".join((*self.path, self.attribute))

    @property
    def function(self) -> Any:  # as for Body
        return self.held.fget if isinstance(self.held, property) else self.held


def methods_run(model: LiftedModel) -> list[Used]:
    """Every method that an action runs, in the order of the classes and of what they declare.

    What is reached by ``super()``, and functions outside the classes, are not among them.
    """
    found: list[Used] = []
    for path, machine in _machines(model.instance, ()):
        cls = type(machine)
        names = dict.fromkeys(name for base in reversed(cls.__mro__) for name in vars(base))
        for name in names:
            held: object = inspect.getattr_static(cls, name)
            function = held.fget if isinstance(held, property) else held
            if not isinstance(function, FunctionType):
                continue
            assert isinstance(held, (FunctionType, property))
            code = _code_of(function)
            running = tuple(action for action in model.actions if code in action.ran)
            if running:
                found.append(Used(path, name, held, running))
    return found


def never_read(model: LiftedModel) -> list[Lifted]:
    """The actions whose own body is in no author's file (``exec`` of a text), so that they run no method to read."""
    return [action for action in model.actions if _code_of(action.method.function) not in action.ran]


def without_source(action: Lifted) -> str:
    """Why such an action is not read."""
    return f"{action.method.where}: no file holds the source of {action.name}"


def _code_of(function: Any) -> CodeType:  # as for Body
    found: object = inspect.unwrap(function)
    code: CodeType = found.__code__ if isinstance(found, FunctionType) else function.__code__
    return code


def _machines(instance: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    yield path, instance
    for name, _ in declared(type(instance)).submachines:
        yield from _machines(getattr(instance, name), (*path, name))


def replaced(model: LiftedModel, bodies: Sequence[tuple[Used, FunctionType]]) -> LiftedModel:
    """The model with other bodies for some methods; the actions that run them are lifted again, claims are not.

    Claims are the yardstick: where one calls a helper that is replaced, it keeps the helper that it had. Raises
    :class:`meshspec.errors.LiftError` where a new body cannot be lifted.
    """
    instance, own = model.instance, dict[str, FunctionType]()
    for used, new in bodies:
        function = rewrapped(used.function, body_of(used.function).function, new)
        held = property(function) if isinstance(used.held, property) else function
        instance = _with(instance, used.path, used.attribute, held)
        if not used.path:
            own[used.attribute] = function
    running = [action for used, _ in bodies for action in used.actions]

    def again(lifted: Lifted) -> Lifted:
        method = lifted.method
        method = attrs.evolve(method, function=own.get(method.name, method.function))
        return lift_method(instance, model.declared, method)

    actions = tuple(again(lifted) if lifted in running else lifted for lifted in model.actions)
    return attrs.evolve(model, instance=instance, actions=actions)


def _with(instance: object, path: tuple[str, ...], attribute: str, held: object) -> object:
    """A copy of the instance in which the class of one machine has another method.

    The class made for it shares its parent's declaration, so that it is never taken for an incident.
    """
    cls = type(instance)
    body: dict[str, object] = {DECLARED: declared(cls), "__module__": cls.__module__}
    if not path:
        body[attribute] = held
    made: object = object.__new__(type(cls.__name__, (cls,), body))
    vars(made).update(vars(instance))
    if path:
        vars(made)[path[0]] = _with(getattr(instance, path[0]), path[1:], attribute, held)
    return made
