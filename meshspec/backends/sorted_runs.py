"""A set of packed states, exact, as a few sorted arrays of which each is at least twice as long as the next.

New states make an array of their own; short arrays are merged into longer ones, so that a state is moved a
logarithmic number of times (O'Neil and others, "The log-structured merge-tree", Acta Informatica 33, 1996).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from meshspec.backends.packing import Rows

Keys = Any
"""States as a one-dimensional array that NumPy sorts and compares: words, or bytes where there are several words."""


def keys_of(rows: Rows) -> Keys:
    """Rows as keys, in the order of their words: the first word decides first."""
    if rows.shape[1] == 1:
        return rows[:, 0]
    # As bytes, highest first, so that comparing bytes is comparing words. NumPy takes bytes of one length for equal
    # if all are, trailing zeros included.
    return np.ascontiguousarray(rows.astype(">u8")).view(f"S{8 * rows.shape[1]}")[:, 0]


def rows_of(keys: Keys, words: int) -> Rows:
    if words == 1:
        return keys.reshape(-1, 1)
    return np.ascontiguousarray(keys).view(">u8").reshape(-1, words).astype(np.uint64)


def distinct(keys: Keys) -> Keys:
    """The keys in order, each once."""
    keys = np.sort(keys)
    if len(keys) < 2:
        return keys
    kept = np.empty(len(keys), dtype=np.bool_)
    kept[0] = True
    np.not_equal(keys[1:], keys[:-1], out=kept[1:])
    return keys[kept]


def contains(run: Keys, keys: Keys) -> Any:
    """For each key: whether it is in a sorted array."""
    if not len(run):
        return np.zeros(len(keys), dtype=np.bool_)
    search: Any = np.searchsorted
    at = search(run, keys)
    at[at == len(run)] = 0
    return run[at] == keys


class SortedRuns:
    """The set; see the module."""

    def __init__(self) -> None:
        self._runs: list[Keys] = []

    def missing(self, keys: Keys) -> Keys:
        """Those of some sorted keys that are not in the set."""
        for run in self._runs:
            keys = keys[~contains(run, keys)]
        return keys

    def absent(self, keys: Keys) -> Any:
        """For each of some sorted keys: whether it is not in the set."""
        found = np.ones(len(keys), dtype=np.bool_)
        for run in self._runs:
            found &= ~contains(run, keys)
        return found

    def insert(self, keys: Keys) -> None:
        """Add sorted keys that are not in the set."""
        if not len(keys):
            return
        self._runs.append(keys)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]), kind="stable")  # it merges sorted parts

    @property
    def nbytes(self) -> int:
        return sum(int(run.nbytes) for run in self._runs)
