"""Evidence about ledgers: the shipped reference keeps what is owed, and what other people's were seen to do.

The obligations are the paper's, not the packages' promises; what a package promises stands in its adapter. They are
put to a policy of one's own with ``--policy mypkg.ledger:Ledger --meshspec-role ledger`` beside ``pytest --pyargs
meshspec.properties``. Processes are really killed, which needs Linux and leave to trace one's own.
"""

from meshspec import suite
from meshspec.roles.record import BREAKS, KEEPS, Record

LEDGER = suite(role="ledger")

RECORDS = (
    Record(
        "agent-once",
        "agent-once 0.1.0",
        {
            "retry-after-success-runs-once": KEEPS,
            "none-result-deduplicates": KEEPS,
            "unserialisable-result-deduplicates": KEEPS,
            "no-silent-duplicate-after-exception": KEEPS,
            "unknown-outcome-surfaces": KEEPS,
            "no-silent-duplicate-after-crash": KEEPS,
            "no-false-success-after-crash": KEEPS,
            "no-silent-duplicate-after-expiry": KEEPS,
            "live-holder-keeps-its-effect": KEEPS,
            "concurrent-submits-run-once": KEEPS,
            "verdicts-distinguishable": KEEPS,
            "changed-payload-is-refused": KEEPS,
        },
        role="ledger",
    ),
    Record(
        "agent-outbox",
        "agent-outbox 0.1.1",
        {
            "retry-after-success-runs-once": KEEPS,
            "none-result-deduplicates": KEEPS,
            "no-silent-duplicate-after-exception": KEEPS,
            "unknown-outcome-surfaces": BREAKS,  # a timeout is booked as a failure
            "no-silent-duplicate-after-crash": KEEPS,
            "no-false-success-after-crash": KEEPS,
            "no-silent-duplicate-after-expiry": BREAKS,  # its README says so: at least once, after its lease
            "live-holder-keeps-its-effect": KEEPS,
            "concurrent-submits-run-once": KEEPS,
            "verdicts-distinguishable": KEEPS,
            "changed-payload-is-refused": KEEPS,
            "total": BREAKS,  # a result that holds itself: it raises after the effect, and the row stays pending
        },
        role="ledger",
    ),
)
