"""What spaces of packed states have in common: a batch is an array of rows."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

import numpy as np

from meshspec.backends.layout import State
from meshspec.backends.packing import Packing
from meshspec.backends.space import Batch, Space


class PackedSpace(Space, ABC):
    """A space whose states are rows of `packing`."""

    packing: Packing

    def unpack(self, batch: Batch) -> list[State]:
        return self.packing.unpack(batch)

    def size(self, batch: Batch) -> int:
        return len(batch)

    def take(self, batch: Batch, indexes: Sequence[int]) -> Batch:
        if isinstance(indexes, range) and indexes.step == 1:
            return batch[indexes.start : indexes.stop]
        return batch[np.asarray(indexes, dtype=np.intp)]

    def joined(self, batches: Sequence[Batch]) -> Batch:
        return np.concatenate(batches) if len(batches) else np.empty((0, self.packing.words), dtype=np.uint64)
