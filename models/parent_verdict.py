"""Parent verdict: what is told of a whole is a stated predicate over all its parts, and everybody hears of it.

A run has steps, and filters that say which are wanted. It passes if something was wanted, and all that was wanted
has passed; it fails if something wanted has failed; else there is no verdict, and that is told as such. "Nothing has
failed" is another predicate, which is true of nothing at all: of an empty selection, of steps that are skipped, of a
step that is missing. Who listens from the start is told the end; so is who comes after it.
"""

from enum import Enum

from meshspec import (
    Map,
    Sort,
    action,
    always,
    any_of,
    eventually,
    exists,
    forall,
    implies,
    leads_to,
    lemma,
    model,
    require,
    sometimes,
    var,
)


class Part(Sort):
    """A step of a run."""


class Listener(Sort):
    """Whoever wants to know how it ended."""


class Came(Enum):
    """What came of a step."""

    NOTHING = 0  # it was not looked at, or what looks at it is missing
    SKIPPED = 1
    PASSED = 2
    FAILED = 3


class Told(Enum):
    """What is told of the run."""

    NOT_YET = 0
    PASSED = 1
    FAILED = 2
    NO_VERDICT = 3


@model
class ParentVerdict:
    """One run."""

    by_name: Map[Part, bool] = var(any_of(True, False))  # what each of two filters lets through
    by_kind: Map[Part, bool] = var(any_of(True, False))
    came: Map[Part, Came] = var(Came.NOTHING)
    told: Told = var(Told.NOT_YET)
    listens: Map[Listener, bool] = var(False)
    heard: Map[Listener, bool] = var(False)

    def wanted(self, p: Part) -> bool:
        return self.by_name[p] and self.by_kind[p]

    def all_passed(self) -> bool:
        return forall(Part, lambda p: not self.wanted(p) or self.came[p] is Came.PASSED)

    def sum_up(self) -> Told:
        if exists(Part, lambda p: self.wanted(p) and self.came[p] is Came.FAILED):
            return Told.FAILED
        if self.all_passed() and exists(Part, lambda p: self.wanted(p)):
            return Told.PASSED
        return Told.NO_VERDICT

    def has_come(self) -> bool:
        """Whether there is an end to be told."""
        return self.told is not Told.NOT_YET

    def is_told(self, u: Listener) -> bool:
        """Who is told: whoever listens and has not heard, whenever it came."""
        return self.listens[u] and not self.heard[u]

    @action
    def run(self, p: Part, came: Came) -> None:
        require(self.told is Told.NOT_YET and self.wanted(p))
        require(self.came[p] is Came.NOTHING and came is not Came.NOTHING)
        self.came[p] = came

    @action
    def tell(self) -> None:
        """Whether or not everything has run: time is up."""
        require(self.told is Told.NOT_YET)
        self.told = self.sum_up()

    @action
    def listen(self, u: Listener) -> None:
        require(not self.listens[u])
        self.listens[u] = True

    @action
    def hear(self, u: Listener) -> None:
        require(self.has_come() and self.is_told(u))
        self.heard[u] = True

    @always
    def passed_means_that_all_passed(self, p: Part) -> bool:
        return implies(self.told is Told.PASSED and self.wanted(p), self.came[p] is Came.PASSED)

    @always
    def passed_means_that_something_ran(self) -> bool:
        return implies(self.told is Told.PASSED, exists(Part, lambda p: self.came[p] is Came.PASSED))

    @always
    def a_failure_is_told(self, p: Part) -> bool:
        came_out = self.told is not Told.NOT_YET and self.came[p] is Came.FAILED
        return implies(came_out, self.told is Told.FAILED)

    @always
    def only_an_end_that_has_come_is_heard(self, u: Listener) -> bool:
        return implies(self.heard[u], self.told is not Told.NOT_YET and self.listens[u])

    @eventually
    def whoever_listens_hears_the_end(self, u: Listener) -> bool:
        return leads_to(self.listens[u] and self.told is not Told.NOT_YET, self.heard[u])

    @sometimes
    def it_passes(self) -> bool:
        return self.told is Told.PASSED

    @sometimes
    def nothing_was_wanted(self) -> bool:
        return self.told is not Told.NOT_YET and not exists(Part, lambda p: self.wanted(p))

    @lemma
    def only_what_is_wanted_runs(self, p: Part) -> bool:
        return implies(self.came[p] is not Came.NOTHING, self.wanted(p))
