"""``[tool.meshspec]`` at the command line: what is not given there is filled in, and what was filled in is told.

Bounds, seed and the like become tokens of the command's own options, so that they are read as if they had been typed.
Sizes of sorts and faults to take away are for those models of a project that have such sorts and faults; they are
asked for where the model is known (:func:`sizes_for`, :func:`taken_for`). Engines and a required strength are not for
what is shipped with meshspec, nor for a policy that is judged in a role.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, cast

import attrs
from cyclopts import Token

from meshspec.config import NO_CONFIG, Config, load, of_no_model
from meshspec.engines.check import scope_of, without
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.report.checked import Asked
from meshspec.targets import usual_sizes
from meshspec.waivers import Waivers, today

OPTIONS = {
    "engines": "--engine",
    "require": "--require",
    "max-states": "--max-states",
    "max-memory": "--max-memory",
    "seed": "--seed",
    "symmetry": "--symmetry",
    "workers": "--workers",
    "allow-undetermined": "--allow-undetermined",
    "out": "--out",
}
"""The option that each key stands for, where a command has it."""

MODELS_ONLY = ("engines", "require")


@attrs.define
class Run:
    """The configuration of one run of a command, and what of it was of use, by key."""

    config: Config = NO_CONFIG
    used: set[str] = attrs.field(factory=set[str])
    sizes: dict[str, int] = attrs.field(factory=dict[str, int])
    taken: dict[str, None] = attrs.field(factory=dict[str, None])
    sorts: set[str] = attrs.field(factory=set[str])


_run = Run()


def begin() -> None:
    """Before each run: nothing is configured yet."""
    global _run
    _run = Run()


def fill(_: Any, commands: Sequence[str], arguments: Any) -> None:
    """For cyclopts: options that were not given take their values from the configuration.

    Raises :class:`meshspec.errors.UsageError` for a configuration that cannot be read.
    """
    _whole(arguments)
    by_name = {name: argument for argument in arguments for name in argument.names}
    if not any(name in by_name for name in (*OPTIONS.values(), "--scope")):
        return
    named, off = _given(by_name, "--config"), _given(by_name, "--no-config")
    if named and off:
        raise UsageError("--config names a file and --no-config reads none: give one of them")
    _run.config = NO_CONFIG if off else load(Path(named) if named else None)
    for_models = bool(_tokens(by_name, "TARGETS")) if tuple(commands) == ("check",) else True
    for_models = for_models and not _given(by_name, "--role")
    if tuple(commands) == ("replay",):
        by_name.pop("--out", None)  # what is replayed is written already
    for key, option in OPTIONS.items():
        value, argument = _run.config.value(key), by_name.get(option)
        if value is None or argument is None or argument.tokens or (key in MODELS_ONLY and not for_models):
            continue
        argument.append(Token(keyword=option, value=_text(key, value), source=_run.config.file))
        _run.used.add(key)


def _whole(arguments: Any) -> None:
    """Raise :class:`UsageError` for a number with a fraction where a whole one is asked for: it would be rounded."""
    for argument in arguments:
        for token in argument.tokens if argument.hint is int else ():
            try:
                whole = float(token.value).is_integer()
            except (ValueError, OverflowError):
                continue  # no number, or a huge one: told by whoever reads it
            if not whole:
                raise UsageError(f"{token.keyword or argument.name} {token.value}: write a whole number")


def _given(by_name: Mapping[str, Any], option: str) -> str:
    tokens = _tokens(by_name, option)
    return str(tokens[-1].value or tokens[-1].implicit_value) if tokens else ""


def _tokens(by_name: Mapping[str, Any], option: str) -> list[Any]:
    return list(by_name[option].tokens) if option in by_name else []


def _text(key: str, value: object) -> str:
    """A value as it is typed after its option."""
    if isinstance(value, tuple):
        return ",".join(cast("tuple[str, ...]", value))
    if isinstance(value, bool):
        return ("on" if value else "off") if key == "symmetry" else ("true" if value else "false")
    return str(value)


def sizes_for(model: LiftedModel, given: Mapping[str, int]) -> dict[str, int]:
    """The sizes that were given; then the project's, for sorts that the model has; then those of shipped evidence."""
    has = {sort.__name__ for sort in model.sorts}
    usual = {name: size for name, size in (_run.config.scope or {}).items() if name in has and name not in given}
    _run.sizes |= usual
    _run.sorts |= has
    return usual_sizes(model) | usual | dict(given)


def taken_for(model: LiftedModel, given: Collection[str]) -> tuple[str, ...]:
    """The faults that were given; where none were, those of the project's that the model has."""
    if given or not _run.config.without:
        return tuple(given)
    has = {lifted.name for lifted in model.actions if lifted.method.kind == "fault"}
    taken = tuple(name for name in _run.config.without if name in has)
    _run.taken |= dict.fromkeys(taken)
    return taken


def applied(question: Asked, given: Mapping[str, int]) -> Asked:
    """A question about a model with the project's sizes and faults, where `given` and the question are silent."""
    taken = taken_for(question.model, question.taken)
    model = without(question.model, taken) if taken != question.taken else question.model
    return attrs.evolve(question, model=model, sizes=scope_of(model, sizes_for(model, given)), taken=taken)


def unused() -> list[str]:
    """What to tell of the project's sizes for which no model of this run has a sort."""
    return of_no_model(_run.config.scope or {}, _run.sorts, _run.config.file)


def told() -> str:
    """One line: what of the configuration was of use; empty where nothing was."""
    of_models = {"scope": _run.sizes, "without": tuple(_run.taken)}
    part = {key: value for key, value in of_models.items() if value}
    return _run.config.told({*_run.used, *part}, part)


def waivers() -> Waivers:
    """The project's waivers on this day; raises :class:`meshspec.errors.UsageError` for one that may not be."""
    written = _run.config.waivers
    return Waivers(written, today() if written else date.max)
