"""Bodies that are hard to read symbolically: what is lifted rightly, what is refused, what only looks right.

`Right` must mean what CPython means. In `Refused` and `Silent` the line that is to blame ends in a comment that says
so; the tests find it there.
"""

from __future__ import annotations

import functools
import random
from enum import Enum, IntEnum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    SetOf,
    Sort,
    action,
    always,
    any_of,
    choose,
    count,
    each,
    exists,
    forall,
    implies,
    model,
    require,
    total,
    var,
)


class Worker(Sort):
    """Somebody."""


class Phase(Enum):
    A = 0
    B = 1
    C = 2

    @property
    def late(self) -> bool:
        return self is not Phase.A


class Level(IntEnum):
    LOW = 1
    HIGH = 3


def distance(x: int, y: int = 1) -> int:
    return x + y if x > y else y - x


def three_more(n: int, left: int = 3) -> int:
    return n if left == 0 else three_more(n + 1, left - 1)


def endless(n: int) -> int:
    return 0 if n <= 0 else 1 + endless(n - 1)


@functools.lru_cache
def remembered(n: int) -> int:
    return n + 1


def hidden() -> list[int]:
    return HIDDEN


HIDDEN = [0]
counted = 0


@model
class State:
    """The variables that all the bodies share."""

    limit: int = 2
    weight: Map[Worker, int] = Map(1, {Worker(0): 2})
    p: Phase = var(Phase.A)
    b: bool = var(False)
    c: bool = var(False)
    i: int = var(0)
    j: int = var(0)
    k: Annotated[int, Range(0, 3)] = var(0)
    m: Map[Worker, int] = var(0)
    f: Map[Worker, bool] = var(False)
    q: Map[Phase, bool] = var(False)
    held: Map[tuple[Worker, Worker], bool] = var(False)
    o: Worker | None = var(None)
    maybe: int | None = var(None)
    owner: Map[Worker, Worker | None] = var(None)
    boss: Worker = var(any_of(Worker))
    s: SetOf[Worker] = var()

    @property
    def big(self) -> bool:
        return self.i > self.limit


