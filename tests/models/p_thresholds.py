"""More claims that are true with three members and false with four, each for a reason of its own."""

from __future__ import annotations

from meshspec import Map, Sort, action, always, count, exists, forall, implies, lemma, model, require, var


class Voter(Sort):
    """Has one vote."""


class Seat(Sort):
    """Holds one voter."""


@model
class Quorum:
    """Four votes carry the motion: with three voters nothing ever does."""

    voted: Map[Voter, bool] = var(False)
    carried: bool = var(False)

    @action
    def vote(self, v: Voter) -> None:
        self.voted[v] = True

    @action
    def carry(self) -> None:
        require(count(Voter, lambda v: self.voted[v]) >= 4)
        self.carried = True

    @always
    def never_carried(self) -> bool:
        return not self.carried


@model
class Succession:
    """Each hands over to one who never had the office: no four in a row where there are three."""

    after: Map[Voter, Voter | None] = var(None)
    served: Map[Voter, bool] = var(False)
    holder: Voter | None = var(None)

    @action
    def begin(self, v: Voter) -> None:
        require(self.holder is None)
        self.holder = v
        self.served[v] = True

    @action
    def hand_over(self, v: Voter, w: Voter) -> None:
        require(self.holder is v and not self.served[w])
        self.after[v] = w
        self.served[w] = True
        self.holder = w

    @always
    def no_four_in_a_row(self, a: Voter, b: Voter, c: Voter, d: Voter) -> bool:
        return not (self.after[a] is b and self.after[b] is c and self.after[c] is d)

    @lemma
    def who_follows_has_served(self, a: Voter, b: Voter) -> bool:
        return implies(self.after[a] is b, self.served[b])


@model
class Seats:
    """Each takes a seat of their own. Three seats suffice as long as there are not four voters who ask."""

    seat: Map[Voter, Seat | None] = var(None)
    taken: Map[Seat, bool] = var(False)
    turned_away: bool = var(False)
    asked: int = var(0)

    @action
    def sit(self, v: Voter, s: Seat) -> None:
        require(self.seat[v] is None and not self.taken[s])
        self.seat[v] = s
        self.taken[s] = True
        self.asked += 1

    @action
    def turn_away(self, v: Voter) -> None:
        require(self.asked >= 3 and self.seat[v] is None)
        self.turned_away = True

    @always
    def nobody_is_turned_away(self) -> bool:
        return not self.turned_away


@model
class Rounds:
    """A counter that grows once for all who are ready: how far it comes is how many there are."""

    ready: Map[Voter, bool] = var(True)
    rounds: int = var(0)

    @action
    def go(self, v: Voter) -> None:
        require(self.ready[v])
        self.ready[v] = False
        self.rounds += 1

    @always
    def at_most_three_rounds(self) -> bool:
        return self.rounds <= 3

    @always
    def rounds_are_not_negative(self) -> bool:
        return self.rounds >= 0


@model
class Pairwise:
    """Two may be marked beside any two who are not: false once four have met, said with nested quantifiers."""

    marked: Map[Voter, bool] = var(False)

    @action
    def mark(self, v: Voter) -> None:
        self.marked[v] = True

    @always
    def no_two_and_two(self) -> bool:
        return not exists(
            Voter,
            lambda a: exists(
                Voter,
                lambda b: (
                    a != b
                    and self.marked[a]
                    and self.marked[b]
                    and exists(
                        Voter,
                        lambda c: (
                            not self.marked[c]
                            and c != a
                            and c != b
                            and exists(Voter, lambda d: not self.marked[d] and d != a and d != b and d != c)
                        ),
                    )
                ),
            ),
        )

    @always
    def some_are_marked_or_none(self) -> bool:
        return forall(Voter, lambda v: not self.marked[v]) or exists(Voter, lambda v: self.marked[v])
