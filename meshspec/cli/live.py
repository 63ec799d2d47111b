"""``meshspec live``: does what the model waits for come about on every run?"""

from __future__ import annotations

from meshspec.cli import runs
from meshspec.cli.options import NOWHERE, MaxMemory, MaxStates, Outputs, Scope, Without, names, settings_of, sizes_of


def live(
    target: str,
    *,
    scope: Scope = (),
    without: Without = (),
    max_states: MaxStates = 1_000_000,
    max_memory: MaxMemory = "4G",
    outputs: Outputs = NOWHERE,
) -> int:
    """Look for a run on which what an @eventually waits for never comes, though every action it calls fair is taken.

    Such a run is shown as a lasso: a way into a loop that is taken for ever. A model without @eventually is VACUOUS.
    """
    settings = settings_of(max_states, max_memory, 0, None)
    report = runs.Report(outputs=outputs)
    return runs.check_models((target,), sizes_of(scope), ("live",), names(without), settings, report)
