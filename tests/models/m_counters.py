"""Counters of eight bits each that share a limit: as many bits of state as there are counters, eight times over.

The number of states is a binomial coefficient: of all ways to hand out at most ``limit`` among the counters.
"""

from __future__ import annotations

from typing import Annotated

from meshspec import Map, Range, Sort, action, always, model, require, total, var


class Counter(Sort):
    """One of several counters."""


@model
class Counters:
    limit: int = 3
    value: Map[Counter, Annotated[int, Range(-100, 155)]] = var(0)

    @action
    def up(self, c: Counter) -> None:
        require(total(Counter, lambda d: self.value[d]) < self.limit)
        self.value[c] += 1

    @action
    def down(self, c: Counter) -> None:
        require(self.value[c] > 0)
        self.value[c] -= 1

    @always
    def limited(self) -> bool:
        return total(Counter, lambda c: self.value[c]) <= self.limit
