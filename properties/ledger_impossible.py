"""Without help from the service no recovery works that reads the log alone; with each of three kinds, one does.

A worker is back up, an effect is in doubt, and nothing is on its way to the service any more. What it can see is what
is written down. Every function from what it can see to {send again, close} is tried in the effect ledger: each either
acts twice or closes what was never done, and a pair of runs with one log and two worlds says why it must.
"""

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from meshspec import action, model, require, scope
from meshspec.answer import Answer
from meshspec.engines.explore import explore
from meshspec.engines.lookalikes import Sight, lookalikes
from meshspec.lang.lift import lift
from meshspec.models.effect_ledger import EffectLedger, Told
from meshspec.models.environment import Effect
from meshspec.settle import shows

View = tuple[object, ...]
Decision = Callable[[View], bool]
"""Whether an effect is sent again that looks like this; else it is closed."""


AGAIN = ["send(effect0)", "act(effect0)"]


def _send(view: View) -> bool:
    return True


@model
class RecoveryByLog(EffectLedger):
    """What is in doubt is decided by a function of what is seen, as soon as nothing is on its way any more."""

    decide: Decision = _send

    def view(self, e: Effect) -> View:
        """Everything that is durable, of this effect."""
        return self.delivered[e], self.waiting[e], self.intended[e], self.recorded[e], self.told[e]

    @action
    def settle(self, e: Effect) -> None:
        require(self.up and self.doubtful[e] and not self.on_the_way[e])
        self.doubtful[e] = False
        if not self.decide(self.view(e)):
            self.recorded[e] = True


@model
class WithKey(RecoveryByLog):
    """The service acts once for a key, and still remembers it."""

    def take_effect(self, e: Effect) -> None:
        self.applied[e] = 1


@model
class WithTransaction(RecoveryByLog):
    """The service acts in one transaction with the log."""

    def take_effect(self, e: Effect) -> None:
        self.applied[e] = min(self.applied[e] + 1, 2)
        self.recorded[e] = True
        self.told[e] = Told.SUCCESS


@model
class WithQuery(RecoveryByLog):
    """The service says whether it has acted, and that is seen beside the log."""

    def view(self, e: Effect) -> View:
        return (
            self.delivered[e],
            self.waiting[e],
            self.intended[e],
            self.recorded[e],
            self.told[e],
            self.applied[e] > 0,
        )


_IN_DOUBT: dict[type, Sequence[Sight]] = {}
_WORKS: dict[tuple[type, frozenset[tuple[Hashable, bool]]], bool] = {}


def in_doubt(design: type[RecoveryByLog]) -> Sequence[Sight]:
    """What can be seen at the moment of decision, and in which worlds: with and without an effect."""
    if design not in _IN_DOUBT:
        e = Effect(0)
        _IN_DOUBT[design] = lookalikes(
            lift(design),
            {Effect: 1},
            sees=lambda state: state.view(e),
            world=lambda state: "done" if state.applied[e] > 0 else "not done",
            when=lambda state: state.up and state.doubtful[e] and not state.on_the_way[e],
        )
    return _IN_DOUBT[design]


def functions(sights: Sequence[Sight]) -> Iterator[Mapping[Hashable, bool]]:
    """Every function from what is seen to {send again, close}."""
    for chosen in itertools.product((True, False), repeat=len(sights)):
        yield dict(zip((sight.seen for sight in sights), chosen, strict=True))


def works(design: type[RecoveryByLog], decisions: Mapping[Hashable, bool]) -> bool:
    """Whether nothing is done twice, and nothing closed that was not done; every view that is met must be decided."""
    asked = (design, frozenset(decisions.items()))
    if asked not in _WORKS:
        found = {one.property: one.answer for one in explore(lift(design(decide=decisions.__getitem__)), {Effect: 1})}
        assert found["no action raises"] is Answer.HOLDS, "a view was met that no function decides"
        _WORKS[asked] = found["at_most_once"] is Answer.HOLDS and found["recorded_is_done_once"] is Answer.HOLDS
    return _WORKS[asked]


def played(recovery: RecoveryByLog, run: Sequence[str]) -> RecoveryByLog:
    """The run, as CPython takes it."""
    for step in run:
        name, _, argument = step.partition("(")
        getattr(recovery, name)(*([Effect(0)] if argument else []))
    return recovery


def refutation(sight: Sight, sent_again: bool) -> str:
    """The pair of runs that refutes a function, by what it decides of one view."""
    what, world = ("send again", "done") if sent_again else ("close", "not done")
    said = "acts twice" if sent_again else "leaves it undone for ever"
    return f"{sight}\n  to {what} is wrong where it is {world}, and {said}"


@shows("EL-IMPOSSIBLE")
def no_function_of_the_log_recovers() -> None:
    """Each is refuted by the model, and by a pair: the same log, done in one world and not done in the other."""
    sights = in_doubt(RecoveryByLog)
    assert all(sight.is_ambiguous for sight in sights), "a view tells the worlds apart: look there"
    tried = list(functions(sights))
    assert len(tried) == 2 ** len(sights) > 2, "one view alone would make the functions constant"
    for decisions in tried:
        assert not works(RecoveryByLog, decisions)
        for sight in sights:
            again = decisions[sight.seen]
            told = refutation(sight, again)
            assert all(", ".join(run) in told for run in sight.runs.values()), "both runs of the pair are printed"
            with scope({Effect: 1}):
                run = [*sight.runs["done" if again else "not done"], "settle(effect0)"]
                end = played(RecoveryByLog(decide=decisions.__getitem__), [*run, *(AGAIN if again else [])])
                assert (end.applied[Effect(0)], end.recorded[Effect(0)]) == ((2, False) if again else (0, True)), told


@shows("EL-IMPOSSIBLE", "EL-EXACTLY-ONCE-COND")
def with_each_kind_of_help_some_function_recovers() -> None:
    """With a key, to send again always; with a transaction or an answer, to send again where it was not done."""
    for design, helped in ((WithKey, False), (WithTransaction, True), (WithQuery, True)):
        sights = in_doubt(design)
        assert any(not sight.is_ambiguous for sight in sights) == helped, design
        right = (
            {sight.seen: "not done" in sight.runs for sight in sights} if helped else {s.seen: True for s in sights}
        )
        assert works(design, right), design
        assert not works(design, dict.fromkeys(right, False)), design
