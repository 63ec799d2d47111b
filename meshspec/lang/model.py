"""``@model``: a class of plain methods over declared variables, run by CPython as it stands."""

from __future__ import annotations

import importlib
import inspect
from typing import Any, TypeVar, cast, dataclass_transform

import attrs

from meshspec.display import frame_of, html_of
from meshspec.errors import ModelError
from meshspec.expr.handles import reader
from meshspec.expr.nodes import IntType, SortType
from meshspec.expr.text import value_text
from meshspec.lang.containers import Fresh, Map, SetOf, fits, is_map, owned
from meshspec.lang.declare import (
    DECLARED,
    MARK,
    MARKED,
    Declared,
    Var,
    Variable,
    check_start,
    declared,
    is_model,
    undecorated,
)
from meshspec.lang.fairness import refuse_unfair
from meshspec.lang.places import where_is, where_now
from meshspec.lang.words import var
from meshspec.sorts import Sort, is_sort

_T = TypeVar("_T")


@dataclass_transform(kw_only_default=True, field_specifiers=(var,))
def model(cls: type[_T], /) -> type[_T]:
    """Make a class a model: its ``var(...)`` annotations are the state, its other annotations constants.

    An instance is one model with its constants chosen and, natively, one state. Raises :class:`ModelError`
    where the class is not what a model must be: a variable without annotation, an override that loses its mark
    or changes its parameters, an initial value of the wrong type.
    """
    meta = cast("Any", type(cls))
    if meta.__hash__ is not type.__hash__ or meta.__eq__ is not type.__eq__:
        raise ModelError(
            f"the metaclass {meta.__name__} has an equality or a hash of its own: a model has none", where_now()
        )
    if is_model(cls):
        raise ModelError(f"{cls.__name__} is decorated with @model twice", where_is(cls))
    own = {name: value for name, value in vars(cls).items() if isinstance(value, Var)}
    annotated = inspect.get_annotations(cls)
    for name in own:
        if name not in annotated:
            raise ModelError(
                f"{cls.__name__}.{name} = var(...) needs an annotation: `{name}: bool = var(False)`",
                own[name].where or where_is(cls),
            )
    for base in cls.__mro__[1:]:
        if (problem := undecorated(base)) and base is not object:
            raise ModelError(problem, where_is(base))
    _no_mark_is_lost(cls)
    _overrides_keep_their_kind(cls)
    inherited: dict[str, Var] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited.update(vars(base).get("_meshspec_vars", {}))
    untyped: Any = cls
    for name in own:
        setattr(cls, name, attrs.field(init=False, default=None, kw_only=True))
    for name in annotated:  # a constant overridden by a variable, or the reverse, changes what the parent means
        if (name in inherited) != (name in own) and any(
            name in vars(b).get("__annotations__", {}) for b in cls.__mro__[1:]
        ):
            raise ModelError(
                f"{cls.__name__}.{name}: a variable cannot become a constant, nor the reverse", where_is(cls)
            )
    untyped.__attrs_post_init__ = _start
    made: Any = attrs.define(untyped, slots=False, kw_only=True, eq=False, repr=False)
    made._meshspec_vars = {**inherited, **own}
    made.__setattr__, made.__eq__, made.__hash__, made.__repr__ = _assign, _same, None, _show
    made.__delattr__ = _delete
    for name, shows in (("_repr_html_", html_of), ("to_dataframe", frame_of)):
        if not hasattr(made, name):  # an author may have use for it
            setattr(made, name, shows)
    if not any("TestCase" in vars(base) for base in made.__mro__):  # asking for it would make it
        made.TestCase = _TestCase()
    setattr(made, DECLARED, None)
    if len(ends := declared(made).of_kind("terminal")) > 1:
        raise ModelError(f"{cls.__name__} has {len(ends)} @terminal claims; say it in one", where_is(cls))
    refuse_unfair(declared(made))
    return made  # type: ignore[no-any-return]  # attrs.define returns the class it was given


class _TestCase:
    """``Model.TestCase``: a test case that drives the model, made by Hypothesis when it is first asked for.

    Type checkers cannot see what a decorator adds: ``meshspec.engines.machine.machine(Model).TestCase`` they can.
    """

    def __get__(self, instance: object, owner: type) -> Any:
        machine = importlib.import_module("meshspec.engines.machine")  # above, and needs Hypothesis
        return machine.case_of(owner if instance is None else instance)


def _no_mark_is_lost(cls: type) -> None:
    """Refuse a marked method that the finished class does not have: hidden by a decorator, or by a namesake."""
    for body in vars(cls).get(MARKED, ()):
        found, kind = vars(cls).get(body.__name__), getattr(body, MARK)
        if getattr(found, MARK, None) == kind and inspect.unwrap(found) is body:  # type: ignore[arg-type]  # marked
            continue
        hider = next((h.__name__ for h in (property, staticmethod, classmethod) if isinstance(found, h)), "")
        why = (
            f"hidden by @{hider}: take that away"
            if hider
            else f"lost: the class has another {body.__name__!r} further down. Give one of them another name"
        )
        raise ModelError(f"{cls.__name__}.{body.__name__} is marked @{kind} and {why}", where_is(body))


