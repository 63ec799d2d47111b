"""Small models for planted faults: each has what some fault needs in order to show."""

from __future__ import annotations

from typing import Annotated

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    any_of,
    count,
    each,
    forall,
    implies,
    model,
    require,
    sometimes,
    terminal,
    total,
    var,
)


class Node(Sort):
    """One of several alike."""


@model
class Stores:
    """More than 64 bits, sums that are compared both ways, entries that may be absent, a Range that can be left."""

    wide: Map[Node, Annotated[int, Range(-500, 1_000_000)]] = var(0)
    kept: Map[Node, Annotated[int, Range(-2, 1)] | None] = var(None)
    spare: Annotated[int, Range(0, 3)] = var(0)
    full: bool = var(False)

    @action
    def put(self, n: Node) -> None:
        require(total(Node, lambda m: self.wide[m]) < 2)
        self.wide[n] += 1

    @action
    def take(self, n: Node, m: Node) -> None:
        require(self.wide[n] > self.wide[m] >= 0)
        self.wide[n] = self.wide[n] - self.wide[m] - 1
        self.kept[n] = -2 if self.spare == 0 else self.wide[m]

    @action
    def drop(self, n: Node) -> None:
        require(self.kept[n] is not None and self.kept[n] == -2)
        self.kept[n] = None
        self.spare += 2

    @action
    def level(self, n: Node) -> None:
        require(self.spare == 2)
        self.kept = each(Node, lambda m: 1 if self.wide[m] > self.wide[n] else -1)
        self.spare = 1

    @action
    def close(self) -> None:
        require(-total(Node, lambda m: self.wide[m]) <= -2 and count(Node, lambda m: self.kept[m] is None) >= 2)
        self.full = True

    @always
    def never_full(self) -> bool:
        return not self.full

    @always
    def has_room(self, n: Node) -> bool:
        kept = self.kept[n]
        return kept is None or kept <= 0 or self.wide[n] < 2


@model
class Pairs:
    """Each node has two marks of its own, so that nodes are more than their marks one by one."""

    left: Map[Node, bool] = var(False)
    right: Map[Node, bool] = var(False)
    chosen: Node | None = var(None)

    @action
    def mark(self, n: Node, right: bool) -> None:
        require(self.chosen is None)
        if right:
            self.right[n] = True
        else:
            self.left[n] = True

    @action
    def choose_it(self, n: Node) -> None:
        require(self.chosen is None and self.left[n] and self.right[n])
        self.chosen = n

    @action
    def forget(self, n: Node) -> None:
        require(self.chosen is n)
        self.right = each(Node, lambda m: m is not n and self.right[m])

    @always
    def one_by_one(self) -> bool:
        return count(Node, lambda n: self.left[n] or self.right[n]) < 3

    @always
    def chosen_is_marked(self, n: Node) -> bool:
        return implies(self.chosen is n, self.right[n])

    @sometimes
    def is_chosen(self, n: Node, m: Node) -> bool:
        return self.chosen is n and (n is m or self.left[m])


@model
class Columns:
    """Two marks of each node and nothing that holds a node: nodes own columns."""

    left: Map[Node, bool] = var(False)
    right: Map[Node, Annotated[int, Range(0, 2)]] = var(0)

    @action
    def mark(self, n: Node) -> None:
        self.left[n] = True

    @action
    def raise_it(self, n: Node) -> None:
        require(self.right[n] < 2 and forall(Node, lambda m: self.right[m] == 0 or m is n))
        self.right[n] += 1

    @action
    def fall(self, n: Node) -> None:
        require(self.right[n] == 2 and self.left[n])
        self.right[n] = 0

    @always
    def apart(self, n: Node) -> bool:
        return not (self.left[n] and self.right[n] == 2)

    @sometimes
    def together(self, n: Node, m: Node) -> bool:
        return self.left[n] and self.right[m] == 2

    @sometimes
    def alone_is_left(self, n: Node) -> bool:
        return not self.left[n] and count(Node, lambda m: self.left[m]) == 2


@model
class Links:
    """A relation among the members of one sort."""

    linked: Map[tuple[Node, Node], bool] = var(False)

    @action
    def link(self, n: Node, m: Node) -> None:
        require(n is not m and count(Node, lambda a: count(Node, lambda b: self.linked[a, b]) > 0) < 2)
        self.linked[n, m] = True

    @always
    def no_way_back(self, n: Node, m: Node) -> bool:
        return not (self.linked[n, m] and self.linked[m, n])


