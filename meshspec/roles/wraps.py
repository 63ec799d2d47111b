"""Arguments inside other arguments: what tells two effects apart, or does not, does so wherever it lies.

Standard library only, Python 3.9 and later, nothing of meshspec: the check loads this file by its path inside the
environment of somebody else's package.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def wrapped(arguments: Any, wraps: Iterable[int]) -> Any:
    """Arguments inside others, as many times over as there are numbers.

    >>> wrapped({"a": 1}, [0, 0])
    {'body': {'body': {'a': 1}}}
    """
    for number in wraps:
        arguments = (
            {"body": arguments},
            {"items": [arguments, {"sku": "s-1", "count": 2}]},
            {"note": "n-1", "order": {"lines": [[arguments]], "id": 7}},
            {"batch": [{"id": 1}, arguments, {"id": 3}], "dry_run": False},
        )[number % 4]
    return arguments
