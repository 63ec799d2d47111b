"""``meshspec show``: a model as it was read, in words or as TLA+."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from meshspec.backends.certificate import certified
from meshspec.cli import runs
from meshspec.cli.options import Scope, Without, names, sizes_of
from meshspec.engines.check import scope_of, without
from meshspec.report.tla import Module
from meshspec.report.words import described
from meshspec.targets import resolve

Format = Literal["text", "tla", "cfg"]


def show(
    target: str,
    *,
    format: Annotated[Format, Parameter(help="In words, as a TLA+ module, or TLC's configuration for it.")] = "text",
    scope: Scope = (),
    without_: Without = (),
) -> int:
    """Print a model as it was read: its variables, its actions with their guards and updates, its claims.

    With --format tla it is a TLA+ module for any size; --format cfg is what TLC needs beside it, with the sizes of
    --scope (2 where nothing is said). It is the model that the engines get: certified against CPython.
    """
    model = without(certified(resolve(target).model), names(without_))
    sizes = scope_of(model, sizes_of(scope))
    report = runs.Report()
    if format == "text":
        lines = described(model)
    else:
        module = Module(model, sizes)
        lines = (module.tla if format == "tla" else module.cfg()).splitlines()
    for line in lines:
        report.say(line)
    return 0
