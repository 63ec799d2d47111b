"""What a model class declares, read once from its annotations and marks: variables, constants, methods."""

from __future__ import annotations

import functools
import inspect
import sys
import typing
from collections.abc import Callable
from typing import Any, Literal, NoReturn, get_args, get_origin

import attrs

from meshspec.errors import ModelError, Where
from meshspec.expr.nodes import BOOL, IntType, SortType, Symbol, Type
from meshspec.expr.text import is_huge
from meshspec.lang.containers import Map, SetOf, fits
from meshspec.lang.places import where_is
from meshspec.lang.shapes import Shape, parameter_shape, shape
from meshspec.sorts import Range, Sort, is_enum

Kind = Literal["action", "fault", "always", "sometimes", "eventually", "lemma", "terminal"]
MARK = "_meshspec_kind"
MARKED = "_meshspec_marked"
DECLARED = "_meshspec_declared"
PARTS: tuple[Kind, ...] = ("action", "fault")
_MISSING: Any = object()


@attrs.frozen
class AnyOf:
    """Several initial values: an engine starts from each."""

    options: tuple[object, ...]


@attrs.frozen
class Var:
    """What ``var(...)`` leaves in a class body until ``@model`` reads it.

    Where ``@model`` was forgotten it stays, and the first use of the variable says so.
    """

    initial: Any = _MISSING
    where: Where | None = attrs.field(default=None, eq=False)

    def __get__(self, instance: object, owner: type) -> Var:
        if instance is not None:
            self._forgotten(type(instance))
        return self

    def __set__(self, instance: object, value: object) -> NoReturn:
        self._forgotten(type(instance))

    def _forgotten(self, cls: type) -> NoReturn:
        cls = next(base for base in cls.__mro__ if any(value is self for value in vars(base).values()))
        raise ModelError(undecorated(cls), where_is(cls))


@attrs.frozen
class Variable:
    """A state variable, or a constant table (``constant``); ``initial`` lists every initial value in order.

    A ``type[Sort]`` among the initial values stands for all members of that sort.
    """

    symbol: Symbol
    path: tuple[str, ...]
    initial: tuple[object, ...]
    range: Range | None = None
    is_set: bool = False
    constant: bool = False


@attrs.frozen
class Parameter:
    """A parameter of an action or claim, or a choice made inside an action.

    With a ``length`` it is a tuple of such values, which :mod:`meshspec.lang.sequences` takes apart; the element
    that comes of it knows its ``place``.
    """

    name: str
    type: Type
    range: Range | None = None
    length: Range | None = None
    place: int | None = None


@attrs.frozen(eq=False)
class Method:
    """An action or a claim: ``path`` leads to the sub-machine whose method it is."""

    name: str
    kind: Kind
    function: Callable[..., object]
    parameters: tuple[Parameter, ...]
    path: tuple[str, ...] = ()

    @property
    def where(self) -> Where:
        return where_is(self.function)

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.function) or ""


@attrs.frozen(eq=False)
class Declared:
    """All that a model class declares, inherited and nested machines included."""

    cls: type
    variables: tuple[Variable, ...]
    constants: tuple[str, ...]
    submachines: tuple[tuple[str, type], ...]
    methods: tuple[Method, ...]

    def of_kind(self, *kinds: Kind) -> tuple[Method, ...]:
        return tuple(method for method in self.methods if method.kind in kinds)

    @property
    def actions(self) -> tuple[Method, ...]:
        """Actions and faults, in the order of declaration: the order of counterexamples."""
        return self.of_kind(*PARTS)


def is_model(cls: object) -> bool:
    """Whether `cls` itself (not only an ancestor) was decorated with ``@model``."""
    return isinstance(cls, type) and DECLARED in vars(cls)


def declared(cls: type) -> Declared:
    """What the model class declares; raises :class:`ModelError` when it is no model or lost its decorator."""
    if not is_model(cls):
        raise ModelError(undecorated(cls) or f"{cls.__name__} is not a model: decorate it with @model", where_is(cls))
    found = vars(cls)[DECLARED]
    if found is None:
        found = _declare(cls)
        setattr(cls, DECLARED, found)
    assert isinstance(found, Declared)
    return found


