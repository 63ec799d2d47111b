"""The two adequacies on the subsystems that lacked them: each incident is refuted, each repair passes.

Identity adequacy needs both directions. Four of the five identities were too coarse, and `discriminates` refutes
them; the ledger's was too fine, and only `stable` does. Evidence adequacy has four instances: what a stop, a router,
a kill of a mutant and a check decide on.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from meshspec.adequacy import (
    Pair,
    adequate,
    attributable,
    determinate,
    deterministic,
    discriminates,
    moves,
    must_agree,
    must_differ,
    stable,
)
from meshspec.answer import Answer, Finding, Strength
from meshspec.models.incidents.repair_rounds import ConstantEvidence
from meshspec.models.repair_rounds import Component, Outcome, RepairRounds, Report
from meshspec.policies.identity import CanonicalIdentity
from meshspec.properties import adequacy_examples as examples
from meshspec.settle import shows
from meshspec.sorts import Sort

_FILE = Path(examples.__file__)
TWO: Mapping[str, Any] = {"hash_seeds": (0, 1), "locales": ("C",)}  # processes; more of them is for a soak
_REACHED: Mapping[type[Sort], int] = {Component: 1, Outcome: 4, Report: 4}


def named(function: Callable[..., object]) -> str:
    """The example as another process finds it: by its file, which needs nothing of ours."""
    return f"{_FILE}:{function.__name__}"


@attrs.frozen
class Row:
    """A subsystem: its identity as it was and as it is, and pairs of things that it names."""

    subsystem: str
    naive: Callable[..., object]
    repaired: Callable[..., object]
    pairs: Callable[[], Sequence[Pair]]

    def discriminates(self, identity: Callable[..., object]) -> Finding:
        return discriminates(named(identity), self.pairs())

    def stable(self, identity: Callable[..., object]) -> Finding:
        return stable(named(identity), self.pairs(), **TWO)


def round_(failing: Sequence[str], crashed: bool = False) -> dict[str, object]:
    return {"check": "acceptance", "failing": list(failing), "crashed": crashed}


def rounds() -> Sequence[Pair]:
    before = round_(["a", "b", "c", "d", "e"])
    return [
        must_differ(before, round_(["e"]), "A round that mends four defects is not one that mends none."),
        must_differ(round_(["a"], crashed=True), round_(["a"]), "A crash at collection is not one failure."),
        must_agree(before, round_(["e", "d", "c", "b", "a"]), "The order of a report says nothing."),
    ]


def commit(transaction: str, component: str, phase: str, content: str) -> dict[str, str]:
    return {"transaction": transaction, "component": component, "phase": phase, "content": content}


def commits() -> Sequence[Pair]:
    """Every two of the sixteen commits that two transactions can make of two of everything."""
    every = [
        commit(*parts) for parts in itertools.product(("t1", "t2"), ("web", "api"), ("build", "seed"), ("X", "Y"))
    ]
    found: list[Pair] = []
    for one, other in itertools.combinations(every, 2):
        equal = all(one[part] == other[part] for part in ("component", "phase", "content"))
        make = must_agree if equal else must_differ
        found.append(make(one, other, "Equal content is one effect." if equal else "Another part is another effect."))
    return found


def place(process: str, name: str) -> dict[str, str]:
    return {"process": process, "name": name}


def places() -> Sequence[Pair]:
    one, other = place("orders", "db"), place("billing", "db")
    return [
        must_differ(one, other, "Two services have a database each."),
        must_differ(one, place("orders", "cache"), "One service has two stores."),
        must_agree(one, place("orders", "db"), "One place, met twice."),
    ]


FIVE = ("publisher", "subscriber", "repository", "route", "gateway")


def failure(*owners: str, covers: Sequence[str] = FIVE) -> dict[str, object]:
    """A run of a scenario in which the first checkpoints that these owe were not reached."""
    missing = [name for name, owner in examples.OWNERS.items() if owner in owners]
    return {"covers": list(covers), "missing": missing, "owners": dict(examples.OWNERS)}


def failures() -> Sequence[Pair]:
    return [
        must_differ(failure("publisher"), failure("route"), "Whose fault it is decides who is woken."),
        must_agree(failure("publisher"), failure("publisher"), "The same fault, met again."),
    ]


PLAN = [
    ["web", "page", "checkout"],
    ["web", "form", "checkout"],
    ["api", "table", "checkout"],
    ["api", "job", "night"],
]


def artifact(component: str, name: str, plan: Sequence[Sequence[str]] = PLAN) -> dict[str, object]:
    return {"component": component, "name": name, "plan": [list(row) for row in plan]}


def artifacts() -> Sequence[Pair]:
    return [
        must_differ(artifact("web", "page"), artifact("api", "table"), "A scenario couples no two components."),
        must_differ(artifact("api", "table"), artifact("api", "job"), "No scenario couples these two."),
        must_agree(artifact("web", "page"), artifact("web", "form"), "One scenario of one component couples both."),
    ]


ROWS = {
    row.subsystem: row
    for row in (
        Row("breaker", examples.round_naive, examples.round_of, rounds),
        Row("ledger", examples.commit_naive, examples.commit_of, commits),
        Row("topology", examples.place_naive, examples.place_of, places),
        Row("attribution", examples.cause_naive, examples.cause_of, failures),
        Row("planner", examples.slice_naive, examples.slice_of, artifacts),
    )
}


@cache
def fails(subsystem: str, identity: Callable[..., object]) -> frozenset[str]:
    """Which of the two halves is refuted; each of them is an answer, and none is vacuous."""
    row = ROWS[subsystem]
    found = [row.discriminates(identity), row.stable(identity)]
    assert all(finding.answer in (Answer.HOLDS, Answer.VIOLATED) for finding in found), found
    return frozenset(finding.property for finding in found if finding.answer is Answer.VIOLATED)


@shows("EL-CONTENT-ADDR")
def equal_content_of_two_transactions_has_one_name() -> None:
    """Of all pairs of sixteen commits; with the transaction in the name, the same pairs refute it and no other do."""
    row = ROWS["ledger"]
    assert fails(row.subsystem, row.repaired) == set()
    assert fails(row.subsystem, row.naive) == {"stable"}
    apart = row.stable(row.naive).facts["shown by"]
    agreeing = [pair for pair in row.pairs() if pair.relation == "agree"]
    assert apart == tuple(pair.name for pair in agreeing) and len(agreeing) == 2**3


@shows("EL-DISTINCT")
def a_canonical_form_that_drops_a_part_merges() -> None:
    """The phase left out; the reference identity merges nothing that the catalogue or a generator comes up with."""
    assert discriminates(named(examples.commit_without_phase), commits()).answer is Answer.VIOLATED
    adequate(discriminates(CanonicalIdentity().key, examples=50), discriminates(named(examples.commit_of), commits()))


def reported(state: RepairRounds) -> object:
    """What is read of the last round's report: what the filter keeps, else the diagnostics."""
    last: Outcome | None = state.last[Component(0)]
    if last is None:
        raise ValueError("no round has ended yet")
    return state.left[last]


