"""What a test written from a bundle needs beyond the model's own methods.

>>> from meshspec import Blocked, scope
>>> from meshspec.report.byhand import comes_about, near, picking, stuck
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from meshspec.backends import native
from meshspec.backends.layout import Layout, Values
from meshspec.engines.check import without as less_faults
from meshspec.engines.endless import Endless, Ground, enabled
from meshspec.errors import ModelError, UsageError
from meshspec.expr.text import value_text
from meshspec.lang.lift import lift
from meshspec.lang.loading import load_file
from meshspec.lang.words import choosing, chosen
from meshspec.sorts import members


def near(file: str, path: str) -> ModuleType:
    """The module in the file `path`, looked for from the folder of `file` upwards, then from the present one.

    Raises :class:`UsageError` where it is in none of them.
    """
    given = Path(file).resolve()
    for folder in (*given.parents, Path()):
        if (folder / path).is_file():
            return load_file(folder / path)
    raise UsageError(f"{path} is in no folder above {given.name}, and not in the present one: write where it is now")


@attrs.frozen
class _Picking:
    """A method that is answered these choices, in the order in which its body asks."""

    method: Callable[..., None]
    choices: tuple[object, ...]

    def __call__(self, *arguments: object) -> None:
        left = list(self.choices)

        def choose(options: Sequence[object]) -> object:
            if not left or left[0] not in options:
                names = ", ".join(map(value_text, self.choices))
                raise ModelError(f"{self.method.__name__} asks otherwise now than to be answered {names}")
            return left.pop(0)

        token = choosing(choose)
        try:
            self.method(*arguments)
        finally:
            chosen(token)


def picking(method: Callable[..., None], *choices: object) -> Callable[..., None]:
    """The action `method`, each ``choose`` in it answered by the next of `choices`.

    ``picking(model.send, worker1)(effect0)`` takes ``send(effect0)`` with that worker.
    """
    return _Picking(method, choices)


def _layout(model: Any, without: Sequence[str]) -> Layout:
    lifted = less_faults(lift(model), without)
    return Layout(lifted, {sort: len(members(sort)) for sort in lifted.sorts})


def stuck(model: Any, *, without: Sequence[str] = ()) -> bool:
    """Whether no action is enabled in the state that `model` is in, those in `without` left out.

    To be called inside ``with scope(...)``.
    """
    layout = _layout(model, without)
    return next(enabled(layout, native.dump(layout, model)), None) is None


def comes_about(
    model: Any,
    claim: str,
    *arguments: object,
    stem: Sequence[Sequence[Any]] = (),
    loop: Sequence[Sequence[Any]] = (),
    without: Sequence[str] = (),
) -> bool:
    """Whether the run that takes `stem`, then `loop` for ever, keeps the ``@eventually`` `claim` with `arguments`.

    Each step is an action and its arguments, ``(model.send, effect0)``; it is taken natively, and
    :class:`meshspec.Blocked` comes through where it is not enabled. It is kept too where this is no run that goes on
    for ever: the loop does not return to where it began, leaves out what the claim calls fair, or, without a loop,
    some action is enabled at the end. To be called inside ``with scope(...)``.
    """
    layout = _layout(model, without)
    waiting = next((one for one in layout.model.claims if one.name == claim), None)
    if waiting is None or waiting.method.kind != "eventually":
        raise UsageError(f"{layout.model.name} has no @eventually {claim!r}")
    wanted = [one for one in layout.arguments(waiting.parameters) if waiting.assembled(one)[0] == arguments]
    if not wanted:
        raise UsageError(f"{claim} takes no {', '.join(map(value_text, arguments)) or 'call without arguments'}")
    states: list[Values] = [native.dump(layout, model)]
    taken: list[Ground] = []
    for method, *given in (*stem, *loop):
        taken.append(_ground(layout, method, given))
        method(*given)
        states.append(native.dump(layout, model))
    run = Endless(layout, states, taken, len(stem))
    if run.ends_soon() or run.unfair(waiting):
        return True
    return run.asked_at(waiting, wanted[0]) is None


def _ground(layout: Layout, method: Any, given: Sequence[Any]) -> Ground:
    """The action as engines name it; which way its choices fall is of no matter to fairness."""
    name = (method.method if isinstance(method, _Picking) else method).__name__
    for ground in layout.ground_actions():
        if ground[0].name == name and ground[0].assembled(ground[1])[0] == tuple(given):
            return ground
    raise UsageError(f"{layout.model.name} has no action {name}({', '.join(map(value_text, given))})")
