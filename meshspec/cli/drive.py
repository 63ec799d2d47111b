"""``meshspec drive``: examples drawn by Hypothesis, of the model alone or with an implementation beside it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from meshspec.cli import runs
from meshspec.cli.options import NOWHERE, Outputs, Scope, Seed, Without, names, sizes_of
from meshspec.engines.check import Settings
from meshspec.engines.limits import Driving
from meshspec.engines.tested import actions_of
from meshspec.errors import UsageError
from meshspec.lang.loading import load_file, load_module


def drive(
    target: str,
    *,
    scope: Scope = (),
    without: Without = (),
    seed: Seed = 0,
    examples: Annotated[int, Parameter(help="How many examples.")] = 100,
    steps: Annotated[int, Parameter(help="How many steps each may have.")] = 50,
    against: Annotated[
        str | None,
        Parameter(help="Drive this beside the model: module:attr or path.py:attr with start, step and observe."),
    ] = None,
    take: Annotated[str | None, Parameter(help='Take these steps and no others: "send(effect0),crash".')] = None,
    initial: Annotated[int, Parameter(help="With --take: begin in this initial state; the first is 1.")] = 1,
    outputs: Outputs = NOWHERE,
) -> int:
    """Drive a model, and an implementation beside it, through examples drawn by Hypothesis; shrink what is refuted.

    An implementation is a module or an object with three functions: start() gives a system, step(system, name,
    arguments) has it do an action, observe(system) maps variables to the values it shows.
    """
    if initial < 1 or (initial > 1 and take is None):
        raise UsageError(f"--initial {initial}: with --take, initial states are counted from 1")
    path = None if take is None else tuple(actions_of(take))
    driving = Driving(examples, steps, None if against is None else implementation_of(against), path, initial - 1)
    report = runs.Report(seed=seed, outputs=outputs)
    settings = Settings(seed=seed, driving=driving)
    return runs.check_models((target,), sizes_of(scope), ("drive",), names(without), settings, report)


def implementation_of(given: str) -> Any:
    """What ``--against`` names: a module, or something in it; raises :class:`UsageError` where there is none."""
    head, colon, attribute = given.rpartition(":")
    head = head if colon else given
    found: Any = load_file(Path(head)) if head.endswith(".py") else load_module(head)
    for part in attribute.split(".") if colon else ():
        if not hasattr(found, part):
            raise UsageError(f"--against {given}: {head} has no {attribute!r}")
        found = getattr(found, part)
    return importlib.import_module("meshspec.engines.beside").implementation(found, given)
