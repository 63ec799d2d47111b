"""What a certificate depends on, as one key: the lifted trees, all code that a body may reach, and the tools.

The trees alone will not do: two bodies that lift alike may differ for CPython, which is what a certificate is about.
So the key is also made of the bytecode, defaults and closures of every method and of every function, class and value
that can be reached from them by name, whether or not lifting ran it; of the constants, initial values and ranges; of
our own sources; and of the versions of Python, z3 and attrs. What stands where in a file does not count.

Sound when code reaches other code by the names in it. A value that cannot be taken apart (an open file, an object of
a C class) has no key, and neither has a model whose body ran code that was not reached this way: those are certified
anew each time.
"""

from __future__ import annotations

import builtins
import hashlib
import os
import sys
import time
from abc import ABC
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Generic, Protocol, cast

import attrs

from meshspec.lang.declare import Parameter, Variable, is_model
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.places import is_authors, is_ours
from meshspec.sorts import Range, Sort

_PACKAGE = Path(__file__).resolve().parent.parent
_SOURCES = ("expr", "lang", "backends", "sorts.py", "errors.py")
_TOOLS = ("z3_solver", "attrs")
IMPORTED_AT = time.time_ns()
_NOT_MEANT = {"__doc__", "__module__", "__dict__", "__weakref__", "__annotations__", "__firstlineno__", "_pool"}
_MADE = ("_meshspec_", "__attrs_", "__dataclass_", "__static_attributes__", "__orig_", "__parameters__", "_abc_impl")


class _Opaque(Exception):
    """Something that a body may reach and that cannot be taken apart."""


def fingerprint(model: LiftedModel, how: str) -> str | None:
    """The key of a lifted model, certified in the way that `how` says; ``None`` where it has none.

    The same in every process, whatever its hash seed, its working folder and the lines on which things stand.
    """
    told = tools()
    if told is None:
        return None
    walk = _Walk()
    try:
        walk.put("meshspec certificate", how, told)
        walk.refer(model.instance)
        for variable in model.declared.variables:
            walk.put(*_variable(variable, model.instance))
            walk.refer(variable.symbol)
            walk.refer(variable.initial)
        for lifted in (*model.actions, *model.claims):
            _method(walk, lifted, model.instance)
        walk.finish()
    except _Opaque:
        return None
    ran = frozenset[CodeType]().union(*(lifted.ran for lifted in (*model.actions, *model.claims)))
    return walk.digest() if ran <= walk.codes else None


def _method(walk: _Walk, lifted: Lifted, constants: object) -> None:
    walk.put("method", lifted.name, lifted.method.kind, ".".join(lifted.method.path))
    walk.refer(lifted.method.function)
    for parameter in lifted.parameters:
        walk.put(*_parameter(parameter, constants))
        walk.refer(parameter.type)
    for part in (lifted.raw, lifted.tree, lifted.reads, lifted.sorts):
        walk.refer(part)


def _bounds(bounds: Range | None, constants: object) -> str:
    return repr(bounds and bounds.of(constants))


def _variable(variable: Variable, constants: object) -> tuple[str, ...]:
    path, bounds = ".".join(variable.path), _bounds(variable.range, constants)
    return "variable", path, bounds, str(variable.is_set), str(variable.constant)


def _parameter(parameter: Parameter, constants: object) -> tuple[str, ...]:
    bounds = _bounds(parameter.range, constants), _bounds(parameter.length, constants)
    return "parameter", parameter.name, *bounds, str(parameter.place)


# -- the tools -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def tools() -> str | None:
    """Python, z3, attrs and our own sources; ``None`` where one of them cannot be told."""
    versions = [_version(name) for name in _TOOLS]
    sources = _digest_of_sources()
    if sources is None or None in versions:
        return None
    return repr((sys.implementation.name, sys.version, sys.platform, sys.flags.optimize, versions, sources))


def _version(name: str) -> str | None:
    """The folder that holds an installed package's metadata: its name has the version; importlib.metadata is slow."""
    for folder in map(Path, sys.path):
        try:
            found = sorted(entry for entry in os.listdir(folder) if entry.startswith(f"{name}-"))  # noqa: PTH208
        except OSError:
            continue
        if found := [entry for entry in found if entry.endswith((".dist-info", ".egg-info"))]:
            return found[0] if len(found) == 1 else None
    return None


def _digest_of_sources() -> str | None:
    """Our own floors as they stand on disk; ``None`` if they were changed after this process read them."""
    digest = hashlib.sha256()
    try:
        for part in _SOURCES:
            path = _PACKAGE / part
            for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
                if file.stat().st_mtime_ns >= IMPORTED_AT:
                    return None
                text = file.read_bytes()
                digest.update(f"{file.relative_to(_PACKAGE).as_posix()} {len(text)}\n".encode() + text)
    except OSError:
        return None
    return digest.hexdigest()


