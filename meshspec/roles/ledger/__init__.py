"""The role `ledger`: are effects performed at most once, whatever dies, and is what is not known said to be so?

contract     how a ledger is made, what it is asked, what it may answer
drills       what is done to it
obligations  what it owes, as rules over what was told and what the world saw
child        the process of which those of a drill are born (standard library only, run by path)
killer       a process dies right after its k-th write
running      a drill is run
story        a run is told
judge        the obligations put to a policy
"""

from __future__ import annotations

from meshspec.roles.ledger.judge import ROLE, judge

__all__ = ["ROLE", "judge"]