@model
class Right(State):
    """Every body here must be lifted and must mean what CPython means."""

    # -- row 1: ordinary Python

    @action
    def match(self) -> None:
        match self.p:
            case Phase.A:
                self.p = Phase.B
            case Phase.B | Phase.C:
                self.p = Phase.A

    @action
    def in_a_tuple(self) -> None:
        require(self.p in (Phase.A, Phase.B))
        self.b = True

    @action
    def in_a_range(self) -> None:
        require(self.i in range(4))
        self.i += 1

    @action
    def chain(self) -> None:
        require(0 <= self.i < self.limit <= self.j)
        self.i += 1

    @action
    def walrus_and_early_return(self, x: Worker) -> None:
        if (n := self.m[x]) > 3:
            return
        self.m[x] = n + 1

    @action
    def helper_property_and_default(self) -> None:
        require(self.big)
        self.j = distance(self.i)

    @action
    def default_of_a_parameter(self, k: Annotated[int, Range(0, 2)] = 1) -> None:
        self.i += k

    @action
    def comprehension(self) -> None:
        self.i = sum([v * v for v in (self.i, self.j)])
        self.b = all(v > 0 for v in (self.i, self.j))

    @action
    def max_min_abs(self) -> None:
        self.i = max(self.i, self.j, 3)
        self.j = min(abs(self.j), 5)

    @action
    def sorted_ints(self) -> None:
        self.i, self.j = sorted([self.i, self.j])

    @action
    def bounded_recursion(self) -> None:
        self.i = three_more(self.i)

    @action
    def caught_division(self) -> None:
        try:
            self.i = 7 // self.j
        except ZeroDivisionError:
            self.i = 0

    @action
    def two_keys_possibly_equal(self, x: Worker, y: Worker) -> None:
        self.m[x] = 1
        self.m[y] = 2
        if self.m[x] == 2:
            self.b = True

    @action
    def read_after_write(self, x: Worker, y: Worker) -> None:
        self.m[x] += 1
        self.m[y] += self.m[x]

    @action
    def optional_equals_none(self, x: Worker) -> None:
        if self.o == None:  # noqa: E711  # what authors write
            self.o = x

    @action
    def optional_truth(self, x: Worker) -> None:
        if not self.o:
            self.o = x

    @action
    def optional_steps(self, x: Worker) -> None:
        if self.o is None:
            self.o = x
        elif self.o == x:
            self.o = None
        else:
            self.i += 1

    @action
    def optional_int(self) -> None:
        require(self.maybe is not None and self.maybe > 0)
        self.maybe = None if self.maybe == 1 else self.maybe - 1  # type: ignore[operator]  # required above

    @action
    def optional_in_a_map(self, x: Worker, y: Worker) -> None:
        require(self.owner[x] != y)
        self.owner[y] = self.owner[x]

    @action
    def whole_map(self, x: Worker) -> None:
        self.m = each(Worker, lambda k: 0 if k == x or self.f[k] else self.m[k] + 1)
        if self.m[x] == 0:
            self.b = True

    @action
    def whole_map_reads_that_moment(self, x: Worker) -> None:
        self.m[x] = 4
        doubled = each(Worker, lambda k: 2 * self.m[k])
        self.m[x] = 0
        self.m = doubled

    @action
    def whole_map_of_optionals(self, x: Worker) -> None:
        self.owner = each(Worker, lambda k: x if self.f[k] else None)

    @action
    def whole_map_over_an_enum(self) -> None:
        self.q = each(Phase, lambda p: p == self.p or self.q[p])

    @action
    def nested_quantifiers(self) -> None:
        require(exists(Worker, lambda x: forall(Worker, lambda y: self.m[x] >= self.m[y] and (x == y or self.f[x]))))
        self.i = count(Worker, lambda x: self.f[x])
        self.j = total(Worker, lambda x: self.m[x])

    @action
    def quantifier_over_an_enum(self) -> None:
        self.b = exists(Phase, lambda p: self.q[p] and p is not Phase.A)
        self.i = count(Phase, lambda p: self.q[p])

    @action
    def alias_of_a_map(self, x: Worker) -> None:
        same = self.m
        same[x] = 4
        self.i = self.m[x]

    @action
    def saved_map_is_no_copy(self, x: Worker) -> None:
        old = self.m
        self.m[x] = 4
        if old[x] == 4:
            self.b = True

    @action
    def choice(self) -> None:
        n = choose(range(3))
        w = choose(Worker)
        require(self.m[w] > n)
        self.m[w] -= n

    @action
    def choice_among_two_domains(self) -> None:
        self.i = choose(range(1, 4)) if self.b else choose(range(3))

    @action
    def set_of_members(self, x: Worker) -> None:
        if x in self.s:
            self.s.discard(x)
        else:
            self.s.add(x)

    @action
    def two_keys(self, x: Worker, y: Worker) -> None:
        require(not self.held[x, y])
        self.held[x, y] = True
        self.held[y, x] = self.held[x, x]

    @action
    def key_from_the_state(self, x: Worker, y: Worker) -> None:
        require(self.o is not None and self.m[self.o] == 1 and self.o != x)
        assert self.o is not None
        self.m[self.o] = 2
        self.m[x] = 3
        self.o = y

    @action
    def constant_table(self, x: Worker) -> None:
        require(self.m[x] + self.weight[x] <= self.limit)
        self.m[x] += self.weight[x]

    @action
    def instance_test(self) -> None:
        if isinstance(self.i, int):  # pyright: ignore[reportUnnecessaryIsInstance]  # the trap
            self.b = True
        if isinstance(self.b, int):  # pyright: ignore[reportUnnecessaryIsInstance]  # the trap
            self.c = True
        if isinstance(self.i, bool):
            self.j = 9
        if isinstance(self.p, Phase):  # pyright: ignore[reportUnnecessaryIsInstance]  # the trap
            self.i = 1

    @action
    def class_pattern(self) -> None:
        match self.i:
            case int():
                self.j = 1
            case _:
                self.j = 2

    @action
    def truth_of_an_int(self) -> None:
        if self.i:
            self.b = True
        self.i = self.i or 3

    @action
    def equal_to_another_type(self, x: Worker) -> None:
        if self.p == 1:  # type: ignore[comparison-overlap]  # False, and must stay it
            self.b = True
        if self.i == "x":  # type: ignore[comparison-overlap]  # the same
            self.c = True
        if x == self.p:  # type: ignore[comparison-overlap]  # the same
            self.j = 1

    @action
    def equal_to_an_int_enum(self) -> None:
        self.b = self.i == Level.HIGH
        self.c = self.j < Level.LOW

    @action
    def parameter_with_the_name_of_a_bound(self, worker_0: Worker) -> None:
        require(forall(Worker, lambda w: self.m[w] >= self.m[worker_0]))
        self.b = True

    # -- row 2: what only the real value can do

    @action
    def enum_is(self) -> None:
        require(self.p is Phase.B)
        self.b = True

    @action
    def enum_is_not(self) -> None:
        require(self.p is not Phase.B)
        self.b = True

    @action
    def bool_is_true(self) -> None:
        if bool(self.b) is True:
            self.i = 1
        if self.c is True:
            self.i = 2
        if (self.i < 3) is True:
            self.j = 2

    @action
    def none_is(self, x: Worker) -> None:
        if self.o is not None:
            self.o = None
        else:
            self.o = x

    @action
    def case_true_case_none(self) -> None:
        match self.b:
            case True:
                self.i = 1
            case False:
                self.i = 2
        match self.o:
            case None:
                self.j = 1
            case _:
                self.j = 2

    @action
    def sum_of_flags(self) -> None:
        self.i = sum((self.b, self.c))
        self.j = int(self.b) + self.c

    @action
    def bit_operators_on_flags(self) -> None:
        self.b = (self.i > 0) & self.c
        self.c = not (self.b | self.c)

    @action
    def dict_of_an_enum(self) -> None:
        self.i = {Phase.A: 1, Phase.B: 2, Phase.C: 3}[self.p]

    @action
    def set_of_enums(self) -> None:
        require(self.p in {Phase.A, Phase.B})
        self.b = True

    @action
    def enum_value(self) -> None:
        self.i = self.p.value

    @action
    def enum_name(self) -> None:
        require(self.p.name == "B")
        self.b = True

    @action
    def enum_property(self) -> None:
        require(self.p.late)
        self.b = True

    @action
    def fstring_of_a_bool(self) -> None:
        self.i = len(f"{self.b}")

    # -- row 3: members of sorts

    @action
    def sort_is(self, x: Worker, y: Worker) -> None:
        if x is y:
            self.b = True

    @action
    def sort_in_a_set(self, x: Worker, y: Worker) -> None:
        if len({x, y}) == 1:
            self.b = True

    @action
    def sort_from_the_state_is(self, x: Worker) -> None:
        if x is self.boss:
            self.b = True
        self.boss = x

    # -- row 5: integers

    @action
    def floor_division(self) -> None:
        require(self.j != 0)
        self.i, self.j = self.i // self.j, self.i % self.j

    @action
    def division_by_a_negative(self) -> None:
        self.i = self.i // -2
        self.j = self.j % -3

    @action
    def division_by_zero(self) -> None:
        self.i = 7 // self.j

    @action
    def smallest_int(self) -> None:
        self.i = -self.i
        self.j = abs(self.j) - 1

    # -- row 6: other exceptions

    @action
    def assertion(self) -> None:
        assert self.i < 3, "too big"
        self.i += 1

    @action
    def raising(self) -> None:
        if self.b:
            raise KeyError("x")
        self.i = 1

    # -- claims

    @always
    def claim_that_raises(self, x: Worker) -> bool:
        return 6 // self.m[x] > 1

    @always
    def claim_with_implies(self, x: Worker, y: Worker) -> bool:
        return implies(self.f[x] and x is not y, self.m[x] <= self.m[y])

    @always
    def claim_with_an_exists(self) -> bool:
        return self.o is None or exists(Worker, lambda w: self.owner[w] == self.o and self.m[w] % 2 == 1)