def check_name(state: RepairRounds) -> object:
    """The name of the check that the last round ended with."""
    reported(state)
    return "acceptance"


@shows("PB-ADEQUATE")
def a_stop_reads_what_can_move() -> None:
    """The check's name is the same in every reachable state of the repair rounds; their reports are not."""
    naive = moves(check_name, ConstantEvidence, scope=_REACHED)
    repaired = moves(reported, RepairRounds, scope=_REACHED)
    assert naive.answer is Answer.VIOLATED and naive.counterexample is not None
    assert repaired.strength is Strength.EXHAUSTIVE
    outcomes = [side for pair in rounds() if pair.relation == "differ" for side in (pair.one, pair.other)]
    assert moves(named(examples.round_naive), outcomes).answer is Answer.VIOLATED
    adequate(moves(named(examples.round_of), outcomes))


@shows("FR-SCOPED-ID")
def two_places_of_one_name_are_two_places() -> None:
    """By name alone the graph has an edge that no access made; by process and name it has none but those."""
    row = ROWS["topology"]
    assert fails(row.subsystem, row.naive) == {"discriminates"} and fails(row.subsystem, row.repaired) == set()
    accesses = [
        {"who": "orders.writer", "mode": "writes", "process": "orders", "name": "db"},
        {"who": "orders.reader", "mode": "reads", "process": "orders", "name": "db"},
        {"who": "billing.reader", "mode": "reads", "process": "billing", "name": "db"},
    ]
    true = {("orders.writer", "orders.reader")}
    assert examples.edges(accesses, examples.place_of) == true
    assert examples.edges(accesses, examples.place_naive) - true == {("orders.writer", "billing.reader")}


