"""Drawings of state graphs and topologies: all of it is there, nothing overlaps, and too much is refused."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET

from meshspec.backends.certificate import certified
from meshspec.display import html_of as shown
from meshspec.engines import graph
from meshspec.engines.limits import Limits
from meshspec.models.effect_ledger import EffectLedger
from meshspec.report.html_graphs import refusal
from meshspec.report.html_svg import Edge, Node, drawn, merged, ordered
from meshspec.topology import Topology
from tests.report.showing import MESH, charging, desk, everything, read, sizes


def svg(html_: str) -> ET.Element:
    found = next(ET.fromstring(f"<page>{html_}</page>").iter("{http://www.w3.org/2000/svg}svg"), None)
    assert found is not None, "no drawing"
    return found


def test_a_state_graph_is_drawn_with_every_state_and_every_step_told() -> None:
    built = everything()["a state graph"]
    drawn_ = shown(built)
    labels = [text.text for text in svg(drawn_).iter("{http://www.w3.org/2000/svg}text")]
    assert [label.removeprefix("✗ ") for label in labels if label] == [str(n) for n in range(49)]
    false = [int(label.removeprefix("✗ ")) for label in labels if label and label.startswith("✗ ")]
    assert built.way(min(false)) == "charge(job0), crash, charge(job0)", "the first of them is the counterexample's"
    titles = {title.text for title in svg(drawn_).iter("{http://www.w3.org/2000/svg}title")}
    assert "0 -> 1: charge(job0)" in titles
    assert "in_hand[job0] = False" in read(drawn_)


def test_everything_that_is_drawn_lies_within_the_drawing() -> None:
    for what in ("a state graph", "a topology"):
        found = svg(shown(everything()[what]))
        left, top, wide, high = map(float, (found.get("viewBox") or "").split())
        for box in found.iter("{http://www.w3.org/2000/svg}rect"):
            x, y, w, h = (float(box.get(name) or 0) for name in ("x", "y", "width", "height"))
            assert left <= x
            assert x + w <= left + wide
            assert top <= y
            assert y + h <= top + high


def test_boxes_never_lie_upon_each_other() -> None:
    for what in ("a state graph", "a topology"):
        nodes = [list(group) for group in svg(shown(everything()[what])).iter("{http://www.w3.org/2000/svg}g")]
        boxes = [next((part for part in parts if part.tag.endswith("rect")), None) for parts in nodes]
        places = [
            tuple(float(box.get(name) or 0) for name in ("x", "y", "width", "height"))
            for box in boxes
            if box is not None
        ]
        for number, (x, y, w, h) in enumerate(places):
            for x2, y2, w2, h2 in places[number + 1 :]:
                assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_more_than_sixty_states_are_refused_with_what_to_do_instead() -> None:
    built = graph.build(certified(EffectLedger), sizes(EffectLedger))
    text = read(shown(built))
    assert "not drawn: 7" in text or "not drawn: " in text
    assert refusal(built).endswith(
        "Take a smaller scope, or to_dataframe() for every step as a table, "
        "or meshspec show EffectLedger --format dot for a tool"
    )
    assert "<svg" not in shown(built)
    assert not refusal(everything()["a state graph"])


def test_a_graph_that_was_cut_and_what_ends_raises_or_leaves_a_range_are_words() -> None:
    model = charging()
    built = graph.build(certified(model), sizes(model), Limits(max_states=5))
    assert "(cut off by max_states of 5)" in read(shown(built))
    assert "not expanded" in read(shown(built))
    built.odd[0] = "charge raises ValueError"
    built.odd[1] = "'charges stays in 0..2' is left"
    assert "0 0 raises" in read(shown(built))
    assert "1 1 out of range" in read(shown(built))
    done = graph.build(certified(desk()), sizes(desk()), Limits())
    assert "end" not in read(shown(done)).split()
    done.targets, done.first[-1] = done.targets, done.first[-2]  # as if nothing were enabled in the last state
    assert " end " in read(shown(done))


def test_edges_with_the_same_ends_are_one_edge_with_all_labels() -> None:
    assert merged([Edge(0, 1, "a"), Edge(0, 1, "b", True), Edge(1, 0, "c", True)]) == [
        Edge(0, 1, "a, b"),
        Edge(1, 0, "c", True),
    ]


def test_columns_are_ordered_so_that_fewer_edges_cross() -> None:
    assert ordered([0, 0, 1, 1], [(0, 3), (1, 2)]) in ([[0, 1], [3, 2]], [[1, 0], [2, 3]])


def test_a_drawing_of_nothing_and_of_one_node_with_itself() -> None:
    assert "<svg" in drawn([], [], [], "nothing")
    assert "a loop" in drawn([Node("x")], [Edge(0, 0, "a loop")], [0], "one")


def test_a_topology_is_drawn_with_owners_and_says_what_goes_in_a_circle() -> None:
    text = read(shown(Topology(*MESH)))
    assert "in a circle: ledger -> queue -> ledger" in text
    assert "planner agent platform ledger auditor" in text
    crowd = Topology([{"name": f"c{n}", "kind": "k", "owner": "o"} for n in range(61)])
    assert "not drawn: 61 components" in read(shown(crowd))
    assert "<svg" not in shown(crowd)


def test_a_topology_is_drawn_the_same_under_every_hash_seed() -> None:
    program = (
        "from tests.report.showing import MESH; from meshspec.topology import Topology; import hashlib;"
        "print(hashlib.sha256(Topology(*MESH)._repr_html_().encode()).hexdigest())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
