"""Crowd: many ask at once, those who are refused come back when they were told to, and none is refused again.

A service serves so many in a tick and refuses the rest. With the refusal comes a time, and the service has room at
that time for whom it told so. Whoever does not listen comes back in the next tick, with everybody else.
"""

from meshspec import Map, Sort, action, always, implies, lemma, model, require, sometimes, var


class Service(Sort):
    """Each has a crowd of its own."""


@model
class Crowd:
    clients: Map[Service, int] = Map(50)
    room: Map[Service, int] = Map(5)  # in a tick
    arrived: Map[Service, bool] = var(False)
    asking: Map[Service, int] = var(0)  # in this tick
    booked: Map[Service, int] = var(0)  # told to come back later
    served: Map[Service, int] = var(0)
    refused: Map[Service, int] = var(0)  # refusals, those of one client counted each time
    again: Map[Service, int] = var(0)  # of these, refusals of clients that had been refused before

    def come_next(self, told: int, room: int) -> int:
        """How many of those that were told when to come back are there in the next tick."""
        return min(told, room)

    @action
    def arrive(self, s: Service) -> None:
        """All at once."""
        require(not self.arrived[s] and self.clients[s] >= 0 and self.room[s] >= 1)
        self.arrived[s] = True
        self.asking[s] = self.clients[s]

    @action
    def tick(self, s: Service) -> None:
        require(self.asking[s] > 0)
        served = min(self.asking[s], self.room[s])
        told = self.booked[s] + self.asking[s] - served
        coming = self.come_next(told, self.room[s])
        if self.served[s] > 0:  # not the first tick, in which nobody has been refused; after it everybody has
            self.again[s] += self.asking[s] - served
        self.served[s] += served
        self.refused[s] += self.asking[s] - served
        self.asking[s] = coming
        self.booked[s] = told - coming

    @always
    def nobody_is_refused_twice(self, s: Service) -> bool:
        """Whoever asks after the first tick has been refused in it, as all come at once."""
        return self.again[s] == 0

    @always
    def refusals_are_no_more_than_clients(self, s: Service) -> bool:
        return implies(self.arrived[s], self.refused[s] <= self.clients[s])

    @always
    def nobody_is_lost(self, s: Service) -> bool:
        return implies(self.arrived[s], self.asking[s] + self.booked[s] + self.served[s] == self.clients[s])

    @sometimes
    def the_crowd_is_gone(self, s: Service) -> bool:
        return self.arrived[s] and self.asking[s] == 0 and self.booked[s] == 0

    @lemma
    def refusals_are_of_the_first_tick(self, s: Service) -> bool:
        early = self.refused[s] == 0 and self.served[s] == 0 and self.booked[s] == 0
        return early or (self.asking[s] <= self.room[s] and self.refused[s] <= self.clients[s])

    @lemma
    def who_arrives_finds_room(self, s: Service) -> bool:
        nothing = self.asking[s] == 0 and self.booked[s] == 0 and self.served[s] == 0 and self.refused[s] == 0
        return self.room[s] >= 1 and self.clients[s] >= 0 if self.arrived[s] else nothing
