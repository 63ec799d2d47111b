"""A topology: who rests on whom, who owns what, and what is no topology."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from meshspec.errors import UsageError
from meshspec.topology import Component, Topology
from tests.report.showing import MESH


def mesh(*edges: tuple[str, str], names: str = "abcd") -> Topology:
    parts = [Component(name, "service", f"owner of {name}") for name in names]
    return Topology(parts, [(source, target, "depends-on") for source, target in edges])


def test_what_a_component_rests_on_and_what_rests_on_it_however_far_away() -> None:
    chain = mesh(("a", "b"), ("b", "c"))
    assert chain.upstream("a") == ("b", "c")
    assert chain.downstream("c") == ("a", "b")
    assert chain.upstream("d") == chain.downstream("d") == ()


def test_delegating_is_resting_on_and_is_told_apart() -> None:
    topology = Topology(*MESH)
    assert topology.upstream("planner") == ("ledger", "queue", "auditor")
    assert topology.links("planner", "delegates-to") == ("auditor",)
    assert topology.links("planner", "depends-on") == ("ledger",)


def test_owners_are_each_named_once_the_own_first() -> None:
    assert Topology(*MESH).owners_of("planner") == ("platform", "payments", "risk")
    assert Topology(*MESH).owners_of("auditor") == ("risk", "payments", "platform")


def test_a_component_in_a_cycle_rests_on_itself() -> None:
    ring = mesh(("a", "b"), ("b", "a"), ("c", "a"))
    assert ring.upstream("a") == ("a", "b")
    assert ring.upstream("c") == ("a", "b")
    assert ring.cycles == (("a", "b"),)


def test_a_cycle_is_told_by_the_shortest_way_round() -> None:
    assert mesh(("a", "b"), ("b", "c"), ("c", "a"), ("b", "a")).cycles == (("a", "b"),)
    assert mesh(("b", "b")).cycles == (("b",),)
    assert mesh(("a", "b"), ("b", "a"), ("d", "c"), ("c", "d")).cycles == (("a", "b"), ("c", "d"))
    assert mesh(("a", "b"), ("b", "c")).cycles == ()


def test_columns_put_everything_right_of_what_rests_on_it() -> None:
    topology = mesh(("a", "b"), ("b", "c"), ("a", "c"))
    assert topology.columns == (0, 1, 2, 0)
    assert mesh(("a", "b"), ("b", "a"), ("b", "c")).columns == (0, 0, 1, 0)


def test_it_is_a_graph_of_networkx_and_a_copy() -> None:
    topology = Topology(*MESH)
    copy = topology.to_networkx()
    assert copy.nodes["ledger"] == {"kind": "service", "owner": "payments"}
    assert ("planner", "auditor", "delegates-to") in copy.edges(keys=True)
    copy.remove_node("ledger")
    assert "ledger" in topology.to_networkx()


@pytest.mark.parametrize(
    ("components", "edges", "why"),
    [
        ("aa", [], "there are two components 'a': give each a name of its own"),
        ("a", [("a", "b", "depends-on")], "a -> b: there is no component 'b'; there are a"),
        ("", [("a", "b", "depends-on")], "a -> b: there is no component 'a'; there are none"),
        ("ab", [("a", "b", "calls")], "a -> b: 'calls' is no relation; write depends-on or delegates-to"),
        ("ab", [("a", "b", "depends-on")] * 2, "a depends-on b is given twice"),
    ],
)
def test_what_is_no_topology_is_refused(components: str, edges: list[tuple[str, str, str]], why: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(why)}$"):
        Topology([Component(name, "k", "o") for name in components], edges)


def test_the_same_ends_may_be_related_in_both_ways() -> None:
    both = [("a", "b", "depends-on"), ("a", "b", "delegates-to")]
    assert Topology([Component(name, "k", "o") for name in "ab"], both).edges == tuple(both)


@pytest.mark.parametrize(
    "given", [{"name": "a", "kind": "k"}, {"name": "a", "kind": "k", "owner": "o", "team": "t"}, {}]
)
def test_a_mapping_that_is_no_component_is_refused_with_what_it_has(given: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="a component has name, kind, owner, and this one has"):
        Topology([given])


@pytest.mark.parametrize("ask", ["upstream", "downstream", "owners_of"])
def test_a_question_about_no_component_is_refused(ask: str) -> None:
    with pytest.raises(UsageError, match=r"there is no component 'x'; there are a, b, c, d"):
        getattr(mesh(), ask)("x")


def test_networkx_is_loaded_by_the_first_topology_and_by_no_import() -> None:
    program = (
        "import sys, meshspec.topology as t; before = 'networkx' in sys.modules;"
        "t.Topology([]); print(before, 'networkx' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