@model
class Told:
    """A constant tells the members apart: what the first cannot do the last can."""

    strong: Map[Node, bool] = Map(False, {Node(2): True})
    up: Map[Node, bool] = var(False)
    broken: bool = var(False)

    @action
    def lift_it(self, n: Node) -> None:
        require(forall(Node, lambda m: not self.up[m]))
        self.up[n] = True

    @action
    def break_it(self, n: Node) -> None:
        require(self.up[n] and self.strong[n])
        self.broken = True

    @always
    def whole(self) -> bool:
        return not self.broken

    @sometimes
    def breaks(self, n: Node) -> bool:
        return self.broken and self.up[n]


@model
class Overtaken:
    """Whoever comes second is ahead: sorted, its column passes that of the first."""

    at: Map[Node, Annotated[int, Range(0, 2)]] = var(0)

    @action
    def come(self, n: Node) -> None:
        require(self.at[n] == 0)
        self.at[n] = 1 if forall(Node, lambda m: self.at[m] == 0) else 2

    @always
    def nobody_is_ahead(self, n: Node) -> bool:
        return self.at[n] < 2


@model
class Ends:
    """Steps that change nothing are steps; an end is bad where it comes too soon; several starts."""

    at: Map[Node, Annotated[int, Range(0, 2)]] = var(any_of(0, 1))
    waits: bool = var(False)

    @action
    def move(self, n: Node) -> None:
        require(self.at[n] < 2 and not self.waits)
        self.at[n] += 1

    @action
    def stop(self) -> None:
        require(forall(Node, lambda n: self.at[n] > 0) and not forall(Node, lambda n: self.at[n] == 2))
        self.waits = True

    @action
    def slip(self, n: Node) -> None:
        require(self.waits and self.at[n] == 1)
        self.at[n] = 0

    @terminal
    def all_are_there(self) -> bool:
        return forall(Node, lambda n: self.at[n] == 2)


@model
class Leaves:
    """A Range is left, a claim is false only there, and no step goes on from there."""

    level: Annotated[int, Range(0, 2)] = var(any_of(1, 0))
    by: Map[Node, bool] = var(False)

    @action
    def grow(self, n: Node) -> None:
        self.level += 1
        self.by[n] = True

    @always
    def never_three(self) -> bool:
        return self.level != 3

    @always
    def never_four(self, n: Node) -> bool:
        return implies(self.by[n], self.level != 4)

    @always
    def nothing_to_say(self, n: Node) -> bool:
        return implies(self.by[n] and self.level == 0, self.level == 1)


# -- for proofs ------------------------------------------------------------------------------------------------


@model
class Passed:
    """What an action does to everyone but its own member breaks a claim about that name."""

    marked: Map[Node, bool] = var(False)

    @action
    def pass_it(self, n: Node) -> None:
        self.marked = each(Node, lambda m: m is not n)

    @always
    def unmarked(self, n: Node) -> bool:
        return not self.marked[n]


@model
class Marks:
    """Those that nobody names count too."""

    marked: Map[Node, bool] = var(False)

    @action
    def mark(self, n: Node) -> None:
        self.marked[n] = True

    @always
    def few(self) -> bool:
        return count(Node, lambda n: self.marked[n]) < 2


@model
class Debts:
    """Where some owe, the sum may be less than what one of them has."""

    has: Map[Node, Annotated[int, Range(-1, 1)]] = var(any_of(0, -1))

    @action
    def get(self, n: Node) -> None:
        require(self.has[n] == 0)
        self.has[n] = 1

    @always
    def covered(self, n: Node) -> bool:
        return implies(self.has[n] == 1, total(Node, lambda m: self.has[m]) >= 1)


@model
class Seven:
    """`never_seven` is true and not proved, so that nothing may rest on it."""

    n: Annotated[int, Range(0, 8)] = var(0)

    @action
    def grow(self) -> None:
        require(self.n != 7 and self.n < 8)
        self.n += 2

    @always
    def never_seven(self) -> bool:
        return self.n != 7


@model
class Waits:
    """`break_it` waits for `open_it` and not for `rest`, which comes last: taken alone it would hide what breaks."""

    opened: bool = var(False)
    idle: bool = var(False)
    broken: bool = var(False)

    @action
    def open_it(self) -> None:
        require(not self.opened)
        self.opened = True

    @action
    def break_it(self) -> None:
        require(self.opened and not self.idle)
        self.broken = True

    @action
    def rest(self) -> None:
        require(not self.idle)
        self.idle = True

    @always
    def whole(self) -> bool:
        return not self.broken
