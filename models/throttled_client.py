"""Throttled client: who is refused with 429 asks neither an empty quota for ever nor a free service too late.

The code says that there were too many requests, and not why. In one world the service is busy for seconds, in the
other the quota is gone for days; until it answers again, all that the client sees is the same. Whoever keeps on
asking is wrong in the second world, whoever stops asking is wrong in the first. A wait that doubles with every
refusal, and is forgotten on success alone, is at most twice too long in either.
"""

from enum import Enum

from meshspec import Map, Sort, action, always, any_of, fault, lemma, model, require, sometimes, var


class Client(Sort):
    """Who asks; each has a service of its own."""


class World(Enum):
    BUSY = 0  # for a few ticks
    GONE = 1  # for as long as anyone looks


@model
class ThrottledClient:
    """Time goes in ticks; a client that waits for nothing asks before the next one."""

    horizon: Map[Client, int] = Map(9)  # how long anyone looks; in a proof any time
    busy: Map[Client, int] = Map(2)  # ticks after which a busy service is free again
    world: Map[Client, World] = var(any_of(World.BUSY, World.GONE))
    throttled: Map[Client, bool] = var(False)
    lasted: Map[Client, int] = var(0)  # ticks since the service began to refuse
    vain: Map[Client, int] = var(0)  # refusals since the last success
    doubled: Map[Client, int] = var(1)  # two to the power of these
    pause: Map[Client, int] = var(1)  # how long it will wait after the next
    last: Map[Client, int] = var(0)  # how long it waited after the last
    waits: Map[Client, int] = var(0)  # ticks until it asks again
    idle: Map[Client, int] = var(0)  # ticks for which it waited though the service was free

    def next_pause(self, vain: int, pause: int) -> int:
        """How long to wait the next time, after `vain` refusals the last of which cost a pause."""
        return 2 * pause

    def after_expiry(self, pause: int) -> int:
        """What is remembered of a pause when it is over."""
        return pause

    @fault
    def throttle(self, c: Client) -> None:
        """The service refuses; one that relapses before anyone has asked was never free."""
        require(not self.throttled[c] and self.vain[c] == 0 and self.waits[c] == 0)
        self.throttled[c] = True
        self.lasted[c] = 0
        self.idle[c] = 0

    @action
    def refuse(self, c: Client) -> None:
        """The client asks, and gets a 429."""
        require(self.throttled[c] and self.waits[c] == 0)
        self.waits[c] = self.pause[c]
        self.last[c] = self.pause[c]
        self.pause[c] = self.next_pause(self.vain[c] + 1, self.pause[c])
        self.doubled[c] *= 2
        self.vain[c] += 1

    @action
    def serve(self, c: Client) -> None:
        """The client asks, and is served."""
        require(not self.throttled[c] and self.waits[c] == 0 and self.vain[c] > 0)
        self.vain[c] = 0
        self.doubled[c] = 1
        self.pause[c] = 1
        self.last[c] = 0

    @action
    def tick(self, c: Client) -> None:
        require(self.waits[c] > 0 and self.lasted[c] + self.idle[c] < self.horizon[c])
        require(self.world[c] == World.GONE or not self.throttled[c] or self.lasted[c] < self.busy[c])
        self.waits[c] -= 1
        if self.throttled[c]:
            self.lasted[c] += 1
        else:
            self.idle[c] += 1
        if self.waits[c] == 0:
            self.pause[c] = self.after_expiry(self.pause[c])

    @action
    def free_up(self, c: Client) -> None:
        """A busy service is free again, at any moment; a quota that is gone stays gone."""
        require(self.throttled[c] and self.world[c] == World.BUSY)
        self.throttled[c] = False

    @always
    def it_asks_in_vain_but_seldom(self, c: Client) -> bool:
        """Refusals grow as the logarithm of the time; one more than that is forgiven."""
        return self.doubled[c] <= 2 * self.lasted[c] + 4

    @always
    def a_free_service_does_not_wait_long(self, c: Client) -> bool:
        """No longer than it had refused, and a tick."""
        return self.idle[c] <= self.lasted[c] + 1

    @always
    def only_success_shortens_a_pause(self, c: Client) -> bool:
        """What is to be waited next time is longer than the last wait, until something was served."""
        return self.pause[c] > self.last[c]

    @sometimes
    def it_recovers(self, c: Client) -> bool:
        return not self.throttled[c] and self.lasted[c] > 0 and self.vain[c] == 0

    @lemma
    def the_pause_doubles(self, c: Client) -> bool:
        return self.pause[c] == self.doubled[c] and self.pause[c] > 0

    @lemma
    def success_forgets(self, c: Client) -> bool:
        if self.vain[c] == 0:
            return self.pause[c] == 1 and self.last[c] == 0 and self.waits[c] == 0
        return self.pause[c] == 2 * self.last[c] and self.last[c] <= self.lasted[c] + 1

    @lemma
    def it_waits_within_its_pause(self, c: Client) -> bool:
        return 0 <= self.waits[c] <= self.last[c] and self.vain[c] >= 0 and self.lasted[c] >= 0

    @lemma
    def the_next_pause_is_no_longer_than_it_lasted(self, c: Client) -> bool:
        return not self.throttled[c] or self.vain[c] == 0 or self.pause[c] - self.waits[c] <= self.lasted[c] + 1

    @lemma
    def it_is_idle_within_its_pause(self, c: Client) -> bool:
        return (
            self.idle[c] == 0
            if self.throttled[c]
            else self.vain[c] == 0 or self.idle[c] + self.waits[c] <= self.last[c]
        )
