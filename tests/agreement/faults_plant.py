"""Planting: one thing that our engines are made of is replaced by a wrong one, and its uses are counted.

A fault that is never used is not planted, and a test that "notices" it notices something else.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import attrs
import numpy as np
import pytest

from meshspec.backends import compiled, kernel
from meshspec.errors import CertificateError, Disagreement

Wrong = Callable[..., Any]


def part_of(owner: object, name: str) -> Any:
    """Something that an engine is made of and keeps to itself."""
    return getattr(owner, name)


@attrs.define
class Plant:
    """What a fault is planted with; ``used`` says how often what was planted has been used since."""

    patch: pytest.MonkeyPatch
    used: int = 0

    def instead(self, owner: object, name: str, wrong: Wrong) -> None:
        """Call `wrong` with the right function and then with its arguments, instead of the right function."""
        right = part_of(owner, name)
        self.patch.setattr(owner, name, self._counted(lambda *args, **named: wrong(right, *args, **named)))

    def says(self, owner: object, name: str, said: Any) -> None:
        """The right function is not asked: this is what it says."""
        self.instead(owner, name, lambda *_args, **_named: said)

    def changed(self, owner: object, name: str, change: Callable[[Any], Any]) -> None:
        """What the right function says, changed."""

        def wrong(right: Wrong, *args: Any, **named: Any) -> Any:
            return change(right(*args, **named))

        self.instead(owner, name, wrong)

    def edited(self, owner: object, name: str, *edits: tuple[str, str]) -> None:
        """The function with pieces of its text, each of which must be there exactly once, replaced."""
        function = part_of(owner, name)
        self.patch.setattr(owner, name, self._counted(_rewritten(function, edits, function.__globals__)))

    def loop(self, name: str, *edits: tuple[str, str]) -> None:
        """The same for a loop of the kernel, which then runs as Python: slowly, with nothing to compile."""
        names: dict[str, Any] = {**vars(compiled), "_prefetch": _nothing}
        made = self._counted(_rewritten(part_of(compiled, f"_{name}"), edits, names))
        load = compiled.load

        def run(*args: Any) -> Any:
            with np.errstate(over="ignore"):  # a hash leaves 64 bits on purpose
                return made(*args)

        self.patch.setattr(kernel, "load", lambda: attrs.evolve(load(), **{name: run}))

    def _counted(self, function: Wrong) -> Wrong:
        def counted(*args: Any, **named: Any) -> Any:
            self.used += 1
            return function(*args, **named)

        return counted


Fault = Callable[[Plant], None]
"""Plants one fault."""


def _rewritten(function: Wrong, edits: Iterable[tuple[str, str]], names: dict[str, Any]) -> Wrong:
    text, name = textwrap.dedent(inspect.getsource(function)), function.__name__
    for right, wrong in edits:
        assert text.count(right) == 1, f"{name} has {right!r} {text.count(right)} times: plant the fault anew"
        text = text.replace(right, wrong)
    made: dict[str, Any] = {}
    exec(compile(text, f"<{name} with a fault>", "exec"), names, made)
    return made[name]  # type: ignore[no-any-return]  # what was just defined


def _nothing(*_: Any) -> None:
    """What asking for memory ahead comes to in Python."""


def by_name(fault: Any) -> str:
    return str(getattr(fault, "__name__", ""))


Test = Callable[[], None]
Known = dict[Fault, Test]
"""Faults, each with the test that fails when it is planted."""


def fails(test: Test) -> bool:
    """Whether a test that passes while all is well fails now: by what it says, or because an engine notices."""
    try:
        test()
    except (AssertionError, Disagreement, CertificateError, pytest.fail.Exception):
        return True
    return False
