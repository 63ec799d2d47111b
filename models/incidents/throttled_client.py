"""What goes wrong with a throttled client: each repair is wrong in one world, and a third forgets what it learned."""

from meshspec import model
from meshspec.models.throttled_client import ThrottledClient


@model
class KeptOutOfTheBreaker(ThrottledClient):
    """A 429 is load and no illness, so it never opens the breaker: an empty quota is asked every tick for ever."""

    def next_pause(self, vain: int, pause: int) -> int:
        return 1


@model
class PutIntoTheBreaker(ThrottledClient):
    """A 429 is an error like any other, and the third opens the breaker: a service that was busy stays refused."""

    def next_pause(self, vain: int, pause: int) -> int:
        return 9 if vain >= 2 else 1


@model
class ForgottenOnExpiry(ThrottledClient):
    """The pause is forgotten when it is over and not when it has helped: every refusal is treated as the first."""

    def after_expiry(self, pause: int) -> int:
        return 1
