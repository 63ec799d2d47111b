"""Which runs of calls are put to a lease, and how are they told?

A run is a sequence of calls by holders on two keys, with waits in between. A use of a number (``renew``, ``release``,
``commit``) is made with the one that its holder last got for the key, or, with a ``-`` before it, the one before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from meshspec.roles.lease_rules import Call

BASE = ("disk-full", "restart", "v1", "nightly")
OTHERS = (
    ("disk-full", "restart", "v1", "daily"),
    ("disk-full", "restart", "v2", "nightly"),
    ("disk-full", "rollback", "v1", "nightly"),
    ("oom", "restart", "v1", "nightly"),
    ("disk-full", "restart/v1", "nightly", ""),  # joined with a separator it is the base
    ("disk-fullrestart", "", "v1", "nightly"),  # and so it is without one
)
"""Keys that each differ from the base in one part, or only in where one part ends."""
HOLDERS = ("ada", "ben", "cleo")
WAITS = (6.0, 10.0, 12.0)
USES = ("renew", "release", "commit", "-commit", "-renew", "-release")
Run = tuple[Call, ...]


def runs(length: int) -> Iterator[Run]:
    """Every run of that many calls over two keys and two holders, up to renaming; waits stand between calls."""
    yield from _grown((), length)


def _grown(run: Run, left: int) -> Iterator[Run]:
    if left == 0:
        yield run
        return
    for call in _next(run):
        if not (left == 1 and len(call) == 2):
            yield from _grown((*run, call), left - 1)


def _next(run: Run) -> Iterator[Call]:
    """The calls that may come next: new keys and holders in order, and no use of what was never asked for."""
    pairs = [(call[1], call[2]) for call in run if len(call) == 3]
    asked = [(call[1], call[2]) for call in run if call[0] == "acquire" and len(call) == 3]
    known_keys = len({key for key, _ in pairs})
    known_holders = len({holder for _, holder in pairs})
    for key in range(min(2, known_keys + 1)):
        for holder in HOLDERS[: min(2, known_holders + 1)]:
            yield ("acquire", key, holder)
            for use in USES:
                if asked.count((key, holder)) >= (2 if use[0] == "-" else 1):
                    yield (use, key, holder)
    if run and len(run[-1]) == 3:
        yield from (("wait", seconds) for seconds in WAITS)


def longer(seed: int, walk: int) -> Iterator[tuple[int, Run]]:
    """Runs of up to thirty calls with three holders, and which other key they use, drawn with the seed."""
    chance = random.Random(f"{seed} lease")
    for _ in range(walk):
        run: list[Call] = []
        for _ in range(chance.randint(6, 30)):
            key, holder = chance.randrange(2), chance.choice(HOLDERS)
            what = chance.choice(("acquire", "acquire", "wait", *USES[:4]))
            run.append(("wait", chance.choice((1.0, 3.0, *WAITS, 25.0))) if what == "wait" else (what, key, holder))
        yield chance.randrange(len(OTHERS)), tuple(run)


def answer(said: object) -> str:
    """An answer as it is shown."""
    return "" if said == "none" else str(said)


def plain(call: Call) -> str:
    return f"wait {call[1]:g} s" if len(call) == 2 else f"{call[0]}({call[1]}, {call[2]})"


def words(call: Call, which: int) -> str:
    """A call in words.

    >>> words(("commit", 0, "ada"), 0), words(("wait", 12.0), 0)
    ("commit(disk-full/restart/v1/nightly) with ada's number", '12 s go by')
    """
    if len(call) == 2:
        return f"{call[1]:g} s go by"
    name, key, holder = call
    told = "/".join((BASE, OTHERS[which])[key])
    if name == "acquire":
        return f"acquire({told}, {holder})"
    return f"{name.lstrip('-')}({told}) with {holder}'s {'number before' if name[0] == '-' else 'number'}"