# -- everything that can be reached ----------------------------------------------------------------------------


class _Walk:
    """Takes apart what is referred to, each thing once, in an order that is the same everywhere."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._numbers: dict[object, int] = {}
        self._waiting: list[object] = []
        self._kept: list[object] = []  # an id means something only while its object lives
        self._names: dict[str, None] = {}
        self._modules: dict[str, tuple[ModuleType, set[str]]] = {}
        self.codes: set[CodeType] = set()

    def digest(self) -> str:
        return self._hash.hexdigest()

    def put(self, *words: str) -> None:
        for word in words:
            data = word.encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:%b" % (len(data), data))

    def refer(self, thing: object) -> None:
        """A plain value is written at once; anything else gets a number, and is taken apart in its turn."""
        match thing:
            case None | bool() | int() | float() | complex() | str() | bytes() if type(thing) in _PLAIN:
                self.put(type(thing).__name__, hex(thing) if type(thing) is int else repr(thing))
            case tuple() if type(cast("object", thing)) is tuple:
                parts = cast("tuple[object, ...]", thing)
                self.put("tuple", str(len(parts)))
                for part in parts:
                    self.refer(part)
            case Enum():
                self.put("member", str(thing.name))
                self._parts(thing.value, type(thing))
            case Sort():
                self.put("member", str(thing.index))
                self.refer(type(thing))
            case ModuleType():
                self.put("module", thing.__name__)
                self._modules.setdefault(thing.__name__, (thing, set()))
            case _:
                self._number(thing)

    def _number(self, thing: object) -> None:
        key: object = thing if _is_node(thing) else id(thing)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._waiting.append(thing)
            self._kept.append(thing)
        self.put("see", str(number))

    def finish(self) -> None:
        """Take apart all that waits, and what it refers to; then what modules hold under the names met."""
        done = 0
        while done < len(self._waiting) or self._modules_grow():
            while done < len(self._waiting):
                self.put("this is", str(done))
                self._apart(self._waiting[done])
                done += 1

    def _modules_grow(self) -> bool:
        grown = False
        for name in sorted(self._modules):
            module, seen = self._modules[name]
            held = vars(module)
            for wanted in [word for word in self._names if word not in seen and word in held]:
                seen.add(wanted)
                grown |= self._held(f"{name}.{wanted}", held[wanted], _is_an_authors(name))
        return grown

    def _held(self, what: str, value: object, authors: bool) -> bool:
        """A value that a module has: of a module that is no author's, only what an author put there counts."""
        if not authors and (not isinstance(value, FunctionType) or _is_told_by_name(value.__code__.co_filename)):
            return False
        self.put(what)
        self.refer(value)
        return True

    def _apart(self, thing: object) -> None:
        match thing:
            case FunctionType():
                self._function(thing)
            case CodeType():
                self._code(thing)
            case type():
                self._class(thing)
            case property():
                self._parts("property", thing.fget, thing.fset, thing.fdel)
            case staticmethod() | classmethod():
                method: Any = cast("Any", thing)
                self._parts("class or static", isinstance(method, classmethod), method.__func__)
            case MethodType():
                self._parts("bound", thing.__self__, thing.__func__)
            case BuiltinFunctionType() if isinstance(thing.__self__, (ModuleType, type(None))):
                self._parts("built in", str(thing.__module__), thing.__qualname__)
            case MemberDescriptorType() | GetSetDescriptorType():
                self._parts("slot", thing.__name__)
            case list() | dict() | set() | frozenset():
                self._container(cast("Any", thing))
            case _ if _is_node(thing):
                node = cast("attrs.AttrsInstance", thing)
                fields = [f.name for f in attrs.fields(type(node)) if f.name not in ("where", "antecedents")]
                self._parts(type(node).__name__, *(getattr(node, name) for name in fields))
                self._parts(*(antecedent for _, antecedent in getattr(node, "antecedents", ())))
            case _:
                self._instance(thing)

    def _parts(self, *parts: object) -> None:
        for part in parts:
            self.refer(part)

    def _container(self, held: Any) -> None:
        kind: Any = held.__class__
        if kind is list:
            self._parts("list", *held)
        elif kind is dict:
            self._parts("dict", *(part for item in held.items() for part in item))
        elif kind in (set, frozenset) and all(type(part) in _PLAIN for part in held):
            self._parts(kind.__name__, *sorted(held, key=lambda part: (type(part).__name__, repr(part))))
        else:
            raise _Opaque

    def _function(self, function: FunctionType) -> None:
        code = function.__code__
        if _is_told_by_name(code.co_filename):
            self._parts("function", function.__module__, function.__qualname__)
            return
        own = {k: v for k, v in vars(function).items() if not k.startswith(_MADE)}
        self._parts("function", code, function.__defaults__, function.__kwdefaults__, own)
        for cell in function.__closure__ or ():
            try:
                self.refer(cell.cell_contents)
            except ValueError:  # not yet bound
                self.put("unbound")
        for name in _names_in(code):
            if name in function.__globals__:
                self.put(name)
                self.refer(function.__globals__[name])
            elif name in vars(builtins):
                self._held(name, vars(builtins)[name], authors=False)

    def _code(self, code: CodeType) -> None:
        self.codes.add(code)
        self._names.update(dict.fromkeys(code.co_names))
        self._parts(code.co_code, code.co_exceptiontable, code.co_flags, code.co_consts, code.co_names)
        self._parts(code.co_varnames, code.co_freevars, code.co_cellvars)
        self._parts(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)

    def _class(self, cls: type) -> None:
        members = _members(cls)
        held: Mapping[str, Any] = vars(cls)
        self._parts("class", cls.__qualname__)
        if not _is_an_authors(cls.__module__):
            self._parts(cls.__module__)
            return
        self._parts(cls.__bases__, type(cls))
        self._parts(*((name, member.value) for name, member in members.items()))
        for name, value in held.items():
            made = name in members or name.startswith(_MADE) or _is_of_enums(cls, name, value)
            if name not in _NOT_MEANT and not made:
                self._parts(name, value)
        for default in _defaults(cls):
            self.refer(default)

    def _instance(self, thing: object) -> None:
        cls = type(thing)
        modules = {base.__module__ for base in cls.__mro__ if base not in _BARE}
        known = all(_is_an_authors(module) or is_ours(_file_of(module)) for module in modules)
        slots = [name for base in cls.__mro__ for name in _slots(base)]
        if not known or not (slots or hasattr(thing, "__dict__")):
            raise _Opaque
        self._parts("instance", cls)
        for name in slots:
            if hasattr(thing, name):
                self._parts(name, getattr(thing, name))
        held: Mapping[str, object] = getattr(thing, "__dict__", {})
        for name, value in held.items():
            if not name.startswith(_MADE):
                self._parts(name, value)


