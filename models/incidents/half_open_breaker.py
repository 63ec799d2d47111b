"""What goes wrong with a half-open breaker."""

from meshspec import model
from meshspec.models.half_open_breaker import HalfOpenBreaker


@model
class SlotIsLost(HalfOpenBreaker):
    """A probe that ends with an ignored error, or is cancelled, keeps its slot: every call is refused for ever."""

    def says_nothing(self) -> None:
        pass