def undecorated(cls: type) -> str:
    """Why a class that is not decorated should be, or an empty string: a forgotten ``@model`` is no silent no-op."""
    if any(is_model(base) for base in cls.__mro__[1:]) and not is_model(cls):
        return f"{cls.__name__} extends a model and is not decorated: write @model above `class {cls.__name__}`"
    marked = [name for name, value in vars(cls).items() if isinstance(value, Var) or hasattr(value, MARK)]
    if marked and not is_model(cls):
        return f"{cls.__name__} declares {', '.join(marked)} and is not decorated: write @model above it"
    return ""


def hints(cls: type) -> dict[str, Any]:
    """The class's annotations as types, each read in the module that wrote it."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if not vars(base).get("__annotations__"):
            continue
        module = sys.modules.get(base.__module__)
        try:
            found.update(
                {
                    name: hint
                    for name, hint in typing.get_type_hints(
                        base, vars(module) if module else None, dict(vars(base)), include_extras=True
                    ).items()
                    if name in vars(base)["__annotations__"]
                }
            )
        except NameError as error:
            raise ModelError(
                f"{base.__name__}: the annotation {error.name!r} cannot be read. A model inside a function cannot "
                "be combined with `from __future__ import annotations`: move the model to the top of the module",
                where_is(base),
            ) from None
    return found


def _nested(bounds: Range | None, path: tuple[str, ...]) -> Range | None:
    """The Range of a nested machine as the outer model reads it: its bounds are of the inner constants."""
    if bounds is None or not path:
        return bounds

    def inside(bound: int | Callable[[Any], int]) -> int | Callable[[Any], int]:
        if not callable(bound):
            return bound
        return lambda outer: bound(functools.reduce(getattr, path, outer))

    return Range(inside(bounds.lo), inside(bounds.hi))


def _keys(annotation: Any, what: str, where: Where | None) -> tuple[Type, ...]:
    parts = get_args(annotation) if get_origin(annotation) is tuple else (annotation,)
    shapes = tuple(shape(part, f"the key of {what}", where) for part in parts)
    for one in shapes:
        if isinstance(one.type, IntType) or one.optional:
            raise ModelError(f"{what}: a key is a Sort, an Enum or a bool, not {one.type}", where)
    return tuple(one.type for one in shapes)


def _initial(var: Var, shaped: Shape, what: str, where: Where | None) -> tuple[object, ...]:
    given = var.initial
    if given is _MISSING:
        raise ModelError(f"{what} = var() needs an initial value: {what}: ... = var(False)", where)
    options: list[object] = []
    for option in given.options if isinstance(given, AnyOf) else (given,):
        options += option if isinstance(option, range) or is_enum(option) else (option,)
    for option in options:
        if is_huge(option):
            raise ModelError(f"{what} starts at an integer of more than 4,000 digits: write a smaller one", where)
        everyone = isinstance(shaped.type, SortType) and option is shaped.type.cls
        if not (everyone or (option is None and shaped.optional) or fits(option, shaped.type)):
            raise ModelError(f"{what} is {shaped.type}; its initial value {option!r} is not one", where)
        if isinstance(option, Sort):
            raise ModelError(
                f"{what} may not start at the particular member {option!r}: any_of({shaped.type})", where
            )
    if not options:
        raise ModelError(f"{what}: any_of() needs at least one value", where)
    return tuple(options)


def _starts_inside(option: Any, inside: range, what: str, cls: type) -> None:
    if option is not None and option not in inside:
        raise ModelError(
            f"{what} starts at {option}, outside its Range({inside[0]}, {inside[-1]}): start inside, or widen it",
            where_is(cls),
        )


def check_start(variable: Variable, cls: type, constants: object = None) -> None:
    """Refuse initial values outside the variable's Range; bounds that need constants wait for an instance."""
    bounds = variable.range
    if bounds is None or variable.constant or (constants is None and (callable(bounds.lo) or callable(bounds.hi))):
        return
    for option in variable.initial:
        _starts_inside(option, bounds.of(constants), variable.symbol.name, cls)


