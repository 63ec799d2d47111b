"""Half-open breaker: an open breaker comes to probe again, however the last probe ended.

After a while an open breaker lets one probe through. The probe takes the only slot, and it may end in more ways than
well or badly: with an error that is marked to be ignored, or cancelled by its caller. Whatever says nothing about the
service gives the slot back.
"""

from enum import Enum

from meshspec import action, always, eventually, implies, leads_to, model, require, sometimes, var


class State(Enum):
    CLOSED = 0
    OPEN = 1
    HALF_OPEN = 2


class End(Enum):
    """How a probe ends."""

    SUCCESS = 0
    FAILURE = 1
    IGNORED = 2  # an error of a kind that is not counted
    CANCELLED = 3  # nobody waits for it any more


@model
class HalfOpenBreaker:
    state: State = var(State.OPEN)
    slot_taken: bool = var(False)
    probing: bool = var(False)  # a probe is under way

    def says_nothing(self) -> None:
        """What becomes of the slot after a probe that says nothing about the service."""
        self.slot_taken = False

    @action
    def open_up(self) -> None:
        """Too many errors."""
        require(self.state == State.CLOSED)
        self.state = State.OPEN

    @action
    def wait(self) -> None:
        """The time of the open breaker is over."""
        require(self.state == State.OPEN)
        self.state = State.HALF_OPEN

    @action
    def probe(self) -> None:
        require(self.state == State.HALF_OPEN and not self.slot_taken)
        self.slot_taken = True
        self.probing = True

    @action
    def end(self, how: End) -> None:
        """The probe ends."""
        require(self.probing)
        self.probing = False
        if how == End.SUCCESS:
            self.state = State.CLOSED
            self.slot_taken = False
        elif how == End.FAILURE:
            self.state = State.OPEN
            self.slot_taken = False
        else:
            self.says_nothing()

    @action
    def refuse(self) -> None:
        """A call is refused; that changes nothing, and can go on for ever."""
        require(self.state == State.OPEN or self.slot_taken)

    @always
    def a_taken_slot_has_a_probe_under_way(self) -> bool:
        return implies(self.slot_taken, self.probing)

    @eventually(weak=("wait", "probe"))
    def what_is_open_is_probed_again(self) -> bool:
        return leads_to(self.state != State.CLOSED, self.probing)

    @sometimes
    def it_closes_again(self) -> bool:
        return self.state == State.CLOSED
