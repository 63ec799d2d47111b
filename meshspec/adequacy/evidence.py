"""Evidence adequacy: it can move, it is about what it measures, it is the same under equal conditions.

A decision on evidence that cannot move is none; on evidence that moves for another reason it is about that reason;
on evidence that differs from look to look it is a lot drawn. A fourth demand is ours: *determinate*. Where the
evidence fits two worlds that want different answers, any answer is wrong in one of them, and only abstaining is not.
The first three do not say so: a function may meet them all and still name one of two owners.

*Sound when* the outcomes, inputs and worlds that are given can be met. *Misses* all others, what a function remembers
from one call to the next beyond what asking twice shows, and what it reads besides: the clock, the host, files, the
working folder. Values that cannot be compared (NaN, a plain object, a generator, a coroutine) are neither equal nor
unequal, and a call that takes ten seconds is no answer; both are told as UNDETERMINED.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from meshspec.adequacy.elsewhere import Asked, elsewhere
from meshspec.adequacy.fields import grouped, mixed
from meshspec.adequacy.function import (
    Function,
    Given,
    Incomparable,
    NoAnswer,
    Said,
    equal,
    function_of,
    same,
    size_of,
    text_of,
)
from meshspec.adequacy.said import Shown, Tally, literal, replay
from meshspec.adequacy.states import states_of
from meshspec.adequacy.worlds import HASH_SEEDS, LOCALES, TIME_LIMIT, worlds
from meshspec.answer import Finding
from meshspec.errors import UsageError
from meshspec.lang.declare import is_model
from meshspec.sorts import Sort
from meshspec.sorts import scope as in_scope

MANY = 10_000
"""How many inputs are taken unless told otherwise; an iterable may have no end."""
_RAISED = "it raised"
_FEWER = "a larger limit, or fewer inputs"


def moves(
    function: Given, outcomes: Any, *, scope: Mapping[type[Sort], int] | None = None, limit: int = MANY
) -> Finding:
    """Do two outcomes that can come about give different values?

    `outcomes` are what the function is asked about, or a model, which is then explored in `scope` and whose states
    are. HOLDS with two outcomes whose values differ; VIOLATED with two that do not, where none do; UNDETERMINED where
    `limit` outcomes gave one value and there are more, or no two values that can be compared differ and some cannot
    be; VACUOUS where fewer than two have a value.

    >>> moves(lambda names: len(names), [{"check"}, {"check", "import"}]).answer.value
    'HOLDS'
    >>> moves(lambda names: "check" in names, [{"check"}, {"check", "import"}]).answer.value
    'VIOLATED'
    """
    tally = Tally(function_of(function), "moves", "outcomes")
    model = outcomes if isinstance(outcomes, type) else type(outcomes)
    if not is_model(model):
        if scope is not None:
            raise UsageError("a scope belongs to a model; give moves() a model, or outcomes alone")
        taken, more = _taken(cast("Iterable[object]", outcomes), limit)
        told = sorted(((given, text_of(given)) for given in taken), key=lambda each: size_of(each[0]))
        return _moves(tally, told, f"{limit:,} outcomes" if more else "")
    with in_scope(scope or {}):
        states = states_of(outcomes, scope or {}, limit)
        found = _moves(tally, states.told(), states.cut)
        if found.strength is None or states.cut:
            return found
        return tally.holds_everywhere(len(states), states.sizes, found.reason)


def _moves(tally: Tally, outcomes: Iterable[tuple[object, str]], cut: str) -> Finding:
    """Of outcomes with what they are called, those to be shown first."""
    values: list[tuple[object, str, Said]] = []
    unsure: Incomparable | None = None
    try:
        for outcome, text in outcomes:
            said = tally.function.ask(outcome)
            if said.kind == "raised":
                return tally.violated(_raised(tally.function, outcome, said, text), _RAISED)
            if said.kind == "refused":
                tally.refused.append(text)
                continue
            tally.asked += 1
            try:
                moved = not same(values[0][2].value if values else said.value, said.value)
            except Incomparable as error:
                unsure = unsure or error
                continue
            values.append((outcome, text, said))
            if moved:
                return tally.ended("", [f"{told} gives {gave.text}" for _, told, gave in (values[0], values[-1])])
    except NoAnswer as error:
        return tally.undetermined(str(error), error.settles)
    if unsure is not None:
        tally.asked = len(values)
        return tally.undetermined(str(unsure), unsure.settles)
    if cut:
        return tally.undetermined(f"cut off by {cut}, no two of which differ", _FEWER)
    if len(values) < 2:
        tally.asked = 0
        return tally.ended("fewer than two outcomes have a value, so there is nothing to tell apart")
    (one, told_one, first), (other, told_other, second) = values[:2]
    failed = f"the values are equal, as are those of all {len(values):,} outcomes"
    again = _again(tally.function, one, other)
    shown = Shown(one, other, (first, second), failed, again, texts=(told_one, told_other))
    return tally.violated(shown, "it cannot move")


def attributable(
    function: Given,
    inputs: Iterable[object],
    measures: Sequence[str] | Callable[[Any], object],
    *,
    limit: int = MANY,
) -> Finding:
    """Does it depend on nothing but what it measures?

    `measures` are the names of the fields that it measures: of each input (a mapping or a named tuple) every other
    field is then given the values that it has in the other inputs, one at a time, then all at once. Or it is a
    function: inputs of which it says the same are compared. VIOLATED with two inputs in which what is measured is
    the same and the value is not; VACUOUS where nothing else varied; UNDETERMINED where more than `limit` pairs
    would have to be compared.

    >>> runs = [{"failed": 0, "hour": 9}, {"failed": 2, "hour": 17}]
    >>> attributable(lambda run: run["failed"] + run["hour"] // 12, runs, ["failed"]).answer.value
    'VIOLATED'
    >>> attributable(lambda run: run["failed"] > 0, runs, ["failed"]).answer.value
    'HOLDS'
    """
    tally = Tally(function_of(function), "attributable", "pairs")
    taken, more = _taken(inputs, limit)
    taken.sort(key=size_of)
    pairs = grouped(taken, measures) if callable(measures) else mixed(taken, measures)
    what = "what it measures" if callable(measures) else ", ".join(measures)
    shown: list[Shown] = []
    try:
        for number, (one, other) in enumerate(pairs):
            if number >= limit:
                more = True
                break
            said = tally.function.ask(one), tally.function.ask(other)
            if "raised" in (said[0].kind, said[1].kind):
                bad = 0 if said[0].kind == "raised" else 1
                return tally.violated(_raised(tally.function, (one, other)[bad], said[bad]), _RAISED)
            if "refused" in (said[0].kind, said[1].kind):
                tally.refused.append(text_of(one if said[0].kind == "refused" else other))
                continue
            tally.asked += 1
            if not same(said[0].value, said[1].value):
                failed = f"the values are not equal, and {what} is the same in both"
                shown.append(Shown(one, other, said, failed, _again(tally.function, one, other)))
    except Incomparable as error:
        return tally.undetermined(str(error), error.settles)
    if shown:
        shown.sort(key=lambda each: size_of(each.one) + size_of(each.other))
        return tally.violated(shown[0], f"{len(shown)} of {tally.asked} pairs differ in something else alone")
    if more:
        return tally.undetermined(f"cut off by {limit:,} pairs or inputs", _FEWER)
    nothing = f"no two inputs have {what} in common and differ in something else"
    return tally.ended(nothing, of=tally.asked + len(tally.refused))


def deterministic(
    function: Given,
    inputs: Iterable[object],
    key: Callable[[Any], object] | None = None,
    *,
    pythons: Sequence[str] = (sys.executable,),
    hash_seeds: Sequence[int] = HASH_SEEDS,
    locales: Sequence[str] = LOCALES,
    time_limit: float = TIME_LIMIT,
    limit: int = MANY,
) -> Finding:
    """Does the same key always have the same outcome?

    Each input is asked twice, then all in the opposite order, then in other processes under other conditions. With a
    `key`, inputs of one key are held to one outcome as well: what the key leaves out must not matter. VIOLATED with
    the two askings that differ; UNDETERMINED for the part that no other process can be asked; VACUOUS without an
    input, or where all are refused.
    """
    tally = Tally(function_of(function), "deterministic", "comparisons")
    taken, more = _taken(inputs, limit)
    taken.sort(key=size_of)
    try:
        first = [tally.function.ask(given) for given in taken]
        asked = [("asked once more, last first", tally.function.ask(given)) for given in reversed(taken)][::-1]
        for given, said, (note, again) in zip(taken, first, asked, strict=True):
            if said.kind == "raised":
                return tally.violated(_raised(tally.function, given, said), _RAISED)
            if not _alike(said, again):
                failed = "the values are not equal, and it is one input asked twice"
                twice = _again(tally.function, given, given)
                shown = Shown(given, given, (said, again), failed, twice, notes=("asked first", note))
                return tally.violated(shown, "it says another thing when it is asked again")
            if said.kind == "refused":
                tally.refused.append(text_of(given))
            else:
                tally.asked += 1
        left_out = _one_key(tally, taken, first, key) if key is not None else None
        if left_out is not None:
            return tally.violated(left_out, "the key leaves out something that matters")
        if not tally.asked:
            return tally.ended("no input was given")
        if more:
            return tally.undetermined(f"cut off by {limit:,} inputs", _FEWER)
        everywhere = worlds(pythons, hash_seeds, locales, turned=False)
        there = elsewhere(tally, [Asked(given, text_of(given)) for given in taken], everywhere, time_limit)
        return there or tally.ended("no input was given", of=len(taken))
    except Incomparable as error:
        return tally.undetermined(str(error), error.settles)


def determinate(
    function: Given,
    worlds: Iterable[object],
    *,
    sees: Callable[[Any], object],
    truth: Callable[[Any], object],
    abstains: object = None,
    limit: int = MANY,
) -> Finding:
    """Does it abstain wherever its evidence fits two worlds that want different answers?

    The function decides on what it `sees` of a world; `truth` is the answer that the world wants, and `abstains` the
    value by which it decides nothing. VIOLATED with two worlds that look alike and differ in truth, between which it
    decides; VACUOUS where no two such worlds are given; UNDETERMINED where there are more than `limit`.
    """
    tally = Tally(function_of(function), "determinate", "pairs of worlds")
    taken, more = _taken(worlds, limit)
    taken.sort(key=size_of)
    try:
        for one, other in itertools.combinations(taken, 2):
            evidence = sees(one)
            if not same(evidence, sees(other)) or same(truth(one), truth(other)):
                continue
            said = tally.function.ask(evidence)
            if said.kind == "raised":
                return tally.violated(_raised(tally.function, evidence, said), _RAISED)
            tally.asked += 1
            if said.kind == "value" and not equal(said.value, abstains):
                wanted = f"wants {text_of(truth(one))}", f"wants {text_of(truth(other))}"
                failed = f"both look like {text_of(evidence)}, and they want different answers"
                again = _again(tally.function, evidence)
                shown = Shown(one, other, (said, said), failed, again, notes=wanted)
                return tally.violated(shown, "it decides where it cannot know")
    except Incomparable as error:
        return tally.undetermined(str(error), error.settles)
    if more:
        return tally.undetermined(f"cut off by {limit:,} worlds", _FEWER)
    return tally.ended("no two worlds look alike and want different answers")


def _taken(inputs: Iterable[object], limit: int) -> tuple[list[object], bool]:
    """As many inputs as the limit allows, and whether there are more."""
    if limit < 1:
        raise UsageError(f"limit={limit}: at least one input has to be taken")
    rest = iter(inputs)
    taken = list(itertools.islice(rest, limit))
    return taken, next(rest, _NO_MORE) is not _NO_MORE


_NO_MORE = object()


def _alike(one: Said, other: Said) -> bool:
    if one.kind != other.kind:
        return False
    return one.kind != "value" or same(one.value, other.value)


def _raised(function: Function, given: object, said: Said, text: str = "") -> Shown:
    failed = "it raised, which is neither a value nor a refusal (a TypeError or a ValueError)"
    again, told = _again(function, given), text or text_of(given)
    return Shown(given, given, (said, said), failed, again, texts=(told, told))


def _again(function: Function, *given: object) -> str:
    expressions = [literal(one) for one in given]
    return replay(function, expressions) if all(expressions) else ""


def _one_key(tally: Tally, inputs: list[object], said: list[Said], key: Callable[[Any], object]) -> Shown | None:
    """Two inputs of one key with two outcomes; the keys of inputs that are refused do not count."""
    keyed = [(key(given), given, one) for given, one in zip(inputs, said, strict=True) if one.kind == "value"]
    for (mine, one, first), (others, other, second) in itertools.combinations(keyed, 2):
        if not same(mine, others):
            continue
        tally.asked += 1
        if not _alike(first, second):
            failed = f"the values are not equal, and the key is {text_of(mine)} for both: it leaves something out"
            return Shown(one, other, (first, second), failed, _again(tally.function, one, other))
    return None