@model
class Deep(State):
    """The same behind a condition that no random state meets; a lazy reading passes every random test here."""

    @action
    def deep_sort_is(self, x: Worker, y: Worker) -> None:
        require(self.i == 1234567 and self.j == -99 and self.f[x])
        if x is y:
            self.b = True

    @action
    def deep_enum_is(self) -> None:
        require(self.i == 1234567 and self.j == -99)
        if self.p is Phase.C:
            self.b = True

    @action
    def deep_bool_is(self) -> None:
        require(self.i == 1234567 and self.j == -99)
        if self.c is True:
            self.b = True


@model
class Refused(State):
    """Every body here must be refused, at the line that says so."""

    @action
    def dict_of_an_int(self) -> None:
        self.i = {0: 1}.get(self.i, 5)  # refused: hashed

    @action
    def set_of_ints(self) -> None:
        require(self.i in {1, 2})  # refused: hashed
        self.b = True

    @action
    def list_by_an_int(self) -> None:
        self.i = [1, 2, 3][self.i]  # refused: cannot index a list

    @action
    def slice_by_an_int(self) -> None:
        self.i = len([1, 2, 3][: self.i])  # refused: cannot index a list

    @action
    def range_of_an_int(self) -> None:
        for _ in range(self.i):  # refused: bound a range
            self.j += 1

    @action
    def formatted_int(self) -> None:
        self.i = len(f"{self.i}")  # refused: cannot be formatted

    @action
    def formatted_in_a_message(self) -> None:
        require(self.i > 0, f"{self.i} is too small")  # refused: cannot be formatted
        self.b = True

    @action
    def compared_with_a_float(self) -> None:
        require(self.i < 2.5)  # refused: integers only
        self.b = True

    @action
    def float_of_an_int(self) -> None:
        require(float(self.i) > 1)  # refused: integers only
        self.b = True

    @action
    def true_division(self) -> None:
        require(self.i / 2 > 1)  # refused: truediv
        self.b = True

    @action
    def power(self) -> None:
        self.i = self.i**2  # refused: pow

    @action
    def shifted(self) -> None:
        self.i = self.i << 1  # refused: lshift

    @action
    def method_of_an_int(self) -> None:
        self.i = self.i.bit_length()  # refused: bit_length

    @action
    def cached_by_an_int(self) -> None:
        self.i = remembered(self.i)  # refused: hashed

    @action
    def loop_over_a_sort(self) -> None:
        for x in Worker:  # refused: forall/exists/count/total/each(Worker
            self.f[x] = False

    @action
    def any_over_a_sort(self) -> None:
        require(any(self.f[x] for x in Worker))  # refused: forall/exists/count/total/each(Worker
        self.b = True

    @action
    def length_of_a_sort(self) -> None:
        require(self.i < len(Worker))  # refused: taking its length
        self.b = True

    @action
    def order_of_members(self, x: Worker, y: Worker) -> None:
        require(x < y)  # type: ignore[operator]  # refused: no order
        self.b = True

    @action
    def attribute_of_a_member(self, x: Worker) -> None:
        self.i = x.index  # refused: nothing but equality

    @action
    def member_by_name(self, x: Worker) -> None:
        require(x == Worker(0))  # refused: particular member
        self.b = True

    @action
    def key_of_another_sort(self) -> None:
        self.b = self.f[self.p]  # type: ignore[index]  # refused: the key must be Worker

    @action
    def constant_assigned(self) -> None:
        self.limit = 3  # refused: 'limit' is a constant

    @action
    def entry_of_a_constant_assigned(self, x: Worker) -> None:
        self.weight[x] = 3  # refused: weight is a constant

    @action
    def misspelt_variable(self) -> None:
        self.ii = 3  # pyright: ignore[reportAttributeAccessIssue]  # refused: its variables are p, b, c, i, j, k, m

    @action
    def bool_into_an_int(self) -> None:
        self.i = self.b  # refused: a bool is not an int here

    @action
    def none_into_an_int(self) -> None:
        self.i = None  # type: ignore[assignment]  # refused: may not be None unless declared `int | None`

    @action
    def int_enum_into_an_int(self) -> None:
        self.i = Level.LOW  # refused: i is int; LOW is not one

    @action
    def deleted(self) -> None:
        del self.i  # refused: cannot be deleted

    @action
    def map_copied(self) -> None:
        self.owner = self.m  # type: ignore[assignment]  # refused: maps are not copied

    @action
    def each_read_directly(self, x: Worker) -> None:
        self.i = each(Worker, lambda k: self.m[k])[x]  # refused: assigned to a map and nothing else

    @action
    def write_in_a_quantifier(self) -> None:
        require(forall(Worker, lambda x: not self.f.__setitem__(x, True)))  # type: ignore[func-returns-value]  # refused: inside a quantifier
        self.b = True

    @action
    def raise_in_a_quantifier(self) -> None:
        require(forall(Worker, lambda x: 1 // self.m[x] > 0))  # refused: may not raise
        self.b = True

    @action
    def endless_recursion(self) -> None:
        self.i = endless(self.i)  # refused-anywhere: more than 1024 cases

    @action
    def random_number(self) -> None:
        require(self.i > random.random() * 2)  # refused: integers only
        self.b = True

    @action
    def random_bool(self) -> None:
        require((self.i > 0) if next(FLIP) else (self.j > 0))  # refused: not deterministic
        self.b = True

    @action
    def hidden_state(self) -> None:
        HIDDEN[0] += 1
        if HIDDEN[0] % 2:
            require(self.i > 0)  # refused: not deterministic
        self.b = True

    @action
    def swallowed(self) -> None:
        try:
            require({0: 1}.get(self.i, 5) == 1)  # refused: hashed
        except Exception:
            self.b = True
        self.c = True

    @action
    def late_require(self, x: Worker) -> None:
        self.m[x] += 1
        require(self.m[x] < 5)  # refused: before the first assignment


class _Flip:
    """Answers another way each time."""

    def __init__(self) -> None:
        self.last = False

    def __next__(self) -> bool:
        self.last = not self.last
        return self.last


FLIP = _Flip()


@model
class Silent(State):
    """No handle can notice these: the scan of the code that ran must, or the certificate."""

    @action
    def type_is_int(self) -> None:
        if type(self.i) is int:  # scan: looks past the value
            self.b = True

    @action
    def int_is(self) -> None:
        if self.i is self.j:  # scan: `is` looks at the object
            self.b = True

    @action
    def int_is_a_literal(self) -> None:
        require(self.i == 1234567 and self.j > -99)
        if self.j is THREE:  # scan: `is` looks at the object
            self.b = True

    @action
    def identity(self) -> None:
        if id(self.i) == id(self.j):  # scan: looks past the value
            self.b = True

    @action
    def global_counter(self) -> None:
        global counted
        counted += 1  # scan: hidden state
        self.b = True


THREE = 3


@model
class OnlyTheCertificate(State):
    """Lifted, passed by the scan, and wrong."""

    @action
    def hidden_counter(self) -> None:
        HIDDEN[0] += 1
        self.i = HIDDEN[0]

    @action
    def identity_in_c(self) -> None:
        if IS(self.i, self.j):
            self.b = True

    @action
    def deep_identity_in_c(self) -> None:
        require(self.i == 1234567 and self.j >= -99)
        if IS(self.j, THREE):
            self.b = True

    @action
    def member_in_a_set_of_ours(self, x: Worker) -> None:
        if x in FIRST:
            self.b = True


IS = __import__("operator").is_
FIRST = {Worker(0)}