def _variable(name: str, annotation: Any, var: Var, prefix: tuple[str, ...], where: Where | None) -> Variable:
    path, where = (*prefix, name), var.where or where
    dotted = ".".join(path)
    if get_origin(annotation) is SetOf:
        (key,) = _keys(get_args(annotation)[0], dotted, where)
        if var.initial is not _MISSING:
            raise ModelError(f"{dotted}: a set starts empty; write var()", where)
        return Variable(Symbol(dotted, (key,), BOOL), path, (False,), is_set=True)
    keys: tuple[Type, ...] = ()
    if get_origin(annotation) is Map:
        key, annotation = get_args(annotation)
        keys = _keys(key, dotted, where)
    elif annotation is Map:
        raise ModelError(f"{dotted}: write Map[Key, Value]", where)
    shaped = shape(annotation, dotted, where)
    symbol = Symbol(dotted, keys, shaped.type, shaped.optional)
    return Variable(symbol, path, _initial(var, shaped, dotted, where), _nested(shaped.range, prefix))


def _table(name: str, annotation: Any, prefix: tuple[str, ...], where: Where | None) -> Variable:
    key, value = get_args(annotation)
    path = (*prefix, name)
    shaped = shape(value, name, where)
    symbol = Symbol(".".join(path), _keys(key, name, where), shaped.type, shaped.optional)
    return Variable(symbol, path, (), _nested(shaped.range, prefix), constant=True)


def parameters(function: Callable[..., object], where: Where | None) -> tuple[Parameter, ...]:
    """The parameters after ``self``; raises :class:`ModelError` for one that no engine can enumerate."""
    name = function.__name__
    try:
        read = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ModelError(
            f"{name}: the annotation {error.name!r} cannot be read. A model inside a function cannot be combined "
            "with `from __future__ import annotations`: move the model to the top of the module",
            where,
        ) from None
    found: list[Parameter] = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ModelError(f"{name}: *{parameter.name} cannot be enumerated; name each parameter", where)
        if parameter.name not in read:
            raise ModelError(f"{name}: parameter {parameter.name!r} needs an annotation: a Sort, an Enum, ...", where)
        one = parameter_shape(read[parameter.name], f"{name}({parameter.name})", where)
        each = "each element of " if one.length is not None else ""
        if one.optional:
            raise ModelError(f"{name}: {each}parameter {parameter.name!r} may not be optional", where)
        if isinstance(one.type, IntType) and one.range is None:
            raise ModelError(f"{name}: {each}{parameter.name!r} needs Annotated[int, Range(lo, hi)]", where)
        found.append(Parameter(parameter.name, one.type, one.range, one.length))
    return tuple(found)


def _methods(cls: type, prefix: tuple[str, ...]) -> list[Method]:
    kinds: dict[str, Kind] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            kind = getattr(value, MARK, None)
            if kind is not None:
                kinds[name] = kind
    methods: list[Method] = []
    for name, kind in kinds.items():
        function = getattr(cls, name)
        dotted = ".".join((*prefix, name))
        found = parameters(function, where_is(function))
        found = tuple(
            attrs.evolve(p, range=_nested(p.range, prefix), length=_nested(p.length, prefix)) for p in found
        )
        methods.append(Method(dotted, kind, function, found, prefix))
    return methods


def _declare(cls: type, prefix: tuple[str, ...] = ()) -> Declared:
    where, read = where_is(cls), hints(cls)
    variables: list[Variable] = []
    constants: list[str] = []
    submachines: list[tuple[str, type]] = []
    methods = _methods(cls, prefix)
    owned: dict[str, Var] = vars(cls)["_meshspec_vars"]
    for name, annotation in read.items():
        if get_origin(annotation) is typing.ClassVar or annotation is typing.ClassVar:
            continue
        var = owned.get(name)
        if var is None:
            if get_origin(annotation) is Map:
                variables.append(_table(name, annotation, prefix, where))
            if is_model(annotation):
                raise ModelError(f"{name} is a nested machine and has a state: write `{name}: ... = var()`", where)
            constants.append(name)
        elif is_model(annotation):
            if var.initial is not _MISSING:
                raise ModelError(f"{name}: a nested machine starts by itself; write var()", where)
            submachines.append((name, annotation))
            inner = _declare(annotation, (*prefix, name))
            variables.extend(inner.variables)
            methods.extend(method for method in inner.methods if method.kind not in PARTS)
        else:
            variables.append(_variable(name, annotation, var, prefix, where))
            check_start(variables[-1], cls)
    return Declared(cls, tuple(variables), tuple(constants), tuple(submachines), tuple(methods))
