"""What the two adequacies are shown on: five identities and four pieces of evidence, each as it was and as it is.

Plain Python over plain values, the standard library alone: another process loads this file by its path. Names ending
in ``_naive`` are the incidents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

LADDER = ("accepted", "published", "subscribed", "stored", "served")
"""Checkpoints of one request, in order. Nobody owns the first: it is the test's own."""
OWNERS = {"published": "publisher", "subscribed": "subscriber", "stored": "repository", "served": "route"}
ABSTAIN = "abstain"


def digest(*parts: str) -> str:
    """One name for several texts, each with its length before it."""
    return hashlib.sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()


# The breaker: what a round came to.


def round_naive(round_: Mapping[str, Any]) -> object:
    """The failing check's name, which is the strategy's and not the round's."""
    return round_["check"] if round_["failing"] or round_["crashed"] else None


def round_of(round_: Mapping[str, Any]) -> object:
    """What fails; a crash is told apart from any number of failures."""
    return [round_["crashed"], sorted(round_["failing"])]


# The ledger: which commit this is.


def commit_naive(commit: Mapping[str, str]) -> object:
    """With the transaction in it: where it came from, not what it is."""
    return digest(commit["transaction"], commit["component"], commit["phase"], commit["content"])


def commit_of(commit: Mapping[str, str]) -> object:
    return digest(commit["component"], commit["phase"], commit["content"])


def commit_without_phase(commit: Mapping[str, str]) -> object:
    """A canonical form that drops a part."""
    return digest(commit["component"], commit["content"])


# The topology: which place this is.


def place_naive(place: Mapping[str, str]) -> object:
    """A name that is local to a process, taken for a name everywhere."""
    return place["name"]


def place_of(place: Mapping[str, str]) -> object:
    return [place["process"], place["name"]]


def edges(
    accesses: Sequence[Mapping[str, str]], place: Callable[[Mapping[str, str]], object]
) -> set[tuple[str, str]]:
    """Who is read by whom, as a graph over such places has it."""
    writes = [access for access in accesses if access["mode"] == "writes"]
    reads = [access for access in accesses if access["mode"] == "reads"]
    return {(one["who"], other["who"]) for one in writes for other in reads if place(one) == place(other)}


# Attribution: whose fault this is.


def cause_naive(failure: Mapping[str, Any]) -> list[str]:
    """Everybody who takes part in the scenario that fails."""
    return sorted(failure["covers"])


def cause_of(failure: Mapping[str, Any]) -> list[str]:
    """Whoever owns the first checkpoint that was not reached."""
    return [failure["owners"][first] for first in failure["missing"]]


# The planner: what is built in one piece.


def slice_naive(artifact: Mapping[str, Any]) -> object:
    """All that is coupled by scenarios, wherever it belongs."""
    return _cluster(artifact, lambda component, scenario: scenario)


def slice_of(artifact: Mapping[str, Any]) -> object:
    """All that is coupled by scenarios within one component."""
    return _cluster(artifact, lambda component, scenario: (component, scenario))


def _cluster(artifact: Mapping[str, Any], coupled_by: Callable[[str, str], object]) -> object:
    """The artifacts that are coupled to this one, over any number of steps."""
    rows = [(row[0], row[1], coupled_by(row[0], row[2])) for row in artifact["plan"]]
    found = {(artifact["component"], artifact["name"])}
    while True:
        by = {coupling for component, name, coupling in rows if (component, name) in found}
        more = found | {(component, name) for component, name, coupling in rows if coupling in by}
        if more == found:
            return sorted(found)
        found = more


# Evidence to route by: the checkpoints that were recorded.


def route_naive(reached: Sequence[str]) -> object:
    """Whoever owns the first checkpoint that is missing."""
    missing = [name for name in LADDER if name not in reached]
    return OWNERS.get(missing[0], ABSTAIN) if missing else None


def route(reached: Sequence[str]) -> object:
    """The same, but where a later one is recorded and an earlier one is not, it is not known whose fault it is."""
    present = [name in reached for name in LADDER]
    return route_naive(reached) if present == sorted(present, reverse=True) else ABSTAIN


# Evidence that a guard works: a mutant that it rejects.


def parses(program: str) -> bool:
    try:
        compile(program, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def guard(program: str) -> bool:
    """Accepts what evaluates no text."""
    return "eval(" not in program


def guard_vacuous(program: str) -> bool:
    """Accepts whatever there is."""
    return True


def kill_naive(trial: Mapping[str, Any]) -> object:
    """The mutant was rejected, by whomever."""
    return not (trial["guard accepts"] and trial["parses"])


def kill(trial: Mapping[str, Any]) -> object:
    """The mutant was rejected by the guard that it was aimed at."""
    return not trial["guard accepts"]


def trial(program: str, accepts: Callable[[str], bool]) -> dict[str, bool]:
    """What a mutant comes to in front of a guard, and of the parser before it."""
    return {"guard accepts": accepts(program), "parses": parses(program)}


# Evidence that a component is right: a check.


def check_naive(run: Mapping[str, Any]) -> object:
    """Exactly one event is in the log, which outlives the check and lies outside the workspace."""
    return len(run["log"]) == 1


def check(run: Mapping[str, Any]) -> object:
    """Exactly one event of this very invocation is in the log."""
    return [event["invocation"] for event in run["log"]].count(run["invocation"]) == 1


def key_of_check(run: Mapping[str, Any]) -> object:
    return [run["workspace"], run["environment"], run["contract"]]


def key_with_log(run: Mapping[str, Any]) -> object:
    """The key, and what else the naive check reads."""
    return [key_of_check(run), [event["invocation"] for event in run["log"]]]


def runs_of_check(times: int, published: int = 1) -> list[dict[str, Any]]:
    """One check invoked so often in one workspace; the log is never emptied."""
    log: list[dict[str, int]] = []
    runs: list[dict[str, Any]] = []
    for invocation in range(times):
        log = [*log, *({"invocation": invocation} for _ in range(published))]
        run = {"workspace": "w", "environment": "e", "contract": "c", "invocation": invocation, "log": log}
        runs.append(run)
    return runs


# Evidence of how many tests failed.


def constant(run: Mapping[str, int]) -> object:
    """It cannot move."""
    return "acceptance"


def with_the_hour(run: Mapping[str, int]) -> object:
    """It moves for another reason as well."""
    return [run["failed"], run["hour"]]


def with_a_lot(run: Mapping[str, int]) -> object:
    """It has a part that each process draws for itself."""
    return [run["failed"], hash("acceptance")]


def any_failed(run: Mapping[str, int]) -> object:
    """It is evidence, and tells no two failures apart."""
    return run["failed"] > 0
