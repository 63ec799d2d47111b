"""What the texts say of the two adequacies, held against the examples of :mod:`meshspec.properties.adequacy`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from functools import cache

from meshspec.adequacy import (
    adequate,
    attributable,
    deterministic,
    discriminates,
    moves,
    must_agree,
    must_differ,
    stable,
)
from meshspec.answer import Answer, Finding
from meshspec.properties import adequacy_examples as examples
from meshspec.properties.adequacy import (
    FIVE,
    ROWS,
    TWO,
    fails,
    failure,
    kills,
    named,
    place,
    requests,
    round_,
    routed,
    spans,
)
from meshspec.settle import Values, settles


def refuted(finding: Finding) -> bool:
    """Whether the answer is VIOLATED; any other word but HOLDS is none."""
    assert finding.answer in (Answer.VIOLATED, Answer.HOLDS), str(finding)
    return finding.answer is Answer.VIOLATED


# Table II: five subsystems and what each took for an identity.


def stopped_at(identity: Callable[..., object], rounds: Sequence[dict[str, object]], patience: int) -> int | None:
    """The round after which evidence was the same so often in a row, counted from 1."""
    said = [identity(one) for one in rounds]
    for last in range(patience, len(said) + 1):
        if all(one == said[last - 1] for one in said[last - patience : last]):
            return last
    return None


@settles("T2.r1.breaker", "conditional")
def a_constant_name_stops_what_gets_better(values: Values) -> None:
    """Whatever a repair is worth, the check's name stops it at round three, and what fails does not.

    Of a run whose components are all finished but for those under repair, the stop loses exactly the latter, so 6/6
    becomes 3/6 on the assumption that three were. How many were, no text says.
    """
    better = [round_(["a"], crashed=True), round_(["a", "b", "c", "d", "e"]), round_(["a", "b"]), round_([])]
    assert fails("breaker", examples.round_naive) == {"discriminates"}
    assert fails("breaker", examples.round_of) == set()
    assert stopped_at(examples.round_naive, better, 3) == 3 and stopped_at(examples.round_of, better, 3) is None
    before, after = _fraction(values.text("from")), _fraction(values.text("to"))
    kept = {
        under_repair: [
            _finished(before[1], under_repair, stopped_at(identity, better, 3))
            for identity in (examples.round_naive, examples.round_of)
        ]
        for under_repair in range(before[1] + 1)
    }
    assert before == (kept[0][0], before[1]) and all(repaired == before[0] for _, repaired in kept.values())
    assert [under_repair for under_repair, (naive, _) in kept.items() if (naive, before[1]) == after] == [3]


def _finished(components: int, under_repair: int, stop: int | None) -> int:
    """How many components are finished in the end: those whose repair is stopped are lost."""
    return components if stop is None else components - under_repair


def _fraction(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    assert found is not None, f"{text!r} is no fraction"
    return int(found[1]), int(found[2])


@settles("T2.r2.ledger", "reproduced")
def the_transaction_in_the_name_is_too_fine(values: Values) -> None:
    """Equal content of two transactions has two names, and no two contents have one: the other direction (D16)."""
    assert fails("ledger", examples.commit_naive) == {"stable"}
    assert fails("ledger", examples.commit_of) == set()


@settles("T2.r3.topology", "reproduced")
def one_name_for_two_databases_makes_an_edge(values: Values) -> None:
    """And the graph over that edge is green where nothing flows; by process and name there is no such edge."""
    assert fails("topology", examples.place_naive) == {"discriminates"}
    accesses = [
        {"who": "orders", "mode": "writes", **place("orders", "db")},
        {"who": "billing", "mode": "reads", **place("billing", "db")},
    ]
    assert examples.edges(accesses, examples.place_naive) == {("orders", "billing")}
    assert examples.edges(accesses, examples.place_of) == set()


@settles("T2.r4.attribution", "reproduced")
def coverage_wakes_all_who_take_part(values: Values) -> None:
    """Every component takes part in the scenario; whoever is woken without a fault changes what works."""
    everybody = FIVE if values.number("woken") == len(FIVE) else tuple(map(str, range(values.number("woken"))))
    owners = list(examples.OWNERS.values())[: values.number("faulty")]
    broken = failure(*owners, covers=everybody)
    woken, at_fault = examples.cause_naive(broken), examples.cause_of(broken)
    assert set(at_fault) == set(owners) <= set(woken)
    assert len(woken) - len(at_fault) == values.number("regressed")
    assert fails("attribution", examples.cause_naive) == {"discriminates"}
    assert fails("attribution", examples.cause_of) == set()


@settles("T2.r5.planner", "reproduced")
def a_shared_scenario_would_weld_two_components(values: Values) -> None:
    """Measured across components it would; the text tells of no slice that was welded in fact (D16)."""
    plan = [("web", "page", "checkout"), ("api", "table", "checkout")]
    assert spans(examples.slice_naive, plan) and not spans(examples.slice_of, plan)
    assert fails("planner", examples.slice_naive) == {"discriminates"}


@settles("T2.count", "conditional")
def five_share_a_cause_that_has_two_sides(values: Values) -> None:
    """All of them, where the cause is to lack either half; failing to discriminate is four of them (D16)."""
    failing = {row.subsystem: fails(row.subsystem, row.naive) for row in ROWS.values()}
    assert sum(map(bool, failing.values())) == values.number("rows")
    assert {name for name, halves in failing.items() if halves != {"discriminates"}} == {"ledger"}
    assert not any(fails(row.subsystem, row.repaired) for row in ROWS.values())


@settles("V.two-derived", "inconsistent")
def text_and_caption_name_other_two(values: Values) -> None:
    """The text names topology and planner; the caption the last two rows of the table, attribution and planner (D15).

    The first reading is borne out by the form of the repairs: those two, and no others, put the owner beside a name.
    That the two came to it independently is history, and nothing here can say so.
    """
    table = list(ROWS)
    text, caption = {"topology", "planner"}, set(table[-2:])
    assert len(text) == len(caption) == values.number("subsystems") and text != caption
    scopes = {"topology": "process", "planner": "component"}
    assert {name for name in table if name in scopes and _is_scoped(name, scopes[name])} == text
    assert not any(
        _is_scoped(name, field) for name in set(table) - text for field in ("process", "component", "covers")
    )


def _is_scoped(subsystem: str, field: str) -> bool:
    """Whether the repaired identity tells apart what differs in this field, and the naive one merges it."""
    row = ROWS[subsystem]
    for pair in row.pairs():
        if field not in pair.one or pair.one[field] == pair.other[field]:
            continue
        others = {name for name in pair.one if name != field and pair.one[name] != pair.other[name]}
        merged = row.naive(pair.one) == row.naive(pair.other)
        if others <= {"name"} and merged and row.repaired(pair.one) != row.repaired(pair.other):
            return True
    return False


@settles("V.scoped-state", "reproduced")
def one_place_is_one_process(values: Values) -> None:
    """Over all pairs of places with three processes and three names."""
    every = [place(process, name) for process in "abc" for name in "xyz"]
    for one, other in itertools.product(every, repeat=2):
        if examples.place_of(one) == examples.place_of(other):
            assert one["process"] == other["process"]
    assert any(
        examples.place_naive(one) == examples.place_naive(other) and one["process"] != other["process"]
        for one, other in itertools.product(every, repeat=2)
    )


@settles("V.no-weld", "reproduced")
def a_shared_scenario_makes_a_cluster_in_each(values: Values) -> None:
    """In every plan of four artifacts and two scenarios: a cluster in each component, and no joint one."""
    made = [("web", "page"), ("web", "form"), ("api", "table"), ("api", "job")]
    shared = 0
    for scenarios in itertools.product(("day", "night"), repeat=len(made)):
        plan = [(*name, scenario) for name, scenario in zip(made, scenarios, strict=True)]
        assert not spans(examples.slice_of, plan)
        shared += spans(examples.slice_naive, plan)
    assert shared == sum(
        bool(set(scenarios[:2]) & set(scenarios[2:])) for scenarios in itertools.product((0, 1), repeat=len(made))
    )


# Section V: the two definitions.


@settles("V.identity.def", "conditional")
def to_tell_apart_is_half_of_it(values: Values) -> None:
    """As stated, the ledger's naive identity is adequate: it tells all apart. With the converse it is not (D16)."""
    naive = ROWS["ledger"]
    assert not refuted(naive.discriminates(naive.naive)) and refuted(naive.stable(naive.naive))
    coarse = ROWS["topology"]
    assert refuted(coarse.discriminates(coarse.naive)) and not refuted(coarse.stable(coarse.naive))


