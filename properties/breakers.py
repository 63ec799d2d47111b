"""Evidence about breakers: the shipped reference keeps what is owed, and what other people's were seen to do.

The obligations are the paper's, not the packages' promises; what a package promises stands in its adapter. With
``pytest --pyargs meshspec.properties --policy mypkg.guard:Guard`` they are put to a policy of one's own. The stories
are those without a prefix, which takes seconds; ``meshspec check`` has longer ones.
"""

from meshspec import suite
from meshspec.roles.record import KEEPS, NEVER_TRIPS, Record

BREAKER = suite(role="breaker", prefix=0)

RECORDS = (
    Record(
        "pybreaker",
        "pybreaker 1.4.1",
        {
            "trips-on-identical-success": NEVER_TRIPS,
            "trips-on-stuck-loop": NEVER_TRIPS,
            "trips-on-alternation": NEVER_TRIPS,
            "not-evaded-by-irrelevant-field": NEVER_TRIPS,
            "lets-converging-repair-run": 5,
            "lets-distinct-work-run": KEEPS,
        },
    ),
    Record(
        "agent-loop-guard",
        "agent-loop-guard 0.1.1",
        {
            "trips-on-identical-success": KEEPS,
            "trips-on-stuck-loop": NEVER_TRIPS,
            "trips-on-alternation": KEEPS,
            "not-evaded-by-irrelevant-field": KEEPS,
            "lets-converging-repair-run": 7,
            "lets-distinct-work-run": 7,
        },
    ),
)
