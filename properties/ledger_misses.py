"""How often a re-composed call is not recognised: the miss rate of a ledger, counted out and in a closed form.

An agent that retries does not replay its call, it composes it again: each argument may come out in another phrasing
of the same intent. A ledger that knows contents alone matches the retry only where every argument comes out in the
same canonical form. With phrasings drawn independently, argument i in class j with the probability w(i, j),

    miss = 1 - product over i of (sum over j of w(i, j)**2),

and among m attempts the ledger executes, on average, the sum over contents c of 1 - (1 - p(c))**m, where p(c) is the
product of its w(i, j). Neither is a constant: it is 0 with one canonical form for each argument, and as near to 1 as
one likes with many. Everything is exact, in fractions.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from meshspec.settle import shows

Phrasings = Mapping[str, Fraction]
"""The phrasings of one argument, with how often the agent uses each."""


def canonical(argument: Phrasings, form: Mapping[str, str]) -> Phrasings:
    """The argument as a canonical form leaves it: phrasings that it maps to one are one."""
    merged: dict[str, Fraction] = {}
    for phrasing, weight in argument.items():
        key = form.get(phrasing, phrasing)
        merged[key] = merged.get(key, Fraction(0)) + weight
    return merged


def compositions(call: Sequence[Phrasings]) -> dict[tuple[str, ...], Fraction]:
    """Every content in which one intent can come out, with how often it does."""
    return {
        content: math.prod((argument[word] for argument, word in zip(call, content, strict=True)), start=Fraction(1))
        for content in itertools.product(*call)
    }


def counted_misses(call: Sequence[Phrasings]) -> Fraction:
    """How often a retry has another content than the first attempt, by going through all pairs."""
    contents = compositions(call)
    pairs = itertools.product(contents.items(), repeat=2)
    return Fraction(sum(p * q for (one, p), (other, q) in pairs if one != other))


def misses(call: Sequence[Phrasings]) -> Fraction:
    """The same in a closed form."""
    again = Fraction(1)
    for argument in call:
        again *= Fraction(sum(weight * weight for weight in argument.values()))
    return 1 - again


def counted_executions(call: Sequence[Phrasings], attempts: int) -> Fraction:
    """How many contents a ledger executes in so many attempts at one intent, by going through all runs."""
    runs = itertools.product(compositions(call).items(), repeat=attempts)
    return Fraction(sum(math.prod(p for _, p in run) * len({content for content, _ in run}) for run in runs))


def executions(call: Sequence[Phrasings], attempts: int) -> Fraction:
    """The same in a closed form."""
    return sum((1 - (1 - p) ** attempts for p in compositions(call).values()), start=Fraction(0))


def evenly(phrasings: int) -> Phrasings:
    return {f"phrasing {n}": Fraction(1, phrasings) for n in range(phrasings)}


SEND_A_MESSAGE: Sequence[Phrasings] = (
    {"#general": Fraction(9, 10), "general": Fraction(1, 10)},  # a channel, by either of its names
    {"done": Fraction(1, 2), "it is done": Fraction(1, 4), "finished": Fraction(1, 4)},  # a text, freely worded
)


@shows("EL-MISS")
def the_closed_form_is_what_counting_finds() -> None:
    """For evenly and unevenly used phrasings, one to three arguments, and up to four attempts."""
    calls = [
        SEND_A_MESSAGE,
        *([evenly(n)] * arguments for n in (1, 2, 3) for arguments in (1, 2, 3)),
        ({"a": Fraction(1, 3), "b": Fraction(2, 3)}, evenly(4)),
    ]
    for call in calls:
        assert counted_misses(call) == misses(call)
        assert executions(call, 2) == 1 + misses(call), "a second execution is a miss"
    for call, attempts in ((SEND_A_MESSAGE, 3), ([evenly(2)] * 2, 4)):
        assert counted_executions(call, attempts) == executions(call, attempts)


@shows("EL-MISS")
def a_miss_rate_is_no_constant() -> None:
    """It is 0 with one form for each argument; with n even phrasings of k arguments it is 1 - n**-k, and nears 1."""
    assert misses([evenly(1)] * 5) == 0
    for n, k in itertools.product(range(2, 6), range(1, 5)):
        assert 0 < misses([evenly(n)] * k) == 1 - Fraction(1, n**k)
    assert misses([evenly(1000)] * 3) > Fraction(999_999, 1_000_000)


@shows("EL-MISS", "EL-CONTENT-ADDR")
def a_canonical_form_takes_away_what_it_knows_of_and_no_more() -> None:
    """Names can be made one; free wording cannot, unless different intents are merged with it."""
    channel, text = SEND_A_MESSAGE
    by_name = canonical(channel, {"general": "#general"})
    assert misses([by_name]) == 0
    assert 0 < misses([by_name, text]) == misses([text]) < misses(SEND_A_MESSAGE)
    without_text = canonical(text, dict.fromkeys(text, "any text"))
    another_intent: Phrasings = {"it has failed": Fraction(1)}
    assert misses([by_name, without_text]) == 0
    assert set(without_text) == set(canonical(another_intent, {"it has failed": "any text"})), (
        "and two intents are one"
    )
