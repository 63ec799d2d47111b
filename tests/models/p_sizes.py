"""Claims that are true at small sizes and false from four members on: no proof for every size may say HOLDS."""

from __future__ import annotations

from typing import Annotated

from meshspec import (
    Map,
    Range,
    SetOf,
    Sort,
    action,
    always,
    count,
    exists,
    forall,
    implies,
    lemma,
    model,
    require,
    var,
)


class Node(Sort):
    """One of many."""


class Hole(Sort):
    """A place for one."""


@model
class FourMarked:
    """Anyone may be marked. `never_four` says that no four different ones are: true where there are three."""

    marked: Map[Node, bool] = var(False)

    @action
    def mark(self, n: Node) -> None:
        self.marked[n] = True

    @always
    def never_four(self, a: Node, b: Node, c: Node, d: Node) -> bool:
        different = a is not b and a is not c and a is not d and b is not c and b is not d and c is not d
        return not (different and self.marked[a] and self.marked[b] and self.marked[c] and self.marked[d])


@model
class FourNested:
    """The same, said with nested quantifiers."""

    marked: SetOf[Node] = var()

    @action
    def mark(self, n: Node) -> None:
        self.marked.add(n)

    @always
    def never_four(self) -> bool:
        return not exists(
            Node,
            lambda a: (
                a in self.marked
                and exists(
                    Node,
                    lambda b: (
                        b in self.marked
                        and b != a
                        and exists(
                            Node,
                            lambda c: (
                                c in self.marked
                                and c != a
                                and c != b
                                and exists(Node, lambda d: d in self.marked and d != a and d != b and d != c)
                            ),
                        )
                    ),
                )
            ),
        )


@model
class Counter:
    """A counter that each may raise once: it stays below four where there are three."""

    raised: Map[Node, bool] = var(False)
    value: Annotated[int, Range(0, 100)] = var(0)

    @action
    def up(self, n: Node) -> None:
        require(not self.raised[n])
        self.raised[n] = True
        self.value += 1

    @always
    def below_four(self) -> bool:
        return self.value < 4


@model
class Tokens:
    """A baton handed to a node that never had it: three hops are the most among three others."""

    had: Map[Node, bool] = var(False)
    hops: int = var(0)

    @action
    def hand(self, n: Node) -> None:
        require(not self.had[n])
        self.had[n] = True
        self.hops = self.hops + 1

    @always
    def few_hops(self) -> bool:
        return self.hops <= 3

    @lemma
    def hops_start_at_zero(self) -> bool:
        return self.hops >= 0


@model
class Pigeons:
    """Each node takes a hole of its own: `someone_waits` as long as holes are fewer; false when they are not."""

    hole: Map[Node, Hole | None] = var(None)
    full: Map[Hole, bool] = var(False)

    @action
    def settle(self, n: Node, h: Hole) -> None:
        require(self.hole[n] is None and not self.full[h])
        self.hole[n] = h
        self.full[h] = True

    @always
    def holes_are_not_shared(self, a: Node, b: Node) -> bool:
        mine = self.hole[a]
        return implies(mine is not None and mine is self.hole[b], a is b)

    @lemma
    def taken_is_full(self, n: Node) -> bool:
        mine = self.hole[n]
        return mine is None or self.full[mine]

    @always
    def three_are_never_all_full(self, x: Hole, y: Hole, z: Hole) -> bool:
        different = x is not y and x is not z and y is not z
        return not (
            different and self.full[x] and self.full[y] and self.full[z] and forall(Hole, lambda h: self.full[h])
        )


@model
class AllButOne:
    """Four may be marked: where there are five, `not_all` is true for ever; where there are fewer, false."""

    marked: Map[Node, bool] = var(False)
    number: int = var(0)

    @action
    def mark(self, n: Node) -> None:
        require(not self.marked[n] and self.number < 4)
        self.marked[n] = True
        self.number += 1

    @always
    def not_all(self) -> bool:
        return exists(Node, lambda n: not self.marked[n])


@model
class Counts:
    """The plain count of the marked, which nothing bounds but the size."""

    marked: Map[Node, bool] = var(False)

    @action
    def mark(self, n: Node) -> None:
        self.marked[n] = True

    @always
    def few(self) -> bool:
        return count(Node, lambda n: self.marked[n]) < 4
