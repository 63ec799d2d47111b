"""What goes wrong with recurring calls: each incident counts otherwise."""

from meshspec import model
from meshspec.models.recurring_calls import RecurringCalls


@model
class ConsecutiveOnly(RecurringCalls):
    """Only equal calls in a row count: a loop of two calls runs to the end of the budget."""

    def gives_up(self, made: int, in_a_row: int, patience: int) -> bool:
        return in_a_row >= patience


@model
class TripsEarly(RecurringCalls):
    """It counts from zero: whoever asks one question a second time is stopped one call too soon."""

    def gives_up(self, made: int, in_a_row: int, patience: int) -> bool:
        return made + 1 >= patience
