"""What of the ledger is proved for any number, what holds only in a scope, and why.

Proved for any number of

- effects, crashes, lost and late replies, redeliveries: at most once, closed is done (``effect_ledger``, and under
  each contract ``recovery_contracts``), and nothing is done that was not delivered (``effect_ledger``);
- effects and losses: at most once after looking, with a bound of two ticks or a thousand (``verified_retry``);
- effects, and words asked for: at most once, and unresolved is not recorded (``key_lifetime``);
- contents, attempts, and calls up to the thousand: neither executed again nor suppressed (``effect_identity``);
- tenants and fingerprints: they do not interfere, and a duplicate moves no counter (``tenant_ledger``);
- effects, starts and renamings: an attempt looks before it acts, and finished work is not done again
  (``resumed_run``).

Only in a scope:

- what must come about (done in the end, told of, doubts settled): nothing here proves liveness for every size, so
  of "exactly once" the half that says "at most" is proved, and the half that says "at least" is explored;
- that a contract, a bound, an occurrence number is needed: a refutation is one path, and needs no more;
- exactly where patience exceeds the bound, and a wait the lifetime: bounds are constants, tried one by one;
- that no function of the log recovers: the views are the two that one effect reaches, the functions four;
- that four levels come apart: a difference is one design;
- the miss rate: its closed form is an identity, checked against counting where counting is short.

And each ends somewhere:

- EL-CONTENT-ADDR, EL-MISS: a call composed again in other words is another effect, and is executed;
- EL-DISTINCT: contents are equal or different here; that a canonical form keeps meanings apart is assumed of it;
- EL-AT-MOST-ONCE: one worker at a time; one that was given up and still runs needs a fence, which leases have;
- EL-EXACTLY-ONCE-COND: as long as the service keeps its contract; if every worker dies before its reply, the effect
  is done and nobody is told;
- EL-IMPOSSIBLE: functions of the log; a coin in place of one is wrong half the time in one of the two worlds;
- EL-UNRESOLVED: it says that somebody must find out, not who does, nor when;
- EL-NO-FALSE-SUPPRESS: what an attempt calls for twice is taken as meant twice, also of an agent going in circles;
- EL-TTL: the worker knows the lifetime, and its clock goes as the service's does;
- EL-VERDICT: failures are counted nowhere else than where this model counts them;
- EL-TENANT: what is told is compared, not when, and the table has room for all: where one tenant's load pushes out
  another's keys, they interfere.

No model counts above "more than once", so an effect done three times is an effect done twice; no proof speaks of
time beyond the ticks that a model has, nor of what a real service does with the promise it gave.
"""

from meshspec.lang.evidence import Evidence
from meshspec.properties import (
    effect_identity,
    effect_ledger,
    key_lifetime,
    recovery_contracts,
    resumed_run,
    tenant_ledger,
    verified_retry,
)

FAMILY: tuple[Evidence, ...] = (
    effect_ledger.EVIDENCE,
    recovery_contracts.EVIDENCE,
    verified_retry.EVIDENCE,
    key_lifetime.EVIDENCE,
    effect_identity.EVIDENCE,
    tenant_ledger.EVIDENCE,
    resumed_run.EVIDENCE,
)
