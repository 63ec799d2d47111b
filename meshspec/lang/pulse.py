"""A page of memory in which a process tells the one that started it what it is doing, and for how long."""

from __future__ import annotations

import mmap


class Pulse:
    """What a process tells of itself in memory that it shares with the one that started it.

    ``call`` is 0 outside of an author's code, else the number of the call that is going on; ``limit`` how many
    milliseconds it may take; ``done`` one more than the exit code once all is said; ``worst`` one more than the exit
    code of what was said so far; ``words`` how often it wrote to our own streams; ``cut`` is 1 where the descriptors
    it speaks through are no longer those it was given; ``stage`` what is being done.
    """

    CALL, LIMIT, DONE, WORST, _LENGTH, WORDS, CUT, _TEXT = 0, 1, 2, 3, 4, 5, 6, 64
    _ROOM = 512

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        self.cells = memoryview(self._page).cast("q")

    def tell(self, stage: str) -> None:
        data = stage.encode("utf-8", "backslashreplace")[: self._ROOM]
        self._page[self._TEXT : self._TEXT + len(data)] = data
        self.cells[self._LENGTH] = len(data)

    @property
    def stage(self) -> str:
        return self._page[self._TEXT : self._TEXT + self.cells[self._LENGTH]].decode("utf-8", "replace")