def _overrides_keep_their_kind(cls: type) -> None:
    for name, value in vars(cls).items():
        for base in cls.__mro__[1:]:
            old = vars(base).get(name)
            kind = getattr(old, MARK, None)
            if kind is None:
                continue
            now = getattr(value, MARK, None)
            if now != kind:
                raise ModelError(
                    f"{cls.__name__}.{name} overrides an @{kind} and is marked "
                    f"{'@' + now if now else 'nothing'}: write @{kind} above it",
                    where_is(value) if callable(value) else where_is(cls),
                )
            if callable(old) and list(inspect.signature(old).parameters) != list(inspect.signature(value).parameters):
                raise ModelError(
                    f"{cls.__name__}.{name} must have the parameters of the {kind} it overrides", where_is(value)
                )
            break


def initial(variable: Variable, constants: object) -> Any:
    """The first initial value of a variable, as it is kept in an instance."""
    symbol = variable.symbol
    if variable.is_set:
        return owned(SetOf[Any](), symbol)
    if variable.constant:
        return _constant_table(variable, constants)
    first = variable.initial[0]
    if is_sort(first):
        first = first(0)
    return owned(Map[Any, Any](first), symbol) if symbol.keys else first


def _constant_table(variable: Variable, constants: object) -> Map[Any, Any]:
    table = getattr(constants, variable.path[-1])
    if not is_map(table):
        raise ModelError(f"the constant {variable.symbol.name} is a Map: give it as Map(default, {{member: value}})")
    return owned(table, variable.symbol)


def _start(self: object) -> None:
    """Put a new instance into its first initial state."""
    known = declared(type(self))
    for variable in known.variables:
        if len(variable.path) == 1:
            check_start(variable, type(self), self)
            object.__setattr__(self, variable.path[0], initial(variable, self))
    for name, cls in known.submachines:
        object.__setattr__(self, name, cls())
    object.__setattr__(self, "_meshspec_started", True)


def _assign(self: object, name: str, value: Any) -> None:
    if "_meshspec_started" not in vars(self):
        object.__setattr__(self, name, value)
        return
    known = declared(type(self))
    object.__setattr__(self, name, admissible(known, name, value, vars(self).get(name)))


def _delete(self: object, name: str) -> None:
    lifting = reader()
    message = f"del {name}: what a model declares cannot be deleted; assign it"
    if lifting is not None:
        lifting.refuse(message)
    raise ModelError(message, where_now())


def admissible(known: Declared, name: str, value: Any, present: Any) -> Any:
    """The value as it may be assigned to the variable, or :class:`ModelError` saying why it may not."""
    variable = next((v for v in known.variables if v.path[-1] == name and len(v.path) == 1), None)
    if name in known.constants:
        raise ModelError(
            f"{name!r} is a constant; only variables (= var(...)) may be assigned in an action", where_now()
        )
    if variable is None:
        names = ", ".join(v.path[-1] for v in known.variables if len(v.path) == 1 and not v.constant)
        raise ModelError(f"{known.cls.__name__} has no variable {name!r}; its variables are {names}", where_now())
    symbol = variable.symbol
    if symbol.keys:
        if value is present:
            return value  # the second half of `self.m[k] += 1` on nested machines and of aliasing
        if not isinstance(value, Fresh) or variable.is_set or len(symbol.keys) != 1:
            how = f"each({symbol.keys[0]}, lambda k: ...)" if len(symbol.keys) == 1 else "its entries, one by one"
            raise ModelError(f"{name} is a whole map or set; assign {how}", where_now())
        whole = owned(Map[Any, Any](None), symbol)
        for key, entry in value.entries.items():
            whole[key] = entry
        return whole
    if not (fits(value, symbol.type) or (value is None and symbol.optional)):
        hint = " (a bool is not an int here)" if isinstance(symbol.type, IntType) and isinstance(value, bool) else ""
        raise ModelError(f"{name} is {symbol.type}; {value!r} is not one{hint}", where_now())
    return value


def _state(self: object) -> list[tuple[str, Any]]:
    known = declared(type(self))
    names = [v.path[0] for v in known.variables if len(v.path) == 1 and not v.constant]
    return [(name, getattr(self, name)) for name in [*known.constants, *names, *(n for n, _ in known.submachines)]]


def _same(self: object, other: object) -> bool:
    if type(other) is not type(self):
        return False
    return all(mine == theirs for (_, mine), (_, theirs) in zip(_state(self), _state(other), strict=True))


def _show(self: object) -> str:
    return f"{type(self).__name__}({', '.join(f'{name}={value_text(value)}' for name, value in _state(self))})"


def sorts_of(known: Declared) -> tuple[type[Sort], ...]:
    """The sorts that a model ranges over, in order of appearance."""
    found: dict[type[Sort], None] = {}
    types = [t for v in known.variables for t in (*v.symbol.keys, v.symbol.type)]
    types += [p.type for m in known.methods for p in m.parameters]
    found.update((t.cls, None) for t in types if isinstance(t, SortType))
    return tuple(found)
