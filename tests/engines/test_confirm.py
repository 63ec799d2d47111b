"""confirm: each way in which evidence can say what is not so is noticed, by its own line and in clear words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import pytest

from meshspec import action, always, any_of, each, eventually, evidence, fault, model, promise, require, var
from meshspec.answer import Answer, Finding, Strength
from meshspec.claims import unknown_names
from meshspec.engines.confirm import Confirmation
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.lang.evidence import Evidence, Promise
from meshspec.lang.lift import lift
from meshspec.properties.effect_ledger import EVIDENCE as SHIPPED
from tests.models.plain_ledger import Effect, EffectLedger, Recovery, ResendInDoubt

RESENT = ["intend(effect0)", "send(effect0)", "crash", "recover", "settle(effect0)", "send(effect0)"]
SKIPPED = ["intend(effect0)", "crash", "recover", "settle(effect0)"]
REMEMBERED = ["intend(effect0)", "send(effect0)", "crash"]


@model
class SkipInDoubt(EffectLedger):
    """The incident: what is in doubt is taken for done."""

    recovery: Recovery = Recovery.SKIP


@model
class Remember(EffectLedger):
    """The incident: memory outlives the worker."""

    @fault
    def crash(self) -> None:
        require(self.up)
        self.up = False


@model
class SameAgain(EffectLedger):
    """No incident at all: the same lines in another order."""

    @fault
    def crash(self) -> None:
        require(self.up)
        self.sent = each(Effect, lambda e: False)
        self.up = False


GOOD: dict[str, Promise] = {
    "at_most_once": promise(stands_for=["EL-AT-MOST-ONCE"], proved=True, refuted_by={ResendInDoubt: RESENT}),
    "recorded_is_done": promise(proved=True, refuted_by={SkipInDoubt: SKIPPED}),
    "memory_dies_with_the_worker": promise(proved=True, refuted_by={Remember: REMEMBERED}),
}


def told(**changed: Any) -> Evidence:
    given: dict[str, Any] = {"scope": {Effect: 2}, "states": 72, "deadlocks": 0, "promises": GOOD}
    return evidence(changed.pop("of", EffectLedger), **{**given, **changed})


def confirmed(held: Evidence, limits: Limits | None = None) -> dict[str, Finding]:
    return {line.id: line.confirm() for line in Confirmation(held, unknown_names, limits).lines()}


def wrong(found: Mapping[str, Finding]) -> dict[str, Finding]:
    return {name: finding for name, finding in found.items() if finding.answer is not Answer.HOLDS}


def with_promise(claim: str, **changed: Any) -> dict[str, Promise]:
    return {**GOOD, claim: attrs.evolve(GOOD[claim], **changed)}


def test_good_evidence_is_confirmed_line_by_line_in_their_fixed_order() -> None:
    found = confirmed(told())
    assert wrong(found) == {}
    assert list(found) == [
        "72 states, 0 deadlocks",
        "at_most_once holds",
        "at_most_once is proved",
        "at_most_once is refuted by ResendInDoubt",
        "recorded_is_done holds",
        "recorded_is_done is proved",
        "recorded_is_done is refuted by SkipInDoubt",
        "memory_dies_with_the_worker holds",
        "memory_dies_with_the_worker is proved",
        "memory_dies_with_the_worker is refuted by Remember",
        "ResendInDoubt breaks only what it is listed for",
        "SkipInDoubt breaks only what it is listed for",
        "Remember breaks only what it is listed for",
        "nothing is vacuous",
        "every promise can be refuted",
        "every name is in the registry",
    ]
    assert all(finding.property == line for line, finding in found.items())
    assert found["at_most_once is proved"].strength is Strength.EVERY_SIZE
    story = found["at_most_once is refuted by ResendInDoubt"]
    assert story.counterexample is not None and list(story.counterexample.actions) == RESENT
    assert story.facts == {
        "incident": "ResendInDoubt",
        "says": "The incident: what is in doubt is sent again, unasked.",
    }


@pytest.mark.parametrize("counts", [{"states": 71}, {"deadlocks": 1}])
def test_a_wrong_count(counts: dict[str, int]) -> None:
    (finding,) = wrong(confirmed(told(**counts))).values()
    assert finding.answer is Answer.VIOLATED
    assert finding.reason == "found 72 states and 0 deadlocks"


@pytest.mark.parametrize(("orbits", "answer"), [(42, Answer.HOLDS), (72, Answer.VIOLATED)])
def test_orbits_are_counted_where_they_are_pinned(orbits: int, answer: Answer) -> None:
    """Two times the multisets of two of six."""
    finding = confirmed(told(orbits=orbits))[f"72 states, {orbits} orbits, 0 deadlocks"]
    assert (finding.answer, finding.orbits) == (answer, 42 if answer is Answer.HOLDS else None)
    assert finding.reason == ("" if answer is Answer.HOLDS else "found 72 states, 42 orbits and 0 deadlocks")


def test_a_count_that_could_not_be_made_is_undetermined() -> None:
    found = confirmed(told(), Limits(max_states=30))
    counts = found["72 states, 0 deadlocks"]
    assert (counts.answer, counts.reason) == (Answer.UNDETERMINED, "cut off by --max-states of 30")
    cut = explore(lift(EffectLedger), {Effect: 2}, Limits(max_states=30))[0]
    assert cut.orbits == 30 and counts.known == f"at least {cut.states} states and 0 deadlocks"
    assert found["ResendInDoubt breaks only what it is listed for"].answer is Answer.UNDETERMINED
    assert found["nothing is vacuous"].answer is Answer.UNDETERMINED
    assert found["at_most_once holds"].answer is Answer.UNDETERMINED
    assert found["at_most_once is proved"].answer is Answer.HOLDS


@pytest.mark.parametrize(
    "path", [RESENT[:-1], [*RESENT, "record(effect0)"], [r.replace("0", "1") for r in RESENT], []]
)
def test_a_wrong_path(path: Sequence[str]) -> None:
    held = told(promises=with_promise("at_most_once", refuted_by={ResendInDoubt: tuple(path)}))
    (finding,) = wrong(confirmed(held)).values()
    assert finding.property == "at_most_once is refuted by ResendInDoubt"
    assert finding.reason == f"the shortest path is {', '.join(RESENT)}; pinned is {', '.join(path) or 'no step'}"
    assert finding.counterexample is not None


def test_an_incident_that_does_not_break_what_it_is_listed_for() -> None:
    held = told(
        promises=with_promise("recorded_is_done", refuted_by={SkipInDoubt: tuple(SKIPPED), ResendInDoubt: ()})
    )
    (finding,) = wrong(confirmed(held)).values()
    assert finding.reason == "ResendInDoubt does not break recorded_is_done: it HOLDS" or (
        "no step is taken from a state in which a Range is left" in finding.reason
    )


def test_an_incident_that_breaks_more_than_it_is_listed_for() -> None:
    @model
    class Both(EffectLedger):
        """The incident: two decisions changed at once."""

        recovery: Recovery = Recovery.SKIP

        @fault
        def crash(self) -> None:
            require(self.up)
            self.up = False

    refuted = {SkipInDoubt: tuple(SKIPPED), Both: tuple(SKIPPED)}
    found = wrong(confirmed(told(promises=with_promise("recorded_is_done", refuted_by=refuted))))
    finding = found["Both breaks only what it is listed for"]
    assert finding.answer is Answer.VIOLATED
    assert finding.reason == "memory_dies_with_the_worker is VIOLATED too: list it, or mend it"
    assert finding.counterexample is not None and list(finding.counterexample.actions) == REMEMBERED


def test_an_incident_whose_transitions_equal_its_parents() -> None:
    refuted = {ResendInDoubt: tuple(RESENT), SameAgain: tuple(RESENT)}
    found = wrong(confirmed(told(promises=with_promise("at_most_once", refuted_by=refuted))))
    assert set(found) == {
        "at_most_once is refuted by SameAgain",
        "SameAgain breaks only what it is listed for",
    }
    assert found["SameAgain breaks only what it is listed for"].reason == (
        "the transitions of SameAgain equal its parent's: it changes nothing"
    )


@model
class Starts:
    """A model with two starts, of which its incident breaks the second."""

    number: int = var(any_of(0, 5))

    @action
    def grow(self) -> None:
        require(self.number < 6)
        self.number += 1

    @always
    def at_most_six(self) -> bool:
        return self.number <= 6


@model
class GrowOnceMore(Starts):
    """The incident: it stops a step too late."""

    @action
    def grow(self) -> None:
        require(self.number < 7)
        self.number += 1


def test_an_incident_is_mended_on_its_own_schedule_from_its_own_start() -> None:
    held = told(
        of=Starts,
        scope={},
        states=7,
        deadlocks=1,
        promises={"at_most_six": promise(proved=True, refuted_by={GrowOnceMore: ["grow", "grow"]})},
    )
    assert wrong(confirmed(held)) == {}


def test_a_parent_that_breaks_the_claim_on_the_same_schedule_is_no_mending() -> None:
    @model
    class Worse(Starts):
        @always
        def at_most_six(self) -> bool:
            return self.number <= 5

    @model
    class AlsoWorse(Worse):
        @action
        def grow(self) -> None:
            require(self.number < 7)
            self.number += 1

    held = told(
        of=Worse, scope={}, states=7, deadlocks=1, promises={"at_most_six": promise(refuted_by={AlsoWorse: ["grow"]})}
    )
    found = wrong(confirmed(held))
    assert found["at_most_six is refuted by AlsoWorse"].reason == (
        "Worse breaks at_most_six on the schedule of AlsoWorse too"
    )
    assert found["at_most_six holds"].answer is Answer.VIOLATED
    assert found["nothing is vacuous"].reason == "at_most_six is VIOLATED"


@model
class Arrives:
    """It gets there, if it is taken there."""

    there: bool = var(False)
    lost: bool = var(False)

    def may_go(self) -> bool:
        return not self.lost

    @action
    def lose(self) -> None:
        require(not self.lost and not self.there)
        self.lost = True

    @action
    def go(self) -> None:
        require(not self.there and self.may_go())
        self.there = True

    @eventually
    def it_is_there(self) -> bool:
        """The one claim: counts are told by whoever explored, whatever is claimed."""
        return self.there


@model
class ArrivesAnyway(Arrives):
    def may_go(self) -> bool:
        return True


@model
class StaysLost(ArrivesAnyway):
    def may_go(self) -> bool:
        return not self.lost


@model
class StaysLostToo(Arrives):
    @action
    def lose(self) -> None:
        require(not self.lost)
        self.lost = True


def lost(of: type, incident: type) -> dict[str, Finding]:
    promises = {"it_is_there": promise(refuted_by={incident: ["lose"]})}
    return wrong(confirmed(told(of=of, scope={}, states=3, deadlocks=1, promises=promises)))


def test_where_an_incident_ends_its_parent_goes_on_or_breaks_the_claim_by_ending_too() -> None:
    line = "it_is_there is refuted by StaysLost"
    assert line not in lost(ArrivesAnyway, StaysLost)
    found = lost(Arrives, StaysLostToo)[f"{line}Too"]
    assert found.answer is Answer.VIOLATED
    assert found.reason == "Arrives breaks it_is_there on the schedule of StaysLostToo too"


def test_a_proof_that_is_claimed_and_fails_shows_what_stands_in_the_way() -> None:
    @model
    class Unproved(Starts):
        seen: int = var(0)

        @action
        def look(self) -> None:
            self.seen = self.number

        @always
        def seen_at_most_six(self) -> bool:
            return self.seen <= 6

        @always
        def at_most_six(self) -> bool:
            return self.seen < 0 or self.number != 7

    lines = {"seen_at_most_six": promise(proved=True), "at_most_six": promise()}
    finding = confirmed(told(of=Unproved, scope={}, promises=lines))["seen_at_most_six is proved"]
    assert finding.answer is Answer.UNDETERMINED
    assert finding.reason.startswith("not inductive: look leads from a state")
    assert finding.facts["cti"]


@model
class NeverStruck(EffectLedger):
    """Its fault cannot happen."""

    @fault
    def crash(self) -> None:
        require(self.up and not self.up)
        self.up = False


def test_vacuous_evidence_is_vacuous() -> None:
    finding = confirmed(told(of=NeverStruck, promises=dict.fromkeys(GOOD, promise())))["nothing is vacuous"]
    assert finding.answer is Answer.VACUOUS
    assert "recover" in finding.reason or "crash" in finding.reason


def test_a_promise_that_nothing_refutes_and_no_promise_at_all_are_vacuous() -> None:
    found = confirmed(told(promises=with_promise("recorded_is_done", refuted_by={})))
    finding = found["every promise can be refuted"]
    assert finding.answer is Answer.VACUOUS
    assert finding.reason.startswith("recorded_is_done: no incident refutes it")

    @model
    class Silent:
        up: bool = var(True)

        @action
        def flip(self) -> None:
            self.up = not self.up

    nothing = confirmed(told(of=Silent, scope={}, states=2, promises={}))["every promise can be refuted"]
    assert (nothing.answer, nothing.reason) == (Answer.VACUOUS, "nothing is promised")


def test_a_name_that_the_registry_does_not_have() -> None:
    held = told(promises=with_promise("at_most_once", stands_for=("EL-AT-MOST-ONZE", "EL-AT-MOST-ONCE")))
    (finding,) = wrong(confirmed(held)).values()
    assert finding.property == "every name is in the registry"
    assert finding.reason.startswith("there is no EL-AT-MOST-ONZE in the registry; did you mean EL-AT-MOST-ONCE")


def test_the_registry_is_asked_for_every_name() -> None:
    asked: list[str] = []

    def unknown(names: Iterable[str]) -> list[str]:
        asked.extend(names)
        return []

    for line in Confirmation(SHIPPED, unknown).lines()[-1:]:
        assert line.confirm().answer is Answer.HOLDS
    assert asked == [name for held in SHIPPED.promises.values() for name in held.stands_for]


def test_a_witness_is_not_proved() -> None:
    shipped = attrs.evolve(SHIPPED, promises={**SHIPPED.promises, "it_gets_done": promise(proved=True)})
    line = next(line for line in Confirmation(shipped, unknown_names).lines() if line.id == "it_gets_done is proved")
    finding = line.confirm()
    assert finding.answer is Answer.VIOLATED
    assert finding.reason == "it_gets_done is @sometimes, which is not proved but witnessed: drop proved=True"
