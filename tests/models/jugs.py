"""The jug puzzle of *Die Hard*: four gallons are to be measured with a jug of three and a jug of five."""

from __future__ import annotations

from typing import Annotated

from meshspec import Range, action, always, model, require, var


@model
class Jugs:
    small: int = 3
    big: int = 5
    wanted: int = 4
    in_small: Annotated[int, Range(0, lambda m: m.small)] = var(0)
    in_big: Annotated[int, Range(0, lambda m: m.big)] = var(0)

    @action
    def fill_small(self) -> None:
        self.in_small = self.small

    @action
    def fill_big(self) -> None:
        self.in_big = self.big

    @action
    def empty_small(self) -> None:
        self.in_small = 0

    @action
    def empty_big(self) -> None:
        self.in_big = 0

    @action
    def pour_into_big(self) -> None:
        poured = min(self.in_small, self.big - self.in_big)
        require(poured > 0)
        self.in_small -= poured
        self.in_big += poured

    @action
    def pour_into_small(self) -> None:
        poured = min(self.in_big, self.small - self.in_small)
        require(poured > 0)
        self.in_big -= poured
        self.in_small += poured

    @always
    def unsolved(self) -> bool:
        return self.in_big != self.wanted
