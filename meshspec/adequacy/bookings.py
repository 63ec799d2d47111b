"""Values made with attrs; a file of its own, so that another process need not load meshspec to make them again."""

from __future__ import annotations

import attrs


@attrs.frozen
class Booking:
    """A value as programs that use attrs pass it around."""

    seat: int
    row: str = "a"


@attrs.frozen
class Cancellation:
    """Another, with the same fields."""

    seat: int
    row: str = "a"
