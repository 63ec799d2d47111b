"""Evidence for the key of an effect: neither too fine, so retries match, nor too coarse, so repeats happen."""

from enum import Enum

from meshspec import Map, action, evidence, model, promise, require, var
from meshspec.answer import Answer, Strength
from meshspec.engines.explore import explore
from meshspec.engines.prove import prove
from meshspec.lang.lift import lift
from meshspec.models.effect_identity import Content, EffectIdentity
from meshspec.models.incidents.effect_identity import ArgumentDropped, ContentAlone, PositionInKey, TransactionInKey
from meshspec.settle import shows

X_X = ["write(content0)", "write(content0)"]
X_Y = ["write(content0)", "write(content1)"]
X_Y_X = [*X_Y, "write(content0)"]

EVIDENCE = evidence(
    EffectIdentity,
    scope={Content: 2},
    states=205,  # counted by hand on plain tuples (tests/test_ledger_family.py)
    orbits=103,  # (205 + 1) / 2: only the state before the first call is its own mirror image
    deadlocks=0,
    promises={
        "no_call_is_executed_again": promise(
            stands_for=["EL-CONTENT-ADDR", "EL-AT-MOST-ONCE"],
            proved=True,
            refuted_by={
                TransactionInKey: ["write(content0)", "retry", "write(content0)"],
                PositionInKey: [*X_Y, "retry", "write(content1)"],
            },
        ),
        "an_intended_repeat_is_executed": promise(
            stands_for=["EL-NO-FALSE-SUPPRESS"],
            proved=True,
            refuted_by={ContentAlone: X_X, TransactionInKey: X_X, ArgumentDropped: X_Y},
        ),
        "no_content_stands_for_another": promise(
            stands_for=["EL-DISTINCT"],
            proved=True,
            refuted_by={ArgumentDropped: X_Y},
        ),
        "the_last_write_stands": promise(
            stands_for=["EL-NO-FALSE-SUPPRESS"],
            proved=True,
            refuted_by={ContentAlone: X_Y_X, TransactionInKey: X_Y_X, ArgumentDropped: X_Y},
        ),
        "a_later_attempt_calls_for_it": promise(stands_for=["EL-CONTENT-ADDR"]),
    },
)


class Place(Enum):
    """Of a call in its attempt."""

    FIRST = 0
    SECOND = 1
    THIRD = 2


@model
class PositionOnOnePath(PositionInKey):
    """The position in the key, where every replay makes the same calls in the same order."""

    path: Map[Place, Content | None] = var(None)  # what was called first, second, third

    @action
    def write(self, c: Content) -> None:
        place = Place.FIRST if self.calls == 0 else Place.SECOND if self.calls == 1 else Place.THIRD
        require(self.path[place] is None or self.path[place] == c)
        super().write(c)
        self.path[place] = c


@shows("EL-CONTENT-ADDR", "EL-NO-FALSE-SUPPRESS")
def a_position_in_the_key_needs_replays_that_keep_to_one_path() -> None:
    """On one path it neither executes again nor suppresses a repeat; on another it executes again."""
    wanted = ("no_call_is_executed_again", "an_intended_repeat_is_executed", "the_last_write_stands")
    on_one = {one.property: one.answer for one in explore(lift(PositionOnOnePath), {Content: 2})}
    on_any = {one.property: one.answer for one in explore(lift(PositionInKey), {Content: 2})}
    assert [on_one[claim] for claim in wanted] == [Answer.HOLDS] * 3
    assert [on_any[claim] for claim in wanted] == [Answer.VIOLATED, Answer.HOLDS, Answer.HOLDS]


@shows("EL-CONTENT-ADDR", "EL-DISTINCT", "EL-NO-FALSE-SUPPRESS")
def attempts_may_make_a_thousand_calls() -> None:
    """What holds of three calls an attempt is proved of a thousand, for any number of contents and attempts."""
    strengths = {one.property: one.strength for one in prove(lift(EffectIdentity(most=1_000)))}
    assert {strengths[claim] for claim, line in EVIDENCE.promises.items() if line.proved} == {Strength.EVERY_SIZE}
