"""Evidence about breakers: the shipped reference keeps what is owed, and what other people's were seen to do.

The obligations are the paper's, not the packages' promises; what a package promises stands in its adapter. With
``pytest --pyargs meshspec.properties --policy mypkg.guard:Guard`` they are put to a policy of one's own. The stories
are those without a prefix, which takes seconds; ``meshspec check`` has longer ones.
"""

from meshspec import suite
from meshspec.roles.record import BREAKS, KEEPS, NEVER_TRIPS, Record

BREAKER = suite(role="breaker", prefix=0)

_LOOP_GUARD = {
    "trip-keeps-holding": BREAKS,  # it looks at a window, and new work fills that
    "sees-calls-of-worker-threads": KEEPS,
    "independent-of-wall-clock": KEEPS,
    "goes-on-after-reset": KEEPS,
}

RECORDS = (
    Record(
        "pybreaker",
        "pybreaker 1.4.1",
        {
            "trips-on-identical-success": NEVER_TRIPS,
            "trips-on-stuck-loop": NEVER_TRIPS,
            "trips-on-stuck-loop-with-noisy-output": NEVER_TRIPS,
            "trips-on-alternation": NEVER_TRIPS,
            "not-evaded-by-irrelevant-field": NEVER_TRIPS,
            "lets-converging-repair-run": 5,
            "lets-distinct-work-run": KEEPS,
            "trip-keeps-holding": KEEPS,
            "sees-calls-of-worker-threads": KEEPS,
            "independent-of-wall-clock": KEEPS,
            "half-open-admits-one": KEEPS,
            "open-leads-to-another-probe": KEEPS,
            "backs-off-until-success": KEEPS,
            "correct-traffic-passes": BREAKS,  # five Ctrl-C in a row open it
        },
    ),
    Record(
        "agent-loop-guard",
        "agent-loop-guard 0.1.1",
        {
            "trips-on-identical-success": KEEPS,
            "trips-on-stuck-loop": NEVER_TRIPS,  # bare it is stopped; between edits through one tool it is not
            "trips-on-stuck-loop-with-noisy-output": NEVER_TRIPS,  # the same
            "trips-on-alternation": KEEPS,
            "not-evaded-by-irrelevant-field": KEEPS,
            "lets-converging-repair-run": 7,
            "lets-distinct-work-run": 7,  # two tools in turn are a cycle to it; one tool is let run
            **_LOOP_GUARD,
        },
    ),
    Record(
        "agent-loop-guard-without-output",
        "agent-loop-guard 0.1.1",
        {
            "trips-on-identical-success": KEEPS,
            "trips-on-stuck-loop": NEVER_TRIPS,
            "trips-on-stuck-loop-with-noisy-output": NEVER_TRIPS,
            "trips-on-alternation": KEEPS,
            "not-evaded-by-irrelevant-field": NEVER_TRIPS,
            "lets-converging-repair-run": 7,
            "lets-distinct-work-run": 7,
            **_LOOP_GUARD,
        },
    ),
    Record(
        "agent-watchdog",
        "agent-watchdog 0.1.5",
        {
            "trips-on-identical-success": KEEPS,
            "trips-on-stuck-loop": NEVER_TRIPS,  # bare it is stopped; between edits it is not
            "trips-on-stuck-loop-with-noisy-output": NEVER_TRIPS,  # the same
            "trips-on-alternation": NEVER_TRIPS,  # two in turn are stopped; three are not: 3 does not divide 8
            "not-evaded-by-irrelevant-field": NEVER_TRIPS,
            "lets-converging-repair-run": 3,
            "lets-distinct-work-run": KEEPS,
            "trip-keeps-holding": BREAKS,  # a halt that is caught is the last
            "sees-calls-of-worker-threads": BREAKS,  # there a halt waits for the end of the run
            "independent-of-wall-clock": KEEPS,
        },
    ),
)
