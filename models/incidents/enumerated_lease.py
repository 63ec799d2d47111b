"""What goes wrong with a list of what is guarded."""

from meshspec import model
from meshspec.models.enumerated_lease import EnumeratedLease
from meshspec.models.environment import Effect


@model
class LeaseIsReadLater(EnumeratedLease):
    """Whether the lease is free is read from a copy that lags: everybody finds it free."""

    def is_free(self, e: Effect) -> bool:
        return True
