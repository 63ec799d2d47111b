"""``meshspec explore``: every state that can be reached in a scope."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import attrs
from cyclopts import Parameter

from meshspec.cli import outputs as out
from meshspec.cli import runs
from meshspec.cli.options import (
    NOWHERE,
    MaxMemory,
    MaxStates,
    Outputs,
    Scope,
    Symmetry,
    Without,
    Workers,
    names,
    options_of,
    settings_of,
    sizes_of,
)


def explore(
    target: str,
    *,
    scope: Scope = (),
    without: Without = (),
    max_states: MaxStates = 1_000_000,
    max_memory: MaxMemory = "4G",
    counterexamples: Annotated[int, Parameter(help="So many, ending in different states, for each property.")] = 1,
    symmetry: Symmetry = "on",
    partial_order: Annotated[
        bool, Parameter(negative="", help="Leave out orders of steps that do not matter.")
    ] = False,
    space: Annotated[str | None, Parameter(help="Hold states as tuples, or packed for numpy or kernel.")] = None,
    workers: Workers = 1,
    checkpoint: Annotated[Path | None, Parameter(help="Keep an unfinished search here, and go on from it.")] = None,
    outputs: Outputs = NOWHERE,
) -> int:
    """Visit every state that can be reached in a scope."""
    out.refuse_same(outputs, checkpoint=checkpoint)
    options = options_of(
        symmetry,
        workers,
        space=space,
        counterexamples=counterexamples,
        partial_order=partial_order,
        checkpoint=checkpoint,
    )
    settings = attrs.evolve(settings_of(max_states, max_memory, 0, None), options=options)
    report = runs.Report(outputs=outputs)
    return runs.check_models((target,), sizes_of(scope), ("explore",), names(without), settings, report)
