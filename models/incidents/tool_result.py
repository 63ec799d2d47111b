"""What goes wrong with what a tool replies: each incident changes one decision."""

from meshspec import model
from meshspec.models.tool_result import Call, Reported, ToolResult


@model
class EndOfStreamIsComplete(ToolResult):
    """No frame: a stream that has ended is taken to be whole, wherever it was cut."""

    def judge(self, c: Call) -> Reported:
        if self.failed[c] or (self.said[c] > 0 and self.arrived[c] == 0):
            return Reported.ERROR
        return Reported.WHOLE if self.arrived[c] > 0 else Reported.EMPTY


@model
class EmptyIsError(ToolResult):
    """Of what brought nothing the two words are swapped: to have found nothing is an error, and is tried again."""

    def judge(self, c: Call) -> Reported:
        failed = self.failed[c] or self.arrived[c] < self.said[c]
        if self.arrived[c] == 0:
            return Reported.EMPTY if failed else Reported.ERROR
        return Reported.ERROR if failed else Reported.WHOLE


@model
class FailureIsEmpty(ToolResult):
    """A tool that fails before its first piece is told as one that found nothing."""

    def judge(self, c: Call) -> Reported:
        if self.arrived[c] == 0:
            return Reported.EMPTY
        return Reported.ERROR if self.failed[c] or self.arrived[c] < self.said[c] else Reported.WHOLE
