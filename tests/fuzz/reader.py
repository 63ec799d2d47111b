"""A reader of files, and what it may do with one: take it, pass it over in silence, or refuse it in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs

from meshspec.errors import MeshspecError
from tests.fuzz.fence import fence, folder

Read = Callable[[bytes], object]

LONGEST_REFUSAL = 5_000  # characters; a refusal is read by a person


@attrs.frozen
class Reader:
    """One reader.

    ``read`` raises :class:`MeshspecError` for what it refuses, and gives back ``None`` for what it passes over in
    silence, as it may. ``seeds`` are files that it must take. ``sealed`` says that it must notice every changed byte.
    """

    name: str
    read: Read
    seeds: tuple[bytes, ...]
    sealed: bool = False

    def takes(self, data: bytes, *, clock: bool = True) -> bool:
        """Whether the reader takes it; raises where it neither takes nor refuses it, or does what no reader may."""
        with fence(clock=clock):
            try:
                return self.read(data) is not None
            except MeshspecError as error:
                said = str(error)
                assert 0 < len(said) <= LONGEST_REFUSAL, f"a refusal of {len(said)} characters"
                return False

    def wrong(self, data: bytes, *, clock: bool = True) -> str:
        """What is wrong with the reader on this file, or nothing."""
        try:
            taken = self.takes(data, clock=clock)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return f"{type(error).__name__}: {str(error)[:300]}"
        return "it takes a file that was changed" if self.sealed and taken and data not in self.seeds else ""


def written(data: bytes, name: str) -> Path:
    path = folder() / name
    path.write_bytes(data)
    return path
