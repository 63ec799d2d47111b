"""The scan of the code that ran: the few tests that no handle can notice.

``is``, ``type(x)`` and ``id(x)`` look past a handle at the object. Everything finite is a real Python value when
a body is lifted, so only ints are concerned: an ``is`` passes when one of its operands is plainly not an int.
Writing a global is hidden state. Sound when the code that ran was seen: C functions that look at identity inside
are not (the certificate is there for them).
"""

from __future__ import annotations

import dis
import gc
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from types import CodeType, FrameType, ModuleType
from typing import Any, cast

import attrs

from meshspec.errors import LiftError, Where
from meshspec.expr.handles import Handle
from meshspec.lang.audit import aside
from meshspec.lang.declare import DECLARED
from meshspec.lang.places import is_authors, is_installed, same_package, shown
from meshspec.sorts import Sort

_LOOKS_PAST = {"type", "id", "vars", "locals", "globals", "eval", "exec", "open", "input"}
_IMPURE = {"time", "datetime", "random", "secrets", "uuid", "os", "posix", "socket"}
_LIFTED = "meshspec.lang.lift"  # maps and sets of the state, as a lifted body holds them
_LOCALS = ("LOAD_FAST", "LOAD_DEREF")


@attrs.frozen
class Ran:
    """A piece of author's code that ran, and the globals it ran in."""

    code: CodeType
    globals: dict[str, Any]


