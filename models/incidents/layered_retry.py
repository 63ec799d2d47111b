"""What goes wrong with layered retry."""

from meshspec import model
from meshspec.models.layered_retry import LayeredRetry


@model
class EachForItself(LayeredRetry):
    """Every layer knows its own tries alone: one call becomes their product, and each log shows a few."""

    def may_send(self) -> bool:
        return True
