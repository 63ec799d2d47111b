"""Evidence about identities: the shipped reference keeps what is owed, and what other people's were seen to do.

With ``pytest --pyargs meshspec.properties --policy mypkg.keys:Keys --meshspec-role identity`` the same is put to an
identity of one's own. What each record breaks, pair by pair, is told by ``meshspec check NAME --role identity``.

None of the packages numbers intended repeats, so each breaks the first obligation on that pair. Beside it: agentidemp
separates its parts by a NUL, which may also stand inside one, and agent-outbox by a line's end; agent-once and
agent-outbox write the keys 1 and "1" of a mapping alike. What agent-watchdog hashes is the text of the arguments,
which are a mapping here; of arguments that are none, 1 and "1" are one call to it.
"""

from meshspec import suite
from meshspec.roles.record import BREAKS, KEEPS, Record

IDENTITY = suite(role="identity")

RECORDS = (
    Record(
        "agentidemp-py",
        "agentidemp-py 0.1.0",
        {
            "different-effects-differ": BREAKS,
            "equal-effects-agree": BREAKS,
            "scopes-tool-tenant-session": KEEPS,
        },
        "identity",
    ),
    Record(
        "agent-once",
        "agent-once 0.1.0",
        {
            "different-effects-differ": BREAKS,
            "equal-effects-agree": KEEPS,
            "scopes-tool-tenant-session": BREAKS,
        },
        "identity",
    ),
    Record(
        "agent-outbox",
        "agent-outbox 0.1.1",
        {
            "different-effects-differ": BREAKS,
            "equal-effects-agree": BREAKS,
            "scopes-tool-tenant-session": BREAKS,
        },
        "identity",
    ),
    Record(
        "agent-watchdog",
        "agent-watchdog 0.1.5",
        {
            "different-effects-differ": BREAKS,
            "equal-effects-agree": BREAKS,
            "scopes-tool-tenant-session": BREAKS,
        },
        "identity",
    ),
)
