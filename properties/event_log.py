"""Evidence for the event log, and the readings of Figure 4 that are solved by its law."""

import copy

from meshspec import Map, evidence, promise, scope
from meshspec.models.event_log import EventLog, Log
from meshspec.models.incidents.event_log import CountsTheWholeLog, TruncatedByAnother, WrittenByAnother

ONE_CHECK = ["invoke(log0)", *3 * ["publish(log0)"], "check(log0)"]

EVIDENCE = evidence(
    EventLog,
    scope={Log: 2},
    states=256,  # (5 * 3 + 1)**2: five steps an invocation
    deadlocks=1,
    promises={
        "every_event_is_of_an_invocation_or_was_there": promise(
            stands_for=["EC-SCOPED-OBS"],
            proved=True,
            refuted_by={TruncatedByAnother: [*ONE_CHECK, "invoke(log0)"], WrittenByAnother: ONE_CHECK},
        ),
        "matching_events_add_up": promise(
            stands_for=["EC-SCOPED-OBS"],
            proved=True,
            refuted_by={TruncatedByAnother: [*ONE_CHECK, "invoke(log0)"]},
        ),
        "a_check_sees_its_own_events_alone": promise(
            stands_for=["EC-SCOPED-OBS"],
            proved=True,
            refuted_by={CountsTheWholeLog: [*ONE_CHECK, *ONE_CHECK]},
        ),
        "it_is_invoked_as_often_as_it_may": promise(stands_for=["EC-SCOPED-OBS"]),
    },
)


def checked(model: EventLog, invocations: int) -> list[EventLog]:
    """Copies of the model after each of so many invocations of one log, run on CPython."""
    seen: list[EventLog] = []
    with scope({Log: 1}):
        log = Log(0)
        for _ in range(invocations):
            model.invoke(log)
            while model.due[log]:
                model.publish(log)
            model.check(log)
            seen.append(copy.deepcopy(model))
    return seen


def bars(held: int, invocations: int, per_invocation: int = 3) -> list[int]:
    """How long the log is after each invocation, with so many events in it before the first."""
    model = EventLog(held=Map(held), most=Map(invocations), per_invocation=per_invocation)
    return [after.size(Log(0)) for after in checked(model, invocations)]


def readings(events: int, per_invocation: int = 3) -> list[tuple[int, int]]:
    """Every b and i with b + 3i events: how many were there before, and how many invocations came.

    That these are all is the law of the model, size = b + 3i, which is proved for every b and i.
    """
    most = events // per_invocation
    return [(events - per_invocation * invocations, invocations) for invocations in range(most, -1, -1)]


def observations(observed: int, per_invocation: int = 3) -> list[tuple[int, int, int]]:
    """Every m, b and i such that an assertion sees so many: of each invocation m match, b did before the first.

    The assertion counts the whole log, which :class:`CountsTheWholeLog` runs on CPython; that it sees b + m i is
    the law that matching events add up.
    """
    found: list[tuple[int, int, int]] = []
    for matching in range(1, per_invocation + 1):
        for before in range(observed + 1):
            model = CountsTheWholeLog(
                per_invocation=per_invocation,
                matching=matching,
                held=Map(before),
                held_matching=Map(before),
                most=Map(observed + 1),
            )
            seen = [after.observed[Log(0)] for after in checked(model, observed + 1)]
            found += [(matching, before, number) for number, count in enumerate(seen, 1) if count == observed]
    return found
