"""The function under check: what it is called, what it says to an input, and where another process finds it."""

from __future__ import annotations

import inspect
import pickle
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import attrs

from meshspec.adequacy import compared, host, limit
from meshspec.errors import UsageError
from meshspec.lang.loading import load_file, load_module, real_path
from meshspec.lang.places import shown
from meshspec.roles.effects import Effect

Given: TypeAlias = Callable[[Any], object] | str
"""A function, or where it is: ``module:attribute`` or ``file.py:attribute``."""

_LONGEST = 120


@attrs.frozen(eq=False)
class Said:
    """What a function said of one input: a value, that it refuses, that it raised, or that nobody knows."""

    kind: Literal["value", "refused", "raised", "opaque", "unread"]
    value: object

    @property
    def text(self) -> str:
        if self.kind == "value":
            return f"value {text_of(self.value)}"
        return f"{self.kind}: {self.value}"


@attrs.frozen(eq=False)
class Function:
    """A function under check.

    ``found`` says how another process finds it; where it cannot, ``why`` says the reason. ``imports`` is the
    statement that brings it into a program under the name that ``call`` has.
    """

    name: str
    ask_it: Callable[[Any], object]
    found: tuple[object, ...] | None
    why: str
    imports: str
    call: str

    def ask(self, given: object) -> Said:
        """What it says. Raises :class:`NoAnswer` where it says nothing in time."""
        seconds = limit.CALL_LIMIT
        try:
            with limit.limited(seconds):
                kind, value = host.ask(self.ask_it, given)
        except limit.Late:
            raise NoAnswer(f"{self.name} gave no answer for {seconds:g} s, asked about {text_of(given)}") from None
        return Said(cast(Any, kind), value)


def function_of(given: Given) -> Function:
    """The function that was given, or that a target names.

    Raises :class:`UsageError` where the name leads nowhere, to what cannot be called, or not with one argument.
    """
    found = _function_of(given)
    _takes_one(found)
    return found


def _takes_one(function: Function) -> None:
    """A call that does not fit raises a TypeError, which would be taken for a refusal of every input."""
    try:
        signature = inspect.signature(function.ask_it, follow_wrapped=False)
    except (TypeError, ValueError):  # some of what is written in C says nothing about its arguments
        return
    try:
        signature.bind(None)
    except TypeError as error:
        raise UsageError(
            f"{function.name}{signature} is asked with one argument, the input, and cannot be called so ({error}): "
            "give a function of one argument, such as lambda given: ..."
        ) from None


def _function_of(given: Given) -> Function:
    if isinstance(given, str):
        return _named(given)
    if not callable(cast(object, given)):
        raise UsageError(f"{text_of(given)} cannot be called: give a function, module:attribute or file.py:attribute")
    name = str(getattr(given, "__qualname__", type(given).__qualname__))
    module = str(getattr(given, "__module__", "") or "")
    if inspect.isfunction(given):
        return _plain_function(given, name, module)
    try:
        pickled = pickle.dumps(given, host.PROTOCOL)
    except Exception as error:
        return Function(name, given, None, f"it cannot be handed to another process ({host.told(error)})", "", "f")
    if module == "__main__":
        return Function(name, given, None, "it belongs to the program that runs, which cannot be imported", "", "f")
    return Function(name, given, ("pickled", pickled), "", "", "f")


def _plain_function(given: Callable[[Any], object], name: str, module: str) -> Function:
    if "<" in name:
        what = "a lambda" if name.endswith("<lambda>") else "made inside another function"
        return Function(name, given, None, f"it is {what}, which no other process can import", "", "f")
    holder = sys.modules.get(module)
    file = str(getattr(holder, "__file__", "") or "")
    if module == "__main__":
        if not Path(file).is_file():
            return Function(name, given, None, "it was typed into a shell or a notebook, and has no file", "", "f")
        return Function(name, given, ("file", file, name), "", "", "f")
    top = name.partition(".")[0]
    call = name
    return Function(name, given, ("module", module, name), "", f"from {module} import {top}", call)


def _named(target: str) -> Function:
    head, colon, attribute = target.rpartition(":")
    if not colon or not attribute or not all(part.isidentifier() for part in attribute.split(".")):
        raise UsageError(f"{target!r} names no function: write module:attribute or file.py:attribute")
    if head.endswith(".py"):
        path = real_path(head)
        module, found = load_file(path), ("file", str(path), attribute)
    else:
        module, found = load_module(head), ("module", head, attribute)
    try:
        ask_it = host.reached(module, attribute)
    except AttributeError as error:
        raise UsageError(f"{target}: {error}") from None
    except TypeError as error:
        raise UsageError(f"{target}: {error}; name a function, or a class that has a method key") from None
    called = f"{shown(head) if head.endswith('.py') else head}:{attribute}"
    load = f"from meshspec.adequacy import function_of; f = function_of({called!r}).ask_it"
    return Function(attribute, ask_it, found, "", load, "f")


def same(one: object, other: object) -> bool:
    """Whether two values are one key of a mapping. Raises :class:`Incomparable` where they do not say.

    A value that is not equal to itself, or to nothing but itself, does not: see :mod:`meshspec.adequacy.compared`.
    """
    for value in (one, other):
        why = compared.why_not(value)
        if why:
            raise Incomparable(f"{text_of(value)} cannot be compared ({why})")
    return equal(one, other)


def equal(one: object, other: object) -> bool:
    """What ``==`` says, of any two values. Raises :class:`Incomparable` where that is no truth."""
    try:
        return bool(one == other)
    except Exception as error:
        raise Incomparable(f"{text_of(one)} and {text_of(other)} cannot be compared ({host.told(error)})") from None


class Incomparable(Exception):
    """Values of which ``==`` says nothing; the argument says which, ``settles`` what would be known with."""

    settles = "a function whose values are equal where they mean the same: texts, numbers, or what has an __eq__"


class NoAnswer(Incomparable):
    """A call that took too long; another one may take as long."""

    settles = "a function that always answers, or a shorter question"


def text_of(value: object) -> str:
    """A value in a line: without addresses, and shortened in its middle, since differences are at the ends."""
    if isinstance(value, Effect):
        more = [f"{name}={text_of(part)}" for name, part in list(value._asdict().items())[2:] if part]
        return f"Effect({', '.join([text_of(value.tool), text_of(value.arguments), *more])})"
    try:
        text = re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))
    except Exception:  # an int of more digits than Python writes, or a repr that fails
        text = f"<{type(value).__name__}>"
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]}...{text[-_LONGEST // 3 :]}"


def size_of(value: object) -> int:
    """How much there is to read."""
    try:
        return len(repr(value))
    except Exception:
        return 1 << 20