_BARE: tuple[object, ...] = (object, ABC, Generic, Protocol)  # bases that hold nothing of their own
_PLAIN = {type(None), bool, int, float, complex, str, bytes}


def _slots(cls: type) -> tuple[str, ...]:
    given = vars(cls).get("__slots__", ())
    return tuple(name for name in ((given,) if isinstance(given, str) else given) if not name.startswith("__"))


def _is_node(thing: object) -> bool:
    """Whether it is one of our own frozen records, told apart by what they hold: expressions, trees, outcomes."""
    return type(thing).__module__ in ("meshspec.expr.nodes", "meshspec.lang.outcomes")


def _file_of(module: str) -> str:
    return str(getattr(sys.modules.get(module), "__file__", None) or "")


def _is_an_authors(module: str) -> bool:
    """Whether a module holds an author's code: also one without a file, unless it is built in."""
    file = _file_of(module)
    return is_authors(file) if file else module not in sys.builtin_module_names


def _is_told_by_name(file: str) -> bool:
    """Whether code of this file is ours, Python's or attrs': what it does is told by versions and our sources."""
    made = file.startswith(("<frozen ", "<attrs generated "))  # what attrs makes rests on the fields, told apart
    return made or not (is_authors(file) or file.startswith("<"))


def _members(cls: type) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", vars(cls)["_member_map_"]) if issubclass(cls, Enum) else {}


def _is_of_enums(cls: type, name: str, value: object) -> bool:
    """What the machinery of enums leaves in a class."""
    authors = isinstance(value, (FunctionType, property, staticmethod, classmethod))
    return issubclass(cls, Enum) and name.startswith("_") and not authors


def _defaults(cls: type) -> list[object]:
    """What a class that attrs or dataclasses made does with its fields; a model's are constants, held by it."""
    found: list[object] = []
    for field in () if is_model(cls) else vars(cls).get("__attrs_attrs__", ()):
        default = field.default
        made = getattr(default, "factory", default)
        found += [field.name, None if made is attrs.NOTHING else made, field.validator, field.converter]
    for field in vars(cls).get("__dataclass_fields__", {}).values():
        found += [field.name, field.default, field.default_factory]
    return [None if type(one).__module__ == "dataclasses" else one for one in found]


def _names_in(code: CodeType) -> dict[str, None]:
    """Every name that the code or the code in it mentions."""
    found, waiting = dict[str, None](), [code]
    while waiting:
        top = waiting.pop()
        found.update(dict.fromkeys(top.co_names))
        waiting += [const for const in top.co_consts if isinstance(const, CodeType)]
    return found
