"""Evidence for what a tool replies."""

from meshspec import evidence, promise
from meshspec.models.incidents.tool_result import EmptyIsError, EndOfStreamIsComplete, FailureIsEmpty
from meshspec.models.tool_result import Call, ToolResult

FAILED = ["fail(call0)", "report(call0)"]

EVIDENCE = evidence(
    ToolResult,
    scope={Call: 1},
    states=30,
    deadlocks=12,
    promises={
        "whole_is_all_there_was": promise(
            proved=True, refuted_by={EndOfStreamIsComplete: ["arrive(call0)", "cut(call0)", "report(call0)"]}
        ),
        "empty_is_that_there_was_nothing": promise(
            stands_for=["VC-AGGREGATE"],
            proved=True,
            refuted_by={FailureIsEmpty: FAILED, EmptyIsError: FAILED},
        ),
        "an_error_is_one": promise(
            stands_for=["VC-AGGREGATE"], proved=True, refuted_by={EmptyIsError: ["close(call0)", "report(call0)"]}
        ),
        "it_is_whole": promise(),
    },
)
