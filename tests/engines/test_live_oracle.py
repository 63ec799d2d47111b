"""live against an oracle that knows nothing of components: it tries every set of places a run could go round in."""

from __future__ import annotations

import importlib
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import attrs

from meshspec.answer import Answer
from meshspec.lang.fairness import Fairness
from tests.engines.walks import ENTER, FAIR_WAYS, PLACES, START, Case, Edge, said
from tests.models.walk import Way

nx: Any = importlib.import_module("networkx")  # its stubs are a package of their own

GRAPHS = 300


def cases(number: int) -> Iterator[Case]:
    rnd = random.Random(number)
    for _ in range(number):
        density = rnd.choice((0.03, 0.06, 0.12, 0.2))
        edges: set[Edge] = {edge for edge in itertools.product(Way, PLACES, PLACES) if rnd.random() < density}
        edges |= {(ENTER, START, to) for to in PLACES if rnd.random() < 0.3}
        kinds = {name: rnd.choice(("", "weak", "strong")) for name in FAIR_WAYS}
        fairness = Fairness(*(tuple(n for n, kind in kinds.items() if kind == k) for k in ("weak", "strong")))
        asks = frozenset(place for place in PLACES if rnd.random() < 0.5)
        answers = frozenset(place for place in PLACES if rnd.random() < 0.3)
        yield Case(frozenset(edges), asks, answers, fairness)


class Oracle:
    """What is true of a case, by the definitions alone."""

    def __init__(self, case: Case, responds: bool) -> None:
        self.case, self.responds = case, responds
        self.reached = self._distances()

    def _pends(self, place: int, before: bool, at_start: bool) -> bool:
        asked = place in self.case.asks if self.responds else at_start
        return place not in self.case.answers and (before or asked)

    def _distances(self) -> dict[tuple[int, bool], int]:
        """How many steps to each place, with something pending there and without."""
        layer = {(START, self._pends(START, False, True))}
        found: dict[tuple[int, bool], int] = {}
        for distance in itertools.count():
            layer -= set(found)
            if not layer:
                return found
            found.update((node, distance) for node in layer)
            layer = {
                (after, self._pends(after, pending, False))
                for place, pending in layer
                for _, before, after in self.case.edges
                if before == place
            }
        raise AssertionError("unreachable")

    def refuted_after(self) -> int | None:
        """The length of a shortest stem, or ``None`` where every fair run does what it should."""
        pending = {place: steps for (place, waits), steps in self.reached.items() if waits}
        found = [steps for place, steps in pending.items() if self._may_end(place)]
        stays = [place for place in pending if place not in self.case.answers]
        for size in range(1, len(stays) + 1):
            for together in itertools.combinations(stays, size):
                if self._goes_round(set(together)) and self._is_fair(set(together)):
                    found += [pending[place] for place in together]
        return min(found, default=None)

    def _may_end(self, place: int) -> bool:
        return not any(before == place and way is not Way.PUSHED for way, before, _ in self.case.edges)

    def _inside(self, places: set[int]) -> list[Edge]:
        return [edge for edge in self.case.edges if edge[1] in places and edge[2] in places]

    def _goes_round(self, places: set[int]) -> bool:
        """Whether from each of the places every one of them can be come to again, by at least one step."""
        for place in places:
            seen: set[int] = set()
            layer = {place}
            while layer:
                layer = {after for _, before, after in self._inside(places) if before in layer} - seen
                seen |= layer
            if seen != places:
                return False
        return True

    def _is_fair(self, places: set[int]) -> bool:
        for names, strong in ((self.case.fairness.weak, False), (self.case.fairness.strong, True)):
            for ways in (ways for name in names for ways in FAIR_WAYS[name]):
                taken = any(way in ways for way, _, _ in self._inside(places))
                enabled = [any(w in ways and before == p for w, before, _ in self.case.edges) for p in places]
                if not taken and (any(enabled) if strong else all(enabled)):
                    return False
        return True

    def is_vacuous(self) -> bool:
        places = {place for place, _ in self.reached}
        if self.responds and not places & self.case.asks:
            return True
        enabled = {way for way, before, _ in self.case.edges if before in places}
        fair = self.case.fairness
        idle = (name for name in (*fair.weak, *fair.strong) if not any(enabled & ways for ways in FAIR_WAYS[name]))
        return any(idle)


def test_on_every_small_graph_it_says_what_the_definitions_say_and_shows_a_shortest_stem() -> None:
    seen: set[tuple[Answer, bool, bool]] = set()
    for case in cases(GRAPHS):
        found = said(case)
        for name, responds in (("gets_there", False), ("is_answered", True)):
            oracle, finding = Oracle(case, responds), found[name]
            stem = oracle.refuted_after()
            if stem is not None:
                assert finding.answer is Answer.VIOLATED, (case, finding)
                assert finding.counterexample is not None
                assert finding.counterexample.loop == stem, (case, finding)
            else:
                expected = Answer.VACUOUS if oracle.is_vacuous() else Answer.HOLDS
                assert finding.answer is expected, (case, finding)
            seen.add((finding.answer, bool(case.fairness.weak), bool(case.fairness.strong)))
    answers = (Answer.VIOLATED, Answer.HOLDS, Answer.VACUOUS)
    assert {(answer, weak, True) for answer in answers for weak in (True, False)} <= seen
    assert {(answer, weak, False) for answer in answers[:2] for weak in (True, False)} <= seen


def test_without_fairness_networkx_says_the_same() -> None:
    for case in cases(100):
        bare = attrs.evolve(case, fairness=Fairness())
        oracle = Oracle(bare, responds=True)
        waiting = [place for place, pends in oracle.reached if pends]
        graph: Any = nx.MultiDiGraph()
        graph.add_nodes_from(waiting)
        graph.add_edges_from((a, b) for _, a, b in bare.edges if a in waiting and b in waiting)
        forever = not nx.is_directed_acyclic_graph(graph)
        stops = any(all(way is Way.PUSHED for way, before, _ in bare.edges if before == place) for place in waiting)
        assert (said(bare)["is_answered"].answer is Answer.VIOLATED) == (forever or stops)


def test_the_lasso_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from tests.engines.test_live_oracle import cases, said\n"
        "for case in cases(12):\n"
        "    for name, f in said(case).items(): print(name, f.answer, repr(f.counterexample))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "77")
    }
    (output,) = outputs
    assert b"loop=" in output
