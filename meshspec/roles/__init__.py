"""Roles: what a policy of a kind must offer, what it owes, and how a stranger's policy is made to show it.

story         what is a story, how many are there, which calls is it made of?
breaker       the role: contract, obligations with their premises
life          the same role beyond stories: what else it may offer, and what it then owes
drills        by which drills that is found out, and what their answers must be
policies      a breaker that keeps them all, and for each one a breaker that does not
host          the child's side of a hosted policy (standard library only, run by path); with it fence, clocks, drill
hosted        the parent's side
environments  a cached environment for each pinned package
telling       outcomes as findings
living        the drills put to a policy
judge         the obligations put to a policy

known         which roles are there? breaker, identity, ledger, lease, each loaded when it is used
owed          what a role is made of
promises      what does a policy promise of itself? (its file is read, and not run)
asked         the parent's side of a role whose policies are asked questions; asked_host is the child's
identity      what is owed by whatever gives an effect its name; effects and pairs are what it is asked about
lease         what is owed by whatever says whose turn it is; lease_rules puts that to the answers of one run
ledger        what is owed by whatever has effects performed at most once

>>> from meshspec.roles import CONTINUE, TRIP
>>> CONTINUE, TRIP("same call ten times")
('CONTINUE', ('TRIP', 'same call ten times'))
"""

from __future__ import annotations

from meshspec.roles.breaker import CONTINUE, TRIP, Bound, Breaker, Decision, Obligation, obligations
from meshspec.roles.story import Call, Story

__all__ = ["CONTINUE", "TRIP", "Bound", "Breaker", "Call", "Decision", "Obligation", "Story", "obligations"]
