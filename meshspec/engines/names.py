"""names: of which properties will a check of this model speak? Known before any engine has run.

A test runner lists its tests before it runs them. What is named here is what :func:`meshspec.engines.check.check`
answers, in its order; a test compares the two over all models. (A ``@sometimes`` whose body raises is answered
sooner than it is named; and that a check was interrupted, nobody asked.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from meshspec.backends.layout import NO_RAISE, range_name
from meshspec.engines.check import DEFAULT_ENGINES, ENGINES, PROMISES, SOMETHING
from meshspec.engines.explore import ENDS, FIRES, STRIKES
from meshspec.engines.live import CLAIMS
from meshspec.errors import UsageError
from meshspec.lang.declare import Declared, Kind, declared
from meshspec.lang.lift import instantiate


def properties(model: Any, engines: Collection[str] = DEFAULT_ENGINES, without: Collection[str] = ()) -> list[str]:
    """The properties of a model (a class, or an instance with its constants chosen) that these engines answer.

    Nothing is lifted and nothing is run. Raises :class:`UsageError` for an engine that is none and
    :class:`meshspec.errors.ModelError` for a model that needs constants.
    """
    instance: object = instantiate(model)
    known = declared(type(instance))
    asked = list(dict.fromkeys(engines))
    for engine in asked:
        if engine not in ENGINES:
            raise UsageError(f"there is no engine {engine!r}; the engines are {', '.join(ENGINES)}")
    waits = _named(known, "eventually")
    found: dict[str, None] = {}
    for engine in asked:
        if engine == "live":
            found.update(dict.fromkeys(waits or ([CLAIMS] if asked == ["live"] else [])))
            continue
        names = _SAID_BY[engine](known, _ranges(known, instance), without)
        found.update(dict.fromkeys(name for name in names if name not in waits or "live" not in asked))
    if not any(method.kind in PROMISES for method in known.methods):
        found[SOMETHING] = None
    return list(found)


def _named(known: Declared, *kinds: Kind) -> list[str]:
    return [method.name for method in known.of_kind(*kinds)]


def _ranges(known: Declared, instance: object) -> list[str]:
    return [range_name(v, instance) for v in known.variables if v.range is not None and not v.constant]


def _taken(known: Declared, without: Collection[str]) -> list[str]:
    return [FIRES, STRIKES] if set(_named(known, "fault")) - set(without) else [FIRES]


def _explored(known: Declared, ranges: list[str], without: Collection[str]) -> list[str]:
    claims = [*_named(known, "always", "lemma"), *_named(known, "sometimes"), *_named(known, "eventually")]
    return [*claims, *ranges, NO_RAISE, *_taken(known, without), *([ENDS] if known.of_kind("terminal") else [])]


def _proved(known: Declared, ranges: list[str], _: Collection[str]) -> list[str]:
    return [*_named(known, "always", "lemma"), *ranges, NO_RAISE]


def _simulated(known: Declared, ranges: list[str], _: Collection[str]) -> list[str]:
    claims = known.of_kind("always", "lemma", "sometimes", "terminal")
    names = [ENDS if method.kind == "terminal" else method.name for method in claims]
    return [*names, *ranges, NO_RAISE, *_named(known, "eventually")]


def _driven(known: Declared, ranges: list[str], without: Collection[str]) -> list[str]:
    return [*_simulated(known, ranges, without), *_taken(known, without)]


_SAID_BY: Mapping[str, Callable[[Declared, list[str], Collection[str]], list[str]]] = {
    "drive": _driven,
    "explore": _explored,
    "prove": _proved,
    "simulate": _simulated,
}
