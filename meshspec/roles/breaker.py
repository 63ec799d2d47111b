"""The role `breaker`: what a loop breaker owes, as formulas over stories and decisions.

The contract is one method, ``observe(step) -> CONTINUE or TRIP(reason)``, called once for every step of a run. The
obligations are the paper's, not any package's promises. Each has a premise (which stories owe it) and a demand
(what the decisions on such a story must be).

In the premises *fresh* means different in every round, and a *check* is a step with a rank. Success is the success
of the call: a check that ran and reports five failures may well have succeeded, and that is what an error-rate
breaker cannot see.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal, Protocol

import attrs

from meshspec.roles.story import (
    FIELDS,
    HORIZON,
    ONCE,
    SHAPES,
    Call,
    Shape,
    Story,
    converges,
    length,
    multisets,
    prefixes,
)

Decision = Literal["CONTINUE", "TRIP"] | tuple[Literal["TRIP"], str]
"""What `observe` answers. Plain values, so that a policy need not import meshspec."""

CONTINUE: Final = "CONTINUE"


def TRIP(reason: str) -> Decision:
    """Stop the run, and why.

    >>> TRIP("the same call ten times over")
    ('TRIP', 'the same call ten times over')
    """
    return ("TRIP", reason)


class Breaker(Protocol):
    """A policy that watches a run and may stop it. A class with this method needs no adapter."""

    def observe(self, step: Call, /) -> Decision:
        """Decide on the run so far; called once for each step, in order, until it trips."""
        ...


@attrs.frozen
class Bound:
    """How long the stories are that are all driven: steps of a prefix, steps of a loop, steps in all."""

    prefix: int = 3
    loop: int = 3
    steps: int = HORIZON


@attrs.frozen
class Premise:
    """Which loops owe an obligation: one of `recurring`, with `between` other steps drawn from `others`."""

    recurring: tuple[int, ...]
    others: tuple[int, ...] = ()
    between: tuple[int, ...] = (0,)

    def loops(self, size: int) -> tuple[tuple[int, ...], ...]:
        """The loops of that size, up to order, simplest first."""
        return _loops(self.recurring, self.others, size) if size - 1 in self.between else ()


@cache
def _loops(recurring: tuple[int, ...], others: tuple[int, ...], size: int) -> tuple[tuple[int, ...], ...]:
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for first in recurring:
        for rest in itertools.combinations_with_replacement(others, size - 1):
            found.setdefault(tuple(sorted((first, *rest))), (first, *rest))
    return tuple(sorted(found.values()))


@attrs.frozen
class Obligation:
    """Something a breaker owes, whoever wrote it.

    Attributes:
        name: in words, a predicate of the policy.
        says: the obligation in one sentence.
        premise: the loops that owe it, after any prefix.
        must_trip: whether it must trip by the story's end, or never before it.
        rounds: demand the trip by this round of the loop instead of by the last step.
        stands_for: names of the paper's claims.
        in_production: what goes wrong where it is not kept.
    """

    name: str
    says: str
    premise: Premise
    must_trip: bool
    stands_for: tuple[str, ...]
    in_production: str
    rounds: int = 0

    def story(self, prefix: tuple[int, ...], loop: tuple[int, ...], one_tool: bool, field: str, steps: int) -> Story:
        """The story, unrolled far enough for this obligation to be judged on it."""
        enough = max(steps, len(prefix) + self.rounds * len(loop))
        return Story(prefix, loop, one_tool, field, enough)

    def stories(self, bound: Bound) -> Iterator[Story]:
        """All its stories within the bound, in every rendering, the shortest first; then in a fixed order."""
        for size in range(1, bound.prefix + bound.loop + 1):
            for before in range(max(0, size - bound.loop), min(bound.prefix, size - 1) + 1):
                for loop, prefix in itertools.product(self.premise.loops(size - before), prefixes(before)):
                    for one_tool, field in itertools.product((False, True), fields_of(loop)):
                        yield self.story(prefix, loop, one_tool, field, bound.steps)

    def count(self, bound: Bound) -> int:
        """How many stories :meth:`stories` goes through, every rendering counted."""
        loops = [loop for size in range(1, bound.loop + 1) for loop in self.premise.loops(size)]
        return 2 * multisets(len(ONCE), bound.prefix) * sum(len(fields_of(loop)) for loop in loops)

    def broken(self, story: Story, tripped: int | None) -> bool:
        """The formula: is the obligation broken on that story by a policy that first tripped at that step?

        A repair run ends with its green step; a trip on that very step stopped nothing.
        """
        if self.must_trip:
            return tripped is None
        return tripped is not None and not (converges(story) and tripped == length(story))

    def owed(self, story: Story, tripped: int | None) -> bool:
        """Whether the story was owed anything: a run that was stopped in its prefix never came to its loop."""
        return self.must_trip or tripped is None or tripped > len(story.prefix)


def fields_of(loop: tuple[int, ...]) -> tuple[str, ...]:
    """The names an irrelevant field is driven under: all of them where the loop has such a field."""
    return FIELDS if any(SHAPES[code].arguments == "nonce" for code in loop) else FIELDS[:1]


def shapes(
    *,
    arguments: str = "constant",
    text: str = "constant",
    rank: str = "absent constant",
    digest: str = "absent constant",
    success: str = "yes",
) -> tuple[int, ...]:
    """The shapes whose fields are among those named, as indices into :data:`meshspec.roles.story.SHAPES`.

    >>> [SHAPES[i].digest for i in shapes(rank="absent")]
    ['absent', 'constant']
    """

    def fits(shape: Shape) -> bool:
        return (
            shape.arguments in arguments.split()
            and shape.text in text.split()
            and shape.rank in rank.split()
            and shape.digest in digest.split()
            and ("yes" if shape.success else "no") in success.split()
        )

    return tuple(i for i, shape in enumerate(SHAPES) if fits(shape))


_ANY = "absent constant fresh"


@cache
def obligations() -> tuple[Obligation, ...]:
    """The seven obligations of a breaker that stories ask, in the order they are reported."""
    constant = shapes(success="yes no")
    stuck_check = shapes(rank="constant", success="yes no")
    noisy_check = shapes(text="fresh", rank="constant", success="yes no")
    edit = shapes(arguments="fresh", text="constant fresh", rank="absent", digest=_ANY, success="yes no")
    falling_check = shapes(text="constant fresh", rank="decreasing", digest="absent fresh", success="yes no")
    other = shapes(arguments="constant fresh", text="constant fresh", rank="absent", digest=_ANY, success="yes no")
    work = shapes(arguments="fresh", text="fresh", rank="absent", digest="absent fresh")
    return (
        Obligation(
            "trips-on-identical-success",
            "one and the same successful call over and over is stopped by step 54",
            Premise(shapes()),
            must_trip=True,
            stands_for=("PB-SUCCESS-BLIND", "PB-TRIP-BOUND"),
            in_production="An agent repeats a call that succeeds and learns nothing, until someone notices the bill.",
        ),
        Obligation(
            "trips-on-stuck-loop",
            "a check whose result never changes, bare or between steps with fresh arguments, is stopped by round 54",
            Premise(stuck_check, edit, between=(0, 1, 2)),
            must_trip=True,
            rounds=HORIZON,
            stands_for=("PB-NO-MISS",),
            in_production="An agent edits and re-runs a check that does not move; every edit looks like progress.",
        ),
        Obligation(
            "trips-on-stuck-loop-with-noisy-output",
            "a check that prints something new each time, and whose rank never moves, is stopped by round 54 too",
            Premise(noisy_check, edit, between=(0, 1, 2)),
            must_trip=True,
            rounds=HORIZON,
            stands_for=("PB-NO-MISS",),
            in_production="A test prints the time or a seed, and the breaker that compared outputs sees news.",
        ),
        Obligation(
            "trips-on-alternation",
            "two or three calls taken in turn, nothing ever changing, are stopped by step 54",
            Premise(constant, constant, between=(1, 2)),
            must_trip=True,
            stands_for=("PB-TRIP-BOUND",),
            in_production="Two calls taken in turn are never the same call twice running, so the loop goes unseen.",
        ),
        Obligation(
            "not-evaded-by-irrelevant-field",
            "identical success is stopped although one argument (a timestamp, a request id, a nonce) is always new",
            Premise(shapes(arguments="nonce")),
            must_trip=True,
            stands_for=("PB-CONTENT-KEY",),
            in_production="A client library adds a request id, and the breaker that compared arguments is blind.",
        ),
        Obligation(
            "lets-converging-repair-run",
            "a run whose check gets strictly better each round is not stopped before it is green",
            Premise(falling_check, other, between=(0, 1, 2)),
            must_trip=False,
            stands_for=("PB-NO-FALSE-TRIP", "PB-RANK", "PB-ADEQUATE"),
            in_production="A repair that was about to succeed is stopped because it kept running the same check.",
        ),
        Obligation(
            "lets-distinct-work-run",
            "54 successful steps with fresh arguments and fresh results, over one tool or two in turn, are let run",
            Premise(work, work, between=(0, 1)),
            must_trip=False,
            stands_for=("PB-NO-FALSE-TRIP",),
            in_production="A long and perfectly good job is stopped because its steps look alike from outside.",
        ),
    )
