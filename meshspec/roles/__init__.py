"""Roles: what a policy of a kind must offer, what it owes, and how a stranger's policy is made to show it.

story         what is a story, how many are there, which calls is it made of?
breaker       the role: contract, obligations with their premises
policies      a breaker that keeps them all, and for each one a breaker that does not
host          the child's side of a hosted policy (standard library only, run by path)
hosted        the parent's side
environments  a cached environment for each pinned package
telling       outcomes as findings
judge         the obligations put to a policy

>>> from meshspec.roles import CONTINUE, TRIP
>>> CONTINUE, TRIP("same call ten times")
('CONTINUE', ('TRIP', 'same call ten times'))
"""

from __future__ import annotations

from meshspec.roles.breaker import CONTINUE, TRIP, Bound, Breaker, Decision, Obligation, obligations
from meshspec.roles.story import Call, Story

__all__ = ["CONTINUE", "TRIP", "Bound", "Breaker", "Call", "Decision", "Obligation", "Story", "obligations"]
