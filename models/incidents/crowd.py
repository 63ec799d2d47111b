"""What goes wrong with a crowd: each incident does otherwise with those that were refused."""

from meshspec import action, model, require
from meshspec.models.crowd import Crowd, Service


@model
class ImmediateRetry(Crowd):
    """The time is not listened to: whoever is refused is there again in the next tick, with everybody else."""

    def come_next(self, told: int, room: int) -> int:
        return told


@model
class GivesUp(Crowd):
    """Whoever is refused does not come back, and nobody notices that the work was not done."""

    @action
    def tick(self, s: Service) -> None:
        require(self.asking[s] > 0)
        served = min(self.asking[s], self.room[s])
        self.served[s] += served
        self.refused[s] += self.asking[s] - served
        self.asking[s] = 0
