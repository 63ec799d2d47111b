"""What a ledger owes, as rules over what was told and what the world saw.

**No silent duplicate.** The world may see an effect again only in a call that announces it: one that answers UNKNOWN
or PENDING, which claim nothing about how often it happened. A call in which the effect happens again and that answers
DONE, DUPLICATE, FAILED or CONFLICT, or lets an error out, keeps silent about it, and so does one that never answers.

An effect that happened not at all is no duplicate: at most once is what is owed, and not at least once. But a ledger
that performs nothing keeps nothing either: what was to be performed undisturbed and was not is told as VACUOUS, and
breaks the first obligation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from meshspec.roles.ledger.contract import IN_DOUBT
from meshspec.roles.ledger.drills import (
    SHORT,
    Call,
    Drill,
    Error,
    Life,
    Value,
    anew,
    one_after_another,
    retried,
    spoken,
)
from meshspec.roles.ledger.running import Seen, Told

Rule = Callable[[Seen], str]
"""Says which clause is broken, and by what; nothing where none is."""


@attrs.frozen
class Obligation:
    """Something a ledger owes, whoever wrote it.

    Attributes:
        name: in words, a predicate of the policy.
        says: the obligation in one sentence.
        stands_for: names of the paper's claims.
        in_production: what goes wrong where it is not kept.
        drills: those that are put to the policy, the shortest first.
        broken: which clause is broken on a run of one of them.
        judged: whether a run is one that the obligation speaks of.
        swept: whether a process is killed after each of its writes as well.
        expires: whether the policy's lifetime has to be known.
    """

    name: str
    says: str
    stands_for: tuple[str, ...]
    in_production: str
    drills: tuple[Drill, ...]
    broken: Rule
    judged: Callable[[Seen], bool]
    swept: bool = False
    expires: bool = False


def acted(seen: Seen) -> bool:
    return bool(seen.acts())


def times(count: int) -> str:
    """How often.

    >>> times(1), times(8)
    ('once', '8 times')
    """
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")


def silent_duplicate(seen: Seen) -> str:
    """Whether the world saw an effect again in a call that does not say so."""
    for effect in dict.fromkeys(act.effect for act in seen.world):
        acts = seen.acts(effect)
        for again in acts[1:]:
            told = seen.told.get(again.call)
            if told is None or told.word not in IN_DOUBT:
                return f"the world saw the effect {times(len(acts))}, and {spoken(again.call)} {did(told)}"
    return ""


def not_once(seen: Seen) -> str:
    """Whether the world saw the effect more or less than once."""
    count = len(seen.acts())
    return "" if count == 1 else f"the world saw the effect {times(count)}, and it must be once"


def did(told: Told | None) -> str:
    """What a call came to, as a predicate."""
    if told is None:
        return "never answered"
    return {
        "answer": f"answered {told.said}",
        "raised": f"let {told.said} out",
        "slip": f"raised {told.said}",
        "nonsense": f"answered {told.said}",
    }[told.kind]


def untold(seen: Seen) -> str:
    """Whether an outcome nobody can know was told as one that somebody knows."""
    for name, call in seen.drill.calls():
        told = seen.told.get(name)
        if told is None or told.kind != "answer":
            continue
        if call.error is not None and told.word not in IN_DOUBT:
            return f"perform acted and raised {call.error}, and {spoken(name)} answered {told.word}, as if it knew"
        if call.error is None and told.word not in IN_DOUBT:
            return f"whether it happened cannot be known, and {spoken(name)} answered {told.word}"
    return ""


def false_success(seen: Seen) -> str:
    """Whether something is told to be done that the world never saw."""
    for name, _ in seen.drill.calls():
        told = seen.told.get(name)
        if told is not None and told.word in ("DONE", "DUPLICATE") and not seen.acts():
            return f"{spoken(name)} answered {told.word}, and the world never saw the effect"
    return ""


def same_words(seen: Seen) -> str:
    """Whether two causes are told in one word."""
    causes: list[tuple[str, str]] = []
    for name, cause in _CAUSES.items():
        told = seen.told.get(name)
        if told is None or told.kind not in ("answer", "raised"):
            continue
        if name == _ORPHAN and name in [act.call for act in seen.world]:
            continue  # performed again: that it is told as done is no word on the orphan, and another rule's matter
        word = told.word or f"an error ({told.said})"
        for other, said in causes:
            if said == word:
                return f"{word} is told both where {other} and where {cause}"
        causes.append((cause, word))
    return ""


_ORPHAN = "3.1"
_CAUSES: Mapping[str, str] = {
    "1.1": "it was performed",
    "1.2": "it was done before",
    "1.3": "it is known not to have happened",
    _ORPHAN: "whoever had it in hand died",
}


def taken_for_a_repeat(seen: Seen) -> str:
    """Whether a changed payload was taken for the first one."""
    for name, call in seen.drill.calls():
        told, happened = seen.told.get(name), [act for act in seen.world if act.call == name]
        if call.effect != "pay 20" or told is None:
            continue
        if call.key is None and not happened:
            return f"another payload is another effect, and {spoken(name)} {did(told)} and did not perform it"
        if call.key is not None and happened:
            return f"its key stands for another payload, and {spoken(name)} performed it all the same"
        if call.key is not None and told.word not in ("CONFLICT", "FAILED"):
            return f"its key stands for another payload, and {spoken(name)} {did(told)} instead of refusing it"
    return ""


def _after(*errors: Error) -> tuple[Drill, ...]:
    """Errors after the effect: tried again at once, and again in a new process."""
    return tuple(Drill((one_after_another(Call(error=error), Call()), anew(Call()))) for error in errors)


def _twice(value: Value) -> tuple[Drill, ...]:
    """An effect with that result, submitted again in the same process, or in a new one."""
    return Drill((one_after_another(Call(value=value), Call(value=value)),)), retried(Call(value=value))


def obligations() -> tuple[Obligation, ...]:
    """All that a ledger owes, in the order of a report."""
    return _OBLIGATIONS


_STOPS: tuple[Error, ...] = ("CancelledError", "KeyboardInterrupt", "SystemExit")
_VERDICTS = Drill(
    (
        one_after_another(Call(), Call(), Call("refund", error="ConnectionRefusedError", unacted=True)),
        one_after_another(Call("ship", dies=True)),
        anew(Call("ship")),
    )
)
_OBLIGATIONS = (
    Obligation(
        "retry-after-success-runs-once",
        "an effect that succeeded is not performed again, in this process or the next",
        ("EL-AT-MOST-ONCE",),
        "An agent that lost its place repeats its last step, and the customer is charged twice.",
        (
            retried(Call()),
            Drill((one_after_another(Call(), Call(), Call()), anew(Call()))),
        ),
        not_once,
        lambda seen: True,
    ),
    Obligation(
        "none-result-deduplicates",
        "an effect that returns None has happened all the same",
        ("EL-AT-MOST-ONCE",),
        "Deleting a file returns nothing, so each retry deletes what has been put there since.",
        _twice("None"),
        silent_duplicate,
        acted,
    ),
    Obligation(
        "unserialisable-result-deduplicates",
        "an effect whose result cannot be kept has happened all the same",
        ("EL-AT-MOST-ONCE",),
        "A client returns a response object, storing it fails, and the failure is taken for the effect's own.",
        (*_twice("an object"), *_twice("a list that holds itself")),
        silent_duplicate,
        acted,
    ),
    Obligation(
        "no-silent-duplicate-after-exception",
        "an effect after which perform raised is not performed again unannounced",
        ("EL-AT-MOST-ONCE", "EL-UNRESOLVED"),
        "The mail was sent and its receipt could not be parsed; three attempts are three mails.",
        _after("RuntimeError", "ConnectionError", "TimeoutError", *_STOPS),
        silent_duplicate,
        acted,
    ),
    Obligation(
        "unknown-outcome-surfaces",
        "where a timeout or a stop came after the effect, nobody is told that it is known how it ended",
        ("EL-UNRESOLVED",),
        "The payment timed out and is booked as failed; the customer pays by other means, and both go through.",
        _after("TimeoutError", *_STOPS),
        untold,
        acted,
    ),
    Obligation(
        "no-silent-duplicate-after-crash",
        "wherever its process is killed, an effect is not performed again unannounced",
        ("EL-AT-MOST-ONCE",),
        "A deployment replaces the worker between the order and its record, and the order is placed twice.",
        (retried(Call(dies=True, unacted=True)), retried(Call(dies=True))),
        silent_duplicate,
        acted,
        swept=True,
    ),
    Obligation(
        "no-false-success-after-crash",
        "wherever its process is killed, what never happened is not told as done",
        ("EL-UNRESOLVED",),
        "The worker died before the shipment was booked, and the order says shipped.",
        (retried(Call(dies=True, unacted=True)), retried(Call(dies=True))),
        false_success,
        lambda seen: True,
        swept=True,
    ),
    Obligation(
        "no-silent-duplicate-after-expiry",
        "when a claim or a key has expired, an effect that may have happened is not performed again unannounced",
        ("EL-AT-MOST-ONCE", "EL-TTL"),
        "An approval takes three days, the key lasted one, and what was approved is done twice.",
        (
            retried(Call(), pause=1.5 * SHORT, lifetime=SHORT),
            retried(Call(dies=True), pause=1.5 * SHORT, lifetime=SHORT),
            retried(Call(error="TimeoutError"), pause=1.5 * SHORT, lifetime=SHORT),
        ),
        silent_duplicate,
        acted,
        expires=True,
    ),
    Obligation(
        "live-holder-keeps-its-effect",
        "however long an effect takes, nobody else performs it while whoever does is alive",
        ("LEASE-UNIQUE", "EL-AT-MOST-ONCE"),
        "A slow upload outlives its lease, a second worker starts it again, and both of them finish.",
        (
            Drill(((Life((Call(hold=2.5 * SHORT),)), Life((Call(after=1.8 * SHORT),), hashing=1)),), lifetime=SHORT),
            Drill(((Life((Call(hold=2.5 * SHORT), Call(after=1.8 * SHORT)), together=True),),), lifetime=SHORT),
        ),
        silent_duplicate,
        acted,
        expires=True,
    ),
    Obligation(
        "concurrent-submits-run-once",
        "an effect that is submitted many times at once, from threads or processes, is performed once",
        ("EL-AT-MOST-ONCE", "LEASE-UNIQUE"),
        "A queue delivers a message to two workers at once, and both of them act on it.",
        (
            Drill((one_after_another(), tuple(Life((Call(hold=0.1),), hashing=n % 2) for n in range(4)))),
            Drill(((Life(tuple(Call(hold=0.1) for _ in range(8)), together=True),),)),
        ),
        not_once,
        lambda seen: True,
    ),
    Obligation(
        "verdicts-distinguishable",
        "what was performed, was done before, failed, or is in doubt is told in different words",
        ("VC-DISTINCT", "EL-VERDICT"),
        "All that is not performed is blocked: a duplicate counts as a failure, and an orphan waits for ever.",
        (_VERDICTS,),
        same_words,
        acted,
    ),
    Obligation(
        "changed-payload-is-refused",
        "a changed payload is another effect: never taken for a repeat, and refused under a key that is taken",
        ("EL-DISTINCT", "EL-NO-FALSE-SUPPRESS"),
        "The amount was corrected and the key kept; the correction is answered with the first receipt.",
        (
            Drill((one_after_another(Call(), Call("pay 20")),)),
            Drill((one_after_another(Call(key="order-7"), Call("pay 20", key="order-7")),)),
        ),
        taken_for_a_repeat,
        acted,
    ),
)