RUNS = [{"failed": 0, "hour": 9}, {"failed": 2, "hour": 17}, {"failed": 5, "hour": 17}]


def lacking(evidence: Callable[..., object], runs: Sequence[dict[str, int]] = RUNS) -> set[str]:
    """Which of the three printed clauses some evidence of how many tests failed violates."""
    found = [
        moves(named(evidence), runs),
        attributable(named(evidence), runs, ["failed"]),
        deterministic(named(evidence), runs, **TWO),
    ]
    return {finding.property for finding in found if refuted(finding)}


@settles("V.evidence.def", "conditional")
def the_clauses_are_three_and_a_fourth_is_owed(values: Values) -> None:
    """Each clause has evidence that violates it alone; a router that meets all three may still guess (D35)."""
    alone = [lacking(examples.constant), lacking(examples.with_the_hour), lacking(examples.with_a_lot)]
    assert alone == [{"moves"}, {"attributable"}, {"deterministic"}]
    assert lacking(examples.any_failed) == set()
    clauses = alone[0] | alone[1] | alone[2]
    assert len(clauses) == values.number("clauses")
    assert meets(examples.route_naive) == clauses and meets(examples.route) == {*clauses, "determinate"}


@cache
def meets(router: Callable[..., object]) -> set[str]:
    """Which of the four clauses a router meets, on the records of requests of which none lost its last."""
    records = [list(request.reached) for request in requests(False)]
    turned = [record[::-1] for record in records]
    found = [
        moves(named(router), records),
        attributable(named(router), records + turned, frozenset),
        deterministic(named(router), records, **TWO),
        routed(router, False),
    ]
    return {finding.property for finding in found if not refuted(finding)}


