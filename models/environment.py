"""The environment: the faults that every model shares, as mixin models.

A model inherits the faults it must survive. Each has its variables, its fault actions, and plain methods that the
model overrides to say what the fault costs it: what is lost, what is read back, what a late commit does. A fault
that is inherited and never taken makes the check VACUOUS.
"""

from meshspec import Map, Sort, action, exists, fault, model, require, var


class Effect(Sort):
    """One logical effect on the outside world; every attempt at it carries the same name."""


class Attempt(Sort):
    """One try at a piece of work."""


@model
class CrashAndRestart:
    """A worker dies between any two steps and comes back; what only it knew is gone."""

    up: bool = var(True)

    def forget(self) -> None:
        """What is lost with the worker: override to clear what was never written down."""

    def read_back(self) -> None:
        """What a restarted worker makes of what was written down."""

    @fault
    def crash(self) -> None:
        """The worker dies."""
        require(self.up)
        self.up = False
        self.forget()

    @action
    def recover(self) -> None:
        """A worker starts again, with nothing but the log."""
        require(not self.up)
        self.up = True
        self.read_back()


@model
class LostReply:
    """A service acts and its answer does not arrive: a time-out says nothing about what was done."""

    awaiting: Map[Effect, bool] = var(False)  # a call is open, as the caller believes

    def timed_out(self, e: Effect) -> None:
        """What the caller makes of a call that was not answered."""

    @fault
    def lose_reply(self, e: Effect) -> None:
        """The caller stops waiting."""
        require(self.awaiting[e])
        self.awaiting[e] = False
        self.timed_out(e)


@model
class LateCommit(LostReply):
    """A request is acted on when nobody waits for it any more."""

    on_the_way: Map[Effect, bool] = var(False)  # a request has left and has not been acted on

    def take_effect(self, e: Effect) -> None:
        """What the service does with a request."""

    @action
    def act(self, e: Effect) -> None:
        """The service acts while the caller waits."""
        require(self.on_the_way[e] and self.awaiting[e])
        self.on_the_way[e] = False
        self.take_effect(e)

    @fault
    def act_late(self, e: Effect) -> None:
        """The service acts after the caller has gone."""
        require(self.on_the_way[e] and not self.awaiting[e])
        self.on_the_way[e] = False
        self.take_effect(e)


@model
class Redelivery:
    """A queue hands the same work over again, whether or not it was done."""

    delivered: Map[Effect, bool] = var(False)  # handed over at least once
    waiting: Map[Effect, bool] = var(False)  # handed over and not yet looked at

    @action
    def deliver(self, e: Effect) -> None:
        """Work arrives for the first time."""
        require(not self.delivered[e])
        self.delivered[e] = True
        self.waiting[e] = True

    @fault
    def redeliver(self, e: Effect) -> None:
        """The same work arrives again."""
        require(self.delivered[e] and not self.waiting[e])
        self.waiting[e] = True


@model
class DuplicateDispatch:
    """An orchestrator starts a second attempt at what another attempt is doing."""

    started: Map[tuple[Attempt, Effect], bool] = var(False)

    @action
    def dispatch(self, a: Attempt, e: Effect) -> None:
        """The first attempt at an effect starts."""
        require(not exists(Attempt, lambda b: self.started[b, e]))
        self.started[a, e] = True

    @fault
    def dispatch_again(self, a: Attempt, e: Effect) -> None:
        """Another attempt starts beside it."""
        require(not self.started[a, e] and exists(Attempt, lambda b: self.started[b, e]))
        self.started[a, e] = True


@model
class StaleReadBack:
    """A read after a write may still show the state before it."""

    stale: bool = var(False)

    @fault
    def lag(self) -> None:
        require(not self.stale)
        self.stale = True

    @action
    def catch_up(self) -> None:
        require(self.stale)
        self.stale = False


@model
class PayloadDrift:
    """A retry re-composes its request: the same intent with other content."""

    drifted: Map[Effect, bool] = var(False)

    @fault
    def drift(self, e: Effect) -> None:
        require(not self.drifted[e])
        self.drifted[e] = True


@model
class Zombie:
    """An attempt that was given up for dead goes on acting."""

    replaced: Map[Attempt, bool] = var(False)  # given up, whether or not it still runs

    @fault
    def give_up(self, a: Attempt) -> None:
        require(not self.replaced[a])
        self.replaced[a] = True


@model
class Expiry:
    """What was remembered for a time (a key, a lease) is forgotten."""

    expired: Map[Effect, bool] = var(False)

    @fault
    def expire(self, e: Effect) -> None:
        require(not self.expired[e])
        self.expired[e] = True


@model
class Partition:
    """Two sides cannot reach each other for a while."""

    connected: bool = var(True)

    @fault
    def partition(self) -> None:
        require(self.connected)
        self.connected = False

    @action
    def heal(self) -> None:
        require(not self.connected)
        self.connected = True


@model
class Throttling:
    """A service refuses for a while and says when to come back."""

    throttled: bool = var(False)

    @fault
    def throttle(self) -> None:
        require(not self.throttled)
        self.throttled = True

    @action
    def admit_again(self) -> None:
        require(self.throttled)
        self.throttled = False


@model
class Overload:
    """A service refuses everybody and does not say for how long."""

    overloaded: bool = var(False)

    @fault
    def overload(self) -> None:
        require(not self.overloaded)
        self.overloaded = True

    @action
    def relax(self) -> None:
        require(self.overloaded)
        self.overloaded = False


@model
class SlowSuccess:
    """A call succeeds after its deadline."""

    overdue: Map[Effect, bool] = var(False)

    @fault
    def pass_deadline(self, e: Effect) -> None:
        require(not self.overdue[e])
        self.overdue[e] = True


@model
class DeployInFlight:
    """The code changes under work that is under way."""

    redeployed: bool = var(False)

    @fault
    def deploy(self) -> None:
        require(not self.redeployed)
        self.redeployed = True


@model
class FlakyOracle:
    """A check answers differently on equal input."""

    passes: bool = var(True)

    @fault
    def flip(self) -> None:
        self.passes = not self.passes
