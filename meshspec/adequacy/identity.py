"""Identity adequacy: different things get different identities, equal things get equal ones.

An identity that is too coarse merges: an effect is lost because another one has its name. One that is too fine never
matches: a retry is taken for something new. Each is asked on its own, for each has its own harm.

*Sound when* a pair that is shown was judged rightly: what is arguable stands under a convention that the answer
names. *Misses* every pair that was not asked or was refused (where it refused more than half, nothing is said), what
a function remembers from one call to the next, and what else it reads that is the same in all processes asked: the
clock, the host and its network, files, and the environment but for the variables that a replay names. Of the working
folder and HOME, one other is tried, in which the function is loaded anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

from meshspec.adequacy import strategies
from meshspec.adequacy.catalogue import catalogue
from meshspec.adequacy.elsewhere import Asked, elsewhere
from meshspec.adequacy.function import (
    Function,
    Given,
    Incomparable,
    NoAnswer,
    Said,
    function_of,
    same,
    size_of,
    text_of,
)
from meshspec.adequacy.said import Shown, Tally, literal, replay, some
from meshspec.adequacy.worlds import HASH_SEEDS, LOCALES, TIME_LIMIT, worlds
from meshspec.answer import Finding
from meshspec.errors import UsageError
from meshspec.roles.pairs import AGREE, CONVENTIONS, DIFFER, Pair, judged

_NONE: Mapping[str, str] = {}


def discriminates(
    function: Given,
    pairs: Iterable[Pair] | None = None,
    *,
    topics: Iterable[str] | None = None,
    conventions: Mapping[str, str] = _NONE,
    examples: int = 100,
    seed: int = 0,
) -> Finding:
    """Do things that differ get different identities?

    VIOLATED with the smallest pair that the function merges; HOLDS, tested, with what it refused; VACUOUS where no
    pair was judged or all were refused; UNDETERMINED where it refused more than half of the pairs, gave no answer in
    time, or gave a value that cannot be compared, as NaN and a plain object cannot.

    `pairs` are those of the catalogue unless given, of these `topics` alone if given; `conventions` judge the
    arguable ones, as in ``{"numbers": "agree"}``. Then `examples` generated pairs are tried, and shrunk; none where
    pairs or topics were given.

    >>> discriminates(lambda effect: repr(effect), topics=["nesting"]).answer.value
    'HOLDS'
    """
    return _Asked(function, "discriminates", DIFFER, pairs, topics, conventions, examples, seed).finding()


def stable(
    function: Given,
    pairs: Iterable[Pair] | None = None,
    *,
    topics: Iterable[str] | None = None,
    conventions: Mapping[str, str] = _NONE,
    examples: int = 100,
    seed: int = 0,
    pythons: Sequence[str] = (sys.executable,),
    hash_seeds: Sequence[int] = HASH_SEEDS,
    locales: Sequence[str] = LOCALES,
    time_limit: float = TIME_LIMIT,
) -> Finding:
    """Do equal things get equal identities, here and in every other process?

    First the pairs that agree, and generated ones; then each effect of every pair again in processes with other hash
    seeds, locales, time zones, insertion orders, and in another working folder with another HOME, under each of the
    interpreters `pythons`. The answer says which were run. A function that no other process can import gets
    UNDETERMINED for that part, never HOLDS.

    VIOLATED with the smallest pair that the function tells apart, or with one effect under two conditions.
    """
    if not pythons or not hash_seeds or not locales:
        raise UsageError("stable needs at least one interpreter, one hash seed and one locale")
    asked = _Asked(function, "stable", AGREE, pairs, topics, conventions, examples, seed)
    here = asked.here()
    if here is not None:
        return here
    tally, everywhere = asked.tally, worlds(pythons, hash_seeds, locales, turned=True, moved=True)
    try:
        there = elsewhere(tally, asked.inputs(), everywhere, time_limit)
    except Incomparable as error:
        return tally.undetermined(str(error), error.settles)
    nothing = "no pair that must agree was asked, and no effect"
    return there or tally.ended(nothing, asked.stands_on(), len(asked.all_))


class _Asked:
    """One property, asked of the pairs of a catalogue and of generated ones."""

    def __init__(
        self,
        given: Given,
        name: str,
        relation: str,
        pairs: Iterable[Pair] | None,
        topics: Iterable[str] | None,
        conventions: Mapping[str, str],
        examples: int,
        seed: int,
    ) -> None:
        if pairs is not None and topics is not None:
            raise UsageError("give pairs or topics, not both: topics choose from the catalogue")
        self.generated = examples if pairs is None and topics is None else 0
        self.relation, self.seed = relation, seed
        self.open: Incomparable | None = None
        function = function_of(given)
        found = tuple(catalogue(topics) if pairs is None else pairs)
        try:
            self.all_ = judged(found, conventions)
        except ValueError as error:
            raise UsageError(str(error)) from None
        self.pairs = [pair for pair in self.all_ if pair.relation == relation]
        used = sorted({pair.convention for pair in found if pair.convention})
        self.said = {name: conventions.get(name, CONVENTIONS[name][0]) for name in used}
        self.tally = Tally(
            function,
            name,
            "pairs" if relation == DIFFER else "comparisons",
            facts={"conventions": self.said, "generated": self.generated, "seed": seed},
        )

    def inputs(self) -> list[Asked]:
        """Both effects of every pair, whatever they have to do with each other."""
        found: list[Asked] = []
        for pair in self.all_:
            before = f"from meshspec.adequacy import named; p = named({pair.name!r})"
            found += [Asked(pair.one, pair.name, before, "p.one"), Asked(pair.other, pair.name, before, "p.other")]
        return found

    def finding(self) -> Finding:
        nothing = f"no pair that must {self.relation} was asked"
        return self.here() or self.tally.ended(nothing, self.stands_on(), len(self.pairs))

    def stands_on(self) -> list[str]:
        used = sorted({pair.convention for pair in self.pairs if pair.convention})
        return [f"judged so that {', '.join(f'{name} {self.said[name]}' for name in used)}"] if used else []

    def reason(self, names: list[str]) -> str:
        self.tally.facts["shown by"] = tuple(names)
        done = "merges" if self.relation == DIFFER else "tells apart"
        return f"{done} {len(names)} of {len(self.pairs)} pairs that must {self.relation}: {some(names)}"

    def here(self) -> Finding | None:
        """What the pairs show in this process; nothing where they show nothing."""
        tally = self.tally
        try:
            shown = sorted(self._all_shown(), key=_size)
            if shown:
                return tally.violated(shown[0], self.reason([each.name for each in shown]))
            if self.open is not None:
                raise self.open
            return self._generated() if self.generated else None
        except Incomparable as error:
            return tally.undetermined(str(error), error.settles)
        except strategies.Unsteady as error:
            return tally.undetermined(str(error), "deterministic() says whether it answers alike twice")

    def _all_shown(self) -> list[Shown]:
        """The pairs that show it; what cannot be compared is passed over, and after no answer none is waited for."""
        found: list[Shown] = []
        for pair in self.pairs:
            shown = self._tried(pair)
            found += [shown] if shown is not None else []
            if isinstance(self.open, NoAnswer):
                break
        return found

    def _tried(self, pair: Pair) -> Shown | None:
        try:
            return self._shown(pair)
        except Incomparable as error:
            self.open = error if self.open is None or isinstance(error, NoAnswer) else self.open
            return None

    def _shown(self, pair: Pair) -> Shown | None:
        function = self.tally.function
        said = function.ask(pair.one), function.ask(pair.other)
        for one in said:
            if one.kind == "raised":
                return self._told(pair, said, "neither a value nor a refusal, which is a TypeError or a ValueError")
        if "refused" in (said[0].kind, said[1].kind):
            self.tally.refused.append(pair.name)
            return None
        self.tally.asked += 1
        if same(said[0].value, said[1].value) == (self.relation == AGREE):
            return None
        what = "equal, and the two must differ" if self.relation == DIFFER else "not equal, and the two must agree"
        return self._told(pair, said, f"the values are {what}")

    def _told(self, pair: Pair, said: tuple[Said, Said], failed: str) -> Shown:
        arguable = f" Judged by the convention {pair.convention!r}." if pair.convention else ""
        named = "" if pair.name == pair.why else f"{pair.name}. "
        generated = pair.topic == strategies.TOPIC
        return Shown(
            pair.one,
            pair.other,
            said,
            f"{failed}: {named}{pair.why}{arguable}",
            _replay(self.tally.function, pair),
            pair.name,
            how="shrunk" if generated else "smallest",
        )

    def _shows(self, pair: Pair) -> bool:
        return not isinstance(self.open, NoAnswer) and self._tried(pair) is not None

    def _generated(self) -> Finding | None:
        """A generated pair that shows it, shrunk."""
        made = strategies.differing() if self.relation == DIFFER else strategies.agreeing()
        before = self.tally.asked, len(self.tally.refused)
        found = strategies.smallest(made, self._shows, self.generated, self.seed)
        refused = len(self.tally.refused) - before[1]
        del self.tally.refused[before[1] :]
        self.tally.facts["generated refused"] = refused
        if found is None and self.open is not None:
            raise self.open
        if found is None:
            return None
        self.tally.asked = before[0]
        shown = self._shown(found)
        if shown is None:
            raise strategies.Unsteady(f"{text_of(found.one)} got two answers")
        return self.tally.violated(shown, f"a generated pair shows it: {found.name}")


def _size(shown: Shown) -> int:
    return size_of(shown.one) + size_of(shown.other)


def _replay(function: Function, pair: Pair) -> str:
    if pair.topic == strategies.TOPIC and literal(tuple(pair.one)) and literal(tuple(pair.other)):
        before = "from meshspec.roles.effects import Effect"
        return replay(function, [repr(pair.one), repr(pair.other)], before=before)
    before = f"from meshspec.adequacy import named; p = named({pair.name!r})"
    return replay(function, ["p.one", "p.other"], before=before)
