"""Fairness: which actions a claim may count on being taken, stated where the claim stands.

``@eventually(weak=("send",), strong=("recover",))`` assumes that ``send``, with each combination of arguments, is
taken again and again if it stays enabled for ever, and ``recover`` even if it is only enabled again and again. A
choice that an action makes is not part of that: which way it falls is owed to nobody, and no fault ever is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import attrs

from meshspec.errors import ModelError, Where
from meshspec.lang.declare import Declared, Method

FAIR = "_meshspec_fair"
NO_FAIRNESS = "no fairness assumed"


@attrs.frozen
class Fairness:
    """Names of actions, each fair for each combination of its arguments."""

    weak: tuple[str, ...] = ()
    strong: tuple[str, ...] = ()

    def __str__(self) -> str:
        kinds = (("weak", self.weak), ("strong", self.strong))
        said = " and ".join(f"{kind} fairness of {', '.join(names)}" for kind, names in kinds if names)
        return f"under {said}" if said else NO_FAIRNESS


def stated(weak: Any, strong: Any, where: Where | None) -> Fairness:
    """What was written, if it is two collections of names; a lone string would be read letter by letter."""
    kinds: dict[str, tuple[str, ...]] = {}
    for kind, given in (("weak", weak), ("strong", strong)):
        listed = list(cast("Sequence[object]", given)) if isinstance(given, (tuple, list)) else [None]
        names = [name for name in listed if isinstance(name, str)]
        if len(names) != len(listed):
            example = f'("{given}",)' if isinstance(given, str) else '("send", "record")'
            raise ModelError(f"{kind}={given!r}: give a tuple of names of actions, {kind}={example}", where)
        kinds[kind] = tuple(names)
    return Fairness(**kinds)


def fairness_of(method: Method) -> Fairness:
    """What a claim assumes; of every other method, nothing."""
    found = getattr(method.function, FAIR, None)
    return found if isinstance(found, Fairness) else Fairness()


def refuse_unfair(known: Declared) -> None:
    """Raise :class:`ModelError` where a claim of the class counts on what is no action, or on a fault.

    The claims of a nested machine are left to the engine: what it calls actions, the outer model takes.
    """
    kinds = {method.name: method.kind for method in known.actions}
    for method in known.of_kind("eventually"):
        if method.path:
            continue
        fair = fairness_of(method)
        for name in (*fair.weak, *fair.strong):
            _refuse(name, kinds.get(name, ""), method, ", ".join(n for n, kind in kinds.items() if kind == "action"))
        if twice := [name for name in fair.strong if name in fair.weak]:
            why = f"{method.name} names {twice[0]} weak and strong: strong fairness includes the weak, name it once"
            raise ModelError(why, method.where)


def _refuse(name: str, kind: str, method: Method, actions: str) -> None:
    if kind == "fault":
        raise ModelError(
            f"{method.name} counts on {name}, which is a fault: a fault is never owed. If the environment must do "
            "it, it is an @action",
            method.where,
        )
    if kind != "action":
        raise ModelError(
            f"{method.name} counts on {name!r}, which is no action; the actions are {actions}", method.where
        )
