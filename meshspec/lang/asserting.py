"""Whether Python executes ``assert``: with ``-O`` it does not, and what is checked would not be what was written."""

from __future__ import annotations

import sys

from meshspec.errors import UsageError

OPTIMIZED = "python runs with -O: asserts in models are not executed; unset PYTHONOPTIMIZE, and leave out -O"


def refuse_optimized() -> None:
    """Raise :class:`UsageError` where Python leaves out every ``assert``, those of meshspec as well."""
    if sys.flags.optimize:
        raise UsageError(OPTIMIZED)