class Watch:
    """Collects the code that runs inside the ``with`` block, helpers included.

    Installed packages other than that of `own`, the file of the method, count where they are given a value of the
    model: what a stream makes of a text that is printed is its own affair.

    No garbage is collected meanwhile: what a collection calls back is no part of a body.
    """

    def __init__(self, own: str = "") -> None:
        self.own = own
        self.ran: dict[CodeType, Ran] = {}

    def _see(self, frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        if event != "call" or code in self.ran or not is_authors(code.co_filename):
            return
        others = is_installed(code.co_filename) and not same_package(code.co_filename, self.own)
        if not others or any(map(_given, frame.f_locals.values())):
            self.ran[code] = Ran(code, frame.f_globals)

    def __enter__(self) -> Watch:
        self._collecting = gc.isenabled()
        gc.disable()
        self._before: Any = sys.getprofile()
        with aside():
            sys.setprofile(self._see)
        return self

    def __exit__(self, *exc: object) -> None:
        with aside():
            if self._before is None or callable(self._before):
                sys.setprofile(self._before)
            else:  # cProfile puts itself there, and is no function
                self._before.enable()
        if self._collecting:
            gc.enable()


def _given(value: object) -> bool:
    """Whether an argument is of the model, or a plain container that holds such a thing."""
    if type(value) in (tuple, list, set, frozenset):
        return any(map(_of_the_model, cast("Iterable[object]", value)))
    if type(value) is dict:
        return any(map(_of_the_model, cast("dict[object, object]", value).values()))
    return _of_the_model(value)


def _of_the_model(value: object) -> bool:
    """Whether it is a handle, an instance of a model, or a map or set of its state."""
    kind = type(value)  # and not isinstance: a handle says that it is an int
    return (
        issubclass(kind, Handle) or kind.__module__ == _LIFTED or any(DECLARED in vars(base) for base in kind.__mro__)
    )


def refuse_blind_spots(ran: Iterator[Ran] | list[Ran], known: dict[CodeType, set[str]]) -> None:
    """Raise :class:`LiftError` at the first test that lifting cannot read rightly.

    `known` gives, for a method's code, the parameters that are not ints; functions written inside the method know
    them too.
    """
    for piece in ran:
        for where, message in _findings(piece, _not_ints(piece.code, known)):
            raise LiftError(message, where)


def _not_ints(code: CodeType, known: dict[CodeType, set[str]]) -> set[str]:
    for method, names in known.items():
        kept = names - _rebound(method)
        if code is method:
            return kept
        if code.co_qualname.startswith(f"{method.co_qualname}.<locals>."):
            return kept & set(code.co_freevars)
    return set()


def _rebound(code: CodeType) -> set[str]:
    stores = ("STORE_FAST", "DELETE_FAST", "STORE_DEREF", "DELETE_DEREF")
    plain = (one for instruction in dis.get_instructions(code) for one in _taken_apart(instruction))
    return {str(one.argval) for one in plain if one.opname in stores}


@attrs.frozen
class _Plain:
    """An instruction that does one thing."""

    opname: str
    argval: Any


def _taken_apart(instruction: dis.Instruction) -> tuple[_Plain, ...]:
    """Newer Pythons put two loads or stores into one instruction: ``LOAD_FAST_LOAD_FAST`` of two names."""
    name, value = instruction.opname, instruction.argval
    first, middle, second = name.partition("_FAST_")
    if middle and second.endswith("_FAST"):
        one, other = value
        return _Plain(f"{first}_FAST", one), _Plain(second, other)
    return (_Plain(name, value),)


def _findings(piece: Ran, not_ints: set[str]) -> Iterator[tuple[Where, str]]:
    line = piece.code.co_firstlineno
    before: list[_Plain] = []
    for instruction in dis.get_instructions(piece.code):
        if instruction.positions is not None and instruction.positions.lineno is not None:
            line = instruction.positions.lineno
        here = Where(shown(piece.code.co_filename), line)
        name = instruction.opname
        if name == "IS_OP" and not _plainly_not_int(before, piece.globals, not_ints):
            yield here, "`is` looks at the object and not at the value, which differs for ints: write =="
        elif name in ("LOAD_GLOBAL", "LOAD_NAME") and _looks_past(instruction.argval, piece):
            yield here, f"{instruction.argval}(...) looks past the value at the object: use isinstance, or =="
        elif name in ("LOAD_GLOBAL", "LOAD_NAME") and (source := _impure(piece.globals.get(instruction.argval))):
            yield (
                here,
                f"{instruction.argval} ({source}) differs from run to run: make it a parameter, or choose(...)",
            )
        elif name == "IMPORT_NAME" and str(instruction.argval).partition(".")[0] in _IMPURE:
            yield here, f"{instruction.argval} differs from run to run: make it a parameter, or choose(...)"
        elif name in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            yield here, f"the global {instruction.argval} is written: hidden state. Declare a variable of the model"
        if name not in ("CACHE", "NOP", "RESUME", "EXTENDED_ARG"):
            before += _taken_apart(instruction)


def _looks_past(name: str, piece: Ran) -> bool:
    return name in _LOOKS_PAST and name not in piece.globals


def _impure(value: object) -> str:
    """The module of a clock, of chance or of the system that a global is, or comes from; else nothing."""
    source = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    owner: object = getattr(value, "__self__", None)
    source = source or owner.__class__.__module__
    return str(source) if str(source).partition(".")[0] in _IMPURE else ""


def _plainly_not_int(before: list[_Plain], names: dict[str, Any], not_ints: set[str]) -> bool:
    """Whether one operand of the ``is`` that follows cannot be an int: a literal, an enum member, a known name."""
    if not before:
        return False
    last = before[-1]
    if last.opname.startswith(_LOCALS):
        if last.argval in not_ints:
            return True
    elif last.opname == "LOAD_CONST":
        return last.argval is None or isinstance(last.argval, (bool, str))
    elif _not_int(_resolved(before, names)):
        return True
    width = _width(before)
    left = before[-1 - width : len(before) - width]
    return bool(left) and (
        (left[0].opname.startswith(_LOCALS) and left[0].argval in not_ints)
        or (left[0].opname == "LOAD_CONST" and (left[0].argval is None or isinstance(left[0].argval, bool)))
    )


def _width(before: list[_Plain]) -> int:
    """How many instructions the right operand takes: a load and the attributes after it."""
    width = 1
    while width < len(before) and before[-width].opname == "LOAD_ATTR":
        width += 1
    return width


def _resolved(before: list[_Plain], names: dict[str, Any]) -> object:
    """The object that the last instructions load, if it is reached from a global by attributes."""
    width = _width(before)
    chain = before[-width:]
    if chain[0].opname not in ("LOAD_GLOBAL", "LOAD_NAME"):
        return 0
    value: object = names.get(chain[0].argval, 0)
    for step in chain[1:]:
        if not isinstance(value, type):
            return 0
        value = getattr(value, step.argval, 0)
    return value


def _not_int(value: object) -> bool:
    return value is None or isinstance(value, (bool, Enum, Sort, type))