@shows("AC-NO-WELD")
def no_slice_spans_two_components() -> None:
    """In every plan of four artifacts and two scenarios; by scenarios alone, wherever two components share one."""
    row = ROWS["planner"]
    assert fails(row.subsystem, row.naive) == {"discriminates"} and fails(row.subsystem, row.repaired) == set()
    made = [("web", "page"), ("web", "form"), ("api", "table"), ("api", "job")]
    for scenarios in itertools.product(("day", "night"), repeat=len(made)):
        plan = [[component, name, scenario] for (component, name), scenario in zip(made, scenarios, strict=True)]
        shared = set(scenarios[:2]) & set(scenarios[2:])
        assert not spans(examples.slice_of, plan)
        assert spans(examples.slice_naive, plan) == bool(shared)


def spans(slice_of: Callable[..., Any], plan: Sequence[Sequence[str]]) -> bool:
    """Whether some slice of the plan has artifacts of two components."""
    slices = [slice_of(artifact(component, name, plan)) for component, name, _ in plan]
    return any(len({component for component, _ in cluster}) > 1 for cluster in slices)


class Request(NamedTuple):
    """What became of a request: where it broke, what was recorded, and which record was lost."""

    fault: int
    reached: tuple[str, ...]
    lost: int | None = None

    @property
    def owner(self) -> str:
        return examples.OWNERS[examples.LADDER[self.fault]]


def requests(last_may_be_lost: bool) -> list[Request]:
    """A fault at each checkpoint that somebody owns; one record lost before it, or stale ones after it."""
    found: list[Request] = []
    for fault in range(1, len(examples.LADDER)):
        for lost in (None, *range(fault if last_may_be_lost else fault - 1)):
            found.append(
                Request(fault, tuple(name for n, name in enumerate(examples.LADDER[:fault]) if n != lost), lost)
            )
        for until in range(fault + 2, len(examples.LADDER) + 1):
            found.append(Request(fault, (*examples.LADDER[:fault], *examples.LADDER[fault + 1 : until])))
    return found


def routed(router: Callable[..., object], last_may_be_lost: bool) -> Finding:
    """Whether a router abstains wherever the records fit two faults."""
    return determinate(
        router,
        requests(last_may_be_lost),
        sees=lambda request: request.reached,
        truth=lambda request: request.owner,
        abstains=examples.ABSTAIN,
    )


@shows("FR-ABSTAIN")
def a_router_abstains_where_the_records_fit_two_faults() -> None:
    """Where the last record written is never the one lost. The limit: where it may be, there is no gap to see."""
    naive, repaired = routed(examples.route_naive, False), routed(examples.route, False)
    assert naive.answer is Answer.VIOLATED
    adequate(repaired)
    limit = routed(examples.route, True)
    assert limit.answer is Answer.VIOLATED
    wrong = [one for one in requests(True) if examples.route(one.reached) not in (examples.ABSTAIN, one.owner)]
    assert wrong and all(one.lost == one.fault - 1 for one in wrong)


PROGRAMS = ("x = 1", "x = eval('1')", "x = (", "x = eval(")
"""Correct; a mutant that the guard is for; one that does not parse; and one that is both."""


def kills(accepts: Callable[[str], bool]) -> list[dict[str, bool]]:
    return [examples.trial(program, accepts) for program in PROGRAMS]


@shows("EX-PROVABLE")
def a_kill_counts_for_the_guard_that_was_aimed_at() -> None:
    """A mutant that does not parse is no evidence for a guard: by it, a guard that accepts everything seems armed."""
    both = [*kills(examples.guard), *kills(examples.guard_vacuous)]
    naive = attributable(named(examples.kill_naive), both, ["guard accepts"])
    assert naive.answer is Answer.VIOLATED
    adequate(attributable(named(examples.kill), both, ["guard accepts"]), moves(named(examples.kill), both))
    assert any(map(examples.kill, kills(examples.guard)))
    assert any(map(examples.kill_naive, kills(examples.guard_vacuous)))
    assert moves(named(examples.kill), kills(examples.guard_vacuous)).answer is Answer.VIOLATED


@shows("NQ-KEY-COMPLETE")
def a_key_covers_all_that_a_check_reads() -> None:
    """A log outside the workspace makes a deterministic check disagree with itself under an equal key."""
    runs = examples.runs_of_check(3)
    hidden = deterministic(named(examples.check_naive), runs, examples.key_of_check, **TWO)
    assert hidden.answer is Answer.VIOLATED and hidden.counterexample is not None
    adequate(
        deterministic(named(examples.check_naive), runs, examples.key_with_log, **TWO),
        deterministic(named(examples.check), runs, examples.key_of_check, **TWO),
    )