@settles("V.four-instances", "conditional")
def three_instances_have_a_clause_and_one_has_none(values: Values) -> None:
    """Each is refuted by one question and its repair passes it; the router's question is none of the three (D35)."""
    outcomes = [round_(["a", "b", "c", "d", "e"]), round_(["e"])]
    trials = [*kills(examples.guard), *kills(examples.guard_vacuous)]
    runs, key = examples.runs_of_check(3), examples.key_of_check
    instances = {
        "stop": [moves(named(f), outcomes) for f in (examples.round_naive, examples.round_of)],
        "router": [routed(router, False) for router in (examples.route_naive, examples.route)],
        "kill": [attributable(named(f), trials, ["guard accepts"]) for f in (examples.kill_naive, examples.kill)],
        "check": [deterministic(named(f), runs, key, **TWO) for f in (examples.check_naive, examples.check)],
    }
    assert len(instances) == values.number("instances")
    assert all([refuted(finding) for finding in both] == [True, False] for both in instances.values())
    asked = {name: naive.property for name, (naive, _) in instances.items()}
    clauses = {"moves", "attributable", "deterministic"}
    assert {name for name, question in asked.items() if question not in clauses} == {"router"}
    assert clauses <= set(asked.values()) and meets(examples.route_naive) == clauses


@settles("V.attributable-kill", "reproduced")
def a_mutant_that_does_not_parse_reports_safety(values: Values) -> None:
    """Counted by whoever rejects, a guard that accepts everything has kills; counted by itself it has none."""
    vacuous, armed = kills(examples.guard_vacuous), kills(examples.guard)
    assert any(map(examples.kill_naive, vacuous)) and not any(map(examples.kill, vacuous))
    assert any(map(examples.kill, armed))
    assert refuted(attributable(named(examples.kill_naive), vacuous + armed, ["guard accepts"]))
    adequate(attributable(named(examples.kill), vacuous + armed, ["guard accepts"]))


@settles("V.dual-independent", "reproduced")
def each_half_may_fail_alone(values: Values) -> None:
    """How many failed and when: names each run, and is no evidence. Whether any failed: evidence, and no name."""
    runs = [{"failed": failed, "hour": hour} for failed in (0, 2, 5) for hour in (9, 17)]
    pairs = [must_differ(*two, "Two runs are two.") for two in itertools.combinations(runs, 2)]
    pairs += [must_agree(dict(run), dict(run), "A run, told again.") for run in runs]

    def confuses(identity: Callable[..., object]) -> set[str]:
        found = [discriminates(named(identity), pairs), stable(named(identity), pairs, **TWO)]
        return {finding.property for finding in found if refuted(finding)}

    assert confuses(examples.with_the_hour) == set() and lacking(examples.with_the_hour, runs) == {"attributable"}
    assert confuses(examples.any_failed) == {"discriminates"} and lacking(examples.any_failed, runs) == set()
