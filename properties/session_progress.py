"""Evidence for the breaker of a session's turns."""

from meshspec import evidence, promise
from meshspec.models.incidents.session_progress import (
    EveryReadCounts,
    EveryWriteCounts,
    PathKeyed,
    RefusedWritesCount,
    UnlimitedChecks,
)
from meshspec.models.session_progress import Digest, File, Session, SessionProgress

READ = "read(session0, file0)"
CHECK = "run_check(session0)"
WRITE, OTHER_WRITE = "write(session0, file0, digest0)", "write(session0, file0, digest1)"
REFUSED = "write_in_vain(session0)"

EVIDENCE = evidence(
    SessionProgress,
    scope={Session: 1, File: 1, Digest: 2},
    states=440,
    deadlocks=0,  # a subprocess goes on when the session has ended
    promises={
        "who_learns_nothing_is_stopped": promise(
            stands_for=["PB-SESSION"],
            proved=True,
            refuted_by={
                EveryReadCounts: [READ] * 5,
                EveryWriteCounts: [WRITE] * 4,
                RefusedWritesCount: [*[WRITE] * 3, REFUSED],
            },
        ),
        "who_learns_is_not_stopped": promise(
            stands_for=["PB-CONTENT-KEY", "PB-SESSION"],
            proved=True,
            refuted_by={PathKeyed: [*[READ] * 4, "change(file0, digest1)", READ]},
        ),
        "checks_are_bounded": promise(
            stands_for=["PB-SESSION"],
            proved=True,
            refuted_by={
                UnlimitedChecks: [
                    CHECK,
                    READ,
                    *[CHECK] * 3,
                    OTHER_WRITE,
                    *[CHECK] * 3,
                    READ,
                    *[CHECK] * 4,
                ]  # the eleventh
            },
        ),
        "it_runs_all_its_checks": promise(stands_for=["PB-SESSION"]),
    },
)
